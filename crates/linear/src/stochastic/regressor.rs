//! Stochastic gradient regression.

use super::descent::{Material, Settings, SgdWalk, check_stream, hold_out};
use super::schedule::Steps;
use super::{LearningRate, RegressionLoss, SgdPenalty};
use crate::online::{Weights, check_columns};
use crate::planes::{Planes, hyperplane_model};
use crate::rows::{CountingMeasured, RowReader};
use crate::start::learns_from_start;
use didact_core::{Accepts, LearnInSequence, Measured, Result, Run, Trace, Value};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fits a hyperplane by steps along the gradient of one row at a time.
///
/// Descends the mean of a point loss plus α·(½‖w‖² or ‖w‖₁); the intercept carries no price. Scale
/// the columns first: the steps are equally long for all of them. It also learns from a stream,
/// chunk by chunk, in the order of the rows.
///
/// ```
/// use didact_core::{Fit, Measured};
/// use didact_linear::SgdRegressor;
/// let x = ndarray::Array2::from_shape_fn((100, 1), |(i, _)| i as f64 / 50.0 - 1.0);
/// let y: Vec<f64> = (0..100).map(|i| 3.0 * f64::from(i) / 50.0).collect();
/// let learner = SgdRegressor { tol: 1e-6, eta0: 0.1, ..Default::default() };
/// let model = learner.fit(Measured::new(&x, &y)?)?;
/// assert!((model.coef()[[0, 0]] - 3.0).abs() < 0.05);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "SGDRegressor")]
pub struct SgdRegressor {
    /// What a row costs.
    pub loss: RegressionLoss,
    /// What large weights cost.
    pub penalty: SgdPenalty,
    /// The price α of the weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// The share of the absolute price in the elastic net.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub l1_ratio: f64,
    /// Whether to fit an intercept.
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
    /// The share of the rows that only judge.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub validation_fraction: f64,
    /// Whether to predict by the average of all weights along the way.
    pub average: bool,
}

impl Default for SgdRegressor {
    fn default() -> Self {
        SgdRegressor {
            loss: RegressionLoss::SquaredError,
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
            learning_rate: LearningRate::Invscaling,
            eta0: 0.01,
            power_t: 0.25,
            early_stopping: false,
            validation_fraction: 0.1,
            average: false,
        }
    }
}

/// A hyperplane and how near to a minimum it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SgdRegressorModel {
    planes: Planes,
    objective: Option<f64>,
    gradient_norm: Option<f64>,
    trace: Option<Trace>,
    /// Where the learning stood; absent in files of earlier releases.
    #[serde(default)]
    state: Option<SgdWalk>,
}

impl SgdRegressorModel {
    /// The mean loss plus penalty on the rows that were learned from; absent after a stream, whose
    /// rows are gone.
    pub fn objective(&self) -> Option<f64> {
        self.objective
    }

    /// The length of the (sub)gradient of the objective where the descent ended.
    pub fn gradient_norm(&self) -> Option<f64> {
        self.gradient_norm
    }

    fn is_sound(&self) -> bool {
        let state = self.state.as_ref();
        self.planes.coef.nrows() == 1
            && state.is_none_or(|walk| walk.is_sound(self.planes.n_features()))
    }
}

hyperplane_model!(SgdRegressorModel {
    "objective", "The mean loss plus penalty.", |model| Value::from(model.objective);
    "gradient_norm", "The length of the gradient of the objective where the descent ended.",
        |model| Value::from(model.gradient_norm);
    "n_iter", "The number of iterations made.",
        |model| Value::from(model.trace.as_ref().map(Trace::n_iter));
});

learns_from_start!(
    SgdRegressor,
    Measured => SgdRegressorModel,
    Accepts::SPARSE.union(Accepts::WEIGHTS),
    SgdRegressor::walk
);

impl SgdRegressor {
    /// Walks down from the weights of `start`, or from zero; the steps begin anew.
    fn walk(
        &self,
        start: Option<&SgdRegressorModel>,
        data: Measured<'_>,
        run: &Run,
    ) -> Result<SgdRegressorModel> {
        let columns = data.samples.rows().n_columns();
        let weights = Weights::of_plane(start.map(|model| &model.planes), columns)?;
        let settings = self.settings()?;
        let data = CountingMeasured::new(data);
        let n = data.targets.nrows();
        let judged = match self.early_stopping {
            true => hold_out(&vec![0; n], self.validation_fraction, self.random_state),
            false => Vec::new(),
        };
        let (targets, counts) = lists(&data);
        let material = Material {
            reader: RowReader::new(data.samples.rows()),
            targets: &targets,
            counts: &counts,
            judged: &judged,
        };
        let found = settings.descend(&material, settings.start_from(weights), run)?;
        Ok(SgdRegressorModel {
            planes: plane(found.weights, found.intercept)?,
            objective: Some(found.objective),
            gradient_norm: Some(found.gradient_norm),
            trace: Some(found.trace),
            state: Some(found.walk),
        })
    }
}

/// The target of each row and how much it counts.
fn lists(data: &CountingMeasured<'_>) -> (Vec<f64>, Vec<f64>) {
    let targets = data.targets.column(0).to_vec();
    let counts = (0..targets.len()).map(|row| data.samples.weight(row));
    let counts = counts.collect();
    (targets, counts)
}

fn plane(weights: Vec<f64>, intercept: f64) -> Result<Planes> {
    let coef = Array2::from_shape_fn((1, weights.len()), |(_, j)| weights[j]);
    Planes::new(coef, Array1::from_elem(1, intercept))
}

impl LearnInSequence<Measured<'_>> for SgdRegressor {
    type State = SgdWalk;

    fn check_sequence(&self) -> Result<()> {
        self.settings()?;
        check_stream(self.early_stopping)
    }

    fn begin(&self, chunk: &Measured<'_>) -> Result<SgdWalk> {
        Ok(self.settings()?.start(chunk.samples.rows().n_columns()))
    }

    fn learn_chunk(&self, state: &mut SgdWalk, chunk: Measured<'_>, run: &Run) -> Result<()> {
        check_columns(state.n_columns(), chunk.samples.rows().n_columns())?;
        let data = CountingMeasured::new(chunk);
        let (targets, counts) = lists(&data);
        let order: Vec<usize> = (0..targets.len()).collect();
        let material = Material {
            reader: RowReader::new(data.samples.rows()),
            targets: &targets,
            counts: &counts,
            judged: &[],
        };
        self.settings()?.learn(&material, &order, state, run)
    }

    fn end_pass(&self, state: &mut SgdWalk) -> Result<bool> {
        self.settings()?.end_stream_pass(state)?;
        Ok(state.is_over())
    }

    fn model(&self, state: &SgdWalk) -> Result<SgdRegressorModel> {
        let (weights, intercept) = state.found();
        Ok(SgdRegressorModel {
            planes: plane(weights, intercept)?,
            objective: None,
            gradient_norm: None,
            trace: Some(state.trace()),
            state: Some(state.clone()),
        })
    }

    fn resume(&self, model: &SgdRegressorModel) -> Option<SgdWalk> {
        model.state.clone().map(SgdWalk::go_on)
    }
}

impl SgdRegressor {
    fn settings(&self) -> Result<Settings> {
        let loss = self.loss.into();
        let steps = Steps::new(self.learning_rate, self.eta0, self.power_t, self.alpha)?;
        Ok(Settings {
            loss,
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
}
