//! The normal prior of a normal mean, with known variance.

use super::{Conjugate, NumberMoments, PointEstimates, Statistic};
use crate::gaussian::normal_sum;
use crate::laws::Normal;
use crate::{Density, Mode, check};
use didact_core::Result;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// What is believed about the mean of normal values of known variance σ²: the mean itself is
/// N(μ₀, σ₀²).
///
/// After N values: 1/σₙ² = 1/σ₀² + N/σ² and μₙ = σₙ²·(Σx/σ² + μ₀/σ₀²).
///
/// ```
/// use didact_probability::conjugate::{Conjugate, NormalMean};
/// let prior = NormalMean::with_variances(1.0, 4.0, 2.0)?;
/// let posterior = prior.update([2.5])?;
/// assert!((posterior.belief().location() - 2.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct NormalMean {
    belief: Normal,
    noise: Normal,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    belief: Normal,
    noise_deviation: f64,
}

impl TryFrom<Raw> for NormalMean {
    type Error = didact_core::Error;

    fn try_from(raw: Raw) -> Result<Self> {
        NormalMean::new(raw.belief, raw.noise_deviation)
    }
}

impl From<NormalMean> for Raw {
    fn from(prior: NormalMean) -> Self {
        Raw {
            belief: prior.belief,
            noise_deviation: prior.noise.deviation(),
        }
    }
}

impl NormalMean {
    /// The mean is believed to follow `belief`; values scatter about it with this deviation.
    pub fn new(belief: Normal, noise_deviation: f64) -> Result<Self> {
        let noise_deviation = check::positive("noise_deviation", noise_deviation)?;
        Ok(NormalMean {
            belief,
            noise: Normal::with_deviation(0.0, noise_deviation)?,
        })
    }

    /// The prior by mean μ₀, variance σ₀² and variance σ² of the values.
    pub fn with_variances(mean: f64, variance: f64, noise_variance: f64) -> Result<Self> {
        let noise = check::positive("noise_variance", noise_variance)?;
        NormalMean::new(Normal::with_variance(mean, variance)?, noise.sqrt())
    }

    /// The prior by mean, precision λ₀ = 1/σ₀² and precision λ = 1/σ² of the values.
    pub fn with_precisions(mean: f64, precision: f64, noise_precision: f64) -> Result<Self> {
        let precision = check::positive("precision", precision)?;
        let noise = check::positive("noise_precision", noise_precision)?;
        NormalMean::with_variances(mean, 1.0 / precision, 1.0 / noise)
    }

    /// What is believed about the mean.
    pub fn belief(&self) -> &Normal {
        &self.belief
    }

    /// The deviation σ of the values about the mean.
    pub fn noise_deviation(&self) -> f64 {
        self.noise.deviation()
    }
}

impl Conjugate<f64> for NormalMean {
    type Statistic = NumberMoments;
    type Parameter = f64;
    type Likelihood = Normal;
    type Predictive = Normal;

    fn no_data(&self) -> NumberMoments {
        NumberMoments::default()
    }

    fn posterior(&self, data: &NumberMoments) -> Result<Self> {
        data.check()?;
        let (own, noise) = (self.belief.deviation(), self.noise.deviation());
        // The spread of the sample mean about what was believed, times √n.
        let spread = noise.hypot(own * data.weight().sqrt());
        let gain = data.weight() * (own / spread).powi(2);
        let mean = self.belief.location() + gain * data.mean_relative_to(self.belief.location());
        NormalMean::new(Normal::with_deviation(mean, own * (noise / spread))?, noise)
    }

    fn log_evidence(&self, data: &NumberMoments) -> Result<f64> {
        data.check()?;
        let (n, noise) = (data.weight(), self.noise.deviation());
        let ratio = n * (self.belief.deviation() / noise).powi(2);
        let shift = data.mean_relative_to(self.belief.location()) / noise;
        Ok(-0.5
            * (n * (TAU.ln() + 2.0 * noise.ln())
                + ratio.ln_1p()
                + data.scatter() / (noise * noise)
                + n * shift * shift / (1.0 + ratio)))
    }

