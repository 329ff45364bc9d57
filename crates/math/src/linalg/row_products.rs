//! The inner products of all pairs of rows.

use super::product::mirror;
use super::scaling::{fill_a_times_at, product_rows};
use super::{Accumulate, matmul_into, rows_per_task};
use didact_core::{CsrView, Result, Rows, Run, parallel};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, s};

/// The product X·Yᵀ of all pairs of rows, dense or sparse, in parallel over the rows of X; X·Xᵀ,
/// exactly symmetric, where there is no Y.
///
/// Costs n·m·d multiplications; sparse rows cost what they store.
///
/// ```
/// use didact_core::{Rows, Run};
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let product = didact_math::linalg::row_products(Rows::Dense(x.view()), None, &Run::new())?;
/// assert_eq!(product, array![[5.0, 11.0], [11.0, 25.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When X and Y have different numbers of columns.
pub fn row_products(x: Rows<'_>, y: Option<Rows<'_>>, run: &Run) -> Result<Array2<f64>> {
    let columns = y.map_or(x.n_rows(), |y| y.n_rows());
    let mut product = Array2::zeros((x.n_rows(), columns));
    fill_row_products(x, y, product.view_mut(), run)?;
    Ok(product)
}

/// Writes [`row_products`] into contiguous memory.
pub(crate) fn fill_row_products(
    x: Rows<'_>,
    y: Option<Rows<'_>>,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let y_rows = y.map_or(x.reborrow(), Rows::reborrow);
    assert_eq!(x.n_columns(), y_rows.n_columns(), "rows of one length");
    match (x, y_rows, y.is_some()) {
        (Rows::Dense(x), _, false) => fill_a_times_at(x, output, run),
        (Rows::Sparse(x), _, false) => {
            sparse_products(x, x, output.view_mut(), run)?;
            mirror(output);
            Ok(())
        }
        (Rows::Sparse(x), Rows::Sparse(y), true) => sparse_products(x, y, output, run),
        _ => dense_products(x.to_dense().view(), y_rows.to_dense().view(), output, run),
    }
}

fn dense_products(
    x: ArrayView2<'_, f64>,
    y: ArrayView2<'_, f64>,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let m = y.nrows();
    let values = output.as_slice_mut().expect("the output is contiguous");
    parallel::fill(values, m, product_rows(x.nrows()), run, |rows, piece| {
        let output = ArrayViewMut2::from_shape((rows.len(), m), piece).expect("whole rows");
        let x = x.slice(s![rows, ..]);
        matmul_into(output, x, y.t(), 1.0, Accumulate::Replace);
        Ok(())
    })
}

/// Writes one row of X out at a time, so that a row of Y costs what it stores.
fn sparse_products(
    x: CsrView<'_>,
    y: CsrView<'_>,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let m = y.n_rows();
    let values = output.as_slice_mut().expect("the output is contiguous");
    let chunk = rows_per_task(y.n_stored() + m).min(64);
    parallel::fill(values, m, chunk, run, |rows, piece| {
        let mut written = vec![0.0; x.n_columns()];
        for (row, output) in rows.zip(piece.chunks_mut(m.max(1))) {
            run.check()?;
            let (columns, stored) = x.row(row);
            for (&column, &value) in columns.iter().zip(stored) {
                written[column as usize] = value;
            }
            for (j, output) in output.iter_mut().enumerate() {
                let (columns, values) = y.row(j);
                let terms = columns.iter().zip(values);
                *output = terms
                    .map(|(&column, value)| value * written[column as usize])
                    .sum();
            }
            for &column in columns {
                written[column as usize] = 0.0;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::a_times_bt;
    use didact_testing::{assert_close, random_sparse};

    #[test]
    fn every_pair_of_forms_has_the_products_of_the_rows_written_out() {
        let (x, y) = (
            random_sparse(200, 30, 0.2, 1),
            random_sparse(70, 30, 0.2, 2),
        );
        let (x_dense, y_dense) = (x.view().to_dense(), y.view().to_dense());
        let expected = a_times_bt(x_dense.view(), y_dense.view());
        for x in [Rows::Sparse(x.view()), Rows::Dense(x_dense.view())] {
            for y in [Rows::Sparse(y.view()), Rows::Dense(y_dense.view())] {
                assert_close(
                    &row_products(x, Some(y), &Run::new()).unwrap(),
                    &expected,
                    1e-12,
                );
            }
            let own = row_products(x, None, &Run::new()).unwrap();
            assert_close(&own, &a_times_bt(x_dense.view(), x_dense.view()), 1e-12);
            assert_eq!(own, own.t());
        }
    }
}
