//! Gradient boosting on binned columns: small trees that follow the slope of the loss.

mod bins;
mod classifier;
mod grow;
mod histogram;
mod losses;
mod parameters;
mod regressor;
mod rounds;
mod search;

pub use classifier::BoostedClassifier;
pub use parameters::{EarlyStopping, GradientBoostingClassifier, GradientBoostingRegressor};
pub use regressor::BoostedRegressor;
