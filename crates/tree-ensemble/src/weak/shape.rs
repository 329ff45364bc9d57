//! Shapes with two sides: a number for each row, and a threshold.

use super::WeakLearner;
use didact_core::random::Generator;
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The frame in which shapes are drawn: all columns by one unit, so that circles stay round and
/// nothing overflows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Space {
    pub(super) centers: Vec<f64>,
    pub(super) unit: f64,
}

/// A weak classifier: rows whose number is less than the threshold are on the left.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Weak {
    pub(super) family: WeakLearner,
    pub(super) column: usize,
    /// Direction, or centre and scales, or two rows and the rate of the kernel.
    pub(super) numbers: Vec<f64>,
    pub(super) threshold: f64,
    /// What the two sides add to the sum.
    pub(super) left: f64,
    pub(super) right: f64,
}

impl Space {
    pub(super) fn new(rows: ArrayView2<'_, f64>) -> Self {
        let (mut centers, mut unit) = (Vec::new(), 0.0_f64);
        for column in rows.columns() {
            let low = column.iter().copied().fold(f64::INFINITY, f64::min);
            let high = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            centers.push(low / 2.0 + high / 2.0);
            unit = unit.max(high / 2.0 - low / 2.0);
        }
        Space {
            centers,
            unit: if unit > 0.0 { unit } else { 1.0 },
        }
    }

    /// The rows in the frame, between −1 and 1 where they taught.
    pub(super) fn scaled(&self, rows: ArrayView2<'_, f64>) -> Array2<f64> {
        Array2::from_shape_fn(rows.dim(), |(row, column)| {
            let value = rows[[row, column]] / self.unit - self.centers[column] / self.unit;
            // Rows far outside are as far outside as can be told.
            value.clamp(-1e100, 1e100)
        })
    }
}

impl Weak {
    /// A random shape of the family; for stumps the given column.
    pub(super) fn draw(
        family: WeakLearner,
        column: usize,
        rows: ArrayView2<'_, f64>,
        signs: &[f64],
        random: &mut Generator,
    ) -> Self {
        let n_rows = rows.nrows();
        let mut numbers: Vec<f64> = Vec::new();
        match family {
            WeakLearner::Stumps => {}
            WeakLearner::Lines => {
                numbers.extend((0..rows.ncols()).map(|_| normal(random)));
            }
            WeakLearner::Circles | WeakLearner::Squares | WeakLearner::Diamonds => {
                numbers.extend(rows.row(random.random_range(0..n_rows)));
            }
            WeakLearner::Rectangles | WeakLearner::Gaussians => {
                numbers.extend(rows.row(random.random_range(0..n_rows)));
                // Proportions between a quarter and four.
                numbers
                    .extend((0..rows.ncols()).map(|_| (4.0 * random.random::<f64>() - 2.0).exp2()));
            }
            WeakLearner::Svms => {
                let mut of = |sign: f64| {
                    let own: Vec<usize> = (0..n_rows).filter(|&row| signs[row] == sign).collect();
                    match own.is_empty() {
                        true => random.random_range(0..n_rows),
                        false => own[random.random_range(0..own.len())],
                    }
                };
                let (first, second) = (of(1.0), of(-1.0));
                numbers.extend(rows.row(first));
                numbers.extend(rows.row(second));
                numbers.push((6.0 * random.random::<f64>() - 1.0).exp2());
            }
        }
        Weak {
            family,
            column,
            numbers,
            threshold: 0.0,
            left: 0.0,
            right: 0.0,
        }
    }

    /// The number of a row of the frame.
    pub(super) fn number(&self, row: &[f64]) -> f64 {
        let (first, rest) = self.numbers.split_at(self.numbers.len().min(row.len()));
        let differences = row.iter().zip(first).map(|(x, c)| (x - c).abs());
        let squared = |center: &[f64]| -> f64 {
            row.iter().zip(center).map(|(x, c)| (x - c) * (x - c)).sum()
        };
        match self.family {
            WeakLearner::Stumps => row[self.column],
            WeakLearner::Lines => row.iter().zip(first).map(|(x, u)| x * u).sum(),
            WeakLearner::Circles => squared(first),
            WeakLearner::Squares => differences.fold(0.0, f64::max),
            WeakLearner::Diamonds => differences.sum(),
            WeakLearner::Rectangles => differences
                .zip(rest)
                .map(|(off, s)| off * s)
                .fold(0.0, f64::max),
            WeakLearner::Gaussians => differences.zip(rest).map(|(off, s)| off * off * s).sum(),
            WeakLearner::Svms => {
                // With one row of each class the two multipliers of the machine are equal, and the
                // bias lies in the threshold.
                let rate = rest.last().copied().unwrap_or(1.0);
                (-rate * squared(first)).exp() - (-rate * squared(rest)).exp()
            }
        }
    }

    /// What the shape adds to the sum of a row of the frame.
    pub(super) fn answer(&self, row: &[f64]) -> f64 {
        match self.number(row) < self.threshold {
            true => self.left,
            false => self.right,
        }
    }

    pub(super) fn is_sound(&self, n_columns: usize) -> bool {
        let needed = match self.family {
            WeakLearner::Stumps => 0,
            WeakLearner::Rectangles | WeakLearner::Gaussians => 2 * n_columns,
            WeakLearner::Svms => 2 * n_columns + 1,
            _ => n_columns,
        };
        self.column < n_columns
            && self.numbers.len() == needed
            && self.left.is_finite()
            && self.right.is_finite()
    }
}

/// A draw from the normal law, by the sum of twelve uniform ones: directions need no more.
fn normal(random: &mut Generator) -> f64 {
    (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0
}
