//! What kernel k-means learned.

use super::iterate::Found;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Assign, Attribute, Features, Model, Result, Rows, Run, Samples, StopReason, Trace,
    Value,
};
use didact_math::kernel::{Kernel, kernel_matrix};
use didact_math::numeric::argmin;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Rows that are predicted together.
const BLOCK: usize = 256;

/// The rows and their clusters: the means exist only in the space of the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelKMeansModel {
    kernel: Kernel,
    rows: Array2<f64>,
    /// The cluster of each of these rows and its share in the mean.
    members: Vec<usize>,
    shares: Vec<f64>,
    /// The squared lengths of the means.
    squares: Vec<f64>,
    labels: Vec<usize>,
    objective: f64,
    n_reseeded: usize,
    trace: Trace,
}

impl KernelKMeansModel {
    pub(super) fn new(
        kernel: Kernel,
        data: &Samples<'_>,
        taught: &Samples<'_>,
        found: Found,
        run: &Run,
    ) -> Result<Self> {
        let shares = found
            .labels
            .iter()
            .enumerate()
            .map(|(row, &label)| taught.weight(row) / found.clusters[label].weight);
        let mut model = KernelKMeansModel {
            kernel,
            rows: taught.dense()?.to_owned(),
            shares: shares.collect(),
            squares: found
                .clusters
                .iter()
                .map(|cluster| cluster.square)
                .collect(),
            labels: Vec::new(),
            objective: found.objective,
            n_reseeded: found.n_reseeded,
            trace: found.trace,
            members: found.labels,
        };
        model.labels = match data.n_rows() == taught.n_rows() {
            true => model.members.clone(),
            // Rows of weight zero have no part in the clusters but a place among them.
            false => model.nearest(data.rows(), run)?,
        };
        Ok(model)
    }

    /// The cluster of each row that the model was fitted on.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The sum of the squared distances of the rows to the means, in the space of the kernel.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// The history of the best start.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    fn nearest(&self, rows: Rows<'_>, run: &Run) -> Result<Vec<usize>> {
        let k = self.squares.len();
        let mut labels = Vec::with_capacity(rows.n_rows());
        let mut sums = vec![0.0; k];
        for first in (0..rows.n_rows()).step_by(BLOCK) {
            let block = rows.slice(first..(first + BLOCK).min(rows.n_rows()));
            let values = kernel_matrix(block, Rows::Dense(self.rows.view()), &self.kernel, run)?;
            for values in values.rows() {
                sums.fill(0.0);
                for ((value, share), &member) in values.iter().zip(&self.shares).zip(&self.members)
                {
                    sums[member] += share * value;
                }
                // κ(x,x) is the same for all clusters.
                let distances = self
                    .squares
                    .iter()
                    .zip(&sums)
                    .map(|(square, sum)| square - 2.0 * sum);
                labels.push(argmin(distances).unwrap_or(0));
            }
        }
        Ok(labels)
    }
}

impl Features for KernelKMeansModel {
    fn n_features(&self) -> usize {
        self.rows.ncols()
    }
}

impl Assign for KernelKMeansModel {
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        Ok(self
            .nearest(rows, &Run::new())?
            .into_iter()
            .map(Some)
            .collect())
    }
}

impl Model for KernelKMeansModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "labels",
            meaning: "The cluster of each row of the training data.",
            get: |model| Value::from(model.labels.as_slice()),
        },
        Attribute {
            name: "inertia",
            meaning: "Sum of the squared distances of the rows to the means in the space of the kernel.",
            get: |model| Value::from(model.objective),
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
        Attribute {
            name: "n_reseeded",
            meaning: "How often a cluster without rows was given the row that cost most.",
            get: |model| Value::from(model.n_reseeded),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let k = self.squares.len();
        let n = self.rows.nrows();
        ensure_consistent(
            k > 0
                && !self.rows.is_empty()
                && self.members.len() == n
                && self.shares.len() == n
                && self
                    .members
                    .iter()
                    .chain(&self.labels)
                    .all(|&label| label < k)
                && self.kernel.check().is_ok(),
        )
    }
}
