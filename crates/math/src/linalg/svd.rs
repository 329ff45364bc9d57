//! The singular value decomposition and orthonormal bases.

use super::convert::{finite_scale, to_array, to_scaled_matrix};
use super::large::within;
use didact_core::{Error, Result, Run};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder;
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::{Conj, Mat, Par, diag::Diag};
use ndarray::{Array1, Array2, ArrayView2};

/// A matrix taken apart as U·diag(s)·Vᵀ.
#[derive(Clone, Debug, PartialEq)]
pub struct Svd {
    /// U: the left singular vectors as columns.
    pub u: Array2<f64>,
    /// s: the singular values in falling order.
    pub singular_values: Array1<f64>,
    /// Vᵀ: the right singular vectors as rows.
    pub vt: Array2<f64>,
}

/// Takes an n×d matrix apart with min(n, d) singular values, in O(n·d·min(n, d)).
///
/// At rank deficiency the last singular values are zero up to ε times the first, and their
/// vectors complete the orthonormal bases.
///
/// ```
/// use didact_math::linalg::thin_svd;
/// let svd = thin_svd(ndarray::array![[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]].view())?;
/// assert!((svd.singular_values[0] - 4.0).abs() < 1e-14);
/// assert_eq!((svd.u.dim(), svd.vt.dim()), ((3, 2), (2, 2)));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn thin_svd(matrix: ArrayView2<'_, f64>) -> Result<Svd> {
    let scale = finite_scale("the matrix to decompose", matrix)?;
    let scaled = to_scaled_matrix(matrix, scale.recip());
    decompose(scaled, scale, Par::Seq)
}

/// The same for matrices that may be large: on the threads of the run, and given up when it is
/// cancelled.
pub fn thin_svd_within(matrix: ArrayView2<'_, f64>, run: &Run) -> Result<Svd> {
    let scale = finite_scale("the matrix to decompose", matrix)?;
    let scaled = to_scaled_matrix(matrix, scale.recip());
    let (longer, shorter) = (
        matrix.nrows().max(matrix.ncols()),
        matrix.nrows().min(matrix.ncols()),
    );
    let size = (longer as f64 * (shorter as f64).powi(2)).cbrt() as usize;
    within(size, run, move |parts| decompose(scaled, scale, parts))
}

fn decompose(scaled: Mat<f64>, scale: f64, parts: Par) -> Result<Svd> {
    let (n, d) = scaled.shape();
    let size = n.min(d);
    let (mut u, mut v) = (Mat::zeros(n, size), Mat::zeros(d, size));
    let mut values = Diag::zeros(size);
    let thin = ComputeSvdVectors::Thin;
    let scratch = svd_scratch::<f64>(n, d, thin, thin, parts, Default::default());
    svd(
        scaled.as_ref(),
        values.as_mut(),
        Some(u.as_mut()),
        Some(v.as_mut()),
        parts,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| Error::numerical("the singular values of the matrix did not converge"))?;
    // Large matrices go as soon as they can.
    drop(scaled);
    let vt = to_array(v.transpose());
    drop(v);
    Ok(Svd {
        u: to_array(u.as_ref()),
        singular_values: Array1::from_shape_fn(size, |i| values[i] * scale),
        vt,
    })
}

/// An n×min(n, k) matrix with orthonormal columns that span those of an n×k matrix: the factor
/// Q of its QR decomposition, in about 4·n·k² operations. Where columns depend on each other the
/// basis is completed by directions outside their span.
pub fn orthonormal_basis(matrix: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    let (n, k) = matrix.dim();
    let size = n.min(k);
    if size == 0 {
        return Ok(Array2::zeros((n, size)));
    }
    let scale = finite_scale("the matrix to orthonormalise", matrix)?;
    let mut factors = to_scaled_matrix(matrix, scale.recip());
    let block = qr::recommended_block_size::<f64>(n, k);
    let mut coefficients = Mat::zeros(block, size);
    let scratch = qr::qr_in_place_scratch::<f64>(n, k, block, Par::Seq, Default::default());
    qr::qr_in_place(
        factors.as_mut(),
        coefficients.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    );
    let mut basis = Mat::identity(n, size);
    let scratch = householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(
        n, block, size,
    );
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        factors.as_ref().subcols(0, size),
        coefficients.as_ref(),
        Conj::No,
        basis.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
    Ok(to_array(basis.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{at_times_b, matmul, matmul as product};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;
    use proptest::prelude::*;

    #[test]
    fn singular_values_are_those_found_by_hand() {
        // AAᵀ = [[17, 8], [8, 17]] has the eigenvalues 25 and 9.
        let svd = thin_svd(array![[3.0, 2.0, 2.0], [2.0, 3.0, -2.0]].view()).unwrap();
        assert_close(&svd.singular_values, &array![5.0, 3.0], 1e-12);
    }

    #[test]
    fn zero_empty_huge_and_broken_matrices_have_a_defined_answer() {
        assert_eq!(
            thin_svd(Array2::zeros((3, 2)).view())
                .unwrap()
                .singular_values,
            array![0.0, 0.0]
        );
        assert_eq!(
            thin_svd(Array2::zeros((0, 2)).view()).unwrap().vt.dim(),
            (0, 2)
        );
        let huge = thin_svd(array![[1e300, 0.0], [0.0, 1e-300]].view()).unwrap();
        assert_close(&huge.singular_values, &array![1e300, 1e-300], 1e-12);
        assert!(matches!(
            thin_svd(array![[f64::NAN]].view()),
            Err(Error::Numerical(_))
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn the_factors_are_orthonormal_and_restore_the_matrix(n in 1usize..40, d in 1usize..40, seed: u64) {
            let matrix = random_matrix(n, d, seed);
            let Svd { u, singular_values, vt } = thin_svd(matrix.view()).unwrap();
            let size = n.min(d);
            assert_close(&at_times_b(u.view(), u.view()), &Array2::eye(size), 1e-12);
            assert_close(&matmul(vt.view(), vt.t()), &Array2::eye(size), 1e-12);
            assert_close(&product((&u * &singular_values).view(), vt.view()), &matrix, 1e-12);
            prop_assert!(singular_values.windows(2).into_iter().all(|pair| pair[0] >= pair[1]));
        }

        #[test]
        fn a_basis_is_orthonormal_and_spans_the_columns(n in 1usize..50, k in 1usize..12, seed: u64) {
            let matrix = random_matrix(n, k, seed);
            let basis = orthonormal_basis(matrix.view()).unwrap();
            assert_close(&at_times_b(basis.view(), basis.view()), &Array2::eye(n.min(k)), 1e-12);
            let projected = matmul(basis.view(), at_times_b(basis.view(), matrix.view()).view());
            assert_close(&projected, &matrix, 1e-12);
        }
    }
}
