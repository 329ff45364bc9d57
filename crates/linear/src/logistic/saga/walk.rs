//! What goes from step to step: the weights, and the remembered slopes with their mean.

use super::super::LogisticRegression;
use super::super::evaluation::Weights;
use super::super::frame::Frame;
use super::pace::Paces;
use crate::online::{BREATH, Examples};
use crate::rows::{Row, RowReader};
use crate::separators::overflow;
use didact_core::random::generator;
use didact_core::{Result, Run};
use didact_math::numeric::{dot, log_sum_exp, sigmoid};
use didact_math::vectorised::vectorised;
use ndarray::Array2;
use rand::RngExt;
use rand::seq::SliceRandom;

/// The rows are drawn in the same order every time.
const SEED: u64 = 0;
/// The mean of a column whose deviation is below this share of it is rounded as much.
const CONSTANT: f64 = 1e-14;

/// A descent under way.
///
/// A weight is wanted only when a row with its column is drawn. Until then its steps are known
/// beforehand, because the mean slope of its column does not change: `settled` says up to which
/// step a column is, and the missing ones are made at once. So a step costs what its row stores.
pub(super) struct Walk<'a> {
    reader: RowReader<'a>,
    center: &'a [f64],
    places: &'a [usize],
    counts: &'a [f64],
    /// The share of the steps that each row gets.
    chances: Vec<f64>,
    /// The rows of the steps of an epoch.
    order: Vec<usize>,
    /// What the change of the slope of each row is multiplied with.
    factors: Vec<f64>,
    paces: Paces,
    /// The length of the steps of the offsets, zero where there are none.
    offset_length: f64,
    weights: Weights,
    /// The slope of the loss of each row by each score when it was last looked at.
    slopes: Vec<f64>,
    /// Their mean times the rows, a row for each score, and their plain mean.
    means: Array2<f64>,
    offset_means: Vec<f64>,
    settled: Vec<usize>,
    /// Room for a row without its centre and for its scores.
    centred: Vec<f64>,
    scores: Vec<f64>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        parameters: &LogisticRegression,
        frame: &'a Frame,
        examples: &'a Examples<'_>,
        mut weights: Weights,
        run: &Run,
    ) -> Result<Self> {
        let (n, d) = (examples.n_rows(), examples.n_columns());
        let (outputs, reader) = (frame.n_outputs(), examples.reader());
        let center = frame
            .center
            .as_slice()
            .expect("one dimension is contiguous");
        let units = units(reader, center, n, run)?;
        for (j, &unit) in units.iter().enumerate() {
            if unit == 0.0 {
                // Such a column can do nothing but cost.
                weights.coef.column_mut(j).fill(0.0);
            }
        }
        let constant = f64::from(u8::from(parameters.fit_intercept));
        let mut bends = bends(reader, center, &units, n, constant, run)?;
        // The greatest second derivative of the loss of a row by its scores.
        let most = if outputs == 1 { 0.25 } else { 0.5 };
        for (bend, count) in bends.iter_mut().zip(&examples.counts) {
            *bend *= most * count;
        }
        let chances = chances(&bends);
        let factors: Vec<f64> = chances
            .iter()
            .map(|chance| 1.0 / (n as f64 * chance))
            .collect();
        let steepest = bends
            .iter()
            .zip(&factors)
            .map(|(bend, factor)| bend * factor);
        let steepest = steepest.fold(0.0, f64::max);
        let length = if steepest > 0.0 {
            1.0 / (3.0 * steepest)
        } else {
            0.0
        };
        if !(length.is_finite() && steepest.is_finite()) {
            return Err(overflow());
        }
        let (absolute, squared) = parameters.prices();
        let lengths = units.iter().map(|unit| length * unit * unit).collect();
        let mut walk = Walk {
            reader,
            center,
            places: &examples.places,
            counts: &examples.counts,
            chances,
            order: Vec::with_capacity(n),
            factors,
            paces: Paces::new(lengths, (absolute / n as f64, squared / n as f64)),
            offset_length: constant * length,
            weights,
            slopes: vec![0.0; n * outputs],
            means: Array2::zeros((outputs, d)),
            offset_means: vec![0.0; outputs],
            settled: vec![0; d],
            centred: vec![0.0; d],
            scores: vec![0.0; outputs],
        };
        walk.remember(run)?;
        Ok(walk)
    }

    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(super) fn into_weights(self) -> Weights {
        self.weights
    }

    /// Looks at every row once, without a step.
    fn remember(&mut self, run: &Run) -> Result<()> {
        let n = self.places.len();
        for row in 0..n {
            if row % BREATH == 0 {
                run.check()?;
            }
            let x = self.reader.row(row);
            self.look(row, x);
            for (output, &slope) in self.scores.iter().enumerate() {
                let mut means = self.means.row_mut(output);
                let means = means.as_slice_mut().expect("rows are contiguous");
                match x {
                    Row::Dense(_) => Row::Dense(&self.centred).add_to(means, slope / n as f64),
                    Row::Sparse(..) => x.add_to(means, slope / n as f64),
                }
                self.offset_means[output] += slope / n as f64;
            }
            let outputs = self.scores.len();
            self.slopes[row * outputs..(row + 1) * outputs].copy_from_slice(&self.scores);
        }
        Ok(())
    }

    /// Replaces the scores by the slopes of the loss of a row at the present weights.
    fn look(&mut self, row: usize, x: Row<'_>) {
        if let Row::Dense(x) = x {
            for ((z, x), center) in self.centred.iter_mut().zip(x).zip(self.center) {
                *z = x - center;
            }
        }
        for (output, score) in self.scores.iter_mut().enumerate() {
            let w = self.weights.coef.row(output);
            let w = w.to_slice().expect("weights are contiguous");
            *score = self.weights.offsets[output]
                + match x {
                    Row::Dense(_) => dot(&self.centred, w),
                    Row::Sparse(..) => x.dot(w),
                };
        }
        slopes(&mut self.scores, self.places[row], self.counts[row]);
    }

    /// As many steps as there are rows.
    pub(super) fn epoch(&mut self, epoch: usize, run: &Run) -> Result<()> {
        self.draw(epoch);
        let n = self.places.len();
        self.settled.fill(0);
        for now in 0..n {
            if now % BREATH == 0 {
                run.check()?;
            }
            self.step(self.order[now], now);
        }
        if let RowReader::Sparse(_) = self.reader {
            for column in 0..self.settled.len() {
                self.settle(column, n);
            }
        }
        Ok(())
    }

    /// Draws the rows of an epoch: each as often as its chance says, up to one, in any order. So
    /// rows that are alike are all looked at once, and slopes are never much older than an epoch.
    fn draw(&mut self, epoch: usize) {
        let mut generator = generator(SEED, epoch as u64);
        let n = self.chances.len();
        let (mut reached, mut next) = (0.0, generator.random::<f64>());
        self.order.clear();
        for (row, chance) in self.chances.iter().enumerate() {
            reached += chance * n as f64;
            while next < reached && self.order.len() < n {
                self.order.push(row);
                next += 1.0;
            }
        }
        // What rounding has left over.
        self.order.resize(n, n - 1);
        self.order.shuffle(&mut generator);
    }

    fn step(&mut self, row: usize, now: usize) {
        let x = self.reader.row(row);
        if let Row::Sparse(columns, _) = x {
            for &column in columns {
                self.settle(column as usize, now);
            }
        }
        self.look(row, x);
        let (n, outputs) = (self.places.len() as f64, self.scores.len());
        for output in 0..outputs {
            let old = &mut self.slopes[row * outputs + output];
            let change = self.scores[output] - std::mem::replace(old, self.scores[output]);
            self.change(output, x, self.factors[row] * change, change / n);
        }
        if let Row::Sparse(columns, _) = x {
            for &column in columns {
                self.settled[column as usize] = now + 1;
            }
        }
    }

    /// Moves the weights of an output along `factor`·x + mean, and then the mean by `share`·x.
    #[inline]
    fn change(&mut self, output: usize, x: Row<'_>, factor: f64, share: f64) {
        let mut weights = self.weights.coef.row_mut(output);
        let weights = weights.as_slice_mut().expect("weights are contiguous");
        let mut means = self.means.row_mut(output);
        let means = means.as_slice_mut().expect("rows are contiguous");
        match x {
            Row::Dense(_) => {
                let row = self.centred.as_slice();
                vectorised(
                    #[inline(always)]
                    || self.paces.step_all(weights, means, row, (factor, share)),
                );
            }
            Row::Sparse(columns, values) => {
                for (&column, value) in columns.iter().zip(values) {
                    let j = column as usize;
                    weights[j] = self.paces.step(j, weights[j], factor * value + means[j]);
                    means[j] += share * value;
                }
            }
        }
        self.weights.offsets[output] -= self.offset_length * (factor + self.offset_means[output]);
        self.offset_means[output] += share;
    }

    /// Makes the steps of a column that are missing before the step `now`.
    #[inline]
    fn settle(&mut self, column: usize, now: usize) {
        let missing = now - self.settled[column];
        if missing == 0 {
            return;
        }
        for output in 0..self.scores.len() {
            let weight = &mut self.weights.coef[[output, column]];
            let mean = self.means[[output, column]];
            *weight = self.paces.steps(column, *weight, mean, missing);
        }
        self.settled[column] = now;
    }
}

