//! Stochastic gradient classification.

use super::descent::{Found, Material, OBJECTIVE, Settings, SgdWalk, check_stream, hold_out};
use super::schedule::Steps;
use super::{ClassificationLoss, LearningRate, SgdPenalty};
use crate::ClassWeight;
use crate::online::{Examples, Roster, Weights, check_class_weight};
use crate::separators::{Separators, separator_model};
use crate::start::learns_from_start;
use didact_core::{
    Accepts, Labelled, LearnInSequence, Progress, Result, Run, StopReason, Trace, Value, parallel,
};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns linear scores by steps along the gradient of one row at a time.
///
/// Descends the mean of a point loss plus α·(½‖w‖² or ‖w‖₁); the intercept carries no price. More
/// than two classes are told apart one against the rest. Scale the columns first: the steps are
/// equally long for all of them. It also learns from a stream, chunk by chunk, in the order of the
/// rows.
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_linear::{ClassificationLoss, SgdClassifier};
/// let iris = didact_datasets::iris();
/// let learner = SgdClassifier { loss: ClassificationLoss::LogLoss, average: true, ..Default::default() };
/// let model = learner.fit(iris.labelled()?)?;
/// let predicted = model.predict(iris.samples())?;
/// let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert!(right > 120);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "SGDClassifier")]
pub struct SgdClassifier {
    /// What a row costs.
    pub loss: ClassificationLoss,
    /// What large weights cost.
    pub penalty: SgdPenalty,
    /// The price α of the weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// The share of the absolute price in the elastic net.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub l1_ratio: f64,
    /// Whether to fit an intercept for each score.
    pub fit_intercept: bool,
    /// At most this many passes over the rows are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// A pass improves where its mean loss is lower than the least so far by more than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// The learning ends after this many passes in a row without improvement.
    #[schemars(range(min = 1))]
    pub n_iter_no_change: usize,
    /// Whether to shuffle the rows before every pass.
    pub shuffle: bool,
    /// Seed of the shuffling.
    pub random_state: u64,
    /// The residual beyond which the Huber loss is linear, or up to which residuals are free.
    #[schemars(range(min = 0.0))]
    pub epsilon: f64,
    /// How the length of the steps changes.
    pub learning_rate: LearningRate,
    /// The length of the first step, except in the optimal schedule.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eta0: f64,
    /// The exponent of the inverse scaling schedule.
    #[schemars(range(min = 0.0))]
    pub power_t: f64,
    /// Whether some rows only judge, so that learning stops when they are no longer helped.
    pub early_stopping: bool,
    /// The share of the rows of each class that only judge.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub validation_fraction: f64,
    /// Whether to predict by the average of all weights along the way.
    pub average: bool,
    /// How much the rows of each class count.
    pub class_weight: ClassWeight,
}

impl Default for SgdClassifier {
    fn default() -> Self {
        SgdClassifier {
            loss: ClassificationLoss::Hinge,
            penalty: SgdPenalty::L2,
            alpha: 1e-4,
            l1_ratio: 0.15,
            fit_intercept: true,
            max_iter: 1000,
            tol: 1e-3,
            n_iter_no_change: 5,
            shuffle: true,
            random_state: 0,
            epsilon: 0.1,
            learning_rate: LearningRate::Optimal,
            eta0: 0.01,
            power_t: 0.5,
            early_stopping: false,
            validation_fraction: 0.1,
            average: false,
            class_weight: ClassWeight::None,
        }
    }
}

/// A linear classifier and how near to a minimum it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SgdClassifierModel {
    separators: Separators,
    objective: Option<Array1<f64>>,
    gradient_norm: Option<Array1<f64>>,
    trace: Trace,
    /// Where the learning stood; absent in files of earlier releases.
    #[serde(default)]
    state: Option<SgdClassifierState>,
}

/// Where a stochastic classifier stands: a walk for each score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SgdClassifierState {
    roster: Roster,
    walks: Vec<SgdWalk>,
}

impl SgdClassifierModel {
    /// The mean loss plus penalty of each score on the rows that were learned from; absent after a
    /// stream, whose rows are gone.
    pub fn objective(&self) -> Option<&Array1<f64>> {
        self.objective.as_ref()
    }

    /// The length of the (sub)gradient of each objective where the descent ended.
    pub fn gradient_norm(&self) -> Option<&Array1<f64>> {
        self.gradient_norm.as_ref()
    }

