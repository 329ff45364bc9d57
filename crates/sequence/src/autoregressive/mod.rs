//! Autoregressive models: the next value is a weighted sum of the last ones.

mod learn;
mod model;

pub use learn::{Autoregressive, AutoregressiveMethod};
pub use model::AutoregressiveModel;
