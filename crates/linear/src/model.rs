//! The fitted linear regression model.

use crate::Inference;
use crate::planes::{explained, per_target};
use crate::rows::linear_scores;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Figure, Model, Regress, Result, Rows, Shape, Trace,
    Value,
};
use ndarray::{Array1, Array2, Axis, concatenate, s};
use serde::{Deserialize, Serialize};

/// A hyperplane ŷ = w·x + b for each target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearModel {
    pub(crate) coef: Array2<f64>,
    pub(crate) intercept: Array1<f64>,
    pub(crate) rank: usize,
    pub(crate) singular: Option<Array1<f64>>,
    pub(crate) residual_sum_of_squares: Array1<f64>,
    pub(crate) total_sum_of_squares: Array1<f64>,
    pub(crate) trace: Option<Trace>,
    /// Absent in files of earlier releases.
    #[serde(default)]
    pub(crate) inference: Option<Inference>,
}

impl LinearModel {
    /// The weights w, a row for each target and a column for each feature.
    pub fn coef(&self) -> &Array2<f64> {
        &self.coef
    }

    /// The intercept b of each target.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.intercept
    }

    /// The numerical rank of the (centred) training rows; with conjugate gradients an upper
    /// bound.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The singular values of the (centred) training rows, where the fit needed them.
    pub fn singular(&self) -> Option<&Array1<f64>> {
        self.singular.as_ref()
    }

    /// The sum Σ(y − ŷ)² over the training rows, for each target, without any penalty.
    pub fn residual_sum_of_squares(&self) -> &Array1<f64> {
        &self.residual_sum_of_squares
    }

    /// The sum Σ(y − ȳ)² over the training rows, for each target.
    pub fn total_sum_of_squares(&self) -> &Array1<f64> {
        &self.total_sum_of_squares
    }

    /// The share of the variance of each target that the model explains on the training rows;
    /// a constant target has nothing to explain and counts as explained if it is met exactly.
    pub fn r2(&self) -> Array1<f64> {
        explained(&self.residual_sum_of_squares, &self.total_sum_of_squares)
    }
}

/// One list for one target, else a row each.
fn by_target<'a>(values: Option<Array2<f64>>) -> Value<'a> {
    match values {
        Some(values) if values.nrows() == 1 => Value::from(values.row(0).to_owned()),
        values => Value::from(values),
    }
}

/// A figure of the inference for each target.
fn tests<'a>(model: &LinearModel, figure: fn(&Inference, usize) -> f64) -> Value<'a> {
    let Some(inference) = &model.inference else {
        return Value::Absent;
    };
    let targets = model.coef.nrows();
    match targets {
        1 => Value::Number(figure(inference, 0)),
        _ => Value::from(
            (0..targets)
                .map(|target| figure(inference, target))
                .collect::<Array1<f64>>(),
        ),
    }
}

impl Features for LinearModel {
    fn n_features(&self) -> usize {
        self.coef.ncols()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Regress for LinearModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        linear_scores(rows, self.coef.view(), &self.intercept.to_vec())
    }
}

