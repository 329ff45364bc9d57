//! Recurrent layers on top of each other, and what is read from the last one.

use super::cell::Cell;
use super::layer::{RecurrentLayer, RecurrentSlot};
use super::packing::Packing;
use crate::network::Dense;
use crate::{Activation, Head, Real};
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{Result, Run};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// What of the states of the last layer feeds the outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Readout {
    /// Every state: one answer for each item.
    #[default]
    EveryItem,
    /// The state after the last real item: one answer for each sequence.
    Last,
    /// The sum h₁ + … + h_T of all states, while the recurrence itself uses the last one: one
    /// answer for each sequence.
    Sum,
}

/// The plan of a recurrent network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stack {
    pub(crate) layers: Vec<RecurrentLayer>,
    pub(crate) readout: Readout,
    pub(crate) output: Dense,
    pub(crate) head: Head,
}

/// Packed sequences on their way forward and back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading<T> {
    pub(crate) packing: Packing,
    /// The items, packed.
    pub(crate) input: Vec<T>,
    pub(crate) slots: Vec<RecurrentSlot<T>>,
    /// What is read from the last layer, a row per answer.
    features: Vec<T>,
    feature_slopes: Vec<T>,
    /// The weighted inputs of the outputs, which become their slopes.
    pub(crate) scores: Vec<T>,
    pub(crate) gradient: Vec<T>,
    pub(crate) loss: f64,
}

impl<T: Real> Reading<T> {
    /// One sequence, to be read.
    pub(crate) fn of_one(items: Vec<T>, length: usize) -> Self {
        Reading {
            packing: Packing::new(std::slice::from_ref(&(0..length)), &[0]),
            input: items,
            ..Reading::default()
        }
    }
}

impl Stack {
    pub(crate) fn new(
        n_inputs: usize,
        hidden: &[usize],
        cell: Cell,
        readout: Readout,
        n_outputs: usize,
        head: Head,
    ) -> Self {
        let (mut first, mut inputs) = (0, n_inputs);
        let mut layers: Vec<RecurrentLayer> = Vec::new();
        for &units in hidden {
            let layer = RecurrentLayer {
                inputs,
                units,
                cell,
                first,
                start: vec![0.0; units],
            };
            first += layer.n_parameters();
            inputs = units;
            layers.push(layer);
        }
        Stack {
            layers,
            readout,
            output: Dense {
                inputs,
                outputs: n_outputs,
                activation: Activation::Identity,
                weights: first,
                biases: first + inputs * n_outputs,
                tied: false,
            },
            head,
        }
    }

