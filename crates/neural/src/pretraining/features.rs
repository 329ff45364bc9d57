//! Features from layers that were learned from rows alone.

use super::stack::Pretraining;
use crate::{Activation, Head, Network};
use didact_core::{
    Abilities, Attribute, Error, Features, Fit, Model, OwnedRows, Result, Rows, Run, Samples,
    StopReason, Trace, TraceWriter, Transform, Value,
};
use ndarray::Array1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns features for any classifier from rows alone, layer after layer.
///
/// The layers are restricted Boltzmann machines, each over the means of the one below.
/// Every layer gives h = σ(W·v + c), the probabilities of its units, to the next; the last ones
/// are the features. Each learns by contrastive divergence with one step. The first layer takes
/// values between 0 and 1 as probabilities and others as normal, scaled to deviation one.
///
/// ```
/// use didact_core::{Fit, Transform};
/// use didact_neural::DeepFeatures;
/// let iris = didact_datasets::iris();
/// let model = DeepFeatures { hidden_layer_sizes: vec![8, 3], ..Default::default() }.fit(iris.samples())?;
/// let features = model.transform(iris.samples())?.into_dense();
/// assert_eq!(features.dim(), (150, 3));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeepFeatures {
    /// Number of units of each layer; the last ones are the features.
    pub hidden_layer_sizes: Vec<usize>,
    /// Passes over the rows for each layer.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The length of the steps.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate: f64,
    /// How many rows share a step.
    #[schemars(range(min = 1))]
    pub batch_size: usize,
    /// Seed of the random weights, the shuffling and the sampled units.
    pub random_state: u64,
}

impl Default for DeepFeatures {
    fn default() -> Self {
        let usual = Pretraining::default();
        DeepFeatures {
            hidden_layer_sizes: vec![16],
            max_iter: usual.n_iter,
            learning_rate: usual.learning_rate,
            batch_size: usual.batch_size,
            random_state: 0,
        }
    }
}

/// Layers that turn rows into features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeepFeaturesModel {
    network: Network,
    trace: Trace,
}

impl Fit<Samples<'_>> for DeepFeatures {
    type Model = DeepFeaturesModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<DeepFeaturesModel> {
        if self.hidden_layer_sizes.is_empty() {
            return Err(Error::parameter(
                "hidden_layer_sizes",
                "[]",
                "give at least one layer",
            ));
        }
        let pretraining = Pretraining {
            n_iter: self.max_iter,
            learning_rate: self.learning_rate,
            batch_size: self.batch_size,
            seed: self.random_state,
        };
        let layers = pretraining.learn(data.dense()?, &self.hidden_layer_sizes, run)?;
        let n_iter = layers.iter().map(|layer| layer.errors.len()).sum();
        let mut trace = TraceWriter::new(run, "reconstruction error", Some(n_iter));
        for &error in layers.iter().flat_map(|layer| &layer.errors) {
            trace.record(error)?;
        }
        let layers: Vec<_> = layers
            .into_iter()
            .map(|layer| (layer.weights, layer.biases))
            .collect();
        let head = Head::COINS;
        Ok(DeepFeaturesModel {
            network: Network::from_layers(&layers, Activation::Logistic, head)?,
            trace: trace.finish(StopReason::IterationLimit),
        })
    }
}

impl DeepFeaturesModel {
    /// The layers as a network of logistic units.
    pub fn network(&self) -> &Network {
        &self.network
    }
}

impl Features for DeepFeaturesModel {
    fn n_features(&self) -> usize {
        self.network.n_inputs()
    }
}

impl Transform for DeepFeaturesModel {
    fn n_outputs(&self) -> usize {
        self.network.n_outputs()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        Ok(OwnedRows::Dense(self.network.outputs(rows.dense()?)?))
    }

    fn output_names(&self, _input_names: &[String]) -> Vec<String> {
        (0..self.n_outputs())
            .map(|unit| format!("deepfeatures{unit}"))
            .collect()
    }
}

impl Model for DeepFeaturesModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "reconstruction_error",
            meaning: "The mean squared error of the last pass of the last layer.",
            get: |model| Value::from(model.trace.objectives.last().copied()),
        },
        Attribute {
            name: "layer_sizes",
            meaning: "Number of units of each layer, inputs first.",
            get: |model| Value::from(model.network.sizes().as_slice()),
        },
        Attribute {
            name: "first_weights",
            meaning: "Weights of the first layer, a row per unit.",
            get: |model| Value::from(model.network.weights(0).map(|w| w.to_owned())),
        },
        Attribute {
            name: "first_biases",
            meaning: "Biases of the first layer.",
            get: |model| {
                Value::from(
                    model
                        .network
                        .biases(0)
                        .map(|b| -> Array1<f64> { b.to_owned() }),
                )
            },
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.network.validate()
    }
}
