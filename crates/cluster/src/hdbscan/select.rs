//! Which clusters of the condensed tree are chosen.

use super::condense::CondensedTree;
use super::{ClusterSelection, Hdbscan};

/// For each cluster of the tree whether it is chosen; never one inside another.
pub(super) fn choose(tree: &CondensedTree, parameters: &Hdbscan) -> Vec<bool> {
    let count = tree.clusters.len();
    let mut chosen = match parameters.cluster_selection_method {
        ClusterSelection::Leaf => {
            let mut leaves = tips(tree);
            // A tree without a split has no tips.
            leaves[0] = false;
            leaves
        }
        ClusterSelection::Eom => by_excess_of_mass(tree, parameters),
    };
    keep_outermost(tree, &mut chosen);
    if parameters.cluster_selection_epsilon > 0.0 && !chosen[0] && count > 1 {
        chosen = merge_narrow(tree, &chosen, parameters);
        keep_outermost(tree, &mut chosen);
    }
    chosen
}

/// The clusters that no split divides.
fn tips(tree: &CondensedTree) -> Vec<bool> {
    let mut is_leaf = vec![true; tree.clusters.len()];
    for cluster in &tree.clusters {
        if let Some(parent) = cluster.parent {
            is_leaf[parent] = false;
        }
    }
    is_leaf
}

/// Drops what lies inside another chosen cluster. Parents come first, so one look at the parent
/// tells whether anything above was chosen.
fn keep_outermost(tree: &CondensedTree, chosen: &mut [bool]) {
    let mut is_inside = vec![false; chosen.len()];
    for index in 1..chosen.len() {
        let parent = tree.clusters[index].parent.unwrap_or(0);
        is_inside[index] = is_inside[parent] || chosen[parent];
        chosen[index] &= !is_inside[index];
    }
}

/// A cluster is chosen where it has at least the excess of mass of the best choice below it and
/// is not too large. One cluster of all rows says nothing, unless that is allowed.
fn by_excess_of_mass(tree: &CondensedTree, parameters: &Hdbscan) -> Vec<bool> {
    let count = tree.clusters.len();
    let largest = parameters.max_cluster_size.unwrap_or(usize::MAX);
    let mut below = vec![0.0; count];
    let mut chosen = vec![false; count];
    for index in (0..count).rev() {
        let cluster = &tree.clusters[index];
        chosen[index] = cluster.stability >= below[index] && cluster.size <= largest;
        let best = match chosen[index] {
            true => cluster.stability,
            false => below[index],
        };
        if let Some(parent) = cluster.parent {
            below[parent] += best;
        }
    }
    chosen[0] &= parameters.allow_single_cluster;
    chosen
}

/// Replaces every cluster that split off at a distance below the limit by the lowest one around it
/// that split off above: what DBSCAN with that radius would not tell apart stays together.
fn merge_narrow(tree: &CondensedTree, chosen: &[bool], parameters: &Hdbscan) -> Vec<bool> {
    let limit = parameters.cluster_selection_epsilon;
    let split = |cluster: usize| tree.clusters[cluster].birth.recip();
    let mut wide = vec![false; chosen.len()];
    for start in (1..chosen.len()).filter(|&cluster| chosen[cluster]) {
        let mut cluster = start;
        while split(cluster) < limit || (cluster != start && split(cluster) == limit) {
            match tree.clusters[cluster].parent {
                Some(0) | None if parameters.allow_single_cluster => {
                    cluster = 0;
                    break;
                }
                Some(0) | None => break,
                Some(parent) => cluster = parent,
            }
        }
        wide[cluster] = true;
    }
    wide
}
