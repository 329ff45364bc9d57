//! From joint log-densities of classes and row to labels and probabilities.

use didact_core::{Result, Rows, Run, parallel};
use didact_math::numeric::argmax;
use ndarray::{Array2, ArrayView1, ArrayViewMut1};

/// Fills the scores of each row, in parallel; `score` is given a row and the place for its scores,
/// one per class.
pub(super) fn score_rows(
    rows: Rows<'_>,
    classes: usize,
    run: &Run,
    score: impl Fn(Rows<'_>, &mut [f64]) + Sync + Send,
) -> Result<Array2<f64>> {
    let width = classes.max(1);
    let mut scores = Array2::zeros((rows.n_rows(), width));
    let output = scores.as_slice_mut().expect("a new array is contiguous");
    let chunk = ((1 << 16) / (width * rows.n_columns().max(1))).clamp(16, 1024);
    parallel::fill(output, width, chunk, run, |range, piece| {
        for (row, scores) in range.zip(piece.chunks_exact_mut(width)) {
            score(rows.slice(row..row + 1), scores);
        }
        Ok(())
    })?;
    Ok(scores)
}

/// The label of each row, the lowest where several classes are equally probable.
pub(super) fn labels(joint: &Array2<f64>) -> Vec<usize> {
    let best = |row: ArrayView1<'_, f64>| argmax(row.iter().copied()).unwrap_or(0);
    joint.rows().into_iter().map(best).collect()
}

/// The probability of each class given the row. Where every density is out of range, logarithms
/// included, nothing is left to say but the shares of the classes.
pub(super) fn probabilities(mut joint: Array2<f64>, shares: ArrayView1<'_, f64>) -> Array2<f64> {
    joint
        .rows_mut()
        .into_iter()
        .for_each(|mut row: ArrayViewMut1<'_, f64>| {
            let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if largest == f64::NEG_INFINITY {
                row.assign(&shares);
                return;
            }
            // Relative to the largest, because a logarithm of the sum would have lost digits.
            row.mapv_inplace(|score| (score - largest).exp());
            let total = row.sum();
            row /= total;
        });
    joint
}
