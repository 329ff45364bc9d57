//! Prim's rule over rows that are compared many at once.

use super::Edges;
use crate::lanes::{LANES, Lanes, least};
use crate::too_far::rows_too_far;
use didact_core::{Result, Run};
use didact_math::vectorised::vectorised;
use ndarray::ArrayView2;

/// The edges of a minimum spanning tree, grown from the first row: always the nearest row outside
/// is next, the lowest where several are. An edge is as long as the greatest of the distance and
/// both core distances, which are given squared.
///
/// Every row is compared with all that are outside when it joins, so the time is quadratic and
/// the memory linear.
pub(super) fn spanning_tree(
    rows: ArrayView2<'_, f64>,
    squared_cores: &[f64],
    run: &Run,
) -> Result<Edges> {
    let n = rows.nrows();
    let mut outside = Outside::new(rows, squared_cores);
    let mut edges = Vec::with_capacity(n.saturating_sub(1));
    let mut newest = 0;
    while edges.len() + 1 < n {
        run.check()?;
        let point = rows.row(newest).to_vec();
        outside.remove(newest);
        let place = vectorised(
            #[inline(always)]
            || outside.compare(newest, &point, squared_cores[newest]),
        );
        let squared = outside.nearest[place];
        if squared == f64::INFINITY {
            return Err(rows_too_far());
        }
        newest = outside.points.name(place);
        edges.push((outside.anchors[place], newest, squared.sqrt()));
    }
    Ok(edges)
}

/// The rows that are not in the tree yet. The lists go by place and fill whole blocks.
struct Outside {
    points: Lanes,
    cores: Vec<f64>,
    /// The squared length of the shortest edge to the tree, and the row where it ends.
    nearest: Vec<f64>,
    anchors: Vec<usize>,
    /// The least of `nearest` in each block.
    shortest: Vec<f64>,
}

impl Outside {
    fn new(rows: ArrayView2<'_, f64>, squared_cores: &[f64]) -> Self {
        let n_places = rows.nrows().next_multiple_of(LANES);
        let mut cores = squared_cores.to_vec();
        cores.resize(n_places, 0.0);
        Outside {
            points: Lanes::new(rows),
            cores,
            nearest: vec![f64::INFINITY; n_places],
            anchors: vec![0; n_places],
            shortest: vec![f64::INFINITY; n_places / LANES],
        }
    }

    fn remove(&mut self, row: usize) {
        let place = self.points.place(row);
        self.nearest[place] = f64::INFINITY;
        self.shortest[place / LANES] = least(block_of(&self.nearest, place / LANES));
        self.points.remove(row);
        let (cores, nearest, anchors) = (&mut self.cores, &mut self.nearest, &mut self.anchors);
        let closed = self.points.close_holes(|from, to| {
            cores[to] = cores[from];
            nearest[to] = nearest[from];
            anchors[to] = anchors[from];
        });
        if closed {
            self.nearest[self.points.n_places()..].fill(f64::INFINITY);
            self.shortest = self
                .nearest
                .as_chunks::<LANES>()
                .0
                .iter()
                .map(least)
                .collect();
        }
    }

    /// Compares all rows with one that has just joined the tree, and gives the place of the
    /// nearest to the tree.
    #[inline(always)]
    fn compare(&mut self, newest: usize, point: &[f64], core: f64) -> usize {
        let mut best = (0, f64::INFINITY);
        for block in 0..self.points.n_places().div_ceil(LANES) {
            let mut lengths = self.points.squared_distances(block, point);
            let cores = block_of(&self.cores, block);
            let nearest = block_of(&self.nearest, block);
            let mut is_any_nearer = false;
            for lane in 0..LANES {
                lengths[lane] = greater(greater(lengths[lane], cores[lane]), core);
                is_any_nearer |= lengths[lane] < nearest[lane];
            }
            // Seldom: most rows found a near one long ago.
            if is_any_nearer {
                self.shorten(block, newest, &lengths);
            }
            if self.shortest[block] < best.1 {
                best = (block, self.shortest[block]);
            }
        }
        let (block, shortest) = best;
        let nearest = block_of(&self.nearest, block);
        let lane = nearest.iter().position(|&length| length == shortest);
        block * LANES + lane.unwrap_or_default()
    }

    #[inline(always)]
    fn shorten(&mut self, block: usize, newest: usize, lengths: &[f64; LANES]) {
        let places = block * LANES..(block + 1) * LANES;
        let nearest = self.nearest[places.clone()].iter_mut();
        for ((nearest, anchor), &length) in nearest.zip(&mut self.anchors[places]).zip(lengths) {
            let is_nearer = length < *nearest;
            *nearest = if is_nearer { length } else { *nearest };
            *anchor = if is_nearer { newest } else { *anchor };
        }
        self.shortest[block] = least(block_of(&self.nearest, block));
    }
}

#[inline(always)]
fn block_of(values: &[f64], block: usize) -> &[f64; LANES] {
    let (blocks, _) = values.as_chunks::<LANES>();
    &blocks[block]
}

/// The greater of two numbers that are not NaN.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
