//! A recurrent layer over packed sequences.

use super::cell::{Backward, Cell, Forward};
use super::packing::Packing;
use crate::Real;
use crate::product::{Matrix, add_product, multiply};
use didact_core::random::Generator;
use didact_core::{Result, Run};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// After so many steps somebody who wants to stop is heard.
const STEPS_PER_CHECK: usize = 64;

/// A recurrent layer: where its weights are among all parameters, and the state it starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RecurrentLayer {
    pub(crate) inputs: usize,
    pub(crate) units: usize,
    pub(crate) cell: Cell,
    /// The first of its parameters: W_x row by row, W_h row by row, biases.
    pub(crate) first: usize,
    /// The state before the first item.
    pub(crate) start: Vec<f64>,
}

/// What a layer keeps of packed sequences between the way forward and the way back.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecurrentSlot<T> {
    gates: Vec<T>,
    /// The state before each item.
    before: Vec<T>,
    memory_before: Vec<T>,
    pub(crate) memory: Vec<T>,
    squashed: Vec<T>,
    pub(crate) state: Vec<T>,
    /// ∂L/∂h: before the way back from above only, after it in all.
    pub(crate) state_slopes: Vec<T>,
    /// ∂L/∂c in all, after the way back.
    pub(crate) memory_slopes: Vec<T>,
}

impl RecurrentLayer {
    fn width(&self) -> usize {
        self.cell.n_gates() * self.units
    }

    pub(crate) fn input_weights(&self) -> Range<usize> {
        self.first..self.first + self.width() * self.inputs
    }

    pub(crate) fn state_weights(&self) -> Range<usize> {
        let start = self.input_weights().end;
        start..start + self.width() * self.units
    }

    pub(crate) fn biases(&self) -> Range<usize> {
        let start = self.state_weights().end;
        start..start + self.cell.n_biased() * self.units
    }

    pub(crate) fn n_parameters(&self) -> usize {
        self.biases().end - self.first
    }

    /// Random weights within 1/√units; the biases of a forget gate start at one.
    pub(crate) fn randomise<T: Real>(&self, parameters: &mut [T], generator: &mut Generator) {
        let bound = 1.0 / (self.units as f64).sqrt();
        for value in &mut parameters[self.first..self.biases().end] {
            *value = T::of(bound * (2.0 * generator.random::<f64>() - 1.0));
        }
        if let Some(gate) = self.cell.forget_gate() {
            let biases = &mut parameters[self.biases()];
            biases[gate * self.units..(gate + 1) * self.units].fill(T::one());
        }
    }

    /// The states of all items.
    pub(crate) fn forward<T: Real>(
        &self,
        parameters: &[T],
        packing: &Packing,
        input: &[T],
        slot: &mut RecurrentSlot<T>,
        run: &Run,
    ) -> Result<()> {
        let (n, units, width) = (packing.rows.len(), self.units, self.width());
        slot.gates.clear();
        slot.gates.resize(n * width, T::zero());
        for values in [
            &mut slot.before,
            &mut slot.memory_before,
            &mut slot.memory,
            &mut slot.squashed,
            &mut slot.state,
            &mut slot.state_slopes,
            &mut slot.memory_slopes,
        ] {
            values.resize(n * units, T::zero());
        }
        let biases = &parameters[self.biases()];
        for row in slot.gates.chunks_exact_mut(width) {
            row[..biases.len()].copy_from_slice(biases);
        }
        // The inputs of all steps in one product; the states have to wait for each other.
        let weights = Matrix::new(&parameters[self.input_weights()], self.inputs);
        add_product(
            &mut slot.gates,
            Matrix::new(input, self.inputs),
            weights.t(),
        );
        let weights = Matrix::new(&parameters[self.state_weights()], units);
        for step in 0..packing.n_steps() {
            if step % STEPS_PER_CHECK == 0 {
                run.check()?;
            }
            self.recall(packing, step, slot);
            let (own, gates) = (
                scaled(packing.step(step), units),
                scaled(packing.step(step), width),
            );
            let before = Matrix::new(&slot.before[own.clone()], units);
            add_product(&mut slot.gates[gates.clone()], before, weights.t());
            Forward {
                gates: &mut slot.gates[gates],
                memory_before: &slot.memory_before[own.clone()],
                memory: &mut slot.memory[own.clone()],
                squashed: &mut slot.squashed[own.clone()],
                state: &mut slot.state[own],
            }
            .step(self.cell, units);
        }
        Ok(())
    }

