//! The Cholesky factor of a positive definite matrix.

use super::cholesky_blocks::factor_by_blocks;
use super::convert::{Operand, finite_scale, with_matrix_mut};
use didact_core::model::ensure_consistent;
use didact_core::{Error, Result, Run};
use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};
use serde::{Deserialize, Serialize};

/// From this size on a matrix is factored block by block.
const BLOCKED: usize = 400;

/// The factor L of a positive definite matrix A = L·Lᵀ, found in ⅓d³ operations.
///
/// A singular or indefinite matrix is refused by [`Cholesky::new`] and mended by
/// [`Cholesky::with_jitter`].
///
/// ```
/// use didact_math::linalg::Cholesky;
/// use ndarray::array;
/// let factor = Cholesky::new(array![[4.0, 2.0], [2.0, 5.0]].view())?;
/// assert_eq!(factor.lower(), array![[2.0, 0.0], [1.0, 2.0]]);
/// assert!((factor.log_determinant() - 16.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Array2<f64>", into = "Array2<f64>")]
pub struct Cholesky {
    /// Lᵀ in C order, which is the memory of L in Fortran order, the one that faer likes.
    pub(super) upper: Array2<f64>,
}

/// The matrix in C order, to be overwritten by its factor.
fn copied(matrix: ArrayView2<'_, f64>) -> Array2<f64> {
    matrix.as_standard_layout().into_owned()
}

