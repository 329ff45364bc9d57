//! A tree of boxes over weighted rows, for sums of windows around them.
//!
//! All rows of a box lie between its nearest and its farthest point, and so do their windows. A box
//! in which the window hardly changes is counted as a whole; most boxes are far away, where it is
//! next to nothing. Nearest boxes come first, so that what the sum is at least is known early.

use super::window::DensityKernel;
use crate::norm::Norm;
use didact_core::{Result, Run};
use didact_math::numeric::argmax;
use didact_math::vectorised::{exponential, vectorised};
use ndarray::ArrayView2;
use std::ops::Range;

/// Rows in the order of the leaves, and the boxes above them.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    norm: Norm,
    n_columns: usize,
    points: Vec<f64>,
    weights: Vec<f64>,
    /// The place of each row in the order of the leaves.
    places: Vec<usize>,
    nodes: Vec<Node>,
    /// The least and the greatest values of each box.
    boxes: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Node {
    places: Range<usize>,
    /// The node after the whole left branch; none for a leaf. The left child is the next node.
    right: Option<usize>,
    weight: f64,
}

/// What is summed around a point: a window of some bandwidth, up to an error.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sum {
    pub(super) kernel: DensityKernel,
    pub(super) bandwidth: f64,
    /// Relative error of the sum.
    pub(super) relative: f64,
    /// Error of the mean window, whatever the sum.
    pub(super) absolute: f64,
}

/// A sum on its way through the tree.
struct Walk<'a> {
    tree: &'a Tree,
    sum: Sum,
    point: &'a [f64],
    /// The place of a row that does not count.
    left_out: Option<usize>,
    /// The logarithm of the greatest window, taken out of all of them so that they do not vanish.
    shift: f64,
    /// What has been added up so far.
    total: f64,
    /// What the windows may be apart, per weight, whatever the total.
    allowed: f64,
}

impl Tree {
    pub(super) fn build(
        rows: ArrayView2<'_, f64>,
        weights: &[f64],
        norm: Norm,
        leaf_size: usize,
        run: &Run,
    ) -> Result<Self> {
        let mut tree = Tree {
            norm,
            n_columns: rows.ncols(),
            points: Vec::with_capacity(rows.len()),
            weights: Vec::with_capacity(rows.nrows()),
            places: vec![0; rows.nrows()],
            nodes: Vec::new(),
            boxes: Vec::new(),
        };
        let mut order: Vec<usize> = (0..rows.nrows()).collect();
        tree.grow(rows, weights, &mut order, 0, leaf_size.max(1), run)?;
        for (place, &row) in order.iter().enumerate() {
            tree.points.extend(rows.row(row));
            tree.weights.push(weights[row]);
            tree.places[row] = place;
        }
        Ok(tree)
    }

    /// Splits the rows at the middle one of their widest column.
    fn grow(
        &mut self,
        rows: ArrayView2<'_, f64>,
        weights: &[f64],
        order: &mut [usize],
        first: usize,
        leaf_size: usize,
        run: &Run,
    ) -> Result<()> {
        run.check()?;
        let node = self.nodes.len();
        self.nodes.push(Node {
            places: first..first + order.len(),
            right: None,
            weight: order.iter().map(|&row| weights[row]).sum(),
        });
        let mut least = vec![f64::INFINITY; rows.ncols()];
        let mut greatest = vec![f64::NEG_INFINITY; rows.ncols()];
        for &row in order.iter() {
            for (column, &value) in rows.row(row).iter().enumerate() {
                least[column] = least[column].min(value);
                greatest[column] = greatest[column].max(value);
            }
        }
        let widths = greatest.iter().zip(&least).map(|(high, low)| high - low);
        let widest = argmax(widths).filter(|&column| greatest[column] > least[column]);
        self.boxes.extend(least.iter().chain(&greatest));
        let (Some(column), true) = (widest, order.len() > leaf_size) else {
            return Ok(());
        };
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |&a, &b| {
            rows[[a, column]]
                .total_cmp(&rows[[b, column]])
                .then(a.cmp(&b))
        });
        let (left, right) = order.split_at_mut(half);
        self.grow(rows, weights, left, first, leaf_size, run)?;
        self.nodes[node].right = Some(self.nodes.len());
        self.grow(rows, weights, right, first + half, leaf_size, run)
    }

    /// ln Σ w·K(distance/bandwidth) over all rows but one; −∞ where no window reaches the point.
    pub(super) fn log_sum(&self, sum: Sum, point: &[f64], left_out: Option<usize>) -> f64 {
        let left_out = left_out.map(|row| self.places[row]);
        let shift = match sum.kernel.is_bounded() {
            true => 0.0,
            false => {
                let mut nearest = f64::INFINITY;
                self.nearest(0, self.bounds(0, point).0, point, left_out, &mut nearest);
                sum.kernel.exponent(nearest / sum.bandwidth)
            }
        };
        if shift == f64::NEG_INFINITY {
            return shift;
        }
        let mut walk = Walk {
            tree: self,
            sum,
            point,
            left_out,
            shift,
            total: 0.0,
            allowed: 2.0 * sum.absolute * (-shift).exp(),
        };
        walk.visit(0, self.bounds(0, point));
        walk.total.ln() + shift
    }

    /// The distances of the nearest and of the farthest point of a box.
    fn bounds(&self, node: usize, point: &[f64]) -> (f64, f64) {
        let d = self.n_columns;
        let corners = &self.boxes[2 * d * node..2 * d * (node + 1)];
        let (mut near, mut far) = (0.0, 0.0);
        for (column, &value) in point.iter().enumerate() {
            let (below, above) = (corners[column] - value, value - corners[d + column]);
            near = self.norm.add(near, below.max(above).max(0.0));
            far = self.norm.add(far, (-below).max(-above).max(0.0));
        }
        (self.norm.length(near), self.norm.length(far))
    }

    fn row(&self, place: usize) -> &[f64] {
        &self.points[place * self.n_columns..(place + 1) * self.n_columns]
    }

    /// The least distance of a row that counts.
    fn nearest(
        &self,
        node: usize,
        bound: f64,
        point: &[f64],
        left_out: Option<usize>,
        best: &mut f64,
    ) {
        if bound >= *best {
            return;
        }
        let Node { places, right, .. } = &self.nodes[node];
        let Some(right) = *right else {
            for place in places.clone().filter(|&place| Some(place) != left_out) {
                *best = best.min(self.norm.between(point, self.row(place)));
            }
            return;
        };
        let (left_bound, right_bound) =
            (self.bounds(node + 1, point).0, self.bounds(right, point).0);
        let mut branches = [(left_bound, node + 1), (right_bound, right)];
        if right_bound < left_bound {
            branches.swap(0, 1);
        }
        for (bound, branch) in branches {
            self.nearest(branch, bound, point, left_out, best);
        }
    }
}

