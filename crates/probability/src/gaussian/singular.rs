//! Covariances without full rank: pseudo-inverses and laws on a subspace.

use crate::{Density, check};
use didact_core::Result;
use didact_math::linalg::symmetric_eigen;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};
use std::f64::consts::TAU;

/// The inverse of a symmetric matrix on the space that it does not annihilate.
#[derive(Clone, Debug, PartialEq)]
pub struct PseudoInverse {
    /// The Moore–Penrose inverse.
    pub matrix: Array2<f64>,
    /// The number of eigenvalues that are not zero up to rounding.
    pub rank: usize,
    /// The sum of the logarithms of their absolute values.
    pub log_determinant: f64,
}

/// The Moore–Penrose inverse of a symmetric matrix, by its eigenvalues; those below d·ε times
/// the largest count as zero.
///
/// ```
/// use didact_probability::gaussian::pseudo_inverse;
/// let inverse = pseudo_inverse(ndarray::array![[1.0, 1.0], [1.0, 1.0]].view())?;
/// assert_eq!(inverse.rank, 1);
/// assert!((inverse.matrix[[0, 1]] - 0.25).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn pseudo_inverse(matrix: ArrayView2<'_, f64>) -> Result<PseudoInverse> {
    check::symmetric("matrix", matrix)?;
    let eigen = symmetric_eigen(matrix)?;
    let largest = eigen
        .values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let negligible = largest * f64::EPSILON * matrix.nrows() as f64;
    let mut inverse = Array2::zeros(matrix.dim());
    let (mut rank, mut log_determinant) = (0, 0.0);
    for (&value, vector) in eigen.values.iter().zip(eigen.vectors.columns()) {
        if value.abs() > negligible {
            rank += 1;
            log_determinant += value.abs().ln();
            for (i, &left) in vector.iter().enumerate() {
                for (j, &right) in vector.iter().enumerate() {
                    // The product comes first so that the result is symmetric to the last bit.
                    inverse[[i, j]] += (left * right) / value;
                }
            }
        }
    }
    Ok(PseudoInverse {
        matrix: inverse,
        rank,
        log_determinant,
    })
}

/// A normal law whose covariance has no full rank: it lives on a flat through the mean, and its
/// density is taken there.
///
/// ```
/// use didact_probability::{Density, gaussian::SingularNormal};
/// use ndarray::array;
/// let law = SingularNormal::new(array![0.0, 0.0], array![[1.0, 1.0], [1.0, 1.0]].view())?;
/// assert_eq!(law.rank(), 1);
/// assert!(law.density(array![1.0, 1.0].view()) > 0.0);
/// assert_eq!(law.density(array![1.0, -1.0].view()), 0.0); // off the line
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SingularNormal {
    mean: Array1<f64>,
    /// The directions of the flat as columns, and the variances along them.
    axes: Array2<f64>,
    variances: Array1<f64>,
}

impl SingularNormal {
    /// The law with this mean and positive semidefinite covariance.
    pub fn new(mean: Array1<f64>, covariance: ArrayView2<'_, f64>) -> Result<Self> {
        check::finite_all("mean", mean.view())?;
        check::symmetric("covariance", covariance)?;
        check::same_dimension("covariance", covariance.nrows(), mean.len())?;
        let eigen = symmetric_eigen(covariance)?;
        let d = mean.len();
        let negligible = eigen.values[0].max(0.0) * f64::EPSILON * d as f64;
        let least = eigen.values[d - 1];
        if least < -1e3 * negligible.max(f64::MIN_POSITIVE) {
            return Err(didact_core::Error::parameter(
                "covariance",
                format!("a matrix with the eigenvalue {least}"),
                "its eigenvalues must not be negative",
            ));
        }
        let rank = eigen
            .values
            .iter()
            .filter(|value| **value > negligible)
            .count();
        Ok(SingularNormal {
            mean,
            axes: eigen.vectors.slice(s![.., ..rank]).to_owned(),
            variances: eigen.values.slice(s![..rank]).to_owned(),
        })
    }

    /// The dimension of the flat.
    pub fn rank(&self) -> usize {
        self.variances.len()
    }
}

impl Density<ArrayView1<'_, f64>> for SingularNormal {
    /// # Panics
    /// When the vector has another dimension.
    fn log_density(&self, x: ArrayView1<'_, f64>) -> f64 {
        let shift = &x - &self.mean;
        let along = self.axes.t().dot(&shift);
        let rest = &shift - &self.axes.dot(&along);
        // Up to the rounding of the coordinates themselves.
        let size = shift.dot(&shift).sqrt() + self.mean.dot(&self.mean).sqrt();
        let spread = self
            .variances
            .first()
            .map_or(0.0, |variance| variance.sqrt());
        if rest.dot(&rest).sqrt() > 1e-7 * (size + spread) {
            return f64::NEG_INFINITY;
        }
        let terms = along.iter().zip(&self.variances);
        -0.5 * terms
            .map(|(along, variance)| (TAU * variance).ln() + along * along / variance)
            .sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{MultivariateNormal, Normal};
    use crate::testing::{assert_close, assert_relative};
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn on_its_flat_the_law_is_a_law_of_fewer_numbers() {
        // x = (t, 2t)/√5·s with variance 5 along (1, 2)/√5.
        let law =
            SingularNormal::new(array![1.0, 1.0], array![[1.0, 2.0], [2.0, 4.0]].view()).unwrap();
        let line = Normal::with_variance(0.0, 5.0).unwrap();
        let expected = line.log_density(2.0 * 5.0_f64.sqrt());
        assert_relative(law.log_density(array![3.0, 5.0].view()), expected, 1e-13);
        assert_eq!(law.log_density(array![3.0, 5.1].view()), f64::NEG_INFINITY);
        assert!(
            SingularNormal::new(array![0.0, 0.0], array![[1.0, 2.0], [2.0, 1.0]].view()).is_err()
        );
    }

    #[test]
    fn with_full_rank_it_is_the_ordinary_law() {
        let covariance = array![[2.0, 0.5], [0.5, 1.0]];
        let law = SingularNormal::new(array![1.0, -1.0], covariance.view()).unwrap();
        let full = MultivariateNormal::new(array![1.0, -1.0], covariance).unwrap();
        let x = array![0.0, 1.0];
        assert_relative(law.log_density(x.view()), full.log_density(x.view()), 1e-13);
    }

    proptest! {
        // 002a:BP19: the four identities of Moore and Penrose.
        #[test]
        fn pseudo_inverses_satisfy_the_four_identities(entries in prop::collection::vec(-2.0..2.0_f64, 8)) {
            // Rank two in four dimensions.
            let root = Array2::from_shape_fn((4, 2), |(i, j)| entries[2 * i + j]);
            let matrix = root.dot(&root.t());
            let square = root.t().dot(&root);
            prop_assume!(square[[0, 0]] * square[[1, 1]] - square[[0, 1]].powi(2) > 0.1);
            let found = pseudo_inverse(matrix.view()).unwrap();
            prop_assert_eq!(found.rank, 2);
            let inverse = &found.matrix;
            assert_close(&matrix.dot(inverse).dot(&matrix), &matrix, 1e-9);
            assert_close(&inverse.dot(&matrix).dot(inverse), inverse, 1e-9);
            let projector = matrix.dot(inverse);
            assert_close(&projector, &projector.t().to_owned(), 1e-9);
            let projector = inverse.dot(&matrix);
            assert_close(&projector, &projector.t().to_owned(), 1e-9);
        }
    }
}
