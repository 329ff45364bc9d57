//! The inverse of a Wishart matrix; the prior of a covariance.

use super::wishart::bartlett;
use crate::check;
use crate::special::multivariate_log_gamma;
use crate::{Density, Draw, Modal, Mode, Moments};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::linalg::{Cholesky, at_times_b};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;

/// The inverse Wishart law of positive definite matrices:
/// |X|^(−(ν+d+1)/2)·exp(−½·tr ΛX⁻¹)/Z with Z = 2^(νd/2)·Γ_d(ν/2)/|Λ|^(ν/2).
///
/// ```
/// use didact_probability::{Modal, Moments, Mode, laws::InverseWishart};
/// use ndarray::array;
/// let law = InverseWishart::new(array![[8.0]], 5.0)?;
/// assert_eq!(law.mean(), Some(array![[8.0 / 3.0]])); // Λ/(ν−d−1)
/// assert_eq!(law.mode(), Mode::At(array![[8.0 / 7.0]])); // Λ/(ν+d+1)
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct InverseWishart {
    scale: Array2<f64>,
    freedom: f64,
    factor: Cholesky,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    scale: Array2<f64>,
    freedom: f64,
}

impl TryFrom<Raw> for InverseWishart {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        InverseWishart::new(raw.scale, raw.freedom)
    }
}

impl From<InverseWishart> for Raw {
    fn from(law: InverseWishart) -> Self {
        Raw {
            scale: law.scale,
            freedom: law.freedom,
        }
    }
}

impl InverseWishart {
    /// The law with this scale matrix Λ and ν > d − 1 degrees of freedom.
    pub fn new(scale: Array2<f64>, freedom: f64) -> Result<Self> {
        let factor = check::positive_definite("scale", scale.view())?;
        check::freedom(freedom, scale.nrows())?;
        Ok(InverseWishart {
            scale,
            freedom,
            factor,
        })
    }

    /// The scale matrix Λ.
    pub fn scale(&self) -> &Array2<f64> {
        &self.scale
    }

    /// The degrees of freedom ν.
    pub fn freedom(&self) -> f64 {
        self.freedom
    }

    /// The number d of rows of the matrices.
    pub fn dimension(&self) -> usize {
        self.scale.nrows()
    }

    /// ln Z = νd/2·ln 2 + ln Γ_d(ν/2) − ν/2·ln |Λ|.
    pub(crate) fn log_normaliser(&self) -> f64 {
        let (v, d) = (self.freedom, self.dimension());
        0.5 * v * (d as f64 * LN_2 - self.factor.log_determinant())
            + multivariate_log_gamma(d, 0.5 * v)
    }
}

impl Density<ArrayView2<'_, f64>> for InverseWishart {
    fn log_density(&self, x: ArrayView2<'_, f64>) -> f64 {
        let d = self.dimension();
        if x.dim() != (d, d) {
            return f64::NEG_INFINITY;
        }
        let Ok(factor) = check::positive_definite("x", x) else {
            return f64::NEG_INFINITY;
        };
        // tr ΛX⁻¹ = ‖chol(X)⁻¹·L‖²
        let root = factor.half_solve(self.factor.lower());
        let trace: f64 = root.iter().map(|value| value * value).sum();
        -0.5 * ((self.freedom + d as f64 + 1.0) * factor.log_determinant() + trace)
            - self.log_normaliser()
    }
}

impl Moments for InverseWishart {
    type Mean = Array2<f64>;
    type Variance = Array2<f64>;

    /// Λ/(ν−d−1), where ν > d + 1.
    fn mean(&self) -> Option<Array2<f64>> {
        let excess = self.freedom - self.dimension() as f64 - 1.0;
        (excess > 0.0).then(|| &self.scale / excess)
    }

    /// The variance of each entry, where ν > d + 3.
    fn variance(&self) -> Option<Array2<f64>> {
        let (s, excess) = (&self.scale, self.freedom - self.dimension() as f64);
        (excess > 3.0).then(|| {
            let divisor = excess * (excess - 1.0).powi(2) * (excess - 3.0);
            Array2::from_shape_fn(s.dim(), |(i, j)| {
                let square = (excess + 1.0) * s[[i, j]] * s[[i, j]];
                (square + (excess - 1.0) * s[[i, i]] * s[[j, j]]) / divisor
            })
        })
    }
}

