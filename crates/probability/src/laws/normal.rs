//! The bell curve.

use super::sampling::standard_normal;
use crate::check::{self, law};
use crate::observations::Observations;
use crate::special::{normal_log_cumulative, normal_quantile_of_log};
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;
use std::f64::consts::{E, TAU};

law! {
    /// The normal law: (2πσ²)^(−½)·exp(−(x−μ)²/(2σ²)).
    ///
    /// Texts write N(μ, σ) or N(μ, σ²); here the constructor says which one is meant.
    ///
    /// ```
    /// use didact_probability::{Density, laws::Normal};
    /// let law = Normal::with_deviation(0.0, 2.0)?;
    /// assert_eq!(law, Normal::with_variance(0.0, 4.0)?);
    /// assert!((law.density(1.0) - 0.176_032_663_382).abs() < 1e-12);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Normal {
        mean: f64,
        deviation: f64,
    }
}

impl Normal {
    /// The law with this mean and standard deviation σ.
    pub fn with_deviation(mean: f64, deviation: f64) -> Result<Self> {
        let mean = check::finite("mean", mean)?;
        let deviation = check::positive("deviation", deviation)?;
        Ok(Normal { mean, deviation })
    }

    /// The law with this mean and variance σ².
    pub fn with_variance(mean: f64, variance: f64) -> Result<Self> {
        let variance = check::positive("variance", variance)?;
        Normal::with_deviation(mean, variance.sqrt())
    }

    fn new(mean: f64, deviation: f64) -> Result<Self> {
        Normal::with_deviation(mean, deviation)
    }

    /// The mean μ.
    pub fn location(&self) -> f64 {
        self.mean
    }

    /// The standard deviation σ.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    fn standardised(&self, x: f64) -> f64 {
        (x - self.mean) / self.deviation
    }
}

impl Density<f64> for Normal {
    fn log_density(&self, x: f64) -> f64 {
        let z = self.standardised(x);
        -0.5 * (TAU.ln() + z * z) - self.deviation.ln()
    }
}

impl Cumulative<f64> for Normal {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let z = self.standardised(x);
        (normal_log_cumulative(z), normal_log_cumulative(-z))
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        let z = match tail {
            Tail::Lower(log) => normal_quantile_of_log(log),
            Tail::Upper(log) => -normal_quantile_of_log(log),
        };
        self.mean + self.deviation * z
    }
}

impl Moments for Normal {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.mean)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.deviation * self.deviation)
    }
}

impl Modal<f64> for Normal {
    fn mode(&self) -> Mode<f64> {
        Mode::At(self.mean)
    }
}

impl Entropy for Normal {
    fn entropy(&self) -> f64 {
        0.5 * (TAU * E).ln() + self.deviation.ln()
    }
}

impl Draw<f64> for Normal {
    fn draw(&self, generator: &mut Generator) -> f64 {
        self.mean + self.deviation * standard_normal(generator)
    }
}

impl FitLikelihood<[f64]> for Normal {
    /// The mean and the variance divided by n, not by n − 1.
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?.within("finite", |_| true)?;
        let mean = data.mean();
        Normal::with_variance(mean, data.spread_about(mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_continuous};

    // 000b:P16, 000b:TV-20, 003:P03
    #[test]
    fn variance_and_deviation_are_told_apart_by_name() {
        let law = Normal::with_deviation(0.0, 2.0).unwrap();
        assert_relative(law.density(1.0), 0.176032663382, 1e-11);
        assert_eq!(law, Normal::with_variance(0.0, 4.0).unwrap());
        let error = Normal::with_variance(0.0, -1.0).unwrap_err().to_string();
        assert_eq!(
            error,
            "variance is -1; it must be greater than 0 and finite"
        );
        assert!(Normal::with_deviation(f64::NAN, 1.0).is_err());
    }

    // 003:P03, 002b:ST-07: without the ½ in the exponent the integral would be 1/√2.
    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
        check_continuous(&Normal::with_deviation(3.0, 0.2).unwrap(), everywhere);
        check_continuous(&Normal::with_variance(-1.0, 9.0).unwrap(), everywhere);
    }

    // 003:P31, 002b:ES-01: numpy.var with ddof=0.
    #[test]
    fn the_fitted_variance_is_divided_by_n_even_far_from_zero() {
        for offset in [0.0, 1e9] {
            let data = [1.0, 2.0, 4.0, 3.5].map(|x| x + offset);
            let law = Normal::fit(&data[..]).unwrap();
            assert_relative(law.location() - offset, 2.625, 1e-12);
            assert_relative(law.variance().unwrap(), 1.421875, 1e-12);
        }
        assert!(Normal::fit(&[2.0, 2.0][..]).is_err());
        assert!(Normal::fit(&[2.0, f64::NAN][..]).is_err());
        let weighted = Normal::fit_weighted(&[1.0, 2.0][..], Some(&[2.0, 1.0])).unwrap();
        let repeated = Normal::fit(&[1.0, 1.0, 2.0][..]).unwrap();
        assert_relative(weighted.location(), repeated.location(), 1e-15);
        assert_relative(weighted.deviation(), repeated.deviation(), 1e-15);
    }
}
