//! A network with its numbers: layers of neurons, written down or learned.

use super::architecture::ensure_finite;
use super::{Architecture, Examples, FeedForward, Judge, Layer};
use crate::training::Learnable;
use crate::{Activation, Head};
use didact_core::random::generator;
use didact_core::{Error, Result, Run, parallel};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

/// A feed-forward network in double precision: a⁽⁰⁾ = x, z⁽ˡ⁾ = W⁽ˡ⁾a⁽ˡ⁻¹⁾ + b⁽ˡ⁾, a⁽ˡ⁾ = f(z⁽ˡ⁾).
///
/// The weights W⁽ˡ⁾ have one row per unit (out × in). The parameters are one list: the weights of
/// the first layer row by row, its biases, the weights of the second layer, and so on.
///
/// ```
/// use didact_neural::{Activation, Head, Network};
/// use ndarray::array;
/// // A logistic unit: x₁ − x₂ + ½.
/// let network = Network::from_layers(
///     &[(array![[1.0, -1.0]], array![0.5])],
///     Activation::Relu,
///     Head::COINS,
/// )?;
/// let outputs = network.outputs(array![[1.0, 1.0]].view())?;
/// assert!((outputs[[0, 0]] - 1.0 / (1.0 + (-0.5_f64).exp())).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    pub(crate) plan: Architecture,
    pub(crate) parameters: Vec<f64>,
}

impl Network {
    /// A network of the given layer sizes, inputs first, with random weights.
    pub fn random(sizes: &[usize], hidden: Activation, head: Head, seed: u64) -> Result<Self> {
        check_sizes(sizes)?;
        let plan = Architecture::dense(sizes, hidden, head, 0.0);
        let parameters = plan.random_start(&mut generator(seed, 0));
        Ok(Network { plan, parameters })
    }

    /// A network with the given weights (out × in) and biases of each layer.
    pub fn from_layers(
        layers: &[(Array2<f64>, Array1<f64>)],
        hidden: Activation,
        head: Head,
    ) -> Result<Self> {
        let inputs = layers.first().map_or(0, |(weights, _)| weights.ncols());
        let outputs = layers.iter().map(|(weights, _)| weights.nrows());
        let sizes: Vec<usize> = std::iter::once(inputs).chain(outputs).collect();
        check_sizes(&sizes)?;
        let fits = |((weights, biases), pair): (&(Array2<f64>, Array1<f64>), &[usize])| {
            weights.dim() == (pair[1], pair[0]) && biases.len() == pair[1]
        };
        if !layers.iter().zip(sizes.windows(2)).all(fits) {
            return Err(Error::data(
                "the weights of the layers do not fit together; give each as many columns as the \
                 layer before has rows, and as many biases as rows",
            ));
        }
        let parameters = layers
            .iter()
            .flat_map(|(weights, biases)| weights.iter().chain(biases));
        Network {
            plan: Architecture::dense(&sizes, hidden, head, 0.0),
            parameters: parameters.copied().collect(),
        }
        .checked()
    }

    fn checked(self) -> Result<Self> {
        match self.parameters.iter().all(|value| value.is_finite()) {
            true => Ok(self),
            false => Err(Error::data(
                "a weight is not a finite number; give finite weights and biases",
            )),
        }
    }

    /// Number of inputs.
    pub fn n_inputs(&self) -> usize {
        self.plan.inputs()
    }

    /// Number of outputs.
    pub fn n_outputs(&self) -> usize {
        self.plan.outputs()
    }

    /// Number of weights and biases, Σ Sₗ(Sₗ₋₁ + 1) for layers of sizes S.
    pub fn n_parameters(&self) -> usize {
        self.plan.n_parameters
    }

    /// Sizes of the layers, inputs first.
    pub fn sizes(&self) -> Vec<usize> {
        self.plan.sizes()
    }

    /// All weights and biases as one list.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// The same network with other weights and biases.
    pub fn with_parameters(mut self, parameters: Vec<f64>) -> Result<Self> {
        if parameters.len() != self.n_parameters() {
            return Err(Error::data(format!(
                "there are {} parameters; give {} values",
                parameters.len(),
                self.n_parameters()
            )));
        }
        self.parameters = parameters;
        self.checked()
    }

