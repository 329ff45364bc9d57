//! What rows of items, dense or sparse, give to a chain and take from it: scores and gradients.

use super::weights::ChainWeights;
use crate::hmm::ITEMS_PER_CHECK;
use didact_core::{CsrView, Error, Result, Rows, Run};
use didact_math::linalg::{Accumulate, matmul_into};
use didact_math::numeric::dot;
use ndarray::{ArrayView2, ArrayViewMut1, Axis};

/// Scores beyond this could overflow when they are added up along a sequence.
const LARGEST_SCORE: f64 = 1e200;
/// Rows that share one matrix product.
const BLOCK: usize = 256;

/// The scores of some rows; fails where they are beyond all bounds.
pub(crate) fn item_scores(
    weights: &ChainWeights,
    rows: Rows<'_>,
    first_row: usize,
    run: &Run,
) -> Result<Vec<f64>> {
    let k = weights.n_labels();
    let mut scores = vec![0.0; rows.n_rows() * k];
    for (block, scores) in scores.chunks_mut(ITEMS_PER_CHECK * k).enumerate() {
        run.check()?;
        let first = block * ITEMS_PER_CHECK;
        match rows.slice(first..first + scores.len() / k) {
            Rows::Dense(rows) => score_dense(weights, rows, scores),
            Rows::Sparse(rows) => score_sparse(weights, rows, scores),
        }
        if let Some(place) = scores.iter().position(|score| !in_range(*score)) {
            let row = first_row + first + place / k;
            return Err(Error::data(format!(
                "row {row} scores {}, which is beyond ±{LARGEST_SCORE:e}; \
                 scale its columns as those that the model learned from",
                scores[place]
            )));
        }
    }
    Ok(scores)
}

fn in_range(score: f64) -> bool {
    score.abs() <= LARGEST_SCORE
}

/// Writes w(j)·x + b(j) of every row x and label j.
///
/// Row by row, not as one product of matrices, so that a row scores the same to the last bit
/// whatever rows it comes with.
fn score_dense(weights: &ChainWeights, rows: ArrayView2<'_, f64>, scores: &mut [f64]) {
    let (k, d) = (weights.n_labels(), weights.n_features());
    let coef = weights.coef.as_slice().expect("made in C order");
    for (row, scores) in contiguous(rows)
        .chunks_exact(d)
        .zip(scores.chunks_exact_mut(k))
    {
        for (label, score) in scores.iter_mut().enumerate() {
            *score = dot(&coef[label * d..(label + 1) * d], row) + weights.intercept[label];
        }
    }
}

/// The same from the stored values, whichever way the weights are laid out.
fn score_sparse(weights: &ChainWeights, rows: CsrView<'_>, scores: &mut [f64]) {
    for (row, scores) in scores.chunks_exact_mut(weights.n_labels()).enumerate() {
        let mut scores = ArrayViewMut1::from(scores);
        let (columns, values) = rows.row(row);
        for (&column, &value) in columns.iter().zip(values) {
            scores.scaled_add(value, &weights.coef.column(column as usize));
        }
        scores += &weights.intercept;
    }
}

/// Adds Σₜ rₜ(j)·xₜ and Σₜ rₜ(j), where r is one at the label minus the posterior.
pub(crate) fn add_item_gradient(
    gradient: &mut ChainWeights,
    rows: Rows<'_>,
    residuals: &[f64],
    run: &Run,
) -> Result<()> {
    let k = gradient.n_labels();
    for (block, residuals) in residuals.chunks(BLOCK * k).enumerate() {
        run.check()?;
        let n = residuals.len() / k;
        let residuals = ArrayView2::from_shape((n, k), residuals).expect("K values per row");
        match rows.slice(block * BLOCK..block * BLOCK + n) {
            Rows::Dense(rows) => {
                let coef = gradient.coef.view_mut();
                matmul_into(coef, residuals.t(), rows, 1.0, Accumulate::Add);
            }
            Rows::Sparse(rows) => {
                for (row, residuals) in residuals.rows().into_iter().enumerate() {
                    let (columns, values) = rows.row(row);
                    for (&column, &value) in columns.iter().zip(values) {
                        let mut slopes = gradient.coef.column_mut(column as usize);
                        slopes.scaled_add(value, &residuals);
                    }
                }
            }
        }
    }
    add_intercept_gradient(gradient, residuals);
    Ok(())
}

/// Adds Σₜ rₜ(j).
pub(crate) fn add_intercept_gradient(gradient: &mut ChainWeights, residuals: &[f64]) {
    for row in residuals.chunks_exact(gradient.n_labels()) {
        for (slope, residual) in gradient.intercept.iter_mut().zip(row) {
            *slope += residual;
        }
    }
}

/// Adds factor·x of one row to the weights of a label.
pub(crate) fn add_row(
    weights: &mut ChainWeights,
    label: usize,
    factor: f64,
    rows: Rows<'_>,
    row: usize,
) {
    let mut weights = weights.coef.row_mut(label);
    match rows {
        Rows::Dense(rows) => weights.scaled_add(factor, &rows.index_axis(Axis(0), row)),
        Rows::Sparse(rows) => {
            let (columns, values) = rows.row(row);
            for (&column, value) in columns.iter().zip(values) {
                weights[column as usize] += factor * value;
            }
        }
    }
}

/// The values of dense rows, one after another.
pub(crate) fn contiguous(rows: ArrayView2<'_, f64>) -> &[f64] {
    rows.to_slice().expect("samples keep dense rows contiguous")
}
