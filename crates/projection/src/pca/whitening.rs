//! Scores of variance one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the scores are scaled to variance one, and in which coordinates.
///
/// An axis whose variance is nothing but rounding carries no information; its whitened score is
/// zero instead of amplified noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Whitening {
    /// The scores keep their variances λᵢ.
    #[default]
    None,
    /// Each score is divided by √λᵢ: the covariance of the scores is the identity.
    Pca,
    /// The whitened scores are turned back, x ↦ U·D^(−½)·Uᵀ·(x−μ): of all whitenings the one
    /// that changes the rows least, in the coordinates of the original columns.
    Zca,
}

/// The eigenvalue below which an axis has no variance of its own: sixteen roundings per column.
pub(super) fn negligible(largest: f64, n_columns: usize) -> f64 {
    16.0 * n_columns as f64 * f64::EPSILON * largest
}
