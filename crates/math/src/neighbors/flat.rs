//! Searching boxes over few columns: lengths that the compiler knows keep rows in registers.

use super::best::{Candidate, Collect};
use super::tree::{Node, Tree, UNROUNDED};
use std::ops::Range;

/// A query of D columns on its way through a tree of boxes with Euclidean distances.
pub(super) struct Flat<'a, const D: usize> {
    pub(super) tree: &'a Tree,
    pub(super) query: [f64; D],
}

impl<const D: usize> Flat<'_, D> {
    /// Offers the rows near the query to the collector, as [`Tree::search`] does.
    pub(super) fn search(&self, collector: &mut impl Collect) {
        self.visit(0, self.bound(0), collector);
    }

    fn visit(&self, node: usize, bound: f64, collector: &mut impl Collect) {
        if bound > collector.limit() {
            return;
        }
        let Node { places, right } = &self.tree.nodes[node];
        let Some(right) = *right else {
            self.scan(places.clone(), collector);
            return;
        };
        let (left_bound, right_bound) = (self.bound(node + 1), self.bound(right));
        if right_bound < left_bound {
            self.visit(right, right_bound, collector);
            self.visit(node + 1, left_bound, collector);
        } else {
            self.visit(node + 1, left_bound, collector);
            self.visit(right, right_bound, collector);
        }
    }

    /// Ranks the rows of a leaf, some at a time without a branch between them, and offers those within the limit.
    fn scan(&self, places: Range<usize>, collector: &mut impl Collect) {
        const TOGETHER: usize = 16;
        let points = self.tree.points[places.start * D..places.end * D]
            .as_chunks::<D>()
            .0;
        let rows = &self.tree.order[places];
        for (points, rows) in points.chunks(TOGETHER).zip(rows.chunks(TOGETHER)) {
            let mut ranks = [0.0; TOGETHER];
            for (rank, point) in ranks.iter_mut().zip(points) {
                *rank = self.rank(point);
            }
            for (&rank, &row) in ranks.iter().zip(rows) {
                // False for a rank of NaN, which is kept as the worst so that k rows are found always.
                let is_beyond = rank > collector.limit();
                if !is_beyond {
                    collector.offer(Candidate { rank, row });
                }
            }
        }
    }

    /// The squared distance, summed column by column as [`squared_euclidean`] sums so few.
    ///
    /// [`squared_euclidean`]: crate::distance::squared_euclidean
    #[inline(always)]
    fn rank(&self, point: &[f64; D]) -> f64 {
        let mut sum = 0.0;
        for (x, y) in self.query.iter().zip(point) {
            sum += (x - y) * (x - y);
        }
        sum
    }

    #[inline(always)]
    fn bound(&self, node: usize) -> f64 {
        let hulls = self.tree.hulls.as_chunks::<D>().0;
        let (least, greatest) = (&hulls[2 * node], &hulls[2 * node + 1]);
        let mut nearest = self.query;
        for (column, value) in nearest.iter_mut().enumerate() {
            // Comparisons are one instruction where `max` and `min`, which mind NaN, are several.
            if *value < least[column] {
                *value = least[column];
            }
            if *value > greatest[column] {
                *value = greatest[column];
            }
        }
        self.rank(&nearest) * UNROUNDED
    }
}
