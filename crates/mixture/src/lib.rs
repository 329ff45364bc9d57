//! Mixtures: densities that are weighted sums of simple ones, and soft clusters with them.
//!
//! [`GaussianMixture`] fits normal components by expectation–maximisation.

mod catalogue;
mod gaussian;

pub use catalogue::catalogue;
pub use gaussian::{
    CovarianceType, Covariances, GaussianMixture, GaussianMixtureModel, GaussianMixtureState,
    GaussianMixtureSummary, MixtureInit, PrecisionsInit,
};
