//! Decompositions of dense matrices and what is solved with them.

use super::answers::results;
use super::arguments::{Matrix, Maybe};
use super::functions;
use didact::{Error, Result};
use didact_math::linalg;
use ndarray::{Array1, Array2, ArrayView2};
use pyo3::prelude::*;

results! {
    /// The eigenvalues of a symmetric matrix, the largest first.
    EigenDecomposition {
        /// The eigenvalues, the largest first.
        values: Array1<f64>,
        /// The eigenvectors of length one as columns, in the order of the values.
        vectors: Array2<f64>,
    }
    /// A matrix taken apart as U·diag(s)·Vᵀ.
    SingularValues {
        /// The left singular vectors as columns.
        u: Array2<f64>,
        /// The singular values, the largest first.
        s: Array1<f64>,
        /// The right singular vectors as rows.
        vt: Array2<f64>,
    }
    /// The shortest of all least-squares solutions.
    LeastSquaresSolution {
        /// The solution, a column for each column of B.
        solution: Array2<f64>,
        /// How many singular values count.
        rank: usize,
        /// The singular values of A, the largest first.
        singular_values: Array1<f64>,
    }
    /// Orthonormal columns and a triangle with A[:, order] = QR.
    PivotedQr {
        /// The orthonormal columns.
        q: Array2<f64>,
        /// The triangle, its diagonal falling in magnitude.
        r: Array2<f64>,
        /// Which column of A stands at each place.
        order: Vec<usize>,
        /// How many columns of A are independent.
        rank: usize,
    }
}

/// Refuses a matrix that is not square.
fn square<'a>(name: &str, matrix: ArrayView2<'a, f64>) -> Result<ArrayView2<'a, f64>> {
    match matrix.is_square() {
        true => Ok(matrix),
        false => Err(Error::data(format!(
            "{name} has {} rows and {} columns; it must be square",
            matrix.nrows(),
            matrix.ncols()
        ))),
    }
}

/// Refuses a right-hand side that has not a row for each row of A.
fn same_rows(a: ArrayView2<'_, f64>, b: ArrayView2<'_, f64>) -> Result<()> {
    match a.nrows() == b.nrows() {
        true => Ok(()),
        false => Err(Error::data(format!(
            "A has {} rows but B has {}; they must have as many",
            a.nrows(),
            b.nrows()
        ))),
    }
}

impl From<linalg::Eigen> for EigenDecomposition {
    fn from(eigen: linalg::Eigen) -> Self {
        EigenDecomposition {
            values: eigen.values,
            vectors: eigen.vectors,
        }
    }
}

functions! {
    /// The eigenvalues and eigenvectors of a symmetric matrix, of which only the lower triangle is
    /// read; with B, the solutions of A·v = λ·B·v, with Vᵀ·B·V = I.
    ///
    /// Examples
    /// --------
    /// >>> from didact.linalg import eigh
    /// >>> eigh([[2, 1], [1, 2]]).values.round(12)
    /// array([3., 1.])
    long eigh[run](A: Matrix, B: Maybe<Matrix> = "None") -> EigenDecomposition {
        let a = square("A", A)?;
        Ok(match B {
            None => linalg::symmetric_eigen_within(a, run)?,
            Some(b) => {
                same_rows(a, square("B", b)?)?;
                linalg::generalised_eigen(a, b)?
            }
        }
        .into())
    }

    /// The eigenvalues of a symmetric matrix, the largest first.
    quick eigvalsh(A: Matrix) -> Array1<f64> {
        linalg::symmetric_eigenvalues(square("A", A)?)
    }

    /// A matrix taken apart as U·diag(s)·Vᵀ with as many singular values as it has rows or columns.
    ///
    /// Examples
    /// --------
    /// >>> from didact.linalg import svd
    /// >>> svd([[3, 2, 2], [2, 3, -2]]).s.round(12)
    /// array([5., 3.])
    long svd[run](A: Matrix) -> SingularValues {
        let svd = linalg::thin_svd_within(A, run)?;
        Ok(SingularValues { u: svd.u, s: svd.singular_values, vt: svd.vt })
    }

    /// The lower triangle L with A = L·Lᵀ of a positive definite matrix.
    ///
    /// Examples
    /// --------
    /// >>> from didact.linalg import cholesky
    /// >>> cholesky([[4, 2], [2, 5]])
    /// array([[2., 0.],
    ///        [1., 2.]])
    long cholesky[run](A: Matrix) -> Array2<f64> {
        let upper: Array2<f64> = linalg::Cholesky::new_within(square("A", A)?, run)?.into();
        Ok(upper.reversed_axes())
    }

    /// The decomposition A[:, order] = Q·R with pivoting, which tells how many columns are independent.
    quick qr(A: Matrix) -> PivotedQr {
        let qr = linalg::Qr::new(A)?;
        let rank = qr.rank();
        Ok(PivotedQr { q: qr.q, r: qr.r, order: qr.order, rank })
    }

    /// The X with A·X = B for a square matrix A; a singular one is an error.
    quick solve(A: Matrix, B: Matrix) -> Array2<f64> {
        same_rows(square("A", A)?, B)?;
        linalg::solve(A, B)
    }

    /// The shortest X of least ‖A·X − B‖; singular values below `tolerance` times the largest
    /// count as zero.
    quick lstsq(A: Matrix, B: Matrix; tolerance: Maybe<f64> = "None") -> LeastSquaresSolution {
        same_rows(A, B)?;
        let found = linalg::pseudo_solve(A, B, tolerance)?;
        Ok(LeastSquaresSolution {
            solution: found.solution,
            rank: found.rank,
            singular_values: found.singular_values,
        })
    }

    /// The pseudo-inverse of a matrix; singular values below `tolerance` times the largest count
    /// as zero.
    quick pinv(A: Matrix; tolerance: Maybe<f64> = "None") -> Array2<f64> {
        linalg::pseudo_inverse(A, tolerance)
    }

    /// The sign and the logarithm of the magnitude of a determinant; that of a singular matrix is
    /// an error.
    quick slogdet(A: Matrix) -> (f64, f64) {
        Ok(linalg::Lu::new(square("A", A)?)?.log_determinant())
    }
}
