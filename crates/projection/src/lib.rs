//! Projections: fewer or better coordinates for the same rows.

mod blocks;
mod catalogue;
mod cca;
mod pca;

pub use catalogue::catalogue;
pub use cca::{Cca, CcaModel, MultiSetCca, MultiSetMethod, MultiSetModel};
pub use pca::{Components, Pca, PcaModel, PcaSummary, SvdSolver, Whitening};
