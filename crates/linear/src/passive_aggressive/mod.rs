//! Passive-aggressive learning: the least change that makes the current row right.

mod classifier;
mod regressor;

pub use classifier::{PassiveAggressiveClassifier, PassiveAggressiveModel};
pub use regressor::{
    OnlineRegressionState, PassiveAggressiveRegressor, PassiveAggressiveRegressorModel,
};
