//! Minimum spanning trees of the training rows.

use super::index::{Index, Searcher};
use super::tree::Tree;
use crate::graph::minimum_spanning_tree;
use didact_core::{Error, Result, Rows, Run, parallel};

/// No row, no component.
const NONE: u32 = u32::MAX;

/// How many rows look for an edge before the bounds are brought up to date, at first.
const FIRST_BATCH: usize = 256;

impl Index<'_> {
    /// The n − 1 edges (a, b, length) of a minimum spanning tree of the training rows, where the
    /// length of an edge is max(distance, core distance of a, core distance of b): the mutual
    /// reachability of HDBSCAN. Core distances of zero give the plain tree.
    ///
    /// With a search tree by Borůvka's rounds, in which every component looks for its nearest row
    /// outside; else by Prim's rule in quadratic time. Equally long edges may be chosen either
    /// way, but always the same.
    pub fn spanning_tree(
        &self,
        core_distances: &[f64],
        run: &Run,
    ) -> Result<Vec<(usize, usize, f64)>> {
        if core_distances.len() != self.n_rows() {
            return Err(Error::data(format!(
                "there are {} core distances for {} rows; give one for each",
                core_distances.len(),
                self.n_rows()
            )));
        }
        if let Searcher::Tree(tree) = &self.searcher {
            return Rounds::new(tree, core_distances).finish(run);
        }
        let metric = self.metric();
        let longest = |a: usize, b: usize| core_distances[a].max(core_distances[b]);
        match self.rows() {
            Rows::Dense(dense) => {
                let row = |row: usize| dense.row(row).to_slice().expect("rows are contiguous");
                let between = |a, b| metric.between(row(a), row(b)).max(longest(a, b));
                minimum_spanning_tree(self.n_rows(), between, run)
            }
            Rows::Sparse(sparse) => {
                let between = |a, b| {
                    let distance = metric.between_sparse(sparse.row(a), sparse.row(b));
                    distance.max(longest(a, b))
                };
                minimum_spanning_tree(self.n_rows(), between, run)
            }
        }
    }
}

/// The nearest row outside the own component that is known: its rank and place. Where the place
/// is none, or inside by now, the rank is a lower bound.
#[derive(Clone, Copy)]
struct Nearest {
    rank: f64,
    place: u32,
}

/// The search in progress; rows are named by their places in the tree.
struct Rounds<'a> {
    tree: &'a Tree,
    cores: Vec<f64>,
    parents: Vec<u32>,
    components: Vec<u32>,
    /// The component of all rows of a node, or none where they are of several.
    node_components: Vec<u32>,
    nearest: Vec<Nearest>,
    edges: Vec<(usize, usize, f64)>,
}

impl<'a> Rounds<'a> {
    fn new(tree: &'a Tree, core_distances: &[f64]) -> Self {
        let n = core_distances.len();
        let rank = |&row: &usize| tree.metric.ranking_of(core_distances[row]);
        Rounds {
            cores: tree.order.iter().map(rank).collect(),
            parents: (0..n as u32).collect(),
            components: (0..n as u32).collect(),
            node_components: vec![NONE; tree.nodes.len()],
            nearest: vec![
                Nearest {
                    rank: 0.0,
                    place: NONE,
                };
                n
            ],
            edges: Vec::with_capacity(n.saturating_sub(1)),
            tree,
        }
    }

    fn finish(mut self, run: &Run) -> Result<Vec<(usize, usize, f64)>> {
        while self.edges.len() + 1 < self.cores.len() {
            run.check()?;
            self.mark();
            let best = self.look(run)?;
            let before = self.edges.len();
            self.join(best);
            if self.edges.len() == before {
                return Err(Error::numerical(
                    "the distance of two rows is too large for a number; scale the columns down"
                        .to_owned(),
                ));
            }
        }
        Ok(self.edges)
    }

    fn root(&mut self, mut place: u32) -> u32 {
        while self.parents[place as usize] != place {
            let above = self.parents[self.parents[place as usize] as usize];
            self.parents[place as usize] = above;
            place = above;
        }
        place
    }

    /// Writes down the component of every row and node.
    fn mark(&mut self) {
        for place in 0..self.cores.len() {
            self.components[place] = self.root(place as u32);
        }
        // Children come after their parents.
        for node in (0..self.tree.nodes.len()).rev() {
            let places = self.tree.nodes[node].places.clone();
            self.node_components[node] = match self.tree.nodes[node].right {
                Some(right) => {
                    let (left, right) =
                        (self.node_components[node + 1], self.node_components[right]);
                    if left == right { left } else { NONE }
                }
                None => {
                    let first = self.components[places.start];
                    let same = self.components[places].iter().all(|&other| other == first);
                    if same { first } else { NONE }
                }
            };
        }
    }

