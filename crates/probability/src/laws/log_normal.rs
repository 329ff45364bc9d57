//! A variable whose logarithm is normal.

use crate::check::{at_least, law};
use crate::laws::Normal;
use crate::observations::Observations;
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;

law! {
    /// e^X for a normal X: the law of products of many small factors.
    ///
    /// ```
    /// use didact_probability::{Cumulative, laws::LogNormal};
    /// let incomes = LogNormal::new(10.0, 0.5)?;
    /// assert!((incomes.median() - 10.0_f64.exp()).abs() < 1e-9);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct LogNormal {
        log_mean: f64,
        log_deviation: f64,
    }
}

impl LogNormal {
    /// The law whose logarithm has this mean and standard deviation.
    pub fn new(log_mean: f64, log_deviation: f64) -> Result<Self> {
        Normal::with_deviation(log_mean, log_deviation)?;
        Ok(LogNormal {
            log_mean,
            log_deviation,
        })
    }

    /// The law of the logarithm.
    pub fn logarithm(&self) -> Normal {
        Normal::with_deviation(self.log_mean, self.log_deviation)
            .expect("the parameters were checked when the law was made")
    }
}

impl Density<f64> for LogNormal {
    fn log_density(&self, x: f64) -> f64 {
        match x > 0.0 {
            true => self.logarithm().log_density(x.ln()) - x.ln(),
            false if x.is_nan() => x,
            false => f64::NEG_INFINITY,
        }
    }
}

impl Cumulative<f64> for LogNormal {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        self.logarithm().log_tails(at_least(x, 0.0).ln())
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        self.logarithm().at_tail(tail).exp()
    }
}

impl Moments for LogNormal {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some((self.log_mean + 0.5 * self.log_deviation.powi(2)).exp())
    }

    fn variance(&self) -> Option<f64> {
        let variance = self.log_deviation.powi(2);
        Some(variance.exp_m1() * (2.0 * self.log_mean + variance).exp())
    }
}

impl Modal<f64> for LogNormal {
    fn mode(&self) -> Mode<f64> {
        Mode::At((self.log_mean - self.log_deviation.powi(2)).exp())
    }
}

impl Entropy for LogNormal {
    fn entropy(&self) -> f64 {
        self.logarithm().entropy() + self.log_mean
    }
}

impl Draw<f64> for LogNormal {
    fn draw(&self, generator: &mut Generator) -> f64 {
        self.logarithm().draw(generator).exp()
    }
}

impl FitLikelihood<[f64]> for LogNormal {
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        Observations::new(data, weights)?.within("greater than 0", |x| x > 0.0)?;
        let logarithms: Vec<f64> = data.iter().map(|x| x.ln()).collect();
        let law = Normal::fit_weighted(logarithms.as_slice(), weights)?;
        LogNormal::new(law.location(), law.deviation())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_continuous};

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        check_continuous(&LogNormal::new(0.5, 0.8).unwrap(), (0.0, f64::INFINITY));
        assert!(LogNormal::new(0.0, 0.0).is_err());
        assert_eq!(LogNormal::new(0.0, 1.0).unwrap().density(-1.0), 0.0);
        assert_eq!(LogNormal::new(0.0, 1.0).unwrap().cumulative(-1.0), 0.0);
    }

    #[test]
    fn the_fit_is_the_normal_fit_of_the_logarithms() {
        let law = LogNormal::fit(&[1.0, std::f64::consts::E.powi(2)][..]).unwrap();
        assert_relative(law.logarithm().location(), 1.0, 1e-15);
        assert_relative(law.logarithm().deviation(), 1.0, 1e-15);
        assert!(LogNormal::fit(&[0.0, 1.0][..]).is_err());
    }
}
