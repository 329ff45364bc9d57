//! Passive-aggressive regression.

use crate::losses::epsilon_insensitive;
use crate::online::{Aggressiveness, BREATH, Passes, Patience, Weights, check_columns, shuffled};
use crate::planes::{Planes, hyperplane_model};
use crate::rows::{CountingMeasured, RowReader};
use crate::separators::overflow;
use crate::start::learns_from_start;
use didact_core::{
    Accepts, LearnInSequence, Measured, Result, Run, StopReason, Trace, TraceWriter, Value,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns a hyperplane row by row, changing it as little as brings each target within ε.
///
/// A row costs ℓ = max(|y − f(x)| − ε, 0). At no cost nothing changes; otherwise
/// w += sign(y − f(x))·τ·x is the smallest change after which the row is ε away, as far as C
/// allows. The intercept is the weight of a feature that is always one, and counts in ‖x‖².
///
/// It also learns from a stream, chunk by chunk, in the order of the rows.
///
/// ```
/// use didact_core::{Fit, Measured};
/// use didact_linear::PassiveAggressiveRegressor;
/// let x = ndarray::Array2::from_shape_fn((50, 1), |(i, _)| i as f64 / 50.0);
/// let y: Vec<f64> = (0..50).map(|i| 3.0 * f64::from(i) / 50.0 + 1.0).collect();
/// let learner = PassiveAggressiveRegressor { epsilon: 0.01, ..Default::default() };
/// let model = learner.fit(Measured::new(&x, &y)?)?;
/// assert!((model.coef()[[0, 0]] - 3.0).abs() < 0.2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PassiveAggressiveRegressor {
    /// How far a step goes.
    pub variant: Aggressiveness,
    /// The price of what a step leaves: large values correct every row in full.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// How far a target may be away at no cost.
    #[schemars(range(min = 0.0))]
    pub epsilon: f64,
    /// Whether to learn an intercept.
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
    /// Whether to predict by the average of all weights along the way.
    pub average: bool,
}

impl Default for PassiveAggressiveRegressor {
    fn default() -> Self {
        PassiveAggressiveRegressor {
            variant: Aggressiveness::Pa1,
            c: 1.0,
            epsilon: 0.1,
            fit_intercept: true,
            max_iter: 1000,
            tol: 1e-3,
            n_iter_no_change: 5,
            shuffle: true,
            random_state: 0,
            average: false,
        }
    }
}

/// A hyperplane and what its rows cost along the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassiveAggressiveRegressorModel {
    planes: Planes,
    cumulative_loss: f64,
    trace: Option<Trace>,
    /// Where the learning stood; absent in files of earlier releases.
    #[serde(default)]
    state: Option<OnlineRegressionState>,
}

/// Where a passive-aggressive regression stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlineRegressionState {
    weights: Weights,
    cumulative_loss: f64,
    passes: Passes,
}

impl PassiveAggressiveRegressorModel {
    /// The sum of the losses suffered, each before its row was learned from.
    pub fn cumulative_loss(&self) -> f64 {
        self.cumulative_loss
    }

    fn is_sound(&self) -> bool {
        let state = self.state.as_ref();
        self.planes.coef.nrows() == 1
            && self.cumulative_loss >= 0.0
            && state.is_none_or(|state| {
                state.weights.is_sound(1, self.planes.n_features()) && state.passes.is_sound()
            })
    }
}

hyperplane_model!(PassiveAggressiveRegressorModel {
    "cumulative_loss", "The sum of the losses suffered, each before its row was learned from.",
        |model| Value::from(model.cumulative_loss);
    "n_iter", "The number of iterations made.",
        |model| Value::from(model.trace.as_ref().map(Trace::n_iter));
});

learns_from_start!(
    PassiveAggressiveRegressor,
    Measured => PassiveAggressiveRegressorModel,
    Accepts::SPARSE.union(Accepts::WEIGHTS),
    PassiveAggressiveRegressor::walk
);

