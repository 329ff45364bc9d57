//! The baseline: what one predicts without looking at the features.

use didact_core::random::{Generator, generator};
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

/// What is predicted without looking. What is drawn at random is the same for equal rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineStrategy {
    /// The most frequent class, or the mean target.
    #[default]
    Usual,
    /// A class at random, each as often as among the training rows, or a number from the normal
    /// law with mean and deviation of the training targets.
    Random,
    /// A class at random, each as often as any other, or a number from the least to the largest
    /// training target, each as often as any other.
    Uniform,
    /// The most frequent class, or the median target.
    Median,
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

/// What the targets of the training rows are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BaselineRegressor {
    n_features: usize,
    mean: Array1<f64>,
    // Files of earlier releases know the usual strategy only.
    #[serde(default)]
    strategy: BaselineStrategy,
    #[serde(default)]
    random_state: u64,
    /// Two numbers per target: centre and width of the law that is drawn from, or median and zero.
    #[serde(default)]
    law: Vec<[f64; 2]>,
}

impl Fit<Labelled<'_>> for Baseline {
    type Model = BaselineClassifier;
    const ACCEPTS: Accepts = Accepts::SPARSE
        .union(Accepts::MISSING)
        .union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, _run: &Run) -> Result<BaselineClassifier> {
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
        let columns = data.targets.columns().into_iter().zip(&mean);
        let law: Vec<[f64; 2]> = match self.strategy {
            BaselineStrategy::Usual => Vec::new(),
            BaselineStrategy::Median => columns
                .map(|(target, _)| [median(target, &data), 0.0])
                .collect(),
            BaselineStrategy::Random => columns
                .map(|(target, &mean)| [mean, deviation(target, mean, &data)])
                .collect(),
            BaselineStrategy::Uniform => columns
                .map(|(target, _)| {
                    let least = target.iter().copied().fold(f64::INFINITY, f64::min);
                    let largest = target.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    [least + (largest - least) / 2.0, largest - least]
                })
                .collect(),
        };
        let mut numbers = mean.iter().chain(law.iter().flatten());
        if numbers.any(|value| !value.is_finite()) {
            return Err(Error::numerical(
                "the targets are too large to average; rescale them",
            ));
        }
        Ok(BaselineRegressor {
            n_features: data.samples.n_columns(),
            mean,
            strategy: self.strategy,
            random_state: self.random_state,
            law,
        })
    }
}

/// The weighted standard deviation of a target.
fn deviation(target: ArrayView1<'_, f64>, mean: f64, data: &Measured<'_>) -> f64 {
    let (mut squares, mut weight) = (0.0, 0.0);
    for (row, value) in target.iter().enumerate() {
        weight += data.samples.weight(row);
        squares += data.samples.weight(row) * (value - mean).powi(2);
    }
    (squares / weight).sqrt()
}

