//! Distributions of numbers, counts, categories, vectors and matrices.
//!
//! Every law is made by a constructor that checks its parameters and names the one that is
//! wrong; serde reads laws through the same check. Second parameters are what their names say:
//! a gamma law has a *rate*, a normal law is made with a *variance* or a *deviation*.

mod bernoulli;
mod beta;
mod binomial;
mod categorical;
mod cauchy;
mod chi_squared;
mod counting;
pub(crate) mod dirichlet;
mod exponential;
mod fisher_f;
mod gamma;
mod geometric;
mod inverse_gamma;
mod inverse_wishart;
mod laplace;
mod log_normal;
mod mixture;
mod multinomial;
mod multivariate_normal;
mod multivariate_student_t;
mod negative_binomial;
mod normal;
mod pareto;
mod poisson;
pub(crate) mod sampling;
mod student_t;
#[cfg(test)]
mod tests;
mod uniform;
mod weibull;
mod wishart;

pub use bernoulli::Bernoulli;
pub use beta::Beta;
pub use binomial::Binomial;
pub use categorical::Categorical;
pub use cauchy::Cauchy;
pub use chi_squared::ChiSquared;
pub use dirichlet::Dirichlet;
pub use exponential::Exponential;
pub use fisher_f::FisherF;
pub use gamma::Gamma;
pub use geometric::Geometric;
pub use inverse_gamma::InverseGamma;
pub use inverse_wishart::InverseWishart;
pub use laplace::Laplace;
pub use log_normal::LogNormal;
pub use mixture::Mixture;
pub use multinomial::Multinomial;
pub use multivariate_normal::{Ellipsoid, MultivariateNormal};
pub use multivariate_student_t::MultivariateStudentT;
pub use negative_binomial::NegativeBinomial;
pub use normal::Normal;
pub use pareto::Pareto;
pub use poisson::Poisson;
pub use student_t::StudentT;
pub use uniform::Uniform;
pub use weibull::Weibull;
pub use wishart::Wishart;
