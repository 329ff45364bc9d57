//! How often each of K categories occurs in n trials.

use super::counting::LARGEST_EXACT;
use crate::check::{self, law};
use crate::laws::Binomial;
use crate::special::{log_multinomial, x_log_y};
use crate::{Density, Draw, Moments};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use ndarray::{Array1, Array2};

law! {
    /// The counts of K categories in n independent trials: n!/∏nₖ!·∏θₖ^nₖ.
    ///
    /// The density scores the *counts*; [`Multinomial::log_density_of_sequence`] scores one
    /// ordered sequence with these counts, without the coefficient.
    ///
    /// ```
    /// use didact_probability::{Density, laws::Multinomial};
    /// let law = Multinomial::new(10, vec![0.2, 0.3, 0.5])?;
    /// assert!((law.density(&[2, 3, 5]) - 0.08505).abs() < 1e-15);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub struct Multinomial {
        trials: u64,
        probabilities: Vec<f64>,
    }
}

impl Multinomial {
    /// So many trials, each of which yields one category with these probabilities.
    pub fn new(trials: u64, probabilities: Vec<f64>) -> Result<Self> {
        if trials as f64 > LARGEST_EXACT {
            return Err(Error::parameter(
                "trials",
                trials,
                "it must be at most 2^53",
            ));
        }
        check::probabilities("probabilities", &probabilities)?;
        Ok(Multinomial {
            trials,
            probabilities,
        })
    }

    /// The law that makes these counts most likely, θₖ = nₖ/n.
    pub fn from_counts(counts: &[u64]) -> Result<Self> {
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return Err(Error::data(
                "all counts are zero; at least one trial is needed",
            ));
        }
        let shares = counts.iter().map(|&count| count as f64 / total as f64);
        Multinomial::new(total, shares.collect())
    }

    /// The number n of trials.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// The probabilities θ of the categories.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// ln ∏θₖ^nₖ: one ordered sequence with these counts, not all of them together.
    pub fn log_density_of_sequence(&self, counts: &[u64]) -> f64 {
        if !self.is_possible(counts) {
            return f64::NEG_INFINITY;
        }
        let terms = counts.iter().zip(&self.probabilities);
        terms
            .map(|(&count, &theta)| x_log_y(count as f64, theta))
            .sum()
    }

    fn is_possible(&self, counts: &[u64]) -> bool {
        let total = counts
            .iter()
            .try_fold(0_u64, |sum, &count| sum.checked_add(count));
        counts.len() == self.probabilities.len() && total == Some(self.trials)
    }
}

impl Density<&[u64]> for Multinomial {
    fn log_density(&self, counts: &[u64]) -> f64 {
        if !self.is_possible(counts) {
            return f64::NEG_INFINITY;
        }
        // A chain of binomial laws, so that large coefficients and powers do not cancel.
        let (mut left, mut share, mut sum) = (self.trials, 1.0, 0.0);
        for (&count, &theta) in counts.iter().zip(&self.probabilities) {
            let chance = if share > 0.0 {
                (theta / share).min(1.0)
            } else {
                0.0
            };
            if left > 0 {
                let (count, left) = (count as f64, left as f64);
                sum += crate::special::log_binomial(count, left, chance, 1.0 - chance);
            }
            left -= count;
            share -= theta;
        }
        // Where the chain divided small remainders by each other, the plain formula is better.
        match self.trials < 1000 || !sum.is_finite() {
            true => log_multinomial(counts) + self.log_density_of_sequence(counts),
            false => sum,
        }
    }
}

impl<const K: usize> Density<&[u64; K]> for Multinomial {
    fn log_density(&self, counts: &[u64; K]) -> f64 {
        self.log_density(counts.as_slice())
    }
}

impl Moments for Multinomial {
    type Mean = Array1<f64>;
    type Variance = Array2<f64>;

    fn mean(&self) -> Option<Array1<f64>> {
        let n = self.trials as f64;
        Some(self.probabilities.iter().map(|theta| n * theta).collect())
    }

    /// Cov(nᵢ, nⱼ) = −nθᵢθⱼ and Var(nᵢ) = nθᵢ(1−θᵢ).
    fn variance(&self) -> Option<Array2<f64>> {
        let (n, theta) = (self.trials as f64, &self.probabilities);
        let k = theta.len();
        Some(Array2::from_shape_fn((k, k), |(i, j)| match i == j {
            true => n * theta[i] * (1.0 - theta[i]),
            false => -n * theta[i] * theta[j],
        }))
    }
}

