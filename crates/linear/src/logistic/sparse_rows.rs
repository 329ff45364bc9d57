//! Passes over sparse rows, at the cost of what they store.
//!
//! A center c is never taken from a row, which would fill it: w·(x − c) is w·x − w·c, and the
//! gradient Σ s·(x − c) is Σ s·x − c·Σ s.

use super::evaluation::{Evaluation, Examples, Weights};
use super::frame::Frame;
use super::kernels::BLOCK;
use crate::centred::LANES;
use didact_core::{CsrView, Result, Run, parallel};
use std::ops::Range;

/// Rows are cut into at most so many parts, each with a gradient of its own, which can be much
/// larger than the rows. A power of two keeps two threads equally busy.
const MOST_PARTS: usize = 8;

/// So many values are stored at least in a part for each number of its gradient, which is made,
/// filled and added up.
const STORED_PER_SLOPE: usize = 4;

/// So many values are stored about in a piece that only asks for scores.
const STORED_PER_PIECE: usize = 1 << 16;

/// Rows of a piece whose scores are known.
const SCORED_ROWS: usize = 8192;

/// Sparse rows with their targets.
#[derive(Clone, Copy)]
pub(super) struct SparseExamples<'a, 'b> {
    pub(super) examples: &'a Examples<'b>,
    pub(super) rows: CsrView<'a>,
}

impl SparseExamples<'_, '_> {
    /// The scores of all rows, those of a row side by side.
    pub(super) fn scores(&self, frame: &Frame, weights: &Weights, run: &Run) -> Result<Vec<f64>> {
        let outputs = frame.n_outputs();
        let rows = self.rows.n_rows();
        let shifts = frame.intercepts(weights).to_vec();
        let mut scores = vec![0.0; rows * outputs];
        let stored = outputs * self.rows.n_stored().div_ceil(rows.max(1));
        let chunk = (STORED_PER_PIECE / stored.max(1)).max(BLOCK);
        parallel::fill(&mut scores, outputs, chunk, run, |range, piece| {
            self.score_rows(weights, &shifts, range, piece);
            Ok(())
        })?;
        Ok(scores)
    }

    fn score_rows(
        &self,
        weights: &Weights,
        shifts: &[f64],
        rows: Range<usize>,
        scores: &mut [f64],
    ) {
        let (outputs, d) = weights.coef.dim();
        let coef = weights.coef.as_slice().expect("weights are contiguous");
        for (row, scores) in rows.zip(scores.chunks_exact_mut(outputs)) {
            let (columns, values) = self.rows.row(row);
            for (output, score) in scores.iter_mut().enumerate() {
                let w = &coef[output * d..(output + 1) * d];
                *score = sparse_dot(columns, values, w) + shifts[output];
            }
        }
    }

    /// Loss and gradient where the weights are known.
    pub(super) fn evaluate(
        &self,
        frame: &Frame,
        weights: &Weights,
        run: &Run,
    ) -> Result<Evaluation> {
        let shifts = frame.intercepts(weights).to_vec();
        let score = |rows, scores: &mut [f64]| self.score_rows(weights, &shifts, rows, scores);
        self.evaluate_by(frame, &score, run)
    }

    /// Loss and gradient where `score` tells the scores of some rows.
    pub(super) fn evaluate_by(
        &self,
        frame: &Frame,
        score: &(impl Fn(Range<usize>, &mut [f64]) + Sync),
        run: &Run,
    ) -> Result<Evaluation> {
        let (outputs, d) = (frame.n_outputs(), frame.center.len());
        let rows = self.rows.n_rows();
        let parts = self.rows.n_stored() / (STORED_PER_SLOPE * outputs * d).max(1);
        let parts = 1 << parts.clamp(1, MOST_PARTS).ilog2();
        let sum = parallel::reduce(
            rows,
            rows.div_ceil(parts).max(BLOCK),
            run,
            &|range| Ok(self.evaluate_piece((outputs, d), range, score)),
            &Evaluation::merge,
        )?;
        let mut sum = sum.unwrap_or_else(|| Evaluation::zero(outputs, d));
        for mut gradient in sum.gradient.rows_mut() {
            let total = gradient[d];
            let each = gradient.iter_mut().zip(&frame.center);
            each.for_each(|(slope, center)| *slope -= center * total);
        }
        Ok(sum)
    }

