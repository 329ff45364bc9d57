//! How the costs of the rows are put together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the costs of the rows are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CostReduction {
    /// Their sum: every row costs C for each unit.
    #[default]
    Sum,
    /// Their mean: all rows together cost C for each unit. With C = 1/λ the machine minimises
    /// (λ/2)‖w‖² plus the mean loss.
    Mean,
}

impl CostReduction {
    /// What a unit of a row of weight one costs, where all rows have this weight together.
    pub(crate) fn price(self, c: f64, total_weight: f64) -> f64 {
        match self {
            CostReduction::Sum => c,
            CostReduction::Mean => c / total_weight,
        }
    }
}
