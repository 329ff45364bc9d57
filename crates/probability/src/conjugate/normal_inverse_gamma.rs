//! The prior of mean and variance of normal values.

use super::{Conjugate, NumberMoments, PointEstimates, Statistic};
use crate::check::{self, law};
use crate::laws::{InverseGamma, Normal, StudentT};
use crate::special::log_gamma_ratio;
use crate::{Density, Draw, Modal, Mode};
use didact_core::Result;
use didact_core::random::Generator;
use std::f64::consts::TAU;

law! {
    /// The normal-inverse-gamma law of a mean μ and a variance σ²:
    /// √γ/√(2πσ²)·βᵅ/Γ(α)·(σ²)^(−α−1)·exp(−(2β+γ(δ−μ)²)/(2σ²)).
    ///
    /// σ² is inverse gamma (α, β), and μ given σ² is N(δ, σ²/γ): δ is the prior mean and γ the
    /// number of observations that it is worth.
    ///
    /// ```
    /// use didact_probability::conjugate::{Conjugate, NormalInverseGamma, PointEstimates};
    /// use didact_probability::Density;
    /// let prior = NormalInverseGamma::new(2.0, 1.5, 0.5, 1.0)?;
    /// let posterior = prior.update([1.0, 2.0, 4.0, 3.5])?;
    /// let (mean, variance) = posterior.most_believed().point().unwrap();
    /// assert!((mean - 2.444_444_4).abs() < 1e-7 && (variance - 0.896_464_6).abs() < 1e-7);
    /// assert!((posterior.predictive()?.density(3.0) - 0.281_166_4).abs() < 1e-7);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct NormalInverseGamma {
        alpha: f64,
        beta: f64,
        gamma: f64,
        delta: f64,
    }
}

impl NormalInverseGamma {
    /// The law with shape α and scale β of the variance, pseudo-count γ and mean δ.
    pub fn new(alpha: f64, beta: f64, gamma: f64, delta: f64) -> Result<Self> {
        Ok(NormalInverseGamma {
            alpha: check::positive("alpha", alpha)?,
            beta: check::positive("beta", beta)?,
            gamma: check::positive("gamma", gamma)?,
            delta: check::finite("delta", delta)?,
        })
    }

    /// The same law as other books write it: mean m worth κ observations, variance σ₀² worth ν;
    /// α = ν/2, β = νσ₀²/2, γ = κ, δ = m.
    pub fn with_pseudo_counts(
        mean: f64,
        mean_count: f64,
        variance: f64,
        variance_count: f64,
    ) -> Result<Self> {
        let variance = check::positive("variance", variance)?;
        let count = check::positive("variance_count", variance_count)?;
        let kappa = check::positive("mean_count", mean_count)?;
        NormalInverseGamma::new(0.5 * count, 0.5 * count * variance, kappa, mean)
    }

    /// (m, κ, σ₀², ν), the arguments of [`NormalInverseGamma::with_pseudo_counts`].
    pub fn pseudo_counts(&self) -> (f64, f64, f64, f64) {
        (
            self.delta,
            self.gamma,
            self.beta / self.alpha,
            2.0 * self.alpha,
        )
    }

    /// The shape α of the variance.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The scale β of the variance.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The number γ of observations that the mean is worth.
    pub fn gamma(&self) -> f64 {
        self.gamma
    }

    /// The prior mean δ.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    /// What is believed about the variance alone.
    pub fn variance_belief(&self) -> Result<InverseGamma> {
        InverseGamma::new(self.alpha, self.beta)
    }

    /// What is believed about the mean alone: Student t with 2α degrees of freedom.
    pub fn mean_belief(&self) -> Result<StudentT> {
        let scale = (self.beta / self.alpha / self.gamma).sqrt();
        StudentT::new(2.0 * self.alpha, self.delta, scale)
    }
}

impl Density<(f64, f64)> for NormalInverseGamma {
    /// The log-density at (mean, variance).
    fn log_density(&self, (mean, variance): (f64, f64)) -> f64 {
        if variance <= 0.0 || !variance.is_finite() {
            return f64::NEG_INFINITY;
        }
        let conditional = Normal::with_variance(self.delta, variance / self.gamma);
        match (self.variance_belief(), conditional) {
            (Ok(belief), Ok(normal)) => belief.log_density(variance) + normal.log_density(mean),
            _ => f64::NEG_INFINITY,
        }
    }
}

impl Modal<(f64, f64)> for NormalInverseGamma {
    /// The joint mode (δ, 2β/(2α+3)), not the pair of marginal modes.
    fn mode(&self) -> Mode<(f64, f64)> {
        Mode::At((self.delta, 2.0 * self.beta / (2.0 * self.alpha + 3.0)))
    }
}

