//! Sparse inference: the function is known through its values at a few inducing rows.
//!
//! The values elsewhere are explained by those at the rows Z as far as the covariance allows,
//! Q = K_nm·K_mm⁻¹·K_mn, that is, by m features φ(x) = L⁻¹k(Z, x) with K_mm = LLᵀ. What Titsias'
//! bound on the evidence takes off for the rest, tr(K − Q)/2σ², keeps the parameters honest: the
//! bound never exceeds the evidence and reaches it where the rows Z are all rows.

use crate::covariance::Pairs;
use crate::factor::Factored;
use crate::observations::Observations;
use crate::process::Process;
use crate::weight_space::{Balance, Weights};
use didact_core::{Error, Result, Run, parallel};
use didact_math::linalg::{Accumulate, add_a_times_at, at_times_b, matmul, matmul_into};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use std::ops::Range;

/// Rows that are worked on together, whatever the number of threads.
const CHUNK: usize = 1024;

/// Training rows and inducing rows, for any parameters of a stationary covariance.
pub(crate) struct Sparse<'a> {
    pub(crate) observations: &'a Observations,
    pub(crate) inducing: ArrayView2<'a, f64>,
}

/// The process after the data.
pub(crate) struct SparsePosterior {
    /// The factor L of K_mm.
    pub(crate) inner: Factored,
    pub(crate) weights: Weights,
    /// Σ w·(k − q) over the rows: the variance that the inducing rows do not explain.
    unexplained: f64,
    residual: f64,
    /// Titsias' bound.
    pub(crate) log_evidence: f64,
}

/// What a pass over the rows adds up.
struct Sums {
    /// ΦᵀWΦ, the lower triangle.
    gram: Array2<f64>,
    /// ΦᵀWy.
    cross: Array2<f64>,
    unexplained: f64,
}

