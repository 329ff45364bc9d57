//! What the tests of this crate claim, one module per subject.

mod contract;
mod data;
mod generative;
mod graph;
mod laws;
mod manifold;
mod propagation;
mod transductive;
