//! One latent function: its law after the data, and the probabilities that follow.

use super::laplace::{Laplace, Signs};
use super::quadrature::mean_of_sigmoid;
use super::slice_sampling::draw_latent;
use super::{GaussianProcessClassifier, LatentInference};
use crate::factor::Factored;
use crate::observations::Observations;
use crate::process::Process;
use crate::regressor::scales;
use crate::search::{Scales, Search};
use didact_core::model::ensure_consistent;
use didact_core::{Result, Run, Trace};
use didact_math::linalg::{Cholesky, matmul, scale_rows};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// So many rows tell good starts of the search from bad ones.
const GLANCE: usize = 150;

/// A latent function after the data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Binary {
    pub(super) process: Process,
    pub(super) rows: Array2<f64>,
    /// What the covariances with the rows are multiplied with: K⁻¹f̂ for the mode, or K⁻¹f for
    /// each draw, a column each.
    pub(super) alpha: Array2<f64>,
    /// W^½ of the mode; absent where the function was drawn.
    pub(super) roots: Option<Array1<f64>>,
    /// The factor of I + W^½KW^½, or of K where the function was drawn; found again when a model
    /// comes from a file.
    #[serde(skip)]
    factor: OnceLock<Cholesky>,
    pub(super) log_evidence: f64,
    pub(super) trace: Option<Trace>,
}

/// What one function is taught.
pub(super) struct Teaching<'a> {
    pub(super) method: &'a GaussianProcessClassifier,
    pub(super) given: &'a Process,
    pub(super) rows: Array2<f64>,
    pub(super) is_positive: Vec<bool>,
    pub(super) weights: Array1<f64>,
}

impl Teaching<'_> {
    pub(super) fn learn(self, run: &Run) -> Result<Binary> {
        let signs = self.is_positive.iter();
        let signs = signs.map(|positive| if *positive { 1.0 } else { -1.0 });
        let data = Signs {
            signs: signs.collect(),
            rows: self.rows,
            weights: self.weights,
        };
        let (process, trace) = match self.method.optimize {
            true => {
                let (process, trace) = choose(self.method, self.given, &data, run)?;
                (process, Some(trace))
            }
            false => (self.given.clone(), None),
        };
        let newton = self.method.max_iter_predict;
        let mode = Laplace::new(process.covariance(), &data, newton, run)?.mode(&process, run)?;
        let log_evidence = mode.log_evidence;
        let (alpha, roots, factor) = match self.method.inference {
            LatentInference::Laplace => {
                let alpha = mode.slopes.insert_axis(Axis(1));
                (alpha, Some(mode.roots), mode.factor)
            }
            LatentInference::MonteCarlo => {
                let matrix = process.covariance().matrix(data.rows.view(), run)?;
                let prior = Factored::of(&matrix, run)?;
                let counts = [self.method.burn_in, self.method.n_samples];
                let seed = self.method.random_state;
                let draws = draw_latent(&data, &prior, &mode.latent, counts, seed, run)?;
                (prior.factor.solve(draws.view()), None, prior.factor)
            }
        };
        Ok(Binary {
            process,
            rows: data.rows,
            alpha,
            roots,
            factor: OnceLock::from(factor),
            log_evidence,
            trace,
        })
    }
}

fn choose(
    method: &GaussianProcessClassifier,
    given: &Process,
    data: &Signs,
    run: &Run,
) -> Result<(Process, Trace)> {
    let targets = data.signs.clone().insert_axis(Axis(1));
    let observations = Observations {
        rows: data.rows.clone(),
        targets,
        weights: Some(data.weights.clone()),
    };
    let thin = observations.thinned(GLANCE);
    let thin = Signs {
        signs: thin.targets.column(0).to_owned(),
        weights: thin.weights.unwrap_or_default(),
        rows: thin.rows,
    };
    let newton = method.max_iter_predict;
    let glance = Laplace::new(given.covariance(), &thin, newton, run)?;
    let whole = Laplace::new(given.covariance(), data, newton, run)?;
    let search = Search {
        n_terms: observations.total_weight(),
        n_restarts: method.n_restarts_optimizer,
        max_iter: method.max_iter,
        tol: method.tol,
        evaluate: &|process, gradient, run| whole.evaluate(process, gradient, run),
        glance: &|process, gradient, run| glance.evaluate(process, gradient, run),
        objective_name: "log-evidence",
    };
    let scales = Scales {
        // Log-odds of about ±3: the classes are told apart, but not to the last row.
        amplitude: 9.0,
        ..scales(given, &observations)
    };
    search.best(given, &scales, run)
}

