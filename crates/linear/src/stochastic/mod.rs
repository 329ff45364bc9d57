//! Stochastic gradient descent: cheap steps, one row at a time, for any point loss and penalty.

mod classifier;
mod descent;
mod loss;
mod regressor;
mod schedule;

pub use classifier::{SgdClassifier, SgdClassifierModel, SgdClassifierState};
pub use descent::SgdWalk;
pub use loss::{ClassificationLoss, RegressionLoss};
pub use regressor::{SgdRegressor, SgdRegressorModel};
pub use schedule::LearningRate;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What large weights cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SgdPenalty {
    /// α/2 times their squares.
    #[default]
    L2,
    /// α times their absolute values.
    L1,
    /// `l1_ratio` of the absolute price and the rest of the squared one.
    Elasticnet,
    /// Nothing.
    None,
}

impl SgdPenalty {
    /// The prices of ‖w‖₁ and of ½‖w‖².
    fn prices(self, alpha: f64, l1_ratio: f64) -> (f64, f64) {
        match self {
            SgdPenalty::L2 => (0.0, alpha),
            SgdPenalty::L1 => (alpha, 0.0),
            SgdPenalty::Elasticnet => (alpha * l1_ratio, alpha * (1.0 - l1_ratio)),
            SgdPenalty::None => (0.0, 0.0),
        }
    }
}
