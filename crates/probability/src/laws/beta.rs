//! A probability that is itself uncertain.

use super::sampling;
use crate::check::{self, law};
use crate::laws::dirichlet::most_likely_concentration;
use crate::observations::Observations;
use crate::special::{beta_inverse, digamma, log_beta, log_beta_kernel, log_tails_of_beta};
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;
use didact_math::numeric::sigmoid;

law! {
    /// The beta law of a probability: θ^(a−1)·(1−θ)^(b−1)/B(a, b) on [0, 1].
    ///
    /// ```
    /// use didact_probability::{Cumulative, Modal, Mode, Moments, laws::Beta};
    /// let law = Beta::new(9.0, 6.0)?;
    /// assert_eq!((law.mean(), law.mode()), (Some(0.6), Mode::At(8.0 / 13.0)));
    /// assert!((law.median() - 0.604_557).abs() < 1e-6);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Beta {
        a: f64,
        b: f64,
    }
}

impl Beta {
    /// The law with these parameters; a successes weigh against b failures.
    pub fn new(a: f64, b: f64) -> Result<Self> {
        let a = check::positive("a", a)?;
        let b = check::positive("b", b)?;
        Ok(Beta { a, b })
    }

    /// The exponent a of θ, plus one.
    pub fn a(&self) -> f64 {
        self.a
    }

    /// The exponent b of 1−θ, plus one.
    pub fn b(&self) -> f64 {
        self.b
    }
}

impl Density<f64> for Beta {
    fn log_density(&self, x: f64) -> f64 {
        let (a, b) = (self.a, self.b);
        let at_end = |own: f64, other: f64| match own {
            _ if own < 1.0 => f64::INFINITY,
            1.0 => other.ln(),
            _ => f64::NEG_INFINITY,
        };
        match x {
            _ if x.is_nan() => x,
            _ if !(0.0..=1.0).contains(&x) => f64::NEG_INFINITY,
            0.0 => at_end(a, b),
            1.0 => at_end(b, a),
            _ => log_beta_kernel(a, b, x, 1.0 - x) - x.ln() - (-x).ln_1p(),
        }
    }
}

impl Cumulative<f64> for Beta {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let x = x.clamp(0.0, 1.0);
        let sides = log_tails_of_beta(self.a, self.b, x, 1.0 - x);
        (sides.lower, sides.upper)
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        match tail {
            Tail::Lower(log) => beta_inverse(self.a, self.b, log, true).0,
            Tail::Upper(log) => beta_inverse(self.a, self.b, log, false).0,
        }
    }
}

impl Moments for Beta {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.a / (self.a + self.b))
    }

    fn variance(&self) -> Option<f64> {
        let n = self.a + self.b;
        Some(self.a / n * (self.b / n) / (n + 1.0))
    }
}

impl Modal<f64> for Beta {
    fn mode(&self) -> Mode<f64> {
        // (a−1)/(a+b−2) is the mode only where both exponents are positive.
        match (self.a, self.b) {
            (1.0, 1.0) => Mode::Everywhere,
            (a, b) if a >= 1.0 && b >= 1.0 => Mode::At((a - 1.0) / (a + b - 2.0)),
            (a, b) if a < 1.0 && b < 1.0 => Mode::Several(vec![0.0, 1.0]),
            (a, _) if a < 1.0 => Mode::Unbounded(0.0),
            _ => Mode::Unbounded(1.0),
        }
    }
}

impl Entropy for Beta {
    fn entropy(&self) -> f64 {
        let (a, b) = (self.a, self.b);
        log_beta(a, b) - (a - 1.0) * digamma(a) - (b - 1.0) * digamma(b)
            + (a + b - 2.0) * digamma(a + b)
    }
}

impl Draw<f64> for Beta {
    fn draw(&self, generator: &mut Generator) -> f64 {
        // Logarithms of gamma variables do not underflow where a or b is tiny.
        let log_odds =
            sampling::log_gamma(self.a, generator) - sampling::log_gamma(self.b, generator);
        sigmoid(log_odds)
    }
}

impl FitLikelihood<[f64]> for Beta {
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data =
            Observations::new(data, weights)?.within("between 0 and 1", |x| x > 0.0 && x < 1.0)?;
        let targets = [data.mean_of(f64::ln), data.mean_of(|x| (-x).ln_1p())];
        let concentration = most_likely_concentration(&targets)?;
        Beta::new(concentration[0], concentration[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_continuous};

    // 003:P05
    #[test]
    fn the_mode_formula_holds_only_above_one() {
        let mode = |a, b| Beta::new(a, b).unwrap().mode();
        assert_eq!(mode(3.0, 2.0), Mode::At(2.0 / 3.0));
        // The formula would say 0/0 here, −½ there.
        assert_eq!(mode(1.0, 1.0), Mode::Everywhere);
        assert_eq!(mode(0.5, 1.0), Mode::Unbounded(0.0));
        assert_eq!(mode(2.0, 0.5), Mode::Unbounded(1.0));
        assert_eq!(mode(0.5, 0.5), Mode::Several(vec![0.0, 1.0]));
        assert_eq!(mode(1.0, 3.0), Mode::At(0.0));
        assert_eq!(mode(1.0, 1.0).point(), None);
    }

    // 003:P05
    #[test]
    fn equal_ones_are_the_uniform_law() {
        let law = Beta::new(1.0, 1.0).unwrap();
        for x in [0.0, 0.2, 1.0] {
            assert!(law.log_density(x).abs() < 1e-15);
            assert!((law.cumulative(x) - x).abs() < 1e-15);
        }
        assert_eq!((law.density(-0.1), law.cumulative(2.0)), (0.0, 1.0));
        assert!(Beta::new(0.0, 1.0).is_err());
    }

    // 003:P05
    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        for (a, b) in [(9.0, 6.0), (0.7, 3.0), (200.0, 50.0), (1.0, 1.0)] {
            check_continuous(&Beta::new(a, b).unwrap(), (0.0, 1.0));
        }
    }

    #[test]
    fn the_fit_solves_its_equations() {
        let data = [0.1, 0.4, 0.35, 0.8, 0.6];
        let law = Beta::fit(&data[..]).unwrap();
        let total = digamma(law.a() + law.b());
        let mean = |f: fn(f64) -> f64| data.iter().map(|&x| f(x)).sum::<f64>() / 5.0;
        assert_relative(digamma(law.a()) - total, mean(f64::ln), 1e-11);
        assert_relative(digamma(law.b()) - total, mean(|x| (-x).ln_1p()), 1e-11);
        assert!(Beta::fit(&[0.5, 1.0][..]).is_err());
        assert!(Beta::fit(&[0.5, 0.5][..]).is_err());
    }
}
