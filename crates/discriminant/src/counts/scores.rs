//! Scores that are linear in the counts of a row.

use super::Reading;
use didact_core::{Result, Rows, Run, parallel};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// The score of each class: an offset plus a weight for each count of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinearScores {
    pub(crate) offsets: Array1<f64>,
    /// A row per column of the data and a column per class, so that one count adds to all classes
    /// in one stride. Minus infinity where a class never has the count.
    pub(crate) weights: Array2<f64>,
    /// How many counts each class is never without; their weight is plus infinity. Only for laws
    /// in which the lack of a count speaks too.
    pub(crate) certain: Option<Array1<f64>>,
}

impl LinearScores {
    /// The scores of all rows, a column per class.
    pub(crate) fn of(&self, rows: Rows<'_>, reading: Reading) -> Result<Array2<f64>> {
        reading.check(rows, 0)?;
        let k = self.offsets.len();
        let mut scores = Array2::zeros((rows.n_rows(), k));
        let output = scores.as_slice_mut().expect("a new array is contiguous");
        let per_row = match rows {
            Rows::Dense(x) => x.ncols(),
            Rows::Sparse(x) => x.n_stored() / x.n_rows().max(1),
        };
        let chunk = ((1 << 18) / (k * per_row.max(1))).clamp(16, 4096);
        parallel::fill(output, k, chunk, &Run::new(), |range, piece| {
            let mut seen = vec![0.0; k];
            for (row, scores) in range.zip(piece.chunks_exact_mut(k)) {
                match rows {
                    Rows::Dense(x) => {
                        let values = x.row(row).to_slice().expect("checked rows are contiguous");
                        let counts = values.iter().map(|&value| reading.count(value));
                        self.row(counts.enumerate(), scores, &mut seen);
                    }
                    Rows::Sparse(x) => {
                        let (columns, values) = x.row(row);
                        let counts = values.iter().map(|&value| reading.count(value));
                        let places = columns.iter().map(|&column| column as usize);
                        self.row(places.zip(counts), scores, &mut seen);
                    }
                }
            }
            Ok(())
        })?;
        Ok(scores)
    }

    #[inline]
    fn row(
        &self,
        counts: impl Iterator<Item = (usize, f64)>,
        scores: &mut [f64],
        seen: &mut [f64],
    ) {
        let k = scores.len();
        let weights = self.weights.as_slice().expect("weights are contiguous");
        let offsets = self.offsets.as_slice().expect("offsets are contiguous");
        scores.copy_from_slice(offsets);
        // Zero counts are passed over: nothing is said by a token that is not there, and
        // 0·(−∞) would be NaN.
        let counts = counts.filter(|&(_, count)| count != 0.0);
        let Some(certain) = &self.certain else {
            for (column, count) in counts {
                for (score, weight) in scores.iter_mut().zip(&weights[column * k..][..k]) {
                    *score += count * weight;
                }
            }
            return;
        };
        seen.fill(0.0);
        for (column, count) in counts {
            let weights = &weights[column * k..][..k];
            for ((score, seen), &weight) in scores.iter_mut().zip(&mut *seen).zip(weights) {
                match weight == f64::INFINITY {
                    true => *seen += 1.0,
                    false => *score += count * weight,
                }
            }
        }
        for ((score, seen), certain) in scores.iter_mut().zip(seen).zip(certain) {
            if *seen < *certain {
                *score = f64::NEG_INFINITY;
            }
        }
    }
}