impl Sparse<'_> {
    /// φ of some rows, a row each.
    fn features(
        &self,
        process: &Process,
        inner: &Factored,
        range: Range<usize>,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let rows = self.observations.rows.slice(s![range, ..]);
        let mut features = process.covariance().cross(rows, self.inducing, run)?;
        inner
            .factor
            .half_solve_in_place(features.view_mut().reversed_axes());
        Ok(features)
    }

    fn counts(&self, range: Range<usize>) -> Array1<f64> {
        range.map(|row| self.observations.weight(row)).collect()
    }

    fn sums(&self, process: &Process, inner: &Factored, run: &Run) -> Result<Sums> {
        let (m, n_targets) = (self.inducing.nrows(), self.observations.targets.ncols());
        let quiet = run.quietly();
        let sums = parallel::reduce(
            self.observations.n_rows(),
            CHUNK,
            run,
            &|range| {
                let features = self.features(process, inner, range.clone(), &quiet)?;
                let counts = self.counts(range.clone());
                let rows = self.observations.rows.slice(s![range.clone(), ..]);
                let prior = process.covariance().diagonal(rows);
                let explained = features.map_axis(Axis(1), |phi| phi.dot(&phi));
                let left = (prior - explained).mapv(|left| left.max(0.0));
                let counted = &features * &counts.view().insert_axis(Axis(1));
                let roots = counts.mapv(f64::sqrt).insert_axis(Axis(1));
                let mut gram = Array2::zeros((m, m));
                add_a_times_at(&mut gram, (features * roots).t(), 1.0);
                let targets = self.observations.targets.slice(s![range, ..]);
                Ok(Sums {
                    gram,
                    cross: at_times_b(counted.view(), targets),
                    unexplained: left.dot(&counts),
                })
            },
            &|left, right| Sums {
                gram: left.gram + &right.gram,
                cross: left.cross + &right.cross,
                unexplained: left.unexplained + right.unexplained,
            },
        )?;
        Ok(sums.unwrap_or_else(|| Sums {
            gram: Array2::zeros((m, m)),
            cross: Array2::zeros((m, n_targets)),
            unexplained: 0.0,
        }))
    }

    pub(crate) fn posterior(&self, process: &Process, run: &Run) -> Result<SparsePosterior> {
        let matrix = process.covariance().matrix(self.inducing, run)?;
        let inner = Factored::of(&matrix, run)?;
        let sums = self.sums(process, &inner, run)?;
        let noise = process.noise();
        let weights = Weights::solve(sums.gram, sums.cross, noise)?;
        let quiet = run.quietly();
        let residual = parallel::reduce(
            self.observations.n_rows(),
            CHUNK,
            run,
            &|range| {
                let features = self.features(process, &inner, range.clone(), &quiet)?;
                let errors = self.errors(&features, &weights, range.clone());
                let counts = self.counts(range).insert_axis(Axis(1));
                Ok((&errors * &errors * &counts).sum() / noise)
            },
            &|left, right| left + right,
        )?;
        let residual = residual.unwrap_or(0.0);
        let n_targets = weights.means.ncols() as f64;
        let log_evidence = weights.log_evidence(self.observations, noise, residual)
            - 0.5 * n_targets * sums.unexplained / noise;
        match log_evidence.is_finite() {
            true => Ok(SparsePosterior {
                inner,
                weights,
                unexplained: sums.unexplained,
                residual,
                log_evidence,
            }),
            false => Err(Error::numerical(
                "the density of the targets overflows; \
                 multiply them by a power of ten so that their values are near one",
            )),
        }
    }

    fn errors(
        &self,
        features: &Array2<f64>,
        weights: &Weights,
        range: Range<usize>,
    ) -> Array2<f64> {
        let targets = self.observations.targets.slice(s![range, ..]);
        &targets - &matmul(features.view(), weights.means.view())
    }

    /// The bound with its derivatives, in O(n·m²).
    pub(crate) fn evaluate(
        &self,
        process: &Process,
        gradient: Option<&mut [f64]>,
        run: &Run,
    ) -> Result<f64> {
        let posterior = self.posterior(process, run)?;
        if let Some(gradient) = gradient {
            self.slopes(process, &posterior, gradient, run)?;
        }
        Ok(posterior.log_evidence)
    }

    fn slopes(
        &self,
        process: &Process,
        posterior: &SparsePosterior,
        gradient: &mut [f64],
        run: &Run,
    ) -> Result<()> {
        let (noise, weights) = (process.noise(), &posterior.weights);
        let n_targets = weights.means.ncols() as f64;
        let variances = weights.covariance();
        let balance = Balance {
            residual: posterior.residual,
            trace: variances.diag().sum(),
        };
        let own = self.slope_of_inner(process, posterior, &variances, run)?;
        let cross = self.slope_of_cross(process, posterior, &variances, run)?;
        for ((slope, own), cross) in gradient.iter_mut().zip(&own).zip(&cross) {
            *slope = own + cross;
        }
        // The variance of every value is the amplitude, and lowers the bound by w/2σ².
        let loss = 0.5 * n_targets / noise;
        gradient[0] -= loss * self.observations.total_weight() * process.covariance().amplitude();
        gradient[own.len()] =
            weights.noise_slope(self.observations, noise, balance) + loss * posterior.unexplained;
        Ok(())
    }

    /// Through K_mm: −½·L⁻ᵀ(wwᵀ + B − 2I + B⁻¹)L⁻¹ is the derivative of the bound.
    fn slope_of_inner(
        &self,
        process: &Process,
        posterior: &SparsePosterior,
        variances: &Array2<f64>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let weights = &posterior.weights;
        let n_targets = weights.means.ncols() as f64;
        let lower = weights.precision.lower();
        let mut middle = matmul(lower, lower.t());
        middle += variances;
        middle.diag_mut().mapv_inplace(|value| value - 2.0);
        middle *= n_targets;
        middle += &matmul(weights.means.view(), weights.means.t());
        let half = transposed_half_solve(&posterior.inner, middle.view());
        let mut slopes = transposed_half_solve(&posterior.inner, half.t());
        slopes *= -0.5;
        // Rounding leaves the triangles a little apart.
        let mirrored = slopes.t().to_owned();
        slopes = (slopes + &mirrored) / 2.0;
        let covariance = process.covariance();
        Pairs::own(covariance, self.inducing, run)?.contract(covariance, slopes.view(), run)
    }

    /// Through K_nm: D⁻¹((y − Φw)·wᵀ + Φ(I − B⁻¹))·L⁻¹ is the derivative of the bound.
    fn slope_of_cross(
        &self,
        process: &Process,
        posterior: &SparsePosterior,
        variances: &Array2<f64>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let weights = &posterior.weights;
        let n_targets = weights.means.ncols() as f64;
        let mut decided = -variances;
        decided.diag_mut().mapv_inplace(|value| value + 1.0);
        decided *= n_targets;
        // M·L⁻¹ is the transpose of L⁻ᵀ·Mᵀ.
        let carried = transposed_half_solve(&posterior.inner, decided.t());
        let pulled = transposed_half_solve(&posterior.inner, weights.means.view());
        let covariance = process.covariance();
        let quiet = run.quietly();
        let sums = parallel::reduce(
            self.observations.n_rows(),
            CHUNK,
            run,
            &|range| {
                let features = self.features(process, &posterior.inner, range.clone(), &quiet)?;
                let errors = self.errors(&features, weights, range.clone());
                let mut slopes = matmul(features.view(), carried.t());
                matmul_into(
                    slopes.view_mut(),
                    errors.view(),
                    pulled.t(),
                    1.0,
                    Accumulate::Add,
                );
                let counts = self.counts(range.clone()) / process.noise();
                slopes *= &counts.insert_axis(Axis(1));
                let rows = self.observations.rows.slice(s![range, ..]);
                let pairs = Pairs::cross(covariance, rows, self.inducing, &quiet)?;
                pairs.contract(covariance, slopes.view(), &quiet)
            },
            &|mut left, right| {
                left.iter_mut()
                    .zip(right)
                    .for_each(|(left, right)| *left += right);
                left
            },
        )?;
        Ok(sums.unwrap_or_default())
    }
}

/// L⁻ᵀ·B.
pub(crate) fn transposed_half_solve(inner: &Factored, b: ArrayView2<'_, f64>) -> Array2<f64> {
    // L⁻ᵀB = (LLᵀ)⁻¹·L·B.
    inner.factor.solve(matmul(inner.factor.lower(), b).view())
}