impl Draw<(f64, f64)> for NormalInverseGamma {
    fn draw(&self, generator: &mut Generator) -> (f64, f64) {
        // The parameters were checked when the law was made.
        let variance = 1.0 / (crate::laws::sampling::gamma(self.alpha, generator) / self.beta);
        let noise = crate::laws::sampling::standard_normal(generator);
        (
            self.delta + noise * (variance / self.gamma).sqrt(),
            variance,
        )
    }
}

impl Conjugate<f64> for NormalInverseGamma {
    type Statistic = NumberMoments;
    type Parameter = (f64, f64);
    type Likelihood = Normal;
    type Predictive = StudentT;

    fn no_data(&self) -> NumberMoments {
        NumberMoments::default()
    }

    fn posterior(&self, data: &NumberMoments) -> Result<Self> {
        data.check()?;
        let n = data.weight();
        let gamma = self.gamma + n;
        let shift = data.mean_relative_to(self.delta);
        // The centred form: Σx² + γδ² − γ̃δ̃² would cancel for data far from zero.
        let scatter = data.scatter() + self.gamma * (n / gamma) * shift * shift;
        NormalInverseGamma::new(
            self.alpha + 0.5 * n,
            self.beta + 0.5 * scatter,
            gamma,
            self.delta + n / gamma * shift,
        )
    }

    /// −N/2·ln 2π + ½·ln(γ/γ̃) + α·ln β − α̃·ln β̃ + ln Γ(α̃) − ln Γ(α).
    fn log_evidence(&self, data: &NumberMoments) -> Result<f64> {
        let after = self.posterior(data)?;
        let n = data.weight();
        let powers = self.alpha * (self.beta / after.beta).ln() - 0.5 * n * after.beta.ln();
        Ok(-0.5 * n * TAU.ln()
            + 0.5 * (self.gamma / after.gamma).ln()
            + powers
            + log_gamma_ratio(self.alpha, 0.5 * n))
    }

    /// Student t with 2α degrees of freedom, location δ and squared scale β(γ+1)/(αγ).
    fn predictive(&self) -> Result<StudentT> {
        let square = self.beta / self.alpha * (1.0 + 1.0 / self.gamma);
        StudentT::new(2.0 * self.alpha, self.delta, square.sqrt())
    }

    fn log_belief(&self, parameter: &(f64, f64)) -> f64 {
        self.log_density(*parameter)
    }

    fn likelihood(&self, parameter: &(f64, f64)) -> Result<Normal> {
        Normal::with_variance(parameter.0, parameter.1)
    }
}

impl PointEstimates<f64> for NormalInverseGamma {
    /// The mean and the variance divided by n, where the values differ.
    fn most_likely(&self, data: &NumberMoments) -> Option<(f64, f64)> {
        let (n, scatter) = (data.weight(), data.scatter());
        (n > 0.0 && scatter > 0.0).then(|| (data.mean(), scatter / n))
    }

