//! The Gram matrix XᵀWX of tall data.

use super::joined::Joined;
use super::packed::Panels;
use super::product::{Accumulate, mirror_lower};
use super::tiles::{Pairs, products};
use didact_core::{CsrView, Result, Rows, Run, parallel};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};

/// How many rows one partial d×d matrix sums up: enough that making and merging it is cheap
/// beside filling it, few enough that the pieces can be shared out.
pub(crate) fn rows_per_partial(n_columns: usize) -> usize {
    (4 * n_columns).max(1024)
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
                Rows::Dense(dense) => {
                    add_dense(&mut partial, dense, None, &vec![0.0; d], weights, run)?;
                }
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

/// Adds the lower triangle of ZᵀWZ, where Z are the rows of X, and those of Y at their right, less
/// a vector; there may be something above the diagonal afterwards. Returns the sum of the rows
/// of WZ.
pub(crate) fn add_dense(
    lower: &mut Array2<f64>,
    x: ArrayView2<'_, f64>,
    further: Option<ArrayView2<'_, f64>>,
    less: &[f64],
    weights: Option<ArrayView1<'_, f64>>,
    run: &Run,
) -> Result<Array1<f64>> {
    let n = x.nrows();
    let mut sums = vec![0.0; less.len()];
    let none = ArrayView2::from_shape((n, 0), &[]).expect("no value is needed");
    let y = further.unwrap_or(none);
    let output = lower.as_slice_mut().expect("a sum is contiguous");
    let mut right = Panels::new(less.len(), n);
    let mut left = weights.map(|_| Panels::new(less.len(), n));
    let step = right.depth.max(1);
    for start in (0..n).step_by(step) {
        run.check()?;
        let range = start..(start + step).min(n);
        let x = x.slice(s![range.clone(), ..]);
        let y = y.slice(s![range.clone(), ..]);
        let (x, y) = (x.as_standard_layout(), y.as_standard_layout());
        let mut joined = Joined {
            x: x.as_slice().expect("the block is contiguous"),
            y: y.as_slice().expect("the block is contiguous"),
            columns: (x.ncols(), y.ncols()),
            less,
            weights: None,
        };
        right.pack(range.len(), &joined, run)?;
        if let (Some(left), Some(weights)) = (&mut left, weights) {
            let weights = weights.slice(s![range.clone()]);
            let weights = weights.as_standard_layout();
            joined.weights = weights.as_slice();
            left.pack(range.len(), &joined, run)?;
        }
        let left = left.as_ref().unwrap_or(&right);
        left.add_sums(&mut sums);
        products(output, Accumulate::Add, Pairs::Lower, [left, &right], run)?;
    }
    Ok(Array1::from(sums))
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
