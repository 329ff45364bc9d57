//! The coordinates in which windows are round.

use didact_core::model::ensure_consistent;
use didact_core::{Error, Result, Run, Samples};
use didact_math::linalg::{Cholesky, Moments};
use ndarray::{Array1, Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In which units the bandwidth is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BandwidthUnit {
    /// In those of the columns: round windows.
    #[default]
    Columns,
    /// In standard deviations of each column: windows along the axes.
    Deviations,
    /// The covariance of a window is bandwidth² times that of the rows: windows as oblique as they
    /// are.
    Covariance,
}

/// A change of coordinates x = μ + L·z under which windows are round in z.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Frame {
    mean: Array1<f64>,
    lower: Array2<f64>,
}

impl Frame {
    /// The coordinates for these rows; none where they stay as they are.
    pub(crate) fn new(unit: BandwidthUnit, data: &Samples<'_>, run: &Run) -> Result<Option<Self>> {
        if unit == BandwidthUnit::Columns {
            return Ok(None);
        }
        let moments = Moments::summarise(data.rows(), data.weights(), run)?;
        if moments.weight <= 1.0 {
            return Err(Error::parameter(
                "bandwidth_unit",
                "deviations or covariance",
                format!(
                    "the weights of the rows add up to {}, too little for a deviation; use columns",
                    moments.weight
                ),
            ));
        }
        let covariance = moments.scatter / (moments.weight - 1.0);
        let lower = match unit {
            BandwidthUnit::Covariance => {
                let factor = Cholesky::new(covariance.view()).map_err(|_| {
                    Error::parameter(
                        "bandwidth_unit",
                        "covariance",
                        "the covariance of the columns is singular; use deviations, or leave out \
                         columns that repeat others",
                    )
                })?;
                factor.lower().to_owned()
            }
            // A column without deviation keeps its unit.
            _ => Array2::from_diag(&covariance.diag().mapv(|variance| match variance > 0.0 {
                true => variance.sqrt(),
                false => 1.0,
            })),
        };
        Ok(Some(Frame {
            mean: moments.mean,
            lower,
        }))
    }

    /// z of rows, each on its own, so that others do not change it.
    pub(crate) fn inward(&self, rows: ArrayView2<'_, f64>) -> Array2<f64> {
        let mut inner = &rows - &self.mean;
        for mut row in inner.rows_mut() {
            for i in 0..row.len() {
                let known: f64 = (0..i).map(|j| self.lower[[i, j]] * row[j]).sum();
                row[i] = (row[i] - known) / self.lower[[i, i]];
            }
        }
        inner
    }

    /// x of rows of z.
    pub(crate) fn outward(&self, mut rows: Array2<f64>) -> Array2<f64> {
        for mut row in rows.rows_mut() {
            for i in (0..row.len()).rev() {
                row[i] = self.mean[i] + (0..=i).map(|j| self.lower[[i, j]] * row[j]).sum::<f64>();
            }
        }
        rows
    }

    /// ln det L: by so much a log-density in z exceeds that in x.
    pub(crate) fn log_determinant(&self) -> f64 {
        self.lower.diag().iter().map(|value| value.ln()).sum()
    }

    pub(crate) fn validate(&self, n_columns: usize) -> Result<()> {
        ensure_consistent(
            self.mean.len() == n_columns
                && self.lower.dim() == (n_columns, n_columns)
                && self
                    .mean
                    .iter()
                    .chain(&self.lower)
                    .all(|value| value.is_finite())
                && self.lower.diag().iter().all(|&value| value > 0.0),
        )
    }
}
