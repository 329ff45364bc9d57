//! From projections back to rows.

use super::{KernelPca, KernelPcaModel};
use crate::anchors::{Anchors, ensure_finite};
use didact_core::model::ensure_consistent;
use didact_core::{Result, Rows, Run, parallel};
use didact_math::kernel::Kernel;
use didact_math::linalg::{rows_times, transposed_rows_times};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a row is found that has given projections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PreImage {
    /// By fixed-point iteration where the kernel is Gaussian, else by least squares.
    #[default]
    Auto,
    /// The linear function of the projections that is nearest to the training rows.
    LeastSquares,
    /// The row whose image under a Gaussian kernel is nearest; least squares for other kernels.
    FixedPoint,
}

/// The way back from projections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Way {
    mean: Array1<f64>,
    /// What one unit of each projection (a row) adds to each column.
    slopes: Array2<f64>,
    /// The rate of a Gaussian kernel, most steps, and the step that ends them; none for least
    /// squares.
    iteration: Option<(f64, usize, f64)>,
}

impl Way {
    /// Regresses the training rows on their projections, which are uncorrelated: ‖scores‖² = M·λ.
    pub(super) fn new(
        parameters: &KernelPca,
        anchors: &Anchors,
        scores: Array2<f64>,
        eigenvalues: &Array1<f64>,
        run: &Run,
    ) -> Result<Self> {
        let n = anchors.len();
        let rows = anchors.rows();
        let even = Array2::from_elem((n, 1), (n as f64).recip());
        let mean = transposed_rows_times(rows, even.view(), run)?.remove_axis(Axis(1));
        // Projections have the mean zero, so the mean of the rows drops out, but not its rounding.
        let mut slopes = match rows {
            Rows::Dense(x) => {
                let centred = &x - &mean;
                transposed_rows_times(Rows::Dense(scores.view()), centred.view(), run)?
            }
            Rows::Sparse(_) => transposed_rows_times(rows, scores.view(), run)?
                .t()
                .as_standard_layout()
                .into_owned(),
        };
        slopes /= &eigenvalues.view().insert_axis(Axis(1));
        ensure_finite(&slopes)?;
        let iteration = match (&anchors.kernel, parameters.pre_image) {
            (Kernel::Rbf { gamma }, PreImage::Auto | PreImage::FixedPoint) => {
                let spread = slopes
                    .iter()
                    .zip(eigenvalue_grid(eigenvalues, slopes.ncols()));
                let variance: f64 = spread.map(|(slope, value)| slope * slope * value).sum();
                let deviation = (variance / n as f64).sqrt();
                Some((*gamma, parameters.max_iter, parameters.tol * deviation))
            }
            _ => None,
        };
        Ok(Way {
            mean,
            slopes,
            iteration,
        })
    }

    /// A row for each row of projections.
    pub(super) fn back(
        &self,
        model: &KernelPcaModel,
        projections: ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        let width = self.mean.len();
        let mut found = Array2::zeros((projections.nrows(), width));
        let values = found.as_slice_mut().expect("a fresh matrix is contiguous");
        let run = Run::new();
        // Row by row, so that others do not change it.
        parallel::fill(values, width, 8, &run, |range, piece| {
            for (index, output) in range.zip(piece.chunks_mut(width)) {
                let point = projections.row(index);
                let mut start = self.mean.clone();
                for (value, slopes) in point.iter().zip(self.slopes.rows()) {
                    start.scaled_add(*value, &slopes);
                }
                let row = match self.iteration {
                    Some(_) => self.settle(model, point, start)?,
                    None => start,
                };
                output.copy_from_slice(row.as_slice().expect("a fresh row is contiguous"));
            }
            Ok(())
        })?;
        ensure_finite(&found)?;
        Ok(found)
    }

    /// The fixed point near `start`, or the start where the iteration leads nowhere.
    fn settle(
        &self,
        model: &KernelPcaModel,
        point: ArrayView1<'_, f64>,
        start: Array1<f64>,
    ) -> Result<Array1<f64>> {
        let Some((gamma, max_iter, step)) = self.iteration else {
            return Ok(start);
        };
        let rows = model.anchors.rows();
        let n = rows.n_rows();
        // The point is Σ γᵢ·φ(xᵢ): what the components say, and the rest of the mean.
        let mut weights = Array1::zeros(n);
        for (coefficients, value) in model.coefficients.columns().into_iter().zip(point) {
            weights.scaled_add(*value, &coefficients);
        }
        let rest = (1.0 - weights.sum()) / n as f64;
        weights += rest;
        let mut row = start.clone();
        for _ in 0..max_iter {
            let distances = squared_distances(rows, row.view())?;
            let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
            // Relative to the nearest row, because far away all of them vanish.
            let pulls = Array1::from_shape_fn(n, |i| {
                weights[i] * (-gamma * (distances[i] - nearest)).exp()
            });
            let total = pulls.sum();
            let size: f64 = pulls.iter().map(|pull| pull.abs()).sum();
            // Pulls that cancel throw the row anywhere.
            if total.is_nan() || total <= 1e-8 * size {
                return Ok(start);
            }
            let shares = (pulls / total).insert_axis(Axis(1));
            let next =
                transposed_rows_times(rows, shares.view(), &Run::new())?.remove_axis(Axis(1));
            let moved = (&next - &row).mapv(|value| value * value).sum().sqrt();
            row = next;
            if moved <= step {
                break;
            }
        }
        Ok(row)
    }

    pub(super) fn validate(&self, n_components: usize, n_columns: usize) -> Result<()> {
        let sound = |(gamma, _, step): &(f64, usize, f64)| *gamma > 0.0 && *step >= 0.0;
        ensure_consistent(
            self.mean.len() == n_columns
                && self.slopes.dim() == (n_components, n_columns)
                && self
                    .mean
                    .iter()
                    .chain(&self.slopes)
                    .all(|value| value.is_finite())
                && self.iteration.as_ref().is_none_or(sound),
        )
    }
}

/// Each eigenvalue as often as there are columns.
fn eigenvalue_grid(eigenvalues: &Array1<f64>, columns: usize) -> impl Iterator<Item = f64> + '_ {
    eigenvalues
        .iter()
        .flat_map(move |&value| std::iter::repeat_n(value, columns))
}

/// ‖x − z‖² of every row x.
fn squared_distances(rows: Rows<'_>, point: ArrayView1<'_, f64>) -> Result<Vec<f64>> {
    Ok(match rows {
        Rows::Dense(x) => {
            let gap = |row: ArrayView1<'_, f64>| {
                row.iter().zip(point).map(|(x, z)| (x - z) * (x - z)).sum()
            };
            x.rows().into_iter().map(gap).collect()
        }
        Rows::Sparse(x) => {
            let column = point.insert_axis(Axis(1));
            let products = rows_times(rows, column, &Run::new())?;
            let own: f64 = point.iter().map(|z| z * z).sum();
            let of = |row: usize| {
                let norm: f64 = x.row(row).1.iter().map(|value| value * value).sum();
                (norm - 2.0 * products[[row, 0]] + own).max(0.0)
            };
            (0..x.n_rows()).map(of).collect()
        }
    })
}