impl Modal<Array2<f64>> for InverseWishart {
    fn mode(&self) -> Mode<Array2<f64>> {
        Mode::At(&self.scale / (self.freedom + self.dimension() as f64 + 1.0))
    }
}

impl Draw<Array2<f64>> for InverseWishart {
    fn draw(&self, generator: &mut Generator) -> Array2<f64> {
        // X⁻¹ = L⁻ᵀA·AᵀL⁻¹ is Wishart with scale Λ⁻¹, so X = BᵀB with A·B = Lᵀ.
        let factor = bartlett(self.freedom, self.dimension(), generator);
        match Cholesky::try_from(factor.reversed_axes()) {
            Ok(factor) => {
                let root = factor.half_solve(self.factor.lower().reversed_axes());
                at_times_b(root.view(), root.view())
            }
            // A chi-square draw that underflowed to zero: take the next one.
            Err(_) => self.draw(generator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{InverseGamma, Wishart};
    use crate::testing::{assert_close, assert_relative};
    use didact_core::random::generator;
    use ndarray::array;

    fn example() -> InverseWishart {
        InverseWishart::new(array![[1.0, 0.2], [0.2, 2.0]], 4.0).unwrap()
    }

    // 000b:P19, 000b:TV-20: with the printed, inverted Z the value would be off by 2·ln Z.
    #[test]
    fn the_printed_value_is_found_with_the_normaliser_the_right_way_up() {
        let x = array![[1.5, 0.3], [0.3, 0.8]];
        let found = example().log_density(x.view());
        assert_relative(found, -3.90120019234, 1e-11);
        let inverted = found + 2.0 * example().log_normaliser();
        assert!((inverted - found).abs() > 1.0);
    }

    // 000b:P19: p_IW(X) = p_W(X⁻¹)·|X|^(−(d+1)).
    #[test]
    fn the_inverse_of_a_draw_follows_the_wishart_law() {
        let law = example();
        let inverse = |matrix: &Array2<f64>| {
            Cholesky::new(matrix.view())
                .unwrap()
                .solve(Array2::eye(2).view())
        };
        let wishart = Wishart::new(inverse(law.scale()), 4.0).unwrap();
        let x = array![[1.5, 0.3], [0.3, 0.8]];
        let log_determinant = Cholesky::new(x.view()).unwrap().log_determinant();
        let expected = wishart.log_density(inverse(&x).view()) - 3.0 * log_determinant;
        assert_relative(law.log_density(x.view()), expected, 1e-12);
    }

    // 000b:P21
    #[test]
    fn in_one_dimension_it_is_an_inverse_gamma_law() {
        let law = InverseWishart::new(array![[3.0]], 5.0).unwrap();
        let gamma = InverseGamma::new(2.5, 1.5).unwrap();
        for x in [0.1, 1.0, 7.0] {
            assert_relative(
                law.log_density(array![[x]].view()),
                gamma.log_density(x),
                1e-13,
            );
        }
        assert_relative(law.mean().unwrap()[[0, 0]], gamma.mean().unwrap(), 1e-15);
        assert_relative(
            law.variance().unwrap()[[0, 0]],
            gamma.variance().unwrap(),
            1e-14,
        );
        assert_eq!(
            law.mode().point().unwrap()[[0, 0]],
            gamma.mode().point().unwrap()
        );
    }

    #[test]
    fn draws_have_the_mean_of_the_law() {
        let law = InverseWishart::new(array![[1.0, 0.2], [0.2, 2.0]], 9.0).unwrap();
        let (mean, variance) = (law.mean().unwrap(), law.variance().unwrap());
        let n = 8000;
        let draws = law.draw_many(n, &mut generator(2, 0));
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            let found = draws.iter().map(|x| x[[i, j]]).sum::<f64>() / n as f64;
            assert!((found - mean[[i, j]]).abs() < 5.0 * (variance[[i, j]] / n as f64).sqrt());
        }
        assert_close(&draws[0], &draws[0].t().to_owned(), 1e-13);
    }

    #[test]
    fn moments_exist_only_for_enough_freedom() {
        assert_eq!(
            InverseWishart::new(Array2::eye(2), 3.0).unwrap().mean(),
            None
        );
        assert!(InverseWishart::new(Array2::eye(2), 1.0).is_err());
        assert!(example().variance().is_none());
    }
}
