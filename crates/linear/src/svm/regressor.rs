//! Linear support vector regression.

use super::classifier::FEW_WEIGHTS;
use super::problem::Problem;
use super::{dual, newton};
use crate::planes::{Planes, hyperplane_model};
use crate::rows::{CountingMeasured, RowReader};
use didact_core::{Accepts, Fit, Measured, Result, Run, Trace, Value};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fits a hyperplane with a tube around it in which targets cost nothing.
///
/// Minimises ½‖w‖² + C·Σ max(|y − f(x)| − ε, 0), or the squares of these losses. The intercept is
/// the weight of a feature that is always `intercept_scaling` and carries a price like the others,
/// as in liblinear. Solved like [`LinearSvc`](crate::LinearSvc), with the same certificate.
///
/// ```
/// use didact_core::{Fit, Measured};
/// use didact_linear::LinearSvr;
/// let x = ndarray::Array2::from_shape_fn((40, 1), |(i, _)| i as f64 / 40.0);
/// let y: Vec<f64> = (0..40).map(|i| f64::from(i) / 20.0).collect();
/// let model = LinearSvr { c: 100.0, ..Default::default() }.fit(Measured::new(&x, &y)?)?;
/// assert!((model.coef()[[0, 0]] - 2.0).abs() < 0.05);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LinearSVR")]
pub struct LinearSvr {
    /// What a target outside the tube costs.
    pub loss: SvrLoss,
    /// How much the rows cost in comparison with the weights.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// How far a target may be away at no cost.
    #[schemars(range(min = 0.0))]
    pub epsilon: f64,
    /// Whether to fit an intercept.
    pub fit_intercept: bool,
    /// The constant feature whose weight is the intercept; the larger, the less the intercept
    /// costs.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub intercept_scaling: f64,
    /// At most this many passes over the rows, or Newton steps, are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when the duality gap is at most this share of the objective.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// Seed of the order of the coordinates.
    pub random_state: u64,
}

/// What a target outside the tube costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SvrLoss {
    /// Its distance from the tube.
    #[default]
    EpsilonInsensitive,
    /// The square of that distance.
    SquaredEpsilonInsensitive,
}

impl Default for LinearSvr {
    fn default() -> Self {
        LinearSvr {
            loss: SvrLoss::EpsilonInsensitive,
            c: 1.0,
            epsilon: 0.0,
            fit_intercept: true,
            intercept_scaling: 1.0,
            max_iter: 1000,
            tol: 1e-4,
            random_state: 0,
        }
    }
}

/// A hyperplane with its certificate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearSvrModel {
    planes: Planes,
    objective: f64,
    gap: f64,
    trace: Option<Trace>,
}

impl LinearSvrModel {
    /// The objective.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// By how much the objective is above the least one at most.
    pub fn duality_gap(&self) -> f64 {
        self.gap
    }

    fn is_sound(&self) -> bool {
        self.planes.coef.nrows() == 1
    }
}

hyperplane_model!(LinearSvrModel {
    "objective", "The objective.", |model| Value::from(model.objective);
    "dual_gap", "By how much the objective is above the least one at most.",
        |model| Value::from(model.gap);
    "n_iter", "The number of iterations made.",
        |model| Value::from(model.trace.as_ref().map(Trace::n_iter));
});

impl Fit<Measured<'_>> for LinearSvr {
    type Model = LinearSvrModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<LinearSvrModel> {
        let data = CountingMeasured::new(data);
        let rows = data.samples.rows();
        let (n, d) = (rows.n_rows(), rows.n_columns());
        let constant = if self.fit_intercept {
            self.intercept_scaling
        } else {
            0.0
        };
        let problem = Problem {
            reader: RowReader::new(data.samples.rows()),
            rows,
            constant,
            targets: data.targets.column(0).to_vec(),
            prices: (0..n)
                .map(|row| self.c * data.samples.weight(row))
                .collect(),
            epsilon: self.epsilon,
            is_squared: self.loss == SvrLoss::SquaredEpsilonInsensitive,
            is_one_sided: false,
        };
        let found = match problem.is_squared && problem.n_weights() <= FEW_WEIGHTS {
            true => newton::solve(&problem, self.tol, self.max_iter, run)?,
            false => dual::solve(&problem, self.tol, self.max_iter, self.random_state, run)?,
        };
        let coef = Array2::from_shape_fn((1, d), |(_, j)| found.weights[j]);
        let intercept = Array1::from_elem(1, found.weights[d] * constant);
        Ok(LinearSvrModel {
            planes: Planes::new(coef, intercept)?,
            objective: found.objective,
            gap: found.gap,
            trace: Some(Trace {
                objective_name: "regularised risk".to_owned(),
                objectives: found.objectives,
                stop: found.stop,
            }),
        })
    }
}
