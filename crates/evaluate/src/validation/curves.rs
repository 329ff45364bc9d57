//! How errors change with the number of rows, or with a parameter.

use crate::cross_validate::{CrossValidation, cross_validate_both};
use crate::metrics::quantile;
use crate::split::Split;
use didact_core::{Data, Error, Learner, Result, Run};
use serde::Serialize;
use serde_json::{Map, Value};

/// Makes a method from parameters; evaluation knows no catalogue.
pub type MakeLearner<'a> = dyn Fn(&Map<String, Value>) -> Result<Box<dyn Learner>> + Sync + 'a;

/// A figure over several splits: mean, deviation and quartiles together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation (divisor n − 1; zero for a single split).
    pub deviation: f64,
    /// The smallest value.
    pub least: f64,
    /// A quarter of the values are below.
    pub lower_quartile: f64,
    /// Half of the values are below.
    pub median: f64,
    /// Three quarters of the values are below.
    pub upper_quartile: f64,
    /// The largest value.
    pub largest: f64,
}

impl Spread {
    /// Of the given values.
    ///
    /// ```
    /// let spread = didact_evaluate::Spread::of(&[1.0, 2.0, 3.0, 4.0])?;
    /// assert_eq!((spread.mean, spread.median, spread.lower_quartile), (2.5, 2.5, 1.75));
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn of(values: &[f64]) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::data("there are no values to summarise"));
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Ok(Spread {
            mean,
            deviation: (squares / (count - 1.0).max(1.0)).sqrt(),
            least: sorted[0],
            lower_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper_quartile: quantile(&sorted, 0.75),
            largest: sorted[sorted.len() - 1],
        })
    }
}

/// The figures at one place of a curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Number of training rows, or the value of the parameter.
    pub at: Value,
    /// The figure on the rows that trained.
    pub train: Spread,
    /// The figure on the rows held out.
    pub test: Spread,
}

/// Training and test figures along an axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The metric, the first that suits model and data.
    pub metric: &'static str,
    /// Whether larger is better.
    pub higher_is_better: bool,
    /// What the axis counts: "rows" or the parameter.
    pub axis: String,
    /// One point per place.
    pub points: Vec<CurvePoint>,
}

impl Curve {
    /// The place with the best mean test figure; the first of equals.
    pub fn best(&self) -> Option<usize> {
        let sign = if self.higher_is_better { 1.0 } else { -1.0 };
        let scores = self.points.iter().map(|point| sign * point.test.mean);
        didact_math::numeric::argmax(scores)
    }
}

/// Fits on growing shares of each training part and judges on the whole test part.
///
/// Training parts should be shuffled; the first rows of each are the ones that are kept.
pub fn learning_curve(
    learner: &dyn Learner,
    data: &Data<'_>,
    splits: &[Split],
    shares: &[f64],
    run: &Run,
) -> Result<Curve> {
    let mut curve = Curve::empty("rows");
    for &share in shares {
        if !(share > 0.0 && share <= 1.0) {
            return Err(Error::parameter(
                "shares",
                share,
                "each must be above 0 and at most 1",
            ));
        }
        let shorter: Vec<Split> = splits
            .iter()
            .map(|split| {
                let keep = (split.train.len() as f64 * share).round().max(1.0) as usize;
                Split {
                    train: spaced(&split.train, keep),
                    test: split.test.clone(),
                }
            })
            .collect();
        let rows = shorter
            .iter()
            .map(|split| split.train.len())
            .max()
            .unwrap_or(0);
        let judged = cross_validate_both(learner, data, &shorter, run, &|| ())?;
        curve.add(Value::from(rows), &judged)?;
    }
    Ok(curve)
}

/// `keep` of the rows, evenly spaced, so that rows sorted by class or time keep their mix.
fn spaced(rows: &[usize], keep: usize) -> Vec<usize> {
    let keep = keep.min(rows.len());
    (0..keep)
        .map(|place| rows[place * rows.len() / keep])
        .collect()
}

/// Fits with each value of a parameter, all else equal, and judges on both parts.
pub fn validation_curve(
    make: &MakeLearner<'_>,
    fixed: &Map<String, Value>,
    parameter: &str,
    values: &[Value],
    data: &Data<'_>,
    splits: &[Split],
    run: &Run,
) -> Result<Curve> {
    let mut curve = Curve::empty(parameter);
    for value in values {
        let mut parameters = fixed.clone();
        parameters.insert(parameter.to_owned(), value.clone());
        let learner = make(&parameters)?;
        let judged = cross_validate_both(learner.as_ref(), data, splits, run, &|| ())?;
        curve.add(value.clone(), &judged)?;
    }
    Ok(curve)
}

impl Curve {
    fn empty(axis: &str) -> Self {
        Curve {
            metric: "",
            higher_is_better: true,
            axis: axis.to_owned(),
            points: Vec::new(),
        }
    }

    fn add(&mut self, at: Value, judged: &CrossValidation) -> Result<()> {
        let first = |figures: &[crate::Figure]| figures.first().map(|figure| figure.value);
        let test: Vec<f64> = judged
            .folds
            .iter()
            .filter_map(|fold| first(&fold.figures))
            .collect();
        let train: Vec<f64> = judged
            .folds
            .iter()
            .filter_map(|fold| first(&fold.train_figures))
            .collect();
        if let Some(figure) = judged.folds.first().and_then(|fold| fold.figures.first()) {
            self.metric = figure.metric;
            self.higher_is_better = figure.higher_is_better;
        }
        self.points.push(CurvePoint {
            at,
            train: Spread::of(&train)?,
            test: Spread::of(&test)?,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Oracle: numpy.percentile(values, [25, 50, 75]) and numpy.std(ddof=1). 002a:BP13
    #[test]
    fn mean_deviation_and_quartiles_come_together() {
        let spread = Spread::of(&[3.0, 1.0, 4.0, 1.0, 5.0]).unwrap();
        assert_eq!((spread.least, spread.largest), (1.0, 5.0));
        assert_eq!(
            (spread.lower_quartile, spread.median, spread.upper_quartile),
            (1.0, 3.0, 4.0)
        );
        assert!((spread.deviation - 1.788_854_381_999_831_7).abs() < 1e-14);
        assert_eq!(Spread::of(&[2.0]).unwrap().deviation, 0.0);
        assert!(Spread::of(&[]).is_err());
    }

    #[test]
    fn fewer_rows_are_spread_over_all() {
        assert_eq!(spaced(&[0, 1, 2, 3, 4, 5], 3), [0, 2, 4]);
        assert_eq!(spaced(&[7, 8], 5), [7, 8]);
    }
}
