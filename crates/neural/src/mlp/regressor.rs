//! Regression by a multi-layer perceptron.

use super::Mlp;
use super::fitted::{Fitted, Material};
use crate::network::Judge;
use crate::training::hold_out;
use crate::{Head, Network, Solver};
use didact_core::{
    Abilities, Accepts, Attribute, Features, Fit, Measured, Model, Regress, Result, Rows, Run,
    StartFrom, Trace, Value,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A network that predicts real numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MlpRegressorModel {
    fitted: Fitted,
}

impl Mlp {
    fn learn_numbers(
        &self,
        start: Option<&MlpRegressorModel>,
        data: Measured<'_>,
        run: &Run,
    ) -> Result<MlpRegressorModel> {
        let rows = data.samples.dense()?;
        let (taught, judged) = match self.early_stopping && self.solver != Solver::Lbfgs {
            true => hold_out(rows.nrows(), self.validation_fraction, self.random_state)?,
            false => ((0..rows.nrows()).collect(), Vec::new()),
        };
        let material = Material {
            rows,
            targets: data.targets.view(),
            head: Head::REGRESSION,
            judge: Judge::RSquared,
            taught,
            judged,
        };
        let fitted = self.train(&material, start.map(|model| &model.fitted), run)?;
        Ok(MlpRegressorModel { fitted })
    }
}

impl Fit<Measured<'_>> for Mlp {
    type Model = MlpRegressorModel;
    const ACCEPTS: Accepts = Accepts::MULTI_OUTPUT;

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<MlpRegressorModel> {
        self.learn_numbers(None, data, run)
    }
}

impl StartFrom<Measured<'_>> for Mlp {
    fn learn_from(
        &self,
        start: &MlpRegressorModel,
        data: Measured<'_>,
        run: &Run,
    ) -> Result<MlpRegressorModel> {
        self.learn_numbers(Some(start), data, run)
    }
}

impl MlpRegressorModel {
    /// The network.
    pub fn network(&self) -> &Network {
        &self.fitted.network
    }

    /// The loss of the last pass: half the mean squared error plus the price of the weights.
    pub fn loss(&self) -> f64 {
        self.fitted.learned.loss
    }
}

impl Features for MlpRegressorModel {
    fn n_features(&self) -> usize {
        self.fitted.network.n_inputs()
    }
}

impl Regress for MlpRegressorModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.fitted.network.outputs(rows.dense()?)
    }
}

impl Model for MlpRegressorModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
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
            meaning: "Number of targets.",
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
            meaning: "R² on the rows that were held out after each pass.",
            get: |model| Value::from(model.fitted.learned.validation_scores.as_slice()),
        },
        Attribute {
            name: "best_validation_score",
            meaning: "The best R² on the rows that were held out.",
            get: |model| Value::from(model.fitted.learned.best_validation_score()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.fitted.learned.trace)
    }

    fn validate(&self) -> Result<()> {
        self.fitted.validate()
    }
}
