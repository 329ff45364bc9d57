//! The singular value decomposition and orthonormal bases.

use super::bidiagonal::{Reduced, bidiagonal_svd, bidiagonal_svd_room, padded};
use super::convert::{
    finite_scale, for_each_in_tiles, to_array, to_array_of_columns, to_array_of_rows,
    to_scaled_matrix,
};
use super::large::within;
use didact_core::{Error, Result, Run};
use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder;
use faer::linalg::qr::no_pivoting::factor as qr;
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Conj, Mat, MatMut, MatRef, Par};
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
    let (scaled, scale) = prepared(matrix)?;
    decompose(scaled, matrix.dim(), scale, Par::Seq)
}

/// The same for matrices that may be large: on the threads of the run, and given up when it is
/// cancelled.
pub fn thin_svd_within(matrix: ArrayView2<'_, f64>, run: &Run) -> Result<Svd> {
    let (scaled, scale) = prepared(matrix)?;
    let shape = matrix.dim();
    let (longer, shorter) = (shape.0.max(shape.1), shape.0.min(shape.1));
    let size = (longer as f64 * (shorter as f64).powi(2)).cbrt() as usize;
    within(size, run, move |parts| {
        decompose(scaled, shape, scale, parts)
    })
}

/// The matrix, or its transpose where that has more rows, divided by its scale, in padded room; and that
/// scale.
fn prepared(matrix: ArrayView2<'_, f64>) -> Result<(Mat<f64>, f64)> {
    let scale = finite_scale("the matrix to decompose", matrix)?;
    let tall = match matrix.nrows() < matrix.ncols() {
        true => matrix.reversed_axes(),
        false => matrix,
    };
    let mut room = padded(tall.nrows(), tall.ncols());
    let factor = scale.recip();
    for_each_in_tiles(tall.dim(), |i, j| room[(i, j)] = tall[[i, j]] * factor);
    Ok((room, scale))
}

/// Takes a matrix of this shape apart that was prepared.
fn decompose(matrix: Mat<f64>, shape: (usize, usize), scale: f64, parts: Par) -> Result<Svd> {
    let (m, n) = (shape.0.max(shape.1), shape.0.min(shape.1));
    // One block of memory, which can lie in large pages.
    let mut memory = vec![0.0; (m + n) * n];
    let (u, v) = memory.split_at_mut(m * n);
    let mut u = MatMut::from_column_major_slice_mut(u, m, n);
    let mut v = MatMut::from_column_major_slice_mut(v, n, n);
    let (mut values, falling) = match m as f64 > TALL * n as f64 {
        true => by_factors(matrix, (m, n), u.rb_mut(), v.rb_mut(), parts)?,
        false => by_reflections(matrix, (m, n), u.rb_mut(), v.rb_mut(), parts)?,
    };
    values.iter_mut().for_each(|value| *value *= scale);
    let (left, right) = match shape.0 < shape.1 {
        true => (v.rb(), u.rb()),
        false => (u.rb(), v.rb()),
    };
    Ok(Svd {
        u: to_array_of_columns(left, &falling, parts),
        singular_values: falling.iter().map(|&column| values[column]).collect(),
        vt: to_array_of_rows(right, &falling),
    })
}

/// With so many times more rows than columns, those are taken apart that an orthonormal basis of the columns
/// leaves.
const TALL: f64 = 11.0 / 6.0;

/// Smaller matrices are not made bidiagonal by our own reflections.
const SMALL: usize = 48;

/// Takes A = Q·R apart through R; gives the values, and their columns in falling order.
fn by_factors(
    matrix: Mat<f64>,
    (m, n): (usize, usize),
    mut u: MatMut<'_, f64>,
    v: MatMut<'_, f64>,
    parts: Par,
) -> Result<(Vec<f64>, Vec<usize>)> {
    if n == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut factors = matrix;
    let mut factors = factors.as_mut().submatrix_mut(0, 0, m, n);
    let block = qr::recommended_block_size::<f64>(m, n);
    let mut coefficients = Mat::zeros(block, n);
    let scratch = qr::qr_in_place_scratch::<f64>(m, n, block, parts, Default::default()).or(
        householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(
            m, block, n,
        ),
    );
    let mut scratch = MemBuffer::new(scratch);
    qr::qr_in_place(
        factors.rb_mut(),
        coefficients.as_mut(),
        parts,
        MemStack::new(&mut scratch),
        Default::default(),
    );
    let mut triangle = padded(n, n);
    for j in 0..n {
        for i in 0..=j {
            triangle[(i, j)] = factors[(i, j)];
        }
    }
    let top = u.rb_mut().subrows_mut(0, n);
    let found = by_reflections(triangle, (n, n), top, v, parts)?;
    householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
        factors.rb(),
        coefficients.as_ref(),
        Conj::No,
        u,
        parts,
        MemStack::new(&mut scratch),
    );
    Ok(found)
}

/// Reflections from both sides turn the matrix into a bidiagonal one, A = H·B·Kᵀ, whose vectors they
/// turn back; gives the values, and their columns in falling order.
fn by_reflections(
    matrix: Mat<f64>,
    (m, n): (usize, usize),
    mut u: MatMut<'_, f64>,
    mut v: MatMut<'_, f64>,
    parts: Par,
) -> Result<(Vec<f64>, Vec<usize>)> {
    if n < SMALL {
        let mut values = vec![0.0; n];
        let matrix = matrix.as_ref().submatrix(0, 0, m, n);
        decompose_small(matrix, &mut values, u, v, parts)?;
        return Ok((values, (0..n).collect()));
    }
    let mut reduced = Reduced::new(matrix, (m, n), parts);
    let (mut values, links) = reduced.take_bidiagonal();
    let mut room = vec![0.0; bidiagonal_svd_room(n)];
    let vectors = [u.rb_mut().subrows_mut(0, n), v.rb_mut()];
    let rising = bidiagonal_svd(&mut values, &links, vectors, &mut room, parts)?;
    // Large blocks go as soon as they can.
    drop(room);
    reduced.turn_back(u, v, parts);
    Ok((values, rising.into_iter().rev().collect()))
}

