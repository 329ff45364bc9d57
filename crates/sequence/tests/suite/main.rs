//! What the tests of this crate claim, one module per subject.

mod classifier;
mod crf;
mod crf_training;
mod deep_crf;
mod forecasts;
mod kalman;
mod laws;
mod markov;
mod memm;
mod oracle;
mod perceptron;
mod sparse_items;
mod texts;
mod training;
