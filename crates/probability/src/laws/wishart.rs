//! The scatter of normal vectors; the prior of a precision matrix.

use super::sampling::{gamma, standard_normal};
use crate::check;
use crate::special::{digamma, multivariate_log_gamma};
use crate::{Density, Draw, Entropy, Modal, Mode, Moments};
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::linalg::{Cholesky, a_times_bt, matmul};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;

/// The Wishart law of positive definite matrices:
/// |X|^((ν−d−1)/2)·exp(−½·tr Λ⁻¹X)/Z with Z = 2^(νd/2)·Γ_d(ν/2)·|Λ|^(ν/2).
///
/// ```
/// use didact_probability::{Moments, laws::Wishart};
/// use ndarray::array;
/// let law = Wishart::new(array![[1.0, 0.2], [0.2, 2.0]], 4.0)?;
/// assert_eq!(law.mean(), Some(array![[4.0, 0.8], [0.8, 8.0]])); // νΛ
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Raw", into = "Raw")]
pub struct Wishart {
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

impl TryFrom<Raw> for Wishart {
    type Error = Error;

    fn try_from(raw: Raw) -> Result<Self> {
        Wishart::new(raw.scale, raw.freedom)
    }
}

impl From<Wishart> for Raw {
    fn from(law: Wishart) -> Self {
        Raw {
            scale: law.scale,
            freedom: law.freedom,
        }
    }
}

/// Bartlett's factor A: the scatter of standard normal vectors is A·Aᵀ.
pub(super) fn bartlett(freedom: f64, dimension: usize, generator: &mut Generator) -> Array2<f64> {
    let mut factor = Array2::zeros((dimension, dimension));
    for i in 0..dimension {
        // χ²(ν−i) = 2·Gamma((ν−i)/2)
        factor[[i, i]] = (2.0 * gamma(0.5 * (freedom - i as f64), generator)).sqrt();
        for j in 0..i {
            factor[[i, j]] = standard_normal(generator);
        }
    }
    factor
}

impl Wishart {
    /// The law with this scale matrix Λ and ν > d − 1 degrees of freedom.
    pub fn new(scale: Array2<f64>, freedom: f64) -> Result<Self> {
        let factor = check::positive_definite("scale", scale.view())?;
        check::freedom(freedom, scale.nrows())?;
        Ok(Wishart {
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

    fn dimension(&self) -> usize {
        self.scale.nrows()
    }

    /// ln Z.
    fn log_normaliser(&self) -> f64 {
        let (v, d) = (self.freedom, self.dimension());
        0.5 * v * (d as f64 * LN_2 + self.factor.log_determinant())
            + multivariate_log_gamma(d, 0.5 * v)
    }

    /// E ln |X| = Σ ψ((ν−i)/2) + d·ln 2 + ln |Λ| for i = 0 … d−1.
    pub fn expected_log_determinant(&self) -> f64 {
        let sum: f64 = (0..self.dimension())
            .map(|i| digamma(0.5 * (self.freedom - i as f64)))
            .sum();
        sum + self.dimension() as f64 * LN_2 + self.factor.log_determinant()
    }
}

impl Density<ArrayView2<'_, f64>> for Wishart {
    fn log_density(&self, x: ArrayView2<'_, f64>) -> f64 {
        let d = self.dimension();
        if x.dim() != (d, d) {
            return f64::NEG_INFINITY;
        }
        let Ok(factor) = check::positive_definite("x", x) else {
            return f64::NEG_INFINITY;
        };
        // tr Λ⁻¹X = ‖L⁻¹·chol(X)‖²
        let root = self.factor.half_solve(factor.lower());
        let trace: f64 = root.iter().map(|value| value * value).sum();
        0.5 * ((self.freedom - d as f64 - 1.0) * factor.log_determinant() - trace)
            - self.log_normaliser()
    }
}

impl Moments for Wishart {
    type Mean = Array2<f64>;
    type Variance = Array2<f64>;

    fn mean(&self) -> Option<Array2<f64>> {
        Some(&self.scale * self.freedom)
    }

    /// The variance of each entry, ν(Λᵢⱼ² + ΛᵢᵢΛⱼⱼ).
    fn variance(&self) -> Option<Array2<f64>> {
        let s = &self.scale;
        Some(Array2::from_shape_fn(s.dim(), |(i, j)| {
            self.freedom * (s[[i, j]] * s[[i, j]] + s[[i, i]] * s[[j, j]])
        }))
    }
}

impl Modal<Array2<f64>> for Wishart {
    /// (ν−d−1)Λ, where ν > d + 1.
    fn mode(&self) -> Mode<Array2<f64>> {
        let excess = self.freedom - self.dimension() as f64 - 1.0;
        match excess > 0.0 {
            true => Mode::At(&self.scale * excess),
            false => Mode::Boundary,
        }
    }
}

impl Entropy for Wishart {
    fn entropy(&self) -> f64 {
        let (v, d) = (self.freedom, self.dimension() as f64);
        self.log_normaliser() - 0.5 * (v - d - 1.0) * self.expected_log_determinant() + 0.5 * v * d
    }
}

impl Draw<Array2<f64>> for Wishart {
    fn draw(&self, generator: &mut Generator) -> Array2<f64> {
        let factor = bartlett(self.freedom, self.dimension(), generator);
        let root = matmul(self.factor.lower(), factor.view());
        a_times_bt(root.view(), root.view())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Gamma;
    use crate::testing::assert_relative;
    use didact_core::random::generator;
    use ndarray::array;

    fn example() -> Wishart {
        Wishart::new(array![[1.0, 0.2], [0.2, 2.0]], 4.0).unwrap()
    }

    // 000b:P18, 000b:TV-20
    #[test]
    fn the_printed_value_is_found() {
        let x = array![[1.5, 0.3], [0.3, 0.8]];
        assert_relative(example().log_density(x.view()), -5.45665587656, 1e-11);
        assert_eq!(
            example().density(array![[1.0, 2.0], [2.0, 1.0]].view()),
            0.0
        );
        assert_eq!(example().density(array![[1.0]].view()), 0.0);
    }

    // 000b:P18, 000b:TV-20, 003:P04
    #[test]
    fn in_one_dimension_it_is_a_gamma_law() {
        let law = Wishart::new(array![[2.0]], 5.0).unwrap();
        let gamma = Gamma::new(2.5, 0.25).unwrap();
        assert_relative(law.density(array![[1.5]].view()), 0.0296818031021, 1e-10);
        for x in [0.1, 1.5, 20.0] {
            assert_relative(
                law.log_density(array![[x]].view()),
                gamma.log_density(x),
                1e-13,
            );
        }
        assert_relative(law.entropy(), gamma.entropy(), 1e-13);
        assert_eq!(law.mode(), Mode::At(array![[6.0]]));
    }

    // 000b:P18: the text says ν ≥ d; ν > d − 1 is enough for a density.
    #[test]
    fn freedom_above_dimension_minus_one_is_enough() {
        assert!(Wishart::new(Array2::eye(3), 2.1).is_ok());
        let error = Wishart::new(Array2::eye(3), 2.0).unwrap_err().to_string();
        assert_eq!(
            error,
            "freedom is 2; it must be greater than the dimension minus one, which is 2"
        );
        assert!(Wishart::new(array![[1.0, 2.0], [2.0, 1.0]], 4.0).is_err());
        assert_eq!(
            Wishart::new(Array2::eye(2), 2.5).unwrap().mode(),
            Mode::Boundary
        );
    }

    // 000b:P18
    #[test]
    fn draws_have_the_mean_and_variance_of_the_law() {
        let law = example();
        let (mean, variance) = (law.mean().unwrap(), law.variance().unwrap());
        let n = 8000;
        let draws = law.draw_many(n, &mut generator(2, 0));
        for (i, j) in [(0, 0), (0, 1), (1, 1)] {
            let found = draws.iter().map(|x| x[[i, j]]).sum::<f64>() / n as f64;
            assert!((found - mean[[i, j]]).abs() < 5.0 * (variance[[i, j]] / n as f64).sqrt());
        }
        let logs: Vec<f64> = draws
            .iter()
            .map(|x| Cholesky::new(x.view()).unwrap().log_determinant())
            .collect();
        let found = logs.iter().sum::<f64>() / n as f64;
        let spread = logs.iter().map(|log| (log - found).powi(2)).sum::<f64>() / n as f64;
        assert!((found - law.expected_log_determinant()).abs() < 5.0 * (spread / n as f64).sqrt());
    }
}
