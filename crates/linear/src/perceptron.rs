//! The perceptron: the oldest linear classifier, which learns from its mistakes.

use crate::ClassWeight;
use crate::online::{BREATH, Examples, OnlineClassifier, PerceptronRule, Weights, shuffled};
use crate::rows::linear_scores;
use crate::separators::{Separators, choose, overflow, separator_model};
use didact_core::{
    Accepts, Error, Fit, Labelled, Result, Run, StopReason, Trace, TraceWriter, Value,
};
use ndarray::Array1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns a linear classifier from its mistakes.
///
/// Starting from weights of zero, a row whose class does not score strictly best is a mistake, and
/// w += η·y·x corrects it (with several classes the right one gains η·x and the best wrong one
/// loses it). If the classes can be separated, a pass without mistakes ends the learning after at
/// most (R/γ)² corrections; if they cannot, there never is one, and the trace says that the limit
/// of passes was reached. With a price α the weights also shrink: gradient steps on
/// Σ max(−y·f(x), 0) + (α/2)‖w‖², whose minimum is at w = 0.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels, StopReason};
/// use didact_linear::Perceptron;
/// let x = ndarray::array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let and = Labels::from_indices(vec![0, 0, 0, 1]);
/// let model = Perceptron::default().fit(Labelled::new(&x, &and)?)?;
/// assert_eq!(model.predict(&x)?, and.indices);
/// assert_eq!(model.history().stop, StopReason::Converged);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Perceptron {
    /// When mistakes are corrected.
    pub mode: PerceptronMode,
    /// Price α of the squared weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// The length η of a step.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eta0: f64,
    /// At most this many passes over the rows are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Whether to learn the intercept; otherwise it stays what it is at the start.
    pub fit_intercept: bool,
    /// The intercept at the start.
    pub intercept_init: f64,
    /// Whether to shuffle the rows before every pass of the on-line mode.
    pub shuffle: bool,
    /// Seed of the shuffling.
    pub random_state: u64,
    /// Whether to predict by the average of all weights along the way, which changes less with
    /// the order of the rows.
    pub average: bool,
    /// Whether to keep the weights of the pass that left the fewest mistakes.
    pub pocket: bool,
    /// How much the rows of each class count.
    pub class_weight: ClassWeight,
}

/// When the mistakes of a perceptron are corrected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PerceptronMode {
    /// Each at once.
    #[default]
    Online,
    /// All together at the end of a pass.
    Batch,
}

impl Default for Perceptron {
    fn default() -> Self {
        Perceptron {
            mode: PerceptronMode::Online,
            alpha: 0.0,
            eta0: 1.0,
            max_iter: 100,
            fit_intercept: true,
            intercept_init: 0.0,
            shuffle: true,
            random_state: 0,
            average: false,
            pocket: false,
            class_weight: ClassWeight::None,
        }
    }
}

/// A linear classifier and the history of its mistakes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceptronModel {
    separators: Separators,
    n_updates: usize,
    dual_coef: Option<Array1<f64>>,
    trace: Trace,
}

impl PerceptronModel {
    /// The number of corrections made.
    pub fn n_updates(&self) -> usize {
        self.n_updates
    }

    /// By how much each row that counts was added up: w = Σ αᵢ·yᵢ·xᵢ, with y = ±1. For two classes,
    /// where the weights neither shrink nor are averaged or kept from an earlier pass.
    pub fn dual_coef(&self) -> Option<&Array1<f64>> {
        self.dual_coef.as_ref()
    }

    fn is_sound(&self) -> bool {
        true
    }
}

separator_model!(PerceptronModel {
    "n_updates", "The number of corrections made.", |model| Value::from(model.n_updates);
    "dual_coef", "By how much each row was added up, times its class as ±1.",
        |model| Value::from(model.dual_coef.as_ref());
});

impl Fit<Labelled<'_>> for Perceptron {
    type Model = PerceptronModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<PerceptronModel> {
        if !self.intercept_init.is_finite() {
            let requirement = "it must be a finite number";
            return Err(Error::parameter(
                "intercept_init",
                self.intercept_init,
                requirement,
            ));
        }
        let examples = Examples::new(data, &self.class_weight)?;
        let mut pupil = Pupil::new(self, &examples);
        let mut trace = TraceWriter::new(run, "mistakes", Some(self.max_iter));
        let mut pocketed: Option<(usize, Weights)> = None;
        let mut order: Vec<usize> = (0..examples.n_rows()).collect();
        let stop = loop {
            let mistakes = match self.mode {
                PerceptronMode::Online => {
                    let shuffle = self.shuffle;
                    shuffled(&mut order, shuffle, self.random_state, trace.n_iter());
                    pupil.pass(&order, run)?
                }
                PerceptronMode::Batch => pupil.batch(run)?,
            };
            if !pupil.learner.weights.is_finite() {
                return Err(overflow());
            }
            trace.record(mistakes as f64)?;
            if mistakes == 0 {
                break StopReason::Converged;
            }
            if self.pocket {
                let left = pupil.errors()?;
                if pocketed.as_ref().is_none_or(|(fewest, _)| left < *fewest) {
                    pocketed = Some((left, pupil.learner.weights.clone()));
                }
            }
            if trace.n_iter() == self.max_iter {
                break StopReason::IterationLimit;
            }
        };
        if let (Some((_, weights)), StopReason::IterationLimit) = (pocketed, stop) {
            pupil.learner.weights = weights;
        }
        pupil.finish(trace.finish(stop))
    }
}

