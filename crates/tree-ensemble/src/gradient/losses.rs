//! The losses of boosting and their derivatives.

use super::histogram::Slope;
use didact_math::numeric::{log_sum_exp, softplus};
use didact_math::vectorised::{exponential, vectorised};
use std::ops::Range;

/// Rows whose exponentials are taken together: so many factors up to two have a finite product.
const PIECE: usize = 512;

/// What is minimised.
pub(super) enum Loss {
    /// ½(f − y)², y scaled.
    Squared { targets: Vec<f64> },
    /// ln(1 + exp(f)) − y·f of two classes.
    Logistic { labels: Vec<u32> },
    /// ln Σ exp(f_c) − f_y of several classes.
    Softmax { labels: Vec<u32>, n_classes: usize },
}

impl Loss {
    /// How many trees a round has.
    pub(super) fn width(&self) -> usize {
        match self {
            Loss::Softmax { n_classes, .. } => *n_classes,
            _ => 1,
        }
    }

    /// The loss of a row, given the sums of its trees.
    pub(super) fn of(&self, row: usize, sums: &[f64]) -> f64 {
        match self {
            Loss::Squared { targets } => 0.5 * (sums[0] - targets[row]).powi(2),
            Loss::Logistic { labels } => softplus(sums[0]) - f64::from(labels[row]) * sums[0],
            Loss::Softmax { labels, .. } => log_sum_exp(sums) - sums[labels[row] as usize],
        }
    }

    /// The slopes of consecutive rows for each of the trees of a round, given the sums of their
    /// trees, and the weighted sum of their losses.
    pub(super) fn slopes(
        &self,
        rows: Range<usize>,
        sums: &[f64],
        weights: &[f64],
        slopes: &mut [Slope],
    ) -> f64 {
        match self {
            Loss::Squared { targets } => {
                let mut loss = 0.0;
                let targets = targets[rows].iter().zip(weights);
                for ((sum, (target, weight)), place) in sums.iter().zip(targets).zip(slopes) {
                    let off = sum - target;
                    loss += 0.5 * weight * off * off;
                    *place = slope(weight * off, *weight);
                }
                loss
            }
            Loss::Logistic { labels } => {
                let labels = labels[rows].chunks(PIECE).zip(sums.chunks(PIECE));
                let others = weights.chunks(PIECE).zip(slopes.chunks_mut(PIECE));
                let pieces = labels.zip(others);
                pieces
                    .map(|((labels, sums), (weights, slopes))| {
                        logistic(labels, sums, weights, slopes)
                    })
                    .sum()
            }
            Loss::Softmax { labels, n_classes } => {
                let mut loss = 0.0;
                let sums = sums.chunks(*n_classes);
                let rows = labels[rows].iter().zip(weights).zip(sums);
                for (((&label, &weight), sums), slopes) in rows.zip(slopes.chunks_mut(*n_classes)) {
                    let total = log_sum_exp(sums);
                    loss += weight * (total - sums[label as usize]);
                    for (class, (sum, place)) in sums.iter().zip(slopes).enumerate() {
                        let chance = (sum - total).exp();
                        let off = chance - f64::from(u8::from(label as usize == class));
                        *place = slope(weight * off, weight * chance * (1.0 - chance));
                    }
                }
                loss
            }
        }
    }
}

/// The slopes of at most [`PIECE`] rows of two classes, and the weighted sum of their losses.
fn logistic(labels: &[u32], sums: &[f64], weights: &[f64], slopes: &mut [Slope]) -> f64 {
    let mut smalls = [0.0; PIECE];
    let smalls = &mut smalls[..sums.len()];
    vectorised(
        #[inline(always)]
        || {
            for (small, sum) in smalls.iter_mut().zip(sums) {
                *small = exponential(-sum.abs());
            }
            let given = labels.iter().zip(weights).zip(smalls.iter().zip(sums));
            for (((&label, weight), (small, &sum)), place) in given.zip(slopes) {
                let share = 1.0 / (1.0 + small);
                let chance = if sum >= 0.0 { share } else { small * share };
                let off = chance - f64::from(label);
                // P(1 − P) = e/(1 + e)², which keeps its digits in both tails.
                *place = slope(weight * off, weight * (small * share * share));
            }
        },
    );
    let given = labels.iter().zip(weights).zip(sums);
    let linear: f64 = given
        .map(|((&label, weight), sum)| weight * (sum.max(0.0) - f64::from(label) * sum))
        .sum();
    linear + weighted_logarithms(weights, smalls)
}

/// Σ w·ln(1 + e); one logarithm is enough where all weights are equal.
fn weighted_logarithms(weights: &[f64], smalls: &[f64]) -> f64 {
    let Some(&first) = weights.first() else {
        return 0.0;
    };
    if weights.iter().any(|&weight| weight != first) {
        let terms = weights.iter().zip(smalls);
        return terms.map(|(weight, small)| weight * small.ln_1p()).sum();
    }
    let mut products = [1.0; 4];
    for (place, small) in smalls.iter().enumerate() {
        products[place % 4] *= 1.0 + small;
    }
    first * products.iter().product::<f64>().ln()
}

fn slope(first: f64, second: f64) -> Slope {
    Slope {
        first: first as f32,
        second: second as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The loss of one row after the other, and its differences, say the same.
    #[test]
    fn slopes_are_derivatives_and_the_sum_is_that_of_the_rows() {
        let count = 700;
        let sums: Vec<f64> = (0..count).map(|i| f64::from(i) * 0.1 - 35.0).collect();
        let labels: Vec<u32> = (0..count as u32).map(|i| i * 7 % 2).collect();
        let loss = Loss::Logistic { labels };
        for uneven in [0.0, 0.5] {
            let weights: Vec<f64> = (0..count)
                .map(|i| 1.5 + uneven * f64::from(i % 3))
                .collect();
            let mut slopes = vec![Slope::default(); sums.len()];
            let total = loss.slopes(0..sums.len(), &sums, &weights, &mut slopes);
            let mut expected = 0.0;
            for (row, (&sum, weight)) in sums.iter().zip(&weights).enumerate() {
                let at = |off: f64| weight * loss.of(row, &[sum + off]);
                expected += at(0.0);
                let first = (at(1e-5) - at(-1e-5)) / 2e-5;
                let second = (at(1e-3) - 2.0 * at(0.0) + at(-1e-3)) / 1e-6;
                assert!((f64::from(slopes[row].first) - first).abs() < 1e-6);
                assert!((f64::from(slopes[row].second) - second).abs() < 1e-6);
            }
            assert!((total / expected - 1.0).abs() < 1e-12);
        }
    }
}
