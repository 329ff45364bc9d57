//! Every value of an interval alike.

use super::sampling;
use crate::check::{self, law};
use crate::observations::Observations;
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};

law! {
    /// Every value between `low` and `high` alike: 1/(b−a) on [a, b], zero below a and above b.
    ///
    /// ```
    /// use didact_probability::{Density, Cumulative, laws::Uniform};
    /// let law = Uniform::new(1.0, 3.0)?;
    /// assert_eq!((law.density(0.0), law.density(2.0), law.density(4.0)), (0.0, 0.5, 0.0));
    /// assert_eq!(law.cumulative(1.5), 0.25);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Uniform {
        low: f64,
        high: f64,
    }
}

impl Uniform {
    /// The law on the interval from `low` to `high`.
    pub fn new(low: f64, high: f64) -> Result<Self> {
        check::finite("low", low)?;
        check::finite("high", high)?;
        check::finite("high - low", high - low)?;
        match low < high {
            true => Ok(Uniform { low, high }),
            false => Err(Error::parameter(
                "high",
                high,
                format!("it must be greater than low, which is {low}"),
            )),
        }
    }

    /// The lower end a.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The upper end b.
    pub fn high(&self) -> f64 {
        self.high
    }

    fn width(&self) -> f64 {
        self.high - self.low
    }
}

impl Density<f64> for Uniform {
    fn log_density(&self, x: f64) -> f64 {
        match x >= self.low && x <= self.high {
            true => -self.width().ln(),
            false if x.is_nan() => x,
            false => f64::NEG_INFINITY,
        }
    }

    fn density(&self, x: f64) -> f64 {
        match x >= self.low && x <= self.high {
            true => 1.0 / self.width(),
            false => self.log_density(x).exp(),
        }
    }
}

impl Cumulative<f64> for Uniform {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let x = x.clamp(self.low, self.high);
        let (below, above) = (
            (x - self.low) / self.width(),
            (self.high - x) / self.width(),
        );
        (below.ln(), above.ln())
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        match tail {
            Tail::Lower(log) => self.low + self.width() * log.exp(),
            Tail::Upper(log) => self.high - self.width() * log.exp(),
        }
    }
}

impl Moments for Uniform {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.low + 0.5 * self.width())
    }

    fn variance(&self) -> Option<f64> {
        Some(self.width() * self.width() / 12.0)
    }
}

impl Modal<f64> for Uniform {
    fn mode(&self) -> Mode<f64> {
        Mode::Everywhere
    }
}

impl Entropy for Uniform {
    fn entropy(&self) -> f64 {
        self.width().ln()
    }
}

impl Draw<f64> for Uniform {
    fn draw(&self, generator: &mut Generator) -> f64 {
        self.low + self.width() * sampling::uniform(generator)
    }
}

impl FitLikelihood<[f64]> for Uniform {
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?.within("finite", |_| true)?;
        let (low, high) = data.range();
        match low < high {
            true => Uniform::new(low, high),
            false => Err(Error::data(format!(
                "all values are {low}; the density of a uniform law would be infinite"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_continuous;

    // 002b:ST-06: printed "0 if a < x"; it is zero where x < a.
    #[test]
    fn the_density_is_zero_outside_and_constant_inside() {
        let law = Uniform::new(1.0, 3.0).unwrap();
        let values = [0.999, 1.0, 2.0, 3.0, 3.001].map(|x| law.density(x));
        assert_eq!(values, [0.0, 0.5, 0.5, 0.5, 0.0]);
        assert_eq!((law.cumulative(0.0), law.cumulative(9.0)), (0.0, 1.0));
        assert_eq!((law.mean(), law.mode()), (Some(2.0), Mode::Everywhere));
        assert_eq!(law.variance(), Some(1.0 / 3.0));
    }

    // 002b:ST-06
    #[test]
    fn the_height_grows_without_bound_as_the_interval_shrinks() {
        let height = |width: f64| Uniform::new(0.0, width).unwrap().density(0.0);
        assert_eq!(
            (height(1.0), height(0.125), height(2.0_f64.powi(-990))),
            (1.0, 8.0, 2.0_f64.powi(990))
        );
        let error = Uniform::new(1.0, 1.0).unwrap_err().to_string();
        assert_eq!(error, "high is 1; it must be greater than low, which is 1");
        assert!(Uniform::fit(&[2.0, 2.0][..]).is_err());
        let fitted = Uniform::fit(&[2.0, 5.0, 3.0][..]).unwrap();
        assert_eq!((fitted.low(), fitted.high()), (2.0, 5.0));
    }

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        check_continuous(&Uniform::new(-1.0, 5.0).unwrap(), (-1.0, 5.0));
    }
}
