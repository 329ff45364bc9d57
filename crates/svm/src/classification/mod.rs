//! Machines that tell classes apart.
//!
//! Two classes are one machine; more are told apart by a machine for every pair, which vote.

mod jury;
mod machine;
mod model;
mod nu;
mod pairs;
mod precomputed;
mod svc;

pub use model::SvcModel;
pub use nu::NuSvc;
pub use precomputed::KernelMatrixSvc;
pub use svc::{Separation, Svc};
