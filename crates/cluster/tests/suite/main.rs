//! What the tests of this crate claim, one module per subject.

mod centers;
mod dbscan;
mod graphs;
mod hierarchy;
mod k_means;
mod soft;