    fn is_sound(&self) -> bool {
        let (outputs, columns) = self.separators.coef.dim();
        let fits = |values: &Option<Array1<f64>>| {
            let values = values.as_ref();
            values.is_none_or(|values| values.len() == outputs)
        };
        let sound = |state: &SgdClassifierState| {
            state.roster.classes == self.separators.classes
                && state.roster.present == self.separators.present
                && state.roster.n_columns == columns
                && state.walks.len() == outputs
                && state.walks.iter().all(|walk| walk.is_sound(columns))
        };
        fits(&self.objective) && fits(&self.gradient_norm) && self.state.as_ref().is_none_or(sound)
    }
}

separator_model!(SgdClassifierModel {
    "objective", "The mean loss plus penalty of each score.", |model| Value::from(model.objective.as_ref());
    "gradient_norm", "The length of the gradient of each objective where the descent ended.",
        |model| Value::from(model.gradient_norm.as_ref());
});

learns_from_start!(
    SgdClassifier,
    Labelled => SgdClassifierModel,
    Accepts::SPARSE.union(Accepts::WEIGHTS),
    SgdClassifier::walk
);

impl SgdClassifier {
    /// Walks down from the weights of `start`, or from zero; the steps begin anew.
    fn walk(
        &self,
        start: Option<&SgdClassifierModel>,
        data: Labelled<'_>,
        run: &Run,
    ) -> Result<SgdClassifierModel> {
        let start = start.map(|model| &model.separators);
        let settings = self.settings()?;
        let examples = Examples::new(data, &self.class_weight)?;
        if let Some(start) = start {
            start.check_start(&examples.roster())?;
        }
        let judged = match self.early_stopping {
            true => hold_out(
                &examples.places,
                self.validation_fraction,
                self.random_state,
            ),
            false => Vec::new(),
        };
        let outputs: Vec<usize> = (0..examples.n_outputs()).collect();
        let inner = match outputs.len() {
            1 => run.clone(),
            _ => run.quietly(),
        };
        let found = parallel::map(&outputs, run, |&output| {
            let targets = signs(&examples, output);
            let material = Material {
                reader: examples.reader(),
                targets: &targets,
                counts: &examples.counts,
                judged: &judged,
            };
            let weights = match start {
                Some(start) => Weights::of_score(&start.coef, &start.intercept, output),
                None => Weights::new(1, examples.n_columns()),
            };
            settings.descend(&material, settings.start_from(weights), &inner)
        })?;
        self.finish(&examples, found, run)
    }
}

/// The targets ±1 of a score.
fn signs(examples: &Examples<'_>, output: usize) -> Vec<f64> {
    let positive = match examples.n_outputs() {
        1 => 1,
        _ => output,
    };
    let sign = |&place: &usize| if place == positive { 1.0 } else { -1.0 };
    examples.places.iter().map(sign).collect()
}

impl LearnInSequence<Labelled<'_>> for SgdClassifier {
    type State = SgdClassifierState;

    fn check_sequence(&self) -> Result<()> {
        self.settings()?;
        check_stream(self.early_stopping)?;
        check_class_weight(&self.class_weight)
    }

    fn begin(&self, chunk: &Labelled<'_>) -> Result<SgdClassifierState> {
        let roster = Roster::of(chunk)?;
        let settings = self.settings()?;
        Ok(SgdClassifierState {
            walks: (0..roster.n_outputs())
                .map(|_| settings.start(roster.n_columns))
                .collect(),
            roster,
        })
    }

    fn learn_chunk(
        &self,
        state: &mut SgdClassifierState,
        chunk: Labelled<'_>,
        run: &Run,
    ) -> Result<()> {
        let settings = self.settings()?;
        let examples = Examples::of_chunk(chunk, &self.class_weight, &state.roster)?;
        let order: Vec<usize> = (0..examples.n_rows()).collect();
        let outputs: Vec<usize> = (0..state.walks.len()).collect();
        state.walks = parallel::map(&outputs, run, |&output| {
            let mut walk = state.walks[output].clone();
            if walk.is_over() {
                return Ok(walk);
            }
            let material = Material {
                reader: examples.reader(),
                targets: &signs(&examples, output),
                counts: &examples.counts,
                judged: &[],
            };
            settings.learn(&material, &order, &mut walk, run)?;
            Ok(walk)
        })?;
        Ok(())
    }

    fn end_pass(&self, state: &mut SgdClassifierState) -> Result<bool> {
        let settings = self.settings()?;
        for walk in &mut state.walks {
            settings.end_stream_pass(walk)?;
        }
        Ok(state.walks.iter().all(SgdWalk::is_over))
    }

    fn model(&self, state: &SgdClassifierState) -> Result<SgdClassifierModel> {
        let found: Vec<(Vec<f64>, f64)> = state.walks.iter().map(SgdWalk::found).collect();
        let traces: Vec<Trace> = state.walks.iter().map(SgdWalk::trace).collect();
        Ok(SgdClassifierModel {
            separators: separators(&state.roster, &found)?,
            objective: None,
            gradient_norm: None,
            trace: merged(&traces),
            state: Some(state.clone()),
        })
    }

    fn resume(&self, model: &SgdClassifierModel) -> Option<SgdClassifierState> {
        let state = model.state.clone()?;
        Some(SgdClassifierState {
            walks: state.walks.into_iter().map(SgdWalk::go_on).collect(),
            ..state
        })
    }
}

