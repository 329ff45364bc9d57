//! A binary tree over the training rows, with boxes (k-d tree) or balls around its nodes.

use super::best::{Candidate, Collect};
use super::flat::Flat;
use crate::distance::Metric;
use didact_core::{Result, Run};
use ndarray::{Array1, ArrayView2};
use std::ops::Range;

/// Powers and roots are not rounded as strictly as sums and products; bounds leave room for it.
pub(super) const UNROUNDED: f64 = 1.0 - 1e-12;

/// What is drawn around the rows of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hull {
    /// The least and greatest value in each column.
    Box,
    /// The mean and the greatest distance from it.
    Ball,
}

/// Rows in the order of the leaves, and the nodes above them.
///
/// Nodes are split at the median row of their widest column, so the depth is logarithmic however
/// many rows are equal; a node of equal rows is a leaf.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    hull: Hull,
    pub(super) metric: Metric,
    pub(super) n_columns: usize,
    /// Values of the rows in the order of the leaves.
    pub(super) points: Vec<f64>,
    /// The training row at each place of that order.
    pub(super) order: Vec<usize>,
    pub(super) nodes: Vec<Node>,
    /// Two rows of numbers per node: least and greatest values, or the centre and its radius.
    pub(super) hulls: Vec<f64>,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) places: Range<usize>,
    /// The node after the whole left branch; none for a leaf. The left child is the next node.
    pub(super) right: Option<usize>,
}

impl Tree {
    pub(super) fn build(
        rows: ArrayView2<'_, f64>,
        metric: Metric,
        hull: Hull,
        leaf_size: usize,
        run: &Run,
    ) -> Result<Self> {
        let mut tree = Tree {
            hull,
            metric,
            n_columns: rows.ncols(),
            points: Vec::new(),
            order: (0..rows.nrows()).collect(),
            nodes: Vec::new(),
            hulls: Vec::new(),
        };
        tree.grow(rows, 0..rows.nrows(), leaf_size.max(1), run)?;
        tree.points.reserve_exact(rows.len());
        for &row in &tree.order {
            tree.points.extend(rows.row(row));
        }
        Ok(tree)
    }

    fn grow(
        &mut self,
        rows: ArrayView2<'_, f64>,
        places: Range<usize>,
        leaf_size: usize,
        run: &Run,
    ) -> Result<()> {
        run.check()?;
        let node = self.nodes.len();
        self.nodes.push(Node {
            places: places.clone(),
            right: None,
        });
        let (least, greatest) = extremes(rows, &self.order[places.clone()]);
        let widths = greatest
            .iter()
            .zip(&least)
            .map(|(greatest, least)| greatest - least);
        let widest =
            crate::numeric::argmax(widths).filter(|&column| greatest[column] > least[column]);
        match self.hull {
            Hull::Box => self.hulls.extend(least.iter().chain(&greatest)),
            Hull::Ball => {
                let (center, radius) = self.ball(rows, &self.order[places.clone()]);
                self.hulls.extend(center);
                self.hulls
                    .extend(std::iter::repeat_n(radius, self.n_columns));
            }
        }
        let (Some(column), true) = (widest, places.len() > leaf_size) else {
            return Ok(());
        };
        let half = places.len() / 2;
        let value = |row: &usize| rows[[*row, column]];
        self.order[places.clone()].select_nth_unstable_by(half, |left, right| {
            value(left).total_cmp(&value(right)).then(left.cmp(right))
        });
        let middle = places.start + half;
        self.grow(rows, places.start..middle, leaf_size, run)?;
        self.nodes[node].right = Some(self.nodes.len());
        self.grow(rows, middle..places.end, leaf_size, run)
    }

    fn ball(&self, rows: ArrayView2<'_, f64>, members: &[usize]) -> (Vec<f64>, f64) {
        let mut center = Array1::<f64>::zeros(rows.ncols());
        for &row in members {
            // Divided first: a sum of huge values would overflow.
            center.scaled_add((members.len() as f64).recip(), &rows.row(row));
        }
        let center = center.to_vec();
        let radius = members.iter().fold(0.0_f64, |radius, &row| {
            let row = rows.row(row);
            let row = row
                .as_slice()
                .expect("dense rows of an index are contiguous");
            radius.max(self.metric.length_of(self.metric.ranking(&center, row)))
        });
        (center, radius)
    }

