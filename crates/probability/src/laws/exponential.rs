//! The time to an event that does not age.

use super::sampling::standard_exponential;
use crate::check::{self, at_least, law};
use crate::observations::Observations;
use crate::special::log_one_minus_exp;
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;

law! {
    /// The time to an event that does not age: λe^(−λx).
    ///
    /// ```
    /// use didact_probability::{Cumulative, laws::Exponential};
    /// let life = Exponential::new(0.5)?;
    /// assert!((life.survival(4.0) - (-2.0_f64).exp()).abs() < 1e-16);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Exponential {
        rate: f64,
    }
}

impl Exponential {
    /// The law with this rate λ; the mean is 1/λ.
    pub fn new(rate: f64) -> Result<Self> {
        check::positive("rate", rate).map(|rate| Exponential { rate })
    }

    /// The rate λ.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

impl Density<f64> for Exponential {
    fn log_density(&self, x: f64) -> f64 {
        match x >= 0.0 {
            true => self.rate.ln() - self.rate * x,
            false if x.is_nan() => x,
            false => f64::NEG_INFINITY,
        }
    }
}

impl Cumulative<f64> for Exponential {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let above = -self.rate * at_least(x, 0.0);
        (log_one_minus_exp(above), above)
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        -tail.upper() / self.rate
    }
}

impl Moments for Exponential {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(1.0 / self.rate)
    }

    fn variance(&self) -> Option<f64> {
        Some(1.0 / (self.rate * self.rate))
    }
}

impl Modal<f64> for Exponential {
    fn mode(&self) -> Mode<f64> {
        Mode::At(0.0)
    }
}

impl Entropy for Exponential {
    fn entropy(&self) -> f64 {
        1.0 - self.rate.ln()
    }
}

impl Draw<f64> for Exponential {
    fn draw(&self, generator: &mut Generator) -> f64 {
        standard_exponential(generator) / self.rate
    }
}

impl FitLikelihood<[f64]> for Exponential {
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?.within("at least 0", |x| x >= 0.0)?;
        Exponential::new(1.0 / data.mean_of(|x| x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_continuous;

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        check_continuous(&Exponential::new(0.3).unwrap(), (0.0, f64::INFINITY));
        assert!(Exponential::new(0.0).is_err());
        assert_eq!(Exponential::fit(&[1.0, 3.0][..]).unwrap().rate(), 0.5);
        assert!(Exponential::fit(&[-1.0, 3.0][..]).is_err());
    }
}
