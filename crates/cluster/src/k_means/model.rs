//! What k-means learned.

use super::lloyd::Fitted;
use crate::centers::{center_model, validate};
use crate::too_far::row_too_far;
use didact_core::{
    Accepts, Assign, Features, OwnedRows, Result, Rows, Run, Trace, Transform, Value, parallel,
};
use didact_math::distance::{nearest_center, squared_euclidean};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Centres, and how they were found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KMeansModel {
    cluster_centers: Array2<f64>,
    labels: Option<Vec<usize>>,
    inertia: f64,
    n_reseeded: usize,
    trace: Trace,
}

impl KMeansModel {
    pub(crate) fn new(fitted: Fitted) -> Self {
        KMeansModel {
            cluster_centers: fitted.centers,
            labels: fitted.labels,
            inertia: fitted.inertia,
            n_reseeded: fitted.n_reseeded,
            trace: fitted.trace,
        }
    }

    /// The cluster of each row that the model was fitted on; not known after learning in pieces.
    pub fn labels(&self) -> Option<&[usize]> {
        self.labels.as_deref()
    }

    /// Σ minⱼ‖x − μⱼ‖² over the rows that the model was fitted on, each with its weight.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// How often a cluster without rows was seeded again at the farthest row.
    pub fn n_reseeded(&self) -> usize {
        self.n_reseeded
    }

    /// Fails when a model from a file contradicts itself.
    fn check(&self) -> Result<()> {
        let labels = self.labels.as_deref().unwrap_or_default();
        validate(&self.cluster_centers, labels)
    }

    /// Index of the centre nearest to a row, for rows whose squared distances overflow.
    fn nearest_of_far(&self, row: &[f64]) -> usize {
        let mut nearest = (0, f64::INFINITY);
        for (index, center) in self.cluster_centers.rows().into_iter().enumerate() {
            let length = half_length(row, center.to_slice().expect("centres are contiguous"));
            if length < nearest.1 {
                nearest = (index, length);
            }
        }
        nearest.0
    }
}

/// Half the Euclidean distance, without squares that overflow.
fn half_length(a: &[f64], b: &[f64]) -> f64 {
    let half = |(a, b): (&f64, &f64)| a / 2.0 - b / 2.0;
    let largest = a
        .iter()
        .zip(b)
        .map(half)
        .fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let squares: f64 = a
        .iter()
        .zip(b)
        .map(|pair| (half(pair) / largest).powi(2))
        .sum();
    largest * squares.sqrt()
}

impl Features for KMeansModel {
    fn n_features(&self) -> usize {
        self.cluster_centers.ncols()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Assign for KMeansModel {
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let found = nearest_center(rows, self.cluster_centers.view(), &Run::new())?;
        let mut labels: Vec<Option<usize>> = found.labels.into_iter().map(Some).collect();
        for (row, distance) in found.squared_distances.iter().enumerate() {
            if !distance.is_finite() {
                let row_values = super::sums::written_out(rows, row);
                labels[row] = Some(self.nearest_of_far(&row_values));
            }
        }
        Ok(labels)
    }
}

impl Transform for KMeansModel {
    fn n_outputs(&self) -> usize {
        self.cluster_centers.nrows()
    }

    /// The Euclidean distance of each row to each centre.
    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let (n, k) = (rows.n_rows(), self.n_outputs());
        let mut distances = vec![0.0; n * k];
        let chunk = ((1 << 20) / (k * rows.n_columns())).clamp(16, 4096);
        parallel::fill(&mut distances, k, chunk, &Run::new(), |range, piece| {
            for (row, output) in range.zip(piece.chunks_exact_mut(k)) {
                let values = super::sums::written_out(rows, row);
                for (center, output) in self.cluster_centers.rows().into_iter().zip(output) {
                    let center = center.to_slice().expect("centres are contiguous");
                    let squared = squared_euclidean(&values, center);
                    *output = match squared.is_finite() {
                        true => squared.sqrt(),
                        false => 2.0 * half_length(&values, center),
                    };
                    if !output.is_finite() {
                        return Err(row_too_far(row));
                    }
                }
            }
            Ok(())
        })?;
        let distances = Array2::from_shape_vec((n, k), distances).expect("one value per entry");
        Ok(OwnedRows::Dense(distances))
    }

    fn output_names(&self, _: &[String]) -> Vec<String> {
        (0..self.n_outputs())
            .map(|cluster| format!("kmeans{cluster}"))
            .collect()
    }
}

center_model!(KMeansModel: assign transform {
    "labels", "The cluster of each row of the training data; absent after learning in pieces.",
        |model| Value::from(model.labels.as_deref());
    "inertia", "Sum of the squared distances of the rows to their centres.",
        |model| Value::from(model.inertia);
} after the iterations {
    "n_reseeded", "How often a cluster without rows was seeded again at the farthest row.",
        |model| Value::from(model.n_reseeded);
});
