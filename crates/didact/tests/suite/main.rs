//! What the tests of this crate claim, one module per subject.

mod cluster_features;
mod competitors;
mod contract;
mod ensembles;
mod taxonomy;
