//! Planning: the best policy of a known world.
//!
//! All of it rests on the Bellman optimality equation V*(s) = maxₐ Σ T·(R + γV*(s′)), whose right
//! side brings any two guesses nearer to each other by the factor γ.

mod modified;
mod plan;
mod policy_iteration;
mod q_value_iteration;
mod residual;
mod value_iteration;

pub use modified::ModifiedPolicyIteration;
pub use plan::Plan;
pub(crate) use plan::{action_numbers, best_values};
pub use policy_iteration::PolicyIteration;
pub use q_value_iteration::QValueIteration;
pub use residual::{bellman_residual, error_bound};
pub use value_iteration::{StopRule, ValueIteration};