    fn most_believed(&self) -> Mode<(f64, f64)> {
        self.mode()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quadrature::integrate;
    use crate::testing::assert_relative;
    use crate::{Cumulative, Moments};
    use didact_core::random::generator;

    const DATA: [f64; 4] = [1.0, 2.0, 4.0, 3.5];

    fn prior() -> NormalInverseGamma {
        NormalInverseGamma::new(2.0, 1.5, 0.5, 1.0).unwrap()
    }

    // 003:P32, 003:P34, 003:P48 and section 3 of 003.
    #[test]
    fn the_printed_posterior_estimates_and_evidence_are_found() {
        let posterior = prior().update(DATA).unwrap();
        let found = [
            posterior.alpha,
            posterior.beta,
            posterior.gamma,
            posterior.delta,
        ];
        for (found, expected) in found.iter().zip([4.0, 4.9305556, 4.5, 2.4444444]) {
            assert!((found - expected).abs() < 1e-7);
        }
        let data = NumberMoments::of(&DATA);
        let (mean, variance) = prior().most_likely(&data).unwrap();
        assert_relative(mean, 2.625, 1e-15);
        assert_relative(variance, 1.421875, 1e-15);
        let (mean, variance) = posterior.mode().point().unwrap();
        assert!((mean - 2.4444444).abs() < 1e-7 && (variance - 0.8964646).abs() < 1e-7);
        let predictive = posterior.predictive().unwrap();
        assert_relative(predictive.freedom(), 8.0, 1e-15);
        assert!((predictive.scale().powi(2) - 1.5065586).abs() < 1e-7);
        assert!((predictive.density(3.0) - 0.2811664).abs() < 1e-7);
        assert_relative(
            prior().log_evidence(&data).unwrap().exp(),
            1.9287207e-4,
            1e-7,
        );
    }

    // 003:P32: σ̂² = (Σ(x−μ̂)² + 2β + γ(δ−μ̂)²)/(N+3+2α) with μ̂ the MAP mean in both terms;
    // dividing by N+1+2α, the mode of the marginal law, would be another number.
    #[test]
    fn the_joint_mode_divides_by_n_plus_three_plus_two_alpha() {
        let posterior = prior().update(DATA).unwrap();
        let (mean, variance) = posterior.mode().point().unwrap();
        let squares: f64 = DATA.iter().map(|x| (x - mean).powi(2)).sum();
        let top = squares + 3.0 + 0.5 * (1.0 - mean).powi(2);
        assert_relative(variance, top / (4.0 + 3.0 + 4.0), 1e-13);
        let marginal = posterior.variance_belief().unwrap().mode().point().unwrap();
        assert!((marginal - variance).abs() > 0.05);
        // And it is the top.
        let at = |m: f64, v: f64| posterior.log_density((m, v));
        for (dm, dv) in [(1e-4, 0.0), (-1e-4, 0.0), (0.0, 1e-4), (0.0, -1e-4)] {
            assert!(at(mean + dm, variance + dv) < at(mean, variance));
        }
    }

    // 003:P09
    #[test]
    fn the_density_integrates_to_one_and_its_conversions_agree() {
        let law = NormalInverseGamma::new(4.0, 3.0, 2.0, 1.0).unwrap();
        let over_mean = |v: f64| {
            integrate(f64::NEG_INFINITY, f64::INFINITY, |m| {
                law.density((m + 1.0, v))
            })
            .unwrap()
        };
        assert_relative(integrate(0.0, f64::INFINITY, over_mean).unwrap(), 1.0, 1e-8);
        let (m, kappa, variance, nu) = law.pseudo_counts();
        let same = NormalInverseGamma::with_pseudo_counts(m, kappa, variance, nu).unwrap();
        assert_eq!((same.gamma, same.delta, 2.0 * same.alpha), (kappa, m, nu));
        assert_relative(same.beta, law.beta, 1e-15);
        assert_eq!(law.density((0.0, -1.0)), 0.0);
        assert!(NormalInverseGamma::new(0.0, 1.0, 1.0, 0.0).is_err());
    }

    // 003:P34: the printed β + ½Σx² + ½γδ² − ½γ̃δ̃² loses every digit here.
    #[test]
    fn the_centred_form_survives_a_large_offset() {
        let offset = 1e9;
        let far = NormalInverseGamma::new(2.0, 1.5, 0.5, 1.0 + offset).unwrap();
        let posterior = far.update(DATA.map(|x| x + offset)).unwrap();
        assert_relative(posterior.beta, prior().update(DATA).unwrap().beta, 1e-12);
        let sum: f64 = DATA.iter().map(|x| (x + offset).powi(2)).sum();
        let naive = 1.5 + 0.5 * sum + 0.25 * (1.0 + offset).powi(2)
            - 0.5 * posterior.gamma * posterior.delta.powi(2);
        assert!((naive - posterior.beta).abs() > 1.0);
    }

    // 003:P33, 003:P34: plug-in tails are too narrow, and the predictive tends to them.
    #[test]
    fn the_predictive_has_wider_tails_than_the_plug_in_law_until_data_abound() {
        let posterior = prior().update(DATA).unwrap();
        let (mean, variance) = posterior.mode().point().unwrap();
        let plug_in = posterior.likelihood(&(mean, variance)).unwrap();
        let far = mean + 5.0;
        assert!(posterior.predictive().unwrap().survival(far) > 5.0 * plug_in.survival(far));
        let law = Normal::with_deviation(3.0, 2.0).unwrap();
        let many = law.draw_many(20_000, &mut generator(1, 0));
        let posterior = prior().update(many.iter().copied()).unwrap();
        let (mean, variance) = prior().most_likely(&NumberMoments::of(&many)).unwrap();
        let plug_in = posterior.likelihood(&(mean, variance)).unwrap();
        let predictive = posterior.predictive().unwrap();
        for x in [-1.0, 3.0, 8.0] {
            assert!((predictive.log_density(x) - plug_in.log_density(x)).abs() < 2e-3);
        }
    }

    // 003:P09
    #[test]
    fn draws_follow_the_marginal_laws() {
        let law = NormalInverseGamma::new(5.0, 3.0, 2.0, 1.0).unwrap();
        let n = 10_000;
        let draws = law.draw_many(n, &mut generator(3, 0));
        let check = |values: Vec<f64>, mean: f64, variance: f64| {
            let found = values.iter().sum::<f64>() / n as f64;
            assert!((found - mean).abs() < 5.0 * (variance / n as f64).sqrt());
        };
        let (of_mean, of_variance) = (law.mean_belief().unwrap(), law.variance_belief().unwrap());
        let (means, variances): (Vec<f64>, Vec<f64>) = draws.into_iter().unzip();
        check(means, of_mean.mean().unwrap(), of_mean.variance().unwrap());
        check(
            variances,
            of_variance.mean().unwrap(),
            of_variance.variance().unwrap(),
        );
    }
}
