//! One small tree: the leaf that gains most is split next.

use super::bins::{BinnedColumn, Bins, MISSING};
use super::histogram::{Histogram, Slope, Sum, WIDTH, build, subtract};
use crate::tree::{Node, Tree};
use didact_core::{Result, Run};
use std::ops::Range;

/// Curvature that both sides of a split must have.
const LEAST_CURVATURE: f64 = 1e-3;

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

/// The best split of a leaf.
#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    feature: usize,
    /// The last bin of the left side.
    bin: usize,
    missing_left: bool,
    left: Sum,
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
    pub(super) rows: Vec<u32>,
    other: Vec<u32>,
    free: Vec<Histogram>,
}

/// Grows a tree on the rows of the room.
pub(super) fn grow(
    bins: &Bins,
    slopes: &[Slope],
    limits: &Limits,
    room: &mut Room,
    run: &Run,
) -> Result<Grown> {
    let mut tree = Tree {
        nodes: vec![Node::LEAF],
        more_thresholds: Vec::new(),
        values: vec![0.0],
        width: 1,
        statistics: None,
    };
    let mut sum = Sum::default();
    for &row in &room.rows {
        let slope = slopes[row as usize];
        sum = sum.plus(Sum {
            first: f64::from(slope.first),
            second: f64::from(slope.second),
            rows: 1.0,
        });
    }
    let histogram = room.free.pop().unwrap_or_default();
    let mut root = Leaf {
        place: 0,
        rows: 0..room.rows.len(),
        depth: 0,
        sum,
        histogram: build(bins, &room.rows, slopes, histogram, run)?,
        split: None,
    };
    root.split = best(bins, &root, limits);
    let mut leaves = vec![root];
    while leaves.len() < limits.max_leaf_nodes {
        run.check()?;
        let gain = |leaf: &Leaf| leaf.split.map_or(0.0, |split| split.gain);
        let chosen = (0..leaves.len()).reduce(|a, b| match gain(&leaves[b]) > gain(&leaves[a]) {
            true => b,
            false => a,
        });
        let Some(chosen) = chosen.filter(|&chosen| gain(&leaves[chosen]) > 0.0) else {
            break;
        };
        let parent = leaves.swap_remove(chosen);
        let split = parent.split.expect("a leaf with a gain has a split");
        let column = bins.column(split.feature);
        let middle = partition(column, split, &parent.rows, room);
        let first_child = tree.nodes.len();
        tree.nodes[parent.place] = Node {
            threshold: column
                .borders
                .get(split.bin)
                .copied()
                .unwrap_or(f64::INFINITY),
            feature: split.feature as u32,
            first_child: first_child as u32,
            more: 0,
            n_children: 2,
            missing_child: match column.has_missing {
                true => u16::from(!split.missing_left),
                // The larger child, where nothing was learned of missing values.
                false => u16::from(2.0 * split.left.rows < parent.sum.rows),
            },
        };
        tree.nodes.extend([Node::LEAF; 2]);
        tree.values.extend([0.0; 2]);
        let ranges = [parent.rows.start..middle, middle..parent.rows.end];
        let sums = [split.left, parent.sum.minus(split.left)];
        let is_last =
            parent.depth + 1 >= limits.max_depth || leaves.len() + 2 >= limits.max_leaf_nodes;
        let smaller = usize::from(ranges[1].len() < ranges[0].len());
        let mut histograms = [Histogram::new(), Histogram::new()];
        match is_last {
            true => room.free.push(parent.histogram),
            false => {
                let free = room.free.pop().unwrap_or_default();
                let rows = &room.rows[ranges[smaller].clone()];
                histograms[smaller] = build(bins, rows, slopes, free, run)?;
                histograms[1 - smaller] = parent.histogram;
                let [left, right] = &mut histograms;
                match smaller {
                    0 => subtract(right, left),
                    _ => subtract(left, right),
                }
            }
        }
        for (side, histogram) in histograms.into_iter().enumerate() {
            let mut leaf = Leaf {
                place: first_child + side,
                rows: ranges[side].clone(),
                depth: parent.depth + 1,
                sum: sums[side],
                histogram,
                split: None,
            };
            if !is_last {
                leaf.split = best(bins, &leaf, limits);
            }
            leaves.push(leaf);
        }
    }
    let mut values = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let value = -limits.shrinkage * leaf.sum.first / (leaf.sum.second + limits.l2).max(1e-300);
        let value = if value.is_finite() { value } else { 0.0 };
        tree.values[leaf.place] = value;
        values.push((leaf.rows, value));
        if leaf.histogram.capacity() > 0 {
            room.free.push(leaf.histogram);
        }
    }
    Ok(Grown {
        tree,
        leaves: values,
    })
}

/// Moves the rows of the left side to the front, in order, and says where the right side begins.
fn partition(column: &BinnedColumn, split: Split, range: &Range<usize>, room: &mut Room) -> usize {
    let rows = &mut room.rows[range.clone()];
    room.other.resize(rows.len().max(room.other.len()), 0);
    let (mut left, mut right) = (0, 0);
    for place in 0..rows.len() {
        let row = rows[place];
        let code = column.codes[row as usize];
        let goes_left = match code == MISSING {
            true => split.missing_left,
            false => usize::from(code) <= split.bin,
        };
        rows[left] = row;
        room.other[right] = row;
        left += usize::from(goes_left);
        right += usize::from(!goes_left);
    }
    rows[left..].copy_from_slice(&room.other[..right]);
    range.start + left
}

/// G²/(H + λ): half of what a leaf lowers the loss by.
fn worth(sum: Sum, l2: f64) -> f64 {
    sum.first * sum.first / (sum.second + l2).max(1e-300)
}

/// The best split of a leaf over all columns and bins, missing values on either side.
fn best(bins: &Bins, leaf: &Leaf, limits: &Limits) -> Option<Split> {
    if leaf.sum.rows < 2.0 * limits.min_samples_leaf || leaf.depth >= limits.max_depth {
        return None;
    }
    let before = worth(leaf.sum, limits.l2);
    let mut best: Option<Split> = None;
    for feature in 0..bins.len() {
        let column = bins.column(feature);
        let sums = &leaf.histogram[feature * WIDTH..(feature + 1) * WIDTH];
        let ways: &[bool] = match column.has_missing {
            true => &[false, true],
            false => &[false],
        };
        for &missing_left in ways {
            let mut left = match missing_left {
                true => sums[usize::from(MISSING)],
                false => Sum::default(),
            };
            // The last bin is a cut too where missing values stay on the right.
            let cuts = column.borders.len() + usize::from(column.has_missing && !missing_left);
            for (bin, &sum) in sums.iter().enumerate().take(cuts) {
                left = left.plus(sum);
                let right = leaf.sum.minus(left);
                if left.rows < limits.min_samples_leaf || left.second < LEAST_CURVATURE {
                    continue;
                }
                if right.rows < limits.min_samples_leaf || right.second < LEAST_CURVATURE {
                    break;
                }
                let gain = worth(left, limits.l2) + worth(right, limits.l2) - before;
                if gain > best.map_or(0.0, |best| best.gain) {
                    best = Some(Split {
                        gain,
                        feature,
                        bin,
                        missing_left,
                        left,
                    });
                }
            }
        }
    }
    // Differences of rounding are no gain.
    best.filter(|split| split.gain > 1e-12 * before.abs())
}
