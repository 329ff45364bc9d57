//! Minimisation of sums by gradients of a few terms at a time.

mod descent;
mod rule;
mod schedule;

pub use descent::{FiniteSum, StochasticDescent};
pub use rule::{UpdateRule, Updater};
pub use schedule::Schedule;