/// Replaces the upper triangle of a symmetric matrix in C order by U with UᵀU = A; the answer is the
/// index of a pivot that is not positive, if there is one.
pub(super) fn factor_at_once(upper: &mut Array2<f64>) -> Option<usize> {
    let d = upper.nrows();
    let mut failed = None;
    with_matrix_mut(upper.view_mut().reversed_axes(), |lower| {
        let scratch = cholesky_in_place_scratch::<f64>(d, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        let regularization = Default::default();
        let factored =
            cholesky_in_place(lower, regularization, Par::Seq, stack, Default::default());
        failed = factored
            .err()
            .map(|LltError::NonPositivePivot { index }| index);
    });
    failed
}

/// The first factor that is found while more and more is added to the diagonal, and how much that is.
fn mended(
    matrix: ArrayView2<'_, f64>,
    factor: impl Fn(Array2<f64>) -> Result<Option<Cholesky>>,
) -> Result<(Cholesky, f64)> {
    assert!(
        matrix.is_square(),
        "only a square matrix has a Cholesky factor"
    );
    finite_scale("the matrix to factor", matrix)?;
    let mean = matrix.diag().mean().unwrap_or(1.0);
    let unit = if mean > 0.0 { mean } else { 1.0 };
    let jitters = (2..=12).rev().map(|digits| unit * 10f64.powi(-digits));
    for jitter in std::iter::once(0.0).chain(jitters) {
        let mut upper = copied(matrix);
        upper.diag_mut().mapv_inplace(|value| value + jitter);
        if let Some(factor) = factor(upper)? {
            return Ok((factor, jitter));
        }
    }
    Err(Error::numerical(
        "the matrix is far from positive semidefinite: \
         even a hundredth of its mean diagonal does not mend it",
    ))
}

fn indefinite(pivot: usize, d: usize) -> Error {
    Error::numerical(format!(
        "the matrix is not positive definite: its pivot {pivot} (of {d}) is not positive; \
         some columns are constant or depend on each other"
    ))
}

impl From<Cholesky> for Array2<f64> {
    fn from(factor: Cholesky) -> Self {
        factor.upper
    }
}

impl TryFrom<Array2<f64>> for Cholesky {
    type Error = Error;

    /// Takes back a saved factor, unless the file was damaged.
    fn try_from(upper: Array2<f64>) -> Result<Self> {
        let upper = upper.as_standard_layout().into_owned();
        let is_positive = upper.diag().iter().all(|&pivot| pivot > 0.0);
        ensure_consistent(upper.is_square() && is_positive)?;
        ensure_consistent(upper.iter().all(|value| value.is_finite()))?;
        Ok(Cholesky { upper })
    }
}

impl Cholesky {
    /// Factors a symmetric matrix, of which only the upper triangle is read.
    ///
    /// A pivot that is nothing but rounding, at most d·ε of its diagonal entry, counts as zero:
    /// whether a singular matrix is refused must not depend on luck.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new(matrix: ArrayView2<'_, f64>) -> Result<Self> {
        assert!(
            matrix.is_square(),
            "only a square matrix has a Cholesky factor"
        );
        finite_scale("the matrix to factor", matrix)?;
        Cholesky::factor(copied(matrix), None)
    }

    /// The same for matrices that may be large: on the threads of the run, and given up when it is
    /// cancelled.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new_within(matrix: ArrayView2<'_, f64>, run: &Run) -> Result<Self> {
        Cholesky::in_place_within(copied(matrix), run)
    }

    /// The same in the memory of a matrix that is not needed any more.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn in_place_within(matrix: Array2<f64>, run: &Run) -> Result<Self> {
        assert!(
            matrix.is_square(),
            "only a square matrix has a Cholesky factor"
        );
        finite_scale("the matrix to factor", matrix.view())?;
        let upper = match matrix.is_standard_layout() {
            true => matrix,
            false => copied(matrix.view()),
        };
        match upper.nrows() < BLOCKED {
            true => Cholesky::factor(upper, None),
            false => run.install(|| Cholesky::factor(upper, Some(run))),
        }
    }

    /// Factors the matrix plus the least multiple of the identity that makes it positive
    /// definite, and returns that multiple too: zero, or 10⁻¹², 10⁻¹¹, … 10⁻² times the mean of
    /// the diagonal (times one where the diagonal is zero).
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn with_jitter(matrix: ArrayView2<'_, f64>) -> Result<(Self, f64)> {
        mended(matrix, |upper| Ok(Cholesky::factor(upper, None).ok()))
    }

    /// The same for matrices that may be large: on the threads of the run, and given up when it is
    /// cancelled.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn with_jitter_within(matrix: ArrayView2<'_, f64>, run: &Run) -> Result<(Self, f64)> {
        mended(matrix, |upper| {
            match Cholesky::in_place_within(upper, run) {
                Ok(factor) => Ok(Some(factor)),
                Err(Error::Numerical(_)) => Ok(None),
                Err(other) => Err(other),
            }
        })
    }

    /// The factor of a matrix in C order, on the threads of the run, or on this one alone.
    fn factor(mut upper: Array2<f64>, run: Option<&Run>) -> Result<Self> {
        let d = upper.nrows();
        let diagonal = upper.diag().to_owned();
        let failed = match d < BLOCKED {
            true => factor_at_once(&mut upper),
            false => factor_by_blocks(&mut upper, run)?,
        };
        if let Some(pivot) = failed {
            return Err(indefinite(pivot, d));
        }
        let negligible = d as f64 * f64::EPSILON;
        let lost = (0..d).find(|&i| {
            let pivot = upper[[i, i]] * upper[[i, i]];
            !(pivot > negligible * diagonal[i] && pivot.is_finite())
        });
        if let Some(pivot) = lost {
            return Err(indefinite(pivot, d));
        }
        for (row, mut values) in upper.rows_mut().into_iter().enumerate() {
            values.slice_mut(s![..row]).fill(0.0);
        }
        Ok(Cholesky { upper })
    }

    /// Number of rows of the matrix.
    pub fn dimension(&self) -> usize {
        self.upper.nrows()
    }

    /// The factor L, with zeros above the diagonal.
    pub fn lower(&self) -> ArrayView2<'_, f64> {
        self.upper.t()
    }

    /// The natural logarithm of the determinant of A, 2·Σ ln Lᵢᵢ.
    pub fn log_determinant(&self) -> f64 {
        2.0 * self
            .upper
            .diag()
            .iter()
            .map(|pivot| pivot.ln())
            .sum::<f64>()
    }

    /// The solution x of A·x = b.
    ///
    /// # Panics
    /// When b has another length than A has rows.
    pub fn solve_vector(&self, b: ArrayView1<'_, f64>) -> Array1<f64> {
        self.solve(b.insert_axis(Axis(1))).remove_axis(Axis(1))
    }

    /// The solution X of A·X = B, a column for each column of B.
    ///
    /// # Panics
    /// When B has another number of rows than A.
    pub fn solve(&self, b: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut solution = b.as_standard_layout().into_owned();
        self.solve_in_place(solution.view_mut());
        solution
    }

    /// Replaces B by the solution X of A·X = B.
    ///
    /// # Panics
    /// When B has another number of rows than A.
    pub fn solve_in_place(&self, b: ArrayViewMut2<'_, f64>) {
        let lower = Operand::new(self.lower());
        with_matrix_mut(b, |mut b| {
            solve_lower_triangular_in_place(lower.matrix(), b.as_mut(), Par::Seq);
            solve_upper_triangular_in_place(lower.matrix().transpose(), b, Par::Seq);
        });
    }

    /// The solution Z of L·Z = B: the squared length of its columns is bᵀA⁻¹b.
    ///
    /// # Panics
    /// When B has another number of rows than A.
    pub fn half_solve(&self, b: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut solution = b.as_standard_layout().into_owned();
        self.half_solve_in_place(solution.view_mut());
        solution
    }

    /// Replaces B by the solution Z of L·Z = B.
    ///
    /// # Panics
    /// When B has another number of rows than A.
    pub fn half_solve_in_place(&self, b: ArrayViewMut2<'_, f64>) {
        let lower = Operand::new(self.lower());
        with_matrix_mut(b, |b| {
            solve_lower_triangular_in_place(lower.matrix(), b, Par::Seq)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{a_times_bt, at_times_b, matmul};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn the_factor_is_the_one_found_by_hand() {
        // L = [[2,0,0],[6,1,0],[-8,5,3]] squares to this well-known matrix; |A| = (2·1·3)² = 36.
        let matrix = array![
            [4.0, 12.0, -16.0],
            [12.0, 37.0, -43.0],
            [-16.0, -43.0, 98.0]
        ];
        let factor = Cholesky::new(matrix.view()).unwrap();
        assert_close(
            &factor.lower().to_owned(),
            &array![[2.0, 0.0, 0.0], [6.0, 1.0, 0.0], [-8.0, 5.0, 3.0]],
            1e-12,
        );
        assert!((factor.log_determinant() - 36.0_f64.ln()).abs() < 1e-12);
        assert_eq!(factor.dimension(), 3);
    }

    #[test]
    fn an_indefinite_matrix_is_refused_by_its_pivot() {
        let error = Cholesky::new(array![[1.0, 2.0], [2.0, 1.0]].view()).unwrap_err();
        assert!(matches!(error, Error::Numerical(_)));
        assert!(error.to_string().contains("pivot 1 (of 2)"), "{error}");
        assert!(Cholesky::new(array![[0.0]].view()).is_err());
        assert!(Cholesky::new(array![[f64::NAN]].view()).is_err());
    }

    #[test]
    fn a_singular_matrix_is_refused_whatever_its_scale() {
        for scale in [1e-200_f64, 1e-9, 1.0, 1e9, 1e200] {
            let x = random_matrix(20, 3, 7);
            let mut twice = ndarray::concatenate![Axis(1), x, x];
            twice *= scale.sqrt();
            assert!(Cholesky::new(at_times_b(twice.view(), twice.view()).view()).is_err());
        }
    }

    #[test]
    fn jitter_is_zero_where_none_is_needed_and_the_least_that_works_elsewhere() {
        let (_, jitter) = Cholesky::with_jitter(array![[1e-30]].view()).unwrap();
        assert_eq!(jitter, 0.0);
        let ones = Array2::<f64>::ones((2, 2)) * 5.0;
        let (factor, jitter) = Cholesky::with_jitter(ones.view()).unwrap();
        assert_eq!(jitter, 5e-12);
        let restored = matmul(factor.lower(), factor.lower().t());
        assert_close(&restored, &ones, 1e-11);
        let (_, jitter) = Cholesky::with_jitter(Array2::zeros((3, 3)).view()).unwrap();
        assert_eq!(jitter, 1e-12);
        assert!(Cholesky::with_jitter(array![[-1.0]].view()).is_err());
    }

    #[test]
    fn a_factor_survives_saving_and_a_damaged_one_is_refused() {
        let factor = Cholesky::new(array![[4.0, 2.0], [2.0, 5.0]].view()).unwrap();
        let bytes = didact_core::encoding::to_bytes(&factor).unwrap();
        assert_eq!(
            didact_core::encoding::from_bytes::<Cholesky>(&bytes).unwrap(),
            factor
        );
        assert!(Cholesky::try_from(array![[1.0, 0.0]]).is_err());
        assert!(Cholesky::try_from(array![[0.0]]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn solving_undoes_multiplying(d in 1usize..40, k in 1usize..6, seed: u64) {
            let root = random_matrix(d, d + 5, seed);
            let mut matrix = a_times_bt(root.view(), root.view());
            matrix.diag_mut().mapv_inplace(|value| value + 1.0);
            let factor = Cholesky::new(matrix.view()).unwrap();
            assert_close(&matmul(factor.lower(), factor.lower().t()), &matrix, 1e-12);

            let b = random_matrix(d, k, seed ^ 1);
            let x = factor.solve(b.view());
            assert_close(&matmul(matrix.view(), x.view()), &b, 1e-9);
            assert_close(&factor.solve_vector(b.column(0)), &x.column(0).to_owned(), 1e-9);

            let z = factor.half_solve(b.view());
            assert_close(&matmul(factor.lower(), z.view()), &b, 1e-9);
            let mut in_place = b.t().to_owned();
            factor.solve_in_place(in_place.view_mut().reversed_axes());
            assert_close(&in_place.t().to_owned(), &x, 1e-9);
        }
    }
}
