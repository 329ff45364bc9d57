//! Agglomerative clustering: from single rows upwards.

mod model;

pub use model::AgglomerativeModel;

use crate::hierarchy::{Dendrogram, Linkage};
use didact_core::{Accepts, Error, Fit, Result, Run, Samples};
use didact_math::distance::Metric;
use didact_math::graph::{AffinityGraph, EdgeWeight, Neighbourhood};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Merges the two nearest clusters again and again, beginning with single rows.
///
/// The whole tree of merges stays in the model (`linkage_matrix` in SciPy's layout); the labels
/// are a cut of it, by number of clusters or by height. Of equally near pairs one of the lowest
/// rows merges first, so the result is always the same. Single linkage follows chains of rows,
/// complete linkage keeps clusters compact, Ward's keeps their variance small; centroid and
/// median linkage can merge lower than they did before, which cuts by height take into account.
///
/// The method says nothing about new rows: `predict` gives a row the cluster of the nearest row
/// that the model was fitted on, which is what single linkage would do.
///
/// ```
/// use didact_cluster::{Agglomerative, Linkage};
/// use didact_core::Fit;
/// let iris = didact_datasets::iris();
/// let model = Agglomerative {
///     n_clusters: Some(3),
///     linkage: Linkage::Average,
///     ..Agglomerative::default()
/// }
/// .fit(iris.samples())?;
/// assert_eq!(model.n_clusters(), 3);
/// assert_eq!(model.dendrogram().merges().len(), 149);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "AgglomerativeClustering")]
pub struct Agglomerative {
    /// How many clusters are left; not used where there is a `distance_threshold`.
    #[schemars(range(min = 1))]
    pub n_clusters: Option<usize>,
    /// Clusters this far apart or farther are not merged.
    #[schemars(range(min = 0.0))]
    pub distance_threshold: Option<f64>,
    /// How far apart two clusters are.
    pub linkage: Linkage,
    /// How far apart two rows are.
    pub metric: Metric,
    /// Only clusters may merge that are joined by an edge from a row to one of its this many
    /// nearest; where absent, any.
    #[schemars(range(min = 1))]
    pub connectivity: Option<usize>,
}

impl Default for Agglomerative {
    fn default() -> Self {
        Agglomerative {
            n_clusters: Some(2),
            distance_threshold: None,
            linkage: Linkage::Auto,
            metric: Metric::Euclidean,
            connectivity: None,
        }
    }
}

impl Fit<Samples<'_>> for Agglomerative {
    type Model = AgglomerativeModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<AgglomerativeModel> {
        let n = data.n_rows();
        // Before the work, because the tree takes long and the answer would be the same.
        if let (None, Some(count)) = (self.distance_threshold, self.n_clusters)
            && count > n
        {
            return Err(Error::parameter(
                "n_clusters",
                count,
                format!("there are only {n} rows; ask for at most that many"),
            ));
        }
        let tree = self.tree(&data, run)?;
        let labels = match (self.distance_threshold, self.n_clusters) {
            (Some(threshold), _) => tree.cut_below(threshold),
            (None, Some(count)) => tree.cut_count(count)?,
            (None, None) => {
                return Err(Error::parameter(
                    "n_clusters",
                    "null",
                    "give it, or a distance_threshold",
                ));
            }
        };
        AgglomerativeModel::new(tree, labels, &data, self.metric, run)
    }
}

impl Agglomerative {
    fn tree(&self, data: &Samples<'_>, run: &Run) -> Result<Dendrogram> {
        let rows = data.rows();
        let Some(count) = self.connectivity.filter(|_| data.n_rows() > 1) else {
            return Dendrogram::of_rows(rows, self.metric, self.linkage, run);
        };
        let graph = AffinityGraph {
            neighbourhood: Neighbourhood::Nearest {
                k: count.min(data.n_rows() - 1),
            },
            weight: EdgeWeight::Connectivity,
            metric: self.metric,
        };
        let graph = graph.of_rows(rows, run)?;
        Dendrogram::of_connected_rows(rows, self.metric, self.linkage, graph.view(), run)
    }
}
