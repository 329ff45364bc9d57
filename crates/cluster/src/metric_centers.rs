//! Centres under any distance, shared by k-medoids and k-means under other norms.

use crate::centers::{center_model, validate};
use crate::too_far::row_too_far;
use didact_core::model::ensure_consistent;
use didact_core::{Assign, Features, Result, Rows, Run, Trace, Value, parallel};
use didact_math::distance::Metric;
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Centres, each row with the nearest by some distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricCenters {
    pub(crate) metric: Metric,
    pub(crate) cluster_centers: Array2<f64>,
    pub(crate) medoid_indices: Option<Vec<usize>>,
    pub(crate) labels: Vec<usize>,
    pub(crate) inertia: f64,
    pub(crate) trace: Trace,
}

impl MetricCenters {
    /// The rows of the training data that are the centres, where the method chooses such.
    pub fn medoid_indices(&self) -> Option<&[usize]> {
        self.medoid_indices.as_deref()
    }

    /// The cluster of each row that the model was fitted on.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The sum of the distances of the rows to their centres, each with its weight.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// Fails when a model from a file contradicts itself.
    fn check(&self) -> Result<()> {
        validate(&self.cluster_centers, &self.labels)?;
        ensure_consistent(self.metric.check().is_ok())
    }
}

/// The nearest centre of each row, the lowest where several are equally near, and its distance.
pub(crate) fn nearest_by(
    metric: Metric,
    rows: ArrayView2<'_, f64>,
    centers: &Array2<f64>,
    run: &Run,
) -> Result<Vec<(usize, f64)>> {
    let chunk = ((1 << 16) / centers.len().max(1)).clamp(16, 4096);
    let mut found = vec![(0, f64::INFINITY); rows.nrows()];
    parallel::fill(&mut found, 1, chunk, run, |range, piece| {
        for (row, found) in range.zip(piece) {
            let values = rows.row(row);
            let values = values.to_slice().expect("rows are contiguous");
            for (index, center) in centers.rows().into_iter().enumerate() {
                let center = center.to_slice().expect("centres are contiguous");
                let distance = metric.between(values, center);
                if distance < found.1 {
                    *found = (index, distance);
                }
            }
            if !found.1.is_finite() {
                return Err(row_too_far(row));
            }
        }
        Ok(())
    })?;
    Ok(found)
}

impl Features for MetricCenters {
    fn n_features(&self) -> usize {
        self.cluster_centers.ncols()
    }
}

impl Assign for MetricCenters {
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        self.metric.check_rows(rows)?;
        let found = nearest_by(
            self.metric,
            rows.dense()?,
            &self.cluster_centers,
            &Run::new(),
        )?;
        Ok(found.into_iter().map(|(label, _)| Some(label)).collect())
    }
}

center_model!(MetricCenters: assign {
    "medoid_indices", "The rows of the training data that are the centres, where they are such rows.",
        |model| Value::from(model.medoid_indices.as_deref());
    "labels", "The cluster of each row of the training data.",
        |model| Value::from(model.labels.as_slice());
    "inertia", "Sum of the distances of the rows to their centres.",
        |model| Value::from(model.inertia);
});
