//! Least squares for matrices of any rank.

use super::{Svd, at_times_b, thin_svd};
use didact_core::Result;
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// The shortest of all least-squares solutions, and what the matrix turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub struct LeastSquares {
    /// The solution, a column for each column of the right-hand side.
    pub solution: Array2<f64>,
    /// The numerical rank of the matrix.
    pub rank: usize,
    /// The singular values of the matrix in falling order.
    pub singular_values: Array1<f64>,
}

/// The X of least ‖X‖ among those of least ‖A·X − B‖, through the singular value decomposition.
///
/// Singular values at most `tolerance` times the largest count as zero; without a tolerance that
/// is ε·max(n, d).
///
/// ```
/// use didact_math::linalg::pseudo_solve;
/// use ndarray::array;
/// // Both columns are the same: the shortest solution shares the weight between them.
/// let a = array![[1.0, 1.0], [2.0, 2.0]];
/// let answer = pseudo_solve(a.view(), array![[2.0], [4.0]].view(), None)?;
/// assert_eq!(answer.rank, 1);
/// assert!((answer.solution[[0, 0]] - 1.0).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When A and B have different numbers of rows.
pub fn pseudo_solve(
    a: ArrayView2<'_, f64>,
    b: ArrayView2<'_, f64>,
    tolerance: Option<f64>,
) -> Result<LeastSquares> {
    let Svd {
        u,
        singular_values,
        vt,
    } = thin_svd(a)?;
    let tolerance = tolerance.unwrap_or(f64::EPSILON * a.nrows().max(a.ncols()) as f64);
    let largest = singular_values.first().copied().unwrap_or(0.0);
    let rank = singular_values
        .iter()
        .take_while(|&&value| value > tolerance * largest)
        .count();
    let mut coefficients = at_times_b(u.slice(s![.., ..rank]), b);
    coefficients /= &singular_values.slice(s![..rank]).insert_axis(Axis(1));
    Ok(LeastSquares {
        solution: at_times_b(vt.slice(s![..rank, ..]), coefficients.view()),
        rank,
        singular_values,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matmul;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;

    #[test]
    fn a_regular_system_is_solved() {
        let (a, x) = (random_matrix(30, 6, 1), random_matrix(6, 2, 2));
        let answer = pseudo_solve(a.view(), matmul(a.view(), x.view()).view(), None).unwrap();
        assert_eq!(answer.rank, 6);
        assert_close(&answer.solution, &x, 1e-12);
    }

    #[test]
    fn the_residual_is_orthogonal_to_the_columns() {
        let (a, b) = (random_matrix(20, 4, 3), random_matrix(20, 1, 4));
        let answer = pseudo_solve(a.view(), b.view(), None).unwrap();
        let residual = &b - &matmul(a.view(), answer.solution.view());
        assert!(
            at_times_b(a.view(), residual.view())
                .iter()
                .all(|value| value.abs() < 1e-12)
        );
    }

    #[test]
    fn of_many_solutions_the_shortest_is_taken() {
        // x + y + z = 3 has the shortest solution (1, 1, 1).
        let answer =
            pseudo_solve(array![[1.0, 1.0, 1.0]].view(), array![[3.0]].view(), None).unwrap();
        assert_close(&answer.solution, &array![[1.0], [1.0], [1.0]], 1e-12);
        assert_eq!(answer.rank, 1);
    }

    #[test]
    fn the_zero_matrix_has_rank_zero_and_the_zero_solution() {
        let answer = pseudo_solve(
            Array2::zeros((3, 2)).view(),
            Array2::ones((3, 1)).view(),
            None,
        )
        .unwrap();
        assert_eq!((answer.rank, answer.solution), (0, Array2::zeros((2, 1))));
    }

    #[test]
    fn the_tolerance_decides_what_counts_as_zero() {
        let a = array![[1.0, 0.0], [0.0, 1e-3]];
        let rank = |tolerance| pseudo_solve(a.view(), a.view(), tolerance).unwrap().rank;
        assert_eq!((rank(None), rank(Some(1e-4)), rank(Some(1e-2))), (2, 2, 1));
    }
}
