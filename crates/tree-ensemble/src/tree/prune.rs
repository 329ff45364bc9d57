//! Minimal cost-complexity pruning: the branch that is worth least goes first.

use super::{Node, Statistics, Tree};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Places of the heap in an order of real numbers.
#[derive(PartialEq)]
struct Worth(f64, usize, u32);

impl Eq for Worth {}

impl PartialOrd for Worth {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Worth {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let worth = self.0.total_cmp(&other.0);
        worth.then(self.1.cmp(&other.1)).then(self.2.cmp(&other.2))
    }
}

/// The steps of pruning: how much a leaf may cost at most so that the tree stays as it is, and the
/// impurity of the leaves that are left after the step.
pub(crate) struct Steps {
    pub(crate) alphas: Vec<f64>,
    pub(crate) impurities: Vec<f64>,
    /// For each node whether it lost its children.
    closed: Vec<bool>,
}

/// Cuts off every branch whose leaves lower the impurity by no more than `alpha` each.
pub(crate) fn prune(tree: &Tree, alpha: f64) -> Tree {
    let steps = steps(tree, alpha);
    rebuild(tree, &steps.closed)
}

/// All steps whose cost is at most `limit`. With R(t) the impurity of node t by its share of the
/// weight and |T| the number of leaves below it, the next branch is that of the least
/// (R(t) − Σ R(leaves)) / (|T| − 1).
pub(crate) fn steps(tree: &Tree, limit: f64) -> Steps {
    let count = tree.nodes.len();
    let statistics = tree.statistics.as_ref();
    let total = statistics.map_or(1.0, |statistics| statistics.weights[0]);
    let risk =
        |node: usize| statistics.map_or(0.0, |s| s.impurities[node] * (s.weights[node] / total));
    let mut parents = vec![usize::MAX; count];
    let (mut leaves, mut risks) = (vec![0usize; count], vec![0.0; count]);
    for place in (0..count).rev() {
        let node = &tree.nodes[place];
        match node.is_leaf() {
            true => (leaves[place], risks[place]) = (1, risk(place)),
            false => {
                for child in node.children() {
                    parents[child] = place;
                    leaves[place] += leaves[child];
                    risks[place] += risks[child];
                }
            }
        }
    }
    let mut version = vec![0u32; count];
    let mut closed = vec![false; count];
    let worth = |place: usize, leaves: &[usize], risks: &[f64]| {
        ((risk(place) - risks[place]) / (leaves[place] - 1) as f64).max(0.0)
    };
    let mut heap = BinaryHeap::new();
    for place in 0..count {
        if !tree.nodes[place].is_leaf() {
            heap.push(Reverse(Worth(worth(place, &leaves, &risks), place, 0)));
        }
    }
    let (mut alphas, mut impurities) = (vec![0.0], vec![risks[0]]);
    while let Some(Reverse(Worth(alpha, place, age))) = heap.pop() {
        if alpha > limit {
            break;
        }
        if closed[place] || age != version[place] || is_below_closed(&parents, &closed, place) {
            continue;
        }
        closed[place] = true;
        let (fewer, more) = (leaves[place] - 1, risk(place) - risks[place]);
        (leaves[place], risks[place]) = (1, risk(place));
        let mut above = parents[place];
        while above != usize::MAX {
            leaves[above] -= fewer;
            risks[above] += more;
            version[above] += 1;
            heap.push(Reverse(Worth(
                worth(above, &leaves, &risks),
                above,
                version[above],
            )));
            above = parents[above];
        }
        let last = alphas[alphas.len() - 1];
        let step = f64::max(alpha, last);
        match step > last {
            true => {
                alphas.push(step);
                impurities.push(risks[0]);
            }
            false => *impurities.last_mut().expect("there is a first step") = risks[0],
        }
    }
    Steps {
        alphas,
        impurities,
        closed,
    }
}

fn is_below_closed(parents: &[usize], closed: &[bool], place: usize) -> bool {
    let mut above = parents[place];
    while above != usize::MAX {
        if closed[above] {
            return true;
        }
        above = parents[above];
    }
    false
}

/// The tree without the children of closed nodes, numbered anew.
fn rebuild(tree: &Tree, closed: &[bool]) -> Tree {
    // Old places in the new order; children follow each other as before.
    let mut kept = vec![0];
    let mut nodes: Vec<Node> = Vec::new();
    let mut more_thresholds = Vec::new();
    while nodes.len() < kept.len() {
        let old = kept[nodes.len()];
        let node = &tree.nodes[old];
        if node.is_leaf() || closed[old] {
            nodes.push(Node::LEAF);
            continue;
        }
        let first_child = kept.len() as u32;
        kept.extend(node.children());
        nodes.push(Node {
            first_child,
            more: more_thresholds.len() as u32,
            ..*node
        });
        more_thresholds.extend_from_slice(&tree.thresholds(node)[1..]);
    }
    let pick = |list: &[f64]| kept.iter().map(|&old| list[old]).collect();
    Tree {
        nodes,
        more_thresholds,
        values: kept
            .iter()
            .flat_map(|&old| tree.value(old).to_vec())
            .collect(),
        width: tree.width,
        statistics: tree.statistics.as_ref().map(|statistics| Statistics {
            impurities: pick(&statistics.impurities),
            weights: pick(&statistics.weights),
            n_rows: pick(&statistics.n_rows),
        }),
    }
}