/// The weighted median of a target: half of the weight lies on either side.
fn median(target: ArrayView1<'_, f64>, data: &Measured<'_>) -> f64 {
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
        let at_random = [BaselineStrategy::Random, BaselineStrategy::Uniform];
        if at_random.contains(&self.strategy) {
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

    /// A class at random; the same for equal rows.
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

/// A number that differs from row to row, by the hash of Fowler, Noll and Vo.
///
/// It depends on the row alone: a row is predicted alike in any company.
fn mark(rows: Rows<'_>, row: usize) -> u64 {
    let step = |hash: u64, word: u64| {
        let bytes = word.to_le_bytes().into_iter();
        bytes.fold(hash, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let start = 0xcbf2_9ce4_8422_2325;
    // Zeros do not count, so that sparse rows are marked like the same rows written out.
    let cell = |hash: u64, (column, value): (u64, &f64)| match *value == 0.0 {
        true => hash,
        false => step(step(hash, column), value.to_bits()),
    };
    match rows {
        Rows::Dense(rows) => (0..).zip(rows.row(row)).fold(start, cell),
        Rows::Sparse(rows) => {
            let (columns, values) = rows.row(row);
            let cells = columns.iter().map(|&column| u64::from(column)).zip(values);
            cells.fold(start, cell)
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
        Ok(match self.strategy {
            BaselineStrategy::Usual => repeat(&self.mean, rows.n_rows()),
            BaselineStrategy::Median => {
                let medians = self.law.iter().map(|[median, _]| *median).collect();
                repeat(&medians, rows.n_rows())
            }
            BaselineStrategy::Random | BaselineStrategy::Uniform => {
                let mut drawn = Array2::zeros((rows.n_rows(), self.law.len()));
                for (row, mut numbers) in drawn.rows_mut().into_iter().enumerate() {
                    let mut generator = generator(self.random_state, mark(rows, row));
                    for (number, [center, width]) in numbers.iter_mut().zip(&self.law) {
                        let unit = match self.strategy {
                            BaselineStrategy::Random => normal(&mut generator),
                            _ => generator.random::<f64>() - 0.5,
                        };
                        *number = center + width * unit;
                    }
                }
                drawn
            }
        })
    }
}

/// A standard normal number, by the method of Box and Muller.
fn normal(generator: &mut Generator) -> f64 {
    // One minus a number below one is never zero.
    let radius = (-2.0 * (1.0 - generator.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * generator.random::<f64>()).cos()
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
    const ATTRIBUTES: &'static [Attribute<Self>] = &[Attribute {
        name: "mean",
        meaning: "Mean of each target over the training rows.",
        get: |model| Value::from(&model.mean),
    }];

    fn validate(&self) -> Result<()> {
        let wanted = match self.strategy {
            BaselineStrategy::Usual => 0,
            _ => self.mean.len(),
        };
        let mut numbers = self.mean.iter().chain(self.law.iter().flatten());
        let finite = numbers.all(|value| value.is_finite());
        didact_core::model::ensure_consistent(self.law.len() == wanted && finite)
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
        let x = Array2::from_shape_fn((900, 1), |(row, _)| row as f64);
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
        assert_eq!(share(&drawn(BaselineStrategy::Median, 7).0), 0.0);
    }

    // Targets 0 and 2 in turn: mean 1, deviation 1, from 0 to 2. Of 900 draws the mean of the
    // normal law has a standard error of 1/30, that of the even law one of √(1/3)/30.
    #[test]
    fn random_numbers_follow_their_law() {
        let x = Array2::from_shape_fn((900, 1), |(row, _)| row as f64);
        let y: Vec<f64> = (0..900).map(|row| f64::from(row % 2 * 2)).collect();
        let drawn = |strategy| {
            let baseline = Baseline {
                strategy,
                ..Baseline::default()
            };
            let model = baseline.fit(Measured::new(&x, &y).unwrap()).unwrap();
            model.predict(&x).unwrap().column(0).to_owned()
        };
        let normal = drawn(BaselineStrategy::Random);
        assert!((normal.mean().unwrap() - 1.0).abs() < 4.0 / 30.0);
        // The variance of 900 squares of normal numbers has a standard error of √(2/900).
        assert!((normal.var(0.0) - 1.0).abs() < 4.0 * (2.0f64 / 900.0).sqrt());
        let even = drawn(BaselineStrategy::Uniform);
        assert!(even.iter().all(|value| (0.0..=2.0).contains(value)));
        assert!((even.mean().unwrap() - 1.0).abs() < 4.0 * 0.577 / 30.0);
    }

    #[test]
    fn sparse_rows_are_marked_like_dense_ones() {
        let x = array![[0.0, 3.0], [-0.0, 3.0], [1.0, 0.0]];
        let sparse = didact_core::Csr::from_dense(x.view());
        for row in 0..3 {
            let dense = mark(Rows::Dense(x.view()), row);
            assert_eq!(dense, mark(Rows::Sparse(sparse.view()), row));
        }
        assert_eq!(
            mark(Rows::Dense(x.view()), 0),
            mark(Rows::Dense(x.view()), 1)
        );
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
}
