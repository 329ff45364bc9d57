//! The scatter of sparse rows times vectors, without the scatter.

use super::rows::rows_per_task;
use super::sparse_transpose;
use didact_core::{Csr, CsrView, Result, Run, parallel};
use ndarray::{Array1, ArrayView1};

/// Σᵢ wᵢ·(xᵢ−μ)(xᵢ−μ)ᵀ over sparse rows xᵢ, known through its products with vectors; neither the
/// scatter nor the centred rows are ever written out.
///
/// Holds the rows a second time, transposed: gathering values along rows and then along columns is
/// three times as fast as adding to scattered places.
///
/// ```
/// use didact_core::{Csr, Run};
/// use didact_math::linalg::ScatterOperator;
/// use ndarray::array;
/// let x = Csr::from_dense(array![[1.0, 0.0], [0.0, 2.0]].view());
/// let zero = array![0.0, 0.0];
/// let scatter = ScatterOperator::new(x.view(), zero.view(), None)?;
/// assert_eq!(scatter.times(array![3.0, 1.0].view(), &Run::new())?, array![3.0, 4.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub struct ScatterOperator<'a> {
    rows: CsrView<'a>,
    columns: Csr,
    mean: ArrayView1<'a, f64>,
    weights: Option<ArrayView1<'a, f64>>,
}

impl<'a> ScatterOperator<'a> {
    /// The scatter around the mean μ; weights are one where there are none.
    ///
    /// # Panics
    /// When the mean has not as many values as there are columns.
    pub fn new(
        rows: CsrView<'a>,
        mean: ArrayView1<'a, f64>,
        weights: Option<ArrayView1<'a, f64>>,
    ) -> Result<Self> {
        assert_eq!(mean.len(), rows.n_columns(), "a value per column");
        Ok(ScatterOperator {
            rows,
            columns: sparse_transpose(rows)?,
            mean,
            weights,
        })
    }

    /// The product with a vector, in two passes over what is stored, in parallel over the rows and
    /// then over the columns.
    ///
    /// # Panics
    /// When the vector has not as many values as there are columns.
    pub fn times(&self, vector: ArrayView1<'_, f64>, run: &Run) -> Result<Array1<f64>> {
        assert_eq!(vector.len(), self.mean.len(), "a value per column");
        let shift = self.mean.dot(&vector);
        let mut factors = products(self.rows, vector, run)?;
        factors -= shift;
        if let Some(weights) = self.weights {
            factors *= &weights;
        }
        let mut product = products(self.columns.view(), factors.view(), run)?;
        product.scaled_add(-factors.sum(), &self.mean);
        Ok(product)
    }
}

/// x·v of every row.
fn products(rows: CsrView<'_>, vector: ArrayView1<'_, f64>, run: &Run) -> Result<Array1<f64>> {
    let vector = vector.as_standard_layout();
    let vector = vector.as_slice().expect("standard layout is contiguous");
    let mut products = vec![0.0; rows.n_rows()];
    let stored = rows.n_stored().div_ceil(rows.n_rows().max(1));
    parallel::fill(
        &mut products,
        1,
        rows_per_task(8 * stored),
        run,
        |range, piece| {
            for (row, product) in range.zip(piece) {
                let (columns, values) = rows.row(row);
                *product = gathered(columns, values, vector);
            }
            Ok(())
        },
    )?;
    Ok(Array1::from(products))
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
        for weights in [None, Some(weights.view())] {
            let weighted = match weights {
                Some(weights) => &centred * &weights.insert_axis(Axis(1)),
                None => centred.clone(),
            };
            let expected = weighted.t().dot(&centred.dot(&vector));
            let scatter = ScatterOperator::new(sparse.view(), mean.view(), weights).unwrap();
            let found = scatter.times(vector.view(), &Run::new()).unwrap();
            assert_close(&found, &expected, 1e-12);
        }
    }
}
