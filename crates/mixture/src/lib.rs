//! Mixtures: densities that are weighted sums of simple ones, and soft clusters with them.
//!
//! [`GaussianMixture`] fits normal components by expectation–maximisation, and any of its columns
//! can be predicted from the others ([`GaussianMixtureRegression`]). [`DiscreteMixture`] has
//! components of counts. [`BayesianGaussianMixture`] and [`DirichletProcessMixture`] find how many
//! components there are, by variational inference and by Gibbs sampling, and
//! [`MarginDirichletMixture`] how many directions;
//! [`DirichletProcess`] and [`ChineseRestaurant`] are the laws behind it.

mod catalogue;
mod dirichlet_mixture;
mod dirichlet_process;
mod discrete;
mod gaussian;
mod joint;
mod margin_mixture;
mod regression;
mod variational;

pub use catalogue::catalogue;
pub use dirichlet_mixture::{
    ClusterPredictive, DirichletProcessMixture, DirichletProcessMixtureModel,
};
pub use dirichlet_process::{
    AdaptiveRejection, ChineseRestaurant, ConcentrationPosterior, DirichletProcess,
    DirichletProcessDraw, FiniteMixturePrior, SimulatedMixture, expected_stick_share,
    stick_breaking,
};
pub use discrete::{DiscreteLaw, DiscreteMixture, DiscreteMixtureModel};
pub use gaussian::{
    ConditionalMixture, CovarianceType, Covariances, GaussianMixture, GaussianMixtureModel,
    GaussianMixtureState, GaussianMixtureSummary, MixtureInit, PrecisionsInit,
};
pub use margin_mixture::{MarginDirichletMixture, MarginDirichletMixtureModel, MarginUpdate};
pub use regression::{GaussianMixtureRegression, GaussianMixtureRegressionModel};
pub use variational::{
    BayesianGaussianMixture, BayesianGaussianMixtureModel, CovariancePrior, VariationalInit,
    WeightPrior,
};
