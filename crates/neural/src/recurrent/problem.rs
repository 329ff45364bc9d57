//! The mean loss of a recurrent network over sequences, and its gradient batch by batch.

use super::packing::Packing;
use super::stack::{Reading, Readout, Stack};
use crate::Real;
use crate::training::Learnable;
use didact_core::{Result, Run, parallel};
use std::ops::Range;

/// A piece of a batch costs about this many multiplications on the way forward.
const WORK: usize = 1 << 21;

/// What a recurrent network learns from.
pub(crate) struct SequenceProblem<'a, T> {
    stack: &'a Stack,
    /// All items in C order.
    items: &'a [T],
    /// The rows of each sequence.
    ranges: &'a [Range<usize>],
    /// A row for each item, or for each sequence.
    targets: &'a [T],
    decay: f64,
    readings: Vec<(Reading<T>, Vec<T>)>,
    sequences_per_piece: usize,
}

impl<'a, T: Real> SequenceProblem<'a, T> {
    pub(crate) fn new(
        stack: &'a Stack,
        items: &'a [T],
        ranges: &'a [Range<usize>],
        targets: &'a [T],
        decay: f64,
    ) -> Self {
        let n_items: usize = ranges.iter().map(ExactSizeIterator::len).sum();
        let mean_length = n_items.div_ceil(ranges.len().max(1)).max(1);
        let work = stack.n_parameters().max(1).saturating_mul(mean_length);
        SequenceProblem {
            stack,
            items,
            ranges,
            targets,
            decay,
            readings: Vec::new(),
            // Plan and data alone decide how a batch is cut, never the number of threads.
            sequences_per_piece: (WORK / work).clamp(8, 256),
        }
    }

    /// Packs the chosen sequences and their targets.
    fn gather(&self, chosen: &[usize], (reading, targets): &mut (Reading<T>, Vec<T>)) {
        reading.packing = Packing::new(self.ranges, chosen);
        copy_rows(
            self.items,
            self.stack.n_inputs(),
            &reading.packing.rows,
            &mut reading.input,
        );
        let rows = match self.stack.readout {
            Readout::EveryItem => &reading.packing.rows,
            Readout::Last | Readout::Sum => &reading.packing.order,
        };
        copy_rows(self.targets, self.stack.n_outputs(), rows, targets);
    }

    /// Sends all pieces of a batch forward and back; the sums of losses and answers.
    fn learn(
        &mut self,
        parameters: &[T],
        chosen: &[usize],
        gradient: &mut [T],
        run: &Run,
    ) -> Result<(f64, usize)> {
        let size = self.sequences_per_piece;
        let count = chosen.len().div_ceil(size);
        let mut readings = std::mem::take(&mut self.readings);
        readings.resize_with(count.max(readings.len()), Default::default);
        parallel::fill(&mut readings[..count], 1, 1, run, |range, pieces| {
            let chosen = &chosen[range.start * size..chosen.len().min(range.end * size)];
            let piece = &mut pieces[0];
            self.gather(chosen, piece);
            self.stack.forward(parameters, &mut piece.0, run)?;
            self.stack
                .charge_and_go_back(parameters, &mut piece.0, &piece.1, run)
        })?;
        let (mut loss, mut answers) = (0.0, 0);
        for (reading, targets) in &readings[..count] {
            loss += reading.loss;
            answers += targets.len() / self.stack.n_outputs();
            for (sum, &slope) in gradient.iter_mut().zip(&reading.gradient) {
                *sum += slope;
            }
        }
        self.readings = readings;
        Ok((loss, answers))
    }
}

impl<T: Real> Learnable<T> for SequenceProblem<'_, T> {
    fn gradient(
        &mut self,
        parameters: &[T],
        items: &[usize],
        _step: u64,
        gradient: &mut [T],
        run: &Run,
    ) -> Result<f64> {
        gradient.fill(T::zero());
        let (loss, answers) = self.learn(parameters, items, gradient, run)?;
        self.stack.add_decay(parameters, self.decay, gradient);
        let share = 1.0 / answers as f64;
        gradient.iter_mut().for_each(|slope| *slope *= T::of(share));
        Ok((loss + self.decay * self.stack.half_squares(parameters)) * share)
    }

    fn score(&mut self, parameters: &[T], items: &[usize], run: &Run) -> Result<f64> {
        let mut unused = vec![T::zero(); parameters.len()];
        let (loss, answers) = self.learn(parameters, items, &mut unused, run)?;
        Ok(-loss / answers as f64)
    }
}

fn copy_rows<T: Real>(from: &[T], width: usize, rows: &[usize], to: &mut Vec<T>) {
    to.clear();
    for &row in rows {
        to.extend_from_slice(&from[row * width..(row + 1) * width]);
    }
}
