//! Layers without an end, for models that put something else on top of a network.

use super::{Architecture, Layer, Piece};
use crate::{Activation, Head, Network, PretrainedLayer};
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{Error, Result, Run};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The hidden layers of a network, a⁽ˡ⁾ = f(W⁽ˡ⁾a⁽ˡ⁻¹⁾ + b⁽ˡ⁾), without an end of their own.
///
/// What stands on top gives the slopes of its loss with respect to the last layer, and gets the
/// gradient with respect to all weights and biases back. No layer at all is allowed: rows then
/// stay as they are.
///
/// ```
/// use didact_neural::{Activation, HiddenLayers};
/// use ndarray::array;
/// let layers = HiddenLayers::random(2, &[3], Activation::Logistic, 7)?;
/// let rows = array![[1.0, -1.0], [0.5, 2.0]];
/// let forward = layers.forward(rows.view());
/// assert_eq!(forward.outputs().dim(), (2, 3));
/// // Slopes of zero send nothing back.
/// let gradient = forward.gradient(array![[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]].view());
/// assert_eq!(gradient, vec![0.0; layers.n_parameters()]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HiddenLayers {
    n_inputs: usize,
    network: Option<Network>,
}

impl HiddenLayers {
    /// Layers of the given sizes with random weights.
    pub fn random(
        n_inputs: usize,
        sizes: &[usize],
        activation: Activation,
        seed: u64,
    ) -> Result<Self> {
        if n_inputs == 0 || sizes.contains(&0) {
            return Err(Error::parameter(
                "hidden_layer_sizes",
                format!("{sizes:?}"),
                "every layer needs at least 1 unit, and rows at least 1 column",
            ));
        }
        let mut plan = Architecture::new(Head::REGRESSION);
        let mut inputs = n_inputs;
        for &outputs in sizes {
            plan.add_dense(inputs, outputs, activation);
            inputs = outputs;
        }
        let network = (!sizes.is_empty()).then(|| Network {
            parameters: plan.random_start(&mut generator(seed, 0)),
            plan,
        });
        Ok(HiddenLayers { n_inputs, network })
    }

    /// The same layers, the first of which begin with what was learned from rows alone.
    pub fn begun_with(mut self, layers: &[PretrainedLayer]) -> Self {
        if let Some(Network { plan, parameters }) = &mut self.network {
            plan.begin_with(layers, parameters);
        }
        self
    }

    /// Number of inputs.
    pub fn n_inputs(&self) -> usize {
        self.n_inputs
    }

    /// Number of units of the last layer, or of inputs where there is none.
    pub fn n_outputs(&self) -> usize {
        match &self.network {
            Some(network) => network.n_outputs(),
            None => self.n_inputs,
        }
    }

    /// Sizes of the layers, inputs first.
    pub fn sizes(&self) -> Vec<usize> {
        match &self.network {
            Some(network) => network.sizes(),
            None => vec![self.n_inputs],
        }
    }

    /// Number of weights and biases.
    pub fn n_parameters(&self) -> usize {
        self.parameters().len()
    }

    /// All weights and biases: the weights of the first layer, a row per unit, its biases, and
    /// so on.
    pub fn parameters(&self) -> &[f64] {
        match &self.network {
            Some(network) => &network.parameters,
            None => &[],
        }
    }

    /// All weights and biases, to be changed.
    pub fn parameters_mut(&mut self) -> &mut [f64] {
        match &mut self.network {
            Some(network) => &mut network.parameters,
            None => &mut [],
        }
    }

    /// Where the weights of each layer are among the parameters; what is between are biases.
    pub fn weight_ranges(&self) -> Vec<Range<usize>> {
        let layers = self.network.iter().flat_map(|network| &network.plan.layers);
        layers
            .filter_map(|layer| Some(layer.parameter_ranges()?.0))
            .collect()
    }

