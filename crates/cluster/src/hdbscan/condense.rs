//! The tree without the branches that are too small to be clusters.

use crate::hierarchy::Dendrogram;

/// A cluster of the condensed tree. Parents come before their children; the first is the root.
#[derive(Clone, Debug)]
pub(super) struct Cluster {
    pub(super) parent: Option<usize>,
    /// How many rows it has at its birth.
    pub(super) size: usize,
    /// λ = 1/distance at which it split off.
    pub(super) birth: f64,
    /// The greatest λ at which something left it.
    pub(super) death: f64,
    /// Σ(λ − birth) over its rows, each up to where it left.
    pub(super) stability: f64,
}

/// Clusters, and for each row the one that it left last and at which λ.
pub(super) struct CondensedTree {
    pub(super) clusters: Vec<Cluster>,
    pub(super) rows: Vec<(usize, f64)>,
}

impl CondensedTree {
    /// Walks down from the root: a split into two large parts makes two clusters, small parts
    /// fall off and the rest goes on.
    pub(super) fn new(tree: &Dendrogram, min_cluster_size: usize) -> Self {
        let n = tree.n_leaves();
        let densities = Densities::of(tree);
        let mut condensed = CondensedTree {
            clusters: vec![Cluster {
                parent: None,
                size: n,
                birth: 0.0,
                death: 0.0,
                stability: 0.0,
            }],
            rows: vec![(0, 0.0); n],
        };
        // The root of a tree of one row is that row.
        let mut pending = vec![(n + tree.merges().len() - 1, 0)];
        while let Some((node, cluster)) = pending.pop() {
            let Some(merge) = node.checked_sub(n) else {
                continue;
            };
            let (lambda, merge) = (densities.at(merge), tree.merges()[merge]);
            let parts = [merge.left, merge.right];
            let is_large = parts.map(|part| tree.size_of(part) >= min_cluster_size);
            for (part, large) in parts.into_iter().zip(is_large) {
                let size = tree.size_of(part);
                match (large, is_large == [true, true]) {
                    (true, true) => {
                        condensed.leave(cluster, lambda, size);
                        condensed.clusters.push(Cluster {
                            parent: Some(cluster),
                            size,
                            birth: lambda,
                            death: lambda,
                            stability: 0.0,
                        });
                        pending.push((part, condensed.clusters.len() - 1));
                    }
                    (true, false) => pending.push((part, cluster)),
                    (false, _) => {
                        condensed.leave(cluster, lambda, size);
                        condensed.drop_rows(tree, part, (cluster, lambda));
                    }
                }
            }
        }
        condensed
    }

    fn leave(&mut self, cluster: usize, lambda: f64, size: usize) {
        let cluster = &mut self.clusters[cluster];
        cluster.stability += (lambda - cluster.birth) * size as f64;
        cluster.death = cluster.death.max(lambda);
    }

    fn drop_rows(&mut self, tree: &Dendrogram, node: usize, place: (usize, f64)) {
        let n = tree.n_leaves();
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            match node.checked_sub(n) {
                None => self.rows[node] = place,
                Some(merge) => {
                    let merge = tree.merges()[merge];
                    pending.extend([merge.left, merge.right]);
                }
            }
        }
    }
}

/// λ = 1/height of the merges. Equal rows merge at height zero, where λ would be infinite and
/// excess of mass would lose its meaning; they count as twice as dense as the densest others.
struct Densities<'a> {
    tree: &'a Dendrogram,
    greatest: f64,
}

impl<'a> Densities<'a> {
    fn of(tree: &'a Dendrogram) -> Self {
        let finite = tree.merges().iter().map(|merge| 1.0 / merge.height);
        let greatest = finite
            .filter(|lambda| lambda.is_finite())
            .fold(0.0, f64::max);
        let doubled = 2.0 * greatest;
        Densities {
            tree,
            greatest: if doubled > 0.0 && doubled.is_finite() {
                doubled
            } else {
                1.0
            },
        }
    }

    fn at(&self, merge: usize) -> f64 {
        (1.0 / self.tree.merges()[merge].height).min(self.greatest)
    }
}
