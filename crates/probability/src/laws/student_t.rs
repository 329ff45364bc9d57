//! The bell curve with heavy tails: a normal variable of uncertain variance.

use super::sampling::{gamma, standard_normal};
use crate::check::{self, law};
use crate::laws::Normal;
use crate::observations::Observations;
use crate::roots::maximise;
use crate::special::{beta_inverse, digamma, log_beta, log_gamma_ratio, log_tails_of_beta};
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use std::f64::consts::{LN_2, PI};

law! {
    /// Student's t law with ν degrees of freedom, location m and scale s:
    /// Γ((ν+1)/2)/(Γ(ν/2)·s·√(νπ))·(1 + ((x−m)/s)²/ν)^(−(ν+1)/2).
    ///
    /// ```
    /// use didact_probability::{Cumulative, Moments, laws::StudentT};
    /// let law = StudentT::new(5.0, 0.0, 1.0)?;
    /// assert!((law.quantile(0.975)? - 2.570_581_835_636_314).abs() < 1e-12);
    /// assert_eq!(law.variance(), Some(5.0 / 3.0));
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct StudentT {
        freedom: f64,
        location: f64,
        scale: f64,
    }
}

impl StudentT {
    /// The law with these degrees of freedom, location and scale.
    pub fn new(freedom: f64, location: f64, scale: f64) -> Result<Self> {
        let freedom = check::positive("freedom", freedom)?;
        let location = check::finite("location", location)?;
        let scale = check::positive("scale", scale)?;
        Ok(StudentT {
            freedom,
            location,
            scale,
        })
    }

    /// The degrees of freedom ν.
    pub fn freedom(&self) -> f64 {
        self.freedom
    }

    /// The location m.
    pub fn location(&self) -> f64 {
        self.location
    }

    /// The scale s, which is not the standard deviation.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The normal law with the same mean and variance, where ν > 2.
    pub fn moment_matched_normal(&self) -> Result<Normal> {
        match self.variance() {
            Some(variance) if variance.is_finite() => {
                Normal::with_variance(self.location, variance)
            }
            _ => Err(Error::parameter(
                "freedom",
                self.freedom,
                "it must be greater than 2 for a finite variance to match",
            )),
        }
    }

    /// The location and scale that make the data most likely at fixed degrees of freedom.
    ///
    /// Expectation–maximisation: each value weighs (ν+1)/(ν+z²), so that far values count less.
    pub fn fit_with_freedom(freedom: f64, data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        check::positive("freedom", freedom)?;
        let data = Observations::new(data, weights)?.within("finite", |_| true)?;
        let mut location = data.median();
        let mut square = data.spread_about(location);
        if square == 0.0 {
            return Err(Error::data(format!(
                "all values are {location}; a law with a scale needs different ones"
            )));
        }
        for _ in 0..20_000 {
            let weigh = |x: f64| (freedom + 1.0) / (freedom + (x - location).powi(2) / square);
            let total = data.mean_of(weigh);
            let next = location + data.mean_of(|x| weigh(x) * (x - location)) / total;
            // Divided by the sum of the weights instead of n: the same optimum, reached sooner.
            let next_square = data.mean_of(|x| weigh(x) * (x - next).powi(2)) / total;
            let moved =
                (next - location).abs() / square.sqrt() + (next_square / square - 1.0).abs();
            (location, square) = (next, next_square);
            if square <= 0.0 || !square.is_finite() {
                return Err(Error::data(
                    "most values are equal; the scale that makes them most likely is zero",
                ));
            }
            if moved < 1e-14 {
                break;
            }
        }
        StudentT::new(freedom, location, square.sqrt())
    }
}

impl Density<f64> for StudentT {
    fn log_density(&self, x: f64) -> f64 {
        let (v, z) = (self.freedom, (x - self.location) / self.scale);
        let constant = log_gamma_ratio(0.5 * v, 0.5) - 0.5 * (v * PI).ln() - self.scale.ln();
        let ratio = z / v.sqrt();
        let bulk = match ratio.abs() > 1e150 {
            true => 2.0 * ratio.abs().ln(),
            false => (ratio * ratio).ln_1p(),
        };
        constant - 0.5 * (v + 1.0) * bulk
    }
}

impl Cumulative<f64> for StudentT {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let (v, z) = (self.freedom, (x - self.location) / self.scale);
        if z.is_nan() {
            return (z, z);
        }
        // P(|T| > |z|) = I(ν/(ν+z²); ν/2, ½)
        let square = (z / v.sqrt()).powi(2);
        let (near, far) = match square > 1.0 {
            true => (
                1.0 / (1.0 + 1.0 / square),
                1.0 / square / (1.0 + 1.0 / square),
            ),
            false => (square / (1.0 + square), 1.0 / (1.0 + square)),
        };
        let far = log_tails_of_beta(0.5 * v, 0.5, far, near).lower - LN_2;
        let near = (-far.exp()).ln_1p();
        if z > 0.0 { (near, far) } else { (far, near) }
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        let (smaller, sign) = match tail {
            Tail::Lower(log) if log <= -LN_2 => (log, -1.0),
            Tail::Lower(_) => (tail.upper(), 1.0),
            Tail::Upper(log) if log <= -LN_2 => (log, 1.0),
            Tail::Upper(_) => (tail.lower(), -1.0),
        };
        let (far, near) = beta_inverse(0.5 * self.freedom, 0.5, (smaller + LN_2).min(0.0), true);
        self.location + self.scale * sign * (self.freedom * near / far).sqrt()
    }
}

