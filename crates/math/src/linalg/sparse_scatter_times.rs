//! The scatter of sparse rows times a vector, without the scatter.

use didact_core::{CsrView, Result, Run, parallel};
use ndarray::{Array1, ArrayView1};

/// Into how many parts the rows are cut, whatever the number of threads; each needs a vector.
const PARTS: usize = 8;

/// Σᵢ wᵢ·(xᵢ−μ)·((xᵢ−μ)·v) over sparse rows xᵢ, which are never written out: the product of their
/// scatter around μ with a vector, in one pass over what they store. Weights are one where there
/// are none.
///
/// ```
/// use didact_core::{Csr, Run};
/// use ndarray::array;
/// let x = Csr::from_dense(array![[1.0, 0.0], [0.0, 2.0]].view());
/// let zero = array![0.0, 0.0];
/// let product = didact_math::linalg::sparse_scatter_times(
///     x.view(), zero.view(), None, array![3.0, 1.0].view(), &Run::new())?;
/// assert_eq!(product, array![3.0, 4.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When mean and vector have not as many values as there are columns.
pub fn sparse_scatter_times(
    rows: CsrView<'_>,
    mean: ArrayView1<'_, f64>,
    weights: Option<ArrayView1<'_, f64>>,
    vector: ArrayView1<'_, f64>,
    run: &Run,
) -> Result<Array1<f64>> {
    let (n, d) = (rows.n_rows(), rows.n_columns());
    assert!(mean.len() == d && vector.len() == d, "a value per column");
    let shift = mean.dot(&vector);
    let vector = vector.as_standard_layout();
    let vector = vector.as_slice().expect("standard layout is contiguous");
    let part = |range: std::ops::Range<usize>| {
        let (mut product, mut total) = (vec![0.0; d], 0.0);
        for row in range {
            let (columns, values) = rows.row(row);
            let factor = (gathered(columns, values, vector) - shift)
                * weights.map_or(1.0, |weights| weights[row]);
            total += factor;
            for (&column, value) in columns.iter().zip(values) {
                product[column as usize] += factor * value;
            }
        }
        Ok((Array1::from(product), total))
    };
    let sum = |(a, s): (Array1<f64>, f64), (b, t): (Array1<f64>, f64)| (a + b, s + t);
    let found = parallel::reduce(n, n.div_ceil(PARTS), run, &part, &sum)?;
    let (mut product, total) = found.unwrap_or_else(|| (Array1::zeros(d), 0.0));
    product.scaled_add(-total, &mean);
    Ok(product)
}

/// x·v of a sparse row, in four sums side by side, which do not wait for each other.
fn gathered(columns: &[u32], values: &[f64], vector: &[f64]) -> f64 {
    let (column_groups, last_columns) = columns.as_chunks::<4>();
    let (value_groups, last_values) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (columns, values) in column_groups.iter().zip(value_groups) {
        for lane in 0..4 {
            sums[lane] += values[lane] * vector[columns[lane] as usize];
        }
    }
    let rest = last_columns.iter().zip(last_values);
    let rest: f64 = rest
        .map(|(&column, value)| value * vector[column as usize])
        .sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use ndarray::Axis;

    #[test]
    fn it_is_the_product_with_the_scatter_written_out() {
        let sparse = random_sparse(40, 7, 0.3, 1);
        let x = sparse.view().to_dense();
        let mean = x.mean_axis(Axis(0)).unwrap();
        let weights = random_matrix(1, 40, 2).row(0).mapv(f64::abs);
        let vector = random_matrix(1, 7, 3).row(0).to_owned();
        let centred = &x - &mean;
        let weighted = &centred * &weights.view().insert_axis(Axis(1));
        let expected = weighted.t().dot(&centred.dot(&vector));
        let (mean, run) = (mean.view(), Run::new());
        let found = sparse_scatter_times(
            sparse.view(),
            mean,
            Some(weights.view()),
            vector.view(),
            &run,
        );
        assert_close(&found.unwrap(), &expected, 1e-12);
    }
}
