//! One pass over the rows: loss, gradient, second derivatives.

use super::frame::{Frame, pairs};
use super::kernels::{BLOCK, Settled, Targets, settle_several, settle_single, subtract_center};
use super::sparse_rows::{SparseExamples, sparse_dot};
use crate::centred::{LANES, ROWS, add_slopes, centred_dots};
use crate::rows::{CountingLabelled, CountingSamples};
use didact_core::{Error, Result, Rows, Run, parallel};
use didact_math::linalg::{Accumulate, Moments, matmul_into};
use didact_math::numeric::{dot, log_sum_exp, sigmoid};
use didact_math::vectorised::vectorised;
use ndarray::{Array1, Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Weights and offsets of the scores w·(x − center) + offset.
pub(super) struct Weights {
    pub(super) coef: Array2<f64>,
    pub(super) offsets: Vec<f64>,
}

/// What a pass adds up, without the penalty.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Evaluation {
    /// −Σ ln P(y | x).
    pub(super) loss: f64,
    /// The derivatives by the weights and, last in each row, by the offset.
    pub(super) gradient: Array2<f64>,
    /// By how much the right score leads in the worst row.
    pub(super) smallest_margin: f64,
}

impl Evaluation {
    pub(super) fn zero(outputs: usize, columns: usize) -> Self {
        Evaluation {
            loss: 0.0,
            gradient: Array2::zeros((outputs, columns + 1)),
            smallest_margin: f64::INFINITY,
        }
    }

    fn add(&mut self, settled: Settled) {
        self.loss += settled.loss;
        self.smallest_margin = self.smallest_margin.min(settled.smallest_margin);
    }

    /// The same of rows that all count so many times.
    pub(super) fn times(mut self, factor: f64) -> Self {
        self.loss *= factor;
        self.gradient *= factor;
        self
    }

    pub(super) fn merge(self, other: Self) -> Self {
        Evaluation {
            loss: self.loss + other.loss,
            gradient: self.gradient + other.gradient,
            smallest_margin: self.smallest_margin.min(other.smallest_margin),
        }
    }
}

/// Rows with the place of their class among the scores, and how much each counts.
pub(super) struct Examples<'a> {
    samples: CountingSamples<'a>,
    places: Vec<usize>,
    counts: Vec<f64>,
    /// Whether every row counts once.
    alike: bool,
}

impl<'a> Examples<'a> {
    pub(super) fn new(data: CountingLabelled<'a>, frame: &Frame) -> Result<Self> {
        let mut place_of = vec![None; frame.classes.len()];
        for (place, &class) in frame.present.iter().enumerate() {
            place_of[class] = Some(place);
        }
        let place = |&label: &usize| place_of.get(label).copied().flatten();
        let places: Option<Vec<usize>> = data.labels.iter().map(place).collect();
        let places = places.ok_or_else(|| {
            Error::data("a class has rows in this pass that had none in the first one")
        })?;
        let counts = data.labels.iter().enumerate();
        let counts = counts.map(|(row, &label)| data.samples.weight(row) * frame.factors[label]);
        let counts: Vec<f64> = counts.collect();
        Ok(Examples {
            alike: counts.iter().all(|&count| count == 1.0),
            counts,
            places,
            samples: data.samples,
        })
    }