    fn predictive(&self) -> Result<Normal> {
        normal_sum(&self.belief, &self.noise)
    }

    fn log_belief(&self, parameter: &f64) -> f64 {
        self.belief.log_density(*parameter)
    }

    fn likelihood(&self, parameter: &f64) -> Result<Normal> {
        Normal::with_deviation(*parameter, self.noise.deviation())
    }
}

impl PointEstimates<f64> for NormalMean {
    fn most_likely(&self, data: &NumberMoments) -> Option<f64> {
        (data.weight() > 0.0).then(|| data.mean())
    }

    fn most_believed(&self) -> Mode<f64> {
        Mode::At(self.belief.location())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_relative;

    // 000b:P10, 000b:TV-19: with μσ² printed for μ₀σ² the mean would depend on itself.
    #[test]
    fn one_observation_moves_the_mean_by_its_share() {
        let prior = NormalMean::with_variances(1.0, 4.0, 2.0).unwrap();
        let posterior = prior.update([2.5]).unwrap();
        // 1 + 1.5·4/6 and (½ + ¼)⁻¹
        assert_relative(posterior.belief().location(), 2.0, 1e-15);
        assert_relative(posterior.belief().deviation().powi(2), 4.0 / 3.0, 1e-14);
    }

    // 000b:P11, 000b:TV-19: the coefficient of μ² is N/2σ² + 1/2σ₀², printed without the N the
    // variance would stay 4/3.
    #[test]
    fn several_observations_have_the_printed_posterior() {
        let prior = NormalMean::with_variances(1.0, 4.0, 2.0).unwrap();
        let posterior = prior.update([2.5, 3.0, 1.5]).unwrap();
        assert_relative(posterior.belief().location(), 15.0 / 7.0, 1e-14);
        assert_relative(posterior.belief().deviation().powi(2), 4.0 / 7.0, 1e-14);
        assert_relative(posterior.belief().location(), 2.142857142857, 1e-12);
    }

    // 000b:P12
    #[test]
    fn the_precision_form_agrees() {
        let by_precision = NormalMean::with_precisions(1.0, 0.25, 0.5).unwrap();
        let data = [2.5, 3.0, 1.5];
        let found = by_precision.update(data).unwrap();
        // λₙ = λ₀ + Nλ; μₙ = (μ₀λ₀ + N·x̄·λ)/λₙ
        let precision = 0.25 + 3.0 * 0.5;
        let mean = (0.25 + data.iter().sum::<f64>() * 0.5) / precision;
        assert_relative(found.belief().location(), mean, 1e-14);
        assert_relative(found.belief().deviation().powi(-2), precision, 1e-14);
    }

    // 000b:P11
    #[test]
    fn the_limits_are_the_sample_mean_and_the_prior() {
        let vague = NormalMean::with_variances(1.0, 1e20, 2.0).unwrap();
        assert_relative(
            vague.update([2.5, 3.5]).unwrap().belief().location(),
            3.0,
            1e-14,
        );
        let many = NormalMean::with_variances(1.0, 4.0, 2.0).unwrap();
        let data = std::iter::repeat_n(5.0, 100_000);
        assert!((many.update(data).unwrap().belief().location() - 5.0).abs() < 1e-4);
        let sure = NormalMean::with_variances(1.0, 1e-20, 2.0).unwrap();
        assert_relative(
            sure.update([2.5, 3.5]).unwrap().belief().location(),
            1.0,
            1e-14,
        );
        assert!(NormalMean::with_variances(0.0, 1.0, 0.0).is_err());
        assert!(many.update([f64::NAN]).is_err());
    }

    #[test]
    fn a_prior_survives_a_file() {
        let prior = NormalMean::with_variances(1.0, 4.0, 9.0).unwrap();
        let text = serde_json::to_string(&prior).unwrap();
        assert_eq!(serde_json::from_str::<NormalMean>(&text).unwrap(), prior);
    }
}