    fn evaluate_piece(
        &self,
        (outputs, d): (usize, usize),
        rows: Range<usize>,
        score: &impl Fn(Range<usize>, &mut [f64]),
    ) -> Evaluation {
        let mut sum = Evaluation::zero(outputs, d);
        let mut gradient = std::mem::take(&mut sum.gradient);
        let totals = gradient.as_slice_mut().expect("a gradient is contiguous");
        let mut slopes = vec![0.0; BLOCK * outputs];
        for start in rows.clone().step_by(BLOCK) {
            let block = start..(start + BLOCK).min(rows.end);
            let slopes = &mut slopes[..block.len() * outputs];
            score(block.clone(), slopes);
            self.settle_rows(block.clone(), slopes, &mut sum);
            for (row, slopes) in block.zip(slopes.chunks_exact(outputs)) {
                let (columns, values) = self.rows.row(row);
                for (totals, slope) in totals.chunks_exact_mut(d + 1).zip(slopes) {
                    for (&j, value) in columns.iter().zip(values) {
                        totals[j as usize] += slope * value;
                    }
                    totals[d] += slope;
                }
            }
        }
        sum.gradient = gradient;
        sum
    }

    /// The derivative of the loss by the step where the scores are `base` + step·`along`.
    pub(super) fn slope_along(
        &self,
        base: &[f64],
        along: &[f64],
        step: f64,
        run: &Run,
    ) -> Result<f64> {
        let outputs = base.len() / self.rows.n_rows();
        let sum = parallel::reduce(
            self.rows.n_rows(),
            SCORED_ROWS,
            run,
            &|rows| {
                let mut sum = Evaluation::zero(0, 0);
                let mut slopes = vec![0.0; BLOCK * outputs];
                let mut total = 0.0;
                for start in rows.clone().step_by(BLOCK) {
                    let block = start..(start + BLOCK).min(rows.end);
                    let places = block.start * outputs..block.end * outputs;
                    let along = &along[places.clone()];
                    let slopes = &mut slopes[..places.len()];
                    for ((score, base), along) in slopes.iter_mut().zip(&base[places]).zip(along) {
                        *score = base + step * along;
                    }
                    self.settle_rows(block, slopes, &mut sum);
                    let products = slopes.iter().zip(along);
                    total += products.map(|(slope, along)| slope * along).sum::<f64>();
                }
                Ok(total)
            },
            &|left, right| left + right,
        )?;
        Ok(sum.unwrap_or(0.0))
    }

    /// Adds the losses of at most a block of rows and replaces the scores by the slopes.
    fn settle_rows(&self, rows: Range<usize>, scores: &mut [f64], sum: &mut Evaluation) {
        if scores.len() > rows.len() {
            let outputs = scores.len() / rows.len();
            for (row, scores) in rows.zip(scores.chunks_exact_mut(outputs)) {
                self.examples.settle(row, scores, sum);
            }
            return;
        }
        // Beyond the rows there is nothing to add.
        let mut block = [[f64::MAX; LANES]; BLOCK / LANES];
        block.as_flattened_mut()[..scores.len()].copy_from_slice(scores);
        self.examples.settle_block(rows, &mut block, sum);
        scores.copy_from_slice(&block.as_flattened()[..scores.len()]);
    }
}

/// Σ value·w[column], in four sums that do not wait for each other.
pub(super) fn sparse_dot(columns: &[u32], values: &[f64], w: &[f64]) -> f64 {
    let (column_groups, columns_rest) = columns.as_chunks::<4>();
    let (value_groups, values_rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (columns, values) in column_groups.iter().zip(value_groups) {
        for lane in 0..4 {
            sums[lane] += values[lane] * w[columns[lane] as usize];
        }
    }
    let rest = columns_rest.iter().zip(values_rest);
    let rest: f64 = rest.map(|(&j, value)| value * w[j as usize]).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}
