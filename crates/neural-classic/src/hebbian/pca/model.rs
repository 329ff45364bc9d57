//! The axes that Hebbian learning found.

use crate::affine::shifted_products;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Error, Features, Figure, Invert, Model, OwnedRows, Result, Rows, Shape,
    StopReason, Trace, Transform, Value,
};
use didact_math::linalg::matmul;
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// Axes along which the rows vary much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HebbianPcaModel {
    components: Array2<f64>,
    mean: Array1<f64>,
    /// The standard deviation along each axis.
    deviations: Array1<f64>,
    trace: Trace,
}

impl HebbianPcaModel {
    pub(super) fn new(
        components: Array2<f64>,
        mean: Array1<f64>,
        covariance: &Array2<f64>,
        unit: f64,
        trace: Trace,
    ) -> Result<Self> {
        let products = matmul(components.view(), covariance.view());
        let variances = (&products * &components).sum_axis(Axis(1));
        let model = HebbianPcaModel {
            components,
            mean,
            deviations: variances.mapv(|variance| variance.max(0.0).sqrt() * unit),
            trace,
        };
        match model.is_sound() {
            true => Ok(model),
            false => Err(Error::numerical(
                "the values of the rows are too large for their mean and variance; scale the \
                 columns down",
            )),
        }
    }

    /// The axes, one unit per row.
    pub fn components(&self) -> &Array2<f64> {
        &self.components
    }

    /// The mean of the rows, which is subtracted first.
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// The standard deviation of the rows along each axis.
    pub fn deviations(&self) -> &Array1<f64> {
        &self.deviations
    }

    fn is_sound(&self) -> bool {
        let (k, d) = self.components.dim();
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        k > 0
            && d == self.mean.len()
            && k == self.deviations.len()
            && self.components.as_slice().is_some_and(finite)
            && self.mean.iter().all(|value| value.is_finite())
            && self.deviations.iter().all(|value| value.is_finite())
    }
}

impl Features for HebbianPcaModel {
    fn n_features(&self) -> usize {
        self.mean.len()
    }
}

impl Transform for HebbianPcaModel {
    fn n_outputs(&self) -> usize {
        self.components.nrows()
    }

    /// The outputs W·(x − μ) of the units.
    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let outputs = shifted_products(rows, self.mean.view(), self.components.view())?;
        Ok(OwnedRows::Dense(outputs))
    }

    fn output_names(&self, _: &[String]) -> Vec<String> {
        (0..self.n_outputs())
            .map(|unit| format!("hebbianpca{unit}"))
            .collect()
    }
}

impl Invert for HebbianPcaModel {
    /// The rows μ + Wᵀ·y that belong to outputs.
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let zeros = Array1::zeros(self.n_outputs());
        let back = self.components.t().as_standard_layout().into_owned();
        Ok(shifted_products(rows, zeros.view(), back.view())? + &self.mean)
    }
}

impl Model for HebbianPcaModel {
    const ABILITIES: Abilities<Self> = Abilities::none().transform().invert();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "components",
            meaning: "The weights of each unit, one per row: the axes.",
            get: |model| Value::from(&model.components),
        },
        Attribute {
            name: "mean",
            meaning: "The mean of each column.",
            get: |model| Value::from(&model.mean),
        },
        Attribute {
            name: "deviations",
            meaning: "The standard deviation of the rows along each axis.",
            get: |model| Value::from(&model.deviations),
        },
        Attribute {
            name: "n_iter",
            meaning: "Steps of the averaged rule, or passes over the rows.",
            get: |model| Value::from(model.trace.n_iter()),
        },
        Attribute {
            name: "converged",
            meaning: "Whether the weights came to rest, or the rate to its end.",
            get: |model| Value::from(model.trace.stop == StopReason::Converged),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "axes",
        meaning: "The axes from the mean, each one standard deviation long.",
        get: |model| {
            Some(Shape::Axes {
                origin: model.mean.to_vec(),
                directions: &model.components * &model.deviations.view().insert_axis(Axis(1)),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        ensure_consistent(self.is_sound())
    }
}
