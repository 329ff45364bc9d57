//! Markov chains: the next symbol depends on the last few, and nothing is hidden.

mod learn;
mod model;
mod stationary;

pub use learn::MarkovChain;
pub use model::MarkovModel;
