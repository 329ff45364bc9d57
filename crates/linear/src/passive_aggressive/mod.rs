//! Passive-aggressive learning: the least change that makes the current row right.

mod classifier;
mod patience;
mod regressor;

pub use classifier::{PassiveAggressiveClassifier, PassiveAggressiveModel};
pub(crate) use patience::Patience;
pub use regressor::{PassiveAggressiveRegressor, PassiveAggressiveRegressorModel};
