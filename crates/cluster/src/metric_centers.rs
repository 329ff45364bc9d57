//! Centres under any distance, shared by k-medoids and k-means under other norms.

use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Assign, Attribute, Error, Features, Figure, Model, Result, Rows, Run, Shape,
    StopReason, Trace, Value, parallel,
};
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
    /// One centre per row.
    pub fn cluster_centers(&self) -> ArrayView2<'_, f64> {
        self.cluster_centers.view()
    }

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

    /// The history of the best start.
    pub fn trace(&self) -> &Trace {
        &self.trace
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
                return Err(Error::numerical(format!(
                    "the distance of row {row} to a centre is too large for a number; scale the \
                     columns down"
                )));
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

impl Model for MetricCenters {
    const ABILITIES: Abilities<Self> = Abilities::none().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "cluster_centers",
            meaning: "The centre of each cluster, one per row.",
            get: |model| Value::from(&model.cluster_centers),
        },
        Attribute {
            name: "medoid_indices",
            meaning: "The rows of the training data that are the centres, where they are such rows.",
            get: |model| Value::from(model.medoid_indices.as_deref()),
        },
        Attribute {
            name: "labels",
            meaning: "The cluster of each row of the training data.",
            get: |model| Value::from(model.labels.as_slice()),
        },
        Attribute {
            name: "inertia",
            meaning: "Sum of the distances of the rows to their centres.",
            get: |model| Value::from(model.inertia),
        },
        Attribute {
            name: "n_iter",
            meaning: "Iterations of the best start.",
            get: |model| Value::from(model.trace.n_iter()),
        },
        Attribute {
            name: "converged",
            meaning: "Whether the best start converged before the iteration limit.",
            get: |model| Value::from(model.trace.stop == StopReason::Converged),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "centers",
        meaning: "The centres of the clusters.",
        get: |model| {
            Some(Shape::Points {
                points: model.cluster_centers.clone(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let centers = &self.cluster_centers;
        ensure_consistent(
            !centers.is_empty()
                && centers.is_standard_layout()
                && centers.iter().all(|value| value.is_finite())
                && self.metric.check().is_ok()
                && self.labels.iter().all(|&label| label < centers.nrows()),
        )
    }
}
