//! Models weighed by how probable they make the data.
//!
//! The closed forms of conjugate priors are `log_evidence` in `didact_probability::conjugate`;
//! none of them includes a multinomial coefficient, so they can be compared.

use didact_core::{Error, Result};
use didact_math::linalg::Cholesky;
use didact_math::numeric::log_sum_exp;
use ndarray::{Array2, ArrayView1, ArrayView2};

/// ln BF₁₀ = ln p(D|M₁) − ln p(D|M₀): positive where the data speak for the first model.
pub fn log_bayes_factor(log_evidence_1: f64, log_evidence_0: f64) -> f64 {
    log_evidence_1 - log_evidence_0
}

/// p(m|D) ∝ p(D|m)·p(m), from log-evidences; all models are equally probable beforehand where no
/// prior is given.
///
/// ```
/// let posterior = didact_evaluate::model_posterior(&[-1000.0, -1000.0 + 3.0_f64.ln()], None)?;
/// assert!((posterior[1] - 0.75).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn model_posterior(log_evidences: &[f64], prior: Option<&[f64]>) -> Result<Vec<f64>> {
    if log_evidences.is_empty() || log_evidences.iter().any(|value| value.is_nan()) {
        return Err(Error::data(
            "give the log-evidence of at least one model; none may be NaN",
        ));
    }
    let mut joint = log_evidences.to_vec();
    if let Some(prior) = prior {
        let fine = prior.len() == joint.len() && prior.iter().all(|p| *p >= 0.0 && p.is_finite());
        if !fine {
            return Err(Error::data(format!(
                "the prior is {prior:?}; give a probability for each of the {} models",
                joint.len()
            )));
        }
        joint
            .iter_mut()
            .zip(prior)
            .for_each(|(value, p)| *value += p.ln());
    }
    let total = log_sum_exp(&joint);
    match total.is_finite() {
        true => Ok(joint.iter().map(|value| (value - total).exp()).collect()),
        false => Err(Error::numerical(
            "no model makes the data possible, or one makes them infinitely probable",
        )),
    }
}

/// ln p(y|X) = ln N(y; 0, X·Σ_w·Xᵀ + σ²I) of Bayesian linear regression with prior N(0, Σ_w).
///
/// Rows of X are samples. Through the d×d system: the determinant and inverse of the n×n matrix
/// follow from S = Σ_w⁻¹ + XᵀX/σ².
pub fn regression_log_evidence(
    x: ArrayView2<'_, f64>,
    y: ArrayView1<'_, f64>,
    prior_covariance: ArrayView2<'_, f64>,
    noise_variance: f64,
) -> Result<f64> {
    let (n, d) = x.dim();
    if y.len() != n || prior_covariance.dim() != (d, d) {
        return Err(Error::data(format!(
            "there are {n} rows of {d} columns, {} targets and a prior covariance of {:?}; they must belong together",
            y.len(),
            prior_covariance.dim()
        )));
    }
    if !(noise_variance > 0.0 && noise_variance.is_finite()) {
        return Err(Error::parameter(
            "noise_variance",
            noise_variance,
            "it must be above 0",
        ));
    }
    let prior = Cholesky::new(prior_covariance)?;
    let precision = prior.solve(Array2::eye(d).view());
    let system = Cholesky::new((&precision + &(x.t().dot(&x) / noise_variance)).view())?;
    let moment = x.t().dot(&y) / noise_variance;
    let explained = moment.dot(&system.solve_vector(moment.view()));
    let quadratic = y.dot(&y) / noise_variance - explained;
    let log_determinant =
        n as f64 * noise_variance.ln() + prior.log_determinant() + system.log_determinant();
    Ok(-0.5 * (n as f64 * std::f64::consts::TAU.ln() + log_determinant + quadratic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_probability::Density;
    use didact_probability::conjugate::Conjugate;
    use didact_probability::laws::Beta;
    use ndarray::{Array1, array};

    // 002a:PR04: the same number from the n×n covariance itself.
    #[test]
    fn the_small_system_gives_the_evidence_of_the_large_one() {
        let x = array![[1.0, 0.5], [1.0, -1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 0.0]];
        let y = array![1.0, -0.5, 2.0, 3.5, 0.2];
        let prior = array![[2.0, 0.3], [0.3, 1.0]];
        let found = regression_log_evidence(x.view(), y.view(), prior.view(), 0.4).unwrap();
        let covariance = x.dot(&prior).dot(&x.t()) + Array2::<f64>::eye(5) * 0.4;
        let factor = Cholesky::new(covariance.view()).unwrap();
        let direct = -0.5
            * (5.0 * std::f64::consts::TAU.ln()
                + factor.log_determinant()
                + y.dot(&factor.solve_vector(y.view())));
        assert!((found - direct).abs() < 1e-12 * direct.abs());
        let error = regression_log_evidence(x.view(), Array1::zeros(2).view(), prior.view(), 0.4);
        assert!(error.is_err());
    }

    // 003:P48: the evidence is the product of one-step predictives.
    #[test]
    fn the_evidence_is_the_product_of_the_predictives() {
        let prior = Beta::new(2.0, 3.0).unwrap();
        let draws = [true, false, true, true, false];
        let mut belief = prior;
        let mut product = 0.0;
        for draw in draws {
            product += belief.predictive().unwrap().log_density(draw);
            belief = belief.update([draw]).unwrap();
        }
        let evidence = prior.log_evidence(&prior.summarise(draws)).unwrap();
        assert!((evidence - product).abs() < 1e-12);
    }

    // 003:P47, 003:P50: posteriors sum to one, factors are reciprocal, a useless freedom costs: a
    // fair coin against one of unknown bias, for five heads in ten.
    #[test]
    fn a_useless_parameter_is_penalised() {
        let flat = Beta::new(1.0, 1.0).unwrap();
        let draws = (0..10).map(|i| i % 2 == 0);
        let free = flat.log_evidence(&flat.summarise(draws)).unwrap();
        let fair = 10.0 * 0.5_f64.ln();
        let posterior = model_posterior(&[fair, free], None).unwrap();
        assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(posterior[0] > posterior[1]);
        assert_eq!(
            log_bayes_factor(fair, free) + log_bayes_factor(free, fair),
            0.0
        );
        // 1/(11·C(10, 5)) against 2⁻¹⁰.
        let factor = log_bayes_factor(fair, free).exp();
        assert!((factor - 11.0 * 252.0 / 1024.0).abs() < 1e-10);
        let skewed = model_posterior(&[fair, free], Some(&[0.0, 1.0])).unwrap();
        assert_eq!(skewed, [0.0, 1.0]);
        assert!(model_posterior(&[f64::NEG_INFINITY], None).is_err());
        assert!(model_posterior(&[0.0], Some(&[0.5, 0.5])).is_err());
    }
}
