//! Products of tall data, dense or sparse, with a small matrix.

use super::gram::rows_per_partial;
use super::packed::Panels;
use super::product::{Accumulate, matmul_into};
use super::tiles::{Pairs, products};
use crate::numeric::dot;
use didact_core::{CsrView, Result, Rows, Run, parallel};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewMut2, Axis, s};

/// Work of about this many multiplications is worth a task of its own and takes less than a few
/// milliseconds, so that a cancelled run stops soon.
const TASK: usize = 1 << 21;

/// A matrix with at least so many columns is worth packing.
const MANY: usize = 8;

/// How many rows make a task when each costs `work` multiplications.
pub(crate) fn rows_per_task(work: usize) -> usize {
    (TASK / work.max(1)).clamp(16, 8192)
}

/// The product X·B of tall data and a small matrix, in parallel over the rows.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::linalg::rows_times;
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let product = rows_times(Rows::Dense(x.view()), array![[1.0], [1.0]].view(), &Run::new())?;
/// assert_eq!(product, array![[3.0], [7.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When the columns of X are not as many as the rows of B.
pub fn rows_times(x: Rows<'_>, b: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
    assert_eq!(x.n_columns(), b.nrows(), "X and B do not fit together");
    if b.ncols() == 1 {
        let product = rows_times_vector(x, b.column(0), run)?;
        return Ok(product.insert_axis(Axis(1)));
    }
    let width = b.ncols();
    let mut values = vec![0.0; x.n_rows() * width];
    // Sparse rows add up rows of B, which therefore should be contiguous.
    let b = b.as_standard_layout();
    let chunk = match x {
        // A product of few rows would spend its time on packing B.
        Rows::Dense(_) => rows_per_task(x.n_columns() * width).max(256),
        Rows::Sparse(_) => rows_per_task(x.n_columns() * width),
    };
    parallel::fill(&mut values, width, chunk, run, |range, piece| {
        let shape = (range.len(), width);
        let mut output = ArrayViewMut2::from_shape(shape, piece).expect("the piece has its shape");
        match x.slice(range) {
            Rows::Dense(dense) => matmul_into(output, dense, b.view(), 1.0, Accumulate::Replace),
            Rows::Sparse(sparse) => sparse_times(sparse, b.view(), &mut output),
        }
        Ok(())
    })?;
    Ok(Array2::from_shape_vec((x.n_rows(), width), values).expect("one value per entry"))
}

/// The product X·b of tall data and a vector, in parallel over the rows.
///
/// # Panics
/// When the vector has not one value per column.
pub fn rows_times_vector(x: Rows<'_>, b: ArrayView1<'_, f64>, run: &Run) -> Result<Array1<f64>> {
    assert_eq!(x.n_columns(), b.len(), "X and b do not fit together");
    let b = b.as_standard_layout();
    let vector = b.as_slice().expect("standard layout is contiguous");
    let mut values = vec![0.0; x.n_rows()];
    parallel::fill(
        &mut values,
        1,
        rows_per_task(values_per_row(x)),
        run,
        |range, piece| {
            match x.slice(range) {
                Rows::Dense(dense) => {
                    for (row, value) in dense.rows().into_iter().zip(piece) {
                        *value = match row.as_slice() {
                            Some(row) => dot(row, vector),
                            None => row.iter().zip(vector).map(|(x, b)| x * b).sum(),
                        };
                    }
                }
                Rows::Sparse(sparse) => {
                    for (row, value) in piece.iter_mut().enumerate() {
                        let (columns, stored) = sparse.row(row);
                        *value = columns
                            .iter()
                            .zip(stored)
                            .map(|(&j, x)| x * vector[j as usize])
                            .sum();
                    }
                }
            }
            Ok(())
        },
    )?;
    Ok(Array1::from(values))
}

/// How many values a row has on average.
fn values_per_row(x: Rows<'_>) -> usize {
    match x {
        Rows::Dense(dense) => dense.ncols().max(1),
        Rows::Sparse(sparse) => sparse.n_stored().div_ceil(sparse.n_rows().max(1)).max(1),
    }
}

