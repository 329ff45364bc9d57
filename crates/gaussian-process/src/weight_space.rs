//! The weight-space view: a process with few features is a regression on them.
//!
//! A covariance k(a, b) = φ(a)·φ(b) with m features is that of f = φ·w with w ~ N(0, I). After
//! the data w is Gaussian with the precision B = I + ΦᵀD⁻¹Φ, where D holds the noise σ²/w of
//! each row. This costs n·m², against n³ for the matrix of all covariances.

use crate::covariance::{Covariance, CovarianceShape};
use crate::observations::Observations;
use crate::process::Process;
use didact_core::{Error, Result, Rows, Run};
use didact_math::linalg::{Cholesky, gram, rows_times, transposed_rows_times};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use std::f64::consts::PI;

/// The belief about the weights after the data.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// The factor of B.
    pub(crate) precision: Cholesky,
    /// What was added to the diagonal of B to have a factor: columns far from zero leave nothing
    /// of the identity in B.
    pub(crate) jitter: f64,
    /// The means B⁻¹ΦᵀD⁻¹y, a column per target.
    pub(crate) means: Array2<f64>,
}

/// What the evidence needs to know of the fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Balance {
    /// Σ (y − Φw)²/D over rows and targets.
    pub(crate) residual: f64,
    /// tr B⁻¹, where it is known.
    pub(crate) trace: f64,
}

impl Weights {
    /// Solves B·w = ΦᵀD⁻¹y from ΦᵀWΦ (of which the lower triangle is read), ΦᵀWy and σ².
    pub(crate) fn solve(gram: Array2<f64>, cross: Array2<f64>, noise: f64) -> Result<Self> {
        let mut precision = gram;
        precision /= noise;
        precision.diag_mut().mapv_inplace(|value| value + 1.0);
        // The factorisation reads the upper triangle.
        let (precision, jitter) = Cholesky::with_jitter(precision.t()).map_err(|_| {
            Error::numerical(
                "the precision of the weights overflows; multiply the columns by powers of ten \
                 so that their values are near one, or raise noise",
            )
        })?;
        let means = precision.solve((cross / noise).view());
        Ok(Weights {
            precision,
            jitter,
            means,
        })
    }

    /// B⁻¹.
    pub(crate) fn covariance(&self) -> Array2<f64> {
        self.precision
            .solve(Array2::eye(self.precision.dimension()).view())
    }

    /// ln N(y; 0, ΦΦᵀ + D), summed over the targets. The distance of the targets comes from the
    /// residuals, yᵀ(ΦΦᵀ + D)⁻¹y = (y − Φw)ᵀD⁻¹(y − Φw) + wᵀw, where nothing cancels.
    pub(crate) fn log_evidence(
        &self,
        observations: &Observations,
        noise: f64,
        residual: f64,
    ) -> f64 {
        let n = observations.n_rows();
        let n_targets = self.means.ncols() as f64;
        let logarithms: f64 = (0..n)
            .map(|row| (noise / observations.weight(row)).ln())
            .sum();
        let size = logarithms + self.precision.log_determinant() + n as f64 * (2.0 * PI).ln();
        let squares: f64 = self.means.iter().map(|w| w * w).sum();
        let (repetition, _) = observations.repetition(noise);
        -0.5 * (residual + squares + n_targets * size) + n_targets * repetition
    }

    /// The derivative of the log-evidence with respect to ln σ².
    pub(crate) fn noise_slope(
        &self,
        observations: &Observations,
        noise: f64,
        balance: Balance,
    ) -> f64 {
        let n_targets = self.means.ncols() as f64;
        // tr((ΦΦᵀ + D)⁻¹D) = n − m + tr B⁻¹.
        let decided = self.precision.dimension() as f64 - balance.trace;
        let free = observations.n_rows() as f64 - decided;
        let (_, repetition) = observations.repetition(noise);
        0.5 * (balance.residual - n_targets * free) + n_targets * repetition
    }
}

