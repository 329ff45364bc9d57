//! Mixtures of conjugate priors, which are conjugate again.

use super::Conjugate;
use crate::check;
use crate::laws::Mixture;
use crate::special::log_shares_in_place;
use didact_core::{Error, Result};
use didact_math::numeric::log_sum_exp;
use serde::{Deserialize, Serialize};

/// Several beliefs, each with the probability that it is the right one:
/// Σₖ p(z=k)·p(θ|z=k).
///
/// Data change the components *and* the weights, p(z=k|D) ∝ p(z=k)·p(D|z=k).
///
/// ```
/// use didact_probability::conjugate::{Conjugate, MixturePrior, Trials};
/// use didact_probability::{Density, laws::Beta};
/// let prior = MixturePrior::new(
///     vec![0.5, 0.5],
///     vec![Beta::new(20.0, 20.0)?, Beta::new(30.0, 10.0)?],
/// )?;
/// let posterior = prior.posterior(&Trials::new(20.0, 10.0)?)?;
/// assert!((posterior.weights()[0] - 0.345_759_7).abs() < 1e-7);
/// assert!((posterior.predictive()?.density(true) - 0.664_891_5).abs() < 1e-7);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw<P>")]
#[serde(bound(deserialize = "P: Deserialize<'de>"))]
pub struct MixturePrior<P> {
    weights: Vec<f64>,
    components: Vec<P>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw<P> {
    weights: Vec<f64>,
    components: Vec<P>,
}

impl<P> TryFrom<Raw<P>> for MixturePrior<P> {
    type Error = Error;

    fn try_from(raw: Raw<P>) -> Result<Self> {
        MixturePrior::new(raw.weights, raw.components)
    }
}

impl<P> MixturePrior<P> {
    /// These beliefs with these probabilities.
    pub fn new(weights: Vec<f64>, components: Vec<P>) -> Result<Self> {
        check::probabilities("weights", &weights)?;
        check::same_dimension("components", components.len(), weights.len())?;
        Ok(MixturePrior {
            weights,
            components,
        })
    }

    /// The probability of each component.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The components.
    pub fn components(&self) -> &[P] {
        &self.components
    }

    fn joint_logs(&self, log: impl Fn(&P) -> Result<f64>) -> Result<Vec<f64>> {
        let pairs = self.weights.iter().zip(&self.components);
        pairs
            .map(|(weight, component)| Ok(weight.ln() + log(component)?))
            .collect()
    }
}

impl<X: Copy, P: Conjugate<X>> Conjugate<X> for MixturePrior<P> {
    type Statistic = P::Statistic;
    type Parameter = P::Parameter;
    type Likelihood = P::Likelihood;
    type Predictive = Mixture<P::Predictive>;

    fn no_data(&self) -> P::Statistic {
        // `new` does not accept an empty mixture.
        self.components[0].no_data()
    }

    fn posterior(&self, data: &P::Statistic) -> Result<Self> {
        let mut logs = self.joint_logs(|component| component.log_evidence(data))?;
        // Evidences differ by hundreds of nats; only their logarithms can be compared.
        if log_shares_in_place(&mut logs) == f64::NEG_INFINITY {
            return Err(Error::data(
                "no component of the mixture allows these data; all evidences are zero",
            ));
        }
        let components = self.components.iter();
        MixturePrior::new(
            logs.into_iter().map(f64::exp).collect(),
            components
                .map(|component| component.posterior(data))
                .collect::<Result<_>>()?,
        )
    }

    fn log_evidence(&self, data: &P::Statistic) -> Result<f64> {
        let logs = self.joint_logs(|component| component.log_evidence(data))?;
        Ok(log_sum_exp(&logs))
    }

    fn predictive(&self) -> Result<Mixture<P::Predictive>> {
        let components = self.components.iter().map(Conjugate::predictive);
        Mixture::new(self.weights.clone(), components.collect::<Result<_>>()?)
    }

    fn log_belief(&self, parameter: &P::Parameter) -> f64 {
        let pairs = self.weights.iter().zip(&self.components);
        let logs: Vec<f64> = pairs
            .map(|(weight, component)| weight.ln() + component.log_belief(parameter))
            .collect();
        log_sum_exp(&logs)
    }