    /// The shortest known edge out of every component: the place inside, and the nearest outside.
    fn look(&mut self, run: &Run) -> Result<Vec<Option<(u32, Nearest)>>> {
        let n = self.cores.len();
        let mut best: Vec<Option<(u32, Nearest)>> = vec![None; n];
        let mut stale = Vec::new();
        for place in 0..n {
            let nearest = self.nearest[place];
            let inside = nearest.place == NONE
                || self.components[nearest.place as usize] == self.components[place];
            match inside {
                true => stale.push(place as u32),
                false => self.offer(&mut best, place as u32),
            }
        }
        // Rows that may be nearest to the outside first: what they find spares the others.
        let bound = |place: &u32| self.nearest[*place as usize].rank;
        stale.sort_by(|a, b| bound(a).total_cmp(&bound(b)).then(a.cmp(b)));
        let (mut start, mut size) = (0, FIRST_BATCH);
        while start < stale.len() {
            let batch = &stale[start..(start + size).min(stale.len())];
            let limit = |place: u32| {
                let best = best[self.components[place as usize] as usize];
                best.map_or(f64::INFINITY, |(_, nearest)| nearest.rank)
            };
            let mut found: Vec<Option<Nearest>> = vec![None; batch.len()];
            parallel::fill(&mut found, 1, 64, run, |range, piece| {
                for (&place, found) in batch[range].iter().zip(piece) {
                    let limit = limit(place);
                    if self.nearest[place as usize].rank < limit {
                        *found = Some(self.search(place as usize, limit));
                    }
                }
                Ok(())
            })?;
            for (&place, found) in batch.iter().zip(found) {
                if let Some(found) = found {
                    self.nearest[place as usize] = found;
                    if found.place != NONE {
                        self.offer(&mut best, place);
                    }
                }
            }
            start += size;
            size *= 4;
        }
        Ok(best)
    }

    fn offer(&self, best: &mut [Option<(u32, Nearest)>], place: u32) {
        let nearest = self.nearest[place as usize];
        let best = &mut best[self.components[place as usize] as usize];
        if best.is_none_or(|(_, other)| nearest.rank < other.rank) {
            *best = Some((place, nearest));
        }
    }

    fn join(&mut self, best: Vec<Option<(u32, Nearest)>>) {
        for (place, nearest) in best.into_iter().flatten() {
            let (a, b) = (self.root(place), self.root(nearest.place));
            // Two components may have chosen the same edge, or equally long ones in a ring.
            if a != b && nearest.rank.is_finite() {
                self.parents[a.max(b) as usize] = a.min(b);
                let order = &self.tree.order;
                self.edges.push((
                    order[place as usize],
                    order[nearest.place as usize],
                    self.tree.metric.distance_of(nearest.rank),
                ));
            }
        }
    }

    /// The nearest row of another component below the limit, or the limit.
    fn search(&self, place: usize, limit: f64) -> Nearest {
        let d = self.tree.n_columns;
        let query = &self.tree.points[place * d..(place + 1) * d];
        let mut nearest = Nearest {
            rank: limit,
            place: NONE,
        };
        let mut scratch = vec![0.0; d];
        self.visit(0, 0.0, place, query, &mut nearest, &mut scratch);
        nearest
    }

    fn visit(
        &self,
        node: usize,
        bound: f64,
        place: usize,
        query: &[f64],
        nearest: &mut Nearest,
        scratch: &mut [f64],
    ) {
        let own = self.components[place];
        let core = self.cores[place];
        if bound.max(core) >= nearest.rank || self.node_components[node] == own {
            return;
        }
        let d = self.tree.n_columns;
        let Some(right) = self.tree.nodes[node].right else {
            for other in self.tree.nodes[node].places.clone() {
                if self.components[other] == own || self.cores[other] >= nearest.rank {
                    continue;
                }
                let point = &self.tree.points[other * d..(other + 1) * d];
                let rank = self.tree.metric.ranking(query, point);
                let rank = rank.max(core).max(self.cores[other]);
                if rank < nearest.rank {
                    *nearest = Nearest {
                        rank,
                        place: other as u32,
                    };
                }
            }
            return;
        };
        let mut near = (self.tree.bound(node + 1, query, scratch), node + 1);
        let mut far = (self.tree.bound(right, query, scratch), right);
        if far.0 < near.0 {
            std::mem::swap(&mut near, &mut far);
        }
        self.visit(near.1, near.0, place, query, nearest, scratch);
        self.visit(far.1, far.0, place, query, nearest, scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Index, SearchAlgorithm};
    use crate::distance::Metric;
    use didact_core::{Rows, Run};
    use didact_testing::random_matrix;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn rounds_and_prim_give_trees_of_equal_lengths(n in 1usize..200, d in 1usize..4, k in 1usize..5, grid: bool, seed: u64) {
            let mut x = random_matrix(n, d, seed);
            if grid {
                // Many equal distances and equal rows.
                x.mapv_inplace(|value| (value * 2.0).round());
            }
            let rows = Rows::Dense(x.view());
            let run = Run::new();
            let lengths = |algorithm| {
                let index = Index::build(rows, Metric::Euclidean, algorithm, 3, &run).unwrap();
                let found = index.nearest(rows, k.min(n), &run).unwrap();
                let cores: Vec<f64> = found.distances.rows().into_iter().map(|row| row[k.min(n) - 1]).collect();
                let edges = index.spanning_tree(&cores, &run).unwrap();
                let mut lengths: Vec<f64> = edges.iter().map(|edge| edge.2).collect();
                lengths.sort_by(f64::total_cmp);
                lengths
            };
            let expected = lengths(SearchAlgorithm::Brute);
            prop_assert_eq!(expected.len(), n - 1);
            for algorithm in [SearchAlgorithm::KdTree, SearchAlgorithm::BallTree] {
                for (found, expected) in lengths(algorithm).iter().zip(&expected) {
                    prop_assert!((found - expected).abs() <= 1e-12 * expected);
                }
            }
        }
    }
}
