//! Descending a mean of losses by mini-batches, or all at once.

mod descent;
mod finish;
mod hold_out;
mod noise;
mod optimizer;
mod whole;

pub(crate) use descent::{Learnable, Training};
pub use descent::{LearningRate, Solver};
pub(crate) use finish::Learned;
pub(crate) use hold_out::{hold_out, hold_out_by_class};
pub use noise::Noise;
pub(crate) use optimizer::{Optimizer, Rule};
pub(crate) use whole::minimise_whole;