    /// A copy of every so-manieth row.
    pub(super) fn every(&self, step: usize) -> Examples<'static> {
        let rows: Vec<usize> = (0..self.n_rows()).step_by(step).collect();
        Examples {
            samples: self.samples.select(&rows),
            places: rows.iter().map(|&row| self.places[row]).collect(),
            counts: rows.iter().map(|&row| self.counts[row]).collect(),
            alike: self.alike,
        }
    }

    /// How much the rows of each class count.
    pub(super) fn totals(&self, n_classes: usize) -> Vec<f64> {
        let mut totals = vec![0.0; n_classes];
        for (&place, count) in self.places.iter().zip(&self.counts) {
            totals[place] += count;
        }
        totals
    }

    pub(super) fn n_rows(&self) -> usize {
        self.places.len()
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        self.samples.rows()
    }

    /// Sums up loss and gradient over all rows.
    pub(super) fn evaluate(
        &self,
        frame: &Frame,
        weights: &Weights,
        run: &Run,
    ) -> Result<Evaluation> {
        let (outputs, d) = weights.coef.dim();
        let x = match self.samples.rows() {
            Rows::Dense(x) => x,
            Rows::Sparse(rows) => {
                let examples = SparseExamples {
                    examples: self,
                    rows,
                };
                return examples.evaluate(frame, weights, run);
            }
        };
        let chunk = ((1 << 20) / (outputs * d)).clamp(BLOCK, 8192);
        let sum = parallel::reduce(
            self.n_rows(),
            chunk,
            run,
            &|range| Ok(self.evaluate_piece(x, frame, weights, range)),
            &Evaluation::merge,
        )?;
        Ok(sum.unwrap_or_else(|| Evaluation::zero(outputs, d)))
    }

    fn evaluate_piece(
        &self,
        x: ArrayView2<'_, f64>,
        frame: &Frame,
        weights: &Weights,
        rows: Range<usize>,
    ) -> Evaluation {
        let (outputs, d) = weights.coef.dim();
        let mut sum = Evaluation::zero(outputs, d);
        match outputs {
            1 => self.add_single(x, frame, weights, rows, &mut sum),
            _ => self.add_blocks(x, frame, weights, rows, &mut sum),
        }
        sum
    }

    /// One score a row: four rows at a time, each read once for everything.
    fn add_single(
        &self,
        x: ArrayView2<'_, f64>,
        frame: &Frame,
        weights: &Weights,
        rows: Range<usize>,
        sum: &mut Evaluation,
    ) {
        let d = x.ncols();
        let center = frame
            .center
            .as_slice()
            .expect("one dimension is contiguous");
        let w = weights.coef.as_slice().expect("weights are contiguous");
        let values = x.to_slice().expect("checked rows are contiguous");
        let mut gradient = vec![0.0; d];
        let mut scores = [[0.0; LANES]; BLOCK / LANES];
        for start in rows.clone().step_by(BLOCK) {
            let block = start..(start + BLOCK).min(rows.end);
            let row = |index: usize| {
                let row = block.start + index;
                &values[row * d..(row + 1) * d]
            };
            let whole = block.len() / ROWS * ROWS;
            vectorised(
                #[inline(always)]
                || {
                    let scores = scores.as_flattened_mut();
                    // Beyond the rows there is nothing to add.
                    scores.fill(f64::MAX);
                    for first in (0..whole).step_by(ROWS) {
                        let rows: [&[f64]; ROWS] = std::array::from_fn(|index| row(first + index));
                        let found = centred_dots(rows, center, w);
                        scores[first..first + ROWS].copy_from_slice(&found);
                    }
                    for index in whole..block.len() {
                        scores[index] = centred_dots([row(index)], center, w)[0];
                    }
                    for score in &mut scores[..block.len()] {
                        *score += weights.offsets[0];
                    }
                },
            );
            self.settle_block(block.clone(), &mut scores, sum);
            vectorised(
                #[inline(always)]
                || {
                    let slopes = scores.as_flattened();
                    for first in (0..whole).step_by(ROWS) {
                        let rows: [&[f64]; ROWS] = std::array::from_fn(|index| row(first + index));
                        let slopes = std::array::from_fn(|index| slopes[first + index]);
                        add_slopes(rows, slopes, center, &mut gradient);
                    }
                    for index in whole..block.len() {
                        add_slopes([row(index)], [slopes[index]], center, &mut gradient);
                    }
                },
            );
            sum.gradient[[0, d]] += scores.as_flattened()[..block.len()].iter().sum::<f64>();
        }
        for (total, part) in sum.gradient.iter_mut().zip(&gradient) {
            *total += part;
        }
    }

    /// Adds the losses of a block of rows with one score and replaces the scores by the slopes.
    pub(super) fn settle_block(
        &self,
        rows: Range<usize>,
        scores: &mut [[f64; LANES]; BLOCK / LANES],
        sum: &mut Evaluation,
    ) {
        if !self.alike {
            for (row, score) in rows.zip(scores.as_flattened_mut()) {
                self.settle(row, std::slice::from_mut(score), sum);
            }
            return;
        }
        let mut signs = [[1.0; LANES]; BLOCK / LANES];
        for (sign, &place) in signs.as_flattened_mut().iter_mut().zip(&self.places[rows]) {
            *sign = if place == 1 { 1.0 } else { -1.0 };
        }
        let settled = vectorised(
            #[inline(always)]
            || settle_single(scores, &signs),
        );
        sum.add(settled);
    }

    /// Several scores a row: blocks of rows as matrix products, with the scores of one class
    /// after those of the other, so that every loop runs over neighbouring rows.
    fn add_blocks(
        &self,
        x: ArrayView2<'_, f64>,
        frame: &Frame,
        weights: &Weights,
        rows: Range<usize>,
        sum: &mut Evaluation,
    ) {
        let (outputs, d) = weights.coef.dim();
        let center = frame.center.as_slice();
        let center = center.expect("one dimension is contiguous");
        let mut centred = Array2::zeros((BLOCK, d));
        let mut scores = Array2::zeros((outputs, BLOCK));
        for start in rows.clone().step_by(BLOCK) {
            let block = start..(start + BLOCK).min(rows.end);
            let n = block.len();
            let x = x.slice(s![block.clone(), ..]);
            let x = x.to_slice().expect("checked rows are contiguous");
            let values = centred.as_slice_mut().expect("a block is contiguous");
            vectorised(
                #[inline(always)]
                || subtract_center(x, center, values),
            );
            let z = centred.slice(s![..n, ..]);
            let found = scores.slice_mut(s![.., ..n]);
            matmul_into(found, weights.coef.view(), z.t(), 1.0, Accumulate::Replace);
            let targets = self.targets(block);
            let lines = scores.as_slice_mut().expect("a block is contiguous");
            let settled = vectorised(
                #[inline(always)]
                || settle_several(lines.as_chunks_mut().0, &weights.offsets, &targets),
            );
            sum.add(settled);
            let slopes = scores.slice(s![.., ..n]);
            for (output, slopes) in slopes.rows().into_iter().enumerate() {
                sum.gradient[[output, d]] += slopes.sum();
            }
            let gradient = sum.gradient.slice_mut(s![.., ..d]);
            matmul_into(gradient, slopes, z, 1.0, Accumulate::Add);
        }
    }

    /// What the rows of a block should be.
    fn targets(&self, rows: Range<usize>) -> Targets {
        let mut targets = Targets::default();
        for (place, row) in rows.enumerate() {
            targets.places[place] = self.places[row] as f64;
            targets.counts[place] = self.counts[row];
        }
        targets
    }

    /// Adds the loss of a row and replaces its scores by the derivatives of the loss by them.
    #[inline]
    pub(super) fn settle(&self, row: usize, scores: &mut [f64], sum: &mut Evaluation) {
        let (place, count) = (self.places[row], self.counts[row]);
        let margin = match scores {
            [score] => {
                let margin = if place == 1 { *score } else { -*score };
                // ln(1 + e⁻ᵐ) and σ(−m) share their exponential.
                let small = (-margin.abs()).exp();
                sum.loss += count * ((-margin).max(0.0) + log_one_plus(small));
                // σ(s) − y, which is not the printed form with the label inside the sigmoid.
                let wrong = if margin >= 0.0 { small } else { 1.0 } / (1.0 + small);
                *score = if place == 1 {
                    -count * wrong
                } else {
                    count * wrong
                };
                margin
            }
            _ => {
                let own = scores[place];
                let others = scores
                    .iter()
                    .enumerate()
                    .filter(|&(other, _)| other != place);
                let rival = others.fold(f64::NEG_INFINITY, |best, (_, &score)| best.max(score));
                let largest = rival.max(own);
                let mut total = 0.0;
                for score in scores.iter_mut() {
                    *score = (*score - largest).exp();
                    total += *score;
                }
                sum.loss += count * ((largest - own) + total.ln());
                let factor = count / total;
                scores.iter_mut().for_each(|score| *score *= factor);
                scores[place] -= count;
                own - rival
            }
        };
        sum.smallest_margin = sum.smallest_margin.min(margin);
    }

    /// The moments of the rows under the weights of each pair of scores: pₐ(1 − pₐ) and pₐ·p_b,
    /// times what the row counts. They hold all second derivatives.
    pub(super) fn curvature(
        &self,
        frame: &Frame,
        weights: &Weights,
        run: &Run,
    ) -> Result<Vec<Moments>> {
        let probabilities = self.probabilities(frame, weights, run)?;
        let outputs = frame.n_outputs();
        pairs(outputs)
            .map(|(a, b)| {
                let each = probabilities.rows().into_iter().zip(&self.counts);
                let bends: Array1<f64> = each
                    .map(|(p, count)| match a == b {
                        true => count * p[a] * (1.0 - p[a]),
                        false => count * p[a] * p[b],
                    })
                    .collect();
                Moments::summarise(self.samples.rows(), Some(bends.view()), run)
            })
            .collect()
    }

    /// The probability that belongs to each score.
    fn probabilities(&self, frame: &Frame, weights: &Weights, run: &Run) -> Result<Array2<f64>> {
        let (outputs, d) = weights.coef.dim();
        let rows = self.samples.rows();
        let shifts = frame.intercepts(weights);
        let mut values = vec![0.0; self.n_rows() * outputs];
        let chunk = ((1 << 20) / (outputs * d)).clamp(BLOCK, 8192);
        parallel::fill(&mut values, outputs, chunk, run, |range, piece| {
            let mut centred = vec![0.0; d];
            for (row, scores) in range.zip(piece.chunks_exact_mut(outputs)) {
                for (output, score) in scores.iter_mut().enumerate() {
                    let w = weights.coef.row(output);
                    let w = w.to_slice().expect("weights are contiguous");
                    *score = match rows {
                        Rows::Dense(x) => {
                            for ((z, value), center) in
                                centred.iter_mut().zip(x.row(row)).zip(&frame.center)
                            {
                                *z = value - center;
                            }
                            dot(&centred, w) + weights.offsets[output]
                        }
                        Rows::Sparse(x) => {
                            let (columns, values) = x.row(row);
                            sparse_dot(columns, values, w) + shifts[output]
                        }
                    };
                }
                match scores {
                    [score] => *score = sigmoid(*score),
                    _ => {
                        let total = log_sum_exp(scores);
                        scores
                            .iter_mut()
                            .for_each(|score| *score = (*score - total).exp());
                    }
                }
            }
            Ok(())
        })?;
        Ok(Array2::from_shape_vec((self.n_rows(), outputs), values).expect("one value per score"))
    }
}

/// ln(1 + x) for x from 0 to 1, with what 1 + x rounds away given back: it is several times
/// faster than the function of the library.
#[inline]
fn log_one_plus(x: f64) -> f64 {
    let sum = 1.0 + x;
    sum.ln() + (x - (sum - 1.0)) / sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_one_plus_keeps_its_digits_down_to_the_smallest_numbers() {
        let exponents = (0..=700).map(|step| (-f64::from(step) * 0.5).exp());
        for x in exponents.chain([0.0, 1.0, f64::MIN_POSITIVE]) {
            let expected = x.ln_1p();
            assert!((log_one_plus(x) - expected).abs() <= 4.0 * f64::EPSILON * expected);
        }
    }
}
