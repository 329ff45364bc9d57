//! Bayesian linear regression: weights with a Gaussian belief instead of single values.

mod model;

pub use model::{BayesianLinearModel, Predictive};

use crate::planes::Planes;
use crate::rows::CountingMeasured;
use crate::spectrum::{Spectrum, learns_from_moments};
use didact_core::{Accepts, Fit, Measured, Result, Run, StopReason, Trace, TraceWriter};
use ndarray::{Array1, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Fits a Gaussian belief about the weights and predicts with its uncertainty.
///
/// With y = w·x + b + N(0, σ²) and the prior w ~ N(0, τ²I), the posterior of w is N(v, Σ) with
/// Σ = (σ⁻²XᵀX + τ⁻²I)⁻¹ and v = σ⁻²ΣXᵀy, which is ridge with α = σ²/τ². A prediction has the mean
/// v·x and the variance xᵀΣx of the hyperplane, to which σ² is added for a new target. Variances
/// that are not given are those that make the targets most probable. The intercept is free.
///
/// ```
/// use didact_core::Fit;
/// use didact_linear::BayesianLinearRegression;
/// let diabetes = didact_datasets::diabetes();
/// let model = BayesianLinearRegression::default().fit(diabetes.measured()?)?;
/// let predictive = model.predictive(diabetes.measured()?.samples.rows())?;
/// assert!(predictive.variance[0] > predictive.variance_of_mean[0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BayesianLinearRegression {
    /// The variance σ² of the noise; where absent, the one of highest evidence.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub noise_variance: Option<f64>,
    /// The variance τ² of each weight before the data; where absent, the one of highest evidence.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_variance: Option<f64>,
    /// Whether to fit an intercept, about which nothing is believed beforehand.
    pub fit_intercept: bool,
    /// At most this many iterations for the variances are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The iterations end when no variance changes by a larger share.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

impl Default for BayesianLinearRegression {
    fn default() -> Self {
        BayesianLinearRegression {
            noise_variance: None,
            prior_variance: None,
            fit_intercept: true,
            max_iter: 1000,
            tol: 1e-10,
        }
    }
}

/// Variances and what follows from them along the principal directions.
struct Belief<'a> {
    spectrum: &'a Spectrum,
    noise: f64,
    prior: f64,
}

impl Belief<'_> {
    /// By how much the data decide along a direction, from 0 (the prior alone) to 1.
    fn share(&self, square: f64) -> f64 {
        let pull = self.prior * square;
        pull / (self.noise + pull)
    }

    /// The posterior means along the directions.
    fn means(&self) -> Array1<f64> {
        let along = self.spectrum.along.column(0);
        let each = along.iter().zip(&self.spectrum.squares);
        each.map(|(along, &square)| self.share(square) * along / square)
            .collect()
    }

    /// ‖y − Xv‖².
    fn residual_squares(&self) -> f64 {
        let along = self.spectrum.along.column(0);
        let each = along.iter().zip(&self.spectrum.squares);
        let explained: f64 = each
            .map(|(along, &square)| {
                let share = self.share(square);
                share * (2.0 - share) * along * along / square
            })
            .sum();
        (self.spectrum.squares_y[0] - explained).max(0.0)
    }

    /// ln N(y; 0, τ²XXᵀ + σ²I).
    fn log_evidence(&self) -> f64 {
        let (along, n) = (self.spectrum.along.column(0), self.spectrum.weight);
        let rank = self.spectrum.squares.len() as f64;
        let (mut logarithms, mut explained) = ((n - rank) * self.noise.ln(), 0.0);
        for (along, &square) in along.iter().zip(&self.spectrum.squares) {
            logarithms += (self.noise + self.prior * square).ln();
            explained += self.share(square) * along * along / square;
        }
        let distance = (self.spectrum.squares_y[0] - explained).max(0.0) / self.noise;
        -0.5 * (n * (2.0 * PI).ln() + logarithms + distance)
    }
}

impl BayesianLinearRegression {
    fn model(&self, spectrum: &Spectrum, run: &Run) -> Result<BayesianLinearModel> {
        let mut belief = self.start(spectrum);
        let mut trace = None;
        if self.noise_variance.is_none() || self.prior_variance.is_none() {
            trace = Some(self.raise_evidence(&mut belief, run)?);
        }
        let means = belief.means();
        let coef = spectrum.directions.t().dot(&means).insert_axis(Axis(0));
        let intercept = &spectrum.mean_y - &coef.dot(&spectrum.mean_x);
        let variances = spectrum
            .squares
            .mapv(|square| belief.prior * (1.0 - belief.share(square)));
        Ok(BayesianLinearModel {
            planes: Planes::new(coef, intercept)?,
            center: spectrum.mean_x.clone(),
            offset_variance: match self.fit_intercept {
                true => belief.noise / spectrum.weight,
                false => 0.0,
            },
            directions: spectrum.directions.clone(),
            variances,
            rest_variance: belief.prior,
            noise_variance: belief.noise,
            log_evidence: Some(belief.log_evidence()),
            trace,
        })
    }

    fn start<'a>(&self, spectrum: &'a Spectrum) -> Belief<'a> {
        // The variance of the targets is an upper bound of both; constant targets have none.
        let spread = (spectrum.squares_y[0] / spectrum.weight).max(1e-100);
        let size = spectrum.squares.first().copied().unwrap_or(1.0) / spectrum.weight;
        Belief {
            spectrum,
            noise: self.noise_variance.unwrap_or(spread),
            prior: self.prior_variance.unwrap_or(spread / size.max(1e-100)),
        }
    }

    /// MacKay's iteration: σ² = ‖y − Xv‖²/(n − γ) and τ² = ‖v‖²/γ, where γ counts the weights
    /// that the data decide.
    fn raise_evidence(&self, belief: &mut Belief<'_>, run: &Run) -> Result<Trace> {
        let mut trace = TraceWriter::new(run, "log-evidence", Some(self.max_iter));
        let (least_noise, least_prior) = (1e-12 * belief.noise, 1e-12 * belief.prior);
        let mut stop = StopReason::IterationLimit;
        while trace.n_iter() < self.max_iter {
            let decided: f64 = belief
                .spectrum
                .squares
                .iter()
                .map(|&square| belief.share(square))
                .sum();
            let means = belief.means();
            let (before_noise, before_prior) = (belief.noise, belief.prior);
            if self.noise_variance.is_none() {
                let left = belief.spectrum.weight - decided;
                let noise = belief.residual_squares() / left.max(f64::MIN_POSITIVE);
                belief.noise = if noise.is_finite() {
                    noise.max(least_noise)
                } else {
                    before_noise
                };
            }
            if self.prior_variance.is_none() && decided > 0.0 {
                belief.prior = (means.dot(&means) / decided).max(least_prior);
            }
            trace.record(belief.log_evidence())?;
            let change =
                (belief.noise / before_noise).ln().abs() + (belief.prior / before_prior).ln().abs();
            if change <= self.tol {
                stop = StopReason::Converged;
                break;
            }
        }
        Ok(trace.finish(stop))
    }
}

impl Fit<Measured<'_>> for BayesianLinearRegression {
    type Model = BayesianLinearModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<BayesianLinearModel> {
        let data = CountingMeasured::new(data);
        self.model(&Spectrum::of(&data, self.fit_intercept, run)?, run)
    }
}

learns_from_moments!(
    BayesianLinearRegression,
    BayesianLinearModel,
    |this, moments, run| this.model(&Spectrum::of_moments(moments, this.fit_intercept)?, run)
);
