//! The many names of the width of a Gaussian kernel.

use didact_core::{Error, Result};

/// The width of a Gaussian kernel exp(−γ‖a−b‖²) in all its conventions.
///
/// ```
/// use didact_math::kernel::RbfWidth;
/// let width = RbfWidth::from_sigma(2.0)?;
/// assert_eq!((width.gamma(), width.width(), width.length_scale()), (0.125, 8.0, 2.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RbfWidth {
    gamma: f64,
}

impl RbfWidth {
    /// From the rate γ of exp(−γr²).
    pub fn from_gamma(gamma: f64) -> Result<Self> {
        RbfWidth::checked("gamma", gamma, gamma)
    }

    /// From the standard deviation σ of exp(−r²/2σ²): γ = 1/(2σ²).
    pub fn from_sigma(sigma: f64) -> Result<Self> {
        RbfWidth::checked("sigma", sigma, 0.5 / sigma / sigma)
    }

    /// From the length scale ℓ of exp(−½r²/ℓ²), another name of σ.
    pub fn from_length_scale(length_scale: f64) -> Result<Self> {
        RbfWidth::checked(
            "length_scale",
            length_scale,
            0.5 / length_scale / length_scale,
        )
    }

    /// From the width w of exp(−r²/w): γ = 1/w.
    pub fn from_width(width: f64) -> Result<Self> {
        RbfWidth::checked("width", width, width.recip())
    }

    fn checked(name: &str, value: f64, gamma: f64) -> Result<Self> {
        let is_usable = value > 0.0 && gamma > 0.0 && gamma.is_finite();
        match is_usable {
            true => Ok(RbfWidth { gamma }),
            false => Err(Error::parameter(
                name,
                value,
                "it must be greater than 0 and finite",
            )),
        }
    }

    /// The rate γ.
    pub fn gamma(self) -> f64 {
        self.gamma
    }

    /// The standard deviation σ = 1/√(2γ).
    pub fn sigma(self) -> f64 {
        (2.0 * self.gamma).sqrt().recip()
    }

    /// The length scale ℓ = σ.
    pub fn length_scale(self) -> f64 {
        self.sigma()
    }

    /// The width w = 1/γ = 2σ².
    pub fn width(self) -> f64 {
        self.gamma.recip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_conventions_name_the_same_kernel() {
        let expected = 0.125;
        for width in [
            RbfWidth::from_gamma(0.125),
            RbfWidth::from_sigma(2.0),
            RbfWidth::from_length_scale(2.0),
            RbfWidth::from_width(8.0),
        ] {
            let width = width.unwrap();
            assert_eq!(width.gamma(), expected);
            assert_eq!(
                (width.sigma(), width.length_scale(), width.width()),
                (2.0, 2.0, 8.0)
            );
        }
    }

    #[test]
    fn a_width_that_is_not_positive_is_refused_by_its_name() {
        let error = RbfWidth::from_sigma(-1.0).unwrap_err().to_string();
        assert_eq!(error, "sigma is -1; it must be greater than 0 and finite");
        assert!(RbfWidth::from_width(0.0).is_err());
        assert!(RbfWidth::from_gamma(f64::NAN).is_err());
    }
}
