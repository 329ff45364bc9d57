//! The beta prior of a probability.

use super::{Conjugate, PointEstimates, Statistic, Trials};
use crate::laws::{Bernoulli, Beta};
use crate::special::log_beta;
use crate::{Density, Modal, Mode};
use didact_core::Result;

impl Conjugate<bool> for Beta {
    type Statistic = Trials;
    type Parameter = f64;
    type Likelihood = Bernoulli;
    type Predictive = Bernoulli;

    fn no_data(&self) -> Trials {
        Trials::default()
    }

    /// Beta(a + successes, b + failures).
    fn posterior(&self, data: &Trials) -> Result<Self> {
        let data = Trials::new(data.successes, data.failures)?;
        Beta::new(self.a() + data.successes, self.b() + data.failures)
    }

    /// ln B(a+N₁, b+N₀) − ln B(a, b): of one ordered sequence; the count itself follows
    /// [`super::BetaBinomial`].
    fn log_evidence(&self, data: &Trials) -> Result<f64> {
        let after = self.posterior(data)?;
        Ok(log_beta(after.a(), after.b()) - log_beta(self.a(), self.b()))
    }

    /// p(success) = a/(a+b): no −1 and −2 as in the mode.
    fn predictive(&self) -> Result<Bernoulli> {
        Bernoulli::new(self.a() / (self.a() + self.b()))
    }

    fn log_belief(&self, parameter: &f64) -> f64 {
        self.log_density(*parameter)
    }

    fn likelihood(&self, parameter: &f64) -> Result<Bernoulli> {
        Bernoulli::new(*parameter)
    }
}

impl PointEstimates<bool> for Beta {
    /// N₁/N, where there are data.
    fn most_likely(&self, data: &Trials) -> Option<f64> {
        (data.weight() > 0.0).then(|| data.successes / data.weight())
    }

    fn most_believed(&self) -> Mode<f64> {
        self.mode()
    }
}

/// An estimate as a compromise: (1−λ)·(what the data say) + λ·(what was believed).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shrinkage {
    /// The weight λ of the prior; it vanishes as data arrive.
    pub weight: f64,
    /// The point of the prior towards which the estimate is drawn.
    pub point: f64,
}

/// The mode of the posterior as a compromise between N₁/N and the prior *mode*
/// (a−1)/(a+b−2), with λ = (a+b−2)/(N+a+b−2); for a, b > 1.
///
/// ```
/// use didact_probability::conjugate::{Trials, mode_shrinkage};
/// use didact_probability::laws::Beta;
/// let found = mode_shrinkage(&Beta::new(2.0, 3.0)?, &Trials::new(7.0, 3.0)?).unwrap();
/// assert_eq!((found.weight, found.point), (3.0 / 13.0, 1.0 / 3.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn mode_shrinkage(prior: &Beta, data: &Trials) -> Option<Shrinkage> {
    let (a, b) = (prior.a() - 1.0, prior.b() - 1.0);
    (a >= 0.0 && b >= 0.0 && a + b > 0.0).then(|| Shrinkage {
        weight: (a + b) / (data.weight() + a + b),
        point: a / (a + b),
    })
}

