//! One small tree: the leaf that gains most is split next.

use super::bins::{BinnedColumn, Bins, Codes, GROUP, MISSING};
use super::histogram::{Histogram, NodeSlopes, Slope, Sum};
use super::search::{Parent, Split, search};
use crate::tree::{Node, Tree};
use didact_core::{Result, Run, parallel};
use std::ops::Range;

/// Rows of a node that are worked on by themselves.
const PIECE: usize = 1 << 13;

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
    pub(super) fn fill(
        &mut self,
        rows: &[u32],
        slope: impl Fn(usize) -> Slope + Sync,
        run: &Run,
    ) -> Result<()> {
        self.rows.clear();
        self.rows.extend_from_slice(rows);
        self.slopes.resize(rows.len(), Slope::default());
        self.other_rows.resize(rows.len(), 0);
        self.other_slopes.resize(rows.len(), Slope::default());
        parallel::fill(&mut self.slopes, 1, PIECE, run, |places, slopes| {
            for (own, &row) in slopes.iter_mut().zip(&rows[places]) {
                *own = slope(row as usize);
            }
            Ok(())
        })
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
        let rows = 0..self.room.rows.len();
        let slopes = &self.room.slopes;
        let of_some = |some: Range<usize>| Ok(Sum::of(&slopes[some]));
        let sum = parallel::reduce(rows.len(), PIECE, self.run, &of_some, &Sum::plus)?;
        let sum = sum.unwrap_or_default();
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
        let middle = partition(self.bins, split, &parent.rows, self.room, self.run)?;
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

/// Consecutive rows of a node, with room for those that go to the right.
struct Piece<'a> {
    rows: &'a mut [u32],
    slopes: &'a mut [Slope],
    other_rows: &'a mut [u32],
    other_slopes: &'a mut [Slope],
    /// How many go to the left.
    left: usize,
}

/// Moves the rows of the left side to the front, in order, and says where the right side begins.
fn partition(
    bins: &Bins,
    split: Split,
    range: &Range<usize>,
    room: &mut Room,
    run: &Run,
) -> Result<usize> {
    let codes = bins.group(split.feature / GROUP);
    let column = split.feature % GROUP;
    let mut goes_left: [bool; 256] = std::array::from_fn(|code| code <= split.bin);
    if bins.column(split.feature).has_missing {
        goes_left[usize::from(MISSING)] = split.missing_left;
    }
    let rows = room.rows[range.clone()].chunks_mut(PIECE);
    let slopes = room.slopes[range.clone()].chunks_mut(PIECE);
    let other_rows = room.other_rows[range.clone()].chunks_mut(PIECE);
    let other_slopes = room.other_slopes[range.clone()].chunks_mut(PIECE);
    let pieces = rows.zip(slopes).zip(other_rows.zip(other_slopes));
    let mut pieces: Vec<Piece<'_>> = pieces
        .map(|((rows, slopes), (other_rows, other_slopes))| Piece {
            rows,
            slopes,
            other_rows,
            other_slopes,
            left: 0,
        })
        .collect();
    parallel::fill(&mut pieces, 1, 1, run, |_, pieces| {
        pieces[0].part(codes, column, &goes_left);
        Ok(())
    })?;
    let lefts: Vec<usize> = pieces.iter().map(|piece| piece.left).collect();
    Ok(range.start + join(&lefts, range, room))
}

impl Piece<'_> {
    /// Moves the rows of the left side to the front and those of the right side to the other place.
    fn part(&mut self, codes: &[Codes], column: usize, goes_left: &[bool; 256]) {
        let (rows, slopes) = (&mut *self.rows, &mut *self.slopes);
        let (other_rows, other_slopes) = (&mut *self.other_rows, &mut *self.other_slopes);
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
        self.left = left;
    }
}

/// Puts the left rows of all pieces together, then the right ones, and says how many are left.
fn join(lefts: &[usize], range: &Range<usize>, room: &mut Room) -> usize {
    let (rows, slopes) = (
        &mut room.rows[range.clone()],
        &mut room.slopes[range.clone()],
    );
    let mut end = 0;
    for (piece, &left) in lefts.iter().enumerate() {
        let first = piece * PIECE;
        if end < first {
            rows.copy_within(first..first + left, end);
            slopes.copy_within(first..first + left, end);
        }
        end += left;
    }
    let n_left = end;
    for (piece, &left) in lefts.iter().enumerate() {
        let right = PIECE.min(rows.len() - piece * PIECE) - left;
        let others = range.start + piece * PIECE..range.start + piece * PIECE + right;
        rows[end..end + right].copy_from_slice(&room.other_rows[others.clone()]);
        slopes[end..end + right].copy_from_slice(&room.other_slopes[others]);
        end += right;
    }
    n_left
}
