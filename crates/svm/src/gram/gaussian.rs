//! Rows of the Gaussian kernel, many points at a time.

use didact_math::vectorised::{exponential, vectorised};

/// Points that are measured side by side: their sums fill enough registers to hide how long one
/// addition takes.
pub(super) const LANES: usize = 16;

/// Points packed side by side, column by column.
pub(super) struct Panels {
    n_columns: usize,
    values: Vec<f64>,
}

impl Panels {
    /// Packs rows of so many values; the places that remain in the last panel hold zeros.
    pub(super) fn pack<'a>(
        rows: impl ExactSizeIterator<Item = &'a [f64]>,
        n_columns: usize,
    ) -> Self {
        let panels = rows.len().div_ceil(LANES);
        let mut values = vec![0.0; panels * LANES * n_columns];
        for (index, row) in rows.enumerate() {
            let (panel, lane) = (index / LANES, index % LANES);
            let first = panel * LANES * n_columns + lane;
            for (column, &value) in row.iter().enumerate() {
                values[first + column * LANES] = value;
            }
        }
        Panels { n_columns, values }
    }

    /// Writes exp(−γ‖x−y‖²) for the points y from `first` on, which begins a panel.
    ///
    /// Differences are squared and summed column by column, so equal points are exactly one and
    /// the value of a pair does not depend on where the two stand.
    pub(super) fn fill(&self, x: &[f64], gamma: f64, first: usize, output: &mut [f64]) {
        let start = first / LANES * LANES * self.n_columns;
        vectorised(
            #[inline(always)]
            || fill(x, gamma, &self.values[start..], output),
        );
    }
}

#[inline(always)]
fn fill(x: &[f64], gamma: f64, values: &[f64], output: &mut [f64]) {
    let panels = values.chunks_exact(LANES * x.len());
    for (panel, output) in panels.zip(output.chunks_mut(LANES)) {
        let mut similar = squared_distances(x, panel);
        for value in &mut similar {
            *value = exponential(-gamma * *value);
        }
        output.copy_from_slice(&similar[..output.len()]);
    }
}

#[inline(always)]
fn squared_distances(x: &[f64], panel: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (&value, others) in x.iter().zip(panel.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            let difference: f64 = value - others[lane];
            sums[lane] = difference.mul_add(difference, sums[lane]);
        }
    }
    sums
}
