//! What OPTICS learned.

use super::ordering::Ordering;
use crate::nearest_row::{LabelledRows, follows_nearest_row};
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Model, Result, Run, Samples, Value};
use didact_math::distance::Metric;
use serde::{Deserialize, Serialize};

/// The order of the rows, how they were reached, and their clusters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpticsModel {
    rows: LabelledRows,
    n_clusters: usize,
    ordering: Vec<usize>,
    reachability: Vec<f64>,
    core_distances: Vec<f64>,
    predecessor: Vec<Option<usize>>,
}

impl OpticsModel {
    pub(super) fn new(
        data: &Samples<'_>,
        metric: Metric,
        found: Ordering,
        labels: Vec<Option<usize>>,
        run: &Run,
    ) -> Result<Self> {
        Ok(OpticsModel {
            n_clusters: labels.iter().flatten().max().map_or(0, |most| most + 1),
            rows: LabelledRows::new(data.rows(), metric, labels, run)?,
            ordering: found.order,
            reachability: found.reachability,
            core_distances: found.core_distances,
            predecessor: found.predecessors,
        })
    }

    /// The cluster of each row that the model was fitted on; nothing is noise.
    pub fn labels(&self) -> &[Option<usize>] {
        self.rows.labels()
    }

    /// The rows in the order in which they were reached.
    pub fn ordering(&self) -> &[usize] {
        &self.ordering
    }

    /// How hard each row is to reach; infinite where it was not reached from another.
    pub fn reachability(&self) -> &[f64] {
        &self.reachability
    }
}

follows_nearest_row!(OpticsModel);

impl Model for OpticsModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "labels",
            meaning: "The cluster of each row of the training data; −1 is noise.",
            get: |model| Value::Integers(model.rows.numbers()),
        },
        Attribute {
            name: "ordering",
            meaning: "The rows of the training data in the order in which they were reached.",
            get: |model| Value::from(model.ordering.as_slice()),
        },
        Attribute {
            name: "reachability",
            meaning: "How hard each row of the training data is to reach; infinite for the first of a part.",
            get: |model| Value::from(model.reachability.as_slice()),
        },
        Attribute {
            name: "core_distances",
            meaning: "The distance of each row of the training data to its min_samples-th nearest.",
            get: |model| Value::from(model.core_distances.as_slice()),
        },
        Attribute {
            name: "predecessor",
            meaning: "The row from which each row of the training data was reached; −1 for none.",
            get: |model| Value::Integers(crate::nearest_row::as_numbers(&model.predecessor)),
        },
        Attribute {
            name: "n_clusters",
            meaning: "Number of clusters, noise not counted.",
            get: |model| Value::from(model.n_clusters),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.rows.validate(self.n_clusters)?;
        let n = self.rows.labels().len();
        ensure_consistent(
            self.ordering.len() == n
                && self.reachability.len() == n
                && self.core_distances.len() == n
                && self.predecessor.len() == n,
        )
    }
}
