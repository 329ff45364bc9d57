//! The perceptron: the oldest linear classifier, which learns from its mistakes.

use crate::ClassWeight;
use crate::online::{
    BREATH, Examples, Lesson, OnlineClassifier, OnlineState, Patience, PerceptronRule, Standing,
    Weights, check_class_weight, shuffled,
};
use crate::rows::linear_scores;
use crate::separators::{Separators, choose, overflow, separator_model};
use crate::start::learns_from_start;
use didact_core::{
    Accepts, Error, Labelled, LearnInSequence, Result, Run, StopReason, Trace, TraceWriter, Value,
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
/// It also learns from a stream, chunk by chunk, in the order of the rows.
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
    /// Where the learning stood; absent in files of earlier releases.
    #[serde(default)]
    state: Option<OnlineState>,
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
        let state = self.state.as_ref();
        state.is_none_or(|state| state.is_sound(&self.separators))
    }
}

separator_model!(PerceptronModel {
    "n_updates", "The number of corrections made.", |model| Value::from(model.n_updates);
    "dual_coef", "By how much each row was added up, times its class as ±1.",
        |model| Value::from(model.dual_coef.as_ref());
});

learns_from_start!(
    Perceptron,
    Labelled => PerceptronModel,
    Accepts::SPARSE.union(Accepts::WEIGHTS),
    Perceptron::walk
);

impl Perceptron {
    /// Learns pass by pass from the weights of `start`, or from zero.
    fn walk(
        &self,
        start: Option<&PerceptronModel>,
        data: Labelled<'_>,
        run: &Run,
    ) -> Result<PerceptronModel> {
        let start = start.map(|model| &model.separators);
        self.check_intercept()?;
        let examples = Examples::new(data, &self.class_weight)?;
        if let Some(start) = start {
            start.check_start(&examples.roster())?;
        }
        let mut pupil = Pupil::new(self, &examples, start);
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
            if !pupil.learner.standing.weights.is_finite() {
                return Err(overflow());
            }
            trace.record(mistakes as f64)?;
            if mistakes == 0 {
                break StopReason::Converged;
            }
            if self.pocket {
                let left = pupil.errors()?;
                if pocketed.as_ref().is_none_or(|(fewest, _)| left < *fewest) {
                    pocketed = Some((left, pupil.learner.standing.weights.clone()));
                }
            }
            if trace.n_iter() == self.max_iter {
                break StopReason::IterationLimit;
            }
        };
        if let (Some((_, weights)), StopReason::IterationLimit) = (pocketed, stop) {
            pupil.learner.standing.weights = weights;
        }
        pupil.finish(trace.finish(stop))
    }
}

impl Perceptron {
    fn check_intercept(&self) -> Result<()> {
        let (name, value) = ("intercept_init", self.intercept_init);
        match value.is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(name, value, "it must be a finite number")),
        }
    }

    fn rule(&self) -> PerceptronRule {
        PerceptronRule { eta: self.eta0 }
    }
}

/// A perceptron has no patience: it stops at a pass without mistakes.
fn patience() -> Patience {
    Patience::new(0.0, usize::MAX)
}

impl LearnInSequence<Labelled<'_>> for Perceptron {
    type State = OnlineState;

    fn check_sequence(&self) -> Result<()> {
        self.check_intercept()?;
        check_class_weight(&self.class_weight)?;
        let refuse = |name, value: &str, requirement| {
            Err(Error::parameter(name, value.to_owned(), requirement))
        };
        if self.mode == PerceptronMode::Batch {
            let requirement = "it looks at all rows before it learns; \
                               to learn chunk by chunk it must be online";
            return refuse("mode", "batch", requirement);
        }
        if self.pocket {
            let requirement = "it counts the mistakes on all rows; \
                               to learn chunk by chunk it must be false";
            return refuse("pocket", "true", requirement);
        }
        if self.alpha > 0.0 {
            let requirement = "its price is shared by all rows, whose number a stream does not \
                               say; to learn chunk by chunk it must be 0, or take sgd-classifier \
                               with the loss perceptron";
            return refuse("alpha", &self.alpha.to_string(), requirement);
        }
        Ok(())
    }

    fn begin(&self, chunk: &Labelled<'_>) -> Result<OnlineState> {
        OnlineState::begin(chunk, self.intercept_init, self.average, patience())
    }

    fn learn_chunk(&self, state: &mut OnlineState, chunk: Labelled<'_>, run: &Run) -> Result<()> {
        let lesson = Lesson {
            rule: self.rule(),
            fit_intercept: self.fit_intercept,
            class_weight: &self.class_weight,
            cost: |correction| f64::from(u8::from(correction.is_mistake)),
        };
        state.learn(lesson, chunk, run)
    }

    fn end_pass(&self, state: &mut OnlineState) -> Result<bool> {
        Ok(state.end_pass(state.passes.total(), self.max_iter))
    }

    fn model(&self, state: &OnlineState) -> Result<PerceptronModel> {
        Ok(PerceptronModel {
            separators: state.separators()?,
            n_updates: state.standing.n_updates,
            dual_coef: None,
            trace: state.passes.trace("mistakes", state.passes.total()),
            state: Some(state.clone()),
        })
    }

    fn resume(&self, model: &PerceptronModel) -> Option<OnlineState> {
        model.state.clone().map(OnlineState::go_on)
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
    fn new(
        parameters: &'a Perceptron,
        examples: &'a Examples<'b>,
        start: Option<&Separators>,
    ) -> Self {
        let mut weights = match start {
            Some(start) => Weights::from_parts(&start.coef, &start.intercept),
            None => {
                let mut weights = Weights::new(examples.n_outputs(), examples.n_columns());
                weights.intercept.fill(parameters.intercept_init);
                weights
            }
        };
        if parameters.average {
            weights = weights.averaged();
        }
        let learner = OnlineClassifier::from_standing(
            parameters.rule(),
            Standing::new(weights),
            parameters.fit_intercept,
        );
        let changed = parameters.average || parameters.pocket || parameters.alpha > 0.0;
        let is_span = examples.n_outputs() == 1 && start.is_none() && !changed;
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
                self.learner.standing.weights.shrink(shrink);
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
        self.learner.standing.weights.shrink(shrink.max(0.0));
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
        self.learner.standing.weights.settle();
        Ok(mistakes)
    }

    /// How many training rows the weights would classify wrongly or leave undecided.
    fn errors(&self) -> Result<usize> {
        let (coef, intercept) = self.learner.standing.weights.finish();
        let scores = linear_scores(self.examples.rows(), coef.view(), &intercept.to_vec())?;
        let wrong = |(scores, place): (ndarray::ArrayView1<'_, f64>, &usize)| {
            usize::from(choose(scores) != *place)
        };
        let rows = scores.rows().into_iter().zip(self.examples.places.iter());
        Ok(rows.map(wrong).sum())
    }

    fn finish(self, trace: Trace) -> Result<PerceptronModel> {
        let (coef, intercept) = self.learner.standing.weights.finish();
        let (classes, present) = (&self.examples.classes, &self.examples.present);
        Ok(PerceptronModel {
            separators: Separators::new(classes.clone(), present.clone(), coef, intercept)?,
            n_updates: self.n_updates,
            dual_coef: self.dual.map(Array1::from),
            trace,
            state: Some(OnlineState::new(
                self.examples.roster(),
                Standing {
                    n_updates: self.n_updates,
                    ..self.learner.standing
                },
                patience(),
            )),
        })
    }
}
