//! Projections: fewer or better coordinates for the same rows.

mod blocks;
mod catalogue;
mod pca;

pub use catalogue::catalogue;
pub use pca::{Components, Pca, PcaModel, PcaSummary, SvdSolver, Whitening};
