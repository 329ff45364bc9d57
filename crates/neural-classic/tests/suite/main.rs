//! What the tests of this crate claim, one module per subject.

mod adaline;
mod bayesian_som;
mod cca_network;
mod dynamics;
mod hebbian;
mod infomax;
mod lateral;
mod memory;
mod som;
mod tdnn;
mod units;
