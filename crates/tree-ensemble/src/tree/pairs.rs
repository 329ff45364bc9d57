//! Targets of which two sums describe a side of a cut: its weight W and Σ w·y.
//!
//! One number by squares is such a target. So are two classes by Gini's index, with y = −1 and +1:
//! with D = Σ w·y a side has the class weights (W ± D)/2, whose squares sum to (W² + D²)/2, so that
//! its merit is (W + D²/W)/2. The W sum to the same for every cut, and Σ D²/W is what a number y
//! would be judged by.

use super::problem::{Impurity, Summary, Target};
use super::split::{Best, Least};
use crate::columns::MISSING;

/// The weight of a row and its weighted target.
pub(super) type Pair = [f64; 2];

/// Pairs of all rows.
pub(crate) struct Pairs {
    pub(super) of_rows: Vec<Pair>,
    pub(super) of_classes: bool,
}

impl Pairs {
    /// Nothing where two sums are not enough.
    pub(super) fn new(weights: &[f64], target: &Target, impurity: Impurity) -> Option<Self> {
        let rows = weights.iter();
        match (target, impurity) {
            (
                Target::Classes {
                    labels,
                    n_classes: 2,
                },
                Impurity::Gini,
            ) => Some(Pairs {
                of_rows: rows
                    .zip(labels)
                    .map(|(&weight, &label)| [weight, if label == 0 { -weight } else { weight }])
                    .collect(),
                of_classes: true,
            }),
            (
                Target::Numbers {
                    values,
                    n_targets: 1,
                },
                Impurity::Squared,
            ) => Some(Pairs {
                of_rows: rows
                    .zip(values)
                    .map(|(&weight, &value)| [weight, weight * value])
                    .collect(),
                of_classes: false,
            }),
            _ => None,
        }
    }

    /// The pair of a whole node, of which the sums of its rows are known.
    pub(super) fn total(&self, summary: &Summary) -> Pair {
        match self.of_classes {
            true => [summary.weight, summary.totals[1] - summary.totals[0]],
            false => [summary.weight, summary.totals[0]],
        }
    }

    /// The merit of a cut in the units of [`super::Problem::merit`], given Σ D²/W of its sides.
    pub(super) fn merit(&self, squares: f64, total: Pair) -> f64 {
        match self.of_classes {
            true => (total[0] + squares) / 2.0,
            false => squares,
        }
    }

    /// Which Σ D²/W has a merit.
    fn squares(&self, merit: f64, total: Pair) -> f64 {
        match self.of_classes {
            true => 2.0 * merit - total[0],
            false => merit,
        }
    }
}

/// The sorted rows of a node: how many there are, how many have a value, and rank and pair of each.
pub(super) struct Sorted<Item> {
    pub(super) count: usize,
    pub(super) item: Item,
}

impl<Item: Fn(usize) -> (u32, Pair)> Sorted<Item> {
    /// How many of the rows have a value.
    pub(super) fn present(&self) -> usize {
        let is_missing = |place: usize| (self.item)(place).0 == MISSING;
        if self.count == 0 || !is_missing(self.count - 1) {
            return self.count;
        }
        let (mut first, mut end) = (0, self.count - 1);
        while first < end {
            let middle = (first + end) / 2;
            match is_missing(middle) {
                true => end = middle,
                false => first = middle + 1,
            }
        }
        first
    }

    /// The best cut, with the rows without a value on either side.
    pub(super) fn best(&self, pairs: &Pairs, total: Pair, least: Least) -> Option<Best> {
        let present = self.present();
        let mut best = None;
        self.scan(pairs, total, least, present, false, &mut best);
        if present < self.count {
            self.scan(pairs, total, least, present, true, &mut best);
        }
        best
    }

    fn scan(
        &self,
        pairs: &Pairs,
        total: Pair,
        least: Least,
        present: usize,
        missing_left: bool,
        best: &mut Option<Best>,
    ) {
        let [mut weight, mut sum] = [0.0; 2];
        let mut ahead = 0;
        if missing_left {
            for place in present..self.count {
                let (_, own) = (self.item)(place);
                weight += own[0];
                sum += own[1];
            }
            ahead = self.count - present;
        }
        // A cut behind the last value parts it from the missing ones.
        let end = present + usize::from(!missing_left && present < self.count);
        let enough = least.weight.max(f64::MIN_POSITIVE);
        let mut race = Race::new(pairs, total, *best);
        let (mut rank, mut own) = (self.item)(0);
        for place in 1..end {
            weight += own[0];
            sum += own[1];
            let before = rank;
            (rank, own) = (self.item)(place);
            let left = place + ahead;
            if rank != before && left >= least.rows && self.count - left >= least.rows {
                race.offer([weight, sum], enough, place, missing_left);
            }
        }
        *best = race.best;
    }
}

/// The best cut so far, and what the next one must exceed.
pub(super) struct Race<'a> {
    pairs: &'a Pairs,
    total: Pair,
    pub(super) best: Option<Best>,
    /// As Σ D²/W.
    limit: f64,
}

impl<'a> Race<'a> {
    pub(super) fn new(pairs: &'a Pairs, total: Pair, best: Option<Best>) -> Self {
        let mut race = Race {
            pairs,
            total,
            best,
            limit: f64::NEG_INFINITY,
        };
        race.raise();
        race
    }

    fn raise(&mut self) {
        if let Some(best) = self.best {
            let exceeded = best.merit + 1e-12 * best.merit.abs();
            self.limit = self.pairs.squares(exceeded, self.total);
        }
    }

    /// Takes a cut with such a pair on the left where it is the best; both sides must have enough
    /// weight.
    #[inline]
    pub(super) fn offer(
        &mut self,
        [weight, sum]: Pair,
        enough: f64,
        place: usize,
        missing_left: bool,
    ) {
        let (rest, other) = (self.total[0] - weight, self.total[1] - sum);
        if weight < enough || rest < enough {
            return;
        }
        // A comparison of products spares a division for every row.
        let squares = sum * sum * rest + other * other * weight;
        if squares > self.limit * (weight * rest) {
            let squares = sum * sum / weight + other * other / rest;
            let merit = self.pairs.merit(squares, self.total);
            if merit.is_finite() {
                self.best = Some(Best {
                    merit,
                    place,
                    missing_left,
                });
                self.raise();
            }
        }
    }
}
