//! The process after the data, in the form that was the cheapest to find.

use crate::exact::Exact;
use crate::factor::Factored;
use crate::inducing::inducing_rows;
use crate::observations::Observations;
use crate::process::Process;
use crate::sparse::{Sparse, transposed_half_solve};
use crate::weight_space::{LinearSpace, linear_features};
use didact_core::model::ensure_consistent;
use didact_core::{Result, Run};
use didact_math::linalg::{Cholesky, at_times_b, matmul};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// What is known about the function after the data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Posterior {
    /// Through the values at all training rows.
    Exact {
        rows: Array2<f64>,
        weights: Option<Array1<f64>>,
        /// (K + σ²I)⁻¹y, a column per target.
        alpha: Array2<f64>,
        /// The factor of K + σ²I, as large as the square of the rows and therefore not saved:
        /// it is found again when a variance is asked for.
        #[serde(skip)]
        factor: OnceLock<Cholesky>,
    },
    /// Through the weights of a linear covariance.
    Linear {
        precision: Cholesky,
        means: Array2<f64>,
    },
    /// Through the values at inducing rows.
    Sparse {
        inducing: Array2<f64>,
        /// The factor L of the covariance of these values.
        inner: Cholesky,
        /// The precision of the weights of the features L⁻¹k.
        precision: Cholesky,
        /// What the covariances with the inducing rows are multiplied with.
        alpha: Array2<f64>,
    },
}

/// What was found on the way.
pub(super) struct Found {
    pub(super) jitter: f64,
    pub(super) log_evidence: f64,
}

impl Posterior {
    pub(super) fn exact(
        process: &Process,
        observations: Observations,
        run: &Run,
    ) -> Result<(Self, Found)> {
        let found =
            Exact::new(process.covariance(), &observations, run)?.posterior(process, run)?;
        let posterior = Posterior::Exact {
            rows: observations.rows,
            weights: observations.weights,
            alpha: found.alpha,
            factor: OnceLock::from(found.factored.factor),
        };
        let found = Found {
            jitter: found.factored.jitter,
            log_evidence: found.log_evidence,
        };
        Ok((posterior, found))
    }

    pub(super) fn linear(
        process: &Process,
        observations: &Observations,
        run: &Run,
    ) -> Result<(Self, Found)> {
        let (weights, _, log_evidence) = LinearSpace { observations }.posterior(process, run)?;
        let found = Found {
            jitter: weights.jitter,
            log_evidence,
        };
        let posterior = Posterior::Linear {
            precision: weights.precision,
            means: weights.means,
        };
        Ok((posterior, found))
    }

    pub(super) fn sparse(
        process: &Process,
        observations: &Observations,
        count: usize,
        run: &Run,
    ) -> Result<(Self, Found)> {
        let rows = observations.rows.view();
        let inducing = inducing_rows(process.covariance(), rows, count, run)?;
        let sparse = Sparse {
            observations,
            inducing: inducing.view(),
        };
        let found = sparse.posterior(process, run)?;
        let alpha = transposed_half_solve(&found.inner, found.weights.means.view());
        let report = Found {
            jitter: found.inner.jitter.max(found.weights.jitter),
            log_evidence: found.log_evidence,
        };
        let posterior = Posterior::Sparse {
            inducing,
            inner: found.inner.factor,
            precision: found.weights.precision,
            alpha,
        };
        Ok((posterior, report))
    }

    pub(super) fn n_targets(&self) -> usize {
        match self {
            Posterior::Exact { alpha, .. } | Posterior::Sparse { alpha, .. } => alpha.ncols(),
            Posterior::Linear { means, .. } => means.ncols(),
        }
    }

    /// The means of the function at rows, a column per target.
    pub(super) fn means(
        &self,
        process: &Process,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let covariance = process.covariance();
        Ok(match self {
            Posterior::Exact {
                rows: known, alpha, ..
            }
            | Posterior::Sparse {
                inducing: known,
                alpha,
                ..
            } => {
                let cross = covariance.cross(rows, known.view(), run)?;
                matmul(cross.view(), alpha.view())
            }
            Posterior::Linear { means, .. } => {
                matmul(linear_features(covariance, rows).view(), means.view())
            }
        })
    }

