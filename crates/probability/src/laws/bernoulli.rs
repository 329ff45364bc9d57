//! One trial that succeeds or fails.

use crate::check::{self, law};
use crate::information::binary_entropy;
use crate::laws::sampling::uniform;
use crate::observations::Observations;
use crate::{Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments};
use didact_core::Result;
use didact_core::random::Generator;

law! {
    /// One trial that succeeds with a given probability: λˣ(1−λ)¹⁻ˣ.
    ///
    /// ```
    /// use didact_probability::{Density, Moments, laws::Bernoulli};
    /// let coin = Bernoulli::new(0.3)?;
    /// assert_eq!((coin.density(true), coin.mean()), (0.3, Some(0.3)));
    /// assert_eq!(Bernoulli::new(1.0)?.log_density(true), 0.0);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct Bernoulli {
        probability: f64,
    }
}

impl Bernoulli {
    /// A trial that succeeds with this probability.
    pub fn new(probability: f64) -> Result<Self> {
        check::probability("probability", probability).map(|probability| Bernoulli { probability })
    }

    /// The probability λ of success.
    pub fn probability(&self) -> f64 {
        self.probability
    }
}

impl Density<bool> for Bernoulli {
    fn log_density(&self, x: bool) -> f64 {
        match x {
            true => self.probability.ln(),
            false => (-self.probability).ln_1p(),
        }
    }

    fn density(&self, x: bool) -> f64 {
        if x {
            self.probability
        } else {
            1.0 - self.probability
        }
    }
}

impl Moments for Bernoulli {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        Some(self.probability)
    }

    fn variance(&self) -> Option<f64> {
        Some(self.probability * (1.0 - self.probability))
    }
}

impl Modal<bool> for Bernoulli {
    fn mode(&self) -> Mode<bool> {
        match self.probability == 0.5 {
            true => Mode::Everywhere,
            false => Mode::At(self.probability > 0.5),
        }
    }
}

impl Entropy for Bernoulli {
    fn entropy(&self) -> f64 {
        binary_entropy(self.probability)
    }
}

impl Draw<bool> for Bernoulli {
    fn draw(&self, generator: &mut Generator) -> bool {
        uniform(generator) < self.probability
    }
}

impl FitLikelihood<[bool]> for Bernoulli {
    fn fit_weighted(data: &[bool], weights: Option<&[f64]>) -> Result<Self> {
        let share = Observations::new(data, weights)?.mean_of(|x| f64::from(u8::from(x)));
        Bernoulli::new(share.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::random::generator;

    // 003:P01
    #[test]
    fn certain_trials_have_no_nan() {
        for probability in [0.0, 1.0] {
            let law = Bernoulli::new(probability).unwrap();
            assert_eq!(law.log_density(probability == 1.0), 0.0);
            assert_eq!(law.log_density(probability == 0.0), f64::NEG_INFINITY);
            assert_eq!((law.entropy(), law.variance()), (0.0, Some(0.0)));
            assert_eq!(law.draw(&mut generator(1, 0)), probability == 1.0);
        }
        assert_eq!(
            Bernoulli::new(1.2).unwrap_err().to_string(),
            "probability is 1.2; it must be between 0 and 1"
        );
        assert!(Bernoulli::new(f64::NAN).is_err());
    }

    // 003:P01
    #[test]
    fn probabilities_sum_to_one_and_draws_have_their_share() {
        let law = Bernoulli::new(0.3).unwrap();
        assert_eq!(law.density(true) + law.density(false), 1.0);
        assert_eq!(law.variance(), Some(0.21));
        let n = 10_000;
        let draws = law.draw_many(n, &mut generator(7, 0));
        let share = Bernoulli::fit(&draws).unwrap().probability();
        // Five standard errors √(λ(1−λ)/n).
        assert!((share - 0.3).abs() < 5.0 * (0.21 / n as f64).sqrt());
    }

    #[test]
    fn a_file_cannot_hold_what_the_constructor_refuses() {
        let law = Bernoulli::new(0.25).unwrap();
        let text = serde_json::to_string(&law).unwrap();
        assert_eq!(text, r#"{"probability":0.25}"#);
        assert_eq!(serde_json::from_str::<Bernoulli>(&text).unwrap(), law);
        assert!(serde_json::from_str::<Bernoulli>(r#"{"probability":2.0}"#).is_err());
    }
}
