//! How many independent rare events happen.

use super::counting::{LARGEST_EXACT, entropy_by_summation, smallest_count};
use crate::check::law;
use crate::laws::sampling::uniform;
use crate::observations::Observations;
use crate::special::{log_gamma_lower, log_gamma_upper, log_poisson};
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use rand_distr::Distribution;

law! {
    /// The number k of events where λ are expected: λᵏe^(−λ)/k!.
    ///
    /// ```
    /// use didact_probability::{Cumulative, Density, laws::Poisson};
    /// let calls = Poisson::new(4.0)?;
    /// assert!((calls.density(2) - 8.0 * (-4.0_f64).exp()).abs() < 1e-15);
    /// assert_eq!(calls.median(), 4);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Poisson {
        rate: f64,
    }
}

impl Poisson {
    /// So many events are expected.
    pub fn new(rate: f64) -> Result<Self> {
        match (0.0..=LARGEST_EXACT).contains(&rate) {
            true => Ok(Poisson { rate }),
            false => Err(Error::parameter(
                "rate",
                rate,
                "it must be at least 0 and at most 2^53",
            )),
        }
    }

    /// The expected number λ of events.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

impl Density<u64> for Poisson {
    fn log_density(&self, k: u64) -> f64 {
        log_poisson(k as f64, self.rate)
    }
}

impl Cumulative<u64> for Poisson {
    fn log_tails(&self, k: u64) -> (f64, f64) {
        // P(X ≤ k) = Q(k+1, λ)
        let shape = k as f64 + 1.0;
        (
            log_gamma_upper(shape, self.rate),
            log_gamma_lower(shape, self.rate),
        )
    }

    fn at_tail(&self, tail: Tail) -> u64 {
        smallest_count(tail, self.rate, None, |k| self.log_tails(k))
    }
}

impl Moments for Poisson {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.rate)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.rate)
    }
}

impl Modal<u64> for Poisson {
    fn mode(&self) -> Mode<u64> {
        let peak = self.rate.floor();
        match peak == self.rate && peak > 0.0 {
            true => Mode::Several(vec![peak as u64 - 1, peak as u64]),
            false => Mode::At(peak as u64),
        }
    }
}

impl Entropy for Poisson {
    fn entropy(&self) -> f64 {
        entropy_by_summation(self, self.rate, self.rate.sqrt(), None)
    }
}

impl Draw<u64> for Poisson {
    fn draw(&self, generator: &mut Generator) -> u64 {
        match rand_distr::Poisson::new(self.rate) {
            Ok(sampler) => sampler.sample(generator) as u64,
            // A rate of zero, which the sampler does not take.
            Err(_) => self.at_tail(Tail::Lower(uniform(generator).ln())),
        }
    }
}

impl FitLikelihood<[u64]> for Poisson {
    fn fit_weighted(data: &[u64], weights: Option<&[f64]>) -> Result<Self> {
        Poisson::new(Observations::new(data, weights)?.mean_of(|k| k as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_counts};
    use didact_core::random::generator;

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        for rate in [0.03, 1.0, 12.5, 300.0] {
            check_counts(&Poisson::new(rate).unwrap());
        }
    }

    #[test]
    fn no_events_are_certain_where_none_are_expected() {
        let none = Poisson::new(0.0).unwrap();
        assert_eq!((none.density(0), none.density(1)), (1.0, 0.0));
        assert_eq!(none.draw(&mut generator(1, 0)), 0);
        assert_eq!((none.entropy(), none.mode()), (0.0, Mode::At(0)));
        assert!(Poisson::new(-1.0).is_err() && Poisson::new(f64::INFINITY).is_err());
        assert_eq!(Poisson::fit(&[1, 2, 6][..]).unwrap().rate(), 3.0);
    }

    // ½·ln(2πeλ) − 1/(12λ) − 1/(24λ²) − 19/(360λ³) is the expansion for large λ.
    #[test]
    fn the_entropy_of_a_wide_law_follows_its_expansion() {
        for rate in [1e3, 1e6, 1e12] {
            let expected = 0.5 * (std::f64::consts::TAU * std::f64::consts::E * rate).ln()
                - 1.0 / (12.0 * rate)
                - 1.0 / (24.0 * rate * rate)
                - 19.0 / (360.0 * rate * rate * rate);
            assert_relative(Poisson::new(rate).unwrap().entropy(), expected, 1e-12);
        }
    }
}
