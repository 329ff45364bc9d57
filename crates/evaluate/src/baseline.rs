//! The baseline: what one predicts without looking at the features.

use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Error, Features, Fit, Labelled, Measured,
    Model, Probabilities, Regress, Result, Rows, Run, Value,
};
use ndarray::{Array1, Array2, ArrayView1};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Predicts without looking at the features: the most frequent class or the mean target.
///
/// Whatever a real method scores must be read beside it.
///
/// ```
/// use didact_core::{Fit, Measured, Regress};
/// use didact_evaluate::{Baseline, BaselineStrategy};
/// let x = ndarray::array![[0.0], [0.0], [0.0]];
/// let middle = Baseline { strategy: BaselineStrategy::Median, ..Baseline::default() };
/// let model = middle.fit(Measured::new(&x, &[1.0, 2.0, 9.0])?)?;
/// assert_eq!(model.predict(&x)?[[0, 0]], 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Baseline {
    /// What is predicted.
    pub strategy: BaselineStrategy,
    /// Seed of the classes that are drawn at random.
    pub random_state: u64,
}

/// What is predicted without looking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineStrategy {
    /// The most frequent class, or the mean target.
    #[default]
    Usual,
    /// Classes at random, each as often as among the training rows.
    Random,
    /// Classes at random, each as often as any other.
    Uniform,
    /// The median target.
    Median,
}

impl BaselineStrategy {
    fn refused<T>(self, what: &str, right: &str) -> Result<T> {
        let name = match self {
            BaselineStrategy::Usual => "usual",
            BaselineStrategy::Random => "random",
            BaselineStrategy::Uniform => "uniform",
            BaselineStrategy::Median => "median",
        };
        let requirement = format!("for {what} it must be {right}");
        Err(Error::parameter("strategy", name, requirement))
    }
}

/// The class shares of the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineClassifier {
    n_features: usize,
    classes: Classes,
    class_prior: Array1<f64>,
    // Files of earlier releases know the usual strategy only.
    #[serde(default)]
    strategy: BaselineStrategy,
    #[serde(default)]
    random_state: u64,
}

/// The mean or median targets of the training rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineRegressor {
    n_features: usize,
    mean: Array1<f64>,
    #[serde(default)]
    median: Option<Array1<f64>>,
}

impl Fit<Labelled<'_>> for Baseline {
    type Model = BaselineClassifier;
    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::MISSING)
        .union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, _run: &Run) -> Result<BaselineClassifier> {
        if self.strategy == BaselineStrategy::Median {
            return self.strategy.refused("classes", "usual, random or uniform");
        }
        let counts = Array1::from(data.class_weights());
        let total = counts.sum();
        Ok(BaselineClassifier {
            n_features: data.samples.n_columns(),
            classes: data.classes.clone(),
            class_prior: counts / total,
            strategy: self.strategy,
            random_state: self.random_state,
        })
    }
}

impl Fit<Measured<'_>> for Baseline {
    type Model = BaselineRegressor;
    const ACCEPTS: Accepts = Accepts::all();

    fn learn(&self, data: Measured<'_>, _run: &Run) -> Result<BaselineRegressor> {
        if !matches!(
            self.strategy,
            BaselineStrategy::Usual | BaselineStrategy::Median
        ) {
            return self.strategy.refused("real targets", "usual or median");
        }
        let mut mean = Array1::<f64>::zeros(data.n_targets());
        let mut weight = 0.0;
        // The running mean cannot overflow where the sum of the targets would.
        for (row, target) in data.targets.rows().into_iter().enumerate() {
            weight += data.samples.weight(row);
            if weight > 0.0 {
                let share = data.samples.weight(row) / weight;
                mean.zip_mut_with(&target, |mean, &value| {
                    *mean += share * value - share * *mean
                });
            }
        }
        if mean.iter().any(|value| !value.is_finite()) {
            return Err(Error::numerical(
                "the targets are too large to average; rescale them",
            ));
        }
        Ok(BaselineRegressor {
            n_features: data.samples.n_columns(),
            mean,
            median: (self.strategy == BaselineStrategy::Median).then(|| medians(&data)),
        })
    }
}

/// The weighted median of each target: half of the weight lies on either side.
fn medians(data: &Measured<'_>) -> Array1<f64> {
    let one = |target: ArrayView1<'_, f64>| {
        let mut pairs: Vec<(f64, f64)> = target
            .iter()
            .enumerate()
            .map(|(row, &value)| (value, data.samples.weight(row)))
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        pairs.sort_unstable_by(|left, right| left.0.total_cmp(&right.0));
        let half = 0.5 * pairs.iter().map(|(_, weight)| weight).sum::<f64>();
        let mut below = 0.0;
        for (place, &(value, weight)) in pairs.iter().enumerate() {
            below += weight;
            match pairs.get(place + 1) {
                // Just as much on either side: the middle of the two.
                Some(&(next, _)) if below == half => return value + (next - value) / 2.0,
                _ if below >= half => return value,
                _ => {}
            }
        }
        pairs.last().map_or(0.0, |pair| pair.0)
    };
    data.targets.columns().into_iter().map(one).collect()
}