fn separators(roster: &Roster, found: &[(Vec<f64>, f64)]) -> Result<Separators> {
    let coef = Array2::from_shape_fn((found.len(), roster.n_columns), |(output, j)| {
        found[output].0[j]
    });
    let intercept = found.iter().map(|(_, intercept)| *intercept).collect();
    Separators::new(
        roster.classes.clone(),
        roster.present.clone(),
        coef,
        intercept,
    )
}

/// The mean loss of all scores after each pass, and the worst reason to stop.
fn merged(traces: &[Trace]) -> Trace {
    let passes = traces.iter().map(Trace::n_iter).max().unwrap_or(0);
    let after = |pass: usize| {
        let reached = |trace: &Trace| {
            let reached = trace.objectives.get(pass).or(trace.objectives.last());
            reached.copied().unwrap_or(0.0)
        };
        traces.iter().map(reached).sum::<f64>() / traces.len() as f64
    };
    let worst = [StopReason::Ongoing, StopReason::IterationLimit];
    let stopped = |reason: &StopReason| traces.iter().any(|trace| trace.stop == *reason);
    Trace {
        objective_name: OBJECTIVE.to_owned(),
        objectives: (0..passes).map(after).collect(),
        stop: worst
            .into_iter()
            .find(stopped)
            .unwrap_or(StopReason::Converged),
    }
}

impl SgdClassifier {
    fn settings(&self) -> Result<Settings> {
        let steps = Steps::new(self.learning_rate, self.eta0, self.power_t, self.alpha)?;
        Ok(Settings {
            loss: self.loss,
            epsilon: self.epsilon,
            prices: self.penalty.prices(self.alpha, self.l1_ratio),
            steps,
            fit_intercept: self.fit_intercept,
            max_iter: self.max_iter,
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            shuffle: self.shuffle,
            random_state: self.random_state,
            average: self.average,
        })
    }

    fn finish(
        &self,
        examples: &Examples<'_>,
        found: Vec<Found>,
        run: &Run,
    ) -> Result<SgdClassifierModel> {
        let traces: Vec<Trace> = found.iter().map(|each| each.trace.clone()).collect();
        let trace = merged(&traces);
        if found.len() > 1 {
            // The scores were learned side by side; what was reached is told now.
            for (pass, &objective) in trace.objectives.iter().enumerate() {
                run.report(&Progress {
                    iteration: pass + 1,
                    limit: Some(self.max_iter),
                    objective_name: OBJECTIVE,
                    objective,
                })?;
            }
        }
        let roster = examples.roster();
        let each = |found: &Found| (found.weights.clone(), found.intercept);
        let weights: Vec<(Vec<f64>, f64)> = found.iter().map(each).collect();
        Ok(SgdClassifierModel {
            separators: separators(&roster, &weights)?,
            objective: Some(found.iter().map(|each| each.objective).collect()),
            gradient_norm: Some(found.iter().map(|each| each.gradient_norm).collect()),
            trace,
            state: Some(SgdClassifierState {
                roster,
                walks: found.into_iter().map(|each| each.walk).collect(),
            }),
        })
    }
}
