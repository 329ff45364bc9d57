//! Symmetric systems that need not be definite.

use super::convert::{Operand, finite_scale, with_matrix_mut};
use didact_core::{Error, Result};
use faer::Par;
use faer::diag::{Diag, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::lblt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::cholesky::lblt::solve::{solve_in_place, solve_in_place_scratch};
use faer::perm::PermRef;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// A symmetric matrix taken apart as P·A·Pᵀ = L·D·Lᵀ, in ⅓d³ operations: L has ones on the
/// diagonal, D has blocks of one or two rows (Bunch and Kaufman's pivoting), so that indefinite
/// matrices such as those of constrained problems are factored as safely as definite ones.
///
/// The numbers of positive, negative and vanishing eigenvalues of A are those of D. A singular
/// matrix is factored too, but [`Ldlt::solve`] refuses it.
///
/// ```
/// use didact_math::linalg::Ldlt;
/// use ndarray::array;
/// let factors = Ldlt::new(array![[0.0, 2.0], [2.0, 0.0]].view())?;
/// assert_eq!(factors.inertia(), (1, 1, 0));
/// assert_eq!(factors.solve_vector(array![2.0, 4.0].view())?, array![2.0, 1.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ldlt {
    /// L below the diagonal and the diagonal of D on it, in Fortran order.
    factors: Array2<f64>,
    /// The entries of D below its diagonal; zero where a block has one row.
    below: Vec<f64>,
    order: Vec<usize>,
    inverse: Vec<usize>,
    /// What counts as zero in D.
    negligible: f64,
}

