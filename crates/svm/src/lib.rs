//! Support vector machines: wide margins and narrow tubes, straight or curved by a kernel.
//!
//! All machines are one quadratic program over multipliers with other slopes and limits, which one
//! solver solves pair by pair. Rows of the Gaussian kernel are made as they are needed; other
//! kernels of the points are computed at once where they fit into memory. What proves a solution is
//! its [`Certificate`].

mod catalogue;
mod certificate;
mod classification;
mod gram;
mod ranking;
mod reduction;
mod regression;
mod rows;
mod setup;
mod solver;
mod support;
mod variant;

pub use catalogue::catalogue;
pub use certificate::{Certificate, Role};
pub use classification::{KernelMatrixSvc, NuSvc, Separation, Svc, SvcModel};
pub use didact_core::ClassWeight;
pub use ranking::{LabelSets, RankingSvm, RankingSvmModel, ranking_loss, ranking_slacks};
pub use reduction::CostReduction;
pub use regression::{NuSvr, Svr, SvrModel, Tube};
pub use variant::{MachineCard, MachineVariant};
