//! Eigenvalues and eigenvectors of square matrices that need not be symmetric.

use super::convert::{finite_scale, to_scaled_matrix};
use didact_core::{Error, Result};
use faer::c64;
use ndarray::{Array1, Array2, ArrayView2};

/// The eigenvalues of a real square matrix and their eigenvectors; both may be complex.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneralEigen {
    /// The eigenvalues by falling magnitude, conjugate pairs side by side.
    pub values: Array1<c64>,
    /// The eigenvectors of length one as columns, in the order of the values.
    pub vectors: Array2<c64>,
}

/// Solves A·v = λ·v for all λ in about 25d³ operations.
///
/// A = V·diag(λ)·V⁻¹ where the eigenvectors are independent. Equal eigenvalues may have
/// independent eigenvectors (those of the identity do) or not: a defective matrix has fewer
/// directions than values, and then columns of V coincide up to rounding. For symmetric matrices
/// [`symmetric_eigen`](super::symmetric_eigen) is faster and gives orthonormal vectors.
///
/// ```
/// use didact_math::linalg::general_eigen;
/// let eigen = general_eigen(ndarray::array![[2.0, 1.0], [3.0, 4.0]].view())?;
/// assert!((eigen.values[0].re - 5.0).abs() < 1e-12 && (eigen.values[1].re - 1.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When the matrix is not square.
pub fn general_eigen(matrix: ArrayView2<'_, f64>) -> Result<GeneralEigen> {
    assert!(matrix.is_square(), "only a square matrix has eigenvalues");
    let d = matrix.nrows();
    let scale = finite_scale("the matrix to decompose", matrix)?;
    let scaled = to_scaled_matrix(matrix, scale.recip());
    let eigen = scaled
        .eigen()
        .map_err(|_| Error::numerical("the eigenvalues of the matrix did not converge"))?;
    let (values, vectors) = (eigen.S(), eigen.U());
    let mut order: Vec<usize> = (0..d).collect();
    // Of a pair, whose magnitudes may differ by rounding, the upper half-plane comes first.
    order.sort_by(|&i, &j| {
        let pair = values[i].re == values[j].re && values[i].im == -values[j].im;
        let (of_i, of_j) = match pair {
            true => (values[i].im, values[j].im),
            false => (values[i].norm(), values[j].norm()),
        };
        of_j.total_cmp(&of_i)
    });
    let length = |column: usize| {
        let squares = (0..d).map(|row| vectors[(row, column)].norm_sqr());
        squares.sum::<f64>().sqrt()
    };
    Ok(GeneralEigen {
        values: order.iter().map(|&i| values[i] * scale).collect(),
        vectors: Array2::from_shape_fn((d, d), |(row, place)| {
            vectors[(row, order[place])] / length(order[place])
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;
    use ndarray::array;
    use proptest::prelude::*;

    /// The largest entry of A·V − V·diag(λ) relative to that of A.
    fn residual(matrix: &Array2<f64>, eigen: &GeneralEigen) -> f64 {
        let complex = matrix.mapv(|value| c64::new(value, 0.0));
        let difference = complex.dot(&eigen.vectors) - &eigen.vectors * &eigen.values;
        let scale = matrix.iter().fold(f64::MIN_POSITIVE, |s, v| s.max(v.abs()));
        difference
            .iter()
            .fold(0.0, |worst: f64, value| worst.max(value.norm()))
            / scale
    }

    // 002b:LA-01: λ = ½[(a+d) ± √(4bc + (a−d)²)].
    #[test]
    fn two_by_two_has_its_closed_form() {
        let eigen = general_eigen(array![[2.0, 1.0], [3.0, 4.0]].view()).unwrap();
        assert!((eigen.values[0] - c64::new(5.0, 0.0)).norm() < 1e-14);
        assert!((eigen.values[1] - c64::new(1.0, 0.0)).norm() < 1e-14);
        // A rotation by a right angle turns every real direction: its values are ±i.
        let turn = general_eigen(array![[0.0, -1.0], [1.0, 0.0]].view()).unwrap();
        assert!((turn.values[0] - c64::new(0.0, 1.0)).norm() < 1e-14);
        assert!((turn.values[1] - c64::new(0.0, -1.0)).norm() < 1e-14);
    }

    // 002b:LA-01: the printed text says that repeated eigenvalues imply dependent eigenvectors;
    // those of the identity are independent, those of a shear are not.
    #[test]
    fn repeated_values_need_not_have_dependent_vectors() {
        let overlap = |matrix: Array2<f64>| {
            let vectors = general_eigen(matrix.view()).unwrap().vectors;
            let product: c64 = (0..2)
                .map(|i| vectors[[i, 0]].conj() * vectors[[i, 1]])
                .sum();
            product.norm()
        };
        assert!(overlap(Array2::eye(2)) < 1e-14);
        assert!(overlap(array![[1.0, 1.0], [0.0, 1.0]]) > 1.0 - 1e-12);
    }

    #[test]
    fn large_and_small_matrices_are_scaled_and_bad_ones_refused() {
        let matrix = random_matrix(4, 4, 1);
        let plain = general_eigen(matrix.view()).unwrap();
        for scale in [1e-200, 1e200] {
            let scaled = general_eigen((&matrix * scale).view()).unwrap();
            for (value, expected) in scaled.values.iter().zip(&plain.values) {
                assert!((value / scale - expected).norm() < 1e-12 * expected.norm());
            }
        }
        assert!(general_eigen(array![[f64::NAN]].view()).is_err());
        assert_eq!(
            general_eigen(Array2::zeros((0, 0)).view())
                .unwrap()
                .values
                .len(),
            0
        );
        assert_eq!(
            general_eigen(array![[0.0]].view()).unwrap().values[0].re,
            0.0
        );
    }

    proptest! {
        #[test]
        fn every_pair_solves_its_equation(d in 1usize..12, seed: u64) {
            let matrix = random_matrix(d, d, seed);
            let eigen = general_eigen(matrix.view()).unwrap();
            prop_assert!(residual(&matrix, &eigen) < 1e-12 * d as f64);
            let trace: c64 = eigen.values.iter().sum();
            prop_assert!((trace - matrix.diag().sum()).norm() < 1e-11 * d as f64);
            for pair in eigen.values.as_slice().unwrap().windows(2) {
                prop_assert!(pair[0].norm() >= pair[1].norm() * (1.0 - 1e-12));
            }
        }
    }
}
