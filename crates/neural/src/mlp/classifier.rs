//! Classification by a multi-layer perceptron.

use super::Mlp;
use super::fitted::{Fitted, Material};
use crate::network::{Judge, first_largest};
use crate::training::hold_out_by_class;
use crate::{Head, Network, Solver};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Features, Fit, Labelled, Model, Probabilities, Result,
    Rows, Run, StartFrom, Trace, Value, present_classes,
};
use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

/// A network that tells classes apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MlpClassifierModel {
    fitted: Fitted,
    classes: Classes,
    /// The classes that had rows; the network knows only these.
    present: Vec<usize>,
}

impl Mlp {
    fn learn_classes(
        &self,
        start: Option<&MlpClassifierModel>,
        data: Labelled<'_>,
        run: &Run,
    ) -> Result<MlpClassifierModel> {
        let present = present_classes(data.classes, &data.class_weights())?;
        let labels = places_of(&present, data.classes.len(), data.labels);
        let rows = data.samples.dense()?;
        let (taught, judged) = match self.early_stopping && self.solver != Solver::Lbfgs {
            true => hold_out_by_class(
                &labels,
                present.len(),
                self.validation_fraction,
                self.random_state,
            )?,
            false => ((0..labels.len()).collect(), Vec::new()),
        };
        let targets = class_targets(&labels, present.len());
        let material = Material {
            rows,
            targets: targets.view(),
            head: if present.len() == 2 {
                Head::COINS
            } else {
                Head::CLASSES
            },
            judge: Judge::Accuracy,
            taught,
            judged,
        };
        let fitted = self.train(&material, start.map(|model| &model.fitted), run)?;
        Ok(MlpClassifierModel {
            fitted,
            classes: data.classes.clone(),
            present,
        })
    }
}

/// The places of labels among the classes that have rows.
pub(crate) fn places_of(present: &[usize], n_classes: usize, labels: &[usize]) -> Vec<usize> {
    let mut places = vec![0; n_classes];
    for (place, &class) in present.iter().enumerate() {
        places[class] = place;
    }
    labels.iter().map(|&label| places[label]).collect()
}

/// One column that is one for the second class, or a column per class.
pub(crate) fn class_targets(labels: &[usize], n_classes: usize) -> Array2<f64> {
    match n_classes {
        2 => Array2::from_shape_fn((labels.len(), 1), |(row, _)| labels[row] as f64),
        _ => Array2::from_shape_fn((labels.len(), n_classes), |(row, class)| {
            f64::from(labels[row] == class)
        }),
    }
}

/// Probabilities of all classes from the outputs of a network that knows the present ones.
pub(crate) fn class_probabilities(
    outputs: &Array2<f64>,
    present: &[usize],
    n_classes: usize,
) -> Array2<f64> {
    let mut probabilities = Array2::zeros((outputs.nrows(), n_classes));
    for (outputs, mut row) in outputs.rows().into_iter().zip(probabilities.rows_mut()) {
        match present {
            [first, second] => {
                row[*second] = outputs[0];
                row[*first] = 1.0 - outputs[0];
            }
            _ => present
                .iter()
                .zip(outputs)
                .for_each(|(&class, &p)| row[class] = p),
        }
    }
    probabilities
}

/// The most probable class of each row, the first of equals.
pub(crate) fn most_probable(probabilities: &Array2<f64>) -> Vec<usize> {
    let rows = probabilities.axis_iter(Axis(0));
    rows.map(|row| first_largest(row.as_slice().expect("rows are contiguous")))
        .collect()
}

impl Fit<Labelled<'_>> for Mlp {
    type Model = MlpClassifierModel;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<MlpClassifierModel> {
        self.learn_classes(None, data, run)
    }
}

impl StartFrom<Labelled<'_>> for Mlp {
    fn learn_from(
        &self,
        start: &MlpClassifierModel,
        data: Labelled<'_>,
        run: &Run,
    ) -> Result<MlpClassifierModel> {
        self.learn_classes(Some(start), data, run)
    }
}

impl MlpClassifierModel {
    /// The network.
    pub fn network(&self) -> &Network {
        &self.fitted.network
    }

    /// The loss of the last pass: mean cross-entropy plus the price of the weights.
    pub fn loss(&self) -> f64 {
        self.fitted.learned.loss
    }
}

impl Features for MlpClassifierModel {
    fn n_features(&self) -> usize {
        self.fitted.network.n_inputs()
    }
}

impl Probabilities for MlpClassifierModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let rows = rows.dense()?;
        let outputs = self.fitted.network.outputs(rows)?;
        Ok(class_probabilities(
            &outputs,
            &self.present,
            self.classes.len(),
        ))
    }
}

impl Classify for MlpClassifierModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(most_probable(&self.probabilities(rows)?))
    }
}

impl Model for MlpClassifierModel {
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
            name: "n_layers",
            meaning: "Number of layers, inputs and outputs counted.",
            get: |model| Value::from(model.network().sizes().len()),
        },
        Attribute {
            name: "layer_sizes",
            meaning: "Number of units of each layer, inputs first.",
            get: |model| Value::from(model.network().sizes().as_slice()),
        },
        Attribute {
            name: "n_outputs",
            meaning: "Number of outputs: one for two classes.",
            get: |model| Value::from(model.network().n_outputs()),
        },
        Attribute {
            name: "n_parameters",
            meaning: "Number of weights and biases.",
            get: |model| Value::from(model.network().n_parameters()),
        },
        Attribute {
            name: "first_weights",
            meaning: "Weights of the first layer, a row per unit.",
            get: |model| Value::from(model.network().weights(0).map(|w| w.to_owned())),
        },
        Attribute {
            name: "validation_scores",
            meaning: "Accuracy on the rows that were held out after each pass.",
            get: |model| Value::from(model.fitted.learned.validation_scores.as_slice()),
        },
        Attribute {
            name: "best_validation_score",
            meaning: "The best accuracy on the rows that were held out.",
            get: |model| Value::from(model.fitted.learned.best_validation_score()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.fitted.learned.trace)
    }

    fn validate(&self) -> Result<()> {
        self.fitted.validate()?;
        validate_classes(
            &self.classes,
            &self.present,
            self.fitted.network.n_outputs(),
        )
    }
}

/// Fails where a network has not the outputs that its classes need.
pub(crate) fn validate_classes(
    classes: &Classes,
    present: &[usize],
    n_outputs: usize,
) -> Result<()> {
    ensure_consistent(present.len() >= 2 && present.iter().all(|&class| class < classes.len()))?;
    let expected = if present.len() == 2 { 1 } else { present.len() };
    ensure_consistent(n_outputs == expected)
}
