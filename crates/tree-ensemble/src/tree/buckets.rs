//! Which rows can lie beside the best cut of two classes, found without sorting the others.
//!
//! The rows of a node fall into buckets by rank. Within a bucket the weights of both classes on the
//! left only grow, from those before the bucket to those behind it, and Σ D²/W is convex in them: it
//! is nowhere greater than at the best corner of the rectangle that they span. Where that is less
//! than what a cut between two buckets reaches, no cut of the bucket is the best.

use super::pairs::{Pair, Pairs, Race};
use super::split::Best;
use crate::columns::MISSING;

/// How many rows a node must have for buckets to pay.
pub(super) const MANY: usize = 512;

/// How many rows a bucket has, about.
const ROWS_OF_A_BUCKET: usize = 8;

const MOST_BUCKETS: usize = 1024;

/// Room for the buckets of a node, used again and again.
#[derive(Default)]
pub(super) struct Buckets {
    /// The least rank of the node, and by how many bits a rank above it is shifted to its bucket.
    low: u32,
    shift: u32,
    /// The pairs in each bucket, and before it.
    inside: Vec<Pair>,
    before: Vec<Pair>,
    promising: Vec<bool>,
}

impl Buckets {
    /// Leaves of the keys of a node, which are ranks with the places of their pairs in the lower
    /// half, those of the buckets that can hold the best cut. Nothing is done, and said to be,
    /// where a rank is missing.
    pub(super) fn narrow(&mut self, keys: &mut Vec<u64>, own: &[Pair], total: Pair) -> bool {
        let ends = keys.iter().fold((u64::MAX, 0), |(low, high), &key| {
            (key.min(low), key.max(high))
        });
        let (low, high) = ((ends.0 >> 32) as u32, (ends.1 >> 32) as u32);
        if high == MISSING {
            return false;
        }
        let wanted = (keys.len() / ROWS_OF_A_BUCKET).clamp(1, MOST_BUCKETS);
        let bits = u32::BITS - (high - low).leading_zeros();
        (self.low, self.shift) = (low, bits.saturating_sub(wanted.ilog2()));
        let n_buckets = self.of(high) + 1;
        self.inside.clear();
        self.inside.resize(n_buckets, [0.0; 2]);
        for &key in keys.iter() {
            let bucket = self.of((key >> 32) as u32);
            let own = own[key as u32 as usize];
            let inside = &mut self.inside[bucket];
            inside[0] += own[0];
            inside[1] += own[1];
        }
        self.judge(total);
        let mut kept = 0;
        for place in 0..keys.len() {
            let key = keys[place];
            keys[kept] = key;
            kept += usize::from(self.promising[self.of((key >> 32) as u32)]);
        }
        keys.truncate(kept);
        true
    }

    fn of(&self, rank: u32) -> usize {
        ((rank - self.low) >> self.shift) as usize
    }

    /// Finds the buckets that are promising.
    fn judge(&mut self, total: Pair) {
        let side = |weight: f64, sum: f64| match weight > 0.0 {
            true => sum * sum / weight,
            false => 0.0,
        };
        let squares =
            |[weight, sum]: Pair| side(weight, sum) + side(total[0] - weight, total[1] - sum);
        self.before.clear();
        let mut left = [0.0; 2];
        let mut best = f64::NEG_INFINITY;
        for inside in &self.inside {
            self.before.push(left);
            if left[0] > 0.0 && inside[0] > 0.0 {
                best = best.max(squares(left));
            }
            left = [left[0] + inside[0], left[1] + inside[1]];
        }
        // Rounding must not lose a bucket.
        let limit = best - 1e-9 * total[0];
        let reaches = |(&[weight, sum], &[more, difference]): (&Pair, &Pair)| {
            let (minus, plus) = ((more - difference) / 2.0, (more + difference) / 2.0);
            let corners = [
                [weight, sum],
                [weight + more, sum + difference],
                [weight + minus, sum - minus],
                [weight + plus, sum + plus],
            ];
            corners.into_iter().any(|corner| squares(corner) >= limit)
        };
        self.promising.clear();
        self.promising
            .extend(self.before.iter().zip(&self.inside).map(reaches));
    }

    /// The best cut among the sorted keys that were left. Where it lies at the beginning of a
    /// bucket the one before it is promising too, so that the key before the cut is the one below it.
    pub(super) fn best(
        &self,
        keys: &[u64],
        own: &[Pair],
        pairs: &Pairs,
        total: Pair,
    ) -> Option<Best> {
        let mut race = Race::new(pairs, total, None);
        let (mut bucket, mut previous) = (usize::MAX, MISSING);
        let mut left = [0.0; 2];
        for (place, &key) in keys.iter().enumerate() {
            let rank = (key >> 32) as u32;
            if self.of(rank) != bucket {
                bucket = self.of(rank);
                left = self.before[bucket];
            }
            if rank != previous && place > 0 {
                race.offer(left, f64::MIN_POSITIVE, place, false);
            }
            previous = rank;
            let own = own[key as u32 as usize];
            left = [left[0] + own[0], left[1] + own[1]];
        }
        race.best
    }
}

#[cfg(test)]
mod tests {
    use super::super::pairs::Sorted;
    use super::super::problem::{Impurity, Target};
    use super::super::split::Least;
    use super::*;

    // Labels that follow the rank, weakly or strongly, with even and uneven weights.
    #[test]
    fn the_best_cut_of_the_promising_buckets_is_the_best_of_all() {
        let mut state = 1_u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u32
        };
        for trial in 0..200 {
            let count = 512 + random() as usize % 3000;
            let n_ranks = [3, 50, 700, 20_000][trial % 4];
            let strength = random() % 100;
            let mut keys: Vec<u64> = (0..count as u64)
                .map(|place| u64::from(random() % n_ranks) << 32 | place)
                .collect();
            let labels: Vec<u32> = keys
                .iter()
                .map(|key| match random() % 100 < strength {
                    true => u32::from(((key >> 32) as u32) < n_ranks / 3),
                    false => random() % 2,
                })
                .collect();
            let weights: Vec<f64> = (0..count)
                .map(|_| match trial % 3 {
                    0 => 1.0,
                    1 => f64::from(1 + random() % 4),
                    _ => f64::from(1 + random() % 1000) / 7.0,
                })
                .collect();
            let target = Target::Classes {
                labels,
                n_classes: 2,
            };
            let pairs = Pairs::new(&weights, &target, Impurity::Gini).unwrap();
            let own = &pairs.of_rows;
            let total = own.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
            let mut all = keys.clone();
            all.sort_unstable();
            let item = |place: usize| ((all[place] >> 32) as u32, own[all[place] as u32 as usize]);
            let least = Least {
                rows: 1,
                weight: 0.0,
            };
            let expected = Sorted { count, item }.best(&pairs, total, least).unwrap();
            let mut buckets = Buckets::default();
            assert!(buckets.narrow(&mut keys, own, total));
            keys.sort_unstable();
            let found = buckets.best(&keys, own, &pairs, total).unwrap();
            assert!((found.merit / expected.merit - 1.0).abs() < 1e-12);
            assert_eq!(keys[found.place], all[expected.place]);
            assert_eq!(keys[found.place - 1], all[expected.place - 1]);
        }
    }

    #[test]
    fn missing_ranks_are_left_to_others() {
        let mut keys = vec![5 << 32, u64::from(MISSING) << 32 | 1];
        let own = [[1.0, 1.0], [1.0, -1.0]];
        assert!(!Buckets::default().narrow(&mut keys, &own, [2.0, 0.0]));
        assert_eq!(keys.len(), 2);
    }
}
