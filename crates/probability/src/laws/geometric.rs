//! How many failures come before the first success.

use super::counting::smallest_count;
use crate::check::law;
use crate::information::binary_entropy;
use crate::laws::sampling::standard_exponential;
use crate::observations::Observations;
use crate::special::log_one_minus_exp;
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};

law! {
    /// The number k = 0, 1, … of failures before the first success: p(1−p)ᵏ.
    ///
    /// ```
    /// use didact_probability::{Density, Moments, laws::Geometric};
    /// let law = Geometric::new(0.25)?;
    /// assert_eq!(law.mean(), Some(3.0));
    /// assert!((law.density(2) - 0.25 * 0.75 * 0.75).abs() < 1e-16);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Geometric {
        probability: f64,
    }
}

impl Geometric {
    /// Trials that succeed with this probability, above zero.
    pub fn new(probability: f64) -> Result<Self> {
        match probability > 0.0 && probability <= 1.0 {
            true => Ok(Geometric { probability }),
            false => Err(Error::parameter(
                "probability",
                probability,
                "it must be greater than 0 and at most 1",
            )),
        }
    }

    /// The probability p of success.
    pub fn probability(&self) -> f64 {
        self.probability
    }

    /// ln(1 − p).
    fn log_failure(&self) -> f64 {
        (-self.probability).ln_1p()
    }
}

impl Density<u64> for Geometric {
    fn log_density(&self, k: u64) -> f64 {
        let failures = if k == 0 {
            0.0
        } else {
            k as f64 * self.log_failure()
        };
        self.probability.ln() + failures
    }
}

impl Cumulative<u64> for Geometric {
    fn log_tails(&self, k: u64) -> (f64, f64) {
        let above = (k as f64 + 1.0) * self.log_failure();
        (log_one_minus_exp(above), above)
    }

    fn at_tail(&self, tail: Tail) -> u64 {
        let guess = tail.upper() / self.log_failure() - 1.0;
        smallest_count(tail, guess, None, |k| self.log_tails(k))
    }
}

impl Moments for Geometric {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some((1.0 - self.probability) / self.probability)
    }

    fn variance(&self) -> Option<f64> {
        Some((1.0 - self.probability) / (self.probability * self.probability))
    }
}

impl Modal<u64> for Geometric {
    fn mode(&self) -> Mode<u64> {
        Mode::At(0)
    }
}

impl Entropy for Geometric {
    fn entropy(&self) -> f64 {
        binary_entropy(self.probability) / self.probability
    }
}

impl Draw<u64> for Geometric {
    fn draw(&self, generator: &mut Generator) -> u64 {
        (standard_exponential(generator) / -self.log_failure()) as u64
    }
}

impl FitLikelihood<[u64]> for Geometric {
    fn fit_weighted(data: &[u64], weights: Option<&[f64]>) -> Result<Self> {
        let mean = Observations::new(data, weights)?.mean_of(|k| k as f64);
        Geometric::new(1.0 / (1.0 + mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::NegativeBinomial;
    use crate::testing::{assert_relative, check_counts};

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        for probability in [0.05, 0.5, 0.93] {
            check_counts(&Geometric::new(probability).unwrap());
        }
        assert!(Geometric::new(0.0).is_err());
    }

    #[test]
    fn it_is_the_negative_binomial_law_of_one_success() {
        let (one, many) = (
            Geometric::new(0.3).unwrap(),
            NegativeBinomial::new(1.0, 0.3).unwrap(),
        );
        for k in [0, 1, 7, 100] {
            assert_relative(many.log_density(k), one.log_density(k), 1e-13);
            assert_relative(many.log_survival(k), one.log_survival(k), 1e-12);
        }
        assert_eq!(one.mean(), many.mean());
    }

    #[test]
    fn success_at_once_is_certain_where_every_trial_succeeds() {
        let sure = Geometric::new(1.0).unwrap();
        assert_eq!(
            (sure.density(0), sure.density(1), sure.entropy()),
            (1.0, 0.0, 0.0)
        );
        assert_eq!((sure.cumulative(0), sure.median()), (1.0, 0));
        // The mean of 0, 1, 5 is 2.
        let fitted = Geometric::fit(&[0, 1, 5][..]).unwrap();
        assert_relative(fitted.probability(), 1.0 / 3.0, 1e-15);
    }
}