    pub(crate) fn n_inputs(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.inputs)
    }

    pub(crate) fn n_outputs(&self) -> usize {
        self.output.outputs
    }

    pub(crate) fn n_parameters(&self) -> usize {
        self.output.bias_range().end
    }

    /// Random weights, within 1/√units of the layer that they listen to.
    pub(crate) fn random_start<T: Real>(&self, generator: &mut Generator) -> Vec<T> {
        let mut parameters = vec![T::zero(); self.n_parameters()];
        for layer in &self.layers {
            layer.randomise(&mut parameters, generator);
        }
        let bound = 1.0 / (self.output.inputs as f64).sqrt();
        for value in &mut parameters[self.output.weights..] {
            *value = T::of(bound * (2.0 * generator.random::<f64>() - 1.0));
        }
        parameters
    }

    /// Reads the packed items of `reading` and writes its scores.
    pub(crate) fn forward<T: Real>(
        &self,
        parameters: &[T],
        reading: &mut Reading<T>,
        run: &Run,
    ) -> Result<()> {
        reading
            .slots
            .resize_with(self.layers.len(), RecurrentSlot::default);
        for (place, layer) in self.layers.iter().enumerate() {
            let (before, after) = reading.slots.split_at_mut(place);
            let input = before.last().map_or(&reading.input, |slot| &slot.state);
            layer.forward(parameters, &reading.packing, input, &mut after[0], run)?;
        }
        self.read(reading);
        let rows = reading.features.len() / self.output.inputs;
        reading.scores.resize(rows * self.n_outputs(), T::zero());
        self.output
            .forward(parameters, &reading.features, &mut reading.scores);
        Ok(())
    }

    /// Writes what the outputs listen to.
    fn read<T: Real>(&self, reading: &mut Reading<T>) {
        let state = &reading.slots[self.layers.len() - 1].state;
        let (units, packing) = (self.output.inputs, &reading.packing);
        let features = &mut reading.features;
        features.clear();
        match self.readout {
            Readout::EveryItem => features.extend_from_slice(state),
            Readout::Last => {
                for row in packing.last_rows() {
                    features.extend_from_slice(&state[row * units..(row + 1) * units]);
                }
            }
            Readout::Sum => {
                features.resize(packing.order.len() * units, T::zero());
                for step in 0..packing.n_steps() {
                    let rows = packing.step(step);
                    let states = &state[rows.start * units..rows.end * units];
                    features
                        .iter_mut()
                        .zip(states)
                        .for_each(|(sum, &h)| *sum += h);
                }
            }
        }
    }

    /// Sends the slopes of the features to the states that they were read from.
    fn unread<T: Real>(&self, reading: &mut Reading<T>) {
        let slopes = &mut reading.slots[self.layers.len() - 1].state_slopes;
        let (units, packing) = (self.output.inputs, &reading.packing);
        match self.readout {
            Readout::EveryItem => slopes.copy_from_slice(&reading.feature_slopes),
            Readout::Last => {
                slopes.fill(T::zero());
                let rows = packing.last_rows().into_iter();
                for (row, from) in rows.zip(reading.feature_slopes.chunks_exact(units)) {
                    slopes[row * units..(row + 1) * units].copy_from_slice(from);
                }
            }
            Readout::Sum => {
                for step in 0..packing.n_steps() {
                    let rows = packing.step(step);
                    let to = &mut slopes[rows.start * units..rows.end * units];
                    let size = to.len();
                    to.copy_from_slice(&reading.feature_slopes[..size]);
                }
            }
        }
    }

    /// Charges the scores against the targets, in the order of the packing, and sends the slopes
    /// back through time; the gradient and the loss are sums over all answers.
    pub(crate) fn charge_and_go_back<T: Real>(
        &self,
        parameters: &[T],
        reading: &mut Reading<T>,
        targets: &[T],
        run: &Run,
    ) -> Result<()> {
        reading.loss = self
            .head
            .charge(&mut reading.scores, targets, self.n_outputs());
        reading.gradient.clear();
        reading.gradient.resize(self.n_parameters(), T::zero());
        reading
            .feature_slopes
            .resize(reading.features.len(), T::zero());
        self.output.backward(
            parameters,
            &reading.features,
            &[],
            &mut reading.scores,
            Some(&mut reading.feature_slopes),
            &mut reading.gradient,
        );
        self.unread(reading);
        self.go_back(parameters, reading, run)
    }

    /// The way back through all layers from the slopes of the last one's states.
    pub(crate) fn go_back<T: Real>(
        &self,
        parameters: &[T],
        reading: &mut Reading<T>,
        run: &Run,
    ) -> Result<()> {
        let Reading {
            packing,
            input,
            slots,
            gradient,
            ..
        } = reading;
        for (place, layer) in self.layers.iter().enumerate().rev() {
            let (before, after) = slots.split_at_mut(place);
            let own = &mut after[0];
            layer.backward(parameters, packing, own, run)?;
            match before.last_mut() {
                Some(below) => {
                    let slopes = Some(below.state_slopes.as_mut_slice());
                    layer.collect(parameters, &below.state, own, slopes, gradient);
                }
                None => layer.collect(parameters, input, own, None, gradient),
            }
        }
        Ok(())
    }

    /// ½Σw² over all weights, biases not counted.
    pub(crate) fn half_squares<T: Real>(&self, parameters: &[T]) -> f64 {
        let squares = self
            .weight_ranges()
            .into_iter()
            .flat_map(|range| &parameters[range]);
        squares.map(|w| 0.5 * w.widen() * w.widen()).sum()
    }

    /// Adds λ·w to the slope of every weight.
    pub(crate) fn add_decay<T: Real>(&self, parameters: &[T], lambda: f64, gradient: &mut [T]) {
        for range in self.weight_ranges() {
            for (slope, &w) in gradient[range.clone()].iter_mut().zip(&parameters[range]) {
                *slope += T::of(lambda) * w;
            }
        }
    }

    fn weight_ranges(&self) -> Vec<std::ops::Range<usize>> {
        let layers = self
            .layers
            .iter()
            .map(|l| l.input_weights().start..l.state_weights().end);
        layers.chain([self.output.weight_range()]).collect()
    }

    /// Fails when a plan that came from a file contradicts itself.
    pub(crate) fn validate(&self, parameters: &[f64]) -> Result<()> {
        ensure_consistent(!self.layers.is_empty() && self.output.outputs > 0)?;
        // Sizes of a damaged file may not even be multiplied.
        let small = |size: usize| size > 0 && size < 1 << 24;
        for layer in &self.layers {
            ensure_consistent(small(layer.inputs) && small(layer.units))?;
            ensure_consistent(layer.start.len() == layer.units)?;
            ensure_consistent(layer.start.iter().all(|value| value.is_finite()))?;
        }
        let hidden: Vec<usize> = self.layers.iter().map(|layer| layer.units).collect();
        let cell = self.layers[0].cell;
        ensure_consistent(small(self.n_outputs()))?;
        let mut expected = Stack::new(
            self.n_inputs(),
            &hidden,
            cell,
            self.readout,
            self.n_outputs(),
            self.head,
        );
        for (expected, own) in expected.layers.iter_mut().zip(&self.layers) {
            expected.start.clone_from(&own.start);
        }
        ensure_consistent(expected == *self && parameters.len() == self.n_parameters())?;
        ensure_consistent(parameters.iter().all(|value| value.is_finite()))
    }
}