    /// Writes down what is remembered when a step begins.
    fn recall<T: Real>(&self, packing: &Packing, step: usize, slot: &mut RecurrentSlot<T>) {
        let own = scaled(packing.step(step), self.units);
        if step == 0 {
            slot.memory_before[own.clone()].fill(T::zero());
            for row in slot.before[own].chunks_exact_mut(self.units) {
                row.iter_mut()
                    .zip(&self.start)
                    .for_each(|(h, &start)| *h = T::of(start));
            }
            return;
        }
        let before = scaled(packing.before(step), self.units);
        slot.before[own.clone()].copy_from_slice(&slot.state[before.clone()]);
        slot.memory_before[own].copy_from_slice(&slot.memory[before]);
    }

    /// Backpropagation through time: from ∂L/∂h of every item, as seen from above, to ∂L/∂h in all
    /// and to the slopes of all weighted inputs, which take the place of the gates.
    pub(crate) fn backward<T: Real>(
        &self,
        parameters: &[T],
        packing: &Packing,
        slot: &mut RecurrentSlot<T>,
        run: &Run,
    ) -> Result<()> {
        let (units, width) = (self.units, self.width());
        let weights = Matrix::new(&parameters[self.state_weights()], units);
        slot.memory_slopes.fill(T::zero());
        let mut carried = vec![T::zero(); packing.step(0).len() * units];
        for step in (0..packing.n_steps()).rev() {
            if step % STEPS_PER_CHECK == 0 {
                run.check()?;
            }
            let (own, gates) = (
                scaled(packing.step(step), units),
                scaled(packing.step(step), width),
            );
            Backward {
                gates: &mut slot.gates[gates.clone()],
                memory_before: &slot.memory_before[own.clone()],
                squashed: &slot.squashed[own.clone()],
                state: &slot.state[own.clone()],
                state_slopes: &slot.state_slopes[own.clone()],
                memory_slopes: &mut slot.memory_slopes[own.clone()],
                carried: &mut carried[..own.len()],
            }
            .step(self.cell, units);
            if step > 0 {
                let before = scaled(packing.before(step), units);
                let delta = Matrix::new(&slot.gates[gates], width);
                add_product(&mut slot.state_slopes[before.clone()], delta, weights);
                if matches!(self.cell, Cell::Lstm(_)) {
                    slot.memory_slopes[before].copy_from_slice(&carried[..own.len()]);
                }
            }
        }
        Ok(())
    }

    /// Adds to the gradient, which sums over all steps because they share the weights, and writes
    /// ∂L/∂x where somebody wants it.
    pub(crate) fn collect<T: Real>(
        &self,
        parameters: &[T],
        input: &[T],
        slot: &RecurrentSlot<T>,
        input_slopes: Option<&mut [T]>,
        gradient: &mut [T],
    ) {
        let width = self.width();
        let delta = Matrix::new(&slot.gates, width);
        let x = Matrix::new(input, self.inputs);
        add_product(&mut gradient[self.input_weights()], delta.t(), x);
        let before = Matrix::new(&slot.before, self.units);
        add_product(&mut gradient[self.state_weights()], delta.t(), before);
        let biases = &mut gradient[self.biases()];
        for row in slot.gates.chunks_exact(width) {
            biases
                .iter_mut()
                .zip(row)
                .for_each(|(bias, &slope)| *bias += slope);
        }
        if let Some(input_slopes) = input_slopes {
            let weights = Matrix::new(&parameters[self.input_weights()], self.inputs);
            multiply(input_slopes, delta, weights);
        }
    }
}

fn scaled(rows: Range<usize>, width: usize) -> Range<usize> {
    rows.start * width..rows.end * width
}
