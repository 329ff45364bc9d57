//! A learned code and its reconstruction.

use crate::Network;
use crate::network::ensure_finite;
use crate::training::Learned;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Features, Invert, Model, OwnedRows, Result, Rows, Run, Trace, Transform,
    Value, parallel,
};
use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// An encoder and the decoder that belongs to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutoencoderModel {
    network: Network,
    /// How many layers make the code.
    n_encoders: usize,
    /// The mean of each code unit over the rows that were learned from.
    mean_activations: Array1<f64>,
    /// The mean squared distance of those rows from their reconstructions.
    reconstruction_error: f64,
    learned: Learned,
}

impl AutoencoderModel {
    pub(super) fn new(
        network: Network,
        n_encoders: usize,
        mean_activations: Array1<f64>,
        learned: Learned,
        clean: ArrayView2<'_, f64>,
    ) -> Result<Self> {
        let mut model = AutoencoderModel {
            network,
            n_encoders,
            mean_activations,
            reconstruction_error: 0.0,
            learned,
        };
        model.reconstruction_error = model.distance_from(clean)?;
        Ok(model)
    }

    /// The whole network, encoder and decoder.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The mean of each code unit over the rows that were learned from.
    pub fn mean_activations(&self) -> &Array1<f64> {
        &self.mean_activations
    }

    /// What the network makes of rows: their reconstructions, or the clean rows of spoiled ones.
    pub fn reconstruct(&self, rows: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        self.network.outputs(rows)
    }

    /// Reconstructions with feedback: v̂⁰ = net(ṽ), then v̂ᵏ = net(ṽ + gain·v̂ᵏ⁻¹) for so many
    /// loops; none is [`AutoencoderModel::reconstruct`]. What the loop adds to a value makes its
    /// reconstruction larger, but dark places brighten as well: whether it helps has to be
    /// measured.
    pub fn reconstruct_with_feedback(
        &self,
        rows: ArrayView2<'_, f64>,
        loops: usize,
        gain: f64,
    ) -> Result<Array2<f64>> {
        let mut reconstruction = self.reconstruct(rows)?;
        for _ in 0..loops {
            let fed = &rows + &(reconstruction * gain);
            reconstruction = self.reconstruct(fed.view())?;
        }
        Ok(reconstruction)
    }

    /// The mean over rows of ‖v − v̂‖².
    fn distance_from(&self, rows: ArrayView2<'_, f64>) -> Result<f64> {
        let difference = self.reconstruct(rows)? - rows;
        let squares: f64 = difference.iter().map(|d| d * d).sum();
        Ok(squares / rows.nrows() as f64)
    }

    /// Sends rows through some of the layers.
    fn through(&self, layers: Range<usize>, rows: Rows<'_>, width: usize) -> Result<Array2<f64>> {
        let rows = rows.dense()?;
        let rows = rows.as_standard_layout();
        let input = rows.as_slice().expect("standard layout is contiguous");
        let is_last = layers.end == self.network.plan.layers.len();
        let layers = &self.network.plan.layers[layers];
        let inputs = rows.ncols();
        let mut values = vec![0.0; rows.nrows() * width];
        parallel::fill(&mut values, width, 256, &Run::new(), |range, piece| {
            let part = input[range.start * inputs..range.end * inputs].to_vec();
            let parameters = &self.network.parameters;
            let mut part = layers
                .iter()
                .fold(part, |part, layer| layer.answer(parameters, part));
            if is_last {
                self.network.plan.head.apply(&mut part, width);
            }
            ensure_finite(&part)?;
            piece.copy_from_slice(&part);
            Ok(())
        })?;
        Ok(Array2::from_shape_vec((rows.nrows(), width), values).expect("one value per entry"))
    }
}

impl Features for AutoencoderModel {
    fn n_features(&self) -> usize {
        self.network.n_inputs()
    }
}

