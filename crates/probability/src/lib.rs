//! Probability: laws, their conjugate priors, tables, information and decisions.
//!
//! - [`special`]: gamma, beta and error functions with their inverses, accurate in the tails.
//! - [`laws`]: distributions of numbers, counts, vectors and matrices as small plain types. What
//!   a law can do is a small trait each: [`Density`], [`Cumulative`], [`Moments`], [`Modal`],
//!   [`Entropy`], [`Draw`], [`FitLikelihood`].
//! - [`conjugate`]: priors that stay in their family when data arrive, with statistics that
//!   merge, evidence, predictive laws and mixtures of priors.
//! - [`gaussian`]: marginals, conditionals, sums and products of normal laws, and estimates of
//!   mean and covariance.
//! - [`tables`]: finite probability spaces and joint tables of categorical variables.
//! - [`estimate`] and [`expectation`]: maximum likelihood and posterior by number, moments of
//!   samples and tables, change of variable.
//! - [`information`]: entropy, divergence, mutual information, prefix codes.
//! - [`decision`]: the action of least expected loss.
//!
//! ```
//! use didact_probability::laws::Normal;
//! use didact_probability::{Cumulative, Density, Moments};
//! let heights = Normal::with_deviation(178.0, 7.0)?;
//! assert_eq!(heights.mean(), Some(178.0));
//! assert!(heights.survival(192.0) < 0.023);
//! assert!(heights.density(178.0) > heights.density(170.0));
//! # Ok::<(), didact_core::Error>(())
//! ```

mod check;
pub mod conjugate;
pub mod decision;
pub mod estimate;
pub mod expectation;
pub mod gaussian;
pub mod information;
pub mod laws;
mod observations;
pub mod quadrature;
mod roots;
pub mod special;
pub mod tables;
#[cfg(test)]
mod testing;
mod traits;

pub use traits::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