impl Moments for StudentT {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        (self.freedom > 1.0).then_some(self.location)
    }

    fn variance(&self) -> Option<f64> {
        let v = self.freedom;
        match v > 2.0 {
            true => Some(self.scale * self.scale * v / (v - 2.0)),
            false => (v > 1.0).then_some(f64::INFINITY),
        }
    }
}

impl Modal<f64> for StudentT {
    fn mode(&self) -> Mode<f64> {
        Mode::At(self.location)
    }
}

impl Entropy for StudentT {
    fn entropy(&self) -> f64 {
        let v = self.freedom;
        let spread = digamma(0.5 * (v + 1.0)) - digamma(0.5 * v);
        0.5 * (v + 1.0) * spread + 0.5 * v.ln() + log_beta(0.5 * v, 0.5) + self.scale.ln()
    }
}

impl Draw<f64> for StudentT {
    fn draw(&self, generator: &mut Generator) -> f64 {
        let z = standard_normal(generator);
        let precision = gamma(0.5 * self.freedom, generator) / (0.5 * self.freedom);
        self.location + self.scale * z / precision.sqrt()
    }
}

impl FitLikelihood<[f64]> for StudentT {
    /// The degrees of freedom are searched between 0.1 and 1000; a result at the upper end says
    /// that the data are as good as normal.
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        StudentT::fit_with_freedom(5.0, data, weights)?;
        let values = Observations::new(data, weights)?;
        let profile =
            |log_freedom: f64| match StudentT::fit_with_freedom(log_freedom.exp(), data, weights) {
                Ok(law) => values.mean_of(|x| law.log_density(x)),
                Err(_) => f64::NAN,
            };
        let log_freedom = maximise(0.1_f64.ln(), 1000.0_f64.ln(), profile)?;
        StudentT::fit_with_freedom(log_freedom.exp(), data, weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_continuous};
    use didact_core::random::generator;

    // 003:P34, 000a:UNS-28
    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        let everywhere = (f64::NEG_INFINITY, f64::INFINITY);
        for (freedom, location, scale) in [(8.0, 2.0, 1.2), (1.5, 0.0, 1.0), (300.0, -1.0, 0.1)] {
            check_continuous(
                &StudentT::new(freedom, location, scale).unwrap(),
                everywhere,
            );
        }
        assert!(StudentT::new(0.0, 0.0, 1.0).is_err());
    }

    #[test]
    fn many_degrees_of_freedom_are_the_normal_law() {
        let t = StudentT::new(1e9, 1.0, 2.0).unwrap();
        let normal = Normal::with_deviation(1.0, 2.0).unwrap();
        for x in [-7.0, 0.0, 1.0, 4.0] {
            assert!((t.log_density(x) - normal.log_density(x)).abs() < 1e-7);
            assert!((t.log_survival(x) - normal.log_survival(x)).abs() < 1e-7);
        }
    }

    // 000a:UNS-28: the Gaussian approximation has exactly the t's mean and variance.
    #[test]
    fn the_matched_normal_law_has_the_same_moments() {
        let t = StudentT::new(5.0, 4.0 / 3.0, (92.0_f64 / 45.0).sqrt()).unwrap();
        let normal = t.moment_matched_normal().unwrap();
        assert_relative(normal.variance().unwrap(), 92.0 / 27.0, 1e-14);
        assert_eq!(normal.mean(), t.mean());
        assert!(
            StudentT::new(2.0, 0.0, 1.0)
                .unwrap()
                .moment_matched_normal()
                .is_err()
        );
    }

    #[test]
    fn the_fit_at_fixed_freedom_solves_its_equations() {
        let data = [0.1, -0.4, 1.3, 9.0, 0.7, -1.1];
        let law = StudentT::fit_with_freedom(3.0, &data, None).unwrap();
        let weigh = |x: f64| 4.0 / (3.0 + ((x - law.location()) / law.scale()).powi(2));
        let score: f64 = data.iter().map(|&x| weigh(x) * (x - law.location())).sum();
        let square: f64 = data
            .iter()
            .map(|&x| weigh(x) * (x - law.location()).powi(2))
            .sum();
        assert!(score.abs() < 1e-10);
        assert_relative(square / 6.0, law.scale().powi(2), 1e-10);
        assert!(StudentT::fit(&[1.0, 1.0][..]).is_err());
        assert!(StudentT::fit_with_freedom(1.0, &[1.0, 1.0, 1.0, 2.0], None).is_err());
    }

    #[test]
    fn the_fit_finds_the_degrees_of_freedom() {
        let law = StudentT::new(4.0, 1.0, 2.0).unwrap();
        let data = law.draw_many(1500, &mut generator(2, 0));
        let fitted = StudentT::fit(data.as_slice()).unwrap();
        assert!((fitted.location() - 1.0).abs() < 0.3 && (fitted.scale() - 2.0).abs() < 0.3);
        assert!(fitted.freedom() > 2.5 && fitted.freedom() < 7.0);
    }
}