impl Binary {
    /// The means of the latent function, a column per draw or one, and its variance in the last
    /// column.
    fn latent(&self, rows: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        let covariance = self.process.covariance();
        let cross = covariance.cross(rows, self.rows.view(), run)?;
        let means = matmul(cross.view(), self.alpha.view());
        let mut known = cross.reversed_axes();
        if let Some(roots) = &self.roots {
            scale_rows(known.view_mut(), roots.view());
        }
        let known = self.factor(run)?.half_solve(known.view());
        let known = known.map_axis(Axis(0), |column| column.iter().map(|v| v * v).sum::<f64>());
        let left = covariance.diagonal(rows) - known;
        let mut latent = Array2::zeros((rows.nrows(), means.ncols() + 1));
        latent.slice_mut(s![.., ..means.ncols()]).assign(&means);
        latent
            .column_mut(means.ncols())
            .assign(&left.mapv(|variance| variance.max(0.0)));
        Ok(latent)
    }

    /// The probability of the class +1 at each row, and its standard error where the function
    /// was drawn: that of the means of √S batches of draws, which follow each other.
    pub(super) fn probabilities(
        &self,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let latent = self.latent(rows, run)?;
        let n_draws = latent.ncols() - 1;
        let batch = (n_draws as f64).sqrt().round().max(1.0) as usize;
        let mut answers = Array2::zeros((rows.nrows(), 2));
        for (latent, mut answer) in latent.rows().into_iter().zip(answers.rows_mut()) {
            let variance = latent[n_draws];
            let each: Vec<f64> = latent
                .iter()
                .take(n_draws)
                .map(|&mean| mean_of_sigmoid(mean, variance))
                .collect();
            let mean = each.iter().sum::<f64>() / n_draws as f64;
            let batches = each.chunks_exact(batch);
            let count = batches.len() as f64;
            let spread: f64 = batches
                .map(|batch| (batch.iter().sum::<f64>() / batch.len() as f64 - mean).powi(2))
                .sum();
            answer[0] = mean;
            answer[1] = match count > 1.0 {
                true => (spread / (count - 1.0) / count).sqrt(),
                false => 0.0,
            };
        }
        Ok(answers)
    }

    fn factor(&self, run: &Run) -> Result<&Cholesky> {
        if let Some(factor) = self.factor.get() {
            return Ok(factor);
        }
        let mut matrix = self.process.covariance().matrix(self.rows.view(), run)?;
        if let Some(roots) = &self.roots {
            scale_rows(matrix.view_mut(), roots.view());
            scale_rows(matrix.view_mut().reversed_axes(), roots.view());
            matrix.diag_mut().mapv_inplace(|value| value + 1.0);
        }
        let found = Factored::of(&matrix, run)?;
        Ok(self.factor.get_or_init(|| found.factor))
    }

    pub(super) fn validate(&self, n_columns: usize) -> Result<()> {
        self.process.covariance().validate(n_columns)?;
        let n = self.rows.nrows();
        ensure_consistent(n > 0 && self.rows.ncols() == n_columns)?;
        ensure_consistent(self.alpha.nrows() == n && self.alpha.ncols() > 0)?;
        let roots = self.roots.as_ref();
        ensure_consistent(roots.is_none_or(|roots| roots.len() == n))?;
        let numbers = self.rows.iter().chain(&self.alpha);
        let mut numbers = numbers.chain(roots.into_iter().flatten());
        ensure_consistent(numbers.all(|number| number.is_finite()))
    }
}
