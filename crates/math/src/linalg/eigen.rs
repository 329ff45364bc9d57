//! Eigenvalues and eigenvectors of symmetric matrices.

use super::convert::{finite_scale, to_array_of_columns};
use super::large::within;
use super::tridiagonal::{
    Reduced, lower_triangle, tridiagonal_eigen, tridiagonal_eigen_room, tridiagonal_eigenvalues,
};
use didact_core::{Result, Run};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, Par};
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
    let (lower, scale) = prepared(matrix)?;
    decompose(lower, matrix.nrows(), scale, Par::Seq)
}

/// The same for matrices that may be large: on the threads of the run, and given up when it is
/// cancelled.
///
/// # Panics
/// When the matrix is not square.
pub fn symmetric_eigen_within(matrix: ArrayView2<'_, f64>, run: &Run) -> Result<Eigen> {
    let (lower, scale) = prepared(matrix)?;
    let d = matrix.nrows();
    within(d, run, move |parts| decompose(lower, d, scale, parts))
}

/// The lower triangle divided by the scale of the matrix, and that scale.
fn prepared(matrix: ArrayView2<'_, f64>) -> Result<(Mat<f64>, f64)> {
    assert!(matrix.is_square(), "only a square matrix has eigenvalues");
    let scale = finite_scale("the matrix to decompose", matrix)?;
    Ok((lower_triangle(matrix, scale.recip()), scale))
}

/// Reflections turn the matrix into a tridiagonal one, A = H·T·Hᵀ, whose vectors they turn back.
fn decompose(lower: Mat<f64>, d: usize, scale: f64, parts: Par) -> Result<Eigen> {
    let reduced = Reduced::new(lower, d, parts);
    let (mut values, links) = reduced.tridiagonal();
    // One block of memory, which can lie in large pages.
    let mut memory = vec![0.0; d * d + tridiagonal_eigen_room(d)];
    let (vectors, room) = memory.split_at_mut(d * d);
    let mut vectors = MatMut::from_column_major_slice_mut(vectors, d, d);
    let rising = tridiagonal_eigen(&mut values, &links, vectors.rb_mut(), room, parts)?;
    // The room goes before others need some.
    memory.truncate(d * d);
    memory.shrink_to_fit();
    let mut vectors = MatMut::from_column_major_slice_mut(&mut memory, d, d);
    reduced.turn_back(vectors.rb_mut(), parts);
    drop(reduced);
    let falling: Vec<usize> = rising.into_iter().rev().collect();
    Ok(Eigen {
        values: falling
            .iter()
            .map(|&column| values[column] * scale)
            .collect(),
        vectors: to_array_of_columns(vectors.rb(), &falling, parts),
    })
}

/// The eigenvalues alone, in falling order, in about 4⁄3·d³ operations.
///
/// # Panics
/// When the matrix is not square.
pub fn symmetric_eigenvalues(matrix: ArrayView2<'_, f64>) -> Result<Array1<f64>> {
    let (lower, scale) = prepared(matrix)?;
    let (diagonal, links) = Reduced::new(lower, matrix.nrows(), Par::Seq).tridiagonal();
    let rising = tridiagonal_eigenvalues(&diagonal, &links)?;
    Ok(rising
        .into_iter()
        .rev()
        .map(|value| value * scale)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{at_times_b, matmul};
    use didact_core::Error;
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
    fn a_matrix_without_rows_has_no_values() {
        let empty = Array2::zeros((0, 0));
        assert_eq!(symmetric_eigen(empty.view()).unwrap().vectors, empty);
        assert!(symmetric_eigenvalues(empty.view()).unwrap().is_empty());
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
