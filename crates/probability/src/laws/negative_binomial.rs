//! How many failures come before the r-th success.

use super::counting::smallest_count;
use super::sampling::gamma;
use crate::check::{self, law};
use crate::laws::Poisson;
use crate::observations::Observations;
use crate::roots::increasing_root;
use crate::special::{digamma, log_binomial, log_tails_of_beta, trigamma};
use crate::{Cumulative, Density, Draw, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};

law! {
    /// The number k of failures before the r-th success: Γ(k+r)/(k!·Γ(r))·pʳ(1−p)ᵏ.
    ///
    /// r need not be whole: the law is also a Poisson law whose mean varies like a gamma
    /// variable, the model for counts that spread more than Poisson counts do.
    ///
    /// ```
    /// use didact_probability::{Moments, laws::NegativeBinomial};
    /// let law = NegativeBinomial::new(2.0, 0.25)?;
    /// assert_eq!((law.mean(), law.variance()), (Some(6.0), Some(24.0)));
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct NegativeBinomial {
        successes: f64,
        probability: f64,
    }
}

impl NegativeBinomial {
    /// Failures before so many successes of this probability.
    pub fn new(successes: f64, probability: f64) -> Result<Self> {
        let successes = check::positive("successes", successes)?;
        match probability > 0.0 && probability <= 1.0 {
            true => Ok(NegativeBinomial {
                successes,
                probability,
            }),
            false => Err(Error::parameter(
                "probability",
                probability,
                "it must be greater than 0 and at most 1",
            )),
        }
    }

    /// The number r of successes.
    pub fn successes(&self) -> f64 {
        self.successes
    }

    /// The probability p of success.
    pub fn probability(&self) -> f64 {
        self.probability
    }
}

impl Density<u64> for NegativeBinomial {
    fn log_density(&self, k: u64) -> f64 {
        // r/(r+k) of the binomial probability of r successes in r+k trials.
        let (r, k) = (self.successes, k as f64);
        let binomial = log_binomial(r, r + k, self.probability, 1.0 - self.probability);
        binomial - (k / r).ln_1p()
    }
}

impl Cumulative<u64> for NegativeBinomial {
    fn log_tails(&self, k: u64) -> (f64, f64) {
        let p = self.probability;
        let sides = log_tails_of_beta(self.successes, k as f64 + 1.0, p, 1.0 - p);
        (sides.lower, sides.upper)
    }

    fn at_tail(&self, tail: Tail) -> u64 {
        let guess = self.successes * (1.0 - self.probability) / self.probability;
        smallest_count(tail, guess, None, |k| self.log_tails(k))
    }
}

impl Moments for NegativeBinomial {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.successes * (1.0 - self.probability) / self.probability)
    }

    fn variance(&self) -> Option<f64> {
        let p = self.probability;
        Some(self.successes * (1.0 - p) / (p * p))
    }
}

impl Modal<u64> for NegativeBinomial {
    fn mode(&self) -> Mode<u64> {
        let edge = (self.successes - 1.0) * (1.0 - self.probability) / self.probability;
        match edge {
            _ if edge < 0.0 || self.successes <= 1.0 => Mode::At(0),
            _ if edge == edge.floor() && edge >= 1.0 => {
                Mode::Several(vec![edge as u64 - 1, edge as u64])
            }
            _ => Mode::At(edge.floor() as u64),
        }
    }
}

impl Draw<u64> for NegativeBinomial {
    fn draw(&self, generator: &mut Generator) -> u64 {
        let mean = gamma(self.successes, generator) * (1.0 - self.probability) / self.probability;
        // A mean beyond 2⁵³ has no Poisson spread left that its own rounding would not hide.
        Poisson::new(mean).map_or(mean as u64, |law| law.draw(generator))
    }
}

impl FitLikelihood<[u64]> for NegativeBinomial {
    /// Solves Σψ(kᵢ+r) − nψ(r) + n·ln(r/(r+k̄)) = 0 for r; p = r/(r+k̄).
    fn fit_weighted(data: &[u64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?;
        let mean = data.mean_of(|k| k as f64);
        let variance = data.mean_of(|k| (k as f64 - mean).powi(2));
        if variance <= mean {
            return Err(Error::data(format!(
                "the variance {variance} of the counts is not above their mean {mean}; \
                 fit a Poisson law instead"
            )));
        }
        // In ln r the score falls through zero once.
        let start = (mean * mean / (variance - mean)).ln();
        let log_r = increasing_root(start, -50.0, 50.0, |log_r| {
            let r = log_r.exp();
            let score = data.mean_of(|k| digamma(k as f64 + r)) - digamma(r) - (mean / r).ln_1p();
            let slope =
                data.mean_of(|k| trigamma(k as f64 + r)) - trigamma(r) + 1.0 / r - 1.0 / (r + mean);
            (-score, -slope * r)
        });
        let r = log_r.exp();
        NegativeBinomial::new(r, r / (r + mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_counts};
    use didact_core::random::generator;

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        for (successes, probability) in [(3.0, 0.4), (0.6, 0.2), (40.0, 0.7)] {
            check_counts(&NegativeBinomial::new(successes, probability).unwrap());
        }
        assert!(NegativeBinomial::new(0.0, 0.5).is_err());
        assert!(NegativeBinomial::new(1.0, 1.5).is_err());
    }

    #[test]
    fn whole_successes_are_counted_by_hand() {
        // Three failures before the second success: C(4, 3)·p²·q³.
        let law = NegativeBinomial::new(2.0, 0.3).unwrap();
        assert_relative(law.density(3), 4.0 * 0.09 * 0.343, 1e-13);
        assert_relative(law.density(0), 0.09, 1e-14);
        // (r−1)q/p = 7/3
        assert_eq!(law.mode(), Mode::At(2));
    }

    #[test]
    fn the_fit_is_the_top_of_the_likelihood_and_finds_the_law() {
        let law = NegativeBinomial::new(2.5, 0.3).unwrap();
        let counts = law.draw_many(3000, &mut generator(5, 0));
        let fitted = NegativeBinomial::fit(&counts).unwrap();
        let likelihood = |r: f64, p: f64| {
            let law = NegativeBinomial::new(r, p).unwrap();
            counts.iter().map(|&k| law.log_density(k)).sum::<f64>()
        };
        let (r, p) = (fitted.successes(), fitted.probability());
        let top = likelihood(r, p);
        for (dr, dp) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)] {
            assert!(likelihood(r + dr, p + dp) < top);
        }
        assert!((r - 2.5).abs() < 0.4 && (p - 0.3).abs() < 0.03);
        assert!(NegativeBinomial::fit(&[2, 2, 2][..]).is_err());
    }
}