impl Walk<'_> {
    fn visit(&mut self, node: usize, (near, far): (f64, f64)) {
        let Node {
            places,
            right,
            weight,
        } = &self.tree.nodes[node];
        let (greatest, least) = (self.window(near), self.window(far));
        if greatest == 0.0 {
            return;
        }
        let whole = self.tree.nodes[0].weight;
        let without = match self.left_out {
            Some(place) if places.contains(&place) => weight - self.tree.weights[place],
            _ => *weight,
        };
        // The errors of all boxes together are then at most what is allowed of the total.
        let allowed = self
            .allowed
            .max(2.0 * self.sum.relative * self.total / whole);
        if greatest - least <= allowed {
            self.total += without * (greatest + least) / 2.0;
            return;
        }
        let Some(right) = *right else {
            self.add_rows(places.clone());
            return;
        };
        let left = self.tree.bounds(node + 1, self.point);
        let other = self.tree.bounds(right, self.point);
        if other.0 < left.0 {
            self.visit(right, other);
            self.visit(node + 1, left);
        } else {
            self.visit(node + 1, left);
            self.visit(right, other);
        }
    }

    /// The window at a distance, relative to the greatest.
    fn window(&self, distance: f64) -> f64 {
        let Sum {
            kernel, bandwidth, ..
        } = self.sum;
        match kernel.is_bounded() {
            true => kernel.value(distance / bandwidth),
            // A box may begin nearer than the nearest row, but none of its windows is greater.
            false => {
                let exponent = kernel.exponent(distance / bandwidth) - self.shift;
                exponent.min(0.0).exp()
            }
        }
    }

    fn add_rows(&mut self, places: Range<usize>) {
        /// Windows that are computed together.
        const LANES: usize = 32;
        let Sum {
            kernel, bandwidth, ..
        } = self.sum;
        let mut windows = [0.0; LANES];
        for start in places.clone().step_by(LANES) {
            let some = start..(start + LANES).min(places.end);
            let windows = &mut windows[..some.len()];
            for (window, place) in windows.iter_mut().zip(some.clone()) {
                *window = self.tree.norm.between(self.point, self.tree.row(place)) / bandwidth;
            }
            match kernel.is_bounded() {
                true => windows.iter_mut().for_each(|u| *u = kernel.value(*u)),
                false => {
                    let shift = self.shift;
                    vectorised(
                        #[inline(always)]
                        || {
                            for u in windows.iter_mut() {
                                // A distance that rounds below the nearest one must not exceed 0.
                                *u = exponential((kernel.exponent(*u) - shift).min(0.0));
                            }
                        },
                    );
                }
            }
            for (window, place) in windows.iter().zip(some) {
                if Some(place) != self.left_out {
                    self.total += self.tree.weights[place] * window;
                }
            }
        }
    }
}
