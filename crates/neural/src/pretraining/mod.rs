//! Layers that learn from rows alone, one after the other, before a network is taught.

mod features;
mod machine;
mod stack;

pub use features::{DeepFeatures, DeepFeaturesModel};
pub use stack::{PretrainedLayer, Pretraining};