impl Ldlt {
    /// Factors a symmetric matrix, of which only the lower triangle is read.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new(matrix: ArrayView2<'_, f64>) -> Result<Self> {
        assert!(matrix.is_square(), "only a square matrix is symmetric");
        finite_scale("the matrix to factor", matrix)?;
        let d = matrix.nrows();
        let largest = matrix.iter().fold(0.0_f64, |m, value| m.max(value.abs()));
        let mut factors = matrix.t().as_standard_layout().into_owned().reversed_axes();
        let (mut order, mut inverse) = (vec![0; d], vec![0; d]);
        let mut below = Diag::<f64>::zeros(d);
        with_matrix_mut(factors.view_mut(), |factors| {
            let scratch = cholesky_in_place_scratch::<usize, f64>(d, Par::Seq, Default::default());
            let mut memory = MemBuffer::new(scratch);
            cholesky_in_place(
                factors,
                below.as_mut(),
                &mut order,
                &mut inverse,
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            );
        });
        Ok(Ldlt {
            below: (0..d).map(|i| below[i]).collect(),
            factors,
            order,
            inverse,
            negligible: d as f64 * f64::EPSILON * largest,
        })
    }

    /// The eigenvalues of the blocks of D.
    fn block_eigenvalues(&self) -> Vec<f64> {
        let d = self.order.len();
        let mut values = Vec::with_capacity(d);
        while values.len() < d {
            let i = values.len();
            let first = self.factors[[i, i]];
            if self.below[i] == 0.0 {
                values.push(first);
                continue;
            }
            let second = self.factors[[i + 1, i + 1]];
            let middle = first.midpoint(second);
            let radius = ((first - second) / 2.0).hypot(self.below[i]);
            values.extend([middle + radius, middle - radius]);
        }
        values
    }

    /// How many eigenvalues of A are positive, negative and zero; those of D at most d·ε times
    /// the largest value of A count as zero.
    pub fn inertia(&self) -> (usize, usize, usize) {
        let values = self.block_eigenvalues();
        let positive = values.iter().filter(|&&x| x > self.negligible).count();
        let negative = values.iter().filter(|&&x| x < -self.negligible).count();
        (positive, negative, values.len() - positive - negative)
    }

    /// The sign of the determinant of A and the natural logarithm of its magnitude; (0, −∞) for
    /// a singular matrix.
    pub fn log_determinant(&self) -> (f64, f64) {
        let (_, negative, zero) = self.inertia();
        if zero > 0 {
            return (0.0, f64::NEG_INFINITY);
        }
        let sign = if negative % 2 == 0 { 1.0 } else { -1.0 };
        let values = self.block_eigenvalues();
        (sign, values.iter().map(|value| value.abs().ln()).sum())
    }

    /// The solution X of A·X = B, a column for each column of B, in 2d² operations each.
    ///
    /// Fails where A is singular; the message says how many directions are lost.
    ///
    /// # Panics
    /// When B has another number of rows than A.
    pub fn solve(&self, b: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let d = self.order.len();
        assert_eq!(b.nrows(), d, "one row per row of the matrix");
        let (_, _, zero) = self.inertia();
        if zero > 0 {
            return Err(Error::numerical(format!(
                "the symmetric matrix is singular: {zero} of its {d} eigenvalues are zero"
            )));
        }
        let mut solution = b.as_standard_layout().into_owned();
        let factors = Operand::new(self.factors.view());
        let diagonal = self.factors.diag().to_vec();
        with_matrix_mut(solution.view_mut(), |x| {
            let scratch = solve_in_place_scratch::<usize, f64>(d, x.ncols(), Par::Seq);
            let mut memory = MemBuffer::new(scratch);
            solve_in_place(
                factors.matrix(),
                DiagRef::from_slice(&diagonal),
                DiagRef::from_slice(&self.below),
                PermRef::new_checked(&self.order, &self.inverse, d),
                x,
                Par::Seq,
                MemStack::new(&mut memory),
            );
        });
        Ok(solution)
    }

    /// The solution x of A·x = b.
    ///
    /// # Panics
    /// When b has another length than A has rows.
    pub fn solve_vector(&self, b: ArrayView1<'_, f64>) -> Result<Array1<f64>> {
        Ok(self.solve(b.insert_axis(Axis(1)))?.remove_axis(Axis(1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{matmul, symmetric_eigen};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn a_singular_matrix_is_factored_but_not_solved() {
        let factors = Ldlt::new(array![[1.0, 1.0], [1.0, 1.0]].view()).unwrap();
        assert_eq!(factors.inertia(), (1, 0, 1));
        assert_eq!(factors.log_determinant(), (0.0, f64::NEG_INFINITY));
        let error = factors.solve_vector(array![1.0, 2.0].view()).unwrap_err();
        assert!(
            error.to_string().contains("1 of its 2 eigenvalues"),
            "{error}"
        );
        let zero = Ldlt::new(Array2::zeros((3, 3)).view()).unwrap();
        assert_eq!(zero.inertia(), (0, 0, 3));
        assert!(Ldlt::new(array![[f64::INFINITY]].view()).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn indefinite_systems_are_solved_and_their_signs_counted(d in 1usize..40, seed: u64) {
            let root = random_matrix(d, d, seed);
            let matrix = &root + &root.t();
            let eigen = symmetric_eigen(matrix.view()).unwrap();
            let smallest = eigen.values.iter().fold(f64::INFINITY, |m, x| m.min(x.abs()));
            prop_assume!(smallest > 1e-3);
            let factors = Ldlt::new(matrix.view()).unwrap();
            let positive = eigen.values.iter().filter(|&&x| x > 0.0).count();
            prop_assert_eq!(factors.inertia(), (positive, d - positive, 0));
            let (sign, logarithm) = factors.log_determinant();
            prop_assert_eq!(sign, eigen.values.iter().map(|x| x.signum()).product::<f64>());
            let expected: f64 = eigen.values.iter().map(|x| x.abs().ln()).sum();
            prop_assert!((logarithm - expected).abs() < 1e-9 * (1.0 + expected.abs()));
            let x = random_matrix(d, 2, seed ^ 1);
            let b = matmul(matrix.view(), x.view());
            let found = factors.solve(b.view()).unwrap();
            assert_close(&matmul(matrix.view(), found.view()), &b, 1e-11);
        }
    }
}
