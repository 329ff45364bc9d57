//! The perceptron by counts of mistakes, in the space of a kernel.

use crate::anchors::{Anchors, ensure_finite};
use crate::roster::{are_sound, best_classes, bury, shown, taught_classes};
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Error, Features, Figure, Fit, Labelled,
    Model, Result, Rows, Run, Scores, Shape, StopReason, Trace, TraceWriter, Value,
};
use didact_math::kernel::{Gamma, Kernel, KernelChoice, kernel_matrix};
use ndarray::{Array1, Array2};
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns from its mistakes in the space of a kernel.
///
/// The weights of a perceptron that starts from zero are w = Σᵢ αᵢ·yᵢ·φ(xᵢ), where αᵢ counts the
/// mistakes on row i, so f(x) = Σᵢ αᵢ·yᵢ·k(xᵢ, x) needs only the kernel. A row with y·f(x) ≤ 0 is a
/// mistake and raises its count; with several classes the right one gains k(xᵢ, ·) and the best wrong
/// one loses it. If the kernel separates the classes, a pass without mistakes ends the learning. An
/// intercept is a constant one in the space of the kernel.
///
/// Each mistake costs one row of the kernel; rows without mistakes cost nothing.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_kernel::KernelPerceptron;
/// // The exclusive or, which no line separates.
/// let x = ndarray::array![[-1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]];
/// let labels = Labels::from_indices(vec![1, 1, 0, 0]);
/// let model = KernelPerceptron::default().fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&x)?, labels.indices);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KernelPerceptron {
    /// How alike two rows are.
    pub kernel: KernelChoice,
    /// The rate of the kernels poly, rbf, sigmoid, laplacian and chi-square.
    pub gamma: Gamma,
    /// The power of the kernel poly.
    #[schemars(range(min = 1))]
    pub degree: u32,
    /// The constant of the kernels poly and sigmoid.
    pub coef0: f64,
    /// At most this many passes over the rows are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Whether to learn an intercept.
    pub fit_intercept: bool,
    /// Whether to shuffle the rows before every pass.
    pub shuffle: bool,
    /// Seed of the shuffling.
    pub random_state: u64,
    /// Whether to predict by the average of all counts along the way.
    pub average: bool,
}

impl Default for KernelPerceptron {
    fn default() -> Self {
        KernelPerceptron {
            kernel: KernelChoice::default(),
            gamma: Gamma::Scale,
            degree: 3,
            coef0: 0.0,
            max_iter: 100,
            fit_intercept: true,
            shuffle: true,
            random_state: 0,
            average: false,
        }
    }
}

/// The rows that mistakes were made on, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelPerceptronModel {
    anchors: Anchors,
    classes: Classes,
    taught: Vec<usize>,
    /// What each of these rows adds to each class.
    dual_coef: Array2<f64>,
    intercepts: Array1<f64>,
    /// Which training rows these are.
    support: Vec<usize>,
    n_updates: usize,
    trace: Trace,
}

/// Values of kernel rows that are kept: 256 megabytes.
const KEPT_VALUES: usize = 1 << 25;

/// The state of the learning.
struct Pupil<'a> {
    rows: Rows<'a>,
    kernel: Kernel,
    intercept: f64,
    labels: &'a [usize],
    taught: &'a [usize],
    /// The scores of all rows, a column per class.
    scores: Array2<f64>,
    counts: Array2<f64>,
    /// Each change times the moment when it was made, for the average.
    timed: Array2<f64>,
    /// Rows of the kernel that were needed before.
    kept: Vec<Option<Array1<f64>>>,
    room: usize,
    n_updates: usize,
    moment: f64,
}

