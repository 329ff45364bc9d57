//! Fills missing values.

use crate::ColumnStatistics;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Error, Features, Fit, LearnInPieces, Model, Next, OwnedRows,
    Result, Rows, Run, Samples, Transform, Value,
};
use ndarray::{Array1, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What takes the place of a missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImputeStrategy {
    /// The mean of the known values of the column.
    #[default]
    Mean,
    /// The median of the known values of the column.
    Median,
    /// The most frequent value of the column, the smallest of several.
    MostFrequent,
    /// The same value everywhere.
    Constant,
}

/// Fills missing values (NaN) column by column with what the training rows teach.
///
/// ```
/// use didact_core::{Fit, Transform};
/// use didact_preprocess::SimpleImputer;
/// let x = ndarray::array![[1.0], [f64::NAN], [5.0]];
/// let imputer = SimpleImputer::default().fit((&x).into())?;
/// assert_eq!(imputer.transform(&x)?.into_dense(), ndarray::array![[1.0], [3.0], [5.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SimpleImputer {
    /// What takes the place of a missing value.
    pub strategy: ImputeStrategy,
    /// The value for the strategy `constant`.
    pub fill_value: f64,
}

/// One value to fill in per column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimpleImputerModel {
    /// What takes the place of a missing value in each column.
    pub statistics: Array1<f64>,
}

impl SimpleImputer {
    /// What the mean and the constant need to know of all rows.
    fn finish(&self, found: ColumnStatistics) -> Result<SimpleImputerModel> {
        if self.strategy == ImputeStrategy::Constant {
            let statistics = Array1::from_elem(found.means.len(), self.fill_value);
            return Ok(SimpleImputerModel { statistics });
        }
        match found.unknown_column() {
            Some(column) => Err(nothing_known(column)),
            None => Ok(SimpleImputerModel {
                statistics: found.means,
            }),
        }
    }

    /// Whether the values must be sorted, which takes all rows at once and knows no weights.
    fn statistic_of_order(&self) -> Option<fn(&[f64]) -> f64> {
        match self.strategy {
            ImputeStrategy::Mean | ImputeStrategy::Constant => None,
            ImputeStrategy::Median => Some(median),
            ImputeStrategy::MostFrequent => Some(most_frequent),
        }
    }
}

impl Fit<Samples<'_>> for SimpleImputer {
    type Model = SimpleImputerModel;

    const ACCEPTS: Accepts = Accepts::MISSING.union(Accepts::WEIGHTS);

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<SimpleImputerModel> {
        let Some(statistic) = self.statistic_of_order() else {
            return self.finish(ColumnStatistics::summarise(&data, run)?);
        };
        if data.weights().is_some() {
            return Err(Error::unsupported(
                "median and most-frequent take no sample weights; use the strategy mean",
            ));
        }
        let statistics = by_order(data.dense()?, run, statistic)?;
        Ok(SimpleImputerModel { statistics })
    }
}

impl LearnInPieces<Samples<'_>> for SimpleImputer {
    type State = ();
    type Summary = ColumnStatistics;

    fn start(&self) -> Result<()> {
        match self.statistic_of_order() {
            None => Ok(()),
            Some(_) => Err(Error::unsupported(
                "median and most-frequent need all rows at once; use the strategy mean",
            )),
        }
    }

    fn summarise(
        &self,
        _state: &(),
        chunk: Samples<'_>,
        _first_row: usize,
        run: &Run,
    ) -> Result<ColumnStatistics> {
        ColumnStatistics::summarise(&chunk, run)
    }

    fn check_summary(&self, _: &(), summary: &ColumnStatistics) -> Result<()> {
        summary.check()
    }

    fn merge(&self, left: ColumnStatistics, right: ColumnStatistics) -> Result<ColumnStatistics> {
        left.merge(&right)
    }

    fn step(
        &self,
        _state: (),
        summary: ColumnStatistics,
        _run: &Run,
    ) -> Result<Next<(), SimpleImputerModel>> {
        self.finish(summary).map(Next::Done)
    }
}

fn nothing_known(column: usize) -> Error {
    Error::data(format!(
        "column {column} has no known value to learn from; leave it out or use the strategy constant"
    ))
}

/// A statistic of the sorted known values of each column.
fn by_order(
    dense: ArrayView2<'_, f64>,
    run: &Run,
    statistic: fn(&[f64]) -> f64,
) -> Result<Array1<f64>> {
    let mut known = Vec::with_capacity(dense.nrows());
    let mut statistics = Array1::zeros(dense.ncols());
    for (column, values) in dense.columns().into_iter().enumerate() {
        run.check()?;
        known.clear();
        known.extend(values.iter().filter(|value| !value.is_nan()));
        if known.is_empty() {
            return Err(nothing_known(column));
        }
        known.sort_unstable_by(f64::total_cmp);
        statistics[column] = statistic(&known);
    }
    Ok(statistics)
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle],
        _ => sorted[middle - 1].midpoint(sorted[middle]),
    }
}

