//! The mathematics that the families share: linear algebra on faer, distances, kernels, graphs
//! and neighbours, Gaussian densities, signals and careful scalar functions.
//!
//! Nothing here knows an algorithm. Everything is deterministic: parallel work is cut by the
//! number of rows alone, so the number of threads never changes a bit of a result.

pub mod distance;
pub mod gaussian;
pub mod graph;
pub mod kernel;
pub mod linalg;
pub mod neighbors;
pub mod numeric;
mod panels;
pub mod signal;
pub mod vectorised;
