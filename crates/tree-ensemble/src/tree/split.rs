//! The best cut of a column: one pass over the sorted rows of a node.

use super::buckets::{Buckets, MANY};
use super::median::MedianScan;
use super::multiway;
use super::pairs::{Pair, Pairs, Sorted};
use super::problem::{Impurity, Problem, Summary, Target};
use super::rows::{NodeRows, SortRoom, count_present};
use crate::columns::{Columns, MISSING, Rank, RankedColumn, Ranks};
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
    /// The first rank of the second child; [`MISSING`] where only missing values follow, and of no
    /// meaning where columns have no ranks.
    pub(crate) rank: u32,
    /// What separates the first child from the second.
    pub(crate) border: Border,
    /// The same of further children.
    pub(crate) more: Vec<(u32, f64)>,
    /// The child of rows without a value, where the node has such rows.
    pub(crate) missing_child: Option<u8>,
}

/// What separates two children.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Border {
    Number(f64),
    /// A number between the values of two rows, which is looked up for the best cut only.
    Between(u32, u32),
}

impl Border {
    pub(crate) fn threshold(self, columns: &Columns<'_>, feature: usize) -> f64 {
        match self {
            Border::Number(threshold) => threshold,
            Border::Between(below, above) => columns.between(feature, below, above),
        }
    }
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
    buckets: Buckets,
    pub(super) left: Vec<f64>,
    pub(super) right: Vec<f64>,
    median: MedianScan,
    /// The values of the node's rows in one column.
    pub(super) values: Vec<f64>,
    /// The pairs of the node's rows, and their classes where there are more than two.
    pub(super) pairs: Vec<Pair>,
    pub(super) labels: Vec<u32>,
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
        let first = ranks.of(rows[0]);
        rows.iter().all(|&row| ranks.of(row) == first)
    }

    /// The best cut of a column, if there is one that leaves enough on both sides.
    pub(crate) fn best(&self, feature: usize, room: &mut Room) -> Option<Cut> {
        let column = self.problem.columns.column(feature);
        if let (Some(pairs), 2) = (&self.problem.pairs, self.max_children) {
            return self.best_of_pairs(pairs, feature, room);
        }
        let Room {
            sort,
            left,
            right,
            median,
            ..
        } = room;
        let sorted = self.rows.sorted(feature, &self.node, sort);
        let present = count_present(sorted, &column.ranks);
        if self.max_children > 2 && present == sorted.len() {
            return multiway::best(self, feature, sorted);
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
                (Target::Numbers { values, .. }, _) => scan.numbers(values, left, right, &mut best),
            }
        }
        let is_whole = present == sorted.len();
        let item = |place: usize| (column.ranks.of(sorted[place]), sorted[place]);
        best.map(|best| Self::cut(best, is_whole, item))
    }

    /// Puts the pairs of the node's rows together, where its columns are not kept sorted.
    pub(crate) fn gather(&self, room: &mut Room) {
        if let (Some(pairs), false) = (&self.problem.pairs, self.rows.is_presorted()) {
            let rows = self.rows.of(&self.node).iter();
            room.pairs.clear();
            room.pairs
                .extend(rows.map(|&row| pairs.of_rows[row as usize]));
        }
    }

    fn best_of_pairs(&self, pairs: &Pairs, feature: usize, room: &mut Room) -> Option<Cut> {
        let column = self.problem.columns.column(feature);
        let total = pairs.total(self.summary);
        let count = self.node.len();
        if let Some(list) = self.rows.list(feature, &self.node) {
            return match &column.ranks {
                Ranks::Narrow(ranks) => self.best_in_list(pairs, total, list, ranks),
                Ranks::Wide(ranks) => self.best_in_list(pairs, total, list, ranks),
            };
        }
        let rows = self.rows.of(&self.node);
        let own = &room.pairs[..count];
        room.sort.collect(rows, &column.ranks);
        let is_narrow = count >= MANY
            && pairs.of_classes
            && self.least.rows <= 1
            && self.least.weight <= 0.0
            && room.buckets.narrow(&mut room.sort.keys, own, total);
        room.sort.sort_keys(column.n_values);
        let keys = &room.sort.keys;
        let row = |place: usize| {
            let key = keys[place];
            ((key >> 32) as u32, rows[key as u32 as usize])
        };
        if is_narrow {
            let best = room.buckets.best(keys, own, pairs, total)?;
            return Some(Self::cut(best, true, row));
        }
        let item = |place: usize| {
            let key = keys[place];
            ((key >> 32) as u32, own[key as u32 as usize])
        };
        let best = Sorted { count, item }.best(pairs, total, self.least)?;
        let is_whole = item(count - 1).0 != MISSING;
        Some(Self::cut(best, is_whole, row))
    }

    /// The same of rows that are kept sorted; for each width of the ranks a loop of its own.
    fn best_in_list<R: Rank>(
        &self,
        pairs: &Pairs,
        total: Pair,
        list: &[u32],
        ranks: &[R],
    ) -> Option<Cut> {
        let count = list.len();
        let item = |place: usize| {
            let row = list[place] as usize;
            (ranks[row].widened(), pairs.of_rows[row])
        };
        let best = Sorted { count, item }.best(pairs, total, self.least)?;
        let is_whole = item(count - 1).0 != MISSING;
        let item = |place: usize| (ranks[list[place] as usize].widened(), list[place]);
        Some(Self::cut(best, is_whole, item))
    }

    /// The cut before a place of the sorted rows, given rank and row of each; `is_whole` where no
    /// value is missing.
    fn cut(best: Best, is_whole: bool, item: impl Fn(usize) -> (u32, u32)) -> Cut {
        let (rank, above) = item(best.place);
        Cut {
            merit: best.merit,
            rank,
            border: match rank {
                // Whatever has a value is on the left.
                MISSING => Border::Number(f64::INFINITY),
                _ => Border::Between(item(best.place - 1).1, above),
            },
            more: Vec::new(),
            missing_child: (!is_whole).then_some(u8::from(!best.missing_left)),
        }
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
        ranks.of(self.sorted[place - 1]) != ranks.of(self.sorted[place])
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