/// The product Xᵀ·B of tall data and as many rows of B, summed in a fixed order.
///
/// # Panics
/// When X and B have different numbers of rows.
pub fn transposed_rows_times(
    x: Rows<'_>,
    b: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<Array2<f64>> {
    assert_eq!(x.n_rows(), b.nrows(), "X and B do not fit together");
    let shape = (x.n_columns(), b.ncols());
    // A partial result is as large as the result, so a task must be larger than that.
    let chunk = match x {
        Rows::Dense(_) => rows_per_task(shape.0 * shape.1).max(rows_per_partial(shape.0)),
        Rows::Sparse(_) => (8 * shape.0 / values_per_row(x)).clamp(256, 1 << 16),
    };
    let product = parallel::reduce(
        x.n_rows(),
        chunk,
        run,
        &|range| {
            let mut partial = Array2::zeros(shape);
            let b = b.slice(s![range.clone(), ..]);
            match x.slice(range) {
                Rows::Dense(dense) if shape.1 >= MANY => {
                    transposed_dense_times(dense, b, &mut partial, run)?;
                }
                Rows::Dense(dense) => {
                    matmul_into(partial.view_mut(), dense.t(), b, 1.0, Accumulate::Replace);
                }
                Rows::Sparse(sparse) => transposed_sparse_times(sparse, b, &mut partial),
            }
            Ok(partial)
        },
        &|left, right| left + right,
    )?;
    Ok(product.unwrap_or_else(|| Array2::zeros(shape)))
}

/// Adds Xᵀ·B by packing the columns of both.
fn transposed_dense_times(
    x: ArrayView2<'_, f64>,
    b: ArrayView2<'_, f64>,
    output: &mut Array2<f64>,
    run: &Run,
) -> Result<()> {
    let output = output.as_slice_mut().expect("a fresh matrix is contiguous");
    let mut left = Panels::new(x.ncols(), x.nrows());
    let mut right = Panels::new(b.ncols(), b.nrows());
    let step = left.depth.max(1);
    let blocks = x
        .axis_chunks_iter(Axis(0), step)
        .zip(b.axis_chunks_iter(Axis(0), step));
    for (x, b) in blocks {
        run.check()?;
        left.pack_columns(x, run)?;
        right.pack_columns(b, run)?;
        products(output, Accumulate::Add, Pairs::All, [&left, &right], run)?;
    }
    Ok(())
}

fn sparse_times(x: CsrView<'_>, b: ArrayView2<'_, f64>, output: &mut ArrayViewMut2<'_, f64>) {
    for (index, mut output) in output.rows_mut().into_iter().enumerate() {
        let (columns, values) = x.row(index);
        for (&column, &value) in columns.iter().zip(values) {
            output.scaled_add(value, &b.row(column as usize));
        }
    }
}

fn transposed_sparse_times(x: CsrView<'_>, b: ArrayView2<'_, f64>, output: &mut Array2<f64>) {
    let width = b.ncols();
    let output = output.as_slice_mut().expect("a fresh matrix is contiguous");
    for (index, b) in b.rows().into_iter().enumerate() {
        let (columns, values) = x.row(index);
        for (&column, &value) in columns.iter().zip(values) {
            // A view for each stored value would cost more than the few products.
            let start = column as usize * width;
            for (output, b) in output[start..start + width].iter_mut().zip(&b) {
                *output += value * b;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{at_times_b, matmul};
    use didact_core::{Cancel, Error};
    use didact_testing::{assert_close, random_matrix, random_sparse};

    #[test]
    fn dense_and_sparse_rows_give_the_product_of_the_whole_matrix() {
        // Rows enough for several tasks of each kind.
        for (n, d, k) in [(5, 3, 2), (9000, 7, 1), (9000, 30, 10)] {
            let sparse = random_sparse(n, d, 0.3, 1);
            let x = sparse.view().to_dense();
            let (b, c) = (random_matrix(d, k, 2), random_matrix(n, k, 3));
            for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
                let product = rows_times(rows, b.view(), &Run::new()).unwrap();
                assert_close(&product, &matmul(x.view(), b.view()), 1e-12);
                let product = transposed_rows_times(rows, c.view(), &Run::new()).unwrap();
                assert_close(&product, &at_times_b(x.view(), c.view()), 1e-11);
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let x = random_matrix(20_000, 13, 1);
        let b = random_matrix(20_000, 4, 2);
        let product = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| transposed_rows_times(Rows::Dense(x.view()), b.view(), &run))
                .unwrap()
        };
        assert_eq!(product(1), product(2));
        assert_eq!(product(1), product(4));
    }

    #[test]
    fn a_cancelled_run_multiplies_nothing() {
        let cancel = Cancel::new();
        cancel.cancel();
        let run = Run::new().cancelled_by(&cancel);
        let x = random_matrix(10, 2, 1);
        let result = rows_times(Rows::Dense(x.view()), x.slice(s![..2, ..]), &run);
        assert!(matches!(result, Err(Error::Cancelled)));
    }
}