/// The features of a linear covariance: the scaled columns, and a constant for the intercept.
pub(crate) fn linear_features(covariance: &Covariance, rows: ArrayView2<'_, f64>) -> Array2<f64> {
    let CovarianceShape::Linear { coef0 } = covariance.shape() else {
        unreachable!("only a linear covariance has these features");
    };
    let root = covariance.amplitude().sqrt();
    let (n, d) = rows.dim();
    let constant = usize::from(coef0 > 0.0);
    let mut features = Array2::from_elem((n, d + constant), root * coef0.sqrt());
    let scaled = covariance.scaled(rows) * root;
    features.slice_mut(s![.., ..d]).assign(&scaled);
    features
}

/// Inference with a linear covariance in the space of its weights.
pub(crate) struct LinearSpace<'a> {
    pub(crate) observations: &'a Observations,
}

impl LinearSpace<'_> {
    /// Whether the space of the weights is the smaller one.
    pub(crate) fn is_smaller(covariance: &Covariance, observations: &Observations) -> bool {
        !covariance.shape().is_stationary() && observations.rows.ncols() < observations.n_rows()
    }

    /// The belief about the weights, its residual and the log-evidence.
    pub(crate) fn posterior(&self, process: &Process, run: &Run) -> Result<(Weights, f64, f64)> {
        let features = linear_features(process.covariance(), self.observations.rows.view());
        let rows = Rows::Dense(features.view());
        let weights = self.observations.weights.as_ref().map(|w| w.view());
        let counted = self.counted(&self.observations.targets);
        let solved = Weights::solve(
            gram(rows, weights, run)?,
            transposed_rows_times(rows, counted.view(), run)?,
            process.noise(),
        )?;
        let errors = &self.observations.targets - &rows_times(rows, solved.means.view(), run)?;
        let residual = (&errors * &self.counted(&errors)).sum() / process.noise();
        let log_evidence = solved.log_evidence(self.observations, process.noise(), residual);
        match log_evidence.is_finite() {
            true => Ok((solved, residual, log_evidence)),
            false => Err(Error::numerical(
                "the density of the targets overflows; multiply columns and targets by powers of \
                 ten so that their values are near one",
            )),
        }
    }

    fn counted(&self, values: &Array2<f64>) -> Array2<f64> {
        match &self.observations.weights {
            Some(weights) => values * &weights.view().insert_axis(Axis(1)),
            None => values.clone(),
        }
    }

    /// The log-evidence with its derivatives. With sⱼ² the prior variance of a weight in its own
    /// units, ∂/∂ln sⱼ² = ½(wⱼ² − 1 + [B⁻¹]ⱼⱼ).
    pub(crate) fn evaluate(
        &self,
        process: &Process,
        gradient: Option<&mut [f64]>,
        run: &Run,
    ) -> Result<f64> {
        let (weights, residual, log_evidence) = self.posterior(process, run)?;
        let Some(gradient) = gradient else {
            return Ok(log_evidence);
        };
        let variances = weights.covariance().diag().to_owned();
        let n_targets = weights.means.ncols() as f64;
        let pulls: Array1<f64> = weights
            .means
            .rows()
            .into_iter()
            .zip(&variances)
            .map(|(w, variance)| 0.5 * (w.dot(&w) - n_targets * (1.0 - variance)))
            .collect();
        let scales = process.covariance().length_scales().len();
        match scales {
            1 => gradient[0] = pulls.sum(),
            _ => {
                let pairs = gradient.iter_mut().zip(&pulls).take(scales);
                pairs.for_each(|(slope, pull)| *slope = -2.0 * pull);
            }
        }
        let balance = Balance {
            residual,
            trace: variances.sum(),
        };
        let slope = weights.noise_slope(self.observations, process.noise(), balance);
        if let Some(last) = gradient.last_mut() {
            *last = slope;
        }
        Ok(log_evidence)
    }
}
