//! A recurrent network with its numbers.

use super::cell::Cell;
use super::problem::SequenceProblem;
use super::stack::{Reading, Readout, Stack};
use crate::Head;
use crate::network::ensure_finite;
use crate::training::Learnable;
use didact_core::random::generator;
use didact_core::{Error, Result, Run, Sequences, parallel};
use ndarray::{Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Recurrent layers, one feeding the next, with a linear readout: hₜ = f(hₜ₋₁, xₜ), the same f
/// and the same weights at every step.
///
/// Each layer's weights stand in the parameters as W_x (a row per gate and unit), W_h, biases; the
/// weights and biases of the outputs come last. The gates of an LSTM are in the order forget,
/// input, output, candidate. The state before the first item is zero unless another is given.
///
/// ```
/// use didact_neural::{Cell, Head, Readout, RecurrentNetwork};
/// use ndarray::array;
/// let cell = Cell::Elman { bias: false };
/// let network = RecurrentNetwork::random(1, &[1], cell, Readout::EveryItem, 2, Head::CLASSES, 0)?
///     .with_parameters(vec![1.0, 0.5, 0.0, 0.0, 0.0, 0.0])?;
/// let states = network.states(array![[1.0], [0.0], [-1.0]].view())?;
/// // tanh 1, tanh(½·0.76), tanh(−1 + ½·0.36).
/// assert!((states[[2, 0]] + 0.6741437).abs() < 1e-7);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecurrentNetwork {
    pub(crate) stack: Stack,
    pub(crate) parameters: Vec<f64>,
}

impl RecurrentNetwork {
    /// A network with random weights.
    pub fn random(
        n_inputs: usize,
        hidden: &[usize],
        cell: Cell,
        readout: Readout,
        n_outputs: usize,
        head: Head,
        seed: u64,
    ) -> Result<Self> {
        if n_inputs == 0 || n_outputs == 0 || hidden.is_empty() || hidden.contains(&0) {
            return Err(Error::parameter(
                "hidden_layer_sizes",
                format!("{hidden:?}"),
                "give at least one layer, every layer at least 1 unit, one input and one output",
            ));
        }
        let stack = Stack::new(n_inputs, hidden, cell, readout, n_outputs, head);
        let parameters = stack.random_start(&mut generator(seed, 0));
        Ok(RecurrentNetwork { stack, parameters })
    }

    /// Number of weights and biases.
    pub fn n_parameters(&self) -> usize {
        self.stack.n_parameters()
    }

    /// All weights and biases as one list.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// The same network with other weights and biases.
    pub fn with_parameters(mut self, parameters: Vec<f64>) -> Result<Self> {
        let finite = parameters.iter().all(|value| value.is_finite());
        if parameters.len() != self.n_parameters() || !finite {
            return Err(Error::data(format!(
                "there are {} parameters, all finite: {finite}; give {} finite values",
                parameters.len(),
                self.n_parameters()
            )));
        }
        self.parameters = parameters;
        Ok(self)
    }

    /// The same network with another state before the first item, one value per unit of a layer.
    pub fn with_start(mut self, layer: usize, state: Vec<f64>) -> Result<Self> {
        match self.stack.layers.get_mut(layer) {
            Some(layer) if layer.units == state.len() => layer.start = state,
            _ => {
                return Err(Error::data(format!(
                    "there are {} values for the start of layer {layer}; give one per unit of a \
                     layer that exists",
                    state.len()
                )));
            }
        }
        Ok(self)
    }