fn most_frequent(sorted: &[f64]) -> f64 {
    let mut best: &[f64] = &[];
    for run in sorted.chunk_by(|left, right| left == right) {
        if run.len() > best.len() {
            best = run;
        }
    }
    best[0]
}

impl Features for SimpleImputerModel {
    fn n_features(&self) -> usize {
        self.statistics.len()
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

impl Transform for SimpleImputerModel {
    fn n_outputs(&self) -> usize {
        self.statistics.len()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let mut filled = rows.dense()?.to_owned();
        for mut row in filled.rows_mut() {
            for (value, fill) in row.iter_mut().zip(&self.statistics) {
                if value.is_nan() {
                    *value = *fill;
                }
            }
        }
        Ok(OwnedRows::Dense(filled))
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        input_names.to_vec()
    }
}

impl Model for SimpleImputerModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[Attribute {
        name: "statistics",
        meaning: "what takes the place of a missing value in each column.",
        get: |model| Value::from(&model.statistics),
    }];

    fn validate(&self) -> Result<()> {
        let finite = self.statistics.iter().all(|value| value.is_finite());
        ensure_consistent(finite && !self.statistics.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn filled(strategy: ImputeStrategy, x: &Array2<f64>) -> Vec<f64> {
        let imputer = SimpleImputer {
            strategy,
            fill_value: -1.0,
        };
        let model = imputer.fit(x.into()).unwrap();
        let after = model.transform(x).unwrap().into_dense();
        assert!(after.iter().all(|value| !value.is_nan()));
        model.statistics.to_vec()
    }

    #[test]
    fn each_strategy_is_its_statistic_of_the_known_values() {
        let nan = f64::NAN;
        let x = array![[1.0, 4.0], [1.0, nan], [nan, 2.0], [4.0, 2.0], [6.0, 4.0]];
        assert_eq!(filled(ImputeStrategy::Mean, &x), [3.0, 3.0]);
        assert_eq!(filled(ImputeStrategy::Median, &x), [2.5, 3.0]);
        // 2 and 4 are equally frequent in the second column: the smaller one.
        assert_eq!(filled(ImputeStrategy::MostFrequent, &x), [1.0, 2.0]);
        assert_eq!(filled(ImputeStrategy::Constant, &x), [-1.0, -1.0]);
    }

    #[test]
    fn new_rows_are_filled_from_training_rows() {
        let model = SimpleImputer::default()
            .fit((&array![[2.0], [4.0]]).into())
            .unwrap();
        let new = model.transform(&array![[f64::NAN], [100.0]]).unwrap();
        assert_eq!(new.into_dense(), array![[3.0], [100.0]]);
    }

    #[test]
    fn a_column_without_any_value_is_an_error_except_for_a_constant() {
        let x = array![[1.0, f64::NAN]];
        for strategy in [
            ImputeStrategy::Mean,
            ImputeStrategy::Median,
            ImputeStrategy::MostFrequent,
        ] {
            let imputer = SimpleImputer {
                strategy,
                ..SimpleImputer::default()
            };
            let message = imputer.fit((&x).into()).unwrap_err().to_string();
            assert!(
                message.starts_with("column 1 has no known value"),
                "{message}"
            );
        }
        assert_eq!(filled(ImputeStrategy::Constant, &x), [-1.0, -1.0]);
    }

    #[test]
    fn the_median_of_huge_values_does_not_overflow() {
        let x = array![[1e308], [1.5e308], [f64::NAN]];
        assert_eq!(filled(ImputeStrategy::Median, &x), [1.25e308]);
    }

    #[test]
    fn weights_move_the_mean_and_order_statistics_refuse_them() {
        let x = array![[1.0], [f64::NAN], [5.0]];
        let samples = || Samples::from(&x).weighted(&[3.0, 1.0, 1.0]).unwrap();
        let imputer = SimpleImputer::default().fit(samples()).unwrap();
        assert!((imputer.statistics[0] - 2.0).abs() < 1e-15);
        let median = SimpleImputer {
            strategy: ImputeStrategy::Median,
            ..SimpleImputer::default()
        };
        let message = median.fit(samples()).unwrap_err().to_string();
        assert!(message.contains("use the strategy mean"), "{message}");
        assert!(LearnInPieces::<Samples<'static>>::start(&median).is_err());
    }
}
