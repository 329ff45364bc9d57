//! The time to failure of what ages.

use super::sampling::standard_exponential;
use crate::check::{self, at_least, law};
use crate::observations::Observations;
use crate::roots::increasing_root;
use crate::special::{gamma, log_one_minus_exp};
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};

/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;

law! {
    /// The Weibull law: P(X > x) = exp(−(x/s)ᵏ).
    ///
    /// ```
    /// use didact_probability::{Cumulative, laws::Weibull};
    /// let life = Weibull::new(2.0, 10.0)?;
    /// assert!((life.survival(10.0) - (-1.0_f64).exp()).abs() < 1e-16);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Weibull {
        shape: f64,
        scale: f64,
    }
}

impl Weibull {
    /// The law with this shape k and scale s.
    pub fn new(shape: f64, scale: f64) -> Result<Self> {
        let shape = check::positive("shape", shape)?;
        let scale = check::positive("scale", scale)?;
        Ok(Weibull { shape, scale })
    }

    /// The shape k; above one the risk grows with age.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// The scale s.
    pub fn scale(&self) -> f64 {
        self.scale
    }
}

impl Density<f64> for Weibull {
    fn log_density(&self, x: f64) -> f64 {
        let (k, z) = (self.shape, x / self.scale);
        match x {
            _ if x.is_nan() => x,
            _ if x < 0.0 || x == f64::INFINITY => f64::NEG_INFINITY,
            0.0 if k < 1.0 => f64::INFINITY,
            0.0 if k > 1.0 => f64::NEG_INFINITY,
            0.0 => -self.scale.ln(),
            _ => (k / self.scale).ln() + (k - 1.0) * z.ln() - z.powf(k),
        }
    }
}

impl Cumulative<f64> for Weibull {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let above = -(at_least(x, 0.0) / self.scale).powf(self.shape);
        (log_one_minus_exp(above), above)
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        self.scale * (-tail.upper()).powf(1.0 / self.shape)
    }
}

impl Moments for Weibull {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.scale * gamma(1.0 + 1.0 / self.shape))
    }

    fn variance(&self) -> Option<f64> {
        let first = gamma(1.0 + 1.0 / self.shape);
        let second = gamma(1.0 + 2.0 / self.shape);
        Some(self.scale * self.scale * (second - first * first))
    }
}

impl Modal<f64> for Weibull {
    fn mode(&self) -> Mode<f64> {
        let k = self.shape;
        match k >= 1.0 {
            true => Mode::At(self.scale * ((k - 1.0) / k).powf(1.0 / k)),
            false => Mode::Unbounded(0.0),
        }
    }
}

impl Entropy for Weibull {
    fn entropy(&self) -> f64 {
        EULER * (1.0 - 1.0 / self.shape) + (self.scale / self.shape).ln() + 1.0
    }
}

impl Draw<f64> for Weibull {
    fn draw(&self, generator: &mut Generator) -> f64 {
        self.scale * standard_exponential(generator).powf(1.0 / self.shape)
    }
}

impl FitLikelihood<[f64]> for Weibull {
    /// Solves Σxᵏ·ln x/Σxᵏ − 1/k = mean of ln x for k; sᵏ is the mean of xᵏ.
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?.within("greater than 0", |x| x > 0.0)?;
        let (low, high) = data.range();
        if low == high {
            return Err(Error::data(format!(
                "all values are {low}; the shape of a Weibull law would be infinite"
            )));
        }
        // Relative to the largest value no power overflows.
        let mean_log = data.mean_of(|x| (x / high).ln());
        let spread = data
            .mean_of(|x| ((x / high).ln() - mean_log).powi(2))
            .sqrt();
        // The logarithm of a Weibull variable has the deviation π/(k√6).
        let start = (1.28 / spread).ln();
        let log_shape = increasing_root(start, -50.0, 50.0, |log_shape| {
            let k = log_shape.exp();
            let sum = data.mean_of(|x| (x / high).powf(k));
            let first = data.mean_of(|x| (x / high).powf(k) * (x / high).ln()) / sum;
            let second = data.mean_of(|x| (x / high).powf(k) * (x / high).ln().powi(2)) / sum;
            let slope = second - first * first + 1.0 / (k * k);
            (first - 1.0 / k - mean_log, slope * k)
        });
        let shape = log_shape.exp();
        let power = data.mean_of(|x| (x / high).powf(shape));
        Weibull::new(shape, high * power.powf(1.0 / shape))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Exponential;
    use crate::testing::{assert_relative, check_continuous};

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        for (shape, scale) in [(2.0, 10.0), (0.8, 1.0), (5.0, 0.1)] {
            check_continuous(&Weibull::new(shape, scale).unwrap(), (0.0, f64::INFINITY));
        }
        assert!(Weibull::new(0.0, 1.0).is_err());
    }

    #[test]
    fn shape_one_is_the_exponential_law() {
        let (law, exponential) = (
            Weibull::new(1.0, 4.0).unwrap(),
            Exponential::new(0.25).unwrap(),
        );
        assert_relative(law.log_density(3.0), exponential.log_density(3.0), 1e-15);
        assert_relative(law.entropy(), exponential.entropy(), 1e-15);
    }

    #[test]
    fn the_fit_solves_its_equations_even_for_huge_values() {
        for unit in [1.0, 1e200] {
            let data = [0.3, 1.2, 0.9, 4.0, 2.2].map(|x| x * unit);
            let law = Weibull::fit(&data[..]).unwrap();
            let k = law.shape();
            let powers: Vec<f64> = data.iter().map(|x| (x / unit).powf(k)).collect();
            let sum: f64 = powers.iter().sum();
            let logs: Vec<f64> = data.iter().map(|x| (x / unit).ln()).collect();
            let weighted: f64 = powers.iter().zip(&logs).map(|(p, l)| p * l).sum();
            let mean = logs.iter().sum::<f64>() / 5.0;
            assert!((weighted / sum - 1.0 / k - mean).abs() < 1e-12);
            assert_relative((law.scale() / unit).powf(k), sum / 5.0, 1e-12);
        }
        assert!(Weibull::fit(&[1.0, 1.0][..]).is_err());
    }
}
