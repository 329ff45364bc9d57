//! Gaussian processes: laws over functions, conditioned on what was seen.

mod block_process;
mod blocks;
mod catalogue;
mod classifier;
mod covariance;
mod draws;
mod exact;
mod factor;
#[cfg(test)]
mod gradients;
mod inducing;
mod observations;
mod process;
mod regressor;
mod search;
mod sparse;
mod weight_space;

pub use block_process::{BlockProcess, BlockProcessModel, ProcessBlock};
pub use catalogue::catalogue;
pub use classifier::{GaussianProcessClassifier, GaussianProcessClassifierModel, LatentInference};
pub use covariance::{Covariance, CovarianceKernel, CovarianceShape, Smoothness};
pub use draws::Draws;
pub use exact::ProcessCriterion;
pub use process::{LeaveOneOut, Process, ProcessLikelihood};
pub use regressor::{GaussianProcessModel, GaussianProcessRegressor, ProcessPredictive};