impl Features for BaselineClassifier {
    fn n_features(&self) -> usize {
        self.n_features
    }
    fn accepts(&self) -> Accepts {
        Accepts::SPARSE.union(Accepts::MISSING)
    }
}

impl Features for BaselineRegressor {
    fn n_features(&self) -> usize {
        self.n_features
    }
    fn accepts(&self) -> Accepts {
        Accepts::SPARSE.union(Accepts::MISSING)
    }
}

impl Classify for BaselineClassifier {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        if self.strategy != BaselineStrategy::Usual {
            return Ok((0..rows.n_rows()).map(|row| self.draw(rows, row)).collect());
        }
        let mut best = 0;
        for (label, &share) in self.class_prior.iter().enumerate() {
            if share > self.class_prior[best] {
                best = label;
            }
        }
        Ok(vec![best; rows.n_rows()])
    }
}

impl BaselineClassifier {
    /// How often each class is predicted in the long run; for the usual strategy how sure it is.
    fn shares(&self) -> Array1<f64> {
        match self.strategy {
            BaselineStrategy::Uniform => {
                Array1::from_elem(self.classes.len(), 1.0 / self.classes.len() as f64)
            }
            _ => self.class_prior.clone(),
        }
    }

    /// A class at random; the same for the same row in the same place.
    fn draw(&self, rows: Rows<'_>, row: usize) -> usize {
        let mut left = generator(self.random_state, mark(rows, row)).random::<f64>();
        let shares = self.shares();
        for (label, &share) in shares.iter().enumerate() {
            if left < share {
                return label;
            }
            left -= share;
        }
        // What rounding leaves over falls to the last class that there is.
        shares.iter().rposition(|&share| share > 0.0).unwrap_or(0)
    }
}

/// A number that differs from row to row, also between the folds of a cross-validation, by the
/// hash of Fowler, Noll and Vo.
fn mark(rows: Rows<'_>, row: usize) -> u64 {
    let step = |hash: u64, word: u64| {
        let bytes = word.to_le_bytes().into_iter();
        bytes.fold(hash, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let start = step(0xcbf2_9ce4_8422_2325, row as u64);
    match rows {
        Rows::Dense(rows) => rows
            .row(row)
            .iter()
            .fold(start, |hash, value| step(hash, value.to_bits())),
        Rows::Sparse(rows) => {
            let (columns, values) = rows.row(row);
            let cells = columns.iter().zip(values);
            cells.fold(start, |hash, (&column, value)| {
                step(step(hash, u64::from(column)), value.to_bits())
            })
        }
    }
}

impl Probabilities for BaselineClassifier {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(repeat(&self.shares(), rows.n_rows()))
    }
}

impl Regress for BaselineRegressor {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let predicted = self.median.as_ref().unwrap_or(&self.mean);
        Ok(repeat(predicted, rows.n_rows()))
    }
}

fn repeat(row: &Array1<f64>, n_rows: usize) -> Array2<f64> {
    Array2::from_shape_fn((n_rows, row.len()), |(_, column)| row[column])
}

impl Model for BaselineClassifier {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "class_prior",
            meaning: "Share of each class among the training rows.",
            get: |model| Value::from(&model.class_prior),
        },
    ];

    fn validate(&self) -> Result<()> {
        let finite = self.class_prior.iter().all(|share| share.is_finite());
        let consistent = self.class_prior.len() == self.classes.len() && !self.classes.is_empty();
        didact_core::model::ensure_consistent(consistent && finite)
    }
}