    /// The weights of a layer, a row per unit, or nothing where the layer has none.
    pub fn weights(&self, layer: usize) -> Option<ArrayView2<'_, f64>> {
        let Layer::Dense(dense) = self.with_weights(layer)? else {
            return None;
        };
        let values = &self.parameters[dense.weight_range()];
        match dense.tied {
            true => ArrayView2::from_shape((dense.inputs, dense.outputs), values)
                .ok()
                .map(ArrayView2::reversed_axes),
            false => ArrayView2::from_shape((dense.outputs, dense.inputs), values).ok(),
        }
    }

    /// The biases of a layer.
    pub fn biases(&self, layer: usize) -> Option<ArrayView1<'_, f64>> {
        let (_, biases) = self.with_weights(layer)?.parameter_ranges()?;
        Some(ArrayView1::from(&self.parameters[biases]))
    }

    fn with_weights(&self, layer: usize) -> Option<&Layer> {
        let mut layers = self
            .plan
            .layers
            .iter()
            .filter(|layer| layer.parameter_ranges().is_some());
        layers.nth(layer)
    }

    /// The outputs of rows, one row per row.
    pub fn outputs(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        self.check_width(rows.ncols(), self.n_inputs())?;
        let rows = rows.as_standard_layout();
        let input = rows.as_slice().expect("standard layout is contiguous");
        self.outputs_of(input, &Run::new())
    }

    /// The outputs of rows in C order, in parallel.
    pub(crate) fn outputs_of(&self, input: &[f64], run: &Run) -> Result<Array2<f64>> {
        let (inputs, outputs) = (self.n_inputs(), self.n_outputs());
        let rows = input.len() / inputs;
        let mut values = vec![0.0; rows * outputs];
        let chunk = ((1 << 20) / self.plan.work()).clamp(16, 4096);
        parallel::fill(&mut values, outputs, chunk, run, |range, piece| {
            let input = &input[range.start * inputs..range.end * inputs];
            piece.copy_from_slice(&self.plan.outputs_of(&self.parameters, input)?);
            Ok(())
        })?;
        Ok(Array2::from_shape_vec((rows, outputs), values).expect("one value per entry"))
    }

    /// The activations of every layer for rows, inputs first and outputs last.
    pub fn activations(&self, rows: ArrayView2<'_, f64>) -> Result<Vec<Array2<f64>>> {
        self.check_width(rows.ncols(), self.n_inputs())?;
        let n_rows = rows.nrows();
        let mut values: Vec<f64> = rows.iter().copied().collect();
        let mut all = vec![rows.to_owned()];
        for (place, layer) in self.plan.layers.iter().enumerate() {
            values = layer.answer(&self.parameters, values);
            if place + 1 == self.plan.layers.len() {
                self.plan.head.apply(&mut values, layer.outputs());
            }
            ensure_finite(&values)?;
            if layer.parameter_ranges().is_some() {
                let shape = (n_rows, layer.outputs());
                all.push(Array2::from_shape_vec(shape, values.clone()).expect("one per entry"));
            }
        }
        Ok(all)
    }

    /// The mean loss over rows plus (λ/2)Σw², biases not counted, and its gradient by
    /// backpropagation, in the order of [`Network::parameters`].
    pub fn loss_and_gradient(
        &self,
        rows: ArrayView2<'_, f64>,
        targets: ArrayView2<'_, f64>,
        lambda: f64,
    ) -> Result<(f64, Vec<f64>)> {
        self.check_width(rows.ncols(), self.n_inputs())?;
        self.check_width(targets.ncols(), self.n_outputs())?;
        if rows.nrows() == 0 || rows.nrows() != targets.nrows() {
            return Err(Error::data(format!(
                "there are {} targets for {} rows; give one for each and at least one",
                targets.nrows(),
                rows.nrows()
            )));
        }
        let inputs: Vec<f64> = rows.iter().copied().collect();
        let targets: Vec<f64> = targets.iter().copied().collect();
        let examples = Examples {
            inputs: &inputs,
            targets: &targets,
            n_inputs: self.n_inputs(),
            n_outputs: self.n_outputs(),
        };
        // A batch is priced by λ once, not once per row.
        let decay = lambda * rows.nrows() as f64;
        let mut problem = FeedForward::new(&self.plan, examples, decay, Judge::RSquared, 0);
        let items: Vec<usize> = (0..rows.nrows()).collect();
        let mut gradient = vec![0.0; self.n_parameters()];
        let run = Run::new();
        let loss = problem.gradient(&self.parameters, &items, 0, &mut gradient, &run)?;
        Ok((loss, gradient))
    }

    pub(crate) fn check_width(&self, found: usize, expected: usize) -> Result<()> {
        match found == expected {
            true => Ok(()),
            false => Err(Error::data(format!(
                "a row has {found} values where the network has {expected}; give {expected}"
            ))),
        }
    }

    /// Fails when a network that came from a file contradicts itself.
    pub(crate) fn validate(&self) -> Result<()> {
        self.plan.validate(&self.parameters)
    }
}

fn check_sizes(sizes: &[usize]) -> Result<()> {
    match sizes.len() >= 2 && sizes.iter().all(|&size| size > 0) {
        true => Ok(()),
        false => Err(Error::parameter(
            "sizes",
            format!("{sizes:?}"),
            "give at least the numbers of inputs and outputs, each at least 1",
        )),
    }
}
