//! The ratio of two mean squares.

use super::sampling::log_gamma;
use crate::check::{self, at_least, law};
use crate::special::{beta_inverse, digamma, log_beta, log_beta_kernel, log_tails_of_beta};
use crate::{Cumulative, Density, Draw, Entropy, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;

law! {
    /// The law of (χ²(m)/m)/(χ²(n)/n) for independent chi-square variables.
    ///
    /// ```
    /// use didact_probability::{Cumulative, laws::FisherF};
    /// let critical = FisherF::new(3.0, 10.0)?.upper_quantile(0.05)?;
    /// assert!((critical - 3.7082648190468435).abs() < 1e-9);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct FisherF {
        numerator: f64,
        denominator: f64,
    }
}

impl FisherF {
    /// The law with these degrees of freedom m above and n below.
    pub fn new(numerator: f64, denominator: f64) -> Result<Self> {
        let numerator = check::positive("numerator", numerator)?;
        let denominator = check::positive("denominator", denominator)?;
        Ok(FisherF {
            numerator,
            denominator,
        })
    }

    /// The degrees of freedom m and n.
    pub fn freedom(&self) -> (f64, f64) {
        (self.numerator, self.denominator)
    }

    /// mx/(mx+n) and n/(mx+n), of which the former follows a beta law.
    fn shares(&self, x: f64) -> (f64, f64) {
        let ratio = self.numerator * x / self.denominator;
        match ratio > 1.0 {
            true => (1.0 / (1.0 + 1.0 / ratio), 1.0 / ratio / (1.0 + 1.0 / ratio)),
            false => (ratio / (1.0 + ratio), 1.0 / (1.0 + ratio)),
        }
    }

    fn halves(&self) -> (f64, f64) {
        (0.5 * self.numerator, 0.5 * self.denominator)
    }
}

impl Density<f64> for FisherF {
    fn log_density(&self, x: f64) -> f64 {
        let (a, b) = self.halves();
        match x {
            _ if x.is_nan() => x,
            _ if x < 0.0 || x == f64::INFINITY => f64::NEG_INFINITY,
            0.0 if a < 1.0 => f64::INFINITY,
            0.0 if a > 1.0 => f64::NEG_INFINITY,
            0.0 => 0.0,
            _ => {
                let (share, rest) = self.shares(x);
                log_beta_kernel(a, b, share, rest) - x.ln()
            }
        }
    }
}

impl Cumulative<f64> for FisherF {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let ((a, b), (share, rest)) = (self.halves(), self.shares(at_least(x, 0.0)));
        let sides = log_tails_of_beta(a, b, share, rest);
        (sides.lower, sides.upper)
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        let (a, b) = self.halves();
        let (share, rest) = match tail {
            Tail::Lower(log) => beta_inverse(a, b, log, true),
            Tail::Upper(log) => beta_inverse(a, b, log, false),
        };
        self.denominator * share / (self.numerator * rest)
    }
}

impl Moments for FisherF {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        let n = self.denominator;
        (n > 2.0).then(|| n / (n - 2.0))
    }

    fn variance(&self) -> Option<f64> {
        let (m, n) = self.freedom();
        match n > 4.0 {
            true => {
                let mean = n / (n - 2.0);
                Some(2.0 * mean * mean * (m + n - 2.0) / (m * (n - 4.0)))
            }
            false => (n > 2.0).then_some(f64::INFINITY),
        }
    }
}

impl Modal<f64> for FisherF {
    fn mode(&self) -> Mode<f64> {
        let (m, n) = self.freedom();
        match m >= 2.0 {
            true => Mode::At((m - 2.0) / m * n / (n + 2.0)),
            false => Mode::Unbounded(0.0),
        }
    }
}

impl Entropy for FisherF {
    fn entropy(&self) -> f64 {
        let (a, b) = self.halves();
        (b / a).ln() + log_beta(a, b) + (1.0 - a) * digamma(a) - (1.0 + b) * digamma(b)
            + (a + b) * digamma(a + b)
    }
}

impl Draw<f64> for FisherF {
    fn draw(&self, generator: &mut Generator) -> f64 {
        let (a, b) = self.halves();
        (log_gamma(a, generator) - log_gamma(b, generator)).exp() * b / a
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::StudentT;
    use crate::testing::{assert_relative, check_continuous};

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        for (m, n) in [(3.0, 10.0), (2.0, 7.0), (40.0, 5.0)] {
            check_continuous(&FisherF::new(m, n).unwrap(), (0.0, f64::INFINITY));
        }
        assert!(FisherF::new(1.0, -1.0).is_err());
        assert_eq!(FisherF::new(2.0, 7.0).unwrap().density(0.0), 1.0);
    }

    #[test]
    fn the_square_of_a_t_variable_follows_it() {
        let (f, t) = (
            FisherF::new(1.0, 6.0).unwrap(),
            StudentT::new(6.0, 0.0, 1.0).unwrap(),
        );
        for x in [0.2_f64, 1.0, 3.0, 20.0] {
            assert_relative(f.survival(x * x), 2.0 * t.survival(x), 1e-13);
        }
    }
}
