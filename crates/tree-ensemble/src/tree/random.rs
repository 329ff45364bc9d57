//! A cut at a random number: the best one of a few columns is good enough when many trees vote.

use super::pairs::{Pair, Pairs};
use super::problem::{Impurity, Target};
use super::split::{Border, Cut, Room, Searched};
use crate::columns::MISSING;
use didact_core::random::Generator;
use rand::RngExt;

/// What a column has to offer.
pub(super) enum Drawn {
    /// All rows of the node have the same value.
    Constant,
    /// The cut that was drawn leaves too little on one side.
    TooLittle,
    Cut(Cut),
}

impl Searched<'_> {
    /// Puts together what all columns need of the node's rows.
    pub(super) fn prepare_random(&self, room: &mut Room) {
        self.gather(room);
        if let (None, Target::Classes { labels, .. }) = (&self.problem.pairs, self.problem.target) {
            let rows = self.rows.of(&self.node).iter();
            room.labels.clear();
            room.labels.extend(rows.map(|&row| labels[row as usize]));
        }
    }

    /// A cut at a random number between the least and the greatest value of a column.
    pub(super) fn random(
        &self,
        feature: usize,
        generator: &mut Generator,
        room: &mut Room,
    ) -> Drawn {
        let (column, has_missing) = self.problem.columns.values(feature);
        let rows = self.rows.of(&self.node);
        room.values.clear();
        room.values
            .extend(rows.iter().map(|&row| column[row as usize]));
        let (least, greatest) = extremes(&room.values);
        let missing = match has_missing {
            true => room.values.iter().filter(|value| value.is_nan()).count(),
            false => 0,
        };
        if missing == rows.len() || (least == greatest && missing == 0) {
            return Drawn::Constant;
        }
        let missing_left = missing > 0 && generator.random::<bool>();
        let threshold = match least == greatest {
            // Whatever has a value is on the left.
            true => f64::INFINITY,
            false => {
                let share: f64 = generator.random();
                let drawn = least * (1.0 - share) + greatest * share;
                // Above the least value and not above the greatest, so that neither side is empty.
                match drawn > least && drawn <= greatest {
                    true => drawn,
                    false => above(&room.values, least),
                }
            }
        };
        let missing_left = missing_left && threshold < f64::INFINITY;
        if missing_left {
            room.values
                .iter_mut()
                .filter(|value| value.is_nan())
                .for_each(|value| *value = f64::NEG_INFINITY);
        }
        match self.merit_of(threshold, room) {
            None => Drawn::TooLittle,
            Some(merit) => Drawn::Cut(Cut {
                merit,
                rank: MISSING,
                border: Border::Number(threshold),
                more: Vec::new(),
                missing_child: (missing > 0).then_some(u8::from(!missing_left)),
            }),
        }
    }

    /// The merit of sending the rows whose value is below a threshold to the left, if both sides
    /// have enough.
    fn merit_of(&self, threshold: f64, room: &mut Room) -> Option<f64> {
        if self.problem.impurity == Impurity::Absolute {
            return self.distances_of(threshold, &room.values);
        }
        if let Some(pairs) = &self.problem.pairs {
            return self.merit_of_pairs(pairs, threshold, room);
        }
        let problem = self.problem;
        let rows = self.rows.of(&self.node);
        let width = problem.target.width();
        room.left.clear();
        room.left.resize(width, 0.0);
        let (mut count, mut weight) = (0, 0.0);
        for (place, &row) in rows.iter().enumerate() {
            let goes_left = room.values[place] < threshold;
            let own = match goes_left {
                true => problem.weights[row as usize],
                false => 0.0,
            };
            count += usize::from(goes_left);
            weight += own;
            match problem.target {
                Target::Classes { .. } => room.left[room.labels[place] as usize] += own,
                Target::Numbers { values, .. } => {
                    let values = &values[row as usize * width..];
                    for (left, value) in room.left.iter_mut().zip(values) {
                        *left += own * value;
                    }
                }
            }
        }
        let rest = self.summary.weight - weight;
        if !self.is_enough(count, weight, rest) {
            return None;
        }
        room.right.clear();
        let pairs = self.summary.totals.iter().zip(&room.left);
        room.right.extend(pairs.map(|(total, left)| total - left));
        Some(problem.merit(&room.left, weight) + problem.merit(&room.right, rest))
    }

    fn merit_of_pairs(&self, pairs: &Pairs, threshold: f64, room: &Room) -> Option<f64> {
        let (count, [weight, sum]) = below(&room.values, &room.pairs, threshold);
        let total = pairs.total(self.summary);
        let (rest, other) = (total[0] - weight, total[1] - sum);
        self.is_enough(count, weight, rest)
            .then(|| pairs.merit(sum * sum / weight + other * other / rest, total))
    }

    /// Minus the distances from the medians of both sides.
    fn distances_of(&self, threshold: f64, values: &[f64]) -> Option<f64> {
        let rows = self.rows.of(&self.node);
        let side = |goes_left: bool| -> Vec<u32> {
            let own = rows.iter().zip(values);
            own.filter(|&(_, &value)| (value < threshold) == goes_left)
                .map(|(&row, _)| row)
                .collect()
        };
        let (left, right) = (side(true), side(false));
        if left.len().min(right.len()) < self.least.rows {
            return None;
        }
        let (left, right) = (
            self.problem.summarise(&left),
            self.problem.summarise(&right),
        );
        (left.weight.min(right.weight) >= self.least.weight)
            .then(|| -(left.weight * left.impurity + right.weight * right.impurity))
    }

    /// Whether so many rows on the left leave enough on both sides.
    fn is_enough(&self, left: usize, weight: f64, rest: f64) -> bool {
        left.min(self.node.len() - left) >= self.least.rows
            && weight.min(rest) >= self.least.weight
            && weight.min(rest) > 0.0
    }
}

