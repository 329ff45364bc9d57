//! What the tests of this crate claim, one module per subject.

mod autoencoder;
mod backpropagation;
mod fan;
mod image;
mod layers;
mod lesion;
mod mlp;
mod pretraining;
mod ranking;
mod recurrent;
mod robustness;
mod robustness_of_sequences;
mod training;
