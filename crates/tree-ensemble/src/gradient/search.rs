//! The best split of a node, column by column.

use super::bins::{BinnedColumn, Bins, GROUP, MISSING};
use super::grow::Limits;
use super::histogram::{Histogram, NodeSlopes, Sum, WIDTH, add, subtract};
use didact_core::{Result, Run, parallel};

/// Curvature that both sides of a split must have.
const LEAST_CURVATURE: f64 = 1e-3;

/// From this many added values and searched bins on, columns are searched in parallel.
const LARGE: usize = 1 << 14;

/// So many rows of a node are added up by themselves, so that few columns too keep several threads
/// busy.
const PART: usize = 1 << 14;

/// At most so many parts, each of which needs a histogram.
const MOST_PARTS: usize = 4;

/// The best split of a leaf.
#[derive(Clone, Copy)]
pub(super) struct Split {
    pub(super) gain: f64,
    pub(super) feature: usize,
    /// The last bin of the left side.
    pub(super) bin: usize,
    pub(super) missing_left: bool,
    pub(super) left: Sum,
}

/// The parent of a node, of which the node's sibling is left over.
pub(super) struct Parent<'a> {
    pub(super) histogram: &'a mut Histogram,
    /// The sum of the sibling.
    pub(super) rest: Sum,
}

/// One group of columns of a node and of its sibling: while its sums are at hand they are added up,
/// subtracted and searched.
struct Work<'a> {
    own: &'a mut [Sum; GROUP * WIDTH],
    /// The sums of the parent, which become those of the sibling.
    rest: Option<&'a mut [Sum; GROUP * WIDTH]>,
    found: [Option<Split>; 2],
}

/// Adds up the slopes of a node, turns the histogram of its parent into that of its sibling, and
/// says how both are split best. `about` is the sum of the node and how deep it lies.
pub(super) fn search(
    bins: &Bins,
    limits: &Limits,
    node: &NodeSlopes<'_>,
    about: (Sum, usize),
    histogram: &mut Histogram,
    parent: Option<Parent<'_>>,
    run: &Run,
) -> Result<[Option<Split>; 2]> {
    let (sum, depth) = about;
    let rest = parent.as_ref().map_or(Sum::default(), |parent| parent.rest);
    let n_groups = bins.len().div_ceil(GROUP);
    histogram.resize(n_groups, [Sum::default(); GROUP * WIDTH]);
    let mut parents = parent.map(|parent| parent.histogram.iter_mut());
    let groups = histogram.iter_mut().map(|own| Work {
        own,
        rest: parents.as_mut().and_then(Iterator::next),
        found: [None; 2],
    });
    let mut groups: Vec<Work<'_>> = groups.collect();
    let parts = in_parts(bins, node, run)?;
    let is_open = |sum: Sum| sum.rows >= 2.0 * limits.min_samples_leaf && depth < limits.max_depth;
    let one = |group: usize, work: &mut Work<'_>| {
        match parts.is_empty() {
            true => node.add_up(0..node.slopes.len(), bins.group(group), work.own),
            false => {
                work.own.copy_from_slice(&parts[group]);
                let others = parts[group..].iter().step_by(n_groups).skip(1);
                others.for_each(|part| add(work.own, part));
            }
        }
        if is_open(sum) {
            work.found[0] = best_of_group(bins, group, work.own, sum, limits);
        }
        if let Some(parent) = work.rest.as_deref_mut() {
            subtract(parent, work.own);
            if is_open(rest) {
                work.found[1] = best_of_group(bins, group, parent, rest, limits);
            }
        }
    };
    match (node.slopes.len() + 2 * WIDTH) * bins.len() >= LARGE {
        true => parallel::fill(&mut groups, 1, 1, run, |numbers, works| {
            one(numbers.start, &mut works[0]);
            Ok(())
        })?,
        false => {
            for (group, work) in groups.iter_mut().enumerate() {
                one(group, work);
            }
        }
    }
    Ok([(0, sum), (1, rest)].map(|(side, sum)| {
        let best = groups.iter().map(|work| work.found[side]);
        let best = best.fold(None, better);
        // Differences of rounding are no gain.
        best.filter(|split| split.gain > 1e-12 * worth(sum, limits.l2).abs())
    }))
}

/// The sums of each part of a large node in each group of columns; nothing where there is only one
/// part.
fn in_parts(bins: &Bins, node: &NodeSlopes<'_>, run: &Run) -> Result<Histogram> {
    let n_rows = node.slopes.len();
    let n_parts = (n_rows / PART).min(MOST_PARTS);
    if n_parts < 2 {
        return Ok(Histogram::new());
    }
    let n_groups = bins.len().div_ceil(GROUP);
    let mut sums = vec![[Sum::default(); GROUP * WIDTH]; n_parts * n_groups];
    parallel::fill(&mut sums, 1, 1, run, |numbers, sums| {
        let (part, group) = (numbers.start / n_groups, numbers.start % n_groups);
        let rows = part * n_rows / n_parts..(part + 1) * n_rows / n_parts;
        node.add_up(rows, bins.group(group), &mut sums[0]);
        Ok(())
    })?;
    Ok(sums)
}

/// The split that gains more, of equal ones the first.
fn better(a: Option<Split>, b: Option<Split>) -> Option<Split> {
    let gain = |split: Option<Split>| split.map_or(0.0, |split| split.gain);
    if gain(b) > gain(a) { b } else { a }
}

/// G²/(H + λ): half of what a leaf lowers the loss by.
fn worth(sum: Sum, l2: f64) -> f64 {
    sum.first * sum.first / (sum.second + l2).max(1e-300)
}

/// The best split of a node in a group of columns.
fn best_of_group(
    bins: &Bins,
    group: usize,
    sums: &[Sum],
    whole: Sum,
    limits: &Limits,
) -> Option<Split> {
    let first = group * GROUP;
    let features = first..bins.len().min(first + GROUP);
    let splits = features.zip(sums.chunks(WIDTH)).map(|(feature, sums)| {
        let column = bins.column(feature);
        best(column, feature, sums, whole, limits)
    });
    splits.fold(None, better)
}

/// The best split of a node in one column, missing values on either side.
fn best(
    column: &BinnedColumn,
    feature: usize,
    sums: &[Sum],
    whole: Sum,
    limits: &Limits,
) -> Option<Split> {
    let before = worth(whole, limits.l2);
    let mut best: Option<Split> = None;
    // What the sides must be worth together; a comparison of products spares two divisions.
    let mut limit = before;
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
            let right = whole.minus(left);
            if left.rows < limits.min_samples_leaf || left.second < LEAST_CURVATURE {
                continue;
            }
            if right.rows < limits.min_samples_leaf || right.second < LEAST_CURVATURE {
                break;
            }
            let (ours, theirs) = (left.second + limits.l2, right.second + limits.l2);
            let product = left.first * left.first * theirs + right.first * right.first * ours;
            if product <= limit * (ours * theirs) {
                continue;
            }
            let gain = worth(left, limits.l2) + worth(right, limits.l2) - before;
            if gain > best.map_or(0.0, |best| best.gain) {
                limit = before + gain;
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
    best
}