/// The least and the greatest value; missing ones do not count.
fn extremes(values: &[f64]) -> (f64, f64) {
    const LANES: usize = 4;
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let mut take = |lane: usize, value: f64| {
        low[lane] = if value < low[lane] { value } else { low[lane] };
        high[lane] = if value > high[lane] {
            value
        } else {
            high[lane]
        };
    };
    let (whole, rest) = values.as_chunks::<LANES>();
    for chunk in whole {
        for lane in 0..LANES {
            take(lane, chunk[lane]);
        }
    }
    rest.iter().for_each(|&value| take(0, value));
    let least = low.into_iter().fold(f64::INFINITY, f64::min);
    (least, high.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// The least of the values that are greater than another one.
fn above(values: &[f64], other: f64) -> f64 {
    let greater = values.iter().copied().filter(|&value| value > other);
    greater.fold(f64::INFINITY, f64::min)
}

/// How many values are below a threshold, and the sum of their pairs.
fn below(values: &[f64], pairs: &[Pair], threshold: f64) -> (usize, Pair) {
    let mut count = 0;
    // Two sums, so that one addition need not wait for the one before.
    let mut sums = [[0.0; 2]; 2];
    for (place, (&value, pair)) in values.iter().zip(pairs).enumerate() {
        let is_below = value < threshold;
        count += usize::from(is_below);
        // All ones or all zeros: a branch would be guessed wrong every other time.
        let mask = u64::from(is_below).wrapping_neg();
        let sum = &mut sums[place % 2];
        sum[0] += f64::from_bits(pair[0].to_bits() & mask);
        sum[1] += f64::from_bits(pair[1].to_bits() & mask);
    }
    let [first, second] = sums;
    (count, [first[0] + second[0], first[1] + second[1]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_leave_missing_values_out() {
        let values: Vec<f64> = (0..11)
            .map(|i| {
                if i % 3 == 1 {
                    f64::NAN
                } else {
                    f64::from(5 - i)
                }
            })
            .collect();
        assert_eq!(extremes(&values), (-4.0, 5.0));
        assert_eq!(above(&values, -4.0), -3.0);
    }

    #[test]
    fn sums_below_a_threshold_are_those_of_the_rows_that_are_below() {
        let values = [1.0, f64::NAN, 3.0, -2.0, 2.0];
        let pairs = [
            [1.0, -1.0],
            [2.0, 2.0],
            [4.0, 4.0],
            [8.0, -8.0],
            [16.0, 16.0],
        ];
        assert_eq!(below(&values, &pairs, 2.0), (2, [9.0, -9.0]));
        assert_eq!(below(&values, &pairs, 2.5), (3, [25.0, 7.0]));
    }
}
