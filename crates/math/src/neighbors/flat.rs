//! Searching boxes over few columns: lengths that the compiler knows keep rows in registers.

use super::best::{Candidate, Collect};
use super::tree::{Node, Tree, UNROUNDED};

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
            let values = &self.tree.points[places.start * D..places.end * D];
            let rows = &self.tree.order[places.clone()];
            for (point, &row) in values.as_chunks::<D>().0.iter().zip(rows) {
                let rank = self.rank(point);
                let is_beyond = rank > collector.limit();
                if !is_beyond {
                    collector.offer(Candidate { rank, row });
                }
            }
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
            *value = value.max(least[column]).min(greatest[column]);
        }
        self.rank(&nearest) * UNROUNDED
    }
}
