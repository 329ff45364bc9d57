//! Divisive clustering: from all rows downwards.

mod split;

use crate::agglomerative::AgglomerativeModel;
use crate::hierarchy::{Dendrogram, Linkage};
use didact_core::{Error, Fit, Result, Run, Samples};
use didact_math::distance::Metric;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use split::Split;

/// Splits one cluster of all rows again and again, down to single rows.
///
/// The tree is of the same kind as that of agglomerative clustering, and so is the model: labels
/// are a cut of it, and cuts into more clusters divide those of cuts into fewer. The cluster that
/// is split next is the one of greatest height: of greatest diameter, or of greatest sum of
/// squares for bisecting k-means. `predict` gives a row the cluster of the nearest row that the
/// model was fitted on.
///
/// ```
/// use didact_cluster::{Divisive, DivisiveMethod};
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [5.0], [10.0]];
/// let method = Divisive { method: DivisiveMethod::FarthestPair, ..Divisive::default() };
/// // Halfway between the farthest pair, not at the widest gap; 5 is equally far, and goes down.
/// assert_eq!(method.fit(Samples::from(&x))?.labels(), [0, 0, 0, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Divisive {
    /// How many clusters there are when splitting stops; the tree goes on to single rows.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// How a cluster is split.
    pub method: DivisiveMethod,
    /// How far apart two rows are; bisecting k-means is always Euclidean.
    pub metric: Metric,
    /// Seed of everything random.
    pub random_state: u64,
}

/// How divisive clustering splits a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DivisiveMethod {
    /// By k-means with two centres.
    #[default]
    BisectingKMeans,
    /// Each row goes to the nearer row of the farthest pair.
    FarthestPair,
    /// At the longest edge of the minimum spanning tree: single linkage read from above.
    LongestEdge,
    /// The row farthest from the others on average leaves, and those follow that are nearer to
    /// the leavers (DIANA, Kaufman and Rousseeuw).
    Diana,
}

impl Default for Divisive {
    fn default() -> Self {
        Divisive {
            n_clusters: 2,
            method: DivisiveMethod::BisectingKMeans,
            metric: Metric::Euclidean,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for Divisive {
    type Model = AgglomerativeModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<AgglomerativeModel> {
        let n = data.n_rows();
        if self.n_clusters > n {
            return Err(Error::parameter(
                "n_clusters",
                self.n_clusters,
                format!("there are only {n} rows; ask for at most that many"),
            ));
        }
        self.metric.check()?;
        self.metric.check_rows(data.rows())?;
        let metric = match self.method {
            DivisiveMethod::BisectingKMeans => Metric::Euclidean,
            _ => self.metric,
        };
        let tree = match self.method {
            DivisiveMethod::LongestEdge => {
                Dendrogram::of_rows(data.rows(), self.metric, Linkage::Single, run)?
            }
            _ => self.grow(&data, run)?,
        };
        let labels = tree.cut_count(self.n_clusters)?;
        AgglomerativeModel::new(tree, labels, &data, metric, run)
    }
}

/// A cluster that was split, and where its parts are in the list; none for single rows.
struct Branch {
    height: f64,
    row: usize,
    parts: Option<(usize, usize)>,
}

impl Divisive {
    /// Splits down to single rows, then reads the splits as merges from the lowest upwards.
    fn grow(&self, data: &Samples<'_>, run: &Run) -> Result<Dendrogram> {
        let splitter = Split {
            data,
            rows: data.dense()?,
            metric: self.metric,
            method: self.method,
            random_state: self.random_state,
        };
        let mut branches = vec![Branch {
            height: 0.0,
            row: 0,
            parts: None,
        }];
        let mut pending = vec![(0, (0..data.n_rows()).collect::<Vec<usize>>(), f64::INFINITY)];
        while let Some((branch, members, limit)) = pending.pop() {
            run.check()?;
            branches[branch].row = members[0];
            if members.len() == 1 {
                continue;
            }
            let (height, left, right) = splitter.split(members, run)?;
            // Rounding must not lift a part above the whole.
            let height = height.min(limit);
            let first = branches.len();
            branches[branch].height = height;
            branches[branch].parts = Some((first, first + 1));
            for (index, members) in [left, right].into_iter().enumerate() {
                branches.push(Branch {
                    height: 0.0,
                    row: members[0],
                    parts: None,
                });
                pending.push((first + index, members, height));
            }
        }
        Ok(Dendrogram::from_edges(
            data.n_rows(),
            &merges_of(&branches),
            false,
        ))
    }
}

/// The splits as (row of one part, row of the other, height), parts before wholes.
fn merges_of(branches: &[Branch]) -> Vec<(usize, usize, f64)> {
    // Parts come later in the list than the whole, so reading backwards meets them first.
    let mut merges: Vec<(usize, usize, f64)> = branches
        .iter()
        .rev()
        .filter_map(|branch| {
            let (left, right) = branch.parts?;
            Some((branches[left].row, branches[right].row, branch.height))
        })
        .collect();
    merges.sort_by(|a, b| a.2.total_cmp(&b.2));
    merges
}
