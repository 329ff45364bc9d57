//! The eigenproblem of a pair of symmetric matrices.

use super::convert::{Operand, with_matrix_mut};
use super::{Cholesky, Eigen, symmetric_eigen};
use didact_core::Result;
use faer::Par;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use ndarray::ArrayView2;

/// The solutions of A·v = λ·B·v for symmetric A and positive definite B, in O(d³), largest λ
/// first; the vectors are the columns of V with Vᵀ·B·V = I.
///
/// With B = L·Lᵀ this is the ordinary problem of L⁻¹·A·L⁻ᵀ. Where B is singular there are
/// infinite or undefined eigenvalues, so it is refused with the pivot that vanishes; add a ridge
/// to it ([`Cholesky::with_jitter`] says how much) or project onto its range first.
///
/// ```
/// use didact_math::linalg::generalised_eigen;
/// use ndarray::array;
/// let (a, b) = (array![[6.0, 0.0], [0.0, 1.0]], array![[2.0, 0.0], [0.0, 1.0]]);
/// let eigen = generalised_eigen(a.view(), b.view())?;
/// assert!((eigen.values[0] - 3.0).abs() < 1e-14 && (eigen.values[1] - 1.0).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When the matrices are not square and of one size.
pub fn generalised_eigen(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Result<Eigen> {
    assert_eq!(a.dim(), b.dim(), "the two matrices must be of one size");
    let factor = Cholesky::new(b)?;
    // L⁻¹·A, then L⁻¹ once more from the other side; A is symmetric, so a transpose suffices.
    let half = factor.half_solve(a);
    let mut reduced = factor.half_solve(half.t());
    // Rounding leaves the two triangles a little apart; their mean is the better matrix.
    let mirrored = reduced.t().to_owned();
    reduced += &mirrored;
    reduced *= 0.5;
    let mut eigen = symmetric_eigen(reduced.view())?;
    let upper = Operand::new(factor.lower().reversed_axes());
    with_matrix_mut(eigen.vectors.view_mut(), |vectors| {
        solve_upper_triangular_in_place(upper.matrix(), vectors, Par::Seq);
    });
    Ok(eigen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{a_times_bt, at_times_b, matmul};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::{Array2, array};
    use proptest::prelude::*;

    #[test]
    fn a_singular_right_hand_matrix_is_refused() {
        let singular = array![[1.0, 1.0], [1.0, 1.0]];
        let error = generalised_eigen(Array2::eye(2).view(), singular.view()).unwrap_err();
        assert!(
            error.to_string().contains("not positive definite"),
            "{error}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn pairs_satisfy_their_equation_and_are_orthonormal_in_b(d in 1usize..25, seed: u64) {
            let root = random_matrix(d, d, seed);
            let a = &root + &root.t();
            let root = random_matrix(d, d + 3, seed ^ 1);
            let b = a_times_bt(root.view(), root.view()) + Array2::<f64>::eye(d);
            let eigen = generalised_eigen(a.view(), b.view()).unwrap();
            let left = matmul(a.view(), eigen.vectors.view());
            let bv = matmul(b.view(), eigen.vectors.view());
            let residual = &left - &(&bv * &eigen.values);
            let scale = left.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            prop_assert!(residual.iter().all(|x| x.abs() < 1e-11 * scale));
            assert_close(&at_times_b(eigen.vectors.view(), bv.view()), &Array2::eye(d), 1e-11);
            prop_assert!(eigen.values.windows(2).into_iter().all(|pair| pair[0] >= pair[1]));
        }
    }
}
