//! Pseudo-inverses and powers of symmetric matrices.

use super::{Svd, a_times_bt, symmetric_eigen, thin_svd};
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2, s};

/// The pseudo-inverse A⁺ of Moore and Penrose, in O(n·d·min(n, d)): the matrix for which A⁺·b is
/// the shortest least-squares solution of A·x = b.
///
/// Singular values at most `tolerance` times the largest count as zero; without a tolerance that
/// is ε·max(n, d). To solve one system, [`pseudo_solve`](super::pseudo_solve) is better.
///
/// ```
/// use didact_math::linalg::pseudo_inverse;
/// use ndarray::array;
/// let inverse = pseudo_inverse(array![[2.0, 0.0], [0.0, 0.0]].view(), None)?;
/// assert_eq!(inverse, array![[0.5, 0.0], [0.0, 0.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn pseudo_inverse(matrix: ArrayView2<'_, f64>, tolerance: Option<f64>) -> Result<Array2<f64>> {
    let Svd {
        u,
        singular_values,
        vt,
    } = thin_svd(matrix)?;
    let tolerance = tolerance.unwrap_or(f64::EPSILON * matrix.nrows().max(matrix.ncols()) as f64);
    let largest = singular_values.first().copied().unwrap_or(0.0);
    let is_kept = |value: &&f64| **value > tolerance * largest;
    let rank = singular_values.iter().take_while(is_kept).count();
    let right = &vt.slice(s![..rank, ..]).t() / &singular_values.slice(s![..rank]);
    Ok(a_times_bt(right.view(), u.slice(s![.., ..rank])))
}

/// The power Aᵖ of a symmetric positive semidefinite matrix, in O(d³): V·diag(λᵖ)·Vᵀ.
///
/// Eigenvalues at most d·ε of the largest count as zero, and for a negative power the inverse is
/// the pseudo-inverse: ½ is the symmetric root, −½ whitens. A matrix with an eigenvalue clearly
/// below zero is an error.
///
/// ```
/// use didact_math::linalg::symmetric_power;
/// use ndarray::array;
/// let root = symmetric_power(array![[4.0, 0.0], [0.0, 9.0]].view(), 0.5)?;
/// assert!((root[[0, 0]] - 2.0).abs() < 1e-14 && (root[[1, 1]] - 3.0).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When the matrix is not square.
pub fn symmetric_power(matrix: ArrayView2<'_, f64>, power: f64) -> Result<Array2<f64>> {
    let eigen = symmetric_eigen(matrix)?;
    let magnitude = eigen.values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let negligible = matrix.nrows() as f64 * f64::EPSILON * magnitude;
    if let Some(negative) = eigen.values.iter().find(|&&x| x < -4.0 * negligible) {
        return Err(Error::numerical(format!(
            "the matrix has the eigenvalue {negative:e}; only a positive semidefinite matrix \
             has a real power"
        )));
    }
    let powers = eigen.values.mapv(|value| match value > negligible {
        true => value.powf(power),
        false => 0.0,
    });
    let scaled = &eigen.vectors * &powers;
    Ok(a_times_bt(scaled.view(), eigen.vectors.view()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{at_times_b, matmul};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn the_whitening_root_of_a_singular_matrix_lives_on_its_range() {
        let x = random_matrix(3, 5, 1);
        let covariance = at_times_b(x.view(), x.view());
        let root = symmetric_power(covariance.view(), -0.5).unwrap();
        let projector = matmul(matmul(root.view(), covariance.view()).view(), root.view());
        // A projector onto three dimensions.
        assert_close(
            &matmul(projector.view(), projector.view()),
            &projector,
            1e-9,
        );
        assert!((projector.diag().sum() - 3.0).abs() < 1e-9);
        assert!(symmetric_power(array![[1.0, 2.0], [2.0, 1.0]].view(), 0.5).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_four_laws_of_the_pseudo_inverse_hold(n in 1usize..12, d in 1usize..12, rank in 1usize..6, seed: u64) {
            let a = matmul(random_matrix(n, rank, seed).view(), random_matrix(rank, d, seed ^ 1).view());
            let inverse = pseudo_inverse(a.view(), None).unwrap();
            let (left, right) = (matmul(a.view(), inverse.view()), matmul(inverse.view(), a.view()));
            let size = inverse.iter().chain(&a).fold(1.0_f64, |m, x| m.max(x.abs()));
            let tolerance = 1e-12 * size * size;
            assert_close(&matmul(left.view(), a.view()), &a, tolerance);
            assert_close(&matmul(right.view(), inverse.view()), &inverse, tolerance);
            assert_close(&left.t().to_owned(), &left, tolerance);
            assert_close(&right.t().to_owned(), &right, tolerance);
        }
    }
}
