//! The fitted partial least squares regression.

use crate::planes::{Planes, explained, per_target};
use crate::rows::linear_scores;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Figure, Model, OwnedRows, Regress, Result, Rows,
    Shape, Transform, Value,
};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Components of the rows, and hyperplanes in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlsModel {
    pub(super) planes: Planes,
    pub(super) mean: Array1<f64>,
    pub(super) scale: Array1<f64>,
    pub(super) weights: Array2<f64>,
    pub(super) loadings: Array2<f64>,
    pub(super) rotations: Array2<f64>,
    pub(super) y_loadings: Array2<f64>,
    pub(super) residual_sum_of_squares: Array1<f64>,
    pub(super) total_sum_of_squares: Array1<f64>,
}

impl PlsModel {
    /// The weights w of the features, a row for each target.
    pub fn coef(&self) -> &Array2<f64> {
        &self.planes.coef
    }

    /// The intercept of each target.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.planes.intercept
    }

    /// What turns scaled columns into components, a row per component.
    pub fn rotations(&self) -> &Array2<f64> {
        &self.rotations
    }

    /// How each scaled column goes along with each component, a row per component.
    pub fn loadings(&self) -> &Array2<f64> {
        &self.loadings
    }

    /// How each scaled target goes along with each component, a row per target.
    pub fn y_loadings(&self) -> &Array2<f64> {
        &self.y_loadings
    }

    /// The share of the variance of each training target that is explained.
    pub fn r2(&self) -> Array1<f64> {
        explained(&self.residual_sum_of_squares, &self.total_sum_of_squares)
    }
}

impl Features for PlsModel {
    fn n_features(&self) -> usize {
        self.planes.n_features()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Regress for PlsModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.planes.regress(rows)
    }
}

impl Transform for PlsModel {
    fn n_outputs(&self) -> usize {
        self.rotations.nrows()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let axes = &self.rotations / &self.scale;
        let offsets: Vec<f64> = axes.dot(&self.mean).iter().map(|offset| -offset).collect();
        Ok(linear_scores(rows, axes.view(), &offsets)?.into())
    }

    fn output_names(&self, _: &[String]) -> Vec<String> {
        (0..self.n_outputs()).map(|i| format!("pls{i}")).collect()
    }
}

impl Model for PlsModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress().transform();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "coef",
            meaning: "The weight of each feature, a row per target where there are several.",
            get: |model| model.planes.coef_value(),
        },
        Attribute {
            name: "intercept",
            meaning: "The prediction where all features are zero.",
            get: |model| model.planes.intercept_value(),
        },
        Attribute {
            name: "x_weights",
            meaning: "The direction of largest covariance of each component, a row each.",
            get: |model| Value::from(&model.weights),
        },
        Attribute {
            name: "x_loadings",
            meaning: "How each scaled column goes along with each component, a row per component.",
            get: |model| Value::from(&model.loadings),
        },
        Attribute {
            name: "x_rotations",
            meaning: "What turns scaled columns into components, a row per component.",
            get: |model| Value::from(&model.rotations),
        },
        Attribute {
            name: "y_loadings",
            meaning: "How each scaled target goes along with each component, a row per target.",
            get: |model| Value::from(&model.y_loadings),
        },
        Attribute {
            name: "residual_sum_of_squares",
            meaning: "The sum of squared residuals on the training rows.",
            get: |model| per_target(&model.residual_sum_of_squares),
        },
        Attribute {
            name: "r2",
            meaning: "The share of the variance of the training targets that is explained.",
            get: |model| match model.planes.coef.nrows() {
                1 => Value::Number(model.r2()[0]),
                _ => Value::from(model.r2()),
            },
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "axes",
        meaning: "The directions of the components in the space of the features.",
        get: |model| {
            Some(Shape::Axes {
                origin: model.mean.to_vec(),
                directions: &model.weights * &model.scale,
            })
        },
    }];

    fn validate(&self) -> Result<()> {
        self.planes.validate()?;
        let (targets, d) = self.planes.coef.dim();
        let count = self.rotations.nrows();
        ensure_consistent(self.mean.len() == d && self.scale.len() == d)?;
        ensure_consistent(self.scale.iter().all(|scale| *scale > 0.0))?;
        let shapes = [&self.weights, &self.loadings, &self.rotations];
        ensure_consistent(shapes.iter().all(|matrix| matrix.dim() == (count, d)))?;
        ensure_consistent(self.y_loadings.dim() == (targets, count))?;
        ensure_consistent(
            self.residual_sum_of_squares.len() == targets
                && self.total_sum_of_squares.len() == targets,
        )
    }
}
