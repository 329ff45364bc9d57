//! DBSCAN: clusters as regions that are dense with rows.

mod model;
mod regions;

pub use model::DbscanModel;

use didact_core::{Accepts, Fit, Result, Run, Samples};
use didact_math::distance::Metric;
use didact_math::neighbors::{Index, SearchAlgorithm};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finds regions that are dense with rows and leaves lonely rows out as noise.
///
/// A row is a core row when the rows within `eps` of it, itself among them, weigh at least
/// `min_samples`. Core rows within `eps` of each other are in one cluster. A row that is no core
/// row but within `eps` of one is at the border: it joins that cluster, the one of lowest number
/// where it could join several, and never connects two clusters. All others are noise (label −1).
/// Clusters are numbered by their first core row, so core rows and noise do not depend on the
/// order of the rows, and only the choice at a shared border does.
///
/// `predict` follows the same rule: a row within `eps` of a core row joins its cluster.
///
/// ```
/// use didact_cluster::Dbscan;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [10.0]];
/// let model = Dbscan { eps: 1.1, min_samples: 3, ..Dbscan::default() }.fit(Samples::from(&x))?;
/// assert_eq!(model.labels(), [Some(0), Some(0), Some(0), None]);
/// assert_eq!(model.core_sample_indices(), [1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "DBSCAN")]
pub struct Dbscan {
    /// The radius of a neighbourhood.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eps: f64,
    /// The least weight of the neighbourhood of a core row; each row weighs one unless weighted.
    #[schemars(range(min = 1))]
    pub min_samples: usize,
    /// How far apart two rows are.
    pub metric: Metric,
    /// How neighbours are searched; every choice gives the same model.
    pub algorithm: SearchAlgorithm,
    /// How many rows a leaf of a search tree holds.
    #[schemars(range(min = 1))]
    pub leaf_size: usize,
}

impl Default for Dbscan {
    fn default() -> Self {
        Dbscan {
            eps: 0.5,
            min_samples: 5,
            metric: Metric::Euclidean,
            algorithm: SearchAlgorithm::Auto,
            leaf_size: 30,
        }
    }
}

impl Fit<Samples<'_>> for Dbscan {
    type Model = DbscanModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<DbscanModel> {
        let rows = data.rows();
        let index = Index::build(rows, self.metric, self.algorithm, self.leaf_size, run)?;
        let found = regions::find(self, &data, &index, run)?;
        DbscanModel::new(self, rows, found, run)
    }
}
