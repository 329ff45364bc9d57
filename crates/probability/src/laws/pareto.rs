//! The law of large incomes, cities and files.

use super::sampling::standard_exponential;
use crate::check::{self, at_least, law};
use crate::observations::Observations;
use crate::special::log_one_minus_exp;
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};

law! {
    /// The Pareto law: P(X > x) = (s/x)ᵏ for x ≥ s.
    ///
    /// ```
    /// use didact_probability::{Cumulative, Moments, laws::Pareto};
    /// let law = Pareto::new(2.0, 1.0)?;
    /// assert!((law.survival(10.0) - 0.01).abs() < 1e-16);
    /// assert_eq!((law.mean(), law.variance()), (Some(2.0), Some(f64::INFINITY)));
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Pareto {
        shape: f64,
        scale: f64,
    }
}

impl Pareto {
    /// The law with this shape k and smallest value s.
    pub fn new(shape: f64, scale: f64) -> Result<Self> {
        let shape = check::positive("shape", shape)?;
        let scale = check::positive("scale", scale)?;
        Ok(Pareto { shape, scale })
    }

    /// The shape k.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// The smallest value s.
    pub fn scale(&self) -> f64 {
        self.scale
    }
}

impl Density<f64> for Pareto {
    fn log_density(&self, x: f64) -> f64 {
        match x >= self.scale {
            true => (self.shape / x).ln() - self.shape * (x / self.scale).ln(),
            false if x.is_nan() => x,
            false => f64::NEG_INFINITY,
        }
    }
}

impl Cumulative<f64> for Pareto {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let above = -self.shape * (at_least(x, self.scale) / self.scale).ln();
        (log_one_minus_exp(above), above)
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        self.scale * (-tail.upper() / self.shape).exp()
    }
}

impl Moments for Pareto {
    type Mean = f64;
    type Variance = f64;

    /// Infinite for shapes up to one.
    fn mean(&self) -> Option<f64> {
        match self.shape > 1.0 {
            true => Some(self.shape * self.scale / (self.shape - 1.0)),
            false => Some(f64::INFINITY),
        }
    }

    fn variance(&self) -> Option<f64> {
        let k = self.shape;
        match k > 2.0 {
            true => Some((self.scale / (k - 1.0)).powi(2) * k / (k - 2.0)),
            false => (k > 1.0).then_some(f64::INFINITY),
        }
    }
}

impl Modal<f64> for Pareto {
    fn mode(&self) -> Mode<f64> {
        Mode::At(self.scale)
    }
}

impl Entropy for Pareto {
    fn entropy(&self) -> f64 {
        (self.scale / self.shape).ln() + 1.0 + 1.0 / self.shape
    }
}

impl Draw<f64> for Pareto {
    fn draw(&self, generator: &mut Generator) -> f64 {
        self.scale * (standard_exponential(generator) / self.shape).exp()
    }
}

impl FitLikelihood<[f64]> for Pareto {
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?.within("greater than 0", |x| x > 0.0)?;
        let (low, high) = data.range();
        match low < high {
            true => Pareto::new(1.0 / data.mean_of(|x| (x / low).ln()), low),
            false => Err(Error::data(format!(
                "all values are {low}; the shape of a Pareto law would be infinite"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_continuous};

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        check_continuous(&Pareto::new(3.0, 2.0).unwrap(), (2.0, f64::INFINITY));
        assert!(Pareto::new(1.0, 0.0).is_err());
        assert_eq!(Pareto::new(3.0, 2.0).unwrap().density(1.0), 0.0);
    }

    #[test]
    fn the_fit_is_the_least_value_and_the_mean_logarithm() {
        let e = std::f64::consts::E;
        // Logarithms of x/min: 0, 1, 2; their mean is 1.
        let law = Pareto::fit(&[3.0, 3.0 * e, 3.0 * e * e][..]).unwrap();
        assert_eq!(law.scale(), 3.0);
        assert_relative(law.shape(), 1.0, 1e-15);
        assert!(Pareto::fit(&[1.0, 1.0][..]).is_err());
    }
}
