//! One small tree: the leaf that gains most is split next.

use super::bins::{BinnedColumn, Bins, GROUP, MISSING};
use super::histogram::{Histogram, NodeSlopes, Slope, Sum};
use super::search::{Parent, Split, search};
use crate::tree::{Node, Tree};
use didact_core::{Result, Run};
use std::ops::Range;

/// How far a tree is grown.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub(super) max_leaf_nodes: usize,
    pub(super) max_depth: usize,
    pub(super) min_samples_leaf: f64,
    pub(super) l2: f64,
    /// What leaf values are multiplied with.
    pub(super) shrinkage: f64,
}

/// A leaf, and how it would be split.
struct Leaf {
    place: usize,
    rows: Range<usize>,
    depth: usize,
    sum: Sum,
    histogram: Histogram,
    split: Option<Split>,
}

/// A grown tree, and the leaf value of each range of rows.
pub(super) struct Grown {
    pub(super) tree: Tree,
    pub(super) leaves: Vec<(Range<usize>, f64)>,
}

/// Room that trees use one after the other.
#[derive(Default)]
pub(super) struct Room {
    /// The rows of all leaves, those of a leaf in one piece and rising, and their slopes: what is
    /// added up is then read in order.
    rows: Vec<u32>,
    slopes: Vec<Slope>,
    other_rows: Vec<u32>,
    other_slopes: Vec<Slope>,
    free: Vec<Histogram>,
}

impl Room {
    /// Takes the rows of a tree, rising, and their slopes.
    pub(super) fn fill(&mut self, rows: &[u32], slope: impl Fn(usize) -> Slope) {
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.slopes.clear();
        self.slopes
            .extend(rows.iter().map(|&row| slope(row as usize)));
        self.other_rows.resize(rows.len(), 0);
        self.other_slopes.resize(rows.len(), Slope::default());
    }

    /// The rows of a leaf of the tree that was grown last.
    pub(super) fn rows(&self, range: Range<usize>) -> &[u32] {
        &self.rows[range]
    }
}

struct Grower<'a> {
    bins: &'a Bins,
    limits: &'a Limits,
    room: &'a mut Room,
    run: &'a Run,
    tree: Tree,
    leaves: Vec<Leaf>,
}

/// Grows a tree on the rows of the room.
pub(super) fn grow(bins: &Bins, limits: &Limits, room: &mut Room, run: &Run) -> Result<Grown> {
    let mut grower = Grower {
        bins,
        limits,
        room,
        run,
        tree: Tree {
            nodes: vec![Node::LEAF],
            more_thresholds: Vec::new(),
            values: vec![0.0],
            width: 1,
            statistics: None,
        },
        leaves: Vec::new(),
    };
    grower.root()?;
    while grower.leaves.len() < limits.max_leaf_nodes {
        run.check()?;
        let Some((leaf, split)) = grower.most_gaining() else {
            break;
        };
        grower.part(leaf, split)?;
    }
    Ok(grower.finish())
}

