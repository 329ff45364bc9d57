//! The tree of merges.

use super::Join;
use didact_core::model::ensure_consistent;
use didact_core::{Error, Result};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Two nodes of a [`Dendrogram`] that become one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// The lower of the two nodes.
    pub left: usize,
    /// The higher of the two nodes.
    pub right: usize,
    /// How far apart they were.
    pub height: f64,
    /// Number of rows in the new node.
    pub size: usize,
}

/// A binary tree over n rows: nodes 0 … n−1 are the rows, and merge i makes node n + i.
///
/// Merges come in the order in which they were made. Heights rise except where the linkage allows
/// otherwise (centroid, median, or merges that a graph restricts), and everything here copes with
/// heights that fall.
///
/// ```
/// use didact_cluster::{Dendrogram, Linkage};
/// use didact_core::{Rows, Run};
/// use didact_math::distance::Metric;
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [3.0], [7.0]];
/// let tree = Dendrogram::of_rows(Rows::Dense(x.view()), Metric::Euclidean, Linkage::Complete, &Run::new())?;
/// assert_eq!(tree.heights(), [1.0, 3.0, 7.0]);
/// assert_eq!(tree.cut_count(2)?, [0, 0, 0, 1]);
/// assert_eq!(tree.cut_height(2.0), [0, 0, 1, 2]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dendrogram {
    n_leaves: usize,
    merges: Vec<Merge>,
}

impl Dendrogram {
    /// A tree of given merges; the sizes are counted.
    pub fn from_merges(merges: &[(usize, usize, f64)]) -> Result<Self> {
        let n_leaves = merges.len() + 1;
        let mut is_free = vec![true; n_leaves + merges.len()];
        let mut tree = Dendrogram {
            n_leaves,
            merges: Vec::with_capacity(merges.len()),
        };
        for (index, &(a, b, height)) in merges.iter().enumerate() {
            let exists = |node: usize| node < n_leaves + index && is_free[node];
            if a == b || !exists(a) || !exists(b) || height.is_nan() {
                return Err(Error::data(format!(
                    "merge {index} joins nodes {a} and {b} at height {height}; each row and each \
                     earlier merge joins once, at a height that is a number"
                )));
            }
            (is_free[a], is_free[b]) = (false, false);
            tree.push(a, b, height);
        }
        Ok(tree)
    }

    /// The tree of joins between rows, in rising order of height where `sorted`, else as given.
    pub(super) fn from_joins(n_leaves: usize, mut joins: Vec<Join>, sorted: bool) -> Self {
        if sorted {
            joins.sort_by(|a, b| a.height.total_cmp(&b.height));
        }
        let mut tree = Dendrogram::growing(n_leaves);
        // The node that each row is in now, by way of the row that stands for its cluster.
        let mut parents: Vec<usize> = (0..n_leaves).collect();
        let mut nodes: Vec<usize> = (0..n_leaves).collect();
        for join in joins {
            let (a, b) = (root(&mut parents, join.a), root(&mut parents, join.b));
            let node = tree.push(nodes[a], nodes[b], join.height);
            // The larger cluster keeps its row, so that no way becomes long.
            let (small, large) = match tree.size_of(nodes[a]) <= tree.size_of(nodes[b]) {
                true => (a, b),
                false => (b, a),
            };
            parents[small] = large;
            nodes[large] = node;
        }
        tree
    }

    /// The tree of joins (a, b, height) between rows that stand for their clusters: from the lowest
    /// upwards where `sorted`, else as given.
    pub(crate) fn from_edges(n_leaves: usize, edges: &[(usize, usize, f64)], sorted: bool) -> Self {
        Dendrogram::from_joins(
            n_leaves,
            edges.iter().copied().map(Join::from).collect(),
            sorted,
        )
    }

    /// A tree without merges yet.
    pub(super) fn growing(n_leaves: usize) -> Self {
        Dendrogram {
            n_leaves,
            merges: Vec::with_capacity(n_leaves.saturating_sub(1)),
        }
    }

    /// Adds a merge and gives its node.
    pub(super) fn push(&mut self, a: usize, b: usize, height: f64) -> usize {
        self.merges.push(Merge {
            left: a.min(b),
            right: a.max(b),
            height,
            size: self.size_of(a) + self.size_of(b),
        });
        self.n_leaves + self.merges.len() - 1
    }

