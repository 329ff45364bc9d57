//! The QR decomposition with column exchanges, which reveals the rank.

use super::convert::{finite_scale, to_array, to_scaled_matrix, with_matrix_mut};
use super::{Operand, at_times_b};
use didact_core::{Error, Result};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder;
use faer::linalg::qr::col_pivoting::factor::{qr_in_place, qr_in_place_scratch};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::triangular_solve::solve_upper_triangular_in_place;
use faer::{Conj, Mat, Par};
use ndarray::{Array2, ArrayView2, Axis};

/// An n×d matrix taken apart as A·P = Q·R, in about 2·n·d·min(n, d) operations: Q has
/// orthonormal columns, R is upper triangular with diagonal entries of falling magnitude, and P
/// puts the columns in the order of what each adds to those before it.
///
/// At rank deficiency the last rows of R vanish up to rounding; [`Qr::rank`] counts the others.
///
/// ```
/// use didact_math::linalg::Qr;
/// use ndarray::array;
/// let qr = Qr::new(array![[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]].view())?;
/// assert_eq!(qr.rank(), 1);
/// assert_eq!(qr.order, [1, 0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Qr {
    /// Q: n×min(n, d), with orthonormal columns.
    pub q: Array2<f64>,
    /// R: min(n, d)×d, upper triangular.
    pub r: Array2<f64>,
    /// Column j of Q·R is column `order[j]` of A.
    pub order: Vec<usize>,
}

impl Qr {
    /// Takes the matrix apart.
    pub fn new(matrix: ArrayView2<'_, f64>) -> Result<Self> {
        let (n, d) = matrix.dim();
        let size = n.min(d);
        if size == 0 {
            return Ok(Qr {
                q: Array2::zeros((n, 0)),
                r: Array2::zeros((0, d)),
                order: (0..d).collect(),
            });
        }
        let scale = finite_scale("the matrix to decompose", matrix)?;
        let mut factors = to_scaled_matrix(matrix, scale.recip());
        let block = recommended_block_size::<f64>(n, d);
        let mut coefficients = Mat::zeros(block, size);
        let (mut order, mut inverse) = (vec![0; d], vec![0; d]);
        let scratch = qr_in_place_scratch::<usize, f64>(n, d, block, Par::Seq, Default::default());
        qr_in_place(
            factors.as_mut(),
            coefficients.as_mut(),
            &mut order,
            &mut inverse,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        let mut q = Mat::identity(n, size);
        let scratch = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<
            f64,
        >(n, block, size);
        householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            factors.as_ref().subcols(0, size),
            coefficients.as_ref(),
            Conj::No,
            q.as_mut(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
        let r = Array2::from_shape_fn((size, d), |(i, j)| match i <= j {
            true => factors[(i, j)] * scale,
            false => 0.0,
        });
        Ok(Qr {
            q: to_array(q.as_ref()),
            r,
            order,
        })
    }

    /// How many diagonal entries of R exceed max(n, d)·ε times the first.
    pub fn rank(&self) -> usize {
        let largest = self.r.diag().first().map_or(0.0, |first| first.abs());
        let size = self.q.nrows().max(self.r.ncols());
        let negligible = size as f64 * f64::EPSILON * largest;
        let is_kept = |entry: &&f64| entry.abs() > negligible;
        self.r.diag().iter().take_while(is_kept).count()
    }

    /// The X of least ‖A·X − B‖, a column for each column of B, in 2·n·d operations each.
    ///
    /// Fails where the columns of A depend on each other, because then there are many; the
    /// shortest of them is found by [`pseudo_solve`](super::pseudo_solve).
    ///
    /// # Panics
    /// When A and B have different numbers of rows.
    pub fn solve(&self, b: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let (rank, d) = (self.rank(), self.r.ncols());
        if rank < d {
            return Err(Error::numerical(format!(
                "the least-squares problem has many solutions: only {rank} of the {d} columns \
                 are independent, and column {} depends on them",
                self.order[rank]
            )));
        }
        let mut permuted = at_times_b(self.q.view(), b);
        let r = Operand::new(self.r.view());
        with_matrix_mut(permuted.view_mut(), |x| {
            solve_upper_triangular_in_place(r.matrix(), x, Par::Seq);
        });
        let mut solution = Array2::zeros(permuted.dim());
        for (row, &column) in permuted.axis_iter(Axis(0)).zip(&self.order) {
            solution.row_mut(column).assign(&row);
        }
        Ok(solution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{matmul, pseudo_solve};
    use didact_testing::{assert_close, random_matrix};
    use proptest::prelude::*;

    #[test]
    fn dependent_columns_are_counted_and_named() {
        let x = random_matrix(20, 3, 1);
        let twice = ndarray::concatenate![Axis(1), x, x];
        let qr = Qr::new((&twice * 1e-200).view()).unwrap();
        assert_eq!(qr.rank(), 3);
        let error = qr.solve(x.view()).unwrap_err().to_string();
        assert!(error.contains("only 3 of the 6 columns"), "{error}");
        assert_eq!(Qr::new(Array2::zeros((4, 2)).view()).unwrap().rank(), 0);
        assert_eq!(Qr::new(Array2::zeros((0, 2)).view()).unwrap().rank(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_factors_restore_the_matrix_and_solve_least_squares(n in 1usize..40, d in 1usize..20, seed: u64) {
            let matrix = random_matrix(n, d, seed);
            let qr = Qr::new(matrix.view()).unwrap();
            let size = n.min(d);
            assert_close(&at_times_b(qr.q.view(), qr.q.view()), &Array2::eye(size), 1e-12);
            let restored = matmul(qr.q.view(), qr.r.view());
            assert_close(&restored, &matrix.select(Axis(1), &qr.order), 1e-12);
            let diagonal = qr.r.diag().mapv(f64::abs);
            prop_assert!(diagonal.windows(2).into_iter().all(|pair| pair[0] >= pair[1] * (1.0 - 1e-12)));
            if n >= d {
                let b = random_matrix(n, 2, seed ^ 1);
                let expected = pseudo_solve(matrix.view(), b.view(), None).unwrap();
                let condition = expected.singular_values[0] / expected.singular_values[d - 1];
                assert_close(&qr.solve(b.view()).unwrap(), &expected.solution, 1e-13 * condition * condition);
            }
        }
    }
}
