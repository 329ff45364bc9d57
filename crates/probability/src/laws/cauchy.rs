//! A law without mean or variance.

use crate::check::{self, law};
use crate::laws::StudentT;
use crate::laws::sampling::uniform;
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;
use std::f64::consts::{LN_2, PI};

law! {
    /// The Cauchy law: 1/(πs(1 + ((x−m)/s)²)), Student's t with one degree of freedom.
    ///
    /// ```
    /// use didact_probability::{Cumulative, Moments, laws::Cauchy};
    /// let law = Cauchy::new(2.0, 3.0)?;
    /// assert_eq!((law.median(), law.mean()), (2.0, None));
    /// assert!((law.cumulative(5.0) - 0.75).abs() < 1e-15);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Cauchy {
        location: f64,
        scale: f64,
    }
}

impl Cauchy {
    /// The law with this median and half width at half height.
    pub fn new(location: f64, scale: f64) -> Result<Self> {
        let location = check::finite("location", location)?;
        let scale = check::positive("scale", scale)?;
        Ok(Cauchy { location, scale })
    }

    /// The median m.
    pub fn location(&self) -> f64 {
        self.location
    }

    /// The half width s at half height.
    pub fn scale(&self) -> f64 {
        self.scale
    }
}

impl Density<f64> for Cauchy {
    fn log_density(&self, x: f64) -> f64 {
        let z = (x - self.location) / self.scale;
        // ln(1+z²) = 2·ln|z| where the square would overflow.
        let bulk = if z.abs() > 1e150 {
            2.0 * z.abs().ln()
        } else {
            (z * z).ln_1p()
        };
        -(PI * self.scale).ln() - bulk
    }
}

impl Cumulative<f64> for Cauchy {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let z = (x - self.location) / self.scale;
        // P(X > x) = arctan(1/z)/π for positive z, which keeps its digits far out.
        let far = match z == 0.0 {
            true => 0.5,
            false => (1.0 / z.abs()).atan() / PI,
        };
        let (far, near) = (far.ln(), (-far).ln_1p());
        if z > 0.0 { (near, far) } else { (far, near) }
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        let (log, sign) = match tail {
            Tail::Lower(log) => (log, -1.0),
            Tail::Upper(log) => (log, 1.0),
        };
        // cot(πp) has a zero at the median that the tangent would miss by rounding.
        let z = match log == -LN_2 {
            true => 0.0,
            false => 1.0 / (PI * log.exp()).tan(),
        };
        self.location + self.scale * sign * z
    }
}

impl Moments for Cauchy {
    type Mean = f64;
    type Variance = f64;

    /// There is none: the integral does not exist.
    fn mean(&self) -> Option<f64> {
        None
    }

    /// There is none.
    fn variance(&self) -> Option<f64> {
        None
    }
}

impl Modal<f64> for Cauchy {
    fn mode(&self) -> Mode<f64> {
        Mode::At(self.location)
    }
}

impl Entropy for Cauchy {
    fn entropy(&self) -> f64 {
        (4.0 * PI * self.scale).ln()
    }
}

impl Draw<f64> for Cauchy {
    fn draw(&self, generator: &mut Generator) -> f64 {
        self.location + self.scale * (PI * (uniform(generator) - 0.5)).tan()
    }
}

impl FitLikelihood<[f64]> for Cauchy {
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let law = StudentT::fit_with_freedom(1.0, data, weights)?;
        Cauchy::new(law.location(), law.scale())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_continuous};

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
        check_continuous(&Cauchy::new(0.0, 1.0).unwrap(), everywhere);
        assert!(Cauchy::new(0.0, 0.0).is_err());
        let far = Cauchy::new(0.0, 1.0).unwrap();
        assert_relative(far.survival(1e20), 1e-20 / PI, 1e-14);
        assert!(far.log_density(1e200).is_finite());
    }

    #[test]
    fn it_is_student_t_with_one_degree_of_freedom() {
        let (law, t) = (
            Cauchy::new(1.0, 2.0).unwrap(),
            StudentT::new(1.0, 1.0, 2.0).unwrap(),
        );
        for x in [-30.0, 0.5, 1.0, 8.0] {
            assert_relative(law.log_density(x), t.log_density(x), 1e-14);
            assert_relative(law.cumulative(x), t.cumulative(x), 1e-13);
        }
        assert_relative(law.entropy(), t.entropy(), 1e-14);
    }
}
