//! Merges that a graph restricts: only clusters joined by an edge may become one.

use super::{Dendrogram, Linkage, spanning};
use crate::too_far::rows_too_far;
use didact_core::{CsrView, Error, Result, Rows, Run};
use didact_math::distance::Metric;
use didact_math::graph::connected_components;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

/// Two nodes with an edge, ordered by their distance and then by their numbers.
#[derive(Clone, Copy, PartialEq)]
struct Edge {
    distance: f64,
    nodes: (usize, usize),
}

impl Eq for Edge {}

impl Ord for Edge {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance = self.distance.total_cmp(&other.distance);
        by_distance.then(self.nodes.cmp(&other.nodes))
    }
}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Dendrogram {
    /// Merges rows as [`Dendrogram::of_rows`] does, but only clusters with an edge of `graph`
    /// between them; a stored entry that is not zero is an edge both ways. Where the graph falls into several
    /// parts, the shortest edges that connect them are added.
    ///
    /// The linkages that compare pairs of rows know only the pairs with an edge. Heights may fall
    /// on the way up. Time and memory follow the number of edges, not of pairs.
    pub fn of_connected_rows(
        rows: Rows<'_>,
        metric: Metric,
        linkage: Linkage,
        graph: CsrView<'_>,
        run: &Run,
    ) -> Result<Self> {
        metric.check()?;
        metric.check_rows(rows)?;
        let linkage = linkage.resolved(Some(metric));
        linkage.check_metric(metric)?;
        if (graph.n_rows(), graph.n_columns()) != (rows.n_rows(), rows.n_rows()) {
            return Err(Error::data(format!(
                "the graph has {} rows and {} columns; it needs one of each per row of the data, \
                 {}",
                graph.n_rows(),
                graph.n_columns(),
                rows.n_rows()
            )));
        }
        let pairs = all_edges(rows, metric, graph, run)?;
        Growing::new(rows, metric, linkage, &pairs)?.finish(run)
    }
}

/// The edges of the graph, and those of a minimum spanning tree between its parts.
fn all_edges(
    rows: Rows<'_>,
    metric: Metric,
    graph: CsrView<'_>,
    run: &Run,
) -> Result<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    for a in 0..graph.n_rows() {
        let (columns, values) = graph.row(a);
        for (&b, &weight) in columns.iter().zip(values) {
            let b = b as usize;
            if b != a && weight != 0.0 {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
    let parts = connected_components(graph)?;
    if parts.count > 1 {
        let bridges = spanning::of_rows(rows, metric, run)?;
        let between = bridges
            .iter()
            .filter(|join| parts.labels[join.a] != parts.labels[join.b]);
        pairs.extend(between.map(|join| (join.a.min(join.b), join.a.max(join.b))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    Ok(pairs)
}

/// A tree in the making.
struct Growing {
    linkage: Linkage,
    tree: Dendrogram,
    /// The neighbours of each node and their distances; squared where the linkage has centres.
    neighbours: Vec<BTreeMap<usize, f64>>,
    /// Where each node lies, for linkages with centres.
    centers: Vec<Vec<f64>>,
    queue: BinaryHeap<Reverse<Edge>>,
}

impl Growing {
    fn new(
        rows: Rows<'_>,
        metric: Metric,
        linkage: Linkage,
        pairs: &[(usize, usize)],
    ) -> Result<Self> {
        let n = rows.n_rows();
        let metric = match linkage.has_centers() {
            true => Metric::SquaredEuclidean,
            false => metric,
        };
        let dense = match (linkage.has_centers(), rows) {
            (true, Rows::Sparse(_)) => Some(rows.to_dense()),
            (_, Rows::Dense(dense)) => Some(dense.into()),
            _ => None,
        };
        let mut growing = Growing {
            linkage,
            tree: Dendrogram::growing(n),
            neighbours: vec![BTreeMap::new(); n],
            centers: match (&dense, linkage.has_centers()) {
                (Some(dense), true) => dense.rows().into_iter().map(|row| row.to_vec()).collect(),
                _ => Vec::new(),
            },
            queue: BinaryHeap::with_capacity(pairs.len()),
        };
        for &(a, b) in pairs {
            let distance = match (&dense, rows) {
                (Some(dense), _) => {
                    let slice = |row: usize| dense.row(row).to_vec();
                    metric.between(&slice(a), &slice(b))
                }
                (None, Rows::Sparse(sparse)) => metric.between_sparse(sparse.row(a), sparse.row(b)),
                (None, Rows::Dense(_)) => unreachable!("dense rows are written out"),
            };
            if !distance.is_finite() {
                return Err(rows_too_far());
            }
            growing.connect(a, b, distance);
        }
        Ok(growing)
    }

    fn connect(&mut self, a: usize, b: usize, distance: f64) {
        self.neighbours[a].insert(b, distance);
        self.neighbours[b].insert(a, distance);
        self.queue.push(Reverse(Edge {
            distance,
            nodes: (a.min(b), a.max(b)),
        }));
    }

    fn finish(mut self, run: &Run) -> Result<Dendrogram> {
        while let Some(Reverse(edge)) = self.queue.pop() {
            let (a, b) = edge.nodes;
            // The edges of nodes that were merged are gone from the lists but not from the queue.
            if self.neighbours[a].contains_key(&b) {
                run.check()?;
                self.merge(a, b, edge.distance);
            }
        }
        Ok(self.tree)
    }

    fn merge(&mut self, a: usize, b: usize, between: f64) {
        let sizes = [a, b].map(|node| self.tree.size_of(node) as f64);
        let height = match self.linkage.has_centers() {
            true => between.sqrt(),
            false => between,
        };
        let node = self.tree.push(a, b, height);
        if self.linkage.has_centers() {
            let share = match self.linkage {
                Linkage::Median => 0.5,
                _ => sizes[0] / (sizes[0] + sizes[1]),
            };
            let mut center = std::mem::take(&mut self.centers[b]);
            for (into, from) in center.iter_mut().zip(&self.centers[a]) {
                *into += (from - *into) * share;
            }
            self.centers.push(center);
        }
        let of_a = std::mem::take(&mut self.neighbours[a]);
        let mut of_b = std::mem::take(&mut self.neighbours[b]);
        self.neighbours.push(BTreeMap::new());
        let mut others: Vec<(usize, f64)> = Vec::with_capacity(of_a.len() + of_b.len());
        for (other, to_a) in of_a.into_iter().filter(|&(other, _)| other != b) {
            let distance = match of_b.remove(&other) {
                Some(to_b) => {
                    let third = self.tree.size_of(other) as f64;
                    let sizes = [sizes[0], sizes[1], third];
                    self.linkage.update(to_a, to_b, between, sizes)
                }
                None => to_a,
            };
            others.push((other, distance));
        }
        others.extend(of_b.into_iter().filter(|&(other, _)| other != a));
        for (other, distance) in others {
            self.neighbours[other].remove(&a);
            self.neighbours[other].remove(&b);
            let distance = match self.linkage.has_centers() {
                true => self.between_centers(node, other),
                false => distance,
            };
            self.connect(node, other, distance);
        }
    }

    fn between_centers(&self, a: usize, b: usize) -> f64 {
        let squared = Metric::SquaredEuclidean.between(&self.centers[a], &self.centers[b]);
        match self.linkage {
            Linkage::Ward => {
                let [a, b] = [a, b].map(|node| self.tree.size_of(node) as f64);
                squared * (2.0 * a * b / (a + b))
            }
            _ => squared,
        }
    }
}
