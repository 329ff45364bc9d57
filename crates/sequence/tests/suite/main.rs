//! What the tests of this crate claim, one module per subject.

mod crf;
mod crf_training;
mod laws;
mod memm;
mod oracle;
mod perceptron;
mod texts;
mod training;
