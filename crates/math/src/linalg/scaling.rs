//! Diagonal scaling and symmetric products.

use super::convert::{Operand, with_matrix_mut};
use super::packed::Panels;
use super::product::{Accumulate, mirror, mirror_lower};
use super::tiles::{Pairs, products};
use didact_core::{Result, Run};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Par};
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis};

/// Multiplies row i by `factors[i]`: diag(f)·A, in O(n·d).
///
/// ```
/// use ndarray::array;
/// let mut a = array![[1.0, 2.0], [3.0, 4.0]];
/// didact_math::linalg::scale_rows(a.view_mut(), array![10.0, 1.0].view());
/// assert_eq!(a, array![[10.0, 20.0], [3.0, 4.0]]);
/// ```
///
/// # Panics
/// When there is not one factor per row.
pub fn scale_rows(mut matrix: ArrayViewMut2<'_, f64>, factors: ArrayView1<'_, f64>) {
    assert_eq!(matrix.nrows(), factors.len(), "one factor per row");
    matrix *= &factors.insert_axis(Axis(1));
}

/// Multiplies column j by `factors[j]`: A·diag(f), in O(n·d).
///
/// # Panics
/// When there is not one factor per column.
pub fn scale_columns(mut matrix: ArrayViewMut2<'_, f64>, factors: ArrayView1<'_, f64>) {
    assert_eq!(matrix.ncols(), factors.len(), "one factor per column");
    matrix *= &factors;
}

/// The symmetric product A·Aᵀ of all pairs of rows, in n²·d multiplications, half of a general
/// product; it is positive semidefinite of the rank of A.
///
/// Blocks of rows are computed in parallel; the triangles mirror each other to the last bit.
///
/// ```
/// use didact_core::Run;
/// use ndarray::array;
/// let a = array![[1.0, 2.0], [3.0, 4.0]];
/// let product = didact_math::linalg::a_times_at(a.view(), &Run::new())?;
/// assert_eq!(product, array![[5.0, 11.0], [11.0, 25.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn a_times_at(a: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
    let mut product = Array2::zeros((a.nrows(), a.nrows()));
    fill_a_times_at(a, product.view_mut(), run)?;
    Ok(product)
}

/// Writes A·Aᵀ into contiguous memory.
pub(crate) fn fill_a_times_at(
    a: ArrayView2<'_, f64>,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let values = output.as_slice_mut().expect("the output is contiguous");
    fill_triangle_of_a_times_at(values, Pairs::Lower, a, run)?;
    mirror(output);
    Ok(())
}

/// The upper triangle of A·Aᵀ with anything finite below it, for those who read no more, such as
/// [`Cholesky`](super::Cholesky): filling the other triangle would cost a pass over the matrix.
///
/// ```
/// use didact_core::Run;
/// use ndarray::array;
/// let a = array![[1.0, 2.0], [3.0, 4.0]];
/// let product = didact_math::linalg::upper_of_a_times_at(a.view(), &Run::new())?;
/// assert_eq!((product[[0, 0]], product[[0, 1]], product[[1, 1]]), (5.0, 11.0, 25.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn upper_of_a_times_at(a: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
    let mut product = Array2::zeros((a.nrows(), a.nrows()));
    let values = product.as_slice_mut().expect("a new array is contiguous");
    fill_triangle_of_a_times_at(values, Pairs::Upper, a, run)?;
    Ok(product)
}

/// Writes one triangle and what lies beside the diagonal.
fn fill_triangle_of_a_times_at(
    output: &mut [f64],
    pairs: Pairs,
    a: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<()> {
    if a.is_empty() {
        output.fill(0.0);
        return Ok(());
    }
    let mut panels = Panels::new(a.nrows(), a.ncols());
    // What was there is forgotten with the first part of the sums.
    let mut accumulate = Accumulate::Replace;
    for columns in a.axis_chunks_iter(Axis(1), panels.depth) {
        run.check()?;
        panels.pack_rows(columns, run)?;
        products(output, accumulate, pairs, [&panels; 2], run)?;
        accumulate = Accumulate::Add;
    }
    Ok(())
}

/// How many of n rows share one large product: enough that packing the other operand pays, few
/// enough that threads can share the work and cancellation is noticed.
pub(crate) fn product_rows(n: usize) -> usize {
    (n / 16).clamp(64, 256)
}

/// Adds α·A·Aᵀ to a symmetric matrix (a rank-k update), in n²·k multiplications, on the calling
/// thread.
///
/// # Panics
/// When the output is not square with one row per row of A.
pub fn add_a_times_at(output: &mut Array2<f64>, a: ArrayView2<'_, f64>, alpha: f64) {
    assert_eq!(output.dim(), (a.nrows(), a.nrows()), "one row per row of A");
    let operand = Operand::new(a);
    with_matrix_mut(output.view_mut(), |output| {
        matmul(
            output,
            BlockStructure::TriangularLower,
            Accum::Add,
            operand.matrix(),
            BlockStructure::Rectangular,
            operand.matrix().transpose(),
            BlockStructure::Rectangular,
            alpha,
            Par::Seq,
        );
    });
    mirror_lower(output);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::a_times_bt;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::{Array1, array};

    #[test]
    fn scaling_is_the_product_with_a_diagonal_matrix() {
        let a = random_matrix(4, 3, 1);
        let (left, right) = (array![1.0, -2.0, 0.0, 3.0], array![0.5, 4.0, -1.0]);
        let mut scaled = a.clone();
        scale_rows(scaled.view_mut(), left.view());
        scale_columns(scaled.view_mut(), right.view());
        let expected = Array2::from_diag(&left)
            .dot(&a)
            .dot(&Array2::from_diag(&right));
        assert_close(&scaled, &expected, 1e-15);
    }

    #[test]
    fn the_symmetric_product_is_the_general_one_and_exactly_symmetric() {
        for (n, d) in [(1, 1), (5, 3), (300, 20), (129, 0)] {
            let a = random_matrix(n, d, 2);
            let product = a_times_at(a.view(), &Run::new()).unwrap();
            assert_close(&product, &a_times_bt(a.view(), a.view()), 1e-12);
            assert_eq!(product, product.t());
        }
    }

    #[test]
    fn a_rank_k_update_adds_the_product() {
        let a = random_matrix(6, 2, 3);
        let mut matrix = Array2::from_diag(&Array1::from(vec![1.0; 6]));
        add_a_times_at(&mut matrix, a.view(), -0.5);
        let expected = Array2::eye(6) - a.dot(&a.t()) * 0.5;
        assert_close(&matrix, &expected, 1e-13);
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let a = random_matrix(500, 7, 4);
        let product = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| a_times_at(a.view(), &run)).unwrap()
        };
        assert_eq!(product(1), product(2));
    }
}
