//! Square systems of any kind, by the LU decomposition.

use super::convert::{Operand, finite_scale, with_matrix_mut};
use didact_core::{Error, Result};
use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// A square matrix taken apart as P·A = L·U with rows exchanged for safety, in ⅔d³ operations.
///
/// A singular matrix is refused: a pivot that is nothing but rounding, at most d·ε times the
/// largest value of its column, counts as zero.
///
/// ```
/// use didact_math::linalg::Lu;
/// use ndarray::array;
/// let lu = Lu::new(array![[0.0, 2.0], [1.0, 3.0]].view())?;
/// assert_eq!(lu.solve_vector(array![4.0, 7.0].view()), array![1.0, 2.0]);
/// assert_eq!(lu.log_determinant(), (-1.0, 2.0_f64.ln()));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Lu {
    /// U in and above the diagonal, L below it, in Fortran order.
    factors: Array2<f64>,
    /// Row i of L·U is row `order[i]` of A.
    order: Vec<usize>,
    exchanges: usize,
}

impl Lu {
    /// Factors a square matrix.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new(matrix: ArrayView2<'_, f64>) -> Result<Self> {
        assert!(matrix.is_square(), "only a square matrix has a determinant");
        finite_scale("the matrix to factor", matrix)?;
        let d = matrix.nrows();
        let mut factors = matrix.t().as_standard_layout().into_owned().reversed_axes();
        let (mut order, mut inverse) = (vec![0; d], vec![0; d]);
        let mut exchanges = 0;
        with_matrix_mut(factors.view_mut(), |factors| {
            let scratch = lu_in_place_scratch::<usize, f64>(d, d, Par::Seq, Default::default());
            let mut memory = MemBuffer::new(scratch);
            let (info, _) = lu_in_place(
                factors,
                &mut order,
                &mut inverse,
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            );
            exchanges = info.transposition_count;
        });
        let lost = (0..d).find(|&j| {
            let largest = matrix.column(j).iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let pivot = factors[[j, j]].abs();
            !(pivot > d as f64 * f64::EPSILON * largest && pivot.is_finite())
        });
        match lost {
            None => Ok(Lu {
                factors,
                order,
                exchanges,
            }),
            Some(pivot) => Err(Error::numerical(format!(
                "the matrix is singular: column {pivot} (of {d}) depends on the columns before it"
            ))),
        }
    }

    /// The sign of the determinant and the natural logarithm of its magnitude.
    pub fn log_determinant(&self) -> (f64, f64) {
        let mut sign = if self.exchanges.is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        let mut logarithm = 0.0;
        for pivot in self.factors.diag() {
            sign *= pivot.signum();
            logarithm += pivot.abs().ln();
        }
        (sign, logarithm)
    }

    /// The solution X of A·X = B, a column for each column of B, in 2d² operations each.
    ///
    /// # Panics
    /// When B has another number of rows than A.
    pub fn solve(&self, b: ArrayView2<'_, f64>) -> Array2<f64> {
        assert_eq!(b.nrows(), self.order.len(), "one row per row of the matrix");
        let mut solution = b.select(Axis(0), &self.order);
        let factors = Operand::new(self.factors.view());
        with_matrix_mut(solution.view_mut(), |mut x| {
            solve_unit_lower_triangular_in_place(factors.matrix(), x.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(factors.matrix(), x, Par::Seq);
        });
        solution
    }

    /// The solution x of A·x = b.
    ///
    /// # Panics
    /// When b has another length than A has rows.
    pub fn solve_vector(&self, b: ArrayView1<'_, f64>) -> Array1<f64> {
        self.solve(b.insert_axis(Axis(1))).remove_axis(Axis(1))
    }
}

/// The solution X of A·X = B for a square matrix A, in ⅔d³ operations; a singular A is an error
/// that names the dependent column. For symmetric positive definite A, [`Cholesky`] is twice as
/// fast; for A of any shape and rank, take [`pseudo_solve`].
///
/// [`Cholesky`]: super::Cholesky
/// [`pseudo_solve`]: super::pseudo_solve
///
/// # Panics
/// When A is not square or B has another number of rows.
pub fn solve(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    Ok(Lu::new(a)?.solve(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::matmul;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn the_determinant_has_its_sign_and_never_overflows() {
        // |A| = 1·4 − 2·3 = −2.
        let lu = Lu::new(array![[1.0, 2.0], [3.0, 4.0]].view()).unwrap();
        let (sign, logarithm) = lu.log_determinant();
        assert_eq!(sign, -1.0);
        assert!((logarithm - 2.0_f64.ln()).abs() < 1e-15);
        let huge = Array2::from_diag(&Array1::from(vec![1e200; 5]));
        let (sign, logarithm) = Lu::new(huge.view()).unwrap().log_determinant();
        assert_eq!(sign, 1.0);
        assert!((logarithm - 1000.0 * 10.0_f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn a_singular_matrix_is_refused_by_its_column_whatever_the_scale() {
        for scale in [1e-200, 1.0, 1e200] {
            let matrix = array![[1.0, 2.0, 4.0], [2.0, 4.0, 5.0], [3.0, 6.0, 7.0]] * scale;
            let error = Lu::new(matrix.view()).unwrap_err().to_string();
            assert!(error.contains("column 1 (of 3)"), "{error}");
        }
        assert!(Lu::new(array![[f64::NAN]].view()).is_err());
        // Regular although its pivots differ by twenty powers of ten.
        assert!(Lu::new(array![[1.0, 0.0], [0.0, 1e-20]].view()).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn solving_undoes_multiplying(d in 1usize..40, k in 1usize..5, seed: u64) {
            let a = random_matrix(d, d, seed) + Array2::<f64>::eye(d) * 8.0;
            let x = random_matrix(d, k, seed ^ 1);
            let found = solve(a.view(), matmul(a.view(), x.view()).view()).unwrap();
            // The condition of these matrices stays below 1e4.
            assert_close(&found, &x, 1e-10);
        }
    }
}