impl Model for LinearModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "coef",
            meaning: "The weight of each feature, a row per target where there are several.",
            get: |model| match model.coef.nrows() {
                1 => Value::from(model.coef.row(0).to_owned()),
                _ => Value::from(&model.coef),
            },
        },
        Attribute {
            name: "intercept",
            meaning: "The prediction where all features are zero.",
            get: |model| per_target(&model.intercept),
        },
        Attribute {
            name: "rank",
            meaning: "The numerical rank of the training rows.",
            get: |model| Value::from(model.rank),
        },
        Attribute {
            name: "singular",
            meaning: "The singular values of the training rows, where the fit needed them.",
            get: |model| Value::from(model.singular.as_ref()),
        },
        Attribute {
            name: "residual_sum_of_squares",
            meaning: "The sum of squared residuals on the training rows.",
            get: |model| per_target(&model.residual_sum_of_squares),
        },
        Attribute {
            name: "total_sum_of_squares",
            meaning: "The sum of squared differences of the training targets to their mean.",
            get: |model| per_target(&model.total_sum_of_squares),
        },
        Attribute {
            name: "r2",
            meaning: "The share of the variance of the training targets that is explained.",
            get: |model| match model.coef.nrows() {
                1 => Value::Number(model.r2()[0]),
                _ => Value::from(model.r2()),
            },
        },
        Attribute {
            name: "adjusted_r2",
            meaning: "The share of the variance that is explained, with a price on every weight.",
            get: |model| match model.adjusted_r2() {
                Some(values) if values.len() == 1 => Value::Number(values[0]),
                values => Value::from(values),
            },
        },
        Attribute {
            name: "standard_errors",
            meaning: "The standard error of each weight.",
            get: |model| {
                by_target(
                    model
                        .inference()
                        .map(|found| found.standard_errors().clone()),
                )
            },
        },
        Attribute {
            name: "t_values",
            meaning: "The weights in units of their standard errors.",
            get: |model| by_target(model.t_values()),
        },
        Attribute {
            name: "p_values",
            meaning: "How probable a weight so far from zero is where it is zero in truth.",
            get: |model| by_target(model.p_values()),
        },
        Attribute {
            name: "confidence_intervals",
            meaning: "95 % intervals of the weights: lower ends, then upper ends.",
            get: |model| match model.confidence_intervals(0.95) {
                Ok(band) => Value::from(concatenate![Axis(0), band.lower, band.upper]),
                Err(_) => Value::Absent,
            },
        },
        Attribute {
            name: "intercept_standard_error",
            meaning: "The standard error of the intercept.",
            get: |model| {
                let inference = model.inference.as_ref();
                inference.map_or(Value::Absent, |found| {
                    per_target(found.intercept_standard_errors())
                })
            },
        },
        Attribute {
            name: "intercept_p_value",
            meaning: "How probable an intercept so far from zero is where it is zero in truth.",
            get: |model| match model.intercept_p_values() {
                Some(values) if values.len() == 1 => Value::Number(values[0]),
                values => Value::from(values),
            },
        },
        Attribute {
            name: "f_statistic",
            meaning: "The statistic F that all weights are zero.",
            get: |model| tests(model, |found, target| found.f_test(target).0),
        },
        Attribute {
            name: "f_p_value",
            meaning: "How probable so large an F is where all weights are zero in truth.",
            get: |model| tests(model, |found, target| found.f_test(target).1),
        },
        Attribute {
            name: "log_likelihood",
            meaning: "The logarithm of the likelihood of the training targets.",
            get: |model| tests(model, |found, target| found.log_likelihood()[target]),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "hyperplane",
        meaning: "The fitted hyperplane w·x − y + b = 0 in the space of features and targets.",
        get: |model| {
            let (targets, d) = model.coef.dim();
            let mut normals = Array2::zeros((targets, d + targets));
            normals.slice_mut(s![.., ..d]).assign(&model.coef);
            for target in 0..targets {
                normals[[target, d + target]] = -1.0;
            }
            Some(Shape::Hyperplanes {
                normals,
                offsets: model.intercept.to_vec(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        let (targets, d) = self.coef.dim();
        let lengths = [
            &self.intercept,
            &self.residual_sum_of_squares,
            &self.total_sum_of_squares,
        ];
        ensure_consistent(targets > 0 && d > 0)?;
        ensure_consistent(lengths.iter().all(|values| values.len() == targets))?;
        let inference = self.inference.as_ref();
        ensure_consistent(inference.is_none_or(|found| found.is_sound(targets, d)))?;
        let mut numbers = self.coef.iter().chain(&self.intercept);
        ensure_consistent(numbers.all(|number| number.is_finite()))
    }
}