impl Model for BaselineRegressor {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "mean",
            meaning: "Mean of each target over the training rows.",
            get: |model| Value::from(&model.mean),
        },
        Attribute {
            name: "median",
            meaning: "Median of each target over the training rows, where that is predicted.",
            get: |model| Value::from(model.median.as_ref()),
        },
    ];

    fn validate(&self) -> Result<()> {
        let median = self.median.as_ref();
        let as_many = median.is_none_or(|median| median.len() == self.mean.len());
        let mut values = self.mean.iter().chain(median.into_iter().flatten());
        didact_core::model::ensure_consistent(as_many && values.all(|value| value.is_finite()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::{Labels, Samples};
    use ndarray::array;

    #[test]
    fn the_most_frequent_class_wins_and_ties_go_to_the_first() {
        let x = array![[0.0], [0.0], [0.0], [0.0]];
        let labels = Labels::from_names(["b", "a", "b", "a"]);
        let even = Baseline::default()
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        assert_eq!(even.predict(&x).unwrap(), [0; 4]);
        assert_eq!(even.predict_proba(&x).unwrap().row(0).to_vec(), [0.5, 0.5]);
        let weights = [3.0, 1.0, 3.0, 1.0];
        let samples = Samples::from(&x).weighted(&weights).unwrap();
        let heavy = Baseline::default()
            .fit(Labelled::new(samples, &labels).unwrap())
            .unwrap();
        assert_eq!(heavy.predict(&x).unwrap(), [1; 4]);
    }

    #[test]
    fn the_weighted_mean_is_predicted() {
        let x = array![[0.0], [0.0]];
        let samples = Samples::from(&x).weighted(&[1.0, 3.0]).unwrap();
        let model = Baseline::default()
            .fit(Measured::new(samples, &[0.0, 4.0]).unwrap())
            .unwrap();
        assert_eq!(model.predict(&x).unwrap(), array![[3.0], [3.0]]);
        let huge = Baseline::default()
            .fit(Measured::new(&x, &[1.7e308, 1.7e308]).unwrap())
            .unwrap();
        assert_eq!(huge.predict(&x).unwrap()[[0, 0]], 1.7e308);
    }

    // 002a:BP15: majority, at random by the shares of the classes, mean. 900 rows in shares 2:1;
    // the standard error of a share is √(2/9/900) ≈ 0.016.
    #[test]
    fn random_classes_follow_their_shares_and_the_seed() {
        let x = Array2::<f64>::zeros((900, 1));
        let labels = Labels::from_names((0..900).map(|row| if row % 3 == 0 { "b" } else { "a" }));
        let drawn = |strategy, random_state| {
            let baseline = Baseline {
                strategy,
                random_state,
            };
            let model = baseline.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
            (model.predict(&x).unwrap(), model.predict_proba(&x).unwrap())
        };
        let share = |labels: &[usize]| labels.iter().sum::<usize>() as f64 / 900.0;
        let (random, probabilities) = drawn(BaselineStrategy::Random, 7);
        assert!((share(&random) - 1.0 / 3.0).abs() < 4.0 * 0.016);
        assert!((probabilities[[0, 1]] - 1.0 / 3.0).abs() < 1e-12);
        let (uniform, probabilities) = drawn(BaselineStrategy::Uniform, 7);
        assert!((share(&uniform) - 0.5).abs() < 4.0 * 0.017);
        assert_eq!(probabilities[[0, 1]], 0.5);
        assert_eq!(drawn(BaselineStrategy::Random, 7).0, random);
        assert_ne!(drawn(BaselineStrategy::Random, 8).0, random);
    }

    #[test]
    fn the_median_halves_the_weight() {
        let x = array![[0.0], [0.0], [0.0], [0.0]];
        let median = |targets: &[f64], weights: &[f64]| {
            let baseline = Baseline {
                strategy: BaselineStrategy::Median,
                ..Baseline::default()
            };
            let samples = Samples::from(&x).weighted(weights).unwrap();
            let model = baseline
                .fit(Measured::new(samples, targets).unwrap())
                .unwrap();
            model.predict(&x).unwrap()[[0, 0]]
        };
        // Two on either side: the middle of 2 and 4. With more weight on 9 it is 9.
        assert_eq!(median(&[9.0, 1.0, 4.0, 2.0], &[1.0; 4]), 3.0);
        assert_eq!(median(&[9.0, 1.0, 4.0, 2.0], &[5.0, 1.0, 1.0, 1.0]), 9.0);
        assert_eq!(median(&[9.0, 1.0, 4.0, 2.0], &[0.0, 1.0, 1.0, 1.0]), 2.0);
    }

    #[test]
    fn a_strategy_for_another_kind_of_target_is_refused() {
        let x = array![[0.0], [0.0]];
        let labels = Labels::from_names(["a", "b"]);
        let with = |strategy| Baseline {
            strategy,
            ..Baseline::default()
        };
        let classes = with(BaselineStrategy::Median).fit(Labelled::new(&x, &labels).unwrap());
        let message = classes.err().unwrap().to_string();
        assert!(message.starts_with("strategy is median"), "{message}");
        let targets = with(BaselineStrategy::Random).fit(Measured::new(&x, &[0.0, 1.0]).unwrap());
        let message = targets.err().unwrap().to_string();
        assert!(message.contains("usual or median"), "{message}");
    }
}
