//! What DBSCAN learned.

use super::Dbscan;
use super::regions::Regions;
use crate::nearest_row::as_numbers;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Assign, Attribute, Features, Figure, Model, Result, Rows, Run, Shape, Value,
};
use didact_math::neighbors::Index;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// The core rows with their clusters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DbscanModel {
    n_features: usize,
    eps: f64,
    labels: Vec<Option<usize>>,
    core_sample_indices: Vec<usize>,
    /// The core rows, if there are any.
    cores: Option<Index<'static>>,
    n_clusters: usize,
}

impl DbscanModel {
    pub(super) fn new(
        parameters: &Dbscan,
        rows: Rows<'_>,
        found: Regions,
        run: &Run,
    ) -> Result<Self> {
        let cores: Vec<usize> = (0..rows.n_rows())
            .filter(|&row| found.is_core[row])
            .collect();
        let index = match cores.is_empty() {
            true => None,
            false => Some(
                Index::build(
                    rows.select(&cores).view(),
                    parameters.metric,
                    parameters.algorithm,
                    parameters.leaf_size,
                    run,
                )?
                .into_owned(),
            ),
        };
        Ok(DbscanModel {
            n_features: rows.n_columns(),
            eps: parameters.eps,
            labels: found.labels,
            core_sample_indices: cores,
            cores: index,
            n_clusters: found.n_clusters,
        })
    }

    /// The cluster of each row that the model was fitted on; nothing is noise.
    pub fn labels(&self) -> &[Option<usize>] {
        &self.labels
    }

    /// The core rows, in rising order.
    pub fn core_sample_indices(&self) -> &[usize] {
        &self.core_sample_indices
    }

    /// Number of clusters, noise not counted.
    pub fn n_clusters(&self) -> usize {
        self.n_clusters
    }

    fn components(&self) -> Array2<f64> {
        match &self.cores {
            Some(index) => index.rows().to_dense().into_owned(),
            None => Array2::zeros((0, self.n_features)),
        }
    }
}

impl Features for DbscanModel {
    fn n_features(&self) -> usize {
        self.n_features
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Assign for DbscanModel {
    /// The lowest cluster with a core row within `eps`, else noise.
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let Some(cores) = &self.cores else {
            return Ok(vec![None; rows.n_rows()]);
        };
        let label = |core: usize| self.labels[self.core_sample_indices[core]];
        let near = cores.rows_within(rows, self.eps, &Run::new())?;
        let lowest = |near: Vec<usize>| near.into_iter().filter_map(label).min();
        Ok(near.into_iter().map(lowest).collect())
    }
}

impl Model for DbscanModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "labels",
            meaning: "The cluster of each row of the training data; −1 is noise.",
            get: |model| Value::Integers(as_numbers(&model.labels)),
        },
        Attribute {
            name: "core_sample_indices",
            meaning: "The rows of the training data whose neighbourhoods are dense.",
            get: |model| Value::from(model.core_sample_indices.as_slice()),
        },
        Attribute {
            name: "components",
            meaning: "These rows themselves.",
            get: |model| Value::from(model.components()),
        },
        Attribute {
            name: "n_clusters",
            meaning: "Number of clusters, noise not counted.",
            get: |model| Value::from(model.n_clusters),
        },
        Attribute {
            name: "n_noise",
            meaning: "Number of rows of the training data that are noise.",
            get: |model| Value::from(model.labels.iter().filter(|label| label.is_none()).count()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "dense neighbourhoods",
        meaning: "The balls of radius eps around the core rows.",
        get: |model| {
            let centers = model.components();
            let radius = model.eps;
            (!centers.is_empty()).then_some(Shape::Balls { centers, radius })
        },
    }];

    fn validate(&self) -> Result<()> {
        let n_cores = self.cores.as_ref().map_or(0, Index::n_rows);
        let known = |row: &usize| self.labels.get(*row).is_some_and(Option::is_some);
        let n_columns = self.cores.as_ref().map(|index| index.rows().n_columns());
        ensure_consistent(
            self.core_sample_indices.len() == n_cores
                && self.core_sample_indices.iter().all(known)
                && n_columns.is_none_or(|count| count == self.n_features)
                && self.eps > 0.0
                && self
                    .labels
                    .iter()
                    .flatten()
                    .all(|&label| label < self.n_clusters),
        )
    }
}
