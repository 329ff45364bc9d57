//! What the tests of this crate claim, one module per subject.

mod belief;
mod elastic_net;
mod least_squares;
mod logistic;
mod machines;
mod online;
mod regression;
mod saga;
mod sequence;
