//! The plan of a network: its layers and its end, without the numbers.

use super::{Convolution, Dense, Dropout, Layer, MaxPooling, Shape};
use crate::{Activation, Head, PretrainedLayer, Real};
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{Error, Result};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Layers, the end, and how many parameters they have together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Architecture {
    pub(crate) layers: Vec<Layer>,
    pub(crate) head: Head,
    pub(crate) n_parameters: usize,
}

impl Architecture {
    /// A plan without layers.
    pub(crate) fn new(head: Head) -> Self {
        Architecture {
            layers: Vec::new(),
            head,
            n_parameters: 0,
        }
    }

    /// Layers of the given sizes, inputs first; hidden layers are followed by dropout where its
    /// rate is not zero.
    pub(crate) fn dense(sizes: &[usize], hidden: Activation, head: Head, dropout: f64) -> Self {
        let mut plan = Architecture::new(head);
        for (place, pair) in sizes.windows(2).enumerate() {
            if place + 2 == sizes.len() {
                plan.add_dense(pair[0], pair[1], Activation::Identity);
            } else {
                plan.add_dense(pair[0], pair[1], hidden);
                plan.add_dropout(pair[1], dropout);
            }
        }
        plan
    }

    /// Adds a layer with weights of its own; its place among the layers.
    pub(crate) fn add_dense(
        &mut self,
        inputs: usize,
        outputs: usize,
        activation: Activation,
    ) -> usize {
        let weights = self.n_parameters;
        let biases = weights + inputs * outputs;
        self.n_parameters = biases + outputs;
        self.layers.push(Layer::Dense(Dense {
            inputs,
            outputs,
            activation,
            weights,
            biases,
            tied: false,
        }));
        self.layers.len() - 1
    }

    /// Adds filters of the given size over images; the shape of what they give.
    pub(crate) fn add_convolution(
        &mut self,
        input: Shape,
        filters: usize,
        kernel: (usize, usize),
        activation: Activation,
    ) -> Shape {
        let weights = self.n_parameters;
        let layer = Convolution {
            input,
            filters,
            kernel,
            stride: 1,
            flipped: false,
            activation,
            weights,
            biases: weights + filters * kernel.0 * kernel.1 * input.channels,
        };
        let output = layer.output();
        self.n_parameters = layer.bias_range().end;
        self.layers.push(Layer::Convolution(layer));
        output
    }

    /// Adds the maximum over windows side by side; the shape of what they give.
    pub(crate) fn add_pooling(
        &mut self,
        input: Shape,
        window: (usize, usize),
        stride: usize,
    ) -> Shape {
        let layer = MaxPooling {
            input,
            window,
            stride,
        };
        let output = layer.output();
        self.layers.push(Layer::MaxPooling(layer));
        output
    }

    /// Adds a layer that reads the weights of an earlier one transposed; its biases are its own.
    pub(crate) fn add_tied(&mut self, to: usize, activation: Activation) {
        let Layer::Dense(encoder) = &self.layers[to] else {
            unreachable!("only dense layers are tied to");
        };
        let tied = Dense {
            inputs: encoder.outputs,
            outputs: encoder.inputs,
            activation,
            weights: encoder.weights,
            biases: self.n_parameters,
            tied: true,
        };
        self.n_parameters += tied.outputs;
        self.layers.push(Layer::Dense(tied));
    }

    /// Adds dropout, where the rate is not zero.
    pub(crate) fn add_dropout(&mut self, width: usize, rate: f64) {
        if rate > 0.0 {
            self.layers.push(Layer::Dropout(Dropout { width, rate }));
        }
    }

    /// Number of values of a row before the first layer.
    pub(crate) fn inputs(&self) -> usize {
        self.layers.first().map_or(0, Layer::inputs)
    }

    /// Number of values of a row after the last layer.
    pub(crate) fn outputs(&self) -> usize {
        self.layers.last().map_or(0, Layer::outputs)
    }