    /// Offers the rows near the query to the collector, except those certainly beyond its limit.
    pub(super) fn search(&self, query: &[f64], collector: &mut impl Collect) {
        let is_squared = matches!(self.metric, Metric::Euclidean | Metric::SquaredEuclidean);
        match (self.hull, is_squared, query) {
            (Hull::Box, true, &[a]) => self.flat([a]).search(collector),
            (Hull::Box, true, &[a, b]) => self.flat([a, b]).search(collector),
            (Hull::Box, true, &[a, b, c]) => self.flat([a, b, c]).search(collector),
            (Hull::Box, true, &[a, b, c, d]) => self.flat([a, b, c, d]).search(collector),
            _ => self.search_any(query, collector),
        }
    }

    fn flat<const D: usize>(&self, query: [f64; D]) -> Flat<'_, D> {
        Flat { tree: self, query }
    }

    fn search_any(&self, query: &[f64], collector: &mut impl Collect) {
        let mut scratch = vec![0.0; self.n_columns];
        self.visit(
            0,
            self.bound(0, query, &mut scratch),
            query,
            collector,
            &mut scratch,
        );
    }

    fn visit(
        &self,
        node: usize,
        bound: f64,
        query: &[f64],
        collector: &mut impl Collect,
        scratch: &mut [f64],
    ) {
        // Rows exactly at the limit may still win by a lower index.
        if bound > collector.limit() {
            return;
        }
        let Node { places, right } = &self.nodes[node];
        let Some(right) = *right else {
            for place in places.clone() {
                let point = &self.points[place * self.n_columns..(place + 1) * self.n_columns];
                let rank = self.metric.ranking(query, point);
                // False for a rank of NaN, which is kept as the worst so that k rows are found always.
                let is_beyond = rank > collector.limit();
                if !is_beyond {
                    collector.offer(Candidate {
                        rank,
                        row: self.order[place],
                    });
                }
            }
            return;
        };
        let mut near = (self.bound(node + 1, query, scratch), node + 1);
        let mut far = (self.bound(right, query, scratch), right);
        if far.0 < near.0 {
            std::mem::swap(&mut near, &mut far);
        }
        self.visit(near.1, near.0, query, collector, scratch);
        self.visit(far.1, far.0, query, collector, scratch);
    }

    /// A rank that no row of the node is below, whatever the rounding.
    pub(super) fn bound(&self, node: usize, query: &[f64], scratch: &mut [f64]) -> f64 {
        let d = self.n_columns;
        let hull = &self.hulls[2 * d * node..2 * d * (node + 1)];
        let rank = match self.hull {
            Hull::Box => {
                // Every step of the measurement is monotone in |query − row|, rounding included,
                // so the nearest point of the box is no farther than any row in it.
                for (column, value) in scratch.iter_mut().enumerate() {
                    *value = query[column].max(hull[column]).min(hull[d + column]);
                }
                self.metric.ranking(query, scratch)
            }
            Hull::Ball => {
                let length = self
                    .metric
                    .length_of(self.metric.ranking(query, &hull[..d]));
                let slack = (d + 8) as f64 * 4.0 * f64::EPSILON;
                let least = length * (1.0 - slack) - hull[d] * (1.0 + slack);
                self.metric.ranking_of_length(least.max(0.0))
            }
        };
        rank * UNROUNDED
    }
}

fn extremes(rows: ArrayView2<'_, f64>, members: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let mut least = vec![f64::INFINITY; rows.ncols()];
    let mut greatest = vec![f64::NEG_INFINITY; rows.ncols()];
    for &row in members {
        for (column, &value) in rows.row(row).iter().enumerate() {
            least[column] = least[column].min(value);
            greatest[column] = greatest[column].max(value);
        }
    }
    (least, greatest)
}
