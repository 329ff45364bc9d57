//! The best cut of a column: one pass over the sorted rows of a node.

use super::median::MedianScan;
use super::multiway;
use super::problem::{Impurity, Problem, Summary, Target};
use super::rows::{NodeRows, SortRoom, count_present};
use crate::columns::{MISSING, RankedColumn};
use didact_core::random::Generator;
use rand::RngExt;
use std::ops::Range;

/// What a child must have at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least {
    pub(crate) rows: usize,
    pub(crate) weight: f64,
}

/// A way to split a node along one column.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// The sum of the merits of the children.
    pub(crate) merit: f64,
    /// The first rank of every child but the first; [`MISSING`] where only missing values follow.
    pub(crate) ranks: Vec<u32>,
    /// The numbers that separate the children.
    pub(crate) thresholds: Vec<f64>,
    /// The child of rows without a value, where the node has such rows.
    pub(crate) missing_child: Option<u8>,
}

/// Whether a merit is greater by more than rounding: two columns that part a node alike have sums
/// of another order, and the lower one should win whichever sum came out larger.
pub(crate) fn exceeds(merit: f64, other: f64) -> bool {
    merit > other + 1e-12 * other.abs()
}

/// Room that the search of a cut uses again and again.
#[derive(Default)]
pub(crate) struct Room {
    sort: SortRoom,
    left: Vec<f64>,
    right: Vec<f64>,
    median: MedianScan,
}

/// A node whose columns are searched.
pub(crate) struct Searched<'a> {
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) rows: &'a NodeRows<'a>,
    pub(crate) node: Range<usize>,
    pub(crate) summary: &'a Summary,
    pub(crate) least: Least,
    pub(crate) max_children: usize,
}

/// The place of the best cut so far in the sorted rows.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub(super) merit: f64,
    /// How many of the rows that have a value come before it.
    pub(super) place: usize,
    pub(super) missing_left: bool,
}

