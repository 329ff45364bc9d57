//! Linear units that have learned.

use crate::affine::shifted_products;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Error, Features, Figure, Model, Regress, Result, Rows,
    Scores, Shape, StopReason, Trace, Value,
};
use didact_math::numeric::argmax;
use ndarray::{Array1, Array2, s};
use serde::{Deserialize, Serialize};

/// Linear units y = w·x + b.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Units {
    coef: Array2<f64>,
    intercept: Array1<f64>,
}

impl Units {
    pub(super) fn new(coef: Array2<f64>, intercept: Array1<f64>) -> Result<Self> {
        let units = Units { coef, intercept };
        match units.is_sound() {
            true => Ok(units),
            false => Err(Error::numerical(
                "the weights for rows of such values are no numbers; scale the columns",
            )),
        }
    }

    fn outputs(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let zeros = Array1::zeros(self.coef.ncols());
        Ok(shifted_products(rows, zeros.view(), self.coef.view())? + &self.intercept)
    }

    fn is_sound(&self) -> bool {
        !self.coef.is_empty()
            && self.coef.is_standard_layout()
            && self.coef.nrows() == self.intercept.len()
            && self.coef.iter().all(|value| value.is_finite())
            && self.intercept.iter().all(|value| value.is_finite())
    }

    /// One number or list for one unit, else one per unit.
    fn coef_value(&self) -> Value<'_> {
        match self.coef.nrows() {
            1 => Value::from(self.coef.row(0).to_owned()),
            _ => Value::from(&self.coef),
        }
    }

    fn intercept_value(&self) -> Value<'_> {
        match self.intercept.len() {
            1 => Value::Number(self.intercept[0]),
            _ => Value::from(&self.intercept),
        }
    }
}

/// Units that predict real numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdalineRegressorModel {
    units: Units,
    trace: Trace,
}

impl AdalineRegressorModel {
    pub(super) fn new(units: Units, trace: Trace) -> Self {
        AdalineRegressorModel { units, trace }
    }

    /// The weights, one row per target.
    pub fn coef(&self) -> &Array2<f64> {
        &self.units.coef
    }

    /// The intercept of each target.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.units.intercept
    }
}

impl Features for AdalineRegressorModel {
    fn n_features(&self) -> usize {
        self.units.coef.ncols()
    }
}

impl Regress for AdalineRegressorModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.units.outputs(rows)
    }
}

impl Model for AdalineRegressorModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "coef",
            meaning: "The weight of each feature, a row per target where there are several.",
            get: |model| model.units.coef_value(),
        },
        Attribute {
            name: "intercept",
            meaning: "The prediction where all features are zero.",
            get: |model| model.units.intercept_value(),
        },
        Attribute {
            name: "n_iter",
            meaning: "Passes over the rows.",
            get: |model| Value::from(model.trace.n_iter()),
        },
        Attribute {
            name: "converged",
            meaning: "Whether the rule came to rest before the limit of passes.",
            get: |model| Value::from(model.trace.stop == StopReason::Converged),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "hyperplane",
        meaning: "The hyperplane w·x − y + b = 0 in the space of features and targets.",
        get: |model| {
            let (targets, d) = model.units.coef.dim();
            let mut normals = Array2::zeros((targets, d + targets));
            normals.slice_mut(s![.., ..d]).assign(&model.units.coef);
            for target in 0..targets {
                normals[[target, d + target]] = -1.0;
            }
            Some(Shape::Hyperplanes {
                normals,
                offsets: model.units.intercept.to_vec(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        ensure_consistent(self.units.is_sound())
    }
}

/// Units whose outputs tell classes apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdalineClassifierModel {
    units: Units,
    classes: Classes,
    trace: Trace,
}

impl AdalineClassifierModel {
    pub(super) fn new(units: Units, classes: Classes, trace: Trace) -> Self {
        AdalineClassifierModel {
            units,
            classes,
            trace,
        }
    }

    /// The weights, one row for two classes, else one per class.
    pub fn coef(&self) -> &Array2<f64> {
        &self.units.coef
    }

    /// The intercepts, one for two classes, else one per class.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.units.intercept
    }
}

impl Features for AdalineClassifierModel {
    fn n_features(&self) -> usize {
        self.units.coef.ncols()
    }
}

impl Scores for AdalineClassifierModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.units.outputs(rows)
    }
}

impl Classify for AdalineClassifierModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let scores = self.units.outputs(rows)?;
        let label = |scores: ndarray::ArrayView1<'_, f64>| match scores.len() {
            1 => usize::from(scores[0] >= 0.0),
            _ => argmax(scores.iter().copied()).unwrap_or(0),
        };
        Ok(scores.rows().into_iter().map(label).collect())
    }
}

impl Model for AdalineClassifierModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().scores();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "coef",
            meaning: "The weight of each feature: one row for two classes, else one per class.",
            get: |model| Value::from(&model.units.coef),
        },
        Attribute {
            name: "intercept",
            meaning: "The scores where all features are zero.",
            get: |model| Value::from(&model.units.intercept),
        },
        Attribute {
            name: "n_iter",
            meaning: "Passes over the rows.",
            get: |model| Value::from(model.trace.n_iter()),
        },
        Attribute {
            name: "converged",
            meaning: "Whether the rule came to rest before the limit of passes.",
            get: |model| Value::from(model.trace.stop == StopReason::Converged),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "boundaries",
        meaning: "Where the score of a class is zero.",
        get: |model| {
            Some(Shape::Hyperplanes {
                normals: model.units.coef.clone(),
                offsets: model.units.intercept.to_vec(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let units = match self.classes.len() {
            2 => 1,
            count => count,
        };
        ensure_consistent(
            self.units.is_sound() && self.classes.len() >= 2 && self.units.coef.nrows() == units,
        )
    }
}
