//! What the tests of this crate claim, one module per subject.

mod block;
mod classification;
mod contract;
mod regression;
