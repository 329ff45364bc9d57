//! Priors that stay in their family when data arrive.
//!
//! A conjugate prior turns data into another prior of the same kind: posterior ∝ likelihood ×
//! prior, in closed form. The data enter only through a small statistic that can be merged, so
//! one by one, all at once and in pieces give the same answer. Three ways to predict the next
//! value follow ([`Prediction`]), and the evidence that compares whole models.

mod bernoulli;
mod categorical;
mod counts;
mod covariance;
mod mixture;
mod normal_inverse_gamma;
mod normal_inverse_wishart;
mod normal_mean;
mod poisson;
mod predict;
mod statistics;
mod vector_mean;

pub use bernoulli::{Shrinkage, mean_shrinkage, mode_shrinkage};
pub use counts::{BetaBinomial, DirichletMultinomial};
pub use covariance::CovarianceWithKnownMean;
pub use mixture::MixturePrior;
pub use normal_inverse_gamma::NormalInverseGamma;
pub use normal_inverse_wishart::NormalInverseWishart;
pub use normal_mean::NormalMean;
pub use predict::{Predicted, Prediction};
pub use statistics::{
    CategoryCounts, EventCounts, NumberMoments, Statistic, Trials, VectorMoments,
};
pub use vector_mean::MultivariateNormalMean;

use crate::{Density, Mode};
use didact_core::Result;

/// A prior over the parameter of a likelihood, closed under observation of values `X`.
///
/// ```
/// use didact_probability::conjugate::Conjugate;
/// use didact_probability::laws::Beta;
/// use didact_probability::Density;
/// let prior = Beta::new(2.0, 3.0)?;
/// let tosses = [true, true, false, true, true, true, false, true, false, true];
/// let posterior = prior.update(tosses)?;
/// assert_eq!(posterior, Beta::new(9.0, 6.0)?);
/// assert!((posterior.predictive()?.density(true) - 0.6).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait Conjugate<X: Copy>: Clone + Sized {
    /// What is kept of the data.
    type Statistic: Statistic<X>;
    /// What the prior is about.
    type Parameter;
    /// The law of a value at a given parameter.
    type Likelihood: Density<X>;
    /// The law of a value with the parameter averaged out.
    type Predictive: Density<X>;

    /// The statistic of no data.
    fn no_data(&self) -> Self::Statistic;

    /// What is believed after the data.
    fn posterior(&self, data: &Self::Statistic) -> Result<Self>;

    /// ln p(data): the likelihood of the values in their order, with the parameter averaged
    /// out by this prior. No multinomial coefficient is included.
    fn log_evidence(&self, data: &Self::Statistic) -> Result<f64>;

    /// The law of the next value.
    fn predictive(&self) -> Result<Self::Predictive>;

    /// ln p(parameter): how much the parameter is believed.
    fn log_belief(&self, parameter: &Self::Parameter) -> f64;

    /// The law of a value at a given parameter.
    fn likelihood(&self, parameter: &Self::Parameter) -> Result<Self::Likelihood>;

    /// Sums up values.
    fn summarise(&self, values: impl IntoIterator<Item = X>) -> Self::Statistic {
        let mut statistic = self.no_data();
        values
            .into_iter()
            .for_each(|value| statistic.add(value, 1.0));
        statistic
    }

    /// What is believed after these values.
    fn update(&self, values: impl IntoIterator<Item = X>) -> Result<Self> {
        self.posterior(&self.summarise(values))
    }

    /// ln p(x) by rearranging the rule of Bayes: p(x|λ)·p(λ)/p(λ|x), the same for every λ with
    /// positive density. A self-test of the pair of prior and likelihood.
    fn log_predictive_by_ratio(&self, x: X, parameter: &Self::Parameter) -> Result<f64> {
        let likelihood = self.likelihood(parameter)?.log_density(x);
        let after = self.update([x])?;
        Ok(likelihood + self.log_belief(parameter) - after.log_belief(parameter))
    }
}

/// Single values that stand for all that is believed.
///
/// ```
/// use didact_probability::Mode;
/// use didact_probability::conjugate::{Conjugate, PointEstimates, Trials};
/// use didact_probability::laws::Beta;
/// let prior = Beta::new(2.0, 3.0)?;
/// let data = Trials::new(7.0, 3.0)?;
/// assert_eq!(prior.most_likely(&data), Some(0.7));
/// assert_eq!(prior.posterior(&data)?.most_believed(), Mode::At(8.0 / 13.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub trait PointEstimates<X: Copy>: Conjugate<X> {
    /// The parameter that makes the data most likely, where there is one; the prior is not
    /// asked.
    fn most_likely(&self, data: &Self::Statistic) -> Option<Self::Parameter>;

    /// The parameter of highest density: of a posterior, the maximum a posteriori. The kind of
    /// mode says why there may be none.
    fn most_believed(&self) -> Mode<Self::Parameter>;
}

#[cfg(test)]
mod laws_of_conjugacy;