impl Searched<'_> {
    /// Whether all rows of the node have the same value in a column.
    pub(crate) fn is_constant(&self, feature: usize) -> bool {
        let ranks = &self.problem.columns.column(feature).ranks;
        let rows = self.rows.of(&self.node);
        let first = ranks[rows[0] as usize];
        rows.iter().all(|&row| ranks[row as usize] == first)
    }

    /// The best cut of a column, if there is one that leaves enough on both sides.
    pub(crate) fn best(&self, feature: usize, room: &mut Room) -> Option<Cut> {
        let column = self.problem.columns.column(feature);
        let Room {
            sort,
            left,
            right,
            median,
        } = room;
        let sorted = self.rows.sorted(feature, &self.node, sort);
        let present = count_present(sorted, &column.ranks);
        if self.max_children > 2 && present == sorted.len() {
            return multiway::best(self, column, sorted);
        }
        let mut best = None;
        let ways: &[bool] = match present < sorted.len() {
            true => &[false, true],
            false => &[false],
        };
        for &missing_left in ways {
            let scan = Scan {
                searched: self,
                column,
                sorted,
                present,
                missing_left,
            };
            match (self.problem.target, self.problem.impurity) {
                (_, Impurity::Absolute) => median.scan(&scan, &mut best),
                (Target::Classes { labels, .. }, _) => {
                    scan.classes(labels, left, right, &mut best);
                }
                (
                    Target::Numbers {
                        values,
                        n_targets: 1,
                    },
                    _,
                ) => scan.one_number(values, &mut best),
                (Target::Numbers { values, .. }, _) => scan.numbers(values, left, right, &mut best),
            }
        }
        best.map(|best| self.cut(column, sorted, present, best))
    }

    fn cut(&self, column: &RankedColumn, sorted: &[u32], present: usize, best: Best) -> Cut {
        let rank = |place: usize| column.ranks[sorted[place] as usize];
        let (cut, threshold) = match best.place == present {
            // Whatever has a value is on the left.
            true => (MISSING, f64::INFINITY),
            false => {
                let (below, above) = (rank(best.place - 1), rank(best.place));
                (above, column.between(below, above))
            }
        };
        Cut {
            merit: best.merit,
            ranks: vec![cut],
            thresholds: vec![threshold],
            missing_child: (present < sorted.len()).then_some(u8::from(!best.missing_left)),
        }
    }

    /// A cut at a random number between the least and the greatest value of a column.
    pub(crate) fn random(
        &self,
        feature: usize,
        generator: &mut Generator,
        room: &mut Room,
    ) -> Option<Cut> {
        let column = self.problem.columns.column(feature);
        let rows = self.rows.of(&self.node);
        let (mut low, mut high, mut missing) = (MISSING, 0, 0);
        for &row in rows {
            let rank = column.ranks[row as usize];
            match rank == MISSING {
                true => missing += 1,
                false => (low, high) = (low.min(rank), high.max(rank)),
            }
        }
        if missing == rows.len() || (low == high && missing == 0) {
            return None;
        }
        let missing_left = missing > 0 && generator.random::<bool>();
        let (rank, threshold) = match low == high {
            true => (MISSING, f64::INFINITY),
            false => {
                let share: f64 = generator.random();
                let (least, greatest) = (column.values[low as usize], column.values[high as usize]);
                let drawn = least * (1.0 - share) + greatest * share;
                // Above the least value and not above the greatest, so that neither side is empty.
                let threshold = match drawn > least && drawn <= greatest {
                    true => drawn,
                    false => column.values[low as usize + 1],
                };
                let rank = column.values.partition_point(|&value| value < threshold);
                (rank as u32, threshold)
            }
        };
        let missing_left = missing_left && rank != MISSING;
        let goes_left = |row: u32| {
            let own = column.ranks[row as usize];
            match own == MISSING {
                true => missing_left,
                false => own < rank,
            }
        };
        let merit = self.merit_of(rows, goes_left, room)?;
        Some(Cut {
            merit,
            ranks: vec![rank],
            thresholds: vec![threshold],
            missing_child: (missing > 0).then_some(u8::from(!missing_left)),
        })
    }

    /// The merit of a given division, if both sides have enough.
    fn merit_of(
        &self,
        rows: &[u32],
        goes_left: impl Fn(u32) -> bool,
        room: &mut Room,
    ) -> Option<f64> {
        let problem = self.problem;
        if problem.impurity == Impurity::Absolute {
            let (left, right): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| goes_left(row));
            if left.len().min(right.len()) < self.least.rows {
                return None;
            }
            let (left, right) = (problem.summarise(&left), problem.summarise(&right));
            return (left.weight.min(right.weight) >= self.least.weight)
                .then(|| -(left.weight * left.impurity + right.weight * right.impurity));
        }
        let width = problem.target.width();
        room.left.clear();
        room.left.resize(width, 0.0);
        let (mut count, mut weight) = (0, 0.0);
        for &row in rows.iter().filter(|&&row| goes_left(row)) {
            let row = row as usize;
            count += 1;
            let own = problem.weights[row];
            weight += own;
            match problem.target {
                Target::Classes { labels, .. } => room.left[labels[row] as usize] += own,
                Target::Numbers { values, .. } => {
                    for (left, value) in room.left.iter_mut().zip(&values[row * width..]) {
                        *left += own * value;
                    }
                }
            }
        }
        let rest = self.summary.weight - weight;
        if count.min(rows.len() - count) < self.least.rows
            || weight.min(rest) < self.least.weight
            || weight <= 0.0
            || rest <= 0.0
        {
            return None;
        }
        room.right.clear();
        let pairs = self.summary.totals.iter().zip(&room.left);
        room.right.extend(pairs.map(|(total, left)| total - left));
        Some(problem.merit(&room.left, weight) + problem.merit(&room.right, rest))
    }
}

/// One pass over a column, with the rows without a value on one side.
pub(super) struct Scan<'a> {
    pub(super) searched: &'a Searched<'a>,
    column: &'a RankedColumn,
    pub(super) sorted: &'a [u32],
    pub(super) present: usize,
    pub(super) missing_left: bool,
}

