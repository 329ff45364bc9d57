//! The reciprocal of a gamma variable; the prior of a variance.

use crate::check::{self, at_least, law};
use crate::laws::Gamma;
use crate::observations::Observations;
use crate::special::{digamma, log_gamma};
use crate::{Cumulative, Density, Draw, Entropy, FitLikelihood, Modal, Mode, Moments, Tail};
use didact_core::Result;
use didact_core::random::Generator;

law! {
    /// The inverse gamma law: βᵅ/Γ(α)·x^(−α−1)·e^(−β/x) for x > 0.
    ///
    /// The scaled inverse chi-square law is the same law under other names for its parameters,
    /// see [`InverseGamma::scaled_inverse_chi_squared`].
    ///
    /// ```
    /// use didact_probability::{Moments, laws::InverseGamma};
    /// assert_eq!(InverseGamma::new(3.0, 4.0)?.mean(), Some(2.0));
    /// assert_eq!(InverseGamma::new(0.5, 4.0)?.mean(), None);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    #[derive(Copy)]
    pub struct InverseGamma {
        shape: f64,
        scale: f64,
    }
}

impl InverseGamma {
    /// The law of 1/X for a gamma variable X of shape α and rate β; β is the scale of 1/X.
    pub fn new(shape: f64, scale: f64) -> Result<Self> {
        let shape = check::positive("shape", shape)?;
        let scale = check::positive("scale", scale)?;
        Ok(InverseGamma { shape, scale })
    }

    /// The law of ντ²/χ²(ν), which is the inverse gamma law of shape ν/2 and scale ντ²/2.
    pub fn scaled_inverse_chi_squared(freedom: f64, scale: f64) -> Result<Self> {
        let freedom = check::positive("freedom", freedom)?;
        let scale = check::positive("scale", scale)?;
        InverseGamma::new(0.5 * freedom, 0.5 * freedom * scale)
    }

    /// The shape α.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// The scale β.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// The gamma law of the reciprocal.
    pub fn reciprocal(&self) -> Gamma {
        Gamma::new(self.shape, self.scale)
            .expect("the parameters were checked when the law was made")
    }
}

impl Density<f64> for InverseGamma {
    fn log_density(&self, x: f64) -> f64 {
        match x > 0.0 && x.is_finite() {
            true => self.reciprocal().log_density(1.0 / x) - 2.0 * x.ln(),
            false if x.is_nan() => x,
            false => f64::NEG_INFINITY,
        }
    }
}

impl Cumulative<f64> for InverseGamma {
    fn log_tails(&self, x: f64) -> (f64, f64) {
        let (below, above) = self.reciprocal().log_tails(1.0 / at_least(x, 0.0));
        (above, below)
    }

    fn at_tail(&self, tail: Tail) -> f64 {
        1.0 / self.reciprocal().at_tail(tail.flip())
    }
}

impl Moments for InverseGamma {
    type Mean = f64;
    type Variance = f64;

    fn mean(&self) -> Option<f64> {
        (self.shape > 1.0).then(|| self.scale / (self.shape - 1.0))
    }

    fn variance(&self) -> Option<f64> {
        let a = self.shape;
        match a > 2.0 {
            true => Some((self.scale / (a - 1.0)).powi(2) / (a - 2.0)),
            false => (a > 1.0).then_some(f64::INFINITY),
        }
    }
}

impl Modal<f64> for InverseGamma {
    fn mode(&self) -> Mode<f64> {
        Mode::At(self.scale / (self.shape + 1.0))
    }
}

impl Entropy for InverseGamma {
    fn entropy(&self) -> f64 {
        let a = self.shape;
        a + self.scale.ln() + log_gamma(a) - (1.0 + a) * digamma(a)
    }
}

impl Draw<f64> for InverseGamma {
    fn draw(&self, generator: &mut Generator) -> f64 {
        1.0 / self.reciprocal().draw(generator)
    }
}

impl FitLikelihood<[f64]> for InverseGamma {
    fn fit_weighted(data: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        Observations::new(data, weights)?.within("greater than 0", |x| x > 0.0)?;
        let reciprocals: Vec<f64> = data.iter().map(|x| 1.0 / x).collect();
        let law = Gamma::fit_weighted(reciprocals.as_slice(), weights)?;
        InverseGamma::new(law.shape(), law.rate())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_relative, check_continuous};

    #[test]
    fn the_law_is_one_law_in_all_its_views() {
        check_continuous(&InverseGamma::new(3.0, 2.0).unwrap(), (0.0, f64::INFINITY));
        check_continuous(&InverseGamma::new(0.8, 5.0).unwrap(), (0.0, f64::INFINITY));
        assert!(InverseGamma::new(0.0, 1.0).is_err());
    }

    // 000b:P21
    #[test]
    fn the_scaled_inverse_chi_square_law_is_an_inverse_gamma_law() {
        let law = InverseGamma::scaled_inverse_chi_squared(5.0, 2.0).unwrap();
        assert_eq!((law.shape(), law.scale()), (2.5, 5.0));
        // Its density (τ²ν/2)^(ν/2)/Γ(ν/2)·exp(−ντ²/(2x))/x^(1+ν/2) at x = 1.3, by hand.
        let expected = 2.5 * 5.0_f64.ln() - log_gamma(2.5) - 5.0 / 1.3 - 3.5 * 1.3_f64.ln();
        assert_relative(law.log_density(1.3), expected, 1e-14);
        // Mean ντ²/(ν−2) and mode ντ²/(ν+2).
        assert_relative(law.mean().unwrap(), 10.0 / 3.0, 1e-15);
        assert_eq!(law.mode(), Mode::At(10.0 / 7.0));
    }

    #[test]
    fn moments_exist_only_for_large_shapes() {
        assert_eq!(
            InverseGamma::new(1.5, 1.0).unwrap().variance(),
            Some(f64::INFINITY)
        );
        assert_eq!(InverseGamma::new(0.5, 1.0).unwrap().variance(), None);
        let data = [0.5, 1.0, 2.0, 4.0];
        let law = InverseGamma::fit(&data[..]).unwrap();
        // mean of 1/x = α/β at the optimum
        assert_relative(
            law.shape() / law.scale(),
            (2.0 + 1.0 + 0.5 + 0.25) / 4.0,
            1e-13,
        );
    }
}
