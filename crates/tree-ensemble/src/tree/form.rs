//! A tree in a file: lists of numbers, which are packed.

use super::{Node, Statistics, Tree};
use serde::{Deserialize, Serialize};

/// The form of a tree in a file. Leaves store nothing but their answer.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct TreeForm {
    /// Number of children of each node, zero for a leaf.
    n_children: Vec<u16>,
    /// Of the nodes that ask, in order: the column, the first threshold, where rows without a
    /// value go.
    features: Vec<u32>,
    thresholds: Vec<f64>,
    missing: Vec<u16>,
    /// The first child of each node that asks.
    first_children: Vec<u32>,
    more_thresholds: Vec<f64>,
    values: Vec<f64>,
    width: usize,
    statistics: Option<Statistics>,
}

impl From<Tree> for TreeForm {
    fn from(tree: Tree) -> Self {
        let asking = || tree.nodes.iter().filter(|node| !node.is_leaf());
        TreeForm {
            n_children: tree.nodes.iter().map(|node| node.n_children).collect(),
            features: asking().map(|node| node.feature).collect(),
            thresholds: asking().map(|node| node.threshold).collect(),
            missing: asking().map(|node| node.missing_child).collect(),
            first_children: asking().map(|node| node.first_child).collect(),
            // In the order of the nodes, which tells where those of a node begin.
            more_thresholds: asking()
                .flat_map(|node| tree.thresholds(node).split_off(1))
                .collect(),
            values: tree.values,
            width: tree.width,
            statistics: tree.statistics,
        }
    }
}

impl TryFrom<TreeForm> for Tree {
    type Error = String;

    fn try_from(form: TreeForm) -> Result<Self, String> {
        let asking = form.n_children.iter().filter(|&&count| count > 0).count();
        let lengths = [
            form.features.len(),
            form.thresholds.len(),
            form.missing.len(),
            form.first_children.len(),
        ];
        if lengths.iter().any(|&length| length != asking) {
            return Err("the nodes of a tree do not belong together".to_owned());
        }
        let (mut place, mut more) = (0, 0u32);
        let node = |&n_children: &u16| {
            if n_children == 0 {
                return Node::LEAF;
            }
            let node = Node {
                threshold: form.thresholds[place],
                feature: form.features[place],
                first_child: form.first_children[place],
                more,
                n_children,
                missing_child: form.missing[place],
            };
            place += 1;
            more = more.saturating_add(u32::from(n_children).saturating_sub(2));
            node
        };
        Ok(Tree {
            nodes: form.n_children.iter().map(node).collect(),
            more_thresholds: form.more_thresholds,
            values: form.values,
            width: form.width,
            statistics: form.statistics,
        })
    }
}
