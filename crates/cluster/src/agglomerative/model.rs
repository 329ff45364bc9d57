//! What agglomerative clustering learned.

use crate::hierarchy::Dendrogram;
use crate::nearest_row::{LabelledRows, follows_nearest_row};
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Model, Result, Run, Samples, Value};
use didact_math::distance::Metric;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A tree of merges and a cut of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AgglomerativeModel {
    dendrogram: Dendrogram,
    n_clusters: usize,
    rows: LabelledRows,
}

impl AgglomerativeModel {
    pub(crate) fn new(
        dendrogram: Dendrogram,
        labels: Vec<usize>,
        data: &Samples<'_>,
        metric: Metric,
        run: &Run,
    ) -> Result<Self> {
        Ok(AgglomerativeModel {
            dendrogram,
            n_clusters: labels.iter().max().map_or(0, |most| most + 1),
            rows: LabelledRows::new(
                data.rows(),
                metric,
                labels.into_iter().map(Some).collect(),
                run,
            )?,
        })
    }

    /// All merges, which can be cut elsewhere too.
    pub fn dendrogram(&self) -> &Dendrogram {
        &self.dendrogram
    }

    /// Number of clusters of the cut.
    pub fn n_clusters(&self) -> usize {
        self.n_clusters
    }

    /// The cluster of each row that the model was fitted on.
    pub fn labels(&self) -> Vec<usize> {
        self.rows.labels().iter().copied().flatten().collect()
    }

    fn children(&self) -> Array2<f64> {
        let merges = self.dendrogram.merges();
        let pairs = merges.iter().flat_map(|merge| [merge.left, merge.right]);
        let values = pairs.map(|node| node as f64).collect();
        Array2::from_shape_vec((merges.len(), 2), values).expect("two nodes per merge")
    }
}

follows_nearest_row!(AgglomerativeModel);

impl Model for AgglomerativeModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "labels",
            meaning: "The cluster of each row of the training data.",
            get: |model| Value::Integers(model.rows.numbers()),
        },
        Attribute {
            name: "n_clusters",
            meaning: "Number of clusters.",
            get: |model| Value::from(model.n_clusters),
        },
        Attribute {
            name: "n_leaves",
            meaning: "Number of rows at the bottom of the tree.",
            get: |model| Value::from(model.dendrogram.n_leaves()),
        },
        Attribute {
            name: "children",
            meaning: "The two nodes of each merge: rows, or n plus the number of an earlier merge.",
            get: |model| Value::from(model.children()),
        },
        Attribute {
            name: "distances",
            meaning: "The height of each merge: how far apart its two nodes were.",
            get: |model| Value::from(ndarray::Array1::from(model.dendrogram.heights())),
        },
        Attribute {
            name: "linkage_matrix",
            meaning: "Nodes, height and number of rows of each merge, as in SciPy.",
            get: |model| Value::from(model.dendrogram.linkage_matrix()),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.dendrogram.validate()?;
        self.rows.validate(self.n_clusters)?;
        ensure_consistent(
            self.rows.labels().iter().all(Option::is_some)
                && self.rows.labels().len() == self.dendrogram.n_leaves(),
        )
    }
}
