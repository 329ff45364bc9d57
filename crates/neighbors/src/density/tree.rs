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

/// The order of rows in the leaves, and the boxes above them.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    norm: Norm,
    n_columns: usize,
    /// The row at each place in the leaves.
    order: Vec<usize>,
    nodes: Vec<Node>,
    /// The least and the greatest values of each box.
    boxes: Vec<f64>,
}

/// The tree with the rows that it was built of, which stay where they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planted<'a> {
    tree: &'a Tree,
    rows: &'a [f64],
    weights: &'a [f64],
}

/// A row that does not count, and its place in the leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeftOut {
    row: usize,
    place: usize,
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
    planted: Planted<'a>,
    sum: Sum,
    point: &'a [f64],
    left_out: Option<LeftOut>,
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
            order: Vec::new(),
            nodes: Vec::new(),
            boxes: Vec::new(),
        };
        let mut order: Vec<usize> = (0..rows.nrows()).collect();
        tree.grow(rows, weights, &mut order, 0, leaf_size.max(1), run)?;
        tree.order = order;
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

    /// The tree with its rows and their weights.
    pub(super) fn with<'a>(&'a self, rows: &'a [f64], weights: &'a [f64]) -> Planted<'a> {
        Planted {
            tree: self,
            rows,
            weights,
        }
    }

    /// Every row as one that does not count.
    pub(super) fn to_leave_out(&self) -> Vec<LeftOut> {
        let places = self.order.iter().enumerate();
        let mut found: Vec<LeftOut> = places.map(|(place, &row)| LeftOut { row, place }).collect();
        found.sort_unstable_by_key(|left_out| left_out.row);
        found
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
}

impl Planted<'_> {
    /// ln Σ w·K(distance/bandwidth) over all rows but one; −∞ where no window reaches the point.
    pub(super) fn log_sum(self, sum: Sum, point: &[f64], left_out: Option<LeftOut>) -> f64 {
        let bounds = self.tree.bounds(0, point);
        let shift = match sum.kernel.is_bounded() {
            true => 0.0,
            false => {
                let mut nearest = f64::INFINITY;
                self.nearest(0, bounds.0, point, left_out, &mut nearest);
                sum.kernel.exponent(nearest / sum.bandwidth)
            }
        };
        if shift == f64::NEG_INFINITY {
            return shift;
        }
        let mut walk = Walk {
            planted: self,
            sum,
            point,
            left_out,
            shift,
            total: 0.0,
            allowed: 2.0 * sum.absolute * (-shift).exp(),
        };
        walk.visit(0, bounds);
        walk.total.ln() + shift
    }

    fn row(&self, row: usize) -> &[f64] {
        let d = self.tree.n_columns;
        &self.rows[row * d..(row + 1) * d]
    }

    /// The least distance of a row that counts.
    fn nearest(
        &self,
        node: usize,
        bound: f64,
        point: &[f64],
        left_out: Option<LeftOut>,
        best: &mut f64,
    ) {
        if bound >= *best {
            return;
        }
        let Node { places, right, .. } = &self.tree.nodes[node];
        let Some(right) = *right else {
            let left_out = left_out.map(|left_out| left_out.row);
            let rows = self.tree.order[places.clone()].iter();
            for &row in rows.filter(|&&row| Some(row) != left_out) {
                *best = best.min(self.tree.norm.between(point, self.row(row)));
            }
            return;
        };
        let bound = |node| self.tree.bounds(node, point).0;
        let (left_bound, right_bound) = (bound(node + 1), bound(right));
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
        } = &self.planted.tree.nodes[node];
        let (greatest, least) = (self.window(near), self.window(far));
        if greatest == 0.0 {
            return;
        }
        let whole = self.planted.tree.nodes[0].weight;
        let without = match self.left_out {
            Some(one) if places.contains(&one.place) => weight - self.planted.weights[one.row],
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
        let left = self.planted.tree.bounds(node + 1, self.point);
        let other = self.planted.tree.bounds(right, self.point);
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
        let Planted { tree, weights, .. } = self.planted;
        let left_out = self.left_out.map(|left_out| left_out.row);
        let mut windows = [0.0; LANES];
        for rows in tree.order[places].chunks(LANES) {
            let windows = &mut windows[..rows.len()];
            for (window, &row) in windows.iter_mut().zip(rows) {
                *window = tree.norm.between(self.point, self.planted.row(row)) / bandwidth;
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
            for (window, &row) in windows.iter().zip(rows) {
                if Some(row) != left_out {
                    self.total += weights[row] * window;
                }
            }
        }
    }
}