/// The mean of the posterior as a compromise between N₁/N and the prior *mean* a/(a+b), with
/// λ = (a+b)/(N+a+b).
pub fn mean_shrinkage(prior: &Beta, data: &Trials) -> Shrinkage {
    let total = prior.a() + prior.b();
    Shrinkage {
        weight: total / (data.weight() + total),
        point: prior.a() / total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conjugate::BetaBinomial;
    use crate::quadrature::integrate;
    use crate::testing::assert_relative;
    use crate::{Cumulative, Moments};

    fn example() -> (Beta, Trials) {
        (Beta::new(2.0, 3.0).unwrap(), Trials::new(7.0, 3.0).unwrap())
    }

    // 003:P22, 003:P23, 003:P24, 003:P25, 003:P26 and the numbers of section 3 of 003.
    #[test]
    fn the_three_estimates_have_three_denominators() {
        let (prior, data) = example();
        let posterior = prior.posterior(&data).unwrap();
        assert_eq!((posterior.a(), posterior.b()), (9.0, 6.0));
        assert_eq!(prior.most_likely(&data), Some(0.7));
        assert_relative(
            posterior.most_believed().point().unwrap(),
            8.0 / 13.0,
            1e-15,
        );
        assert_relative(posterior.predictive().unwrap().probability(), 0.6, 1e-15);
        assert!((posterior.median() - 0.604557).abs() < 1e-6);
        let found = mode_shrinkage(&prior, &data).unwrap();
        let compromise = (1.0 - found.weight) * 0.7 + found.weight * found.point;
        assert_relative(compromise, 8.0 / 13.0, 1e-15);
        let found = mean_shrinkage(&prior, &data);
        let compromise = (1.0 - found.weight) * 0.7 + found.weight * found.point;
        assert_relative(compromise, posterior.mean().unwrap(), 1e-15);
    }

    // 003:P23: N = 0 with a = b = 1 has no most believed value, and says so by type.
    #[test]
    fn undefined_estimates_are_typed() {
        let flat = Beta::new(1.0, 1.0).unwrap();
        let nothing = flat.posterior(&Trials::default()).unwrap();
        assert_eq!(nothing.most_believed(), Mode::Everywhere);
        assert_eq!(flat.most_likely(&Trials::default()), None);
        let heads = Trials::new(3.0, 0.0).unwrap();
        // With a flat prior the most believed value is the most likely one.
        assert_eq!(
            flat.posterior(&heads).unwrap().most_believed(),
            Mode::At(1.0)
        );
        let sparse = Beta::new(0.5, 0.5).unwrap();
        assert_eq!(
            sparse.posterior(&heads).unwrap().most_believed(),
            Mode::Unbounded(1.0)
        );
        assert!(mode_shrinkage(&flat, &heads).is_none());
        assert!(
            flat.posterior(&Trials {
                successes: -5.0,
                failures: 0.0
            })
            .is_err()
        );
    }

    // 003:P25, 003:P26: Laplace's rule repairs the impossible prediction of zero counts.
    #[test]
    fn the_rule_of_succession_never_says_never() {
        let flat = Beta::new(1.0, 1.0).unwrap();
        let tails = Trials::new(0.0, 4.0).unwrap();
        assert_eq!(flat.most_likely(&tails), Some(0.0));
        let posterior = flat.posterior(&tails).unwrap();
        assert_relative(
            posterior.predictive().unwrap().probability(),
            1.0 / 6.0,
            1e-15,
        );
        let mean = integrate(0.0, 1.0, |t| t * posterior.density(t)).unwrap();
        assert_relative(mean, 1.0 / 6.0, 1e-12);
    }

    // 003:P48: the coefficient separates the count from the sequence.
    #[test]
    fn the_evidence_of_counts_and_sequences_has_the_printed_values() {
        let (prior, data) = example();
        let sequence = prior.log_evidence(&data).unwrap().exp();
        assert_relative(sequence, 6.660007e-4, 1e-6);
        let count = BetaBinomial::new(10, 2.0, 3.0).unwrap().density(7);
        assert_relative(count, 0.0799200799, 1e-9);
        assert_relative(count, 120.0 * sequence, 1e-12);
        let numeric = integrate(0.0, 1.0, |t| {
            prior.density(t) * t.powi(7) * (1.0 - t).powi(3)
        });
        assert_relative(numeric.unwrap(), sequence, 1e-11);
    }

    // 003 section 3: 60 heads in 100, log Bayes factor of a free against a fair coin −0.090965.
    #[test]
    fn evidences_compare_models() {
        let data = Trials::new(60.0, 40.0).unwrap();
        let free = Beta::new(1.0, 1.0).unwrap().log_evidence(&data).unwrap();
        let fair = 100.0 * 0.5_f64.ln();
        assert!((free - fair + 0.090965).abs() < 1e-6);
    }
}