/// A perceptron in training.
struct Pupil<'a, 'b> {
    parameters: &'a Perceptron,
    examples: &'a Examples<'b>,
    learner: OnlineClassifier<PerceptronRule>,
    n_updates: usize,
    dual: Option<Vec<f64>>,
}

impl<'a, 'b> Pupil<'a, 'b> {
    fn new(parameters: &'a Perceptron, examples: &'a Examples<'b>) -> Self {
        let mut weights = Weights::new(examples.n_outputs(), examples.n_columns());
        weights.intercept.fill(parameters.intercept_init);
        if parameters.average {
            weights = weights.averaged();
        }
        let rule = PerceptronRule {
            eta: parameters.eta0,
        };
        let mut learner = OnlineClassifier::with_weights(rule, weights);
        learner.fit_intercept = parameters.fit_intercept;
        let changed = parameters.average || parameters.pocket || parameters.alpha > 0.0;
        let is_span = examples.n_outputs() == 1 && !changed;
        Pupil {
            dual: is_span.then(|| vec![0.0; examples.n_rows()]),
            parameters,
            examples,
            learner,
            n_updates: 0,
        }
    }

    fn note(&mut self, row: usize, step: f64) {
        self.n_updates += 1;
        if let Some(dual) = &mut self.dual {
            dual[row] += step.abs();
        }
    }

    /// Corrects every mistake at once; the number of mistakes.
    fn pass(&mut self, order: &[usize], run: &Run) -> Result<usize> {
        let reader = self.examples.reader();
        // The price is shared by all rows.
        let shrink = self.parameters.eta0 * self.parameters.alpha / order.len() as f64;
        let shrink = (1.0 - shrink).max(0.0);
        let mut mistakes = 0;
        for (turn, &row) in order.iter().enumerate() {
            if turn % BREATH == 0 {
                run.check()?;
            }
            if self.parameters.alpha > 0.0 {
                self.learner.weights.shrink(shrink);
            }
            let (place, count) = (self.examples.places[row], self.examples.counts[row]);
            let correction = self.learner.learn(reader.row(row), place, count)?;
            if correction.is_mistake {
                mistakes += 1;
                self.note(row, correction.step);
            }
        }
        Ok(mistakes)
    }

    /// Corrects the mistakes of the weights at the start of the pass; their number.
    fn batch(&mut self, run: &Run) -> Result<usize> {
        let reader = self.examples.reader();
        let before = self.learner.clone();
        let shrink = 1.0 - self.parameters.eta0 * self.parameters.alpha;
        self.learner.weights.shrink(shrink.max(0.0));
        let mut mistakes = 0;
        let mut judge = before;
        for row in 0..self.examples.n_rows() {
            if row % BREATH == 0 {
                run.check()?;
            }
            let (place, count) = (self.examples.places[row], self.examples.counts[row]);
            let correction = judge.judge(reader.row(row), place, count)?;
            if correction.is_mistake {
                mistakes += 1;
                self.learner.apply(&correction, reader.row(row));
                self.note(row, correction.step);
            }
        }
        self.learner.weights.settle();
        Ok(mistakes)
    }

    /// How many training rows the weights would classify wrongly or leave undecided.
    fn errors(&self) -> Result<usize> {
        let (coef, intercept) = self.learner.weights.finish();
        let scores = linear_scores(self.examples.rows(), coef.view(), &intercept.to_vec())?;
        let wrong = |(scores, place): (ndarray::ArrayView1<'_, f64>, &usize)| {
            usize::from(choose(scores) != *place)
        };
        let rows = scores.rows().into_iter().zip(&self.examples.places);
        Ok(rows.map(wrong).sum())
    }

    fn finish(self, trace: Trace) -> Result<PerceptronModel> {
        let (coef, intercept) = self.learner.weights.finish();
        let (classes, present) = (&self.examples.classes, &self.examples.present);
        Ok(PerceptronModel {
            separators: Separators::new(classes.clone(), present.clone(), coef, intercept)?,
            n_updates: self.n_updates,
            dual_coef: self.dual.map(Array1::from),
            trace,
        })
    }
}
