//! Which clusters of the condensed tree are chosen.

use super::ClusterSelection;
use super::condense::CondensedTree;

/// For each cluster of the tree whether it is chosen; never one inside another, never the root.
pub(super) fn choose(tree: &CondensedTree, method: ClusterSelection) -> Vec<bool> {
    let count = tree.clusters.len();
    let mut is_leaf = vec![true; count];
    for cluster in &tree.clusters {
        if let Some(parent) = cluster.parent {
            is_leaf[parent] = false;
        }
    }
    let mut chosen = match method {
        ClusterSelection::Leaf => is_leaf,
        ClusterSelection::Eom => by_excess_of_mass(tree, &is_leaf),
    };
    // One cluster of all rows says nothing.
    chosen[0] = false;
    // Parents come first, so one look at the parent tells whether anything above was chosen.
    let mut is_inside = vec![false; count];
    for index in 1..count {
        let parent = tree.clusters[index].parent.unwrap_or(0);
        is_inside[index] = is_inside[parent] || chosen[parent];
        chosen[index] &= !is_inside[index];
    }
    chosen
}

/// A cluster is chosen where it has at least the excess of mass of the best choice below it.
fn by_excess_of_mass(tree: &CondensedTree, is_leaf: &[bool]) -> Vec<bool> {
    let count = tree.clusters.len();
    let mut below = vec![0.0; count];
    let mut chosen = vec![false; count];
    for index in (0..count).rev() {
        let own = tree.clusters[index].stability;
        chosen[index] = is_leaf[index] || own >= below[index];
        let best = if chosen[index] { own } else { below[index] };
        if let Some(parent) = tree.clusters[index].parent {
            below[parent] += best;
        }
    }
    chosen
}
