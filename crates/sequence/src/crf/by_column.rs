//! Sparse items turned: for each column, the items that set it.

use super::weights::ChainWeights;
use didact_core::{CsrView, Result, Run, parallel};

/// Columns that a thread works on before it looks for more.
const CHUNK: usize = 256;

/// For each column the items that set it, in order, and their values.
#[derive(Clone, Debug)]
pub(crate) struct ByColumn {
    starts: Vec<usize>,
    items: Vec<u32>,
    values: Vec<f64>,
}

impl ByColumn {
    /// The columns of rows; nothing where there are more rows than 32 bits can count.
    pub(crate) fn new(rows: CsrView<'_>) -> Option<Self> {
        u32::try_from(rows.n_rows()).ok()?;
        let mut starts = vec![0; rows.n_columns() + 1];
        for row in 0..rows.n_rows() {
            for &column in rows.row(row).0 {
                starts[column as usize + 1] += 1;
            }
        }
        for column in 0..rows.n_columns() {
            starts[column + 1] += starts[column];
        }
        let mut ends = starts.clone();
        let mut items = vec![0; rows.n_stored()];
        let mut values = vec![0.0; rows.n_stored()];
        for row in 0..rows.n_rows() {
            let (row_columns, row_values) = rows.row(row);
            for (&column, &value) in row_columns.iter().zip(row_values) {
                let end = &mut ends[column as usize];
                items[*end] = row as u32;
                values[*end] = value;
                *end += 1;
            }
        }
        Some(ByColumn {
            starts,
            items,
            values,
        })
    }

    /// Adds Σₜ rₜ(j)·xₜ for residuals r, K of each item, to weights laid out for sparse rows.
    ///
    /// Each column adds up its own items in order, so that columns may be shared out among any
    /// number of threads without a copy of the gradient for each.
    pub(crate) fn add_gradient(
        &self,
        gradient: &mut ChainWeights,
        residuals: &[f64],
        run: &Run,
    ) -> Result<()> {
        let k = gradient.n_labels();
        let coef = gradient.coef.as_slice_memory_order_mut();
        let coef = coef.expect("the labels of a column lie side by side");
        parallel::fill(coef, k, CHUNK, run, |columns, slopes| {
            for (column, slopes) in columns.zip(slopes.chunks_exact_mut(k)) {
                let places = self.starts[column]..self.starts[column + 1];
                for (&item, value) in self.items[places.clone()].iter().zip(&self.values[places]) {
                    let first = item as usize * k;
                    let residuals = &residuals[first..first + k];
                    for (slope, residual) in slopes.iter_mut().zip(residuals) {
                        *slope += value * residual;
                    }
                }
            }
            Ok(())
        })
    }
}
