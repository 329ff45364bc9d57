//! Exact inference: the matrix of all covariances and its factor.

use crate::covariance::{Covariance, Pairs};
use crate::factor::{Factored, inverse};
use crate::observations::Observations;
use crate::process::{LeaveOneOut, Process};
use didact_core::{Error, Result, Run, parallel};
use didact_math::linalg::{a_times_at, matmul, scale_columns};
use ndarray::{Array1, Array2, Axis, Zip};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// What good parameters make large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessCriterion {
    /// The log-density of all targets together, functions averaged out: the evidence.
    #[default]
    Evidence,
    /// The log-density of each target given all the others, summed.
    LeaveOneOut,
}

/// The pairs of the training rows, for any parameters.
pub(crate) struct Exact<'a> {
    pairs: Pairs<'a>,
    observations: &'a Observations,
}

/// The process after the data.
pub(crate) struct ExactPosterior {
    pub(crate) factored: Factored,
    /// α = (K + σ²I)⁻¹y, a column per target.
    pub(crate) alpha: Array2<f64>,
    pub(crate) log_evidence: f64,
}

impl<'a> Exact<'a> {
    pub(crate) fn new(
        covariance: &Covariance,
        observations: &'a Observations,
        run: &Run,
    ) -> Result<Self> {
        Ok(Exact {
            pairs: Pairs::own(covariance, observations.rows.view(), run)?,
            observations,
        })
    }

    pub(crate) fn posterior(&self, process: &Process, run: &Run) -> Result<ExactPosterior> {
        let mut matrix = self.pairs.matrix(process.covariance(), run)?;
        self.observations.add_noise(&mut matrix, process.noise());
        let factored = Factored::of(&matrix, run)?;
        let targets = &self.observations.targets;
        let alpha = factored.factor.solve(targets.view());
        let (n, n_targets) = (targets.nrows() as f64, targets.ncols() as f64);
        let distance: f64 = Zip::from(targets)
            .and(&alpha)
            .fold(0.0, |sum, y, a| sum + y * a);
        let size = factored.factor.log_determinant() + n * (2.0 * PI).ln();
        let (repetition, _) = self.observations.repetition(process.noise());
        let log_evidence = -0.5 * (distance + n_targets * size) + n_targets * repetition;
        match log_evidence.is_finite() {
            true => Ok(ExactPosterior {
                factored,
                alpha,
                log_evidence,
            }),
            false => Err(Error::numerical(
                "the density of the targets overflows; \
                 multiply them by a power of ten so that their values are near one",
            )),
        }
    }

    /// The criterion and, where asked for, its derivatives with respect to the logarithms of the
    /// parameters.
    pub(crate) fn evaluate(
        &self,
        process: &Process,
        criterion: ProcessCriterion,
        gradient: Option<&mut [f64]>,
        run: &Run,
    ) -> Result<f64> {
        let posterior = self.posterior(process, run)?;
        if criterion == ProcessCriterion::Evidence && gradient.is_none() {
            return Ok(posterior.log_evidence);
        }
        let precision = inverse(&posterior.factored.factor, run)?;
        let (value, slopes, noise_slope) = match criterion {
            ProcessCriterion::Evidence => {
                let (_, slope) = self.observations.repetition(process.noise());
                let slope = slope * posterior.alpha.ncols() as f64;
                let slopes = evidence_slopes(precision, &posterior.alpha, run)?;
                (posterior.log_evidence, slopes, slope)
            }
            ProcessCriterion::LeaveOneOut => {
                let value = left_out(&precision, &posterior.alpha).log_density;
                let slopes = left_out_slopes(&precision, &posterior.alpha, run)?;
                (value, slopes, 0.0)
            }
        };
        if let Some(gradient) = gradient {
            let own = self
                .pairs
                .contract(process.covariance(), slopes.view(), run)?;
            gradient[..own.len()].copy_from_slice(&own);
            if let Some(last) = gradient.get_mut(own.len()) {
                let diagonal = slopes.diag();
                let terms = diagonal.iter().enumerate();
                let terms = terms.map(|(row, slope)| slope / self.observations.weight(row));
                *last = process.noise() * terms.sum::<f64>() + noise_slope;
            }
        }
        Ok(value)
    }