impl Draw<Vec<u64>> for Multinomial {
    fn draw(&self, generator: &mut Generator) -> Vec<u64> {
        let (mut left, mut share) = (self.trials, 1.0);
        let last = self.probabilities.iter().rposition(|&theta| theta > 0.0);
        let mut counts = vec![0; self.probabilities.len()];
        for (k, &theta) in self.probabilities.iter().enumerate() {
            counts[k] = match Some(k) == last {
                true => left,
                false => {
                    let chance = if share > 0.0 {
                        (theta / share).clamp(0.0, 1.0)
                    } else {
                        0.0
                    };
                    Binomial::new(left, chance).map_or(0, |law| law.draw(generator))
                }
            };
            left -= counts[k];
            share -= theta;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_relative;
    use didact_core::random::generator;

    // 000b:P14, 000b:TV-20: with the printed denominator n₁⋯n_k! the value would be twice this.
    #[test]
    fn the_printed_value_is_found() {
        let law = Multinomial::new(10, vec![0.2, 0.3, 0.5]).unwrap();
        assert_relative(law.density(&[2, 3, 5]), 0.08505, 1e-13);
    }

    // 000b:P14, 003:P07
    #[test]
    fn two_categories_are_a_binomial_law() {
        let law = Multinomial::new(12, vec![0.3, 0.7]).unwrap();
        let binomial = Binomial::new(12, 0.3).unwrap();
        for k in 0..=12 {
            assert_relative(law.density(&[k, 12 - k]), binomial.density(k), 1e-13);
            let sequence = law.log_density_of_sequence(&[k, 12 - k]);
            assert_relative(sequence, binomial.log_density_of_sequence(k), 1e-13);
        }
    }

    // 003:P07
    #[test]
    fn probabilities_of_all_counts_sum_to_one() {
        let law = Multinomial::new(6, vec![0.5, 0.2, 0.0, 0.3]).unwrap();
        let mut sum = 0.0;
        for a in 0..=6 {
            for b in 0..=6 - a {
                for c in 0..=6 - a - b {
                    sum += law.density(&[a, b, c, 6 - a - b - c]);
                }
            }
        }
        assert_relative(sum, 1.0, 1e-14);
        assert_eq!(law.density(&[5, 0, 1, 0]), 0.0);
        assert_eq!(law.density(&[1, 1, 1, 1]), 0.0);
        assert_eq!(law.density(&[6, 0]), 0.0);
    }

    #[test]
    fn the_chain_of_binomial_laws_agrees_with_the_plain_formula() {
        let law = Multinomial::new(5000, vec![0.2, 0.3, 0.5]).unwrap();
        let counts = [1013, 1499, 2488];
        let plain = log_multinomial(&counts) + law.log_density_of_sequence(&counts);
        assert!((law.log_density(&counts) - plain).abs() < 1e-9);
    }

    #[test]
    fn draws_have_the_mean_and_covariance_of_the_law() {
        let law = Multinomial::new(40, vec![0.1, 0.6, 0.3]).unwrap();
        let (mean, covariance) = (law.mean().unwrap(), law.variance().unwrap());
        let n = 4000;
        let draws = law.draw_many(n, &mut generator(3, 0));
        for i in 0..3 {
            let found = draws.iter().map(|counts| counts[i] as f64).sum::<f64>() / n as f64;
            assert!((found - mean[i]).abs() < 5.0 * (covariance[[i, i]] / n as f64).sqrt());
        }
        let product = |counts: &Vec<u64>| (counts[0] as f64 - 4.0) * (counts[1] as f64 - 24.0);
        let found = draws.iter().map(product).sum::<f64>() / n as f64;
        // The standard error of a covariance is about √((σ₁²σ₂² + σ₁₂²)/n).
        let spread = covariance[[0, 0]] * covariance[[1, 1]] + covariance[[0, 1]].powi(2);
        assert!((found - covariance[[0, 1]]).abs() < 5.0 * (spread / n as f64).sqrt());
        assert!(draws.iter().all(|counts| counts.iter().sum::<u64>() == 40));
    }

    #[test]
    fn counts_become_shares() {
        let law = Multinomial::from_counts(&[3, 1, 0]).unwrap();
        assert_eq!(law.probabilities(), [0.75, 0.25, 0.0]);
        assert!(Multinomial::from_counts(&[0, 0]).is_err());
        assert!(Multinomial::new(3, vec![0.5, 0.6]).is_err());
    }
}
