//! What HDBSCAN learned.

use super::condense::CondensedTree;
use crate::hierarchy::Dendrogram;
use crate::nearest_row::as_numbers;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Assign, Attribute, Features, Model, Result, Rows, Run, Value,
};
use didact_math::neighbors::Index;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Rows with their clusters and how densely they lie.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HdbscanModel {
    index: Index<'static>,
    core_distances: Vec<f64>,
    min_samples: usize,
    labels: Vec<Option<usize>>,
    probabilities: Vec<f64>,
    /// For each cluster the greatest distance at which it hangs together, and its excess of mass.
    reaches: Vec<f64>,
    persistence: Vec<f64>,
    /// All merges; models of the first format were saved without.
    #[serde(default)]
    single_linkage: Option<Dendrogram>,
}

impl HdbscanModel {
    pub(super) fn new(
        index: Index<'static>,
        core_distances: Vec<f64>,
        min_samples: usize,
        single_linkage: Dendrogram,
        tree: &CondensedTree,
        chosen: &[bool],
        epsilon: f64,
    ) -> Self {
        // Of one cluster of all rows the rows are kept that stay until it falls apart.
        let threshold = match epsilon > 0.0 {
            true => epsilon.recip(),
            false => tree.clusters[0].death,
        };
        let stays = |owner: usize, lambda: f64| owner != 0 || lambda >= threshold;
        // The chosen cluster that each cluster of the tree lies in.
        let mut owners: Vec<Option<usize>> = vec![None; chosen.len()];
        for (cluster, &is_chosen) in chosen.iter().enumerate() {
            owners[cluster] = match (is_chosen, tree.clusters[cluster].parent) {
                (true, _) => Some(cluster),
                (false, Some(parent)) => owners[parent],
                (false, None) => None,
            };
        }
        // Numbered by their first rows.
        let mut numbers: Vec<Option<usize>> = vec![None; chosen.len()];
        let mut found: Vec<usize> = Vec::new();
        let mut labels = Vec::with_capacity(tree.rows.len());
        let mut probabilities = Vec::with_capacity(tree.rows.len());
        for &(cluster, lambda) in &tree.rows {
            let owner = owners[cluster].filter(|&owner| stays(owner, lambda));
            labels.push(owner.map(|owner| {
                *numbers[owner].get_or_insert_with(|| {
                    found.push(owner);
                    found.len() - 1
                })
            }));
            probabilities.push(owner.map_or(0.0, |owner| {
                let death = tree.clusters[owner].death;
                if death > 0.0 {
                    lambda.min(death) / death
                } else {
                    1.0
                }
            }));
        }
        HdbscanModel {
            index,
            core_distances,
            min_samples,
            labels,
            probabilities,
            // A little more, so that rounding puts no row outside its own cluster.
            reaches: found
                .iter()
                .map(|&c| match c {
                    0 => (1.0 + 1e-12) / threshold,
                    _ => (1.0 + 1e-12) / tree.clusters[c].birth,
                })
                .collect(),
            persistence: found.iter().map(|&c| tree.clusters[c].stability).collect(),
            single_linkage: Some(single_linkage),
        }
    }

    /// The cluster of each row that the model was fitted on; nothing is noise.
    pub fn labels(&self) -> &[Option<usize>] {
        &self.labels
    }

    /// The tree that the clusters are chosen from: single linkage by how far rows reach.
    ///
    /// Core distances make many heights equal, and which of those merges comes first is left to
    /// the search; the heights at which rows meet are not.
    pub fn single_linkage_tree(&self) -> Option<&Dendrogram> {
        self.single_linkage.as_ref()
    }

    /// How firmly each row belongs to its cluster, between zero and one; zero for noise.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// Number of clusters, noise not counted.
    pub fn n_clusters(&self) -> usize {
        self.reaches.len()
    }
}

impl Features for HdbscanModel {
    fn n_features(&self) -> usize {
        self.index.rows().n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Assign for HdbscanModel {
    /// The cluster of the nearest row, where that is reached before the cluster falls apart.
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        // A new row is its own first neighbour, like the others were.
        let others = (self.min_samples - 1).max(1);
        let near = self.index.nearest(rows, others, &Run::new())?;
        let label = |query: usize| {
            let nearest = near.indices[[query, 0]];
            let own_core = match self.min_samples {
                1 => 0.0,
                _ => near.distances[[query, others - 1]],
            };
            let reach = near.distances[[query, 0]]
                .max(own_core)
                .max(self.core_distances[nearest]);
            self.labels[nearest].filter(|&label| reach <= self.reaches[label])
        };
        Ok((0..rows.n_rows()).map(label).collect())
    }
}

impl Model for HdbscanModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "labels",
            meaning: "The cluster of each row of the training data; −1 is noise.",
            get: |model| Value::Integers(as_numbers(&model.labels)),
        },
        Attribute {
            name: "probabilities",
            meaning: "How firmly each row of the training data belongs to its cluster; 0 for noise.",
            get: |model| Value::from(model.probabilities.as_slice()),
        },
        Attribute {
            name: "core_distances",
            meaning: "The distance of each row of the training data to its min_samples-th nearest.",
            get: |model| Value::from(model.core_distances.as_slice()),
        },
        Attribute {
            name: "cluster_persistence",
            meaning: "The excess of mass of each cluster.",
            get: |model| Value::from(Array1::from(model.persistence.clone())),
        },
        Attribute {
            name: "single_linkage_tree",
            meaning: "Nodes, height and number of rows of each merge that clusters are chosen from, as in SciPy.",
            get: |model| {
                let tree = model.single_linkage.as_ref();
                Value::from(tree.map_or(Array2::zeros((0, 4)), Dendrogram::linkage_matrix))
            },
        },
        Attribute {
            name: "n_clusters",
            meaning: "Number of clusters, noise not counted.",
            get: |model| Value::from(model.n_clusters()),
        },
    ];

    fn validate(&self) -> Result<()> {
        let n = self.index.n_rows();
        let known = |label: &usize| *label < self.reaches.len();
        if let Some(tree) = &self.single_linkage {
            tree.validate()?;
            ensure_consistent(tree.n_leaves() == n)?;
        }
        ensure_consistent(
            self.labels.len() == n
                && self.probabilities.len() == n
                && self.core_distances.len() == n
                && (1..=n).contains(&self.min_samples)
                && self.persistence.len() == self.reaches.len()
                && self.labels.iter().flatten().all(known),
        )
    }
}
