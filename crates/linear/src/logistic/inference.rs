//! What logistic regression says about its own weights: errors and tests.

use super::LogisticRegression;
use super::evaluation::Examples;
use super::frame::Frame;
use didact_core::{Result, Run};
use didact_math::linalg::Cholesky;
use didact_probability::Cumulative;
use didact_probability::laws::ChiSquared;
use didact_probability::special::erfc;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::f64::consts::SQRT_2;

/// The second derivatives are inverted for up to this many weights.
const MOST_WEIGHTS: usize = 300;

/// Standard errors, Wald's tests of single weights and the likelihood-ratio test of all of them,
/// for two classes and no penalty.
///
/// The errors are the roots of the diagonal of (XᵀSX)⁻¹ with S = p(1 − p); a weight divided by its
/// error is normal where the weight is zero in truth, and twice the gain of the log-likelihood over
/// that of the intercept alone is χ² with as many degrees of freedom as there are weights. Both
/// hold for many rows; a row of weight two counts like two rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogisticInference {
    pub(super) standard_errors: Array1<f64>,
    pub(super) intercept_standard_error: Option<f64>,
    pub(super) z_values: Array1<f64>,
    pub(super) intercept_z_value: Option<f64>,
    pub(super) log_likelihood: f64,
    pub(super) null_log_likelihood: f64,
}

impl LogisticInference {
    /// The standard error of each weight.
    pub fn standard_errors(&self) -> &Array1<f64> {
        &self.standard_errors
    }

    /// The standard error of the intercept, where there is one.
    pub fn intercept_standard_error(&self) -> Option<f64> {
        self.intercept_standard_error
    }

    /// The weights in units of their standard errors.
    pub fn z_values(&self) -> &Array1<f64> {
        &self.z_values
    }

    /// How probable a weight so far from zero is where it is zero in truth, after Wald.
    pub fn p_values(&self) -> Array1<f64> {
        self.z_values.mapv(two_sided)
    }

    /// The same for the intercept, where there is one.
    pub fn intercept_p_value(&self) -> Option<f64> {
        self.intercept_z_value.map(two_sided)
    }

    /// Σ ln P(y | x) at the weights.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Σ ln P(y) with all weights zero and the best intercept.
    pub fn null_log_likelihood(&self) -> f64 {
        self.null_log_likelihood
    }

    /// Twice the gain of the log-likelihood, and how probable a gain so large is where all weights
    /// are zero in truth.
    pub fn likelihood_ratio(&self) -> (f64, f64) {
        let gain = (2.0 * (self.log_likelihood - self.null_log_likelihood)).max(0.0);
        let law = ChiSquared::new(self.z_values.len() as f64);
        (gain, law.map_or(f64::NAN, |law| law.survival(gain)))
    }

    /// McFadden's share 1 − ln L / ln L₀.
    pub fn pseudo_r2(&self) -> f64 {
        1.0 - self.log_likelihood / self.null_log_likelihood
    }

    pub(super) fn is_sound(&self, columns: usize) -> bool {
        self.standard_errors.len() == columns && self.z_values.len() == columns
    }
}

pub(super) fn two_sided(z: f64) -> f64 {
    erfc(z.abs() / SQRT_2)
}

impl LogisticRegression {
    /// The figures at a point of the search; nothing where they are not defined or too costly.
    pub(super) fn inference(
        &self,
        frame: &Frame,
        examples: &Examples<'_>,
        point: &[f64],
        run: &Run,
    ) -> Result<Option<LogisticInference>> {
        if frame.n_outputs() != 1 {
            return Ok(None);
        }
        let Some((inverse, loss)) = inverse_hessian(frame, examples, point, run)? else {
            return Ok(None);
        };
        let (coef, intercept) = frame.original(point);
        let (deviations, of_intercept) = frame.deviations(&inverse);
        let z_values = &coef.row(0) / &deviations;
        if z_values.iter().any(|z| !z.is_finite()) {
            return Ok(None);
        }
        Ok(Some(LogisticInference {
            z_values,
            intercept_z_value: of_intercept.map(|deviation| intercept[0] / deviation),
            standard_errors: deviations,
            intercept_standard_error: of_intercept,
            log_likelihood: -loss,
            null_log_likelihood: null_log_likelihood(&examples.totals(2), self.fit_intercept),
        }))
    }
}

/// The inverse of the second derivatives at a point of the search, and −Σ ln P(y | x) there;
/// nothing with a penalty, or where columns follow from others, or where it is too costly.
pub(super) fn inverse_hessian(
    frame: &Frame,
    examples: &Examples<'_>,
    point: &[f64],
    run: &Run,
) -> Result<Option<(Array2<f64>, f64)>> {
    let size = frame.size();
    if !frame.is_unpenalised() || size > MOST_WEIGHTS {
        return Ok(None);
    }
    let weights = frame.weights(point);
    let evaluation = examples.evaluate(frame, &weights, run)?;
    let hessian = frame.hessian(&examples.curvature(frame, &weights, run)?);
    let Ok(factor) = Cholesky::new(hessian.view()) else {
        return Ok(None);
    };
    // A pivot this small is a column that follows from others: its weight has no error.
    let pivots = factor.lower().diag().to_owned();
    let mut pairs = pivots.iter().zip(hessian.diag());
    if pairs.any(|(pivot, own)| pivot * pivot < 1e-12 * own) {
        return Ok(None);
    }
    let inverse = factor.solve(Array2::eye(size).view());
    Ok(Some((inverse, evaluation.loss)))
}

/// Σ ln P(y) for classes of these weights, with the best intercept or none.
pub(super) fn null_log_likelihood(totals: &[f64], fit_intercept: bool) -> f64 {
    let weight: f64 = totals.iter().sum();
    match fit_intercept {
        true => totals.iter().map(|own| own * (own / weight).ln()).sum(),
        false => -weight * (totals.len() as f64).ln(),
    }
}
