//! Any layer.

use super::{Convolution, Dense, Dropout, MaxPooling};
use crate::{Activation, Real};
use didact_core::random::Generator;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Any layer of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Layer {
    Dense(Dense),
    Dropout(Dropout),
    Convolution(Convolution),
    MaxPooling(MaxPooling),
}

/// What a layer keeps of a piece of rows between the way forward and the way back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot<T> {
    /// The outputs, one row per row.
    pub(crate) output: Vec<T>,
    /// Which units stayed, or the patches of images.
    pub(crate) scratch: Vec<T>,
    /// Where the largest values stand.
    pub(crate) places: Vec<u32>,
}

impl Layer {
    /// Number of values that a row has before the layer.
    pub(crate) fn inputs(&self) -> usize {
        match self {
            Layer::Dense(layer) => layer.inputs,
            Layer::Dropout(layer) => layer.width,
            Layer::Convolution(layer) => layer.input.size(),
            Layer::MaxPooling(layer) => layer.input.size(),
        }
    }

    /// Number of values that a row has after the layer.
    pub(crate) fn outputs(&self) -> usize {
        match self {
            Layer::Dense(layer) => layer.outputs,
            Layer::Dropout(layer) => layer.width,
            Layer::Convolution(layer) => layer.output().size(),
            Layer::MaxPooling(layer) => layer.output().size(),
        }
    }

    /// Where its weights and its biases are among all parameters.
    pub(crate) fn parameter_ranges(&self) -> Option<(Range<usize>, Range<usize>)> {
        match self {
            Layer::Dense(layer) => Some((layer.weight_range(), layer.bias_range())),
            Layer::Convolution(layer) => Some((layer.weight_range(), layer.bias_range())),
            Layer::Dropout(_) | Layer::MaxPooling(_) => None,
        }
    }

    /// Multiplications that a row costs on the way forward.
    pub(crate) fn work(&self) -> usize {
        match self {
            Layer::Dense(layer) => layer.inputs * layer.outputs,
            Layer::Dropout(layer) => layer.width,
            Layer::Convolution(layer) => layer.places() * layer.patch() * layer.filters,
            Layer::MaxPooling(layer) => layer.input.size(),
        }
    }

    /// Room for so many rows.
    pub(crate) fn slot<T: Real>(&self, rows: usize) -> Slot<T> {
        let scratch = match self {
            Layer::Dense(_) | Layer::MaxPooling(_) => 0,
            Layer::Dropout(layer) => layer.width * rows,
            Layer::Convolution(layer) => layer.places() * layer.patch() * rows,
        };
        let places = match self {
            Layer::MaxPooling(layer) => layer.output().size() * rows,
            _ => 0,
        };
        Slot {
            output: vec![T::zero(); self.outputs() * rows],
            scratch: vec![T::zero(); scratch],
            places: vec![0; places],
        }
    }

    /// The outputs of so many rows; with a generator as while learning.
    pub(crate) fn forward<T: Real>(
        &self,
        parameters: &[T],
        input: &[T],
        rows: usize,
        slot: &mut Slot<T>,
        generator: Option<&mut Generator>,
    ) {
        let output = &mut slot.output[..rows * self.outputs()];
        match self {
            Layer::Dense(layer) => layer.forward(parameters, input, output),
            Layer::Dropout(layer) => {
                let mask = &mut slot.scratch[..rows * layer.width];
                layer.forward(input, output, mask, generator);
            }
            Layer::Convolution(layer) => {
                let patches = &mut slot.scratch[..rows * layer.places() * layer.patch()];
                layer.forward(parameters, input, output, patches);
            }
            Layer::MaxPooling(layer) => {
                let places = &mut slot.places[..output.len()];
                layer.forward(input, output, places);
            }
        }
    }

    /// Takes the slopes ∂L/∂output, which it may change, adds to the gradient, and writes
    /// ∂L/∂input where somebody wants it.
    pub(crate) fn backward<T: Real>(
        &self,
        parameters: &[T],
        input: &[T],
        slot: &mut Slot<T>,
        slopes: &mut [T],
        input_slopes: Option<&mut [T]>,
        gradient: &mut [T],
    ) {
        let output = &slot.output[..slopes.len()];
        match self {
            Layer::Dense(layer) => {
                layer.backward(parameters, input, output, slopes, input_slopes, gradient);
            }
            Layer::Dropout(layer) => {
                if let Some(input_slopes) = input_slopes {
                    layer.backward(&slot.scratch, slopes, input_slopes);
                }
            }
            Layer::Convolution(layer) => {
                let rows = slopes.len() / self.outputs();
                let patches = &mut slot.scratch[..rows * layer.places() * layer.patch()];
                layer.backward(parameters, output, slopes, patches, input_slopes, gradient);
            }
            Layer::MaxPooling(layer) => {
                if let Some(input_slopes) = input_slopes {
                    layer.backward(&slot.places[..slopes.len()], slopes, input_slopes);
                }
            }
        }
    }

    /// The outputs of rows when nothing is learned, each as if it were alone.
    pub(crate) fn answer(&self, parameters: &[f64], input: Vec<f64>) -> Vec<f64> {
        let rows = input.len() / self.inputs();
        let mut output = vec![0.0; rows * self.outputs()];
        match self {
            Layer::Dense(layer) => layer.answer(parameters, &input, &mut output),
            Layer::Dropout(_) => return input,
            Layer::Convolution(layer) => layer.answer(parameters, &input, &mut output),
            Layer::MaxPooling(layer) => {
                let mut places = vec![0; output.len()];
                layer.forward(&input, &mut output, &mut places);
            }
        }
        output
    }

    /// What a small change of one row becomes, given what the layer keeps of the row and the
    /// parameters without biases: f′(z) ⊙ (W·Δx).
    pub(crate) fn push_forward(
        &self,
        without_biases: &[f64],
        change: Vec<f64>,
        slot: &Slot<f64>,
    ) -> Vec<f64> {
        let (linear, activation) = match self {
            Layer::Dense(layer) => {
                let linear = Layer::Dense(Dense {
                    activation: Activation::Identity,
                    ..layer.clone()
                });
                (linear, layer.activation)
            }
            Layer::Convolution(layer) => {
                let linear = Layer::Convolution(Convolution {
                    activation: Activation::Identity,
                    ..layer.clone()
                });
                (linear, layer.activation)
            }
            Layer::Dropout(_) => return change,
            Layer::MaxPooling(_) => {
                let kept = slot.places[..self.outputs()].iter();
                return kept.map(|&place| change[place as usize]).collect();
            }
        };
        let mut moved = linear.answer(without_biases, change);
        activation.scale_slopes(&slot.output[..self.outputs()], &mut moved);
        moved
    }
}