    /// The weights of a layer, a row per unit, or nothing where there is no such layer.
    pub fn weights(&self, layer: usize) -> Option<ArrayView2<'_, f64>> {
        self.network.as_ref()?.weights(layer)
    }

    /// The units of the last layer for rows, each as if it were alone.
    pub fn outputs(&self, rows: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        match &self.network {
            Some(network) => {
                network.check_width(rows.ncols(), self.n_inputs)?;
                let rows = rows.as_standard_layout();
                let values = rows.as_slice().expect("standard layout is contiguous");
                network.outputs_of(values, run)
            }
            None => Ok(rows.to_owned()),
        }
    }

    /// The way forward of some rows, kept for the way back; the rows have as many columns as
    /// there are inputs.
    pub fn forward(&self, rows: ArrayView2<'_, f64>) -> Forward<'_> {
        let input: Vec<f64> = rows.iter().copied().collect();
        let (n_rows, n_outputs) = (rows.nrows(), self.n_outputs());
        let Some(network) = &self.network else {
            let outputs = Array2::from_shape_vec((n_rows, n_outputs), input);
            return Forward {
                outputs: outputs.expect("one value per entry"),
                way: None,
            };
        };
        let mut piece = Piece::new(&network.plan, n_rows);
        piece.take(&input, &[], 0, &vec![0; n_rows]);
        piece.forward(&network.plan, &network.parameters, None);
        let outputs = piece.scores(&network.plan).to_vec();
        let outputs = Array2::from_shape_vec((n_rows, n_outputs), outputs);
        Forward {
            outputs: outputs.expect("one value per entry"),
            way: Some((network, piece)),
        }
    }

    /// Fails when layers that came from a file contradict themselves.
    pub fn validate(&self) -> Result<()> {
        ensure_consistent(self.n_inputs > 0)?;
        let Some(network) = &self.network else {
            return Ok(());
        };
        network.validate()?;
        let dense = |layer: &Layer| matches!(layer, Layer::Dense(dense) if !dense.tied);
        ensure_consistent(network.plan.layers.iter().all(dense))?;
        ensure_consistent(network.n_inputs() == self.n_inputs)
    }
}

/// Rows on their way through hidden layers.
#[derive(Debug)]
pub struct Forward<'a> {
    outputs: Array2<f64>,
    way: Option<(&'a Network, Piece<f64>)>,
}

impl Forward<'_> {
    /// The units of the last layer, one row per row.
    pub fn outputs(&self) -> ArrayView2<'_, f64> {
        self.outputs.view()
    }

    /// The gradient of a loss with respect to weights and biases, given its slopes with respect
    /// to the units of the last layer, one row per row.
    pub fn gradient(self, slopes: ArrayView2<'_, f64>) -> Vec<f64> {
        let Some((network, mut piece)) = self.way else {
            return Vec::new();
        };
        let slopes: Vec<f64> = slopes.iter().copied().collect();
        piece.pull_back(&network.plan, &network.parameters, &slopes);
        piece.gradient
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_optimize::check_gradient;
    use didact_testing::random_matrix;

    // 000b:D35: the way back is that of finite differences, for any loss on top.
    #[test]
    fn slopes_on_top_become_the_gradient_of_all_layers() {
        let (rows, on_top) = (random_matrix(5, 3, 1), random_matrix(5, 2, 2));
        for activation in [Activation::Logistic, Activation::Tanh, Activation::Identity] {
            let layers = HiddenLayers::random(3, &[4, 2], activation, 3).unwrap();
            let mut objective = |parameters: &[f64], gradient: &mut [f64]| {
                let mut layers = layers.clone();
                layers.parameters_mut().copy_from_slice(parameters);
                let forward = layers.forward(rows.view());
                let value = (&forward.outputs() * &on_top).sum();
                gradient.copy_from_slice(&forward.gradient(on_top.view()));
                value
            };
            let check = check_gradient(&mut objective, layers.parameters()).unwrap();
            assert!(check.relative_error < 1e-8, "{check:?}");
        }
    }

    #[test]
    fn outputs_are_the_same_with_and_without_the_way_back() {
        let rows = random_matrix(70, 3, 1);
        let layers = HiddenLayers::random(3, &[4, 2], Activation::Logistic, 3).unwrap();
        let outputs = layers.outputs(rows.view(), &Run::new()).unwrap();
        let forward = layers.forward(rows.view());
        let differences = &outputs - &forward.outputs();
        assert!(
            differences
                .iter()
                .all(|difference| difference.abs() < 1e-14)
        );
        assert_eq!(layers.weight_ranges(), [0..12, 16..24]);
        assert_eq!(layers.weights(1).unwrap().dim(), (2, 4));
    }

    #[test]
    fn no_layer_leaves_rows_as_they_are() {
        let rows = random_matrix(4, 3, 1);
        let layers = HiddenLayers::random(3, &[], Activation::Logistic, 3).unwrap();
        assert_eq!(layers.outputs(rows.view(), &Run::new()).unwrap(), rows);
        assert_eq!(layers.forward(rows.view()).outputs(), rows);
        assert_eq!((layers.n_outputs(), layers.n_parameters()), (3, 0));
        layers.validate().unwrap();
        assert!(HiddenLayers::random(3, &[2, 0], Activation::Logistic, 3).is_err());
    }
}
