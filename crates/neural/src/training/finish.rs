//! What a descent leaves behind besides the parameters.

use didact_core::model::ensure_consistent;
use didact_core::{Result, Trace};
use serde::{Deserialize, Serialize};

/// How the learning went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learned {
    /// The mean loss of each pass.
    pub(crate) trace: Trace,
    /// The loss of the last pass.
    pub(crate) loss: f64,
    /// The least loss of all passes.
    pub(crate) best_loss: f64,
    /// What rows that were held out say after each pass.
    pub(crate) validation_scores: Vec<f64>,
}

impl Learned {
    pub(crate) fn new(trace: Trace, validation_scores: Vec<f64>) -> Self {
        Learned {
            loss: trace.objectives.last().copied().unwrap_or(0.0),
            best_loss: trace
                .objectives
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min),
            validation_scores,
            trace,
        }
    }

    /// The best score of the rows that were held out.
    pub(crate) fn best_validation_score(&self) -> Option<f64> {
        self.validation_scores.iter().copied().reduce(f64::max)
    }

    pub(crate) fn validate(&self) -> Result<()> {
        ensure_consistent(self.loss.is_finite())
    }
}
