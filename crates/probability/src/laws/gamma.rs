//! Sums of waiting times; the prior of a precision.

use super::sampling;
use crate::check::{self, at_least, law};
use crate::observations::Observations;
use crate::special::{
    digamma, gamma_inverse, log_gamma, log_gamma_lower, log_gamma_upper, log_poisson, trigamma,
};
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::random::Generator;
use didact_core::{Error, Result};

law! {
    /// The gamma law: βᵅ/Γ(α)·x^(α−1)·e^(−βx) for x > 0, with shape α and *rate* β.
    ///
    /// ```
    /// use didact_probability::{Density, laws::Gamma};
    /// let law = Gamma::new(3.0, 2.0)?;
    /// assert!((law.density(1.5) - 0.448_083_615_311).abs() < 1e-12);
    /// assert_eq!(law, Gamma::with_scale(3.0, 0.5)?);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Gamma {
        shape: f64,
        rate: f64,
    }
}

impl Gamma {
    /// The law with this shape α and rate β; the mean is α/β.
    pub fn new(shape: f64, rate: f64) -> Result<Self> {
        let shape = check::positive("shape", shape)?;
        let rate = check::positive("rate", rate)?;
        Ok(Gamma { shape, rate })
    }

    /// The law with this shape and scale 1/β.
    pub fn with_scale(shape: f64, scale: f64) -> Result<Self> {
        Gamma::new(shape, 1.0 / check::positive("scale", scale)?)
    }

    /// The shape α.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// The rate β.
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

impl Density<f64> for Gamma {
    fn log_density(&self, x: f64) -> f64 {
        let (a, b) = (self.shape, self.rate);
        match x {
            _ if x.is_nan() => x,
            _ if x < 0.0 || x == f64::INFINITY => f64::NEG_INFINITY,
            0.0 if a < 1.0 => f64::INFINITY,
            0.0 if a > 1.0 => f64::NEG_INFINITY,
            0.0 => b.ln(),
            // A large shape is expanded about its mean; a small one has nothing to lose.
            _ if a > 10.0 => log_poisson(a, b * x) + a.ln() - x.ln(),
            _ => a * b.ln() + (a - 1.0) * x.ln() - b * x - log_gamma(a),
        }
    }
}

impl Cumulative<f64> for Gamma {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let scaled = self.rate * at_least(x, 0.0);
        (
            log_gamma_lower(self.shape, scaled),
            log_gamma_upper(self.shape, scaled),
        )
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        let scaled = match tail {
            Tail::Lower(log) => gamma_inverse(self.shape, log, true),
            Tail::Upper(log) => gamma_inverse(self.shape, log, false),
        };
        scaled / self.rate
    }
}

impl Moments for Gamma {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.shape / self.rate)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.shape / (self.rate * self.rate))
    }
}

impl Modal<f64> for Gamma {
    fn mode(&self) -> Mode<f64> {
        match self.shape >= 1.0 {
            true => Mode::At((self.shape - 1.0) / self.rate),
            false => Mode::Unbounded(0.0),
        }
    }
}

impl Entropy for Gamma {
    fn entropy(&self) -> f64 {
        let a = self.shape;
        a - self.rate.ln() + log_gamma(a) + (1.0 - a) * digamma(a)
    }
}

impl Draw<f64> for Gamma {
    fn draw(&self, generator: &mut Generator) -> f64 {
        sampling::gamma(self.shape, generator) / self.rate
    }
}

impl FitLikelihood<[f64]> for Gamma {
    /// Solves ln α − ψ(α) = ln x̄ − mean of ln x.
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let data = Observations::new(data, weights)?.within("greater than 0", |x| x > 0.0)?;
        let mean = data.mean_of(|x| x);
        // ln x̄ − mean of ln x, summed as −ln(x/x̄) so that nearly equal values keep their digits.
        let s = -data.mean_of(|x| (x / mean).ln());
        if s <= 1e-15 {
            return Err(Error::data(format!(
                "all values are close to {mean}; the shape of a gamma law would be infinite"
            )));
        }
        let mut shape = (3.0 - s + ((s - 3.0).powi(2) + 24.0 * s).sqrt()) / (12.0 * s);
        for _ in 0..50 {
            // Newton's method in 1/α, which takes the nearly hyperbolic curve as a line.
            let slope = 1.0 / shape - trigamma(shape);
            let step = (shape.ln() - digamma(shape) - s) / (shape * shape * slope);
            let next = 1.0 / (1.0 / shape + step);
            let settled = (next - shape).abs() <= 1e-14 * shape;
            shape = next;
            if settled {
                break;
            }
        }
        Gamma::new(shape, shape / mean)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Exponential;
    use crate::testing::{assert_relative, check_continuous};

    // 000b:P17, 000b:TV-20: with 2 read as a scale the density would be 0.0664.
    #[test]
    fn the_second_parameter_is_a_rate() {
        let law = Gamma::new(3.0, 2.0).unwrap();
        assert_relative(law.density(1.5), 0.448083615311, 1e-11);
        assert_eq!((law.mean(), law.variance()), (Some(1.5), Some(0.75)));
        assert_eq!(law.mode(), Mode::At(1.0));
        let scale = Gamma::with_scale(3.0, 2.0).unwrap();
        assert!((scale.density(1.5) - 0.066).abs() < 1e-3);
        assert!(Gamma::new(-1.0, 1.0).is_err() && Gamma::with_scale(1.0, 0.0).is_err());
    }

    // 003:P04
    #[test]
    fn shape_one_is_the_exponential_law() {
        let (law, exponential) = (
            Gamma::new(1.0, 0.7).unwrap(),
            Exponential::new(0.7).unwrap(),
        );
        for x in [0.0, 0.1, 1.0, 30.0] {
            assert_relative(law.log_density(x), exponential.log_density(x), 1e-14);
            assert!((law.log_survival(x) - exponential.log_survival(x)).abs() < 1e-13);
        }
        assert_eq!(law.mode(), Mode::At(0.0));
        assert_eq!(Gamma::new(0.5, 1.0).unwrap().mode(), Mode::Unbounded(0.0));
    }

    // 003:P04
    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        for (shape, rate) in [(3.0, 2.0), (0.7, 0.1), (50.0, 4.0)] {
            check_continuous(&Gamma::new(shape, rate).unwrap(), (0.0, f64::INFINITY));
        }
    }

    #[test]
    fn the_fit_solves_its_equation_and_constant_data_are_refused() {
        // The equations of the optimum: mean x = α/β and mean ln x = ψ(α) − ln β.
        let data = [0.3, 1.2, 0.9, 4.0, 2.2];
        let law = Gamma::fit(&data[..]).unwrap();
        assert_relative(law.mean().unwrap(), data.iter().sum::<f64>() / 5.0, 1e-14);
        let logarithms = data.iter().map(|x| x.ln()).sum::<f64>() / 5.0;
        assert!((digamma(law.shape()) - law.rate().ln() - logarithms).abs() < 1e-13);
        assert!(Gamma::fit(&[2.0, 2.0][..]).is_err());
        assert!(Gamma::fit(&[2.0, 0.0][..]).is_err());
    }
}
