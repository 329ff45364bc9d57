//! The Gram matrix XᵀWX of tall data.

use super::convert::{Operand, window_mut};
use super::product::{add_lower_of_at_times_b, mirror_lower};
use super::scaling::product_rows;
use didact_core::{CsrView, Result, Rows, Run, parallel};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};

/// How many rows one partial d×d matrix sums up: enough that making and merging it is cheap
/// beside filling it, few enough that the pieces can be shared out.
pub(crate) fn rows_per_partial(n_columns: usize) -> usize {
    (4 * n_columns).max(1024)
}

/// Rows with at least so many columns are multiplied by blocks of the product, in parallel; there
/// are seldom enough of them to be shared out.
const WIDE: usize = 512;

/// How many rows go through one product: a few milliseconds of work, between which cancellation
/// is noticed, in a buffer that stays in the cache. Wide rows need more of them, because every
/// product passes once over a large matrix.
pub(crate) fn rows_per_block(n_columns: usize) -> usize {
    match n_columns < WIDE {
        true => ((1 << 25) / (n_columns * n_columns).max(1)).clamp(32, 256),
        false => 512,
    }
}

/// The matrix XᵀWX: the sum of w·x·xᵀ over the rows, with all weights one where none are given.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::linalg::gram;
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let product = gram(Rows::Dense(x.view()), None, &Run::new())?;
/// assert_eq!(product, array![[10.0, 14.0], [14.0, 20.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When there is not one weight per row.
pub fn gram(
    rows: Rows<'_>,
    weights: Option<ArrayView1<'_, f64>>,
    run: &Run,
) -> Result<Array2<f64>> {
    check_weights(rows, weights);
    let d = rows.n_columns();
    let lower = parallel::reduce(
        rows.n_rows(),
        rows_per_partial(d),
        run,
        &|range| {
            let weights = weights.map(|weights| weights.slice_move(s![range.clone()]));
            let mut partial = Array2::zeros((d, d));
            match rows.slice(range) {
                Rows::Dense(dense) => add_dense(&mut partial, dense, weights, run)?,
                Rows::Sparse(sparse) => add_sparse(&mut partial, sparse, weights, run)?,
            }
            Ok(partial)
        },
        &|left, right| left + right,
    )?;
    let mut product = lower.unwrap_or_else(|| Array2::zeros((d, d)));
    mirror_lower(&mut product);
    Ok(product)
}

/// Stops a caller who has lost some weights on the way.
pub(crate) fn check_weights(rows: Rows<'_>, weights: Option<ArrayView1<'_, f64>>) {
    if let Some(weights) = weights {
        assert_eq!(
            weights.len(),
            rows.n_rows(),
            "there must be one weight per row"
        );
    }
}

/// Adds the lower triangle of XᵀWX; wide rows may leave something above the diagonal.
pub(crate) fn add_dense(
    lower: &mut Array2<f64>,
    x: ArrayView2<'_, f64>,
    weights: Option<ArrayView1<'_, f64>>,
    run: &Run,
) -> Result<()> {
    let block = rows_per_block(x.ncols());
    let mut start = 0;
    while start < x.nrows() {
        run.check()?;
        let range = start..(start + block).min(x.nrows());
        start = range.end;
        let rows = x.slice(s![range.clone(), ..]);
        match weights {
            None => add_product(lower, rows, rows, run)?,
            Some(weights) => {
                let weights = weights.slice_move(s![range]).insert_axis(Axis(1));
                add_product(lower, (&rows * &weights).view(), rows, run)?;
            }
        }
    }
    Ok(())
}

/// Adds the lower triangle of AᵀB, which is symmetric.
fn add_product(
    lower: &mut Array2<f64>,
    a: ArrayView2<'_, f64>,
    b: ArrayView2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let width = a.ncols();
    if width < WIDE {
        add_lower_of_at_times_b(lower.view_mut(), a, b);
        return Ok(());
    }
    let (a, b) = (Operand::new(a), Operand::new(b));
    let values = lower.as_slice_mut().expect("a sum is contiguous");
    parallel::fill(values, width, product_rows(width), run, |rows, piece| {
        let output = window_mut(piece, rows.len(), rows.end, width);
        let left = a.matrix().subcols(rows.start, rows.len()).transpose();
        let right = b.matrix().subcols(0, rows.end);
        matmul(output, Accum::Add, left, right, 1.0, Par::Seq);
        Ok(())
    })
}

/// Adds the lower triangle of XᵀWX row by row: the cost is that of the stored pairs alone.
fn add_sparse(
    lower: &mut Array2<f64>,
    x: CsrView<'_>,
    weights: Option<ArrayView1<'_, f64>>,
    run: &Run,
) -> Result<()> {
    for row in 0..x.n_rows() {
        if row % 64 == 0 {
            run.check()?;
        }
        let weight = weights.map_or(1.0, |weights| weights[row]);
        let (columns, values) = x.row(row);
        for (place, (&column, &value)) in columns.iter().zip(values).enumerate() {
            let mut target = lower.row_mut(column as usize);
            // Columns increase within a row, so this is the lower triangle.
            for (&other, &partner) in columns[..=place].iter().zip(values) {
                target[other as usize] += weight * value * partner;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::symmetric_eigen;
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use ndarray::Array1;
    use proptest::prelude::*;

    fn naive(x: &Array2<f64>, weights: &Array1<f64>) -> Array2<f64> {
        let d = x.ncols();
        Array2::from_shape_fn((d, d), |(i, j)| {
            x.rows()
                .into_iter()
                .zip(weights)
                .map(|(row, w)| w * row[i] * row[j])
                .sum()
        })
    }

    #[test]
    fn dense_and_sparse_weighted_or_not_agree_with_the_sum_of_outer_products() {
        let sparse = random_sparse(3000, 12, 0.4, 1);
        let x = sparse.view().to_dense();
        let weights = random_matrix(3000, 1, 2).column(0).mapv(f64::abs);
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            let plain = gram(rows, None, &Run::new()).unwrap();
            assert_close(&plain, &naive(&x, &Array1::ones(3000)), 1e-12);
            let weighted = gram(rows, Some(weights.view()), &Run::new()).unwrap();
            assert_close(&weighted, &naive(&x, &weights), 1e-12);
        }
    }

    #[test]
    fn no_rows_give_the_zero_matrix() {
        let x = Array2::zeros((0, 3));
        assert_eq!(
            gram(Rows::Dense(x.view()), None, &Run::new()).unwrap(),
            Array2::<f64>::zeros((3, 3))
        );
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let x = random_matrix(10_000, 9, 1);
        let product = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| gram(Rows::Dense(x.view()), None, &run))
                .unwrap()
        };
        assert_eq!(product(1), product(2));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn it_is_symmetric_and_has_no_negative_eigenvalue(n in 1usize..30, d in 1usize..8, seed: u64) {
            let x = random_matrix(n, d, seed);
            let product = gram(Rows::Dense(x.view()), None, &Run::new()).unwrap();
            prop_assert_eq!(&product, &product.t());
            let values = symmetric_eigen(product.view()).unwrap().values;
            prop_assert!(values[d - 1] >= -1e-12 * values[0]);
        }
    }
}