/// Replaces the scores of a row by the derivatives of its loss by them.
#[inline]
fn slopes(scores: &mut [f64], place: usize, count: f64) {
    match scores {
        [score] => {
            // The distance to the label, without the digits that 1 − p would lose.
            *score = match place == 1 {
                true => -count * sigmoid(-*score),
                false => count * sigmoid(*score),
            };
        }
        _ => {
            let total = log_sum_exp(scores);
            for (output, score) in scores.iter_mut().enumerate() {
                let target = f64::from(u8::from(output == place));
                *score = count * ((*score - total).exp() - target);
            }
        }
    }
}

/// For each column one over the root of the mean square of what it stores: with it, columns of
/// any unit are alike, and columns that are seldom stored need no longer steps than others.
fn units(reader: RowReader<'_>, center: &[f64], n_rows: usize, run: &Run) -> Result<Vec<f64>> {
    let mut squares = vec![0.0_f64; center.len()];
    let mut stored = vec![0.0_f64; center.len()];
    for row in 0..n_rows {
        if row % BREATH == 0 {
            run.check()?;
        }
        each(reader.row(row), center, |j, value| {
            squares[j] += value * value;
            stored[j] += f64::from(u8::from(value != 0.0));
        });
    }
    let columns = squares.iter().zip(&stored).zip(center);
    Ok(columns
        .map(|((&squares, &stored), &center)| {
            let deviation = (squares / stored).sqrt();
            match deviation > CONSTANT * center.abs() {
                true => deviation.recip(),
                false => 0.0,
            }
        })
        .collect())
}

