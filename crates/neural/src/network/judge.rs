//! What rows that were held out say about a network.

use crate::Real;

/// How rows that were held out judge a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judge {
    /// The share of rows whose class is found.
    Accuracy,
    /// One minus the share of the variance that is left, the mean over all targets.
    RSquared,
}

impl Judge {
    /// How good the scores of the chosen rows are, given the targets of all rows.
    pub(crate) fn score<T: Real>(
        self,
        scores: &[T],
        targets: &[T],
        width: usize,
        items: &[usize],
    ) -> f64 {
        let wanted = |item: usize| &targets[item * width..(item + 1) * width];
        match self {
            Judge::Accuracy => {
                let rows = items.iter().zip(scores.chunks_exact(width));
                let right = rows.filter(|(item, row)| winner(row) == right_class(wanted(**item)));
                right.count() as f64 / items.len() as f64
            }
            Judge::RSquared => {
                let column = |k: usize| {
                    let found = scores.iter().skip(k).step_by(width).map(|z| z.widen());
                    let wanted: Vec<f64> =
                        items.iter().map(|&item| wanted(item)[k].widen()).collect();
                    r_squared(found, &wanted)
                };
                (0..width).map(column).sum::<f64>() / width as f64
            }
        }
    }
}

/// The class of a row of scores: one score says the second where it is not negative.
fn winner<T: Real>(scores: &[T]) -> usize {
    match scores {
        [score] => usize::from(*score >= T::zero()),
        scores => first_largest(scores),
    }
}

fn right_class<T: Real>(targets: &[T]) -> usize {
    match targets {
        [target] => usize::from(*target > T::of(0.5)),
        targets => first_largest(targets),
    }
}

/// The place of the largest value, the first of equals.
pub(crate) fn first_largest<T: Real>(values: &[T]) -> usize {
    let mut best = 0;
    for (place, value) in values.iter().enumerate() {
        if *value > values[best] {
            best = place;
        }
    }
    best
}

fn r_squared(found: impl Iterator<Item = f64>, wanted: &[f64]) -> f64 {
    let mean = wanted.iter().sum::<f64>() / wanted.len() as f64;
    let spread: f64 = wanted.iter().map(|y| (y - mean) * (y - mean)).sum();
    let left: f64 = found.zip(wanted).map(|(a, y)| (a - y) * (a - y)).sum();
    match spread > 0.0 {
        true => 1.0 - left / spread,
        false => f64::from(left == 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_and_explained_variance_by_hand() {
        // One score per row: the second class where it is not negative.
        let accuracy =
            Judge::Accuracy.score(&[-1.0, 0.5, 2.0], &[0.0, 9.0, 1.0, 0.0], 1, &[0, 2, 3]);
        assert!((accuracy - 2.0 / 3.0).abs() < 1e-15);
        let three = Judge::Accuracy.score(&[0.1, 0.7, 0.2], &[0.0, 1.0, 0.0], 3, &[0]);
        assert_eq!(three, 1.0);
        // Targets 1, 3 around 2: spread 2, left 0.25 + 0.25.
        let explained = Judge::RSquared.score(&[1.5, 2.5], &[1.0, 3.0], 1, &[0, 1]);
        assert!((explained - 0.75).abs() < 1e-15);
        assert_eq!(
            Judge::RSquared.score(&[2.0, 2.5], &[2.0, 2.0], 1, &[0, 1]),
            0.0
        );
        assert_eq!(first_largest(&[1.0, 3.0, 3.0]), 1);
    }
}
