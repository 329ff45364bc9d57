//! The fitted linear discriminant: boundaries and axes.

use crate::posterior::{self, score_rows};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Features, Figure, Model, OwnedRows, Probabilities,
    Result, Rows, Scores, Shape, Transform, Value,
};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, s};
use serde::{Deserialize, Serialize};

/// Linear scores of the classes, and the axes along which the classes lie apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearDiscriminantModel {
    pub(crate) classes: Classes,
    pub(crate) priors: Array1<f64>,
    pub(crate) means: Array2<f64>,
    /// The point that the axes start from.
    pub(crate) xbar: Array1<f64>,
    /// A row of weights for each class.
    pub(crate) coef: Array2<f64>,
    pub(crate) intercept: Array1<f64>,
    /// Axes as columns.
    pub(crate) scalings: Array2<f64>,
    pub(crate) explained_variance_ratio: Array1<f64>,
    pub(crate) covariance: Option<Array2<f64>>,
}

impl LinearDiscriminantModel {
    /// The weights of the scores: a row per class, or one row for two classes.
    pub fn coef(&self) -> Array2<f64> {
        match self.classes.len() {
            2 => (&self.coef.slice(s![1..2, ..]) - &self.coef.slice(s![0..1, ..])).to_owned(),
            _ => self.coef.clone(),
        }
    }

    /// The intercepts of the scores: one per class, or one for two classes.
    pub fn intercept(&self) -> Array1<f64> {
        match self.classes.len() {
            2 => Array1::from_elem(1, self.intercept[1] - self.intercept[0]),
            _ => self.intercept.clone(),
        }
    }

    /// The axes as columns, of which at most one less than there are classes.
    pub fn scalings(&self) -> &Array2<f64> {
        &self.scalings
    }

    /// The share of the scatter between classes that each axis explains.
    pub fn explained_variance_ratio(&self) -> &Array1<f64> {
        &self.explained_variance_ratio
    }

    /// The mean of each class, a row per class.
    pub fn means(&self) -> &Array2<f64> {
        &self.means
    }

    /// The probability of each class before a row is seen.
    pub fn priors(&self) -> &Array1<f64> {
        &self.priors
    }

    /// The scores of all classes up to a common summand.
    fn class_scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        products(rows, &self.coef, &self.intercept)
    }
}

/// x·wᵀ + b for every row x and every row w of the weights.
fn products(rows: Rows<'_>, weights: &Array2<f64>, offsets: &Array1<f64>) -> Result<Array2<f64>> {
    score_rows(rows, weights.nrows(), 1 << 18, |_, x, scores| {
        for ((score, weights), offset) in scores.iter_mut().zip(weights.rows()).zip(offsets) {
            let weights = weights.to_slice().expect("weights are contiguous");
            *score = dot(x, weights) + offset;
        }
        Ok(())
    })
}

impl Features for LinearDiscriminantModel {
    fn n_features(&self) -> usize {
        self.means.ncols()
    }
}

impl Classify for LinearDiscriminantModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        Ok(posterior::labels(&self.class_scores(rows)?, &self.priors))
    }
}

impl Probabilities for LinearDiscriminantModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let scores = self.class_scores(rows)?;
        Ok(posterior::probabilities(scores, &self.priors))
    }
}

impl Scores for LinearDiscriminantModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let scores = self.class_scores(rows)?;
        match self.classes.len() {
            2 => Ok(&scores.slice(s![.., 1..2]) - &scores.slice(s![.., 0..1])),
            _ => Ok(scores),
        }
    }
}

impl Transform for LinearDiscriminantModel {
    fn n_outputs(&self) -> usize {
        self.scalings.ncols()
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        // Centred first: far from zero the product would cancel.
        let x = rows.dense()?;
        let centred = &x - &self.xbar;
        let axes = self.scalings.t().as_standard_layout().into_owned();
        let none = Array1::zeros(axes.nrows());
        Ok(products(Rows::Dense(centred.view()), &axes, &none)?.into())
    }

    fn output_names(&self, _: &[String]) -> Vec<String> {
        let name = |axis: usize| format!("discriminant{axis}");
        (0..self.n_outputs()).map(name).collect()
    }
}

impl Model for LinearDiscriminantModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .scores()
        .transform();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "coef",
            meaning: "The weights of the scores, a row per class, or one row for two classes.",
            get: |model| Value::from(model.coef()),
        },
        Attribute {
            name: "intercept",
            meaning: "The intercepts of the scores, one per class, or one for two classes.",
            get: |model| Value::from(model.intercept()),
        },
        Attribute {
            name: "priors",
            meaning: "The probability of each class before a row is seen.",
            get: |model| Value::from(&model.priors),
        },
        Attribute {
            name: "means",
            meaning: "The mean of each class, a row per class.",
            get: |model| Value::from(&model.means),
        },
        Attribute {
            name: "xbar",
            meaning: "The common mean, which the axes start from.",
            get: |model| Value::from(&model.xbar),
        },
        Attribute {
            name: "scalings",
            meaning: "The axes as columns, in units of the spread within the classes.",
            get: |model| Value::from(&model.scalings),
        },
        Attribute {
            name: "explained_variance_ratio",
            meaning: "The share of the scatter between classes that each axis explains.",
            get: |model| Value::from(&model.explained_variance_ratio),
        },
        Attribute {
            name: "covariance",
            meaning: "The covariance within the classes, where it was to be kept.",
            get: |model| Value::from(model.covariance.as_ref()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[
        Figure {
            name: "means",
            meaning: "The mean of each class.",
            get: |model| {
                Some(Shape::Points {
                    points: model.means.clone(),
                })
            },
        },
        Figure {
            name: "axes",
            meaning: "The axes along which the classes lie apart.",
            get: |model| {
                let mut directions = model.scalings.t().to_owned();
                for mut direction in directions.rows_mut() {
                    let length = direction.dot(&direction).sqrt();
                    direction /= length.max(f64::MIN_POSITIVE);
                }
                (directions.nrows() > 0).then(|| Shape::Axes {
                    origin: model.xbar.to_vec(),
                    directions,
                })
            },
        },
        Figure {
            name: "boundary",
            meaning: "The plane between two classes.",
            get: |model| {
                let offsets = model.intercept().to_vec();
                let two = model.classes.len() == 2 && offsets[0].is_finite();
                two.then(|| Shape::Hyperplanes {
                    normals: model.coef(),
                    offsets,
                })
            },
        },
    ];

    fn validate(&self) -> Result<()> {
        let (k, d) = self.coef.dim();
        ensure_consistent(k > 0 && d > 0 && k == self.classes.len())?;
        ensure_consistent(self.means.dim() == (k, d) && self.xbar.len() == d)?;
        ensure_consistent(self.intercept.len() == k && self.priors.len() == k)?;
        ensure_consistent(self.scalings.nrows() == d)?;
        ensure_consistent(self.coef.is_standard_layout())?;
        ensure_consistent(self.explained_variance_ratio.len() == self.scalings.ncols())?;
        let numbers = self.coef.iter().chain(&self.scalings).chain(&self.means);
        ensure_consistent(numbers.chain(&self.xbar).all(|number| number.is_finite()))?;
        ensure_consistent(self.intercept.iter().all(|number| !number.is_nan()))?;
        let covariance = self.covariance.as_ref();
        ensure_consistent(covariance.is_none_or(|matrix| matrix.dim() == (d, d)))
    }
}
