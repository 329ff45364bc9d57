//! Eigenvalues and eigenvectors of symmetric matrices.

use super::convert::{finite_scale, to_array_of_columns, to_scaled_matrix};
use super::large::within;
use super::tridiagonal::tridiagonal_eigen;
use didact_core::{Error, Result, Run};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::tridiag::{tridiag_in_place, tridiag_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::{Conj, Mat, Par, diag::Diag};
use ndarray::{Array1, Array2, ArrayView2};

/// The eigenvalues of a symmetric matrix in falling order and their eigenvectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen {
    /// The eigenvalues, the largest first.
    pub values: Array1<f64>,
    /// The eigenvectors of length one as columns, in the order of the values.
    pub vectors: Array2<f64>,
}

/// Splits a symmetric matrix, of which only the lower triangle is read, into V·diag(λ)·Vᵀ, in
/// about 9d³ operations. Vanishing and multiple eigenvalues are nothing special; their vectors
/// are some orthonormal basis of their space.
///
/// ```
/// use didact_math::linalg::symmetric_eigen;
/// let eigen = symmetric_eigen(ndarray::array![[2.0, 1.0], [1.0, 2.0]].view())?;
/// assert!((eigen.values[0] - 3.0).abs() < 1e-14 && (eigen.values[1] - 1.0).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When the matrix is not square.
pub fn symmetric_eigen(matrix: ArrayView2<'_, f64>) -> Result<Eigen> {
    let (scaled, scale) = prepared(matrix)?;
    decompose(scaled, scale, Par::Seq)
}

/// The same for matrices that may be large: on the threads of the run, and given up when it is
/// cancelled.
///
/// # Panics
/// When the matrix is not square.
pub fn symmetric_eigen_within(matrix: ArrayView2<'_, f64>, run: &Run) -> Result<Eigen> {
    let (scaled, scale) = prepared(matrix)?;
    within(matrix.nrows(), run, move |parts| {
        decompose(scaled, scale, parts)
    })
}

/// The matrix divided by its scale, and that scale.
fn prepared(matrix: ArrayView2<'_, f64>) -> Result<(Mat<f64>, f64)> {
    assert!(matrix.is_square(), "only a square matrix has eigenvalues");
    let scale = finite_scale("the matrix to decompose", matrix)?;
    Ok((to_scaled_matrix(matrix, scale.recip()), scale))
}

/// Reflections turn the matrix into a tridiagonal one, A = H·T·Hᵀ, whose vectors they turn back.
fn decompose(mut matrix: Mat<f64>, scale: f64, parts: Par) -> Result<Eigen> {
    let d = matrix.nrows();
    if d == 0 {
        return Ok(Eigen {
            values: Array1::zeros(0),
            vectors: Array2::zeros((0, 0)),
        });
    }
    let block = recommended_block_size::<f64>(d, d);
    let mut reflections = Mat::zeros(block, d - 1);
    let scratch = tridiag_in_place_scratch::<f64>(d, parts, Default::default())
        .or(apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(d, block, d));
    let mut memory = MemBuffer::new(scratch);
    tridiag_in_place(
        matrix.as_mut(),
        reflections.as_mut(),
        parts,
        MemStack::new(&mut memory),
        Default::default(),
    );
    let mut values: Vec<f64> = (0..d).map(|i| matrix[(i, i)]).collect();
    let links: Vec<f64> = (1..d).map(|i| matrix[(i, i - 1)]).collect();
    let mut vectors = Mat::zeros(d, d);
    let rising = tridiagonal_eigen(&mut values, &links, vectors.as_mut(), parts)?;
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        matrix.as_ref().submatrix(1, 0, d - 1, d - 1),
        reflections.as_ref(),
        Conj::No,
        vectors.as_mut().subrows_mut(1, d - 1),
        parts,
        MemStack::new(&mut memory),
    );
    let falling: Vec<usize> = rising.into_iter().rev().collect();
    Ok(Eigen {
        values: falling
            .iter()
            .map(|&column| values[column] * scale)
            .collect(),
        vectors: to_array_of_columns(vectors.as_ref(), &falling),
    })
}

/// The eigenvalues alone, in falling order, in about 4⁄3·d³ operations.
///
/// # Panics
/// When the matrix is not square.
pub fn symmetric_eigenvalues(matrix: ArrayView2<'_, f64>) -> Result<Array1<f64>> {
    let d = matrix.nrows();
    let (scaled, scale) = prepared(matrix)?;
    let mut values = Diag::zeros(d);
    let scratch =
        self_adjoint_evd_scratch::<f64>(d, ComputeEigenvectors::No, Par::Seq, Default::default());
    self_adjoint_evd(
        scaled.as_ref(),
        values.as_mut(),
        None,
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| Error::numerical("the eigenvalues of the matrix did not converge"))?;
    Ok(Array1::from_shape_fn(d, |i| values[d - 1 - i] * scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{at_times_b, matmul};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn values_fall_and_belong_to_their_vectors() {
        let eigen =
            symmetric_eigen(array![[-5.0, 0.0, 0.0], [0.0, 7.0, 0.0], [0.0, 0.0, 1.0]].view())
                .unwrap();
        assert_close(&eigen.values, &array![7.0, 1.0, -5.0], 1e-12);
        assert_close(
            &eigen.vectors.mapv(f64::abs),
            &array![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            1e-12,
        );
    }

    #[test]
    fn tiny_and_huge_matrices_keep_their_digits() {
        for scale in [1e-290, 1e-160, 1e160, 1e300] {
            let eigen = symmetric_eigen((array![[2.0, 1.0], [1.0, 2.0]] * scale).view()).unwrap();
            assert_close(&eigen.values, &(array![3.0, 1.0] * scale), 1e-12);
        }
    }

    #[test]
    fn values_that_are_not_finite_are_an_error() {
        let error = symmetric_eigen(array![[f64::INFINITY]].view()).unwrap_err();
        assert!(matches!(error, Error::Numerical(_)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn vectors_are_orthonormal_and_restore_the_matrix(d in 1usize..40, seed: u64) {
            let root = random_matrix(d, d, seed);
            let matrix = &root + &root.t();
            let eigen = symmetric_eigen(matrix.view()).unwrap();
            assert_close(&at_times_b(eigen.vectors.view(), eigen.vectors.view()), &Array2::eye(d), 1e-12);
            let scaled = &eigen.vectors * &eigen.values;
            assert_close(&matmul(scaled.view(), eigen.vectors.t()), &matrix, 1e-12);
            assert_close(&symmetric_eigenvalues(matrix.view()).unwrap(), &eigen.values, 1e-12);
        }
    }
}
