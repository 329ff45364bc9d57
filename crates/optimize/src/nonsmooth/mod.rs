//! Objectives with kinks: sub-gradients, proximal steps, projections.

mod penalty;
mod proximal_gradient;
mod subgradient;

pub use penalty::{BoxSet, ElasticNet, L1, L2Ball, NonNegative, Penalty, Simplex, soft_threshold};
pub use proximal_gradient::{ProximalGradient, projected_gradient};
pub use subgradient::{SubgradientMethod, is_subgradient, sign};