    pub(crate) fn size_of(&self, node: usize) -> usize {
        match node.checked_sub(self.n_leaves) {
            Some(merge) => self.merges[merge].size,
            None => 1,
        }
    }

    /// Number of rows.
    pub fn n_leaves(&self) -> usize {
        self.n_leaves
    }

    /// The merges in the order in which they were made.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The heights of the merges.
    pub fn heights(&self) -> Vec<f64> {
        self.merges.iter().map(|merge| merge.height).collect()
    }

    /// Whether no merge is lower than one below it.
    pub fn is_monotone(&self) -> bool {
        let highest = self.highest_below();
        let mut pairs = self.merges.iter().zip(highest);
        pairs.all(|(merge, highest)| merge.height == highest)
    }

    /// One row per merge: the two nodes, the height, the number of rows. This is the layout of
    /// `Z` in `scipy.cluster.hierarchy`.
    pub fn linkage_matrix(&self) -> Array2<f64> {
        let mut matrix = Array2::zeros((self.merges.len(), 4));
        for (mut row, merge) in matrix.rows_mut().into_iter().zip(&self.merges) {
            row[0] = merge.left as f64;
            row[1] = merge.right as f64;
            row[2] = merge.height;
            row[3] = merge.size as f64;
        }
        matrix
    }

    /// The height at which each pair of rows first shares a node: a square matrix.
    pub fn cophenetic_distances(&self) -> Array2<f64> {
        let mut distances = Array2::zeros((self.n_leaves, self.n_leaves));
        let mut members: Vec<Vec<usize>> = (0..self.n_leaves).map(|row| vec![row]).collect();
        for merge in &self.merges {
            let mut left = std::mem::take(&mut members[merge.left]);
            let right = std::mem::take(&mut members[merge.right]);
            for &a in &left {
                for &b in &right {
                    distances[[a, b]] = merge.height;
                    distances[[b, a]] = merge.height;
                }
            }
            left.extend(right);
            members.push(left);
        }
        distances
    }

    /// The value of each merge or of one below it, whichever is greatest.
    pub(super) fn greatest_below(&self, mut values: Vec<f64>) -> Vec<f64> {
        for (index, merge) in self.merges.iter().enumerate() {
            for node in [merge.left, merge.right] {
                if let Some(below) = node.checked_sub(self.n_leaves) {
                    values[index] = values[index].max(values[below]);
                }
            }
        }
        values
    }

    pub(super) fn highest_below(&self) -> Vec<f64> {
        self.greatest_below(self.heights())
    }

    /// Fails when a tree that came from a file contradicts itself.
    pub(crate) fn validate(&self) -> Result<()> {
        let merges: Vec<(usize, usize, f64)> = self
            .merges
            .iter()
            .map(|merge| (merge.left, merge.right, merge.height))
            .collect();
        let again = Dendrogram::from_merges(&merges);
        ensure_consistent(again.is_ok_and(|again| again == *self))
    }
}

/// The row that stands for the cluster of a row, with every second step of the way cut short.
fn root(parents: &mut [usize], mut row: usize) -> usize {
    while parents[row] != row {
        parents[row] = parents[parents[row]];
        row = parents[row];
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_that_make_no_tree_are_refused() {
        for merges in [
            vec![(0, 0, 1.0)],
            vec![(0, 2, 1.0)],
            vec![(0, 1, 1.0), (0, 2, 2.0)],
            vec![(0, 1, f64::NAN)],
        ] {
            assert!(Dendrogram::from_merges(&merges).is_err(), "{merges:?}");
        }
        let tree = Dendrogram::from_merges(&[(1, 0, 1.0), (3, 2, 0.5)]).unwrap();
        assert!(!tree.is_monotone() && tree.validate().is_ok());
        assert_eq!(tree.merges()[1].size, 3);
        let damaged = Dendrogram {
            n_leaves: 2,
            ..tree
        };
        assert!(damaged.validate().is_err());
    }

    #[test]
    fn pairs_meet_where_their_branches_do() {
        let tree = Dendrogram::from_merges(&[(0, 2, 1.0), (1, 3, 2.0)]).unwrap();
        let expected = ndarray::array![[0.0, 2.0, 1.0], [2.0, 0.0, 2.0], [1.0, 2.0, 0.0]];
        assert_eq!(tree.cophenetic_distances(), expected);
    }
}
