//! Probabilities from scores by a rising step function.

use didact_core::{Error, Result};
use serde::{Deserialize, Serialize};

/// The non-decreasing function of the score nearest to the targets in squares, found by pooling
/// adjacent violators in one pass; straight lines between its corners.
///
/// Needs no shape but more rows than a sigmoid; as that, fit it on rows that did *not* train the
/// scoring model.
///
/// ```
/// use didact_evaluate::Isotonic;
/// let steps = Isotonic::fit(&[1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, 0.0, 1.0], None)?;
/// assert_eq!(steps.value(2.5), 0.5);
/// assert_eq!(steps.value(9.0), 1.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Isotonic {
    /// The scores of the corners, ascending.
    pub scores: Vec<f64>,
    /// The value at each corner, not descending.
    pub values: Vec<f64>,
}

/// Rows of one value: first and last score, mean target and weight.
#[derive(Clone, Copy)]
struct Block {
    first: f64,
    last: f64,
    mean: f64,
    weight: f64,
}

impl Isotonic {
    /// Fits targets (zero and one for probabilities) by their scores.
    pub fn fit(scores: &[f64], targets: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let lengths = weights.map_or(targets.len(), <[f64]>::len);
        if scores.len() != targets.len() || lengths != targets.len() || scores.is_empty() {
            return Err(Error::data(format!(
                "there are {} scores, {} targets and {lengths} weights; give one of each per row, and at least one row",
                scores.len(),
                targets.len()
            )));
        }
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        if !finite(scores) || !finite(targets) || !weights.is_none_or(finite) {
            return Err(Error::data(
                "a score, target or weight is not a finite number",
            ));
        }
        let mut rows: Vec<(f64, f64, f64)> = (0..scores.len())
            .map(|row| {
                let weight = weights.map_or(1.0, |weights| weights[row]);
                (scores[row] + 0.0, targets[row], weight)
            })
            .filter(|row| row.2 > 0.0)
            .collect();
        if rows.is_empty() {
            return Err(Error::data(
                "all weights are zero; at least one row must count",
            ));
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut blocks: Vec<Block> = Vec::new();
        for level in rows.chunk_by(|a, b| a.0 == b.0) {
            let weight: f64 = level.iter().map(|row| row.2).sum();
            let sum: f64 = level.iter().map(|row| row.1 * row.2).sum();
            blocks.push(Block {
                first: level[0].0,
                last: level[0].0,
                mean: sum / weight,
                weight,
            });
            // Rows of one score are one block; a fall joins it with the block before.
            while let [.., before, after] = blocks.as_slice()
                && before.mean >= after.mean
            {
                let weight = before.weight + after.weight;
                let joined = Block {
                    first: before.first,
                    last: after.last,
                    mean: (before.mean * before.weight + after.mean * after.weight) / weight,
                    weight,
                };
                blocks.pop();
                blocks.pop();
                blocks.push(joined);
            }
        }
        let mut steps = Isotonic {
            scores: Vec::new(),
            values: Vec::new(),
        };
        for block in blocks {
            steps.scores.push(block.first);
            steps.values.push(block.mean);
            if block.last > block.first {
                steps.scores.push(block.last);
                steps.values.push(block.mean);
            }
        }
        Ok(steps)
    }

    /// The value at a score; beyond the ends that of the end.
    pub fn value(&self, score: f64) -> f64 {
        let above = self.scores.partition_point(|&corner| corner < score);
        let last = self.scores.len() - 1;
        match above {
            0 => self.values[0],
            place if place > last => self.values[last],
            place => {
                let (x0, x1) = (self.scores[place - 1], self.scores[place]);
                let (y0, y1) = (self.values[place - 1], self.values[place]);
                y0 + (y1 - y0) * (score - x0) / (x1 - x0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Oracle: sklearn.isotonic.IsotonicRegression(out_of_bounds="clip") with weights and tied
    // scores, at scores between and beyond.
    #[test]
    fn steps_agree_with_the_oracle() {
        let scores: Vec<f64> = (0..25).map(|i| ((i * 7) % 20) as f64 / 4.0).collect();
        let targets: Vec<f64> = (0..25)
            .map(|i| f64::from(u8::from(scores[i] + ((i * 5) % 9) as f64 / 2.0 > 3.5)))
            .collect();
        let weights: Vec<f64> = (0..25).map(|i| 0.5 + (i % 4) as f64).collect();
        let steps = Isotonic::fit(&scores, &targets, Some(&weights)).unwrap();
        for (place, expected) in ISOTONIC.into_iter().enumerate() {
            let found = steps.value(place as f64 * 0.45 - 0.5);
            assert!(
                (found - expected).abs() < 1e-12,
                "{place}: {found} {expected}"
            );
        }
    }

    const ISOTONIC: [f64; 13] = [
        0.0,
        0.0,
        0.22857142857142856,
        0.22857142857142856,
        0.22857142857142856,
        0.75,
        0.9500000000000002,
        1.0,
        1.0,
        1.0,
        1.0,
        1.0,
        1.0,
    ];

    proptest! {
        #[test]
        fn values_never_fall_and_keep_the_mean(
            rows in prop::collection::vec((0u8..9, any::<bool>()), 1..40)
        ) {
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let targets: Vec<f64> = rows.iter().map(|row| f64::from(u8::from(row.1))).collect();
            let steps = Isotonic::fit(&scores, &targets, None).unwrap();
            prop_assert!(steps.values.windows(2).all(|pair| pair[0] <= pair[1]));
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let fitted: Vec<f64> = scores.iter().map(|&score| steps.value(score)).collect();
            prop_assert!((mean(&fitted) - mean(&targets)).abs() < 1e-12);
        }
    }

    #[test]
    fn one_row_is_a_constant_and_nothing_is_refused() {
        let one = Isotonic::fit(&[2.0], &[0.25], None).unwrap();
        assert_eq!((one.value(-1.0), one.value(5.0)), (0.25, 0.25));
        assert!(Isotonic::fit(&[], &[], None).is_err());
        assert!(Isotonic::fit(&[1.0], &[1.0], Some(&[0.0])).is_err());
    }
}
