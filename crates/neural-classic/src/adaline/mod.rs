//! Adaline: linear units that learn by the delta rule.

mod delta;
mod model;

pub use model::{AdalineClassifierModel, AdalineRegressorModel};

use delta::Problem;
use didact_core::{Accepts, Fit, Labelled, Measured, Result, Run, present_classes};
use model::Units;
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns linear units by the delta rule, which corrects each weight by the error times its input.
///
/// For the outputs y = w·x + b and the targets z the squared error is E = ½Σ(z − y)², and the rule
/// Δw = γ·Σ(z − y)·x is its negative gradient: after each row, or summed over all. E is convex, so
/// with rates below 2/λ_max(XᵀX) the summed rule comes to the least-squares solution, from weights
/// of zero to the shortest one. How many passes that takes grows with the spread of the
/// eigenvalues of XᵀX, so scale the columns first.
///
/// The intercept comes from the means, so rows and targets are centred before the rule sees them.
/// Classes are learned as targets of −1 and +1, more than two one against the rest.
///
/// ```
/// use didact_core::{Fit, Measured, Regress};
/// use didact_neural_classic::Adaline;
/// use ndarray::array;
/// let rows = array![[0.0], [1.0], [2.0], [3.0]];
/// let model = Adaline::default().fit(Measured::new(&rows, &[1.0, 3.0, 5.0, 7.0])?)?;
/// assert!((model.predict(&array![[10.0]])?[[0, 0]] - 21.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Adaline {
    /// Whether the errors of all rows are summed or each row corrects the weights at once.
    pub training: AdalineTraining,
    /// The rate γ; null is half of what is surely stable. Row by row it falls as (1 + passes)^(−¾).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: Option<f64>,
    /// Whether to learn an intercept.
    pub fit_intercept: bool,
    /// Most passes over the rows.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The summed rule stops when the gradient is at most this share of the first one; row by row
    /// learning stops when ten passes do not lower the least error by more than this share.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of the order of rows.
    pub random_state: u64,
}

/// When the delta rule corrects the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AdalineTraining {
    /// After all rows, by the sum of their corrections.
    #[default]
    Batch,
    /// After every row, in a new random order in every pass.
    Online,
}

impl Default for Adaline {
    fn default() -> Self {
        Adaline {
            training: AdalineTraining::Batch,
            learning_rate: None,
            fit_intercept: true,
            max_iter: 1000,
            tol: 1e-9,
            random_state: 0,
        }
    }
}

impl Fit<Measured<'_>> for Adaline {
    type Model = AdalineRegressorModel;
    const ACCEPTS: Accepts = Accepts::MULTI_OUTPUT;

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<AdalineRegressorModel> {
        let problem = Problem::new(self, data.samples.dense()?, data.targets, run)?;
        let (units, trace) = problem.solve(self, run)?;
        Ok(AdalineRegressorModel::new(units, trace))
    }
}

impl Fit<Labelled<'_>> for Adaline {
    type Model = AdalineClassifierModel;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<AdalineClassifierModel> {
        present_classes(data.classes, &data.class_weights())?;
        let targets = class_targets(data.labels, data.classes.len());
        let problem = Problem::new(self, data.samples.dense()?, targets.view(), run)?;
        let (units, trace) = problem.solve(self, run)?;
        let classes = data.classes.clone();
        Ok(AdalineClassifierModel::new(units, classes, trace))
    }
}

/// Targets of −1 and +1: one column for the second of two classes, else one per class.
fn class_targets(labels: &[usize], n_classes: usize) -> Array2<f64> {
    let first = usize::from(n_classes == 2);
    Array2::from_shape_fn((labels.len(), n_classes - first), |(row, column)| {
        match labels[row] == column + first {
            true => 1.0,
            false => -1.0,
        }
    })
}
