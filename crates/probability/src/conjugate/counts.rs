//! The laws of counts with the probabilities averaged out.

use crate::laws::{Beta, Binomial, Dirichlet, Multinomial};
use crate::special::{log_beta, log_beta_of, log_choose, log_multinomial};
use crate::{Density, Draw, Moments};
use didact_core::Result;
use didact_core::random::Generator;
use ndarray::Array1;
use serde::{Deserialize, Serialize};

/// The number of successes in n trials whose probability follows a beta law:
/// C(n, k)·B(k+a, n−k+b)/B(a, b). The evidence of a *count*, coefficient included.
///
/// ```
/// use didact_probability::{Density, conjugate::BetaBinomial};
/// let law = BetaBinomial::new(10, 2.0, 3.0)?;
/// assert!((law.density(7) - 0.079_920_079_9).abs() < 1e-10);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BetaBinomial {
    trials: u64,
    belief: Beta,
}

impl BetaBinomial {
    /// So many trials with the probability drawn from Beta(a, b).
    pub fn new(trials: u64, a: f64, b: f64) -> Result<Self> {
        Binomial::new(trials, 0.5)?;
        Ok(BetaBinomial {
            trials,
            belief: Beta::new(a, b)?,
        })
    }
}

impl Density<u64> for BetaBinomial {
    fn log_density(&self, k: u64) -> f64 {
        if k > self.trials {
            return f64::NEG_INFINITY;
        }
        let (a, b) = (self.belief.a(), self.belief.b());
        let (k_, rest) = (k as f64, (self.trials - k) as f64);
        log_choose(self.trials, k) + log_beta(a + k_, b + rest) - log_beta(a, b)
    }
}

impl Moments for BetaBinomial {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        self.belief.mean().map(|mean| self.trials as f64 * mean)
    }

    fn variance(&self) -> Option<f64> {
        let (n, a, b) = (self.trials as f64, self.belief.a(), self.belief.b());
        let mean = a / (a + b);
        Some(n * mean * (1.0 - mean) * (a + b + n) / (a + b + 1.0))
    }
}

impl Draw<u64> for BetaBinomial {
    fn draw(&self, generator: &mut Generator) -> u64 {
        let probability = self.belief.draw(generator);
        Binomial::new(self.trials, probability).map_or(0, |law| law.draw(generator))
    }
}

/// The counts of K categories in n trials whose probabilities follow a Dirichlet law:
/// n!/∏nₖ!·B(α+n)/B(α). The evidence of *counts*, coefficient included.
///
/// ```
/// use didact_probability::{Density, conjugate::DirichletMultinomial};
/// let law = DirichletMultinomial::new(4, ndarray::array![1.0, 1.0, 1.0])?;
/// assert!((law.density(&[3, 1, 0]) - 1.0 / 15.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirichletMultinomial {
    trials: u64,
    belief: Dirichlet,
}

impl DirichletMultinomial {
    /// So many trials with the probabilities drawn from Dirichlet(α).
    pub fn new(trials: u64, concentration: Array1<f64>) -> Result<Self> {
        Binomial::new(trials, 0.5)?;
        Ok(DirichletMultinomial {
            trials,
            belief: Dirichlet::new(concentration)?,
        })
    }
}

impl Density<&[u64]> for DirichletMultinomial {
    fn log_density(&self, counts: &[u64]) -> f64 {
        let alpha = self.belief.concentration();
        let total = counts
            .iter()
            .try_fold(0_u64, |sum, &count| sum.checked_add(count));
        if counts.len() != alpha.len() || total != Some(self.trials) {
            return f64::NEG_INFINITY;
        }
        let after = alpha
            .iter()
            .zip(counts)
            .map(|(alpha, &count)| alpha + count as f64);
        log_multinomial(counts) + log_beta_of(after) - log_beta_of(alpha.iter().copied())
    }
}

impl<const K: usize> Density<&[u64; K]> for DirichletMultinomial {
    fn log_density(&self, counts: &[u64; K]) -> f64 {
        self.log_density(counts.as_slice())
    }
}

impl Draw<Vec<u64>> for DirichletMultinomial {
    fn draw(&self, generator: &mut Generator) -> Vec<u64> {
        let shares = self.belief.draw(generator);
        Multinomial::new(self.trials, shares.to_vec())
            .map_or_else(|_| vec![0; shares.len()], |law| law.draw(generator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_relative;
    use didact_core::random::generator;
    use ndarray::array;

    // scipy.stats.betabinom(12, 2.5, 0.7): logpmf(9) and var().
    // 003:P48
    #[test]
    fn beta_binomial_counts_match_scipy_and_sum_to_one() {
        let law = BetaBinomial::new(12, 2.5, 0.7).unwrap();
        assert_relative(law.log_density(9), -2.2739079290302624, 1e-12);
        assert_relative(law.variance().unwrap(), 7.421874999999998, 1e-13);
        let sum: f64 = (0..=12).map(|k| law.density(k)).sum();
        assert_relative(sum, 1.0, 1e-13);
        assert_eq!(law.density(13), 0.0);
        assert!(BetaBinomial::new(1, 0.0, 1.0).is_err());
        let n = 5000;
        let draws = law.draw_many(n, &mut generator(1, 0));
        let mean = draws.iter().sum::<u64>() as f64 / n as f64;
        let error = (law.variance().unwrap() / n as f64).sqrt();
        assert!((mean - law.mean().unwrap()).abs() < 5.0 * error);
    }

    // scipy.stats.dirichlet_multinomial([.5, 2, 3], 9).logpmf([1, 3, 5])
    // 003:P48
    #[test]
    fn dirichlet_multinomial_counts_match_scipy() {
        let law = DirichletMultinomial::new(9, array![0.5, 2.0, 3.0]).unwrap();
        assert_relative(law.log_density(&[1, 3, 5]), -3.365454775705534, 1e-12);
        assert_eq!(law.density(&[1, 3, 4]), 0.0);
        assert_eq!(law.density(&[1, 8]), 0.0);
        let two = DirichletMultinomial::new(12, array![2.5, 0.7]).unwrap();
        let beta = BetaBinomial::new(12, 2.5, 0.7).unwrap();
        assert_relative(two.log_density(&[9, 3]), beta.log_density(9), 1e-12);
        let draw = law.draw(&mut generator(2, 0));
        assert_eq!(draw.iter().sum::<u64>(), 9);
    }
}
