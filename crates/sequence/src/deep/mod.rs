//! Deep conditional random fields: a linear chain on the last hidden layer of a network.
//!
//! [`DeepCrf`] holds the hyper-parameters and learns in two ways; [`DeepCrfModel`] labels.

mod likelihood;
mod model;
mod online;
mod parameters;
mod stack;

pub use model::DeepCrfModel;
pub use parameters::{DeepCrf, DeepCrfSignal, DeepCrfTraining};