impl Scan<'_> {
    /// The rows in the order in which they move to the left, and how many of them are there
    /// before the first cut.
    pub(super) fn moves(&self) -> (impl Iterator<Item = u32> + '_, usize) {
        let (present, missing) = self.sorted.split_at(self.present);
        let first = match self.missing_left {
            true => missing,
            false => &[],
        };
        (first.iter().chain(present).copied(), first.len())
    }

    /// Whether a cut is possible after so many rows that have a value.
    #[inline]
    pub(super) fn is_cut(&self, place: usize) -> bool {
        if place == self.present {
            return !self.missing_left && self.present < self.sorted.len();
        }
        let ranks = &self.column.ranks;
        ranks[self.sorted[place - 1] as usize] != ranks[self.sorted[place] as usize]
    }

    /// Whether so many rows on the left leave enough on both sides.
    #[inline]
    pub(super) fn is_enough(&self, left: usize, weight: f64, rest: f64) -> bool {
        let least = self.searched.least;
        left >= least.rows
            && self.sorted.len() - left >= least.rows
            && weight >= least.weight
            && rest >= least.weight
            && weight > 0.0
            && rest > 0.0
    }

    #[inline]
    pub(super) fn offer(&self, best: &mut Option<Best>, merit: f64, place: usize) {
        if best.is_none_or(|best| exceeds(merit, best.merit)) && merit.is_finite() {
            *best = Some(Best {
                merit,
                place,
                missing_left: self.missing_left,
            });
        }
    }

    fn classes(
        &self,
        labels: &[u32],
        left: &mut Vec<f64>,
        right: &mut Vec<f64>,
        best: &mut Option<Best>,
    ) {
        let problem = self.searched.problem;
        let summary = self.searched.summary;
        left.clear();
        left.resize(summary.totals.len(), 0.0);
        right.clone_from(&summary.totals);
        let (mut weight, mut rest) = (0.0, summary.weight);
        // Sums of squares move in one step per row, whatever the number of classes.
        let mut squares = (0.0, right.iter().map(|total| total * total).sum::<f64>());
        let is_gini = problem.impurity == Impurity::Gini;
        let (moves, ahead) = self.moves();
        for (moved, row) in (1..).zip(moves) {
            let row = row as usize;
            let (class, own) = (labels[row] as usize, problem.weights[row]);
            squares.0 += own * (2.0 * left[class] + own);
            squares.1 -= own * (2.0 * right[class] - own);
            left[class] += own;
            right[class] -= own;
            weight += own;
            rest -= own;
            if moved <= ahead || !self.is_cut(moved - ahead) || !self.is_enough(moved, weight, rest)
            {
                continue;
            }
            let merit = match is_gini {
                true => squares.0 / weight + squares.1 / rest,
                false => problem.merit(left, weight) + problem.merit(right, rest),
            };
            self.offer(best, merit, moved - ahead);
        }
    }

    fn one_number(&self, values: &[f64], best: &mut Option<Best>) {
        let weights = self.searched.problem.weights;
        let summary = self.searched.summary;
        let (mut weight, mut sum) = (0.0, 0.0);
        let (moves, ahead) = self.moves();
        for (moved, row) in (1..).zip(moves) {
            let row = row as usize;
            weight += weights[row];
            sum += weights[row] * values[row];
            let rest = summary.weight - weight;
            if moved <= ahead || !self.is_cut(moved - ahead) || !self.is_enough(moved, weight, rest)
            {
                continue;
            }
            let other = summary.totals[0] - sum;
            self.offer(
                best,
                sum * sum / weight + other * other / rest,
                moved - ahead,
            );
        }
    }

    fn numbers(
        &self,
        values: &[f64],
        left: &mut Vec<f64>,
        right: &mut Vec<f64>,
        best: &mut Option<Best>,
    ) {
        let problem = self.searched.problem;
        let summary = self.searched.summary;
        let width = summary.totals.len();
        left.clear();
        left.resize(width, 0.0);
        right.clone_from(&summary.totals);
        let (mut weight, mut rest) = (0.0, summary.weight);
        let (moves, ahead) = self.moves();
        for (moved, row) in (1..).zip(moves) {
            let row = row as usize;
            let own = problem.weights[row];
            for target in 0..width {
                let value = own * values[row * width + target];
                left[target] += value;
                right[target] -= value;
            }
            weight += own;
            rest -= own;
            if moved > ahead && self.is_cut(moved - ahead) && self.is_enough(moved, weight, rest) {
                let merit = problem.merit(left, weight) + problem.merit(right, rest);
                self.offer(best, merit, moved - ahead);
            }
        }
    }
}
