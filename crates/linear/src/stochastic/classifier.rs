//! Stochastic gradient classification.

use super::descent::{Found, Material, Settings, hold_out};
use super::schedule::Steps;
use super::{ClassificationLoss, LearningRate, SgdPenalty};
use crate::ClassWeight;
use crate::online::Examples;
use crate::separators::{Separators, separator_model};
use didact_core::{
    Accepts, Fit, Labelled, Progress, Result, Run, StopReason, Trace, Value, parallel,
};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns linear scores by steps along the gradient of one row at a time.
///
/// Descends the mean of a point loss plus α·(½‖w‖² or ‖w‖₁); the intercept carries no price. More
/// than two classes are told apart one against the rest. Scale the columns first: the steps are
/// equally long for all of them.
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
    objective: Array1<f64>,
    gradient_norm: Array1<f64>,
    trace: Trace,
}

impl SgdClassifierModel {
    /// The mean loss plus penalty of each score on the rows that were learned from.
    pub fn objective(&self) -> &Array1<f64> {
        &self.objective
    }

    /// The length of the (sub)gradient of each objective where the descent ended.
    pub fn gradient_norm(&self) -> &Array1<f64> {
        &self.gradient_norm
    }

    fn is_sound(&self) -> bool {
        let outputs = self.separators.coef.nrows();
        self.objective.len() == outputs && self.gradient_norm.len() == outputs
    }
}

separator_model!(SgdClassifierModel {
    "objective", "The mean loss plus penalty of each score.", |model| Value::from(&model.objective);
    "gradient_norm", "The length of the gradient of each objective where the descent ended.",
        |model| Value::from(&model.gradient_norm);
});

impl Fit<Labelled<'_>> for SgdClassifier {
    type Model = SgdClassifierModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<SgdClassifierModel> {
        let settings = self.settings()?;
        let examples = Examples::new(data, &self.class_weight)?;
        let (taught, judged) = match self.early_stopping {
            true => hold_out(
                &examples.places,
                self.validation_fraction,
                self.random_state,
            ),
            false => ((0..examples.n_rows()).collect(), Vec::new()),
        };
        let outputs: Vec<usize> = (0..examples.n_outputs()).collect();
        let inner = match outputs.len() {
            1 => run.clone(),
            _ => run.quietly(),
        };
        let found = parallel::map(&outputs, run, |&output| {
            let positive = if outputs.len() == 1 { 1 } else { output };
            let sign = |&place: &usize| if place == positive { 1.0 } else { -1.0 };
            let targets: Vec<f64> = examples.places.iter().map(sign).collect();
            let material = Material {
                reader: examples.reader(),
                n_columns: examples.n_columns(),
                targets: &targets,
                counts: &examples.counts,
                taught: &taught,
                judged: &judged,
            };
            settings.descend(&material, &inner)
        })?;
        self.finish(&examples, found, run)
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
        let coef = Array2::from_shape_fn((found.len(), examples.n_columns()), |(output, j)| {
            found[output].weights[j]
        });
        let intercept = found.iter().map(|each| each.intercept).collect();
        let (classes, present) = (examples.classes.clone(), examples.present.clone());
        Ok(SgdClassifierModel {
            separators: Separators::new(classes, present, coef, intercept)?,
            objective: found.iter().map(|each| each.objective).collect(),
            gradient_norm: found.iter().map(|each| each.gradient_norm).collect(),
            trace: self.merged_trace(&found, run)?,
        })
    }

    /// The mean loss of all scores after each pass, and the worst reason to stop.
    fn merged_trace(&self, found: &[Found], run: &Run) -> Result<Trace> {
        let passes = found.iter().map(|each| each.objectives.len()).max();
        let after = |pass: usize| {
            let each = found.iter().map(|each| {
                let reached = each.objectives.get(pass).or(each.objectives.last());
                reached.copied().unwrap_or(each.objective)
            });
            each.sum::<f64>() / found.len() as f64
        };
        let objectives: Vec<f64> = (0..passes.unwrap_or(0)).map(after).collect();
        if found.len() > 1 {
            // The scores were learned side by side; what was reached is told now.
            for (pass, &objective) in objectives.iter().enumerate() {
                run.report(&Progress {
                    iteration: pass + 1,
                    limit: Some(self.max_iter),
                    objective_name: "mean loss",
                    objective,
                })?;
            }
        }
        let limit = StopReason::IterationLimit;
        Ok(Trace {
            objective_name: "mean loss".to_owned(),
            objectives,
            stop: match found.iter().any(|each| each.stop == limit) {
                true => limit,
                false => StopReason::Converged,
            },
        })
    }
}
