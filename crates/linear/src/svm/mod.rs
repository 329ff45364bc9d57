//! Linear support vector machines.
//!
//! Classification and regression, with losses that are linear or squared, are one quadratic
//! problem over one multiplier per row ([`dual`]), solved coordinate by coordinate. With squared
//! losses and few columns Newton's method on the weights is faster ([`newton`]). Where weights
//! carry an absolute price the weights themselves are the coordinates ([`crate::sparse_descent`]).
//!
//! The intercept is the weight of a constant feature and carries a price like the others, as in
//! liblinear; `intercept_scaling` makes that price small.

mod classifier;
mod crammer_singer;
mod dual;
mod newton;
mod problem;
mod regressor;

pub use classifier::{LinearSvc, LinearSvcModel, MultiClass, SvcLoss, SvcPenalty};
pub use regressor::{LinearSvr, LinearSvrModel, SvrLoss};
