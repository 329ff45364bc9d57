//! The tree itself: nodes that ask one column, and leaves that answer.

mod buckets;
mod draw;
mod form;
mod grow;
mod median;
mod multiway;
mod pairs;
mod problem;
mod prune;
mod random;
mod rows;
mod rules;
mod split;

pub use grow::Splitter;
pub(crate) use grow::{Growth, grow};
pub(crate) use problem::{Impurity, Logarithms, Problem, Target};
pub(crate) use prune::{prune, steps as pruning_steps};
pub(crate) use split::exceeds;

use didact_core::Result;
use didact_core::model::ensure_consistent;
use form::TreeForm;
use serde::{Deserialize, Serialize};

/// A node: a question about one column, or a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    /// Rows whose value is less go to the first child, others to the second or further.
    pub(crate) threshold: f64,
    /// The column that is asked.
    pub(crate) feature: u32,
    /// The first of the children, which follow each other; zero for a leaf.
    pub(crate) first_child: u32,
    /// Where the thresholds after the first begin.
    pub(crate) more: u32,
    /// How many children there are.
    pub(crate) n_children: u16,
    /// The child of rows whose value is missing.
    pub(crate) missing_child: u16,
}

/// What is known of the training rows of each node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Statistics {
    pub(crate) impurities: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) n_rows: Vec<f64>,
}

/// A grown tree. The root is the first node; children of a node follow each other and come after
/// it, so that walking down and up needs no recursion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "TreeForm", into = "TreeForm")]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Thresholds of nodes with more than two children, from the second on.
    pub(crate) more_thresholds: Vec<f64>,
    /// What each node answers: class probabilities or numbers.
    pub(crate) values: Vec<f64>,
    /// How many numbers an answer has.
    pub(crate) width: usize,
    /// Absent in the members of a forest, which are many.
    pub(crate) statistics: Option<Statistics>,
}

impl Node {
    pub(crate) const LEAF: Node = Node {
        threshold: 0.0,
        feature: 0,
        first_child: 0,
        more: 0,
        n_children: 0,
        missing_child: 0,
    };

    pub(crate) fn is_leaf(&self) -> bool {
        self.n_children == 0
    }

    pub(crate) fn children(&self) -> std::ops::Range<usize> {
        let first = self.first_child as usize;
        first..first + self.n_children as usize
    }
}

impl Tree {
    /// The child that a row goes to.
    #[inline]
    fn step(&self, node: &Node, row: &[f64]) -> usize {
        let value = row[node.feature as usize];
        let child = match node.n_children {
            // Half-open: x < t is left, x ≥ t is right (004:M48); NaN is neither.
            2 if !value.is_nan() => usize::from(value >= node.threshold),
            _ if value.is_nan() => node.missing_child as usize,
            _ => {
                let more = &self.more_thresholds[node.more as usize..];
                let more = &more[..node.n_children as usize - 2];
                let further = more.partition_point(|&threshold| threshold <= value);
                usize::from(value >= node.threshold) + further
            }
        };
        node.first_child as usize + child
    }

    /// The leaf that a row ends in.
    #[inline]
    pub(crate) fn leaf(&self, row: &[f64]) -> usize {
        let mut place = 0;
        loop {
            let node = &self.nodes[place];
            if node.is_leaf() {
                return place;
            }
            place = self.step(node, row);
        }
    }

    /// The nodes that a row passes, from the root to its leaf.
    pub(crate) fn path(&self, row: &[f64]) -> Vec<usize> {
        let mut path = vec![0];
        loop {
            let place = path[path.len() - 1];
            let node = &self.nodes[place];
            if node.is_leaf() {
                return path;
            }
            path.push(self.step(node, row));
        }
    }

    /// What a node answers.
    #[inline]
    pub(crate) fn value(&self, node: usize) -> &[f64] {
        &self.values[node * self.width..(node + 1) * self.width]
    }

    /// All thresholds of a node, rising.
    pub(crate) fn thresholds(&self, node: &Node) -> Vec<f64> {
        let first = node.more as usize;
        let more = (node.n_children as usize).saturating_sub(2);
        let mut thresholds = vec![node.threshold];
        thresholds.extend_from_slice(&self.more_thresholds[first..first + more]);
        thresholds
    }

    pub(crate) fn n_leaves(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_leaf()).count()
    }

    /// How far each node is from the root.
    pub(crate) fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.nodes.len()];
        for (place, node) in self.nodes.iter().enumerate() {
            for child in node.children() {
                depths[child] = depths[place] + 1;
            }
        }
        depths
    }

    /// How far the deepest leaf is from the root.
    pub(crate) fn depth(&self) -> usize {
        self.depths().into_iter().max().unwrap_or(0)
    }

    /// By how much the splits of each column lower the impurity, in all one; zeros where no split
    /// does.
    pub(crate) fn importances(&self, n_features: usize) -> Vec<f64> {
        let mut importances = vec![0.0; n_features];
        let Some(statistics) = &self.statistics else {
            return importances;
        };
        let remaining = |node: usize| statistics.weights[node] * statistics.impurities[node];
        for (place, node) in self.nodes.iter().enumerate() {
            if !node.is_leaf() {
                let children: f64 = node.children().map(remaining).sum();
                importances[node.feature as usize] += (remaining(place) - children).max(0.0);
            }
        }
        normalise(&mut importances);
        importances
    }

    /// Fails unless every path ends in a leaf and asks for columns that exist.
    pub(crate) fn validate(&self, n_features: usize, width: usize) -> Result<()> {
        let count = self.nodes.len();
        // Every node but the root has one parent, so that a walk sees each once.
        let mut has_parent = vec![false; count];
        let mut only_child_of = |node: &Node| {
            let children = node.children();
            children
                .into_iter()
                .all(|child| !std::mem::replace(&mut has_parent[child], true))
        };
        let mut sound = |(place, node): (usize, &Node)| {
            let children = node.n_children as usize;
            node.is_leaf()
                || (children >= 2
                    && node.first_child as usize > place
                    && node.children().end <= count
                    && (node.feature as usize) < n_features
                    && node.missing_child < node.n_children
                    && node.more as usize + children - 2 <= self.more_thresholds.len()
                    && !node.threshold.is_nan()
                    && only_child_of(node))
        };
        let statistics = self.statistics.as_ref().is_none_or(|statistics| {
            let lists = [
                &statistics.impurities,
                &statistics.weights,
                &statistics.n_rows,
            ];
            lists.iter().all(|list| list.len() == count)
        });
        ensure_consistent(
            count > 0
                && self.width == width
                && width > 0
                && self.values.len() == count * width
                && self.nodes.iter().enumerate().all(&mut sound)
                && statistics,
        )
    }
}

/// Scales numbers so that they sum to one, where they sum to anything.
pub(crate) fn normalise(values: &mut [f64]) {
    let total: f64 = values.iter().sum();
    if total > 0.0 && total.is_finite() {
        values.iter_mut().for_each(|value| *value /= total);
    }
}
