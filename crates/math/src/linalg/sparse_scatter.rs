//! Means and scatter of sparse rows, at the cost of what they store.

use didact_core::{CsrView, Result, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// From this share of the weight on, a column is treated as full: its mean is subtracted before
/// squaring. Below it, squaring first loses at most a digit.
const FULL: f64 = 0.9;

/// What a pass over sparse rows finds in each column.
pub(super) struct SparseColumns {
    /// The sum of all weights.
    pub(super) weight: f64,
    /// The weight of the rows that store a value in the column.
    pub(super) stored: Array1<f64>,
    /// The mean over all rows, zeros included, less the origin.
    pub(super) offset: Array1<f64>,
    /// The mean itself.
    pub(super) mean: Array1<f64>,
}

impl SparseColumns {
    /// Means as differences to an origin, which keep the digits that the mean itself would round
    /// away far from zero; see [`super::moments::origin`].
    pub(super) fn new(
        x: CsrView<'_>,
        weights: Option<ArrayView1<'_, f64>>,
        origin: ArrayView1<'_, f64>,
    ) -> Self {
        let d = x.n_columns();
        let mut weight = 0.0;
        let mut stored = Array1::<f64>::zeros(d);
        let mut sums = Array1::<f64>::zeros(d);
        for row in 0..x.n_rows() {
            let w = weights.map_or(1.0, |weights| weights[row]);
            weight += w;
            let (columns, values) = x.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                let column = column as usize;
                stored[column] += w;
                sums[column] += w * (value - origin[column]);
            }
        }
        // The zeros of the rows that store nothing are at −origin.
        let offset = match weight > 0.0 {
            true => (sums - (weight - &stored) * origin) / weight,
            false => Array1::zeros(d),
        };
        SparseColumns {
            weight,
            stored,
            mean: &offset + &origin,
            offset,
        }
    }

    /// Σ w·(x − mean)² in each column.
    pub(super) fn sum_squares(
        &self,
        x: CsrView<'_>,
        weights: Option<ArrayView1<'_, f64>>,
    ) -> Array1<f64> {
        let mut squares = Array1::from_shape_fn(self.mean.len(), |column| {
            (self.weight - self.stored[column]) * self.mean[column] * self.mean[column]
        });
        for row in 0..x.n_rows() {
            let w = weights.map_or(1.0, |weights| weights[row]);
            let (columns, values) = x.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                let difference = value - self.mean[column as usize];
                squares[column as usize] += w * difference * difference;
            }
        }
        squares
    }
}

/// The lower triangle of the scatter of sparse rows and dense targets about their means.
///
/// Uses Σ w·(x−s)(x−s)ᵀ − W·(μ−s)(μ−s)ᵀ with s = μ in full columns and targets and s = 0
/// elsewhere, so that rows stay sparse and nothing is lost to cancellation.
pub(super) fn lower_scatter(
    x: CsrView<'_>,
    found: &SparseColumns,
    targets: Option<(ArrayView2<'_, f64>, ArrayView1<'_, f64>)>,
    weights: Option<ArrayView1<'_, f64>>,
    run: &Run,
) -> Result<Array2<f64>> {
    let d = x.n_columns();
    let width = d + targets.map_or(0, |(targets, _)| targets.ncols());
    let full: Vec<usize> = (0..d)
        .filter(|&j| found.stored[j] > FULL * found.weight)
        .collect();
    let mut place = vec![usize::MAX; d];
    for (index, &column) in full.iter().enumerate() {
        place[column] = index;
    }
    let mut lower = Array2::zeros((width, width));
    let mut entries: Vec<(usize, f64)> = Vec::new();
    for row in 0..x.n_rows() {
        if row % 64 == 0 {
            run.check()?;
        }
        entries.clear();
        entries.extend(full.iter().map(|&column| (column, -found.mean[column])));
        let (columns, values) = x.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            match place[column as usize] {
                usize::MAX => entries.push((column as usize, value)),
                index => entries[index].1 = value - found.mean[column as usize],
            }
        }
        if let Some((targets, mean)) = targets {
            let shifted = targets
                .row(row)
                .into_iter()
                .zip(mean)
                .map(|(y, mean)| y - mean);
            entries.extend(shifted.enumerate().map(|(index, y)| (d + index, y)));
        }
        entries.sort_unstable_by_key(|&(column, _)| column);
        add_outer_product(
            &mut lower,
            &entries,
            weights.map_or(1.0, |weights| weights[row]),
        );
    }
    for i in (0..d).filter(|&i| place[i] == usize::MAX && found.mean[i] != 0.0) {
        for j in (0..=i).filter(|&j| place[j] == usize::MAX) {
            lower[[i, j]] -= found.weight * (found.mean[i] * found.mean[j]);
        }
    }
    Ok(lower)
}

/// Adds w·x·xᵀ below the diagonal, for entries in the order of their columns.
fn add_outer_product(lower: &mut Array2<f64>, entries: &[(usize, f64)], weight: f64) {
    for (index, &(column, value)) in entries.iter().enumerate() {
        let mut target = lower.row_mut(column);
        for &(other, partner) in &entries[..=index] {
            target[other] += weight * (value * partner);
        }
    }
}