impl Pupil<'_> {
    /// Goes over the rows once and counts the mistakes.
    fn pass(&mut self, order: &[usize], run: &Run) -> Result<usize> {
        let mut mistakes = 0;
        for &row in order {
            let right = self.labels[row];
            let scores = self.scores.row(row);
            let others = self.taught.iter().copied().filter(|&class| class != right);
            // The lowest of equally good wrong classes.
            let rival = others.fold(None, |best: Option<usize>, class| match best {
                Some(best) if scores[best] >= scores[class] => Some(best),
                _ => Some(class),
            });
            let rival = rival.expect("there are at least two classes");
            if scores[right] <= scores[rival] {
                run.check()?;
                mistakes += 1;
                self.correct(row, right, rival, run)?;
            }
            self.moment += 1.0;
        }
        Ok(mistakes)
    }

    /// Half a step for either class: the difference of two classes then moves by the whole kernel,
    /// as the one score of a perceptron of two classes does.
    fn correct(&mut self, row: usize, right: usize, rival: usize, run: &Run) -> Result<()> {
        self.n_updates += 1;
        for (class, step) in [(right, 0.5), (rival, -0.5)] {
            self.counts[[row, class]] += step;
            self.timed[[row, class]] += step * self.moment;
        }
        let (values, was_kept) = match self.kept[row].take() {
            Some(values) => (values, true),
            None => {
                let one = self.rows.slice(row..row + 1);
                let values = kernel_matrix(one, self.rows, &self.kernel, run)?;
                let values = values.row(0).mapv(|value| value + self.intercept);
                ensure_finite(&values)?;
                (values, false)
            }
        };
        for (value, mut scores) in values.iter().zip(self.scores.rows_mut()) {
            scores[right] += 0.5 * value;
            scores[rival] -= 0.5 * value;
        }
        if was_kept {
            self.kept[row] = Some(values);
        } else if self.room >= values.len() {
            self.room -= values.len();
            self.kept[row] = Some(values);
        }
        Ok(())
    }
}

impl Fit<Labelled<'_>> for KernelPerceptron {
    type Model = KernelPerceptronModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<KernelPerceptronModel> {
        let taught = taught_classes(&data)?;
        let Self {
            gamma,
            degree,
            coef0,
            ..
        } = *self;
        let kernel = self.kernel.resolve(gamma, degree, coef0, &data.samples)?;
        let (n, width) = (data.samples.n_rows(), data.classes.len());
        let mut pupil = Pupil {
            rows: data.samples.rows(),
            kernel: kernel.clone(),
            intercept: f64::from(self.fit_intercept),
            labels: data.labels,
            taught: &taught,
            scores: Array2::zeros((n, width)),
            counts: Array2::zeros((n, width)),
            timed: Array2::zeros((n, width)),
            kept: vec![None; n],
            room: KEPT_VALUES,
            n_updates: 0,
            moment: 0.0,
        };
        let mut trace = TraceWriter::new(run, "mistakes", Some(self.max_iter));
        let mut order: Vec<usize> = (0..n).collect();
        let stop = loop {
            if self.shuffle {
                order.shuffle(&mut generator(self.random_state, trace.n_iter() as u64));
            }
            let mistakes = pupil.pass(&order, run)?;
            trace.record(mistakes as f64)?;
            if mistakes == 0 {
                break StopReason::Converged;
            }
            if trace.n_iter() == self.max_iter {
                break StopReason::IterationLimit;
            }
        };
        let mut counts = pupil.counts;
        if self.average {
            // A change at moment t counts for the share 1 − t/T of all moments.
            counts = &counts - &(&pupil.timed / pupil.moment);
        }
        if counts.iter().any(|value| !value.is_finite()) {
            return Err(Error::numerical(
                "the counts of mistakes on the rows are no numbers any more; lower max_iter",
            ));
        }
        let support: Vec<usize> = (0..n)
            .filter(|&row| counts.row(row).iter().any(|&count| count != 0.0))
            .collect();
        let dual_coef = counts.select(ndarray::Axis(0), &support);
        let intercepts = match self.fit_intercept {
            true => dual_coef.sum_axis(ndarray::Axis(0)),
            false => Array1::zeros(width),
        };
        Ok(KernelPerceptronModel {
            anchors: Anchors::new(kernel, data.samples.rows(), &support),
            classes: data.classes.clone(),
            taught: taught.clone(),
            dual_coef,
            intercepts,
            support,
            n_updates: pupil.n_updates,
            trace: trace.finish(stop),
        })
    }
}

impl KernelPerceptronModel {
    /// The number of corrections made.
    pub fn n_updates(&self) -> usize {
        self.n_updates
    }

    /// The training rows that mistakes were made on.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// What each of these rows adds to the scores: αᵢ·yᵢ in one column for two classes, else a
    /// column per class.
    pub fn dual_coef(&self) -> Array2<f64> {
        match self.classes.len() {
            2 => shown(self.dual_coef.clone(), &self.taught),
            _ => self.dual_coef.clone(),
        }
    }

