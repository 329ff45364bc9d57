//! Classification of images by a convolutional network.

use super::parameters::Cnn;
use crate::mlp::{
    Fitted, Material, class_probabilities, class_targets, most_probable, places_of, solve,
    validate_classes,
};
use crate::network::{Judge, Layer};
use crate::{Head, Network};
use didact_core::{
    Abilities, Attribute, Classes, Classify, Features, Fit, Labelled, Model, Probabilities, Result,
    Rows, Run, Trace, Value, present_classes,
};
use ndarray::{Array2, Array4};
use serde::{Deserialize, Serialize};

/// A convolutional network that tells classes of images apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CnnModel {
    fitted: Fitted,
    classes: Classes,
    present: Vec<usize>,
}

impl Fit<Labelled<'_>> for Cnn {
    type Model = CnnModel;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<CnnModel> {
        let present = present_classes(data.classes, &data.class_weights())?;
        let labels = places_of(&present, data.classes.len(), data.labels);
        let rows = data.samples.dense()?;
        let targets = class_targets(&labels, present.len());
        let head = if present.len() == 2 {
            Head::COINS
        } else {
            Head::CLASSES
        };
        let plan = self.plan(self.shape(rows.ncols())?, targets.ncols(), head)?;
        let material = Material {
            rows,
            targets: targets.view(),
            head,
            judge: Judge::Accuracy,
            taught: (0..labels.len()).collect(),
            judged: Vec::new(),
        };
        let seed = self.random_state;
        let fitted = solve::<f32>(plan, &material, self.alpha, seed, None, |problem, start| {
            self.training()
                .descend(problem, start, &material.taught, &[], run)
        })?;
        Ok(CnnModel {
            fitted,
            classes: data.classes.clone(),
            present,
        })
    }
}

impl CnnModel {
    /// The network.
    pub fn network(&self) -> &Network {
        &self.fitted.network
    }

    /// The filters of the first layer as images, filter × row × column × channel; nothing where
    /// the network has none.
    pub fn filter_images(&self) -> Option<Array4<f64>> {
        let Layer::Convolution(layer) = self.network().plan.layers.first()? else {
            return None;
        };
        let shape = (
            layer.filters,
            layer.kernel.0,
            layer.kernel.1,
            layer.input.channels,
        );
        let values = self.network().parameters[layer.weight_range()].to_vec();
        Array4::from_shape_vec(shape, values).ok()
    }

    /// Weights that dense layers in the place of the filters would have.
    pub fn n_weights_without_sharing(&self) -> usize {
        let layers = self.network().plan.layers.iter();
        let filters = layers.filter(|layer| matches!(layer, Layer::Convolution(_)));
        filters.map(|layer| layer.inputs() * layer.outputs()).sum()
    }

    /// Weights of all filters.
    pub fn n_filter_weights(&self) -> usize {
        let layers = self.network().plan.layers.iter();
        let sizes = layers.filter_map(|layer| match layer {
            Layer::Convolution(layer) => Some(layer.weight_range().len()),
            _ => None,
        });
        sizes.sum()
    }
}

impl Features for CnnModel {
    fn n_features(&self) -> usize {
        self.network().n_inputs()
    }
}

impl Probabilities for CnnModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let outputs = self.network().outputs(rows.dense()?)?;
        Ok(class_probabilities(
            &outputs,
            &self.present,
            self.classes.len(),
        ))
    }
}

impl Classify for CnnModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(most_probable(&self.probabilities(rows)?))
    }
}

impl Model for CnnModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "loss",
            meaning: "The loss of the last pass.",
            get: |model| Value::from(model.fitted.learned.loss),
        },
        Attribute {
            name: "best_loss",
            meaning: "The least loss of all passes.",
            get: |model| Value::from(model.fitted.learned.best_loss),
        },
        Attribute {
            name: "n_parameters",
            meaning: "Number of weights and biases.",
            get: |model| Value::from(model.network().n_parameters()),
        },
        Attribute {
            name: "n_filter_weights",
            meaning: "Number of weights of all filters.",
            get: |model| Value::from(model.n_filter_weights()),
        },
        Attribute {
            name: "n_weights_without_sharing",
            meaning: "Number of weights that dense layers in the place of the filters would have.",
            get: |model| Value::from(model.n_weights_without_sharing()),
        },
        Attribute {
            name: "filter_images",
            meaning: "The filters of the first layer, by filter, row, column and channel.",
            get: |model| Value::from(model.filter_images()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.fitted.learned.trace)
    }

    fn validate(&self) -> Result<()> {
        self.fitted.validate()?;
        validate_classes(&self.classes, &self.present, self.network().n_outputs())
    }
}
