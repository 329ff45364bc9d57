//! What softmax regression says about its own weights: errors and tests against the first class.

use super::LogisticRegression;
use super::evaluation::Examples;
use super::frame::Frame;
use super::inference::{inverse_hessian, null_log_likelihood, two_sided};
use didact_core::{Result, Run};
use didact_probability::Cumulative;
use didact_probability::laws::ChiSquared;
use ndarray::{Array1, Array2, s};
use serde::{Deserialize, Serialize};

/// Standard errors, Wald's tests and the likelihood-ratio test of all weights, for more than two
/// classes and no penalty.
///
/// Adding the same to all scores changes no probability, so only differences of weights mean
/// something: everything here is about wₖ − w₀, the log-odds of each class against the first one,
/// a row for each class but the first. The errors are the roots of the diagonal of the inverse
/// second derivatives; both tests hold for many rows, and a row of weight two counts like two rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SoftmaxInference {
    coef: Array2<f64>,
    standard_errors: Array2<f64>,
    intercept: Option<Array1<f64>>,
    intercept_standard_errors: Option<Array1<f64>>,
    log_likelihood: f64,
    null_log_likelihood: f64,
}

impl SoftmaxInference {
    /// The weights wₖ − w₀.
    pub fn coef(&self) -> &Array2<f64> {
        &self.coef
    }

    /// The standard error of each of them.
    pub fn standard_errors(&self) -> &Array2<f64> {
        &self.standard_errors
    }

    /// The weights in units of their standard errors.
    pub fn z_values(&self) -> Array2<f64> {
        &self.coef / &self.standard_errors
    }

    /// How probable a weight so far from zero is where it is zero in truth, after Wald.
    pub fn p_values(&self) -> Array2<f64> {
        self.z_values().mapv(two_sided)
    }

    /// The intercepts bₖ − b₀, where there are any.
    pub fn intercept(&self) -> Option<&Array1<f64>> {
        self.intercept.as_ref()
    }

    /// The standard errors of the intercepts.
    pub fn intercept_standard_errors(&self) -> Option<&Array1<f64>> {
        self.intercept_standard_errors.as_ref()
    }

    /// How probable intercepts so far from zero are where they are zero in truth.
    pub fn intercept_p_values(&self) -> Option<Array1<f64>> {
        let errors = self.intercept_standard_errors.as_ref()?;
        let intercept = self.intercept.as_ref()?;
        Some((intercept / errors).mapv(two_sided))
    }

    /// Σ ln P(y | x) at the weights.
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    /// Σ ln P(y) with all weights zero and the best intercepts.
    pub fn null_log_likelihood(&self) -> f64 {
        self.null_log_likelihood
    }

    /// Twice the gain of the log-likelihood, and how probable a gain so large is where all weights
    /// are zero in truth: χ² with as many degrees of freedom as there are differences of weights.
    pub fn likelihood_ratio(&self) -> (f64, f64) {
        let gain = (2.0 * (self.log_likelihood - self.null_log_likelihood)).max(0.0);
        let law = ChiSquared::new(self.coef.len() as f64);
        (gain, law.map_or(f64::NAN, |law| law.survival(gain)))
    }

    pub(super) fn is_sound(&self, outputs: usize, columns: usize) -> bool {
        let rows = outputs.saturating_sub(1);
        let fits = |values: &Option<Array1<f64>>| {
            let values = values.as_ref();
            values.is_none_or(|values| values.len() == rows)
        };
        self.coef.dim() == (rows, columns)
            && self.standard_errors.dim() == (rows, columns)
            && fits(&self.intercept)
            && fits(&self.intercept_standard_errors)
    }
}

impl LogisticRegression {
    /// The figures at a point of the search; nothing where they are not defined or too costly.
    pub(super) fn contrasts(
        &self,
        frame: &Frame,
        examples: &Examples<'_>,
        point: &[f64],
        run: &Run,
    ) -> Result<Option<SoftmaxInference>> {
        let outputs = frame.n_outputs();
        if outputs == 1 {
            return Ok(None);
        }
        let Some((covariance, loss)) = inverse_hessian(frame, examples, point, run)? else {
            return Ok(None);
        };
        let width = frame.size() / outputs;
        let block = |a: usize, b: usize| {
            let (rows, columns) = (a * width..(a + 1) * width, b * width..(b + 1) * width);
            covariance.slice(s![rows, columns])
        };
        let (weights, intercepts) = frame.original(point);
        let mut coef = Array2::zeros((outputs - 1, weights.ncols()));
        let mut errors = coef.clone();
        let (mut intercept, mut of_intercept) = (Vec::new(), Vec::new());
        for class in 1..outputs {
            // The variance of a difference; what all scores have in common cancels.
            let difference =
                &block(class, class) + &block(0, 0) - block(class, 0) - block(0, class);
            let (deviations, deviation) = frame.deviations(&difference);
            errors.row_mut(class - 1).assign(&deviations);
            let own = &weights.row(class) - &weights.row(0);
            coef.row_mut(class - 1).assign(&own);
            if let Some(deviation) = deviation {
                intercept.push(intercepts[class] - intercepts[0]);
                of_intercept.push(deviation);
            }
        }
        if errors
            .iter()
            .chain(&of_intercept)
            .any(|error| error.is_nan() || *error <= 0.0)
        {
            return Ok(None);
        }
        let given = |values: Vec<f64>| self.fit_intercept.then(|| Array1::from(values));
        Ok(Some(SoftmaxInference {
            coef,
            standard_errors: errors,
            intercept: given(intercept),
            intercept_standard_errors: given(of_intercept),
            log_likelihood: -loss,
            null_log_likelihood: null_log_likelihood(&examples.totals(outputs), self.fit_intercept),
        }))
    }
}
