//! Whether a matrix can be a kernel matrix.

use crate::linalg::{symmetric_eigen, symmetric_eigenvalues};
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2, Axis};

/// What a Gram matrix says about its kernel.
///
/// A sample can refute Mercer's condition but never prove it; and a function that fails may
/// still serve in practice, so this is a verdict to warn by, not a refusal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mercer {
    /// Whether the two triangles agree up to rounding.
    pub is_symmetric: bool,
    /// The smallest eigenvalue of the symmetric part.
    pub smallest_eigenvalue: f64,
    /// How far below zero rounding alone may push it: 10⁻¹⁰ times the trace.
    pub tolerance: f64,
}

impl Mercer {
    /// Whether the matrix is symmetric and positive semidefinite up to rounding.
    pub fn is_valid(&self) -> bool {
        self.is_symmetric && self.smallest_eigenvalue >= -self.tolerance
    }
}

/// Checks Mercer's condition on a Gram matrix, in O(n³): symmetric, and ΣΣ gᵢKᵢⱼgⱼ ≥ 0 for all
/// g, that is, no eigenvalue below zero. Semidefinite suffices.
///
/// ```
/// use didact_math::kernel::check_mercer;
/// use ndarray::array;
/// assert!(check_mercer(array![[1.0, 1.0], [1.0, 1.0]].view())?.is_valid());
/// assert!(!check_mercer(array![[0.0, 1.0], [1.0, 0.0]].view())?.is_valid());
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn check_mercer(matrix: ArrayView2<'_, f64>) -> Result<Mercer> {
    check_square(matrix)?;
    let largest = matrix.iter().fold(0.0_f64, |m, value| m.max(value.abs()));
    let apart = (&matrix - &matrix.t())
        .iter()
        .fold(0.0_f64, |m, value| m.max(value.abs()));
    let symmetric = (&matrix + &matrix.t()) / 2.0;
    let values = symmetric_eigenvalues(symmetric.view())?;
    Ok(Mercer {
        is_symmetric: apart <= 1e-10 * largest,
        smallest_eigenvalue: values.last().copied().unwrap_or(0.0),
        tolerance: 1e-10 * matrix.diag().sum().abs(),
    })
}

/// A matrix A with A·Aᵀ = K, a row of features for each row of a positive semidefinite K, from
/// K = Q·Λ·Qᵀ and A = Q·Λ^½ without the vanishing eigenvalues, in O(n³).
///
/// Fails where K breaks Mercer's condition.
pub fn mercer_factor(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    let verdict = check_mercer(matrix)?;
    if !verdict.is_valid() {
        return Err(Error::data(format!(
            "the matrix is no kernel matrix: its smallest eigenvalue is {:e}{}",
            verdict.smallest_eigenvalue,
            if verdict.is_symmetric {
                ""
            } else {
                " and it is not symmetric"
            }
        )));
    }
    let eigen = symmetric_eigen(matrix)?;
    let kept: Vec<usize> = (0..eigen.values.len())
        .filter(|&i| eigen.values[i] > verdict.tolerance.max(f64::MIN_POSITIVE) * 1e-4)
        .collect();
    let roots = eigen.values.select(Axis(0), &kept).mapv(f64::sqrt);
    Ok(eigen.vectors.select(Axis(1), &kept) * &roots)
}

pub(super) fn check_square(matrix: ArrayView2<'_, f64>) -> Result<()> {
    match matrix.is_square() {
        true => Ok(()),
        false => Err(Error::data(format!(
            "a kernel matrix must be square, but this one has {} rows and {} columns",
            matrix.nrows(),
            matrix.ncols()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kernel, kernel_matrix_self};
    use super::*;
    use crate::distance::{Metric, pairwise_self};
    use didact_core::{Rows, Run};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;

    #[test]
    fn squared_distances_and_negative_products_are_no_kernels() {
        let x = random_matrix(8, 2, 1);
        let rows = Rows::Dense(x.view());
        let distances = pairwise_self(rows, Metric::SquaredEuclidean, &Run::new()).unwrap();
        let verdict = check_mercer(distances.view()).unwrap();
        assert!(verdict.is_symmetric && !verdict.is_valid());
        let linear = kernel_matrix_self(rows, &Kernel::Linear, &Run::new()).unwrap();
        assert!(check_mercer(linear.view()).unwrap().is_valid());
        assert!(!check_mercer((-&linear).view()).unwrap().is_valid());
        let shifted = linear.mapv(|value| (value - 1.0).powi(2));
        assert!(!check_mercer(shifted.view()).unwrap().is_valid());
        assert!(
            !check_mercer(array![[1.0, 0.5], [0.0, 1.0]].view())
                .unwrap()
                .is_symmetric
        );
        assert!(check_mercer(array![[1.0, 0.5]].view()).is_err());
        assert!(mercer_factor(distances.view()).is_err());
    }

    #[test]
    fn the_factor_restores_a_singular_kernel_matrix() {
        let x = random_matrix(10, 3, 2);
        let linear =
            kernel_matrix_self(Rows::Dense(x.view()), &Kernel::Linear, &Run::new()).unwrap();
        let factor = mercer_factor(linear.view()).unwrap();
        assert_eq!(factor.ncols(), 3);
        assert_close(&factor.dot(&factor.t()), &linear, 1e-12);
    }
}
