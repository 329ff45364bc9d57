//! Forests: many trees that were grown apart, averaged.

mod classifier;
mod members;
mod parameters;
mod regressor;

pub use classifier::ClassificationForest;
pub use parameters::{
    ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor,
};
pub use regressor::RegressionForest;