    pub(crate) fn leave_one_out(&self, process: &Process, run: &Run) -> Result<LeaveOneOut> {
        let posterior = self.posterior(process, run)?;
        let precision = inverse(&posterior.factored.factor, run)?;
        Ok(left_out(&precision, &posterior.alpha))
    }
}

/// ∂ ln N(y; 0, K)/∂K = ½(ααᵀ − K⁻¹), summed over the targets, in the memory of K⁻¹.
fn evidence_slopes(
    mut precision: Array2<f64>,
    alpha: &Array2<f64>,
    run: &Run,
) -> Result<Array2<f64>> {
    let factor = -0.5 * alpha.ncols() as f64;
    scale_and_add(&mut precision, factor, &(alpha * 0.5), alpha, run)?;
    Ok(precision)
}

/// With c the diagonal of K⁻¹: the residual of a target that is left out is α/c, its variance
/// 1/c.
fn left_out(precision: &Array2<f64>, alpha: &Array2<f64>) -> LeaveOneOut {
    let diagonal = precision.diag().to_owned().insert_axis(Axis(1));
    let residuals = alpha / &diagonal;
    let variances = Array2::from_shape_fn(alpha.dim(), |(row, _)| diagonal[[row, 0]].recip());
    let log_density = Zip::from(&residuals)
        .and(&variances)
        .fold(0.0, |sum, residual, variance| {
            sum - 0.5 * ((2.0 * PI * variance).ln() + residual * residual / variance)
        });
    LeaveOneOut {
        residuals,
        variances,
        log_density,
    }
}

/// The derivatives of Σ ½ln cᵢ − ½αᵢ²/cᵢ with respect to K: with u = K⁻¹(α/c) and
/// b = ½/c + ½α²/c² they are ½(uαᵀ + αuᵀ) − K⁻¹·diag(b)·K⁻¹.
fn left_out_slopes(precision: &Array2<f64>, alpha: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
    let diagonal = precision.diag().to_owned();
    let bends: Array1<f64> = alpha
        .rows()
        .into_iter()
        .zip(&diagonal)
        .map(|(alpha, c)| {
            let square = alpha.dot(&alpha);
            (0.5 * (alpha.len() as f64 + square / c) / c).sqrt()
        })
        .collect();
    let mut root = precision.clone();
    scale_columns(root.view_mut(), bends.view());
    let mut slopes = a_times_at(root.view(), run)?;
    let pulls = alpha / &diagonal.insert_axis(Axis(1));
    let carried = matmul(precision.view(), pulls.view());
    scale_and_add(&mut slopes, -1.0, &carried, alpha, run)?;
    Ok(slopes)
}

/// Replaces a symmetric matrix M by factor·M + ½Σ(lrᵀ + rlᵀ) over the columns l and r of two
/// matrices.
pub(crate) fn scale_and_add(
    matrix: &mut Array2<f64>,
    factor: f64,
    left: &Array2<f64>,
    right: &Array2<f64>,
    run: &Run,
) -> Result<()> {
    let n = matrix.nrows();
    let values = matrix.as_slice_mut().expect("the matrix is contiguous");
    let (left, right) = (left.t().to_owned(), right.t().to_owned());
    let (left, right) = (left.as_standard_layout(), right.as_standard_layout());
    parallel::fill(values, n, 64, run, |rows, piece| {
        for (row, entries) in rows.zip(piece.chunks_mut(n)) {
            entries.iter_mut().for_each(|entry| *entry *= factor);
            for (left, right) in left.rows().into_iter().zip(right.rows()) {
                let (own_left, own_right) = (0.5 * left[row], 0.5 * right[row]);
                let sides = left.iter().zip(right);
                for (entry, (left, right)) in entries.iter_mut().zip(sides) {
                    *entry += own_left * right + own_right * left;
                }
            }
        }
        Ok(())
    })
}
