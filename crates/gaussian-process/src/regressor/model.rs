//! The fitted process.

use super::posterior::Posterior;
use super::predictive::ProcessPredictive;
use crate::blocks::by_blocks;
use crate::covariance::CovarianceShape;
use crate::draws::{Draws, draw};
use crate::process::Process;
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Deviations, Error, Features, Figure, Model, Regress, Result, Rows, Run,
    Shape, Trace, Value,
};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};

/// What the targets are measured in: their means, and what they were divided by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Units {
    pub(super) means: Array1<f64>,
    pub(super) scales: Array1<f64>,
}

/// A Gaussian process after the data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussianProcessModel {
    pub(super) process: Process,
    pub(super) posterior: Posterior,
    pub(super) n_features: usize,
    pub(super) units: Units,
    pub(super) jitter: f64,
    pub(super) log_evidence: f64,
    pub(super) trace: Option<Trace>,
}

impl GaussianProcessModel {
    /// The process before the data, with the parameters that were given or found.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// The logarithm of the density of the training targets, functions averaged out; a lower
    /// bound of it where the process is sparse.
    pub fn log_marginal_likelihood(&self) -> f64 {
        self.log_evidence
    }

    /// What was added to the diagonal of the covariance matrix so that it could be factored.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// Means and variances of function and targets at rows.
    pub fn predictive(&self, rows: Rows<'_>) -> Result<ProcessPredictive> {
        check_rows(self, rows.reborrow())?;
        let x = rows.to_dense();
        let run = Run::new();
        let mean = self.means(x.view(), &run)?;
        let variances = by_blocks(x.view(), 1, &run, |block| {
            let variances = self.posterior.variances(&self.process, block, &run)?;
            Ok(variances.insert_axis(Axis(1)))
        })?;
        let squares = self.units.scales.mapv(|scale| scale * scale);
        Ok(ProcessPredictive {
            mean,
            variance: (&variances + self.process.noise()) * &squares,
            variance_of_mean: variances * &squares,
        })
    }

    /// The covariances of the function values at all pairs of rows, for targets in the units of
    /// the process.
    pub fn covariance(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        check_rows(self, rows.reborrow())?;
        let x = rows.to_dense();
        self.posterior
            .covariances(&self.process, x.view(), &Run::new())
    }

    /// Draws functions from the process after the data; the columns are the draws of the first
    /// target, then those of the second, and so on.
    pub fn draw(&self, rows: Rows<'_>, n_draws: usize, seed: u64) -> Result<Draws> {
        check_rows(self, rows.reborrow())?;
        let x = rows.to_dense();
        let run = Run::new();
        let means = self.posterior.means(&self.process, x.view(), &run)?;
        let covariances = self.posterior.covariances(&self.process, x.view(), &run)?;
        let mut draws = draw(&means, covariances, n_draws, seed, &run)?;
        for target in 0..self.units.scales.len() {
            let places = target * n_draws..(target + 1) * n_draws;
            let mut part = draws.values.slice_mut(s![.., places]);
            part *= self.units.scales[target];
            part += self.units.means[target];
        }
        Ok(draws)
    }

    fn means(&self, rows: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let width = self.posterior.n_targets();
        let means = by_blocks(rows, width, run, |block| {
            self.posterior.means(&self.process, block, run)
        })?;
        let means = means * &self.units.scales + &self.units.means;
        match means.indexed_iter().find(|(_, mean)| !mean.is_finite()) {
            None => Ok(means),
            Some(((row, _), _)) => Err(Error::numerical(format!(
                "the prediction of row {row} overflows; its values are too large for this model"
            ))),
        }
    }
}

impl Features for GaussianProcessModel {
    fn n_features(&self) -> usize {
        self.n_features
    }
}

impl Regress for GaussianProcessModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.means(rows.dense()?, &Run::new())
    }
}

impl Deviations for GaussianProcessModel {
    fn deviations(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(self.predictive(rows)?.variance.mapv(f64::sqrt))
    }
}

impl Model for GaussianProcessModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress().deviations();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "length_scale",
            meaning: "The distance over which the function changes, one per column where each has its own.",
            get: |model| match model.process.covariance().length_scales().len() {
                1 => Value::from(model.process.covariance().length_scales()[0]),
                _ => Value::from(model.process.covariance().length_scales()),
            },
        },
        Attribute {
            name: "amplitude",
            meaning: "The variance of the function before the data; of its slopes where it is linear.",
            get: |model| Value::from(model.process.covariance().amplitude()),
        },
        Attribute {
            name: "scale_mixture",
            meaning: "The exponent of a rational quadratic covariance.",
            get: |model| match model.process.covariance().shape() {
                CovarianceShape::RationalQuadratic { scale_mixture } => Value::from(scale_mixture),
                _ => Value::Absent,
            },
        },
        Attribute {
            name: "noise",
            meaning: "The variance of the noise.",
            get: |model| Value::from(model.process.noise()),
        },
        Attribute {
            name: "log_marginal_likelihood_value",
            meaning: "The log-density of the training targets, functions averaged out; a lower bound where sparse.",
            get: |model| Value::from(model.log_evidence),
        },
        Attribute {
            name: "jitter",
            meaning: "What was added to the diagonal of the covariance matrix so that it could be factored.",
            get: |model| Value::from(model.jitter),
        },
        Attribute {
            name: "alpha",
            meaning: "What the covariances with each known row are multiplied with, a column per target.",
            get: |model| match &model.posterior {
                Posterior::Exact { alpha, .. } | Posterior::Sparse { alpha, .. } => {
                    Value::from(alpha)
                }
                Posterior::Linear { .. } => Value::Absent,
            },
        },
        Attribute {
            name: "X_train",
            meaning: "The rows at which the function is known: the training rows, or the inducing ones.",
            get: |model| match &model.posterior {
                Posterior::Exact { rows, .. } | Posterior::Sparse { inducing: rows, .. } => {
                    Value::from(rows)
                }
                Posterior::Linear { .. } => Value::Absent,
            },
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "inducing rows",
        meaning: "The rows through which a sparse process knows its function.",
        get: |model| match &model.posterior {
            Posterior::Sparse { inducing, .. } => Some(Shape::Points {
                points: inducing.clone(),
            }),
            _ => None,
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        self.process.covariance().validate(self.n_features)?;
        ensure_consistent(self.process.noise() >= 0.0 && self.process.noise().is_finite())?;
        self.posterior.validate(self.n_features)?;
        let is_linear = !self.process.covariance().shape().is_stationary();
        let by_weights = matches!(self.posterior, Posterior::Linear { .. });
        ensure_consistent(is_linear || !by_weights)?;
        let n_targets = self.posterior.n_targets();
        ensure_consistent(
            self.units.means.len() == n_targets && self.units.scales.len() == n_targets,
        )
    }
}
