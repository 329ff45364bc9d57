//! Eigenvectors one after the other, each orthogonal to those found before.

use didact_core::random::generator;
use didact_core::{Result, Run};
use didact_math::linalg::{Eigen, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayView2, Axis, stack};
use rand_distr::{Distribution, StandardNormal};

/// An eigenvector is found when M·v differs from λ·v by less than this share of λ₁, which is
/// what rounding leaves of any eigenvector.
const TOLERANCE: f64 = 1e-14;

/// How many directions are added between two looks at the small eigenproblem.
const STRIDE: usize = 8;

/// The `count` largest eigenvalues of a symmetric positive semidefinite matrix.
///
/// The first vector maximises vᵀMv among all of length one, the next among those orthogonal to
/// the first, and so on. Each maximum is found in a Krylov space, whose first vector is drawn
/// from a generator of fixed seed.
///
/// # Panics
/// When `count` is zero or larger than the matrix.
pub(super) fn leading_eigenpairs(
    matrix: ArrayView2<'_, f64>,
    count: usize,
    run: &Run,
) -> Result<Eigen> {
    let (mut values, mut vectors) = (Vec::new(), Vec::<Array1<f64>>::new());
    for _ in 0..count {
        let largest = values.first().copied().unwrap_or(0.0);
        let (value, vector) = leading_eigenpair(matrix, &vectors, largest, run)?;
        values.push(value);
        vectors.push(vector);
    }
    let views: Vec<_> = vectors.iter().map(|vector| vector.view()).collect();
    Ok(Eigen {
        values: Array1::from(values),
        vectors: stack(Axis(1), &views).expect("the vectors have one length"),
    })
}

/// The largest eigenvalue among the directions orthogonal to `found`, and its eigenvector.
fn leading_eigenpair(
    matrix: ArrayView2<'_, f64>,
    found: &[Array1<f64>],
    largest: f64,
    run: &Run,
) -> Result<(f64, Array1<f64>)> {
    let size = matrix.nrows();
    let mut random = generator(0, found.len() as u64);
    let mut next = Array1::from_shape_fn(size, |_| StandardNormal.sample(&mut random));
    orthogonalise(&mut next, found, &[]);
    next /= length(&next);
    let mut basis: Vec<Array1<f64>> = Vec::new();
    let (mut diagonal, mut below) = (Vec::new(), Vec::new());
    loop {
        run.check()?;
        let mut image = matrix.dot(&next);
        diagonal.push(next.dot(&image));
        basis.push(next);
        orthogonalise(&mut image, found, &basis);
        let remainder = length(&image);
        // Past all directions, or where M leads to no new one, the small problem is exact.
        let exhausted = basis.len() + found.len() == size
            || remainder <= TOLERANCE * largest.max(diagonal[basis.len() - 1]);
        if exhausted || basis.len().is_multiple_of(STRIDE) {
            let small = symmetric_eigen(tridiagonal(&diagonal, &below).view())?;
            let weights = small.vectors.column(0);
            let error = remainder * weights[basis.len() - 1].abs();
            if exhausted || error <= TOLERANCE * largest.max(small.values[0]) {
                let mut vector = Array1::zeros(size);
                for (weight, direction) in weights.iter().zip(&basis) {
                    vector.scaled_add(*weight, direction);
                }
                orthogonalise(&mut vector, found, &[]);
                vector /= length(&vector);
                return Ok((small.values[0], vector));
            }
        }
        below.push(remainder);
        next = image / remainder;
    }
}

/// Removes from a vector what lies along the given ones; twice, because once leaves a trace.
fn orthogonalise(vector: &mut Array1<f64>, found: &[Array1<f64>], basis: &[Array1<f64>]) {
    for _ in 0..2 {
        for direction in found.iter().chain(basis) {
            let share = direction.dot(vector);
            vector.scaled_add(-share, direction);
        }
    }
}

fn length(vector: &Array1<f64>) -> f64 {
    vector.dot(vector).sqrt()
}

fn tridiagonal(diagonal: &[f64], below: &[f64]) -> Array2<f64> {
    let mut matrix = Array2::zeros((diagonal.len(), diagonal.len()));
    for (i, &value) in diagonal.iter().enumerate() {
        matrix[[i, i]] = value;
    }
    for (i, &value) in below.iter().enumerate() {
        matrix[[i + 1, i]] = value;
        matrix[[i, i + 1]] = value;
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_math::linalg::{at_times_b, matmul};

    #[test]
    fn zero_and_multiple_eigenvalues_still_give_orthonormal_vectors() {
        for diagonal in [vec![0.0; 5], vec![1.0; 5], vec![3.0, 3.0, 1.0, 0.0, 0.0]] {
            let matrix = Array2::from_diag(&Array1::from(diagonal.clone()));
            let eigen = leading_eigenpairs(matrix.view(), 5, &Run::new()).unwrap();
            let product = at_times_b(eigen.vectors.view(), eigen.vectors.view());
            assert!(
                (product - Array2::<f64>::eye(5))
                    .iter()
                    .all(|e| e.abs() < 1e-13)
            );
            for (found, expected) in eigen.values.iter().zip(&diagonal) {
                assert!((found - expected).abs() < 1e-13, "{:?}", eigen.values);
            }
        }
    }

    #[test]
    fn a_larger_matrix_than_one_stride_is_solved() {
        let root =
            Array2::from_shape_fn((60, 40), |(i, j)| ((i * 40 + j) as f64 * 0.7).sin().exp());
        let matrix = at_times_b(root.view(), root.view());
        let eigen = leading_eigenpairs(matrix.view(), 5, &Run::new()).unwrap();
        let images = matmul(matrix.view(), eigen.vectors.view());
        let error = images - &eigen.vectors * &eigen.values;
        assert!(error.iter().all(|e| e.abs() < 1e-12 * eigen.values[0]));
    }
}