/// Takes a small matrix apart: falling values, and vectors in as many columns as there is room for.
pub(super) fn decompose_small(
    matrix: MatRef<'_, f64>,
    values: &mut [f64],
    u: MatMut<'_, f64>,
    v: MatMut<'_, f64>,
    parts: Par,
) -> Result<()> {
    let (n, d) = matrix.shape();
    let wanted = |columns, all| match columns == all {
        true => ComputeSvdVectors::Full,
        false => ComputeSvdVectors::Thin,
    };
    let (left, right) = (wanted(u.ncols(), n), wanted(v.ncols(), d));
    let scratch = svd_scratch::<f64>(n, d, left, right, parts, Default::default());
    svd(
        matrix,
        DiagMut::from_slice_mut(values),
        Some(u),
        Some(v),
        parts,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| Error::numerical("the singular values of the matrix did not converge"))
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
        assert_eq!(
            thin_svd(Array2::zeros((0, 0)).view()).unwrap().u.dim(),
            (0, 0)
        );
        let huge = thin_svd(array![[1e300, 0.0], [0.0, 1e-300]].view()).unwrap();
        assert_close(&huge.singular_values, &array![1e300, 1e-300], 1e-12);
        assert!(matches!(
            thin_svd(array![[f64::NAN]].view()),
            Err(Error::Numerical(_))
        ));
    }

    /// Fails unless the vectors are orthonormal, the values fall and all restore the matrix, each to
    /// some units in the last place.
    #[track_caller]
    fn assert_taken_apart(matrix: &Array2<f64>, svd: &Svd) {
        let size = matrix.nrows().min(matrix.ncols());
        let Svd {
            u,
            singular_values,
            vt,
        } = svd;
        let falls = |pair: ndarray::ArrayView1<'_, f64>| pair[0] >= pair[1] && pair[1] >= 0.0;
        assert!(singular_values.windows(2).into_iter().all(falls));
        assert_close(&at_times_b(u.view(), u.view()), &Array2::eye(size), 1e-12);
        assert_close(&matmul(vt.view(), vt.t()), &Array2::eye(size), 1e-12);
        let scale = matrix
            .iter()
            .fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        let restored = product((u * singular_values).view(), vt.view());
        assert_close(&(restored / scale), &(matrix / scale), 1e-12);
    }

    // Shapes that are divided, tall and wide ones, and one that is taken apart through its triangle.
    #[test]
    fn larger_matrices_of_every_shape_are_taken_apart() {
        for (n, d) in [
            (48, 48),
            (65, 64),
            (100, 100),
            (130, 90),
            (90, 130),
            (300, 70),
            (257, 256),
        ] {
            let matrix = random_matrix(n, d, 5);
            assert_taken_apart(&matrix, &thin_svd(matrix.view()).unwrap());
        }
    }

    #[test]
    fn matrices_with_equal_vanishing_and_graded_values_are_taken_apart() {
        let n = 120;
        let waves = random_matrix(n, n, 6);
        let basis = orthonormal_basis(waves.view()).unwrap();
        let with_values = |value: &dyn Fn(usize) -> f64| {
            let values = Array1::from_shape_fn(n, value);
            matmul((&basis * &values).view(), random_basis(n).t())
        };
        let low = matmul(
            waves.slice(ndarray::s![.., ..7]),
            waves.slice(ndarray::s![..7, ..]),
        );
        let mut ones = Array2::zeros((n, n));
        ones.slice_mut(ndarray::s![..60, ..60]).fill(1.0);
        for matrix in [
            Array2::eye(n),
            Array2::zeros((n, n)),
            Array2::ones((n, n)),
            ones,
            low,
            with_values(&|i| if i < 50 { 1.0 } else { 0.5 }),
            with_values(&|i| 10_f64.powi(-(i as i32))),
            with_values(&|i| if i == 0 { 1e250 } else { 1e-250 }),
            Array2::from_diag(&Array1::from_shape_fn(n, |i| (i % 7) as f64)),
        ] {
            assert_taken_apart(&matrix, &thin_svd(matrix.view()).unwrap());
        }
    }

    fn random_basis(n: usize) -> Array2<f64> {
        orthonormal_basis(random_matrix(n, n, 7).view()).unwrap()
    }

    // The bidiagonal matrix with ones in both places has the values 2·cos(πk ⁄ (2n + 1)).
    #[test]
    fn a_chain_has_the_singular_values_of_waves() {
        let n = 150;
        let chain =
            Array2::from_shape_fn((n, n), |(i, j)| f64::from(u8::from(j == i || j == i + 1)));
        let found = thin_svd(chain.view()).unwrap();
        assert_taken_apart(&chain, &found);
        for (k, value) in found.singular_values.iter().enumerate() {
            let angle = std::f64::consts::PI * (k + 1) as f64 / (2 * n + 1) as f64;
            assert!((value - 2.0 * angle.cos()).abs() < 1e-13, "{k}: {value}");
        }
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
