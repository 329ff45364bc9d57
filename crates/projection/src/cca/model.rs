//! The fitted canonical correlation.

use crate::blocks::shifted_product;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Error, Features, Figure, Model, OwnedRows, Regress, Result, Rows, Run,
    Shape, Transform, Value,
};
use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// Pairs of directions in which columns and targets go together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CcaModel {
    pub(super) correlations: Array1<f64>,
    pub(super) x_mean: Array1<f64>,
    pub(super) y_mean: Array1<f64>,
    /// A row per pair.
    pub(super) x_weights: Array2<f64>,
    pub(super) y_weights: Array2<f64>,
    pub(super) x_loadings: Array2<f64>,
    pub(super) y_loadings: Array2<f64>,
    pub(super) coef: Array2<f64>,
    pub(super) intercept: Array1<f64>,
    /// The inverse of the covariance of the columns, where there are at most three.
    pub(super) constraint: Option<Array2<f64>>,
}

impl CcaModel {
    /// The correlation ρ of the variates of each pair, in falling order; with a ridge, the
    /// regularised one.
    pub fn correlations(&self) -> &Array1<f64> {
        &self.correlations
    }

    /// The weights of the columns, a row per pair: wᵀC_xxw = 1.
    pub fn x_weights(&self) -> &Array2<f64> {
        &self.x_weights
    }

    /// The weights of the targets, a row per pair: vᵀC_yyv = 1.
    pub fn y_weights(&self) -> &Array2<f64> {
        &self.y_weights
    }

    /// The weights of the columns in the prediction of each target, a row per target.
    pub fn coef(&self) -> &Array2<f64> {
        &self.coef
    }

    /// The variates of targets, a column per pair: the partners of what
    /// [`transform`](Transform::transform) makes of their rows.
    pub fn transform_targets(&self, targets: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        if targets.ncols() != self.y_mean.len() {
            return Err(Error::data(format!(
                "there are {} targets per row; give the {} that the model was fitted with",
                targets.ncols(),
                self.y_mean.len()
            )));
        }
        let shift = Some(self.y_mean.view());
        finite(shifted_product(
            targets,
            shift,
            self.y_weights.t(),
            &Run::new(),
        )?)
    }
}

/// The values, unless one of them is not finite.
fn finite(values: Array2<f64>) -> Result<Array2<f64>> {
    match values.indexed_iter().find(|(_, value)| !value.is_finite()) {
        None => Ok(values),
        Some(((row, _), _)) => Err(Error::numerical(format!(
            "the image of row {row} overflows; its values are too large for this model"
        ))),
    }
}

impl Features for CcaModel {
    fn n_features(&self) -> usize {
        self.x_mean.len()
    }
}

impl Regress for CcaModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let shift = Some(self.x_mean.view());
        let product = shifted_product(rows.dense()?, shift, self.coef.t(), &Run::new())?;
        finite(product + &self.y_mean)
    }
}

impl Transform for CcaModel {
    fn n_outputs(&self) -> usize {
        self.x_weights.nrows()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let shift = Some(self.x_mean.view());
        let product = shifted_product(rows.dense()?, shift, self.x_weights.t(), &Run::new())?;
        Ok(finite(product)?.into())
    }

    fn output_names(&self, _: &[String]) -> Vec<String> {
        (0..self.n_outputs()).map(|i| format!("cca{i}")).collect()
    }
}

impl Model for CcaModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress().transform();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "correlations",
            meaning: "The correlation of the two variates of each pair, in falling order.",
            get: |model| Value::from(&model.correlations),
        },
        Attribute {
            name: "x_weights",
            meaning: "What turns centred columns into variates of variance one, a row per pair.",
            get: |model| Value::from(&model.x_weights),
        },
        Attribute {
            name: "y_weights",
            meaning: "What turns centred targets into variates of variance one, a row per pair.",
            get: |model| Value::from(&model.y_weights),
        },
        Attribute {
            name: "x_loadings",
            meaning: "The covariance of each column with each variate of the columns, a row per pair.",
            get: |model| Value::from(&model.x_loadings),
        },
        Attribute {
            name: "y_loadings",
            meaning: "The covariance of each target with each variate of the targets, a row per pair.",
            get: |model| Value::from(&model.y_loadings),
        },
        Attribute {
            name: "coef",
            meaning: "The weight of each column in the prediction of each target, a row per target where there are several.",
            get: |model| match model.coef.nrows() {
                1 => Value::from(model.coef.row(0).to_owned()),
                _ => Value::from(&model.coef),
            },
        },
        Attribute {
            name: "intercept",
            meaning: "The prediction where all columns are zero.",
            get: |model| match model.intercept.len() {
                1 => Value::from(model.intercept[0]),
                _ => Value::from(&model.intercept),
            },
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[
        Figure {
            name: "axes",
            meaning: "The weights of the columns, drawn from the mean.",
            get: |model| {
                Some(Shape::Axes {
                    origin: model.x_mean.to_vec(),
                    directions: model.x_weights.clone(),
                })
            },
        },
        Figure {
            name: "constraint",
            meaning: "The ellipse wᵀCw = 1 that weights of variates of variance one end on.",
            get: |model| {
                let constraint = model.constraint.clone()?;
                Some(Shape::Ellipsoids {
                    centers: model.x_mean.clone().insert_axis(ndarray::Axis(0)),
                    covariances: vec![constraint],
                })
            },
        },
    ];

    fn validate(&self) -> Result<()> {
        let (d, n_targets) = (self.x_mean.len(), self.y_mean.len());
        let count = self.correlations.len();
        ensure_consistent(d > 0 && n_targets > 0 && count > 0)?;
        ensure_consistent(self.x_weights.dim() == (count, d))?;
        ensure_consistent(self.x_loadings.dim() == (count, d))?;
        ensure_consistent(self.y_weights.dim() == (count, n_targets))?;
        ensure_consistent(self.y_loadings.dim() == (count, n_targets))?;
        ensure_consistent(self.coef.dim() == (n_targets, d) && self.intercept.len() == n_targets)?;
        let constraint = self.constraint.as_ref();
        ensure_consistent(constraint.is_none_or(|constraint| constraint.dim() == (d, d)))
    }
}
