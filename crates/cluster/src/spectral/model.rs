//! What spectral clustering learned.

use crate::nearest_row::{LabelledRows, follows_nearest_row};
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Model, Result, Run, Samples, Value};
use didact_math::distance::Metric;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

/// The clusters of the rows and the spectrum that they were found in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SpectralClusteringModel {
    rows: LabelledRows,
    n_clusters: usize,
    embedding: Array2<f64>,
    eigenvalues: Array1<f64>,
    n_connected_components: usize,
}

impl SpectralClusteringModel {
    pub(super) fn new(
        data: &Samples<'_>,
        labels: Vec<usize>,
        embedding: Array2<f64>,
        eigenvalues: Array1<f64>,
        n_connected_components: usize,
        run: &Run,
    ) -> Result<Self> {
        let n_clusters = labels.iter().max().map_or(0, |most| most + 1);
        let labels = labels.into_iter().map(Some).collect();
        Ok(SpectralClusteringModel {
            rows: LabelledRows::new(data.rows(), Metric::Euclidean, labels, run)?,
            n_clusters,
            embedding,
            eigenvalues,
            n_connected_components,
        })
    }

    /// The cluster of each row that the model was fitted on.
    pub fn labels(&self) -> Vec<usize> {
        self.rows.labels().iter().copied().flatten().collect()
    }

    /// The eigenvectors: one row per row of the data.
    pub fn embedding(&self) -> ArrayView2<'_, f64> {
        self.embedding.view()
    }

    /// The smallest eigenvalues of the Laplacian in rising order, one more than clusters.
    pub fn eigenvalues(&self) -> ArrayView1<'_, f64> {
        self.eigenvalues.view()
    }

    /// How many parts the graph falls into.
    pub fn n_connected_components(&self) -> usize {
        self.n_connected_components
    }
}

follows_nearest_row!(SpectralClusteringModel);

impl Model for SpectralClusteringModel {
    const ABILITIES: Abilities<Self> = Abilities::none().assign();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "labels",
            meaning: "The cluster of each row of the training data.",
            get: |model| Value::Integers(model.rows.numbers()),
        },
        Attribute {
            name: "embedding",
            meaning: "The eigenvectors in which the clusters were found, one row per row of the training data.",
            get: |model| Value::from(&model.embedding),
        },
        Attribute {
            name: "eigenvalues",
            meaning: "The smallest eigenvalues of the Laplacian, one more than clusters; the gap before the last says how clear these are.",
            get: |model| Value::from(&model.eigenvalues),
        },
        Attribute {
            name: "n_connected_components",
            meaning: "How many parts the graph falls into.",
            get: |model| Value::from(model.n_connected_components),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.rows.validate(self.n_clusters)?;
        ensure_consistent(self.embedding.nrows() == self.rows.labels().len())
    }
}