    /// Numbers of values between the layers that have parameters, inputs first.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        let with_parameters = |layer: &&Layer| layer.parameter_ranges().is_some();
        let outputs = self
            .layers
            .iter()
            .filter(with_parameters)
            .map(Layer::outputs);
        std::iter::once(self.inputs()).chain(outputs).collect()
    }

    /// Multiplications that a row costs on the way forward.
    pub(crate) fn work(&self) -> usize {
        self.layers.iter().map(Layer::work).sum::<usize>().max(1)
    }

    /// ½Σw² over all weights (tied ones once, biases never).
    pub(crate) fn half_squares<T: Real>(&self, parameters: &[T]) -> f64 {
        let mut total = 0.0;
        self.for_each_weights(|range| {
            let squares = parameters[range].iter().map(|w| w.widen() * w.widen());
            total += 0.5 * squares.sum::<f64>();
        });
        total
    }

    /// Adds λ·w to the slope of every weight.
    pub(crate) fn add_decay<T: Real>(&self, parameters: &[T], lambda: f64, gradient: &mut [T]) {
        let lambda = T::of(lambda);
        self.for_each_weights(|range| {
            for (slope, &w) in gradient[range.clone()].iter_mut().zip(&parameters[range]) {
                *slope += lambda * w;
            }
        });
    }

    fn for_each_weights(&self, mut visit: impl FnMut(std::ops::Range<usize>)) {
        for layer in &self.layers {
            match layer {
                Layer::Dense(dense) if dense.tied => {}
                layer => {
                    if let Some((weights, _)) = layer.parameter_ranges() {
                        visit(weights);
                    }
                }
            }
        }
    }

    /// Random parameters, uniform within √(factor / (fan in + fan out)): equal ones would make
    /// all units of a layer learn the same.
    pub(crate) fn random_start<T: Real>(&self, generator: &mut Generator) -> Vec<T> {
        let mut parameters = vec![T::zero(); self.n_parameters];
        for layer in &self.layers {
            let (ranges, fans, activation) = match layer {
                Layer::Dense(dense) => {
                    let weights = if dense.tied {
                        0..0
                    } else {
                        dense.weight_range()
                    };
                    let fans = dense.inputs + dense.outputs;
                    ([weights, dense.bias_range()], fans, dense.activation)
                }
                Layer::Convolution(layer) => {
                    let (high, wide) = layer.kernel;
                    let fans = high * wide * (layer.input.channels + layer.filters);
                    let ranges = [layer.weight_range(), layer.bias_range()];
                    (ranges, fans, layer.activation)
                }
                Layer::Dropout(_) | Layer::MaxPooling(_) => continue,
            };
            let bound = (activation.start_factor() / fans as f64).sqrt();
            for range in ranges {
                for value in &mut parameters[range] {
                    *value = T::of(bound * (2.0 * generator.random::<f64>() - 1.0));
                }
            }
        }
        parameters
    }

    /// Overwrites the parameters of the first layers by those that were learned from rows alone.
    pub(crate) fn begin_with(&self, layers: &[PretrainedLayer], parameters: &mut [f64]) {
        let places = self.layers.iter().filter_map(Layer::parameter_ranges);
        for ((weights, biases), layer) in places.zip(layers) {
            let given = layer.weights.iter();
            parameters[weights]
                .iter_mut()
                .zip(given)
                .for_each(|(to, &from)| *to = from);
            let given = layer.biases.iter();
            parameters[biases]
                .iter_mut()
                .zip(given)
                .for_each(|(to, &from)| *to = from);
        }
    }

    /// The weighted inputs of the last layer for rows in C order, each as if it were alone.
    pub(crate) fn answer(&self, parameters: &[f64], input: Vec<f64>) -> Vec<f64> {
        self.layers
            .iter()
            .fold(input, |values, layer| layer.answer(parameters, values))
    }

    /// The outputs of rows; fails where a number is too large for the arithmetic.
    pub(crate) fn outputs_of(&self, parameters: &[f64], input: &[f64]) -> Result<Vec<f64>> {
        let mut outputs = self.answer(parameters, input.to_vec());
        self.head.apply(&mut outputs, self.outputs().max(1));
        ensure_finite(&outputs)?;
        Ok(outputs)
    }

    /// Fails when a plan that came from a file contradicts itself.
    pub(crate) fn validate(&self, parameters: &[f64]) -> Result<()> {
        ensure_consistent(!self.layers.is_empty() && parameters.len() == self.n_parameters)?;
        ensure_consistent(parameters.iter().all(|value| value.is_finite()))?;
        for layer in &self.layers {
            self.validate_layer(layer)?;
        }
        for pair in self.layers.windows(2) {
            ensure_consistent(pair[0].outputs() == pair[1].inputs())?;
        }
        Ok(())
    }

    /// Fails where sizes are impossible or places outside the list of parameters.
    fn validate_layer(&self, layer: &Layer) -> Result<()> {
        // Sizes of a damaged file may not even be multiplied.
        let small = |sizes: &[usize]| {
            let product = |total: usize, &size: &usize| total.checked_mul(size);
            let total = sizes.iter().try_fold(1, product);
            total.is_some_and(|total| total > 0 && total < 1 << 40)
        };
        let window_fits = |shape: &Shape, (high, wide): (usize, usize), stride: usize| {
            small(&[
                shape.height,
                shape.width,
                shape.channels,
                high,
                wide,
                stride,
            ]) && high <= shape.height
                && wide <= shape.width
        };
        ensure_consistent(match layer {
            Layer::Dense(dense) => small(&[dense.inputs, dense.outputs]),
            Layer::Dropout(dropout) => dropout.width > 0 && (0.0..1.0).contains(&dropout.rate),
            Layer::Convolution(layer) => {
                let fits = window_fits(&layer.input, layer.kernel, layer.stride);
                fits && small(&[layer.filters, layer.patch(), layer.input.size()])
            }
            Layer::MaxPooling(layer) => window_fits(&layer.input, layer.window, layer.stride),
        })?;
        if let Some((weights, biases)) = layer.parameter_ranges() {
            let end = self.n_parameters;
            ensure_consistent(weights.start <= end && weights.end <= end)?;
            ensure_consistent(biases.start <= end && biases.end <= end)?;
        }
        Ok(())
    }
}

/// Fails where an output is not a number.
pub(crate) fn ensure_finite(outputs: &[f64]) -> Result<()> {
    match outputs.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(Error::numerical(
            "values of a row are so large that the network overflows; scale the columns as those \
             that it learned from",
        )),
    }
}