    /// The weights W_x of a layer, a row for each gate of each unit.
    pub fn input_weights(&self, layer: usize) -> Option<ArrayView2<'_, f64>> {
        let layer = self.stack.layers.get(layer)?;
        let values = &self.parameters[layer.input_weights()];
        ArrayView2::from_shape((values.len() / layer.inputs, layer.inputs), values).ok()
    }

    /// The weights W_h of a layer, a row for each gate of each unit.
    pub fn state_weights(&self, layer: usize) -> Option<ArrayView2<'_, f64>> {
        let layer = self.stack.layers.get(layer)?;
        let values = &self.parameters[layer.state_weights()];
        ArrayView2::from_shape((values.len() / layer.units, layer.units), values).ok()
    }

    /// The biases of a layer, those of gates that have some.
    pub fn biases(&self, layer: usize) -> Option<ArrayView1<'_, f64>> {
        let layer = self.stack.layers.get(layer)?;
        Some(ArrayView1::from(&self.parameters[layer.biases()]))
    }

    /// Sends one sequence forward.
    pub(crate) fn read(&self, items: &[f64], run: &Run) -> Result<Reading<f64>> {
        let length = items.len() / self.stack.n_inputs();
        let mut reading = Reading::of_one(items.to_vec(), length);
        self.stack.forward(&self.parameters, &mut reading, run)?;
        ensure_finite(&reading.scores)?;
        Ok(reading)
    }

    pub(crate) fn read_array(&self, items: ArrayView2<'_, f64>) -> Result<Reading<f64>> {
        if items.ncols() != self.stack.n_inputs() || items.nrows() == 0 {
            return Err(Error::Columns {
                expected: self.stack.n_inputs(),
                found: items.ncols(),
            });
        }
        let values: Vec<f64> = items.iter().copied().collect();
        self.read(&values, &Run::new())
    }

    /// The states of the last layer after each item of a sequence.
    pub fn states(&self, items: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let reading = self.read_array(items)?;
        let last = reading
            .slots
            .into_iter()
            .next_back()
            .expect("there is a layer");
        let shape = (items.nrows(), self.stack.output.inputs);
        Ok(Array2::from_shape_vec(shape, last.state).expect("one value per entry"))
    }

    /// The memories c of the last layer after each item of a sequence; zero in cells without one.
    pub fn memories(&self, items: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let reading = self.read_array(items)?;
        let last = reading
            .slots
            .into_iter()
            .next_back()
            .expect("there is a layer");
        let shape = (items.nrows(), self.stack.output.inputs);
        Ok(Array2::from_shape_vec(shape, last.memory).expect("one value per entry"))
    }

    /// The outputs for one sequence: a row for each item, or one row.
    pub fn outputs(&self, items: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let mut scores = self.read_array(items)?.scores;
        let width = self.stack.n_outputs();
        self.stack.head.apply(&mut scores, width);
        let rows = scores.len() / width;
        Ok(Array2::from_shape_vec((rows, width), scores).expect("one value per entry"))
    }

    /// The outputs for several sequences, each read alone, one after the other.
    pub(crate) fn outputs_of(&self, sequences: &Sequences<'_>, run: &Run) -> Result<Array2<f64>> {
        let rows = sequences.samples.dense()?;
        let rows = rows.as_standard_layout();
        let values = rows.as_slice().expect("standard layout is contiguous");
        let (inputs, width) = (self.stack.n_inputs(), self.stack.n_outputs());
        let ranges: Vec<Range<usize>> = sequences.ranges().collect();
        let answers = parallel::map(&ranges, run, |range| {
            let items = &values[range.start * inputs..range.end * inputs];
            let mut scores = self.read(items, run)?.scores;
            self.stack.head.apply(&mut scores, width);
            ensure_finite(&scores)?;
            Ok(scores)
        })?;
        let values = answers.concat();
        let rows = values.len() / width;
        Ok(Array2::from_shape_vec((rows, width), values).expect("one value per entry"))
    }

    /// The mean loss per answer plus (λ/2)Σw², and its gradient by backpropagation through time.
    /// Targets have a row for each item, or for each sequence where only one answer is read.
    pub fn loss_and_gradient(
        &self,
        sequences: &Sequences<'_>,
        targets: ArrayView2<'_, f64>,
        lambda: f64,
    ) -> Result<(f64, Vec<f64>)> {
        let rows = sequences.samples.dense()?;
        let answers = match self.stack.readout {
            Readout::EveryItem => rows.nrows(),
            _ => sequences.lengths.len(),
        };
        if rows.ncols() != self.stack.n_inputs()
            || targets.dim() != (answers, self.stack.n_outputs())
        {
            return Err(Error::data(format!(
                "the items have {} columns and the targets are {}×{}; the network needs {} \
                 columns and {answers}×{} targets",
                rows.ncols(),
                targets.nrows(),
                targets.ncols(),
                self.stack.n_inputs(),
                self.stack.n_outputs()
            )));
        }
        let items: Vec<f64> = rows.iter().copied().collect();
        let targets: Vec<f64> = targets.iter().copied().collect();
        let ranges: Vec<Range<usize>> = sequences.ranges().collect();
        let decay = lambda * answers as f64;
        let mut problem = SequenceProblem::new(&self.stack, &items, &ranges, &targets, decay);
        let chosen: Vec<usize> = (0..ranges.len()).collect();
        let mut gradient = vec![0.0; self.n_parameters()];
        let loss = problem.gradient(&self.parameters, &chosen, 0, &mut gradient, &Run::new())?;
        Ok((loss, gradient))
    }

    pub(crate) fn validate(&self) -> Result<()> {
        self.stack.validate(&self.parameters)
    }
}
