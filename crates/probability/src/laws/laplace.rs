//! Two exponential laws back to back.

use super::sampling::{standard_exponential, uniform};
use crate::check::{self, law};
use crate::observations::Observations;
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;
use std::f64::consts::LN_2;

law! {
    /// The Laplace law: exp(−|x−m|/s)/(2s); its likelihood is least absolute deviations.
    ///
    /// ```
    /// use didact_probability::{FitLikelihood, laws::Laplace};
    /// let law = Laplace::fit(&[1.0, 2.0, 30.0][..])?;
    /// assert_eq!(law.location(), 2.0); // the median
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Laplace {
        location: f64,
        scale: f64,
    }
}

impl Laplace {
    /// The law with this median and scale.
    pub fn new(location: f64, scale: f64) -> Result<Self> {
        let location = check::finite("location", location)?;
        let scale = check::positive("scale", scale)?;
        Ok(Laplace { location, scale })
    }

    /// The median m.
    pub fn location(&self) -> f64 {
        self.location
    }

    /// The scale s, the mean distance from the median.
    pub fn scale(&self) -> f64 {
        self.scale
    }
}

impl Density<f64> for Laplace {
    fn log_density(&self, x: f64) -> f64 {
        -(2.0 * self.scale).ln() - (x - self.location).abs() / self.scale
    }
}

impl Cumulative<f64> for Laplace {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let z = (x - self.location) / self.scale;
        let far = -z.abs() - LN_2;
        let near = (-far.exp()).ln_1p();
        if z > 0.0 { (near, far) } else { (far, near) }
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        let (lower, upper) = (tail.lower(), tail.upper());
        let z = match lower <= upper {
            true => lower + LN_2,
            false => -(upper + LN_2),
        };
        self.location + self.scale * z
    }
}

impl Moments for Laplace {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.location)
    }

    fn variance(&self) -> Option<f64> {
        Some(2.0 * self.scale * self.scale)
    }
}

impl Modal<f64> for Laplace {
    fn mode(&self) -> Mode<f64> {
        Mode::At(self.location)
    }
}

impl Entropy for Laplace {
    fn entropy(&self) -> f64 {
        1.0 + (2.0 * self.scale).ln()
    }
}

impl Draw<f64> for Laplace {
    fn draw(&self, generator: &mut Generator) -> f64 {
        let distance = standard_exponential(generator);
        let side = if uniform(generator) < 0.5 { -1.0 } else { 1.0 };
        self.location + self.scale * side * distance
    }
}

impl FitLikelihood<[f64]> for Laplace {
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?.within("finite", |_| true)?;
        let median = data.median();
        Laplace::new(median, data.mean_of(|x| (x - median).abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_continuous;

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
        check_continuous(&Laplace::new(1.0, 0.7).unwrap(), everywhere);
        assert!(Laplace::new(1.0, -0.7).is_err());
    }

    #[test]
    fn the_fit_is_the_median_and_the_mean_distance_from_it() {
        let law = Laplace::fit(&[1.0, 2.0, 30.0][..]).unwrap();
        assert_eq!((law.location(), law.scale()), (2.0, 29.0 / 3.0));
        assert!(Laplace::fit(&[1.0, 1.0][..]).is_err());
    }
}