impl Transform for AutoencoderModel {
    fn n_outputs(&self) -> usize {
        self.mean_activations.len()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let codes = self.through(0..self.n_encoders, rows, self.n_outputs())?;
        Ok(OwnedRows::Dense(codes))
    }

    fn output_names(&self, _input_names: &[String]) -> Vec<String> {
        (0..self.n_outputs())
            .map(|unit| format!("autoencoder{unit}"))
            .collect()
    }
}

impl Invert for AutoencoderModel {
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let end = self.network.plan.layers.len();
        self.through(self.n_encoders..end, rows, self.n_features())
    }
}

impl Model for AutoencoderModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform().invert();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "loss",
            meaning: "The loss of the last pass.",
            get: |model| Value::from(model.learned.loss),
        },
        Attribute {
            name: "reconstruction_error",
            meaning: "The mean squared distance of the rows from their reconstructions.",
            get: |model| Value::from(model.reconstruction_error),
        },
        Attribute {
            name: "mean_activations",
            meaning: "The mean of each code unit over the rows.",
            get: |model| Value::from(&model.mean_activations),
        },
        Attribute {
            name: "layer_sizes",
            meaning: "Number of units of each layer, inputs first.",
            get: |model| Value::from(model.network.sizes().as_slice()),
        },
        Attribute {
            name: "n_parameters",
            meaning: "Number of weights and biases, shared ones counted once.",
            get: |model| Value::from(model.network.n_parameters()),
        },
        Attribute {
            name: "first_weights",
            meaning: "Weights of the first layer, a row per unit.",
            get: |model| Value::from(model.network.weights(0).map(|w| w.to_owned())),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.learned.trace)
    }

    fn validate(&self) -> Result<()> {
        self.network.validate()?;
        self.learned.validate()?;
        let layers = &self.network.plan.layers;
        ensure_consistent(self.n_encoders > 0 && self.n_encoders < layers.len())?;
        ensure_consistent(layers[self.n_encoders - 1].outputs() == self.mean_activations.len())?;
        ensure_consistent(self.network.n_inputs() == self.network.n_outputs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Activation, Head};
    use didact_core::StopReason;
    use ndarray::array;

    // 000b:TV-10 000b:D52: one value, one unit, tied weight w: bright values are strengthened, but
    // the dark background rises as well.
    #[test]
    fn feedback_takes_the_path_of_the_text() {
        let path = |(w, c, b): (f64, f64, f64), value: f64, loops: usize| {
            let layers = [(array![[w]], array![c]), (array![[w]], array![b])];
            let network = Network::from_layers(&layers, Activation::Logistic, Head::COINS).unwrap();
            let trace = Trace {
                objective_name: "loss".to_owned(),
                objectives: vec![0.0],
                stop: StopReason::Converged,
            };
            let learned = Learned::new(trace, Vec::new());
            let rows = array![[value]];
            let model =
                AutoencoderModel::new(network, 1, array![0.5], learned, rows.view()).unwrap();
            model
                .reconstruct_with_feedback(rows.view(), loops, 1.0)
                .unwrap()[[0, 0]]
        };
        let first = (4.0, -2.0, -2.0);
        let second = (4.0, -6.0, -1.0);
        let cases = [
            (
                first,
                0.0,
                [0.178992504, 0.2436926664, 0.2801011694, 0.3042896386].as_slice(),
            ),
            (
                first,
                1.0,
                &[0.821007496, 0.8786613949, 0.8791021576, 0.8791051494],
            ),
            (second, 0.0, &[0.2708904484, 0.2746986846, 0.2747869935]),
            (
                second,
                1.0,
                &[0.3721070025, 0.622294896, 0.8145200988, 0.8923316237],
            ),
        ];
        for (weights, value, expected) in cases {
            for (loops, expected) in expected.iter().enumerate() {
                assert!((path(weights, value, loops) - expected).abs() < 1e-9);
            }
        }
    }
}
