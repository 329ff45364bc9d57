//! Multi-layer perceptrons.

mod classifier;
mod fitted;
mod parameters;
mod regressor;

pub use classifier::MlpClassifierModel;
pub(crate) use classifier::{
    class_probabilities, class_targets, most_probable, places_of, validate_classes,
};
pub(crate) use fitted::{Fitted, Material, solve};
pub use parameters::Mlp;
pub use regressor::MlpRegressorModel;