impl PassiveAggressiveRegressor {
    /// Learns pass by pass from the weights of `start`, or from zero.
    fn walk(
        &self,
        start: Option<&PassiveAggressiveRegressorModel>,
        data: Measured<'_>,
        run: &Run,
    ) -> Result<PassiveAggressiveRegressorModel> {
        let columns = data.samples.rows().n_columns();
        let start = Weights::of_plane(start.map(|model| &model.planes), columns)?;
        let data = CountingMeasured::new(data);
        let mut weights = self.averaging(start);
        let mut trace = TraceWriter::new(run, "mean loss", Some(self.max_iter));
        let mut patience = self.patience();
        let mut order: Vec<usize> = (0..data.targets.nrows()).collect();
        let mut cumulative_loss = 0.0;
        let stop = loop {
            shuffled(&mut order, self.shuffle, self.random_state, trace.n_iter());
            let total = self.pass(&data, &order, &mut weights, run)?;
            cumulative_loss += total;
            let loss = total / order.len() as f64;
            trace.record(loss)?;
            if loss == 0.0 || patience.is_over(loss) {
                break StopReason::Converged;
            }
            if trace.n_iter() == self.max_iter {
                break StopReason::IterationLimit;
            }
        };
        let state = OnlineRegressionState {
            weights,
            cumulative_loss,
            passes: Passes::new(self.patience()),
        };
        self.finish(state, trace.finish(stop))
    }
}

impl LearnInSequence<Measured<'_>> for PassiveAggressiveRegressor {
    type State = OnlineRegressionState;

    fn begin(&self, chunk: &Measured<'_>) -> Result<OnlineRegressionState> {
        Ok(OnlineRegressionState {
            weights: self.averaging(Weights::new(1, chunk.samples.rows().n_columns())),
            cumulative_loss: 0.0,
            passes: Passes::new(self.patience()),
        })
    }

    fn learn_chunk(
        &self,
        state: &mut OnlineRegressionState,
        chunk: Measured<'_>,
        run: &Run,
    ) -> Result<()> {
        let columns = chunk.samples.rows().n_columns();
        check_columns(state.weights.n_features(), columns)?;
        let data = CountingMeasured::new(chunk);
        let order: Vec<usize> = (0..data.targets.nrows()).collect();
        let total = self.pass(&data, &order, &mut state.weights, run)?;
        state.cumulative_loss += total;
        state.passes.add(total, order.len());
        Ok(())
    }

    fn end_pass(&self, state: &mut OnlineRegressionState) -> Result<bool> {
        let loss = state.passes.mean();
        let impatient = state.passes.end(loss);
        if loss == 0.0 || impatient {
            state.passes.finish(StopReason::Converged);
        } else if state.passes.n_iter() == self.max_iter {
            state.passes.finish(StopReason::IterationLimit);
        }
        Ok(state.passes.stop().is_some())
    }

    fn model(&self, state: &OnlineRegressionState) -> Result<PassiveAggressiveRegressorModel> {
        let trace = state.passes.trace("mean loss", state.passes.mean());
        self.finish(state.clone(), trace)
    }

    fn resume(&self, model: &PassiveAggressiveRegressorModel) -> Option<OnlineRegressionState> {
        let state = model.state.clone()?;
        Some(OnlineRegressionState {
            passes: state.passes.go_on(),
            ..state
        })
    }
}

impl PassiveAggressiveRegressor {
    fn averaging(&self, weights: Weights) -> Weights {
        match self.average {
            true => weights.averaged(),
            false => weights,
        }
    }

    fn patience(&self) -> Patience {
        Patience::new(self.tol, self.n_iter_no_change)
    }

    fn finish(
        &self,
        state: OnlineRegressionState,
        trace: Trace,
    ) -> Result<PassiveAggressiveRegressorModel> {
        let (coef, intercept) = state.weights.finish();
        Ok(PassiveAggressiveRegressorModel {
            planes: Planes::new(coef, intercept)?,
            cumulative_loss: state.cumulative_loss,
            trace: Some(trace),
            state: Some(state),
        })
    }

    /// Learns from every row in turn; the sum of what they cost.
    fn pass(
        &self,
        data: &CountingMeasured<'_>,
        order: &[usize],
        weights: &mut Weights,
        run: &Run,
    ) -> Result<f64> {
        let reader = RowReader::new(data.samples.rows());
        let constant = f64::from(u8::from(self.fit_intercept));
        let mut total = 0.0;
        for (turn, &row) in order.iter().enumerate() {
            if turn % BREATH == 0 {
                run.check()?;
            }
            let x = reader.row(row);
            let residual = data.targets[[row, 0]] - weights.score(0, x);
            let squared_length = x.squared_length() + constant;
            if !(residual.is_finite() && squared_length.is_finite()) {
                return Err(overflow());
            }
            let loss = epsilon_insensitive(residual, self.epsilon);
            let price = self.c * data.samples.weight(row);
            let step = self.variant.multiplier(loss, squared_length, price);
            if step > 0.0 {
                weights.add(0, step.copysign(residual), x);
                weights.intercept[0] += constant * step.copysign(residual);
            }
            weights.settle();
            total += loss;
        }
        match weights.is_finite() {
            true => Ok(total),
            false => Err(overflow()),
        }
    }
}