/// The squared length of each row in these units, with the constant of the offset.
fn bends(
    reader: RowReader<'_>,
    center: &[f64],
    units: &[f64],
    n_rows: usize,
    constant: f64,
    run: &Run,
) -> Result<Vec<f64>> {
    (0..n_rows)
        .map(|row| {
            if row % BREATH == 0 {
                run.check()?;
            }
            let mut square = constant;
            each(reader.row(row), center, |j, value| {
                square += (value * units[j]) * (value * units[j]);
            });
            Ok(square)
        })
        .collect()
}

/// Visits the values of a row that may be not zero, without their centre where it is dense.
#[inline]
fn each(row: Row<'_>, center: &[f64], mut visit: impl FnMut(usize, f64)) {
    match row {
        Row::Dense(x) => {
            for (j, (x, center)) in x.iter().zip(center).enumerate() {
                visit(j, x - center);
            }
        }
        Row::Sparse(columns, values) => {
            for (&j, &value) in columns.iter().zip(values) {
                visit(j as usize, value);
            }
        }
    }
}

/// The share of the steps that each row gets: half alike, so that no slope becomes old, and half by how much it
/// bends the objective, so that steps need not be short because of a few rows.
fn chances(bends: &[f64]) -> Vec<f64> {
    let (n, total) = (bends.len() as f64, bends.iter().sum::<f64>());
    let share = |bend: f64| match total > 0.0 {
        true => bend / total,
        false => 1.0 / n,
    };
    bends
        .iter()
        .map(|&bend| 0.5 / n + 0.5 * share(bend))
        .collect()
}
