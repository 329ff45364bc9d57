//! The fitted axes: projecting rows on them and coming back.

use super::Pca;
use super::solver::Spectrum;
use super::whitening::{Whitening, negligible};
use crate::blocks::shifted_product;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Error, Features, Figure, Invert, Model, OwnedRows, Result, Rows,
    Run, Shape, Transform, Value,
};
use didact_math::linalg::rows_times;
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// The axes along which the rows vary most, and how much they vary along each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PcaModel {
    pub(super) n_samples: usize,
    pub(super) divisor: f64,
    pub(super) mean: Array1<f64>,
    pub(super) components: Array2<f64>,
    pub(super) explained_variance: Array1<f64>,
    pub(super) eigenvalues: Array1<f64>,
    pub(super) total_variance: f64,
    pub(super) whitening: Whitening,
}

impl PcaModel {
    pub(super) fn new(pca: &Pca, spectrum: Spectrum) -> Result<Self> {
        let divisor = spectrum.weight - pca.ddof as f64;
        if divisor <= 0.0 {
            return Err(Error::parameter(
                "ddof",
                pca.ddof,
                format!(
                    "the weights of the rows add up to {}, which leaves no divisor; \
                     use ddof = 0 or more rows",
                    spectrum.weight
                ),
            ));
        }
        let eigenvalues = spectrum.eigenvalues / divisor;
        let count = spectrum.axes.nrows();
        Ok(PcaModel {
            n_samples: spectrum.n_rows,
            divisor,
            mean: spectrum.mean,
            explained_variance: eigenvalues.iter().take(count).copied().collect(),
            components: spectrum.axes,
            eigenvalues,
            total_variance: spectrum.total / divisor,
            whitening: pca.whiten,
        })
    }

    /// Number of axes kept.
    pub fn n_components(&self) -> usize {
        self.components.nrows()
    }

    /// The mean of the training rows.
    pub fn mean(&self) -> &Array1<f64> {
        &self.mean
    }

    /// The axes, one of length one per row, in order of falling variance.
    pub fn components(&self) -> &Array2<f64> {
        &self.components
    }

    /// The variance λᵢ of the training rows along each axis.
    pub fn explained_variance(&self) -> &Array1<f64> {
        &self.explained_variance
    }

    /// The standard deviation of each score before whitening; zero where it is only rounding.
    fn deviations(&self) -> Array1<f64> {
        let largest = self.explained_variance.first().copied().unwrap_or(0.0);
        let floor = negligible(largest, self.n_features());
        self.explained_variance.mapv(|variance| {
            if variance > floor {
                variance.sqrt()
            } else {
                0.0
            }
        })
    }

    /// The scores eᵢ·(x−μ) of rows.
    pub(super) fn scores(&self, rows: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        let axes = self.components.t();
        match rows {
            Rows::Dense(dense) => shifted_product(dense, Some(self.mean.view()), axes, run),
            Rows::Sparse(_) => Ok(rows_times(rows, axes, run)? - self.components.dot(&self.mean)),
        }
    }

    /// The rows μ + Σ yᵢ·eᵢ that belong to scores.
    pub(super) fn rows_of_scores(&self, scores: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
        Ok(shifted_product(scores.view(), None, self.components.view(), run)? + &self.mean)
    }
}

impl Features for PcaModel {
    fn n_features(&self) -> usize {
        self.mean.len()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Transform for PcaModel {
    fn n_outputs(&self) -> usize {
        match self.whitening {
            Whitening::Zca => self.n_features(),
            _ => self.n_components(),
        }
    }

    fn transform_rows(&self, rows: Rows<'_>) -> Result<OwnedRows> {
        let run = Run::new();
        let mut scores = self.scores(rows, &run)?;
        if self.whitening != Whitening::None {
            let inverse = |deviation: f64| {
                if deviation > 0.0 {
                    deviation.recip()
                } else {
                    0.0
                }
            };
            scores *= &self.deviations().mapv(inverse);
        }
        if self.whitening == Whitening::Zca {
            scores = shifted_product(scores.view(), None, self.components.view(), &run)?;
        }
        Ok(OwnedRows::Dense(scores))
    }

    fn output_names(&self, input_names: &[String]) -> Vec<String> {
        match self.whitening {
            Whitening::Zca => input_names.to_vec(),
            _ => (0..self.n_components())
                .map(|axis| format!("pca{axis}"))
                .collect(),
        }
    }
}

impl Invert for PcaModel {
    fn invert_rows(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let run = Run::new();
        let rows = rows.to_dense();
        let mut scores = match self.whitening {
            Whitening::Zca => shifted_product(rows.view(), None, self.components.t(), &run)?,
            _ => rows.into_owned(),
        };
        if self.whitening != Whitening::None {
            scores *= &self.deviations();
        }
        self.rows_of_scores(&scores, &run)
    }
}

impl Model for PcaModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .transform()
        .invert()
        .log_density()
        .sample();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_components",
            meaning: "Number of axes kept.",
            get: |model| Value::from(model.n_components()),
        },
        Attribute {
            name: "components",
            meaning: "The axes, one of length one per row, in order of falling variance.",
            get: |model| Value::from(&model.components),
        },
        Attribute {
            name: "mean",
            meaning: "The mean of each column.",
            get: |model| Value::from(&model.mean),
        },
        Attribute {
            name: "explained_variance",
            meaning: "The variance along each axis.",
            get: |model| Value::from(&model.explained_variance),
        },
        Attribute {
            name: "explained_variance_ratio",
            meaning: "The share of the whole variance along each axis.",
            get: |model| Value::from(model.explained_variance_ratio()),
        },
        Attribute {
            name: "singular_values",
            meaning: "The singular values of the centred rows that belong to the axes.",
            get: |model| Value::from(model.singular_values()),
        },
        Attribute {
            name: "noise_variance",
            meaning: "The mean variance along the discarded axes.",
            get: |model| Value::from(model.noise_variance()),
        },
        Attribute {
            name: "eigenvalues",
            meaning: "The variances along all axes that were found, kept or not.",
            get: |model| Value::from(&model.eigenvalues),
        },
        Attribute {
            name: "loadings",
            meaning: "How each column (a row here) goes into each axis: axis times its deviation.",
            get: |model| Value::from(model.loadings()),
        },
        Attribute {
            name: "n_samples",
            meaning: "Number of training rows.",
            get: |model| Value::from(model.n_samples),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "axes",
        meaning: "The principal axes from the mean, each one standard deviation long.",
        get: |model| {
            let deviations = model.explained_variance.mapv(f64::sqrt);
            Some(Shape::Axes {
                origin: model.mean.to_vec(),
                directions: &model.components * &deviations.insert_axis(Axis(1)),
            })
        },
    }];

    fn validate(&self) -> Result<()> {
        let (count, columns) = self.components.dim();
        ensure_consistent(
            columns == self.mean.len()
                && count >= 1
                && count <= columns
                && count == self.explained_variance.len()
                && count <= self.eigenvalues.len(),
        )?;
        let not_negative = |value: &f64| *value >= 0.0 && value.is_finite();
        ensure_consistent(
            self.eigenvalues.iter().all(not_negative)
                && self.explained_variance.iter().all(not_negative)
                && not_negative(&self.total_variance)
                && not_negative(&self.divisor)
                && self.mean.iter().all(|value| value.is_finite())
                && self.components.iter().all(|value| value.is_finite()),
        )
    }
}