    /// The variances of the function at rows, the same for every target.
    pub(super) fn variances(
        &self,
        process: &Process,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Array1<f64>> {
        let prior = process.covariance().diagonal(rows);
        let (gained, lost) = self.directions(process, rows, run)?;
        let mut variances = squares(&gained);
        if let Some(lost) = lost {
            variances += &(prior - squares(&lost));
        }
        // Where the data decide, rounding may leave less than nothing.
        Ok(variances.mapv(|variance| variance.max(0.0)))
    }

    /// The covariances of the function at all pairs of rows.
    pub(super) fn covariances(
        &self,
        process: &Process,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let (gained, lost) = self.directions(process, rows, run)?;
        let mut covariances = at_times_b(gained.view(), gained.view());
        if let Some(lost) = lost {
            covariances += &process.covariance().matrix(rows, run)?;
            covariances -= &at_times_b(lost.view(), lost.view());
        }
        Ok(covariances)
    }

    /// Two matrices with a column per row, G and V: the covariance after the data is GᵀG plus,
    /// where there is a V, that before the data minus VᵀV.
    fn directions(
        &self,
        process: &Process,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<(Array2<f64>, Option<Array2<f64>>)> {
        let covariance = process.covariance();
        Ok(match self {
            Posterior::Exact { rows: known, .. } => {
                let cross = covariance.cross(rows, known.view(), run)?;
                let lost = self.factor(process, run)?.half_solve(cross.t());
                (Array2::zeros((0, rows.nrows())), Some(lost))
            }
            Posterior::Linear { precision, .. } => {
                let features = linear_features(covariance, rows);
                (precision.half_solve(features.t()), None)
            }
            Posterior::Sparse {
                inducing,
                inner,
                precision,
                ..
            } => {
                let cross = covariance.cross(rows, inducing.view(), run)?;
                let lost = inner.half_solve(cross.t());
                (precision.half_solve(lost.view()), Some(lost))
            }
        })
    }

    /// The factor of K + σ²I, found again where the model comes from a file.
    fn factor(&self, process: &Process, run: &Run) -> Result<&Cholesky> {
        let Posterior::Exact {
            rows,
            weights,
            alpha,
            factor,
        } = self
        else {
            unreachable!("only exact inference has this factor");
        };
        if let Some(factor) = factor.get() {
            return Ok(factor);
        }
        let observations = Observations {
            rows: rows.clone(),
            // The factor does not depend on the targets.
            targets: Array2::zeros(alpha.dim()),
            weights: weights.clone(),
        };
        let mut matrix = process.covariance().matrix(rows.view(), run)?;
        observations.add_noise(&mut matrix, process.noise());
        let found = Factored::of(&matrix, run)?;
        Ok(factor.get_or_init(|| found.factor))
    }

    /// Fails unless the parts belong together and to rows of so many columns.
    pub(super) fn validate(&self, n_columns: usize) -> Result<()> {
        let is_finite = |values: &Array2<f64>| values.iter().all(|value| value.is_finite());
        match self {
            Posterior::Exact {
                rows,
                weights,
                alpha,
                ..
            } => {
                let n = rows.nrows();
                ensure_consistent(n > 0 && rows.ncols() == n_columns && alpha.nrows() == n)?;
                let counts = weights.iter().flatten();
                ensure_consistent(weights.as_ref().is_none_or(|weights| weights.len() == n))?;
                ensure_consistent(counts.into_iter().all(|w| *w > 0.0 && w.is_finite()))?;
                ensure_consistent(is_finite(rows) && is_finite(alpha) && alpha.ncols() > 0)
            }
            Posterior::Linear { precision, means } => {
                let width = precision.dimension();
                ensure_consistent([n_columns, n_columns + 1].contains(&width))?;
                ensure_consistent(means.nrows() == width && means.ncols() > 0)?;
                ensure_consistent(is_finite(means))
            }
            Posterior::Sparse {
                inducing,
                inner,
                precision,
                alpha,
            } => {
                let m = inducing.nrows();
                ensure_consistent(m > 0 && inducing.ncols() == n_columns)?;
                ensure_consistent(inner.dimension() == m && precision.dimension() == m)?;
                ensure_consistent(alpha.nrows() == m && alpha.ncols() > 0)?;
                ensure_consistent(is_finite(inducing) && is_finite(alpha))
            }
        }
    }
}

/// The squared length of each column.
fn squares(matrix: &Array2<f64>) -> Array1<f64> {
    matrix.map_axis(Axis(0), |column| {
        column.iter().map(|value| value * value).sum()
    })
}
