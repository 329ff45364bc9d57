//! Three ways to predict the next value.

use super::{Conjugate, PointEstimates};
use crate::Density;
use didact_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// How the parameter is dealt with when the next value is predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prediction {
    /// As if the most likely parameter were the true one.
    MaximumLikelihood,
    /// As if the most believed parameter were the true one.
    MaximumPosterior,
    /// With the parameter averaged out: ∫ p(x|θ)·p(θ|D) dθ.
    PosteriorPredictive,
}

/// The law of the next value.
///
/// ```
/// use didact_probability::Density;
/// use didact_probability::conjugate::{Conjugate, Predicted, Prediction};
/// use didact_probability::laws::Beta;
/// let prior = Beta::new(1.0, 1.0)?;
/// let data = prior.summarise([false, false]);
/// let chance = |style| Predicted::new(&prior, &data, style).map(|law| law.density(true));
/// assert_eq!(chance(Prediction::MaximumLikelihood)?, 0.0); // never seen, so impossible
/// assert_eq!(chance(Prediction::PosteriorPredictive)?, 0.25);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Predicted<L, P> {
    /// The likelihood with one parameter put in.
    PlugIn(L),
    /// The likelihood averaged over the posterior.
    Averaged(P),
}

impl<L, P> Predicted<L, P> {
    /// Predicts after data, in the given way.
    pub fn new<X: Copy, C>(prior: &C, data: &C::Statistic, style: Prediction) -> Result<Self>
    where
        C: PointEstimates<X> + Conjugate<X, Likelihood = L, Predictive = P>,
        L: Density<X>,
        P: Density<X>,
    {
        let parameter = match style {
            Prediction::MaximumLikelihood => prior.most_likely(data),
            Prediction::MaximumPosterior => prior.posterior(data)?.most_believed().point(),
            Prediction::PosteriorPredictive => {
                return Ok(Predicted::Averaged(prior.posterior(data)?.predictive()?));
            }
        };
        let parameter = parameter.ok_or_else(|| {
            Error::data(
                "no single parameter stands out after these data; \
                 predict with the posterior predictive instead",
            )
        })?;
        Ok(Predicted::PlugIn(prior.likelihood(&parameter)?))
    }
}

impl<X, L: Density<X>, P: Density<X>> Density<X> for Predicted<L, P> {
    fn log_density(&self, x: X) -> f64 {
        match self {
            Predicted::PlugIn(law) => law.log_density(x),
            Predicted::Averaged(law) => law.log_density(x),
        }
    }

    fn density(&self, x: X) -> f64 {
        match self {
            Predicted::PlugIn(law) => law.density(x),
            Predicted::Averaged(law) => law.density(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conjugate::{NormalInverseGamma, Trials};
    use crate::laws::Beta;
    use crate::testing::assert_relative;

    // 003:P25, 003:P33
    #[test]
    fn the_three_styles_have_three_answers() {
        let prior = Beta::new(2.0, 3.0).unwrap();
        let data = Trials::new(7.0, 3.0).unwrap();
        let chance = |style| Predicted::new(&prior, &data, style).unwrap().density(true);
        assert_relative(chance(Prediction::MaximumLikelihood), 0.7, 1e-15);
        assert_relative(chance(Prediction::MaximumPosterior), 8.0 / 13.0, 1e-15);
        assert_relative(chance(Prediction::PosteriorPredictive), 0.6, 1e-15);
    }

    #[test]
    fn without_data_only_the_average_can_be_predicted() {
        let flat = Beta::new(1.0, 1.0).unwrap();
        let nothing = Trials::default();
        assert!(Predicted::new(&flat, &nothing, Prediction::MaximumLikelihood).is_err());
        assert!(Predicted::new(&flat, &nothing, Prediction::MaximumPosterior).is_err());
        assert!(Predicted::new(&flat, &nothing, Prediction::PosteriorPredictive).is_ok());
        // One value has no variance of its own.
        let prior = NormalInverseGamma::new(2.0, 1.0, 1.0, 0.0).unwrap();
        let one = prior.summarise([3.0]);
        assert!(Predicted::new(&prior, &one, Prediction::MaximumLikelihood).is_err());
        assert!(Predicted::new(&prior, &one, Prediction::MaximumPosterior).is_ok());
    }
}