impl Grower<'_> {
    fn root(&mut self) -> Result<()> {
        let mut sum = Sum::default();
        self.room.slopes.iter().for_each(|slope| sum.add(slope));
        let rows = 0..self.room.rows.len();
        let mut histogram = self.room.free.pop().unwrap_or_default();
        let (bins, limits, run) = (self.bins, self.limits, self.run);
        let node = self.node(&rows);
        let [split, _] = search(bins, limits, &node, (sum, 0), &mut histogram, None, run)?;
        self.leaves.push(Leaf {
            place: 0,
            rows,
            depth: 0,
            sum,
            histogram,
            split,
        });
        Ok(())
    }

    /// The rows and slopes of a node.
    fn node(&self, range: &Range<usize>) -> NodeSlopes<'_> {
        NodeSlopes {
            rows: (range.len() < self.bins.n_rows()).then(|| &self.room.rows[range.clone()]),
            slopes: &self.room.slopes[range.clone()],
        }
    }

    /// Takes the leaf whose split gains most out of the leaves.
    fn most_gaining(&mut self) -> Option<(Leaf, Split)> {
        let gain = |leaf: &Leaf| leaf.split.map_or(0.0, |split| split.gain);
        let more = |a: usize, b: usize| match gain(&self.leaves[b]) > gain(&self.leaves[a]) {
            true => b,
            false => a,
        };
        let chosen = (0..self.leaves.len()).reduce(more)?;
        let split = self.leaves[chosen].split.filter(|split| split.gain > 0.0)?;
        Some((self.leaves.swap_remove(chosen), split))
    }

    /// Replaces a leaf by its children.
    fn part(&mut self, parent: Leaf, split: Split) -> Result<()> {
        let column = self.bins.column(split.feature);
        let middle = partition(self.bins, split, &parent.rows, self.room);
        let first_child = self.tree.nodes.len();
        self.tree.nodes[parent.place] = question(column, split, parent.sum, first_child);
        self.tree.nodes.extend([Node::LEAF; 2]);
        self.tree.values.extend([0.0; 2]);
        let ranges = [parent.rows.start..middle, middle..parent.rows.end];
        let sums = [split.left, parent.sum.minus(split.left)];
        let depth = parent.depth + 1;
        let is_last =
            depth >= self.limits.max_depth || self.leaves.len() + 2 >= self.limits.max_leaf_nodes;
        let mut histograms = [Histogram::new(), Histogram::new()];
        let mut splits = [None; 2];
        match is_last {
            true => self.room.free.push(parent.histogram),
            false => {
                let smaller = usize::from(ranges[1].len() < ranges[0].len());
                let mut own = self.room.free.pop().unwrap_or_default();
                let mut rest = parent.histogram;
                let (bins, limits, run) = (self.bins, self.limits, self.run);
                let node = self.node(&ranges[smaller]);
                let left_over = Parent {
                    histogram: &mut rest,
                    rest: sums[1 - smaller],
                };
                let about = (sums[smaller], depth);
                let found = search(bins, limits, &node, about, &mut own, Some(left_over), run)?;
                splits[smaller] = found[0];
                splits[1 - smaller] = found[1];
                histograms[smaller] = own;
                histograms[1 - smaller] = rest;
            }
        }
        let children = histograms.into_iter().zip(ranges).zip(splits);
        for (side, ((histogram, rows), split)) in children.enumerate() {
            self.leaves.push(Leaf {
                place: first_child + side,
                rows,
                depth,
                sum: sums[side],
                histogram,
                split,
            });
        }
        Ok(())
    }

    /// Gives every leaf its value.
    fn finish(mut self) -> Grown {
        let limits = self.limits;
        let mut values = Vec::with_capacity(self.leaves.len());
        for leaf in self.leaves {
            let Sum { first, second, .. } = leaf.sum;
            let value = -limits.shrinkage * first / (second + limits.l2).max(1e-300);
            let value = if value.is_finite() { value } else { 0.0 };
            self.tree.values[leaf.place] = value;
            values.push((leaf.rows, value));
            if leaf.histogram.capacity() > 0 {
                self.room.free.push(leaf.histogram);
            }
        }
        Grown {
            tree: self.tree,
            leaves: values,
        }
    }
}

fn question(column: &BinnedColumn, split: Split, sum: Sum, first_child: usize) -> Node {
    let border = column.borders.get(split.bin).copied();
    Node {
        threshold: border.unwrap_or(f64::INFINITY),
        feature: split.feature as u32,
        first_child: first_child as u32,
        more: 0,
        n_children: 2,
        missing_child: match column.has_missing {
            true => u16::from(!split.missing_left),
            // The larger child, where nothing was learned of missing values.
            false => u16::from(2.0 * split.left.rows < sum.rows),
        },
    }
}

/// Moves the rows of the left side to the front, in order, and says where the right side begins.
fn partition(bins: &Bins, split: Split, range: &Range<usize>, room: &mut Room) -> usize {
    let codes = bins.group(split.feature / GROUP);
    let column = split.feature % GROUP;
    let rows = &mut room.rows[range.clone()];
    let slopes = &mut room.slopes[range.clone()];
    let other_rows = &mut room.other_rows[..range.len()];
    let other_slopes = &mut room.other_slopes[..range.len()];
    let mut goes_left: [bool; 256] = std::array::from_fn(|code| code <= split.bin);
    if bins.column(split.feature).has_missing {
        goes_left[usize::from(MISSING)] = split.missing_left;
    }
    // Both places are written and one is moved on, which needs no guess.
    let mut left = 0;
    for place in 0..rows.len() {
        let (row, slope) = (rows[place], slopes[place]);
        let right = place - left;
        (rows[left], slopes[left]) = (row, slope);
        (other_rows[right], other_slopes[right]) = (row, slope);
        let code = codes[row as usize][column];
        left += usize::from(goes_left[usize::from(code)]);
    }
    let right = rows.len() - left;
    rows[left..].copy_from_slice(&other_rows[..right]);
    slopes[left..].copy_from_slice(&other_slopes[..right]);
    range.start + left
}
