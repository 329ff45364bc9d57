//! Clusters of the graph that joins rows within a threshold.

mod cliques;
mod model;

pub use cliques::{clique_partition, maximal_cliques};
pub use model::ThresholdGraphModel;

use didact_core::{Accepts, Fit, Result, Run, Samples};
use didact_math::distance::Metric;
use didact_math::graph::{AffinityGraph, EdgeWeight, Neighbourhood, connected_components};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Joins rows within a threshold of each other and takes the parts or the cliques of that graph.
///
/// The connected parts are the clusters of single linkage at that height. A clique is a set of
/// rows that are all within the threshold of each other; *maximal* means that no row can be
/// added, *maximum* that none is larger. Cliques overlap, so a partition takes the largest one,
/// the lowest rows where several are, then the largest of what is left, and so on.
///
/// A new row joins the cluster of its nearest row where that is within the threshold, else it is
/// noise.
///
/// ```
/// use didact_cluster::{ThresholdGraph, ThresholdGroups};
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [3.0], [7.0], [12.0]];
/// let method = ThresholdGraph { threshold: 4.0, ..ThresholdGraph::default() };
/// assert_eq!(method.fit(Samples::from(&x))?.labels(), [0, 0, 0, 0, 1]);
/// let method = ThresholdGraph { groups: ThresholdGroups::Cliques, ..method };
/// assert_eq!(method.fit(Samples::from(&x))?.labels(), [0, 0, 0, 1, 2]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ThresholdGraph {
    /// Rows at most this far apart are joined.
    #[schemars(range(min = 0.0))]
    pub threshold: f64,
    /// What a cluster is.
    pub groups: ThresholdGroups,
    /// How far apart two rows are.
    pub metric: Metric,
}

/// What a cluster of the threshold graph is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ThresholdGroups {
    /// A connected part.
    #[default]
    Components,
    /// A clique: all rows within the threshold of each other.
    Cliques,
}

impl Default for ThresholdGraph {
    fn default() -> Self {
        ThresholdGraph {
            threshold: 1.0,
            groups: ThresholdGroups::Components,
            metric: Metric::Euclidean,
        }
    }
}

impl Fit<Samples<'_>> for ThresholdGraph {
    type Model = ThresholdGraphModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<ThresholdGraphModel> {
        let graph = AffinityGraph {
            neighbourhood: Neighbourhood::Radius {
                radius: self.threshold,
            },
            weight: EdgeWeight::Connectivity,
            metric: self.metric,
        };
        let graph = graph.of_rows(data.rows(), run)?;
        let (labels, is_exact) = match self.groups {
            ThresholdGroups::Components => (connected_components(graph.view())?.labels, true),
            ThresholdGroups::Cliques => clique_partition(graph.view(), run)?,
        };
        ThresholdGraphModel::new(self, &data, labels, is_exact, run)
    }
}