    fn likelihood(&self, parameter: &P::Parameter) -> Result<P::Likelihood> {
        self.components[0].likelihood(parameter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Density;
    use crate::conjugate::{NormalInverseGamma, Trials};
    use crate::laws::Beta;
    use crate::quadrature::integrate;
    use crate::testing::assert_relative;

    fn prior() -> MixturePrior<Beta> {
        let components = vec![
            Beta::new(20.0, 20.0).unwrap(),
            Beta::new(30.0, 10.0).unwrap(),
        ];
        MixturePrior::new(vec![0.5, 0.5], components).unwrap()
    }

    // 003:P57 and section 3 of 003: keeping the prior weights, the classic error, would predict
    // (40/70 + 50/70)/2 = 0.642857.
    #[test]
    fn the_weights_change_with_the_evidence() {
        let data = Trials::new(20.0, 10.0).unwrap();
        let posterior = prior().posterior(&data).unwrap();
        assert!((posterior.weights()[0] - 0.3457597).abs() < 1e-7);
        assert!((posterior.weights()[1] - 0.6542403).abs() < 1e-7);
        assert_eq!(posterior.components()[0], Beta::new(40.0, 30.0).unwrap());
        assert_eq!(posterior.components()[1], Beta::new(50.0, 20.0).unwrap());
        let predictive = posterior.predictive().unwrap().density(true);
        assert!((predictive - 0.6648915).abs() < 1e-7);
        assert!((predictive - 0.642857).abs() > 0.02);
    }

    // 003:P57: numeric normalisation.
    #[test]
    fn the_posterior_is_the_normalised_product_of_prior_and_likelihood() {
        let data = Trials::new(20.0, 10.0).unwrap();
        let posterior = prior().posterior(&data).unwrap();
        let likelihood = |t: f64| 20.0 * t.ln() + 10.0 * (-t).ln_1p();
        let joint = |t: f64| (prior().log_belief(&t) + likelihood(t)).exp();
        let evidence = integrate(0.0, 1.0, joint).unwrap();
        assert_relative(prior().log_evidence(&data).unwrap().exp(), evidence, 1e-10);
        for t in [0.3, 0.6, 0.8] {
            assert_relative(posterior.log_belief(&t).exp(), joint(t) / evidence, 1e-10);
        }
    }

    // 003:P57
    #[test]
    fn one_component_is_plain_conjugacy_and_far_evidences_do_not_underflow() {
        let alone = MixturePrior::new(vec![1.0], vec![Beta::new(2.0, 3.0).unwrap()]).unwrap();
        let data = Trials::new(7.0, 3.0).unwrap();
        let posterior = alone.posterior(&data).unwrap();
        assert_eq!(posterior.components()[0], Beta::new(9.0, 6.0).unwrap());
        let near = NormalInverseGamma::new(2.0, 1.0, 1.0, 0.0).unwrap();
        let far = NormalInverseGamma::new(200.0, 1.0, 100.0, 50.0).unwrap();
        let mixed = MixturePrior::new(vec![0.01, 0.99], vec![near, far]).unwrap();
        let values = (0..500).map(|i| f64::from(i % 7) - 3.0);
        let posterior = mixed.update(values).unwrap();
        assert_relative(posterior.weights()[0], 1.0, 1e-12);
    }

    #[test]
    fn weights_are_checked_also_in_files() {
        let beta = Beta::new(1.0, 1.0).unwrap();
        assert!(MixturePrior::new(vec![0.5, 0.4], vec![beta, beta]).is_err());
        assert!(MixturePrior::new(vec![1.0], vec![beta, beta]).is_err());
        let text = serde_json::to_string(&prior()).unwrap();
        assert_eq!(
            serde_json::from_str::<MixturePrior<Beta>>(&text).unwrap(),
            prior()
        );
        let broken = text.replace("0.5", "0.7");
        assert!(serde_json::from_str::<MixturePrior<Beta>>(&broken).is_err());
    }
}