    /// The mistakes of every pass.
    pub fn history(&self) -> &Trace {
        &self.trace
    }

    fn class_scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let found = self
            .anchors
            .combine(rows, self.dual_coef.view(), |_| {}, &Run::new())?;
        Ok(found + &self.intercepts)
    }
}

impl Features for KernelPerceptronModel {
    fn n_features(&self) -> usize {
        self.anchors.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for KernelPerceptronModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        if self.classes.len() == 2 {
            // A score of zero means the second class.
            let scores = self.scores(rows)?;
            return Ok(scores
                .iter()
                .map(|&score| usize::from(score >= 0.0))
                .collect());
        }
        let mut scores = self.class_scores(rows)?;
        bury(&mut scores, &self.taught);
        Ok(best_classes(scores.view()))
    }
}

impl Scores for KernelPerceptronModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(shown(self.class_scores(rows)?, &self.taught))
    }
}

impl Model for KernelPerceptronModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().scores();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "support",
            meaning: "The training rows that mistakes were made on.",
            get: |model| Value::from(model.support.as_slice()),
        },
        Attribute {
            name: "dual_coef",
            meaning: "What each of these rows adds to the scores.",
            get: |model| Value::from(model.dual_coef()),
        },
        Attribute {
            name: "n_updates",
            meaning: "The number of corrections made.",
            get: |model| Value::from(model.n_updates),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of passes over the rows.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "support",
        meaning: "The training rows that mistakes were made on.",
        get: |model| {
            let points = model.anchors.rows().to_dense().into_owned();
            Some(Shape::Points { points })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let shape = (self.anchors.len(), self.classes.len());
        ensure_consistent(
            self.anchors.is_sound()
                && self.anchors.n_columns() > 0
                && are_sound(&self.taught, &self.classes)
                && self.dual_coef.dim() == shape
                && self.intercepts.len() == shape.1
                && self.support.len() == shape.0
                && self
                    .dual_coef
                    .iter()
                    .chain(&self.intercepts)
                    .all(|value| value.is_finite()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Labels;
    use didact_math::kernel::KernelName;
    use didact_testing::random_matrix;
    use ndarray::array;

    fn plain(kernel: KernelName) -> KernelPerceptron {
        KernelPerceptron {
            kernel: kernel.into(),
            fit_intercept: false,
            shuffle: false,
            max_iter: 12,
            ..KernelPerceptron::default()
        }
    }

    /// The primal perceptron in the order of the rows: w += y·x where y·w·x ≤ 0.
    fn primal(
        x: &Array2<f64>,
        labels: &[usize],
        passes: usize,
        start: Array1<f64>,
    ) -> (Array1<f64>, Vec<usize>) {
        let mut weights = start;
        let mut counts = vec![0; x.nrows()];
        for _ in 0..passes {
            let mut mistakes = 0;
            for (index, row) in x.rows().into_iter().enumerate() {
                let sign = if labels[index] == 1 { 1.0 } else { -1.0 };
                if sign * weights.dot(&row) <= 0.0 {
                    weights.scaled_add(sign, &row);
                    counts[index] += 1;
                    mistakes += 1;
                }
            }
            if mistakes == 0 {
                break;
            }
        }
        (weights, counts)
    }

    // 000a:SUP-05 001:KER-09: counts α with Xᵀ(α∘y) = w, exactly, since w starts from zero.
    #[test]
    fn the_linear_kernel_makes_the_mistakes_of_the_primal_perceptron() {
        let x = random_matrix(50, 3, 1);
        let noisy =
            |row: usize| usize::from(x[[row, 0]] + 0.3 * x[[row, 1]] > 0.1 * (row % 3) as f64);
        let labels = Labels::from_indices((0..50).map(noisy).collect());
        let (weights, counts) = primal(&x, &labels.indices, 12, Array1::zeros(3));
        let model = plain(KernelName::Linear)
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        let expected: Vec<usize> = (0..50).filter(|&row| counts[row] > 0).collect();
        assert_eq!(model.support(), expected);
        assert_eq!(model.n_updates(), counts.iter().sum::<usize>());
        let mut span = Array1::<f64>::zeros(3);
        for (place, &row) in model.support().iter().enumerate() {
            let sign = if labels.indices[row] == 1 { 1.0 } else { -1.0 };
            let coefficient = model.dual_coef()[[place, 0]];
            assert_eq!(coefficient, sign * counts[row] as f64);
            span.scaled_add(coefficient, &x.row(row));
        }
        assert!((&span - &weights).iter().all(|gap| gap.abs() < 1e-12));
        let queries = random_matrix(20, 3, 2);
        let scores = model.decision_function(&queries).unwrap();
        let expected = queries.dot(&weights);
        for (score, expected) in scores.iter().zip(&expected) {
            assert!((score - expected).abs() < 1e-11);
        }
    }

    // 000a:SUP-05: from a start that is not zero the sum of the rows misses w by that start.
    #[test]
    fn the_span_of_the_rows_misses_a_start_that_is_not_zero() {
        let x = random_matrix(30, 2, 8);
        let labels: Vec<usize> = (0..30).map(|row| usize::from(x[[row, 1]] > 0.0)).collect();
        let start = array![2.0, -1.0];
        let (weights, counts) = primal(&x, &labels, 12, start.clone());
        let mut span = Array1::<f64>::zeros(2);
        for (row, &count) in counts.iter().enumerate() {
            let sign = if labels[row] == 1 { 1.0 } else { -1.0 };
            span.scaled_add(sign * count as f64, &x.row(row));
        }
        assert!(
            (&weights - &span - &start)
                .iter()
                .all(|gap| gap.abs() < 1e-12)
        );
        assert!((&weights - &span).iter().any(|gap| gap.abs() > 0.5));
    }

    #[test]
    fn an_intercept_is_a_constant_column_in_the_space_of_the_kernel() {
        let x = random_matrix(40, 2, 3);
        let labels =
            Labels::from_indices((0..40).map(|row| usize::from(x[[row, 0]] > 0.4)).collect());
        let mut widened = Array2::ones((40, 3));
        widened.slice_mut(ndarray::s![.., ..2]).assign(&x);
        let inside = KernelPerceptron {
            fit_intercept: true,
            ..plain(KernelName::Linear)
        };
        let inside = inside.fit(Labelled::new(&x, &labels).unwrap()).unwrap();
        let beside = plain(KernelName::Linear)
            .fit(Labelled::new(&widened, &labels).unwrap())
            .unwrap();
        assert_eq!(inside.support(), beside.support());
        let (a, b) = (
            inside.decision_function(&x).unwrap(),
            beside.decision_function(&widened).unwrap(),
        );
        assert!((a - b).iter().all(|gap| gap.abs() < 1e-11));
    }

    #[test]
    fn rings_are_separated_by_a_gaussian_kernel() {
        let x = Array2::from_shape_fn((80, 2), |(row, column)| {
            let radius = if row % 2 == 0 { 1.0 } else { 3.0 };
            let angle = row as f64 * 0.77;
            radius
                * if column == 0 {
                    angle.cos()
                } else {
                    angle.sin()
                }
        });
        let labels = Labels::from_indices((0..80).map(|row| row % 2).collect());
        let model = KernelPerceptron::default()
            .fit(Labelled::new(&x, &labels).unwrap())
            .unwrap();
        assert_eq!(model.history().stop, StopReason::Converged);
        assert_eq!(*model.history().objectives.last().unwrap(), 0.0);
        assert_eq!(model.predict(&x).unwrap(), labels.indices);
    }

    #[test]
    fn several_classes_and_averages_learn_iris() {
        let iris = didact_datasets::iris();
        for average in [false, true] {
            let parameters = KernelPerceptron {
                average,
                max_iter: 30,
                ..KernelPerceptron::default()
            };
            let model = parameters.fit(iris.labelled().unwrap()).unwrap();
            let labels = model.predict(iris.samples()).unwrap();
            let truth = &iris.labels().unwrap().indices;
            let right = labels.iter().zip(truth).filter(|(a, b)| a == b).count();
            assert!(right >= 141, "{right}");
            assert_eq!(model.decision_function(iris.samples()).unwrap().ncols(), 3);
        }
    }

    #[test]
    fn one_class_alone_is_refused() {
        let x = array![[0.0], [1.0]];
        let labels = Labels::from_indices(vec![0, 0]);
        let error = KernelPerceptron::default().fit(Labelled::new(&x, &labels).unwrap());
        assert!(error.unwrap_err().to_string().contains("two classes"));
    }
}
