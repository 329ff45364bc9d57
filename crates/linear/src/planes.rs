//! Hyperplanes: what every linear regression ends with.

use crate::rows::linear_scores;
use didact_core::model::ensure_consistent;
use didact_core::{Error, Result, Rows, Shape, Value};
use ndarray::{Array1, Array2, s};
use serde::{Deserialize, Serialize};

/// A hyperplane ŷ = w·x + b for each target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Planes {
    /// The weights w, a row for each target.
    pub(crate) coef: Array2<f64>,
    /// The intercept b of each target.
    pub(crate) intercept: Array1<f64>,
}

impl Planes {
    /// Hyperplanes whose numbers are finite, or an error that says how to make them so.
    pub(crate) fn new(coef: Array2<f64>, intercept: Array1<f64>) -> Result<Self> {
        let finite = coef
            .iter()
            .chain(&intercept)
            .all(|number| number.is_finite());
        match finite {
            true => Ok(Planes { coef, intercept }),
            false => Err(Error::numerical(
                "the weights of some columns overflow; \
                 multiply columns and targets by powers of ten so that their values are near one",
            )),
        }
    }

    pub(crate) fn n_features(&self) -> usize {
        self.coef.ncols()
    }

    pub(crate) fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        linear_scores(rows, self.coef.view(), &self.intercept.to_vec())
    }

    pub(crate) fn validate(&self) -> Result<()> {
        let (targets, d) = self.coef.dim();
        ensure_consistent(targets > 0 && d > 0 && self.intercept.len() == targets)?;
        let mut numbers = self.coef.iter().chain(&self.intercept);
        ensure_consistent(numbers.all(|number| number.is_finite()))
    }

    /// The weights, as one list where there is one target.
    pub(crate) fn coef_value(&self) -> Value<'_> {
        match self.coef.nrows() {
            1 => Value::from(self.coef.row(0).to_owned()),
            _ => Value::from(&self.coef),
        }
    }

    /// The intercept, as one number where there is one target.
    pub(crate) fn intercept_value(&self) -> Value<'_> {
        per_target(&self.intercept)
    }

    /// The hyperplanes w·x − y + b = 0 in the space of features and targets.
    pub(crate) fn shape(&self) -> Shape {
        let (targets, d) = self.coef.dim();
        let mut normals = Array2::zeros((targets, d + targets));
        normals.slice_mut(s![.., ..d]).assign(&self.coef);
        for target in 0..targets {
            normals[[target, d + target]] = -1.0;
        }
        Shape::Hyperplanes {
            normals,
            offsets: self.intercept.to_vec(),
        }
    }
}

/// One number for one target, else a list: what scikit-learn does too.
pub(crate) fn per_target(values: &Array1<f64>) -> Value<'_> {
    match values.len() {
        1 => Value::Number(values[0]),
        _ => Value::from(values),
    }
}

/// The share of the variance of each target that is explained; a constant target has nothing to
/// explain and counts as explained if it is met exactly.
pub(crate) fn explained(residual: &Array1<f64>, total: &Array1<f64>) -> Array1<f64> {
    let pairs = residual.iter().zip(total);
    pairs
        .map(|(&residual, &total)| match total > 0.0 {
            true => 1.0 - residual / total,
            false => f64::from(residual == 0.0),
        })
        .collect()
}

/// Makes a model of a type with the fields `planes` and `trace` and the method `is_sound`: it
/// predicts by its hyperplanes and knows them besides the attributes that are listed, and has the
/// abilities that are named after it.
macro_rules! hyperplane_model {
    ($model:ident $(, $ability:ident)* { $($name:literal, $meaning:literal, $get:expr;)* }) => {
        impl $model {
            /// The weights w, a row for each target and a column for each feature.
            pub fn coef(&self) -> &ndarray::Array2<f64> {
                &self.planes.coef
            }

            /// The intercept b of each target.
            pub fn intercept(&self) -> &ndarray::Array1<f64> {
                &self.planes.intercept
            }
        }

        impl didact_core::Features for $model {
            fn n_features(&self) -> usize {
                self.planes.n_features()
            }

            fn accepts(&self) -> didact_core::Accepts {
                didact_core::Accepts::SPARSE
            }
        }

        impl didact_core::Regress for $model {
            fn regress(
                &self,
                rows: didact_core::Rows<'_>,
            ) -> didact_core::Result<ndarray::Array2<f64>> {
                self.planes.regress(rows)
            }
        }

        impl didact_core::Model for $model {
            const ABILITIES: didact_core::Abilities<Self> =
                didact_core::Abilities::none().regress()$(.$ability())*;
            const ATTRIBUTES: &'static [didact_core::Attribute<Self>] = &[
                didact_core::Attribute {
                    name: "coef",
                    meaning: "The weight of each feature, a row per target where there are several.",
                    get: |model| model.planes.coef_value(),
                },
                didact_core::Attribute {
                    name: "intercept",
                    meaning: "The prediction where all features are zero.",
                    get: |model| model.planes.intercept_value(),
                },
                $(didact_core::Attribute { name: $name, meaning: $meaning, get: $get },)*
            ];
            const FIGURES: &'static [didact_core::Figure<Self>] = &[didact_core::Figure {
                name: "hyperplane",
                meaning: "The hyperplane w·x − y + b = 0 in the space of features and targets.",
                get: |model| Some(model.planes.shape()),
            }];

            fn trace(&self) -> Option<&didact_core::Trace> {
                self.trace.as_ref()
            }

            fn validate(&self) -> didact_core::Result<()> {
                self.planes.validate()?;
                didact_core::model::ensure_consistent(self.is_sound())
            }
        }
    };
}
pub(crate) use hyperplane_model;
