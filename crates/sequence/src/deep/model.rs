//! The fitted deep chain.

use super::stack::Stack;
use crate::crf::{ChainWeights, CrfModel};
use didact_core::abilities::check_rows;
use didact_core::{
    Abilities, Attribute, Classes, Decode, Features, Model, Result, Run, Sequences, Trace, Value,
};
use didact_neural::HiddenLayers;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A conditional random field on hidden layers: p(y | x) = exp(s(h(x), y)) / Z.
///
/// Labels, probabilities and sums are those of the linear chain [`DeepCrfModel::field`] for the
/// units of the last layer, [`DeepCrfModel::units`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeepCrfModel {
    stack: Stack,
    classes: Classes,
    trace: Option<Trace>,
}

impl DeepCrfModel {
    /// Given layers with a chain on top, a class for each label.
    pub fn new(layers: HiddenLayers, chain: ChainWeights, classes: Classes) -> Result<Self> {
        // The chain says itself what is wrong with it.
        CrfModel::new(chain.clone(), classes.clone())?;
        let stack = Stack {
            layers,
            chain,
            independent: None,
        };
        let model = DeepCrfModel {
            stack,
            classes,
            trace: None,
        };
        model.validate()?;
        Ok(model)
    }

    pub(super) fn learned(stack: Stack, classes: &Classes, trace: Trace) -> Result<Self> {
        let model = DeepCrfModel {
            stack,
            classes: classes.clone(),
            trace: Some(trace),
        };
        model.validate()?;
        Ok(model)
    }

    /// The classes in label order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The hidden layers.
    pub fn layers(&self) -> &HiddenLayers {
        &self.stack.layers
    }

    /// The units h of the last hidden layer for items.
    pub fn units(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        check_rows(self, sequences.samples.rows())?;
        let rows = sequences.samples.dense()?;
        self.stack.layers.outputs(rows, &Run::new())
    }

    /// The chain on top: a random field over the units of the last hidden layer, in which the
    /// predictor of single items, where there is one, is part of the weights.
    pub fn field(&self) -> Result<CrfModel> {
        CrfModel::new(self.stack.scorer(), self.classes.clone())
    }

    /// Answers by the chain on top for the units of the items.
    fn on_top<T>(
        &self,
        sequences: &Sequences<'_>,
        work: impl FnOnce(&CrfModel, &Sequences<'_>) -> Result<T>,
    ) -> Result<T> {
        let units = self.units(sequences)?;
        work(&self.field()?, &Sequences::new(&units, sequences.lengths)?)
    }

    /// ln p(y | x) of each sequence x with its labels y, one label for each item.
    pub fn log_probabilities(
        &self,
        sequences: &Sequences<'_>,
        labels: &[usize],
    ) -> Result<Vec<f64>> {
        self.on_top(sequences, |field, units| {
            field.log_probabilities(units, labels)
        })
    }
}

impl Features for DeepCrfModel {
    fn n_features(&self) -> usize {
        self.stack.layers.n_inputs()
    }
}

impl Decode for DeepCrfModel {
    fn n_states(&self) -> usize {
        self.classes.len()
    }

    fn state_names(&self) -> Option<&Classes> {
        Some(&self.classes)
    }

    /// The labels y that maximise p(y | x), and ln of that maximum.
    fn viterbi(&self, sequences: &Sequences<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
        self.on_top(sequences, |field, units| field.viterbi(units))
    }

    /// γₜ(j) = p(yₜ = j | x).
    fn state_probabilities(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        self.on_top(sequences, |field, units| field.state_probabilities(units))
    }
}

impl Model for DeepCrfModel {
    const ABILITIES: Abilities<Self> = Abilities::none().decode();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The labels of items in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "coef",
            meaning: "Weight of each unit of the last layer (column) for each label (row).",
            get: |model| Value::from(&model.stack.chain.coef),
        },
        Attribute {
            name: "intercept",
            meaning: "What each label scores at every item.",
            get: |model| Value::from(&model.stack.chain.intercept),
        },
        Attribute {
            name: "start",
            meaning: "What each label scores at the first item.",
            get: |model| Value::from(&model.stack.chain.start),
        },
        Attribute {
            name: "end",
            meaning: "What each label scores at the last item.",
            get: |model| Value::from(&model.stack.chain.end),
        },
        Attribute {
            name: "transitions",
            meaning: "What each label (column) scores after each label (row).",
            get: |model| Value::from(&model.stack.chain.transitions),
        },
        Attribute {
            name: "independent_coef",
            meaning: "Weights of the predictor of single items, a row per label.",
            get: |model| Value::from(model.stack.independent.as_ref().map(|own| &own.coef)),
        },
        Attribute {
            name: "independent_intercept",
            meaning: "Intercepts of the predictor of single items.",
            get: |model| Value::from(model.stack.independent.as_ref().map(|own| &own.intercept)),
        },
        Attribute {
            name: "layer_sizes",
            meaning: "Number of columns and of units of each hidden layer.",
            get: |model| Value::from(model.stack.layers.sizes().as_slice()),
        },
        Attribute {
            name: "first_weights",
            meaning: "Weights of the first hidden layer, a row per unit.",
            get: |model| Value::from(model.stack.layers.weights(0).map(|own| own.to_owned())),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        self.stack.validate(&self.classes)
    }
}
