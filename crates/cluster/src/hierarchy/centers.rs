//! Clusters represented by points: no pair of rows needs to be stored.

use super::{Linkage, Proximity};
use crate::lanes::{LANES, Lanes, least};
use crate::too_far::rows_too_far;
use didact_core::Result;
use didact_math::vectorised::vectorised;
use ndarray::ArrayView2;

/// Where the cluster in each slot lies and how many rows it has.
pub(super) struct Centers {
    points: Lanes,
    /// Numbers of rows, by place and for all lanes of the last block.
    sizes: Vec<f64>,
    linkage: Linkage,
}

impl Centers {
    /// Every row a cluster of its own.
    pub(super) fn new(rows: ArrayView2<'_, f64>, linkage: Linkage) -> Result<Self> {
        let (low, high) = rows.iter().fold((0.0_f64, 0.0_f64), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
        // The diagonal of a box around all rows bounds every distance, twice over for Ward's factor.
        let width = high - low;
        if !(width * width * (2 * rows.ncols() * rows.nrows()) as f64).is_finite() {
            return Err(rows_too_far());
        }
        Ok(Centers {
            points: Lanes::new(rows),
            sizes: vec![1.0; rows.nrows().next_multiple_of(LANES)],
            linkage,
        })
    }

    fn size(&self, slot: usize) -> f64 {
        self.sizes[self.points.place(slot)]
    }

    /// The distances of a block to a point of so many rows, infinite at holes.
    #[inline(always)]
    fn distances(&self, block: usize, point: &[f64], size: f64) -> [f64; LANES] {
        let mut distances = self.points.squared_distances(block, point);
        if self.linkage == Linkage::Ward {
            let sizes = &self.sizes[block * LANES..][..LANES];
            for (distance, &other) in distances.iter_mut().zip(sizes) {
                *distance *= ward_factor(size, other);
            }
        }
        distances
    }

    /// The first of the nearest places from `first` on, other than that of `of`.
    #[inline(always)]
    fn nearest_from(&self, first: usize, of: usize) -> Option<(usize, f64)> {
        let own = self.points.place(of);
        let point: Vec<f64> = self.points.point(of).collect();
        let size = self.sizes[own];
        let mut best = (0, f64::INFINITY);
        for block in first / LANES..self.points.n_places().div_ceil(LANES) {
            let mut distances = self.distances(block, &point, size);
            let start = block * LANES;
            if own / LANES == block {
                distances[own - start] = f64::INFINITY;
            }
            distances[..first.saturating_sub(start)].fill(f64::INFINITY);
            let nearest = least(&distances);
            if nearest < best.1 {
                let lane = distances.iter().position(|&distance| distance == nearest);
                best = (start + lane.unwrap_or_default(), nearest);
            }
        }
        (best.1 < f64::INFINITY).then_some(best)
    }
}

/// What Ward's linkage multiplies the squared distance of the means with.
#[inline(always)]
fn ward_factor(a: f64, b: f64) -> f64 {
    2.0 * a * b / (a + b)
}

impl Proximity for Centers {
    fn between(&self, a: usize, b: usize) -> f64 {
        let point: Vec<f64> = self.points.point(a).collect();
        let place = self.points.place(b);
        let squared = vectorised(
            #[inline(always)]
            || self.points.squared_distance(place, &point),
        );
        match self.linkage {
            Linkage::Ward => squared * ward_factor(self.size(a), self.sizes[place]),
            _ => squared,
        }
    }

    fn nearest(&self, of: usize, candidates: &[usize]) -> Option<(usize, f64)> {
        // Candidates are all slots from the first on.
        let first = self.points.place(*candidates.first()?);
        let found = vectorised(
            #[inline(always)]
            || self.nearest_from(first, of),
        );
        found.map(|(place, distance)| (self.points.name(place), distance))
    }

    fn merge(&mut self, a: usize, b: usize, _: &[usize]) {
        let total = self.size(a) + self.size(b);
        let share = match self.linkage {
            Linkage::Median => 0.5,
            _ => self.size(a) / total,
        };
        let parts = self.points.point(a).zip(self.points.point(b));
        let merged: Vec<f64> = parts.map(|(a, b)| b + (a - b) * share).collect();
        self.points.move_to(b, merged.into_iter());
        let place = self.points.place(b);
        self.sizes[place] = total;
        self.points.remove(a);
        let sizes = &mut self.sizes;
        self.points.close_holes(|from, to| sizes[to] = sizes[from]);
    }

    fn height(&self, distance: f64) -> f64 {
        distance.sqrt()
    }
}
