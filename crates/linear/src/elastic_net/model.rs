//! The fitted lasso or elastic net.

use crate::planes::{Planes, explained, hyperplane_model, per_target};
use didact_core::{Trace, Value};
use ndarray::Array1;
use serde::{Deserialize, Serialize};

/// Hyperplanes of which many weights are exactly zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ElasticNetModel {
    pub(super) planes: Planes,
    /// By how much the objective of each target exceeds its minimum at most.
    pub(super) dual_gap: Option<Array1<f64>>,
    pub(super) residual_sum_of_squares: Array1<f64>,
    pub(super) total_sum_of_squares: Array1<f64>,
    pub(super) n_iter: usize,
    pub(super) trace: Option<Trace>,
}

impl ElasticNetModel {
    /// By how much the objective of each target exceeds its minimum at most; absent where the
    /// minimum has a closed form.
    pub fn dual_gap(&self) -> Option<&Array1<f64>> {
        self.dual_gap.as_ref()
    }

    /// The number of weights that are not zero.
    pub fn n_nonzero(&self) -> usize {
        self.planes.coef.iter().filter(|w| **w != 0.0).count()
    }

    /// The share of the variance of each training target that is explained, without the price.
    pub fn r2(&self) -> Array1<f64> {
        explained(&self.residual_sum_of_squares, &self.total_sum_of_squares)
    }

    fn is_sound(&self) -> bool {
        let targets = self.planes.coef.nrows();
        let gaps = self.dual_gap.as_ref();
        self.residual_sum_of_squares.len() == targets
            && self.total_sum_of_squares.len() == targets
            && gaps.is_none_or(|gaps| gaps.len() == targets)
    }
}

hyperplane_model!(ElasticNetModel {
    "n_nonzero", "The number of weights that are not zero.",
        |model| Value::from(model.n_nonzero());
    "dual_gap", "By how much the objective exceeds its minimum at most.",
        |model| model.dual_gap.as_ref().map_or(Value::Absent, per_target);
    "n_iter", "The number of sweeps over the weights, of all targets together.",
        |model| Value::from(model.n_iter);
    "residual_sum_of_squares", "The sum of squared residuals on the training rows.",
        |model| per_target(&model.residual_sum_of_squares);
    "r2", "The share of the variance of the training targets that is explained.",
        |model| match model.planes.coef.nrows() {
            1 => Value::Number(model.r2()[0]),
            _ => Value::from(model.r2()),
        };
});
