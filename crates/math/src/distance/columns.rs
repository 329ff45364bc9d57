//! Distances of all pairs column by column, for metrics that no matrix product can give.

use super::Metric;
use super::formulas::{Jaccard, chi_square};
use crate::linalg::rows_per_task;
use crate::vectorised::vectorised;
use didact_core::{Result, Run, parallel};
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};

/// Columns of the output that are computed together; their sums stay in the fastest cache.
const WIDTH: usize = 512;

/// Writes the distance of every row of x and every row of y into contiguous memory.
///
/// Each step adds one column of all pairs, so the sums have the order of the definition and the
/// loop over pairs vectorises.
pub(super) fn fill_by_columns(
    x: ArrayView2<'_, f64>,
    y: ArrayView2<'_, f64>,
    metric: Metric,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let (m, d) = (y.nrows(), x.ncols());
    let x = x.as_standard_layout();
    // One stretch of columns after the other, each with a row per column of the data.
    let stretches: Vec<Array2<f64>> = y
        .axis_chunks_iter(Axis(0), WIDTH)
        .map(|rows| rows.t().as_standard_layout().into_owned())
        .collect();
    let values = output.as_slice_mut().expect("the output is contiguous");
    parallel::fill(
        values,
        m,
        rows_per_task(m * d).min(64),
        run,
        |rows, piece| {
            for (row, output) in rows.zip(piece.chunks_mut(m.max(1))) {
                run.check()?;
                let x = x.row(row).to_slice().expect("rows are contiguous");
                for (stretch, output) in stretches.iter().zip(output.chunks_mut(WIDTH)) {
                    stretch_of(x, stretch, metric, output);
                }
            }
            Ok(())
        },
    )
}

fn stretch_of(x: &[f64], y: &Array2<f64>, metric: Metric, output: &mut [f64]) {
    match metric {
        Metric::Manhattan => accumulate(x, y, output, |sum, a, b| sum + (a - b).abs()),
        Metric::Chebyshev => accumulate(x, y, output, |most, a, b| (a - b).abs().max(most)),
        Metric::Hamming => accumulate(x, y, output, |sum, a, b| sum + f64::from(u8::from(a != b))),
        Metric::ChiSquare => {
            accumulate(x, y, output, |sum, a, b| sum + chi_square(a, b));
            output.iter_mut().for_each(|value| *value /= 2.0);
        }
        Metric::Jaccard => {
            let mut larger = [0.0; WIDTH];
            let larger = &mut larger[..output.len()];
            accumulate(x, y, output, |sum, a, b| sum + a.min(b));
            accumulate(x, y, larger, |sum, a, b| sum + a.max(b));
            for (value, &larger) in output.iter_mut().zip(&*larger) {
                let smaller = *value;
                *value = Jaccard { smaller, larger }.distance();
            }
        }
        _ => {
            // Powers do not vectorise; the definition takes care of their overflow.
            let mut column = vec![0.0; x.len()];
            for (j, value) in output.iter_mut().enumerate() {
                for (entry, row) in column.iter_mut().zip(y.slice(s![.., j])) {
                    *entry = *row;
                }
                *value = metric.between(x, &column);
            }
        }
    }
}

/// output[j] = step(…step(step(0, x₀, y₀ⱼ), x₁, y₁ⱼ)…).
fn accumulate(x: &[f64], y: &Array2<f64>, output: &mut [f64], step: impl Fn(f64, f64, f64) -> f64) {
    let width = output.len();
    let y = y.as_slice().expect("a stretch is contiguous");
    vectorised(
        #[inline(always)]
        || {
            output.fill(0.0);
            for (&a, column) in x.iter().zip(y.chunks_exact(width)) {
                for (value, &b) in output.iter_mut().zip(column) {
                    *value = step(*value, a, b);
                }
            }
        },
    );
}
