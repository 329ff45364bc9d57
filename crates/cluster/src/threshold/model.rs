//! What the threshold graph says.

use super::ThresholdGraph;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Assign, Attribute, Features, Model, Result, Rows, Run, Samples, Value,
};
use didact_math::neighbors::{Index, SearchAlgorithm};
use serde::{Deserialize, Serialize};

/// The rows with their clusters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ThresholdGraphModel {
    threshold: f64,
    index: Index<'static>,
    labels: Vec<usize>,
    is_exact: bool,
}

impl ThresholdGraphModel {
    pub(super) fn new(
        parameters: &ThresholdGraph,
        data: &Samples<'_>,
        labels: Vec<usize>,
        is_exact: bool,
        run: &Run,
    ) -> Result<Self> {
        let auto = SearchAlgorithm::Auto;
        Ok(ThresholdGraphModel {
            threshold: parameters.threshold,
            index: Index::build(data.rows(), parameters.metric, auto, 30, run)?.into_owned(),
            labels,
            is_exact,
        })
    }

    /// The cluster of each row that the model was fitted on.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// Whether every clique was proven to be the largest of what was left.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn n_clusters(&self) -> usize {
        self.labels.iter().max().map_or(0, |most| most + 1)
    }
}

impl Features for ThresholdGraphModel {
    fn n_features(&self) -> usize {
        self.index.rows().n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Assign for ThresholdGraphModel {
    /// The cluster of the nearest row within the threshold, else noise.
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let near = self.index.nearest(rows, 1, &Run::new())?;
        let pairs = near.indices.iter().zip(&near.distances);
        let label = |(&row, &distance): (&usize, &f64)| {
            (distance <= self.threshold).then(|| self.labels[row])
        };
        Ok(pairs.map(label).collect())
    }
}

impl Model for ThresholdGraphModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "labels",
            meaning: "The cluster of each row of the training data.",
            get: |model| Value::from(model.labels.as_slice()),
        },
        Attribute {
            name: "n_clusters",
            meaning: "Number of clusters.",
            get: |model| Value::from(model.n_clusters()),
        },
        Attribute {
            name: "is_exact",
            meaning: "Whether every clique was proven to be the largest of what was left.",
            get: |model| Value::from(model.is_exact),
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(self.labels.len() == self.index.n_rows() && self.threshold >= 0.0)
    }
}
