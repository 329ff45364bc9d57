//! HDBSCAN: dense regions of any density.

mod condense;
mod model;
mod select;

pub use model::HdbscanModel;

use crate::hierarchy::Dendrogram;
use crate::reach::reachability_tree;
use condense::CondensedTree;
use didact_core::{Accepts, Fit, Result, Run, Samples};
use didact_math::distance::Metric;
use didact_math::neighbors::{Index, SearchAlgorithm};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finds dense regions, each at its own density, and leaves sparse rows out as noise.
///
/// The core distance of a row is the distance to its `min_samples`-th nearest row, itself counted.
/// Two rows reach each other at max(distance, both core distances); single linkage by this gives a
/// tree of all densities at once. Branches of fewer than `min_cluster_size` rows only fall off
/// their cluster. Of the clusters that are left those with the greatest excess of mass are chosen,
/// Σ(λ − λ at birth) over the rows with λ = 1/distance, so that no two overlap. There is no radius
/// to choose.
///
/// A new row joins the cluster of its nearest row where it reaches that before the cluster falls
/// apart, else it is noise.
///
/// ```
/// use didact_cluster::Hdbscan;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[0.0], [0.1], [0.2], [5.0], [5.5], [6.0], [99.0]];
/// let model = Hdbscan { min_cluster_size: 3, min_samples: Some(2), ..Hdbscan::default() }.fit(Samples::from(&x))?;
/// assert_eq!(model.labels()[..3], [Some(0); 3]);
/// assert_eq!(model.labels()[3..6], [Some(1); 3]);
/// assert_eq!(model.labels()[6], None);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "HDBSCAN")]
pub struct Hdbscan {
    /// Fewer rows than this are no cluster.
    #[schemars(range(min = 2))]
    pub min_cluster_size: usize,
    /// Which nearest row, itself counted, tells how dense it is around a row; null is
    /// `min_cluster_size`.
    #[schemars(range(min = 1))]
    pub min_samples: Option<usize>,
    /// How far apart two rows are.
    pub metric: Metric,
    /// Which clusters of the tree are chosen.
    pub cluster_selection_method: ClusterSelection,
    /// Clusters that part at a smaller distance than this stay together.
    #[schemars(range(min = 0.0))]
    pub cluster_selection_epsilon: f64,
    /// Whether all rows may be one cluster, of which the densest part is kept: the rows that stay
    /// until `cluster_selection_epsilon`, or where it is zero until the first split.
    pub allow_single_cluster: bool,
    /// More rows than this are no cluster where the excess of mass decides; null is no limit.
    #[schemars(range(min = 1))]
    pub max_cluster_size: Option<usize>,
    /// How neighbours are searched; the lengths of the tree are the same.
    pub algorithm: SearchAlgorithm,
    /// How many rows a leaf of a search tree holds.
    #[schemars(range(min = 1))]
    pub leaf_size: usize,
}

/// Which clusters HDBSCAN chooses from its tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterSelection {
    /// Those that together have the greatest excess of mass.
    #[default]
    Eom,
    /// The smallest, at the tips.
    Leaf,
}

impl Default for Hdbscan {
    fn default() -> Self {
        Hdbscan {
            min_cluster_size: 5,
            min_samples: None,
            metric: Metric::Euclidean,
            cluster_selection_method: ClusterSelection::Eom,
            cluster_selection_epsilon: 0.0,
            allow_single_cluster: false,
            max_cluster_size: None,
            algorithm: SearchAlgorithm::Auto,
            leaf_size: 16,
        }
    }
}

impl Fit<Samples<'_>> for Hdbscan {
    type Model = HdbscanModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<HdbscanModel> {
        let rows = data.rows();
        let n = rows.n_rows();
        let index = Index::build(rows, self.metric, self.algorithm, self.leaf_size, run)?;
        // More neighbours than rows: the farthest row there is.
        let min_samples = self.min_samples.unwrap_or(self.min_cluster_size).min(n);
        let (cores, edges) = reachability_tree(&index, self.algorithm, min_samples, run)?;
        let tree = Dendrogram::from_edges(n, &edges, true);
        let condensed = CondensedTree::new(&tree, self.min_cluster_size);
        let chosen = select::choose(&condensed, self);
        Ok(HdbscanModel::new(
            index.into_owned(),
            cores,
            min_samples,
            tree,
            &condensed,
            &chosen,
            self.cluster_selection_epsilon,
        ))
    }
}
