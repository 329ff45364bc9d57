//! The losses of boosting and their derivatives.

use super::histogram::Slope;
use didact_math::numeric::softplus;

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
            Loss::Softmax { labels, .. } => {
                didact_math::numeric::log_sum_exp(sums) - sums[labels[row] as usize]
            }
        }
    }

    /// The slopes of a row for each of the trees of a round.
    pub(super) fn slopes(&self, row: usize, sums: &[f64], weight: f64, slopes: &mut [Slope]) {
        match self {
            Loss::Squared { targets } => {
                slopes[0] = slope(weight * (sums[0] - targets[row]), weight);
            }
            Loss::Logistic { labels } => {
                let chance = didact_math::numeric::sigmoid(sums[0]);
                let off = chance - f64::from(labels[row]);
                slopes[0] = slope(weight * off, weight * chance * (1.0 - chance));
            }
            Loss::Softmax { labels, .. } => {
                let total = didact_math::numeric::log_sum_exp(sums);
                for (class, (sum, place)) in sums.iter().zip(slopes).enumerate() {
                    let chance = (sum - total).exp();
                    let off = chance - f64::from(u8::from(labels[row] as usize == class));
                    *place = slope(weight * off, weight * chance * (1.0 - chance));
                }
            }
        }
    }
}

fn slope(first: f64, second: f64) -> Slope {
    Slope {
        first: first as f32,
        second: second as f32,
    }
}
