//! The sum of squares of standard normal variables.

use crate::check::{self, law};
use crate::laws::Gamma;
use crate::observations::Observations;
use crate::special::digamma_inverse;
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;

law! {
    /// The sum of squares of ν standard normal variables: a gamma law of shape ν/2 and rate ½.
    ///
    /// ```
    /// use didact_probability::{Cumulative, laws::ChiSquared};
    /// let critical = ChiSquared::new(3.0)?.upper_quantile(0.05)?;
    /// assert!((critical - 7.814_727_903_251_178).abs() < 1e-12);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct ChiSquared {
        freedom: f64,
    }
}

impl ChiSquared {
    /// The law with this many degrees of freedom ν.
    pub fn new(freedom: f64) -> Result<Self> {
        check::positive("freedom", freedom).map(|freedom| ChiSquared { freedom })
    }

    /// The degrees of freedom ν.
    pub fn freedom(&self) -> f64 {
        self.freedom
    }

    /// The same law as a gamma law.
    pub fn as_gamma(&self) -> Gamma {
        Gamma::new(0.5 * self.freedom, 0.5)
            .expect("the parameter was checked when the law was made")
    }
}

impl Density<f64> for ChiSquared {
    fn log_density(&self, x: f64) -> f64 {
        self.as_gamma().log_density(x)
    }
}

impl Cumulative<f64> for ChiSquared {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        self.as_gamma().log_tails(x)
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        self.as_gamma().at_tail(tail)
    }
}

impl Moments for ChiSquared {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.freedom)
    }

    fn variance(&self) -> Option<f64> {
        Some(2.0 * self.freedom)
    }
}

impl Modal<f64> for ChiSquared {
    fn mode(&self) -> Mode<f64> {
        self.as_gamma().mode()
    }
}

impl Entropy for ChiSquared {
    fn entropy(&self) -> f64 {
        self.as_gamma().entropy()
    }
}

impl Draw<f64> for ChiSquared {
    fn draw(&self, generator: &mut Generator) -> f64 {
        self.as_gamma().draw(generator)
    }
}

impl FitLikelihood<[f64]> for ChiSquared {
    /// Solves ψ(ν/2) = mean of ln(x/2).
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?.within("greater than 0", |x| x > 0.0)?;
        ChiSquared::new(2.0 * digamma_inverse(data.mean_of(|x| (0.5 * x).ln())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::digamma;
    use crate::testing::check_continuous;

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        check_continuous(&ChiSquared::new(4.0).unwrap(), (0.0, f64::INFINITY));
        assert!(ChiSquared::new(0.0).is_err());
        assert_eq!(ChiSquared::new(5.0).unwrap().mode(), Mode::At(3.0));
    }

    #[test]
    fn the_fit_solves_its_equation() {
        let data = [1.0, 2.0, 5.0];
        let law = ChiSquared::fit(&data[..]).unwrap();
        let target = data.iter().map(|x| (0.5 * x).ln()).sum::<f64>() / 3.0;
        assert!((digamma(0.5 * law.freedom()) - target).abs() < 1e-14);
    }
}
