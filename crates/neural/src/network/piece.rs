//! A piece of a batch on its way forward and back.

use super::{Architecture, Slot};
use crate::Real;
use didact_core::random::Generator;

/// The buffers of a piece of a batch, made once and used for every batch.
#[derive(Clone, Debug)]
pub(crate) struct Piece<T> {
    /// How many rows it holds now.
    pub(crate) rows: usize,
    /// The rows, gathered.
    pub(crate) input: Vec<T>,
    /// Their targets.
    pub(crate) target: Vec<T>,
    /// What each layer keeps.
    slots: Vec<Slot<T>>,
    /// ∂L/∂(output of a layer), for two neighbouring layers in turn.
    slopes: [Vec<T>; 2],
    /// The sum of the gradients of its rows.
    pub(crate) gradient: Vec<T>,
    /// The sum of the losses of its rows.
    pub(crate) loss: f64,
}

/// Slopes to add to every row of the outputs of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extra<'a, T> {
    pub(crate) layer: usize,
    pub(crate) slopes: &'a [T],
}

impl<T: Real> Piece<T> {
    /// Room for so many rows.
    pub(crate) fn new(plan: &Architecture, rows: usize) -> Self {
        let widths = plan
            .layers
            .iter()
            .map(|layer| layer.inputs().max(layer.outputs()));
        let widest = widths.max().unwrap_or(0) * rows;
        Piece {
            rows: 0,
            input: vec![T::zero(); rows * plan.inputs()],
            target: vec![T::zero(); rows * plan.outputs()],
            slots: plan.layers.iter().map(|layer| layer.slot(rows)).collect(),
            slopes: [vec![T::zero(); widest], vec![T::zero(); widest]],
            gradient: vec![T::zero(); plan.n_parameters],
            loss: 0.0,
        }
    }

    /// The outputs of a layer for the rows that went forward last.
    pub(crate) fn output(&self, plan: &Architecture, layer: usize) -> &[T] {
        &self.slots[layer].output[..self.rows * plan.layers[layer].outputs()]
    }

    /// What a layer keeps of the rows that went forward last.
    pub(crate) fn slot(&self, layer: usize) -> &Slot<T> {
        &self.slots[layer]
    }

    /// The weighted inputs of the last layer for the rows that went forward last.
    pub(crate) fn scores(&self, plan: &Architecture) -> &[T] {
        self.output(plan, plan.layers.len() - 1)
    }

    /// Sends the rows forward; with a generator as while learning.
    pub(crate) fn forward(
        &mut self,
        plan: &Architecture,
        parameters: &[T],
        mut generator: Option<&mut Generator>,
    ) {
        for (place, layer) in plan.layers.iter().enumerate() {
            let (before, after) = self.slots.split_at_mut(place);
            let input = match before.last() {
                Some(slot) => &slot.output,
                None => &self.input,
            };
            let input = &input[..self.rows * layer.inputs()];
            let generator = generator.as_deref_mut();
            layer.forward(parameters, input, self.rows, &mut after[0], generator);
        }
    }

    /// Charges the outputs against the targets and sends the slopes of the loss back.
    pub(crate) fn charge_and_go_back(
        &mut self,
        plan: &Architecture,
        parameters: &[T],
        extra: Option<Extra<'_, T>>,
    ) {
        self.charge(plan);
        self.go_back(plan, parameters, extra, false);
    }

    /// The same down to the inputs; the slopes that arrive there.
    pub(crate) fn charge_to_inputs(&mut self, plan: &Architecture, parameters: &[T]) -> &[T] {
        self.charge(plan);
        self.go_back(plan, parameters, None, true);
        self.input_slopes(plan)
    }

    /// Writes the slopes of the loss with respect to the scores.
    fn charge(&mut self, plan: &Architecture) {
        let size = self.rows * plan.outputs();
        let last = self.slots.len() - 1;
        self.slopes[0][..size].copy_from_slice(&self.slots[last].output[..size]);
        let (slopes, targets) = (&mut self.slopes[0][..size], &self.target[..size]);
        self.loss = plan.head.charge(slopes, targets, plan.outputs());
    }

    /// The slopes that arrived at the inputs: the two buffers take turns from layer to layer.
    fn input_slopes(&self, plan: &Architecture) -> &[T] {
        &self.slopes[plan.layers.len() % 2][..self.rows * plan.inputs()]
    }

    /// Sends slopes with respect to the scores back to the inputs; what arrives there.
    pub(crate) fn pull_back(
        &mut self,
        plan: &Architecture,
        parameters: &[T],
        slopes: &[T],
    ) -> &[T] {
        self.slopes[0][..slopes.len()].copy_from_slice(slopes);
        self.go_back(plan, parameters, None, true);
        self.input_slopes(plan)
    }

    /// The recursion from the last layer to the first; the gradient begins at zero.
    fn go_back(
        &mut self,
        plan: &Architecture,
        parameters: &[T],
        extra: Option<Extra<'_, T>>,
        to_inputs: bool,
    ) {
        self.gradient.fill(T::zero());
        let [first, second] = &mut self.slopes;
        let (mut above, mut below) = (first, second);
        for (place, layer) in plan.layers.iter().enumerate().rev() {
            let (before, after) = self.slots.split_at_mut(place);
            let input = match before.last() {
                Some(slot) => &slot.output,
                None => &self.input,
            };
            let input = &input[..self.rows * layer.inputs()];
            let slopes = &mut above[..self.rows * layer.outputs()];
            if let Some(extra) = extra.filter(|extra| extra.layer == place) {
                for row in slopes.chunks_exact_mut(extra.slopes.len()) {
                    row.iter_mut()
                        .zip(extra.slopes)
                        .for_each(|(slope, &more)| *slope += more);
                }
            }
            let wanted = place > 0 || to_inputs;
            let input_slopes = wanted.then(|| &mut below[..self.rows * layer.inputs()]);
            let slot = &mut after[0];
            layer.backward(
                parameters,
                input,
                slot,
                slopes,
                input_slopes,
                &mut self.gradient,
            );
            std::mem::swap(&mut above, &mut below);
        }
    }

    /// Takes rows as they are, and copies the chosen targets in.
    pub(crate) fn take(&mut self, rows: &[T], targets: &[T], n_outputs: usize, items: &[usize]) {
        self.rows = items.len();
        self.input[..rows.len()].copy_from_slice(rows);
        copy_rows(targets, n_outputs, items, &mut self.target);
    }

    /// Copies the chosen rows and their targets in.
    pub(crate) fn gather(&mut self, examples: &super::Examples<'_, T>, items: &[usize]) {
        self.rows = items.len();
        copy_rows(examples.inputs, examples.n_inputs, items, &mut self.input);
        copy_rows(
            examples.targets,
            examples.n_outputs,
            items,
            &mut self.target,
        );
    }
}

fn copy_rows<T: Copy>(from: &[T], width: usize, items: &[usize], to: &mut [T]) {
    if width == 0 {
        return;
    }
    for (&item, row) in items.iter().zip(to.chunks_exact_mut(width)) {
        row.copy_from_slice(&from[item * width..(item + 1) * width]);
    }
}
