//! Estimates of a parameter by number: maximum likelihood and maximum a posteriori.
//!
//! Closed forms are in the laws ([`crate::FitLikelihood`]) and priors
//! ([`crate::conjugate::PointEstimates`]). Here the logarithms are given as functions.

use crate::Density;
use crate::roots::maximise;
use didact_core::{Error, Result};
use didact_math::numeric::{argmax, compensated_sum};

/// ln ∏p(xᵢ) = Σ ln p(xᵢ) of independent values; minus infinity where one is impossible.
///
/// ```
/// use didact_probability::{estimate::log_likelihood, laws::Poisson};
/// let law = Poisson::new(2.0)?;
/// let found = log_likelihood(&law, &[0, 1]);
/// assert!((found - (-4.0 + 2.0_f64.ln())).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn log_likelihood<X: Copy>(law: &impl Density<X>, values: &[X]) -> f64 {
    compensated_sum(values.iter().map(|&value| law.log_density(value)))
}

/// −(1/n)·Σ ln p(xᵢ): the loss that is least where the likelihood is greatest.
///
/// ```
/// use didact_probability::{FitLikelihood, estimate::negative_log_likelihood, laws::Normal};
/// let data = [1.0, 2.0, 4.0];
/// let best = negative_log_likelihood(&Normal::fit(&data[..])?, &data)?;
/// assert!(best < negative_log_likelihood(&Normal::with_variance(2.0, 1.0)?, &data)?);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn negative_log_likelihood<X: Copy>(law: &impl Density<X>, values: &[X]) -> Result<f64> {
    match values.is_empty() {
        true => Err(Error::data("there are no values to score")),
        false => Ok(-log_likelihood(law, values) / values.len() as f64),
    }
}

/// argmax p(x|y) over finitely many hypotheses, the lowest where several are equal.
pub fn most_likely(log_likelihoods: &[f64]) -> Result<usize> {
    argmax(log_likelihoods.iter().copied())
        .ok_or_else(|| Error::data("no likelihood is a number; there is nothing to choose from"))
}

/// argmax p(y)·p(x|y) over finitely many hypotheses, the lowest where several are equal.
///
/// The evidence p(x) is left out, which is fair only among the hypotheses of one model. With a
/// constant prior this is [`most_likely`].
pub fn most_believed(log_priors: &[f64], log_likelihoods: &[f64]) -> Result<usize> {
    if log_priors.len() != log_likelihoods.len() {
        return Err(Error::data(format!(
            "there are {} priors and {} likelihoods; each hypothesis needs one of both",
            log_priors.len(),
            log_likelihoods.len()
        )));
    }
    let sums: Vec<f64> = log_priors
        .iter()
        .zip(log_likelihoods)
        .map(|(a, b)| a + b)
        .collect();
    most_likely(&sums)
}

/// The parameter between `low` and `high` that makes the data most likely.
///
/// The highest of 256 grid cells is refined by golden sections; the answer is exact to about
/// 10⁻⁸ of the range.
///
/// ```
/// use didact_probability::estimate::maximum_likelihood;
/// let theta = maximum_likelihood(0.0, 1.0, |t| 7.0 * t.ln() + 3.0 * (1.0 - t).ln())?;
/// assert!((theta - 0.7).abs() < 1e-7);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn maximum_likelihood(low: f64, high: f64, log_likelihood: impl Fn(f64) -> f64) -> Result<f64> {
    maximise(low, high, log_likelihood)
}

/// The parameter between `low` and `high` of highest posterior density.
pub fn maximum_a_posteriori(
    low: f64,
    high: f64,
    log_prior: impl Fn(f64) -> f64,
    log_likelihood: impl Fn(f64) -> f64,
) -> Result<f64> {
    maximise(low, high, |parameter| {
        log_prior(parameter) + log_likelihood(parameter)
    })
}

/// The most believed value after a change of parameter φ = g(θ), expressed as θ again.
///
/// The density of φ is that of θ times |dθ/dφ|, so its peak lies elsewhere: the most believed
/// value depends on how the parameter is written down. The most likely value does not, nor does
/// the posterior predictive.
///
/// `parameter` is θ(φ) and `log_slope` is ln |dθ/dφ|.
///
/// ```
/// use didact_math::numeric::{log_sigmoid, sigmoid};
/// use didact_probability::estimate::reparametrised_maximum;
/// use didact_probability::{Density, laws::Beta};
/// let posterior = Beta::new(9.0, 6.0)?; // peak at 8/13 in θ
/// let in_logit = reparametrised_maximum(
///     (-10.0, 10.0),
///     |theta| posterior.log_density(theta),
///     sigmoid,
///     |phi| log_sigmoid(phi) + log_sigmoid(-phi),
/// )?;
/// assert!((in_logit - 0.6).abs() < 1e-7); // 9/15
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn reparametrised_maximum(
    range: (f64, f64),
    log_posterior: impl Fn(f64) -> f64,
    parameter: impl Fn(f64) -> f64,
    log_slope: impl Fn(f64) -> f64,
) -> Result<f64> {
    let peak = maximise(range.0, range.1, |phi| {
        log_posterior(parameter(phi)) + log_slope(phi)
    })?;
    Ok(parameter(peak))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::{Bernoulli, Beta, Gamma, Normal};
    use crate::quadrature::integrate;
    use crate::testing::assert_relative;
    use crate::{Draw, FitLikelihood};
    use didact_core::random::generator;
    use didact_math::numeric::{log_sigmoid, sigmoid};

    // 001:GEN-06, 002b:ST-09, 001:CLS-18: printed (1/n)·Σ 1/ln p; −(1/n)·Σ ln p is right, and
    // only that one has its minimum where the likelihood has its maximum.
    #[test]
    fn the_loss_is_minus_the_mean_log_likelihood() {
        let data = [true, true, true, false];
        let loss = |p: f64| negative_log_likelihood(&Bernoulli::new(p).unwrap(), &data).unwrap();
        // −(3·ln 0.75 + ln 0.25)/4
        let expected = -(3.0 * 0.75_f64.ln() + 0.25_f64.ln()) / 4.0;
        assert_relative(loss(0.75), expected, 1e-14);
        assert!(loss(0.75) < loss(0.7) && loss(0.75) < loss(0.8));
        let printed = |p: f64| (3.0 / p.ln() + 1.0 / (1.0 - p).ln()) / 4.0;
        assert!(printed(0.99) < printed(0.75));
        let likelihood = log_likelihood(&Bernoulli::new(0.75).unwrap(), &data);
        assert_relative(likelihood, -4.0 * expected, 1e-14);
        assert!(negative_log_likelihood(&Bernoulli::new(0.5).unwrap(), &[]).is_err());
    }

    // 003:P19, 003:P20, 004:M16
    #[test]
    fn a_flat_prior_makes_the_most_believed_the_most_likely() {
        let likelihoods = [0.2_f64.ln(), 0.5_f64.ln(), 0.3_f64.ln()];
        assert_eq!(most_likely(&likelihoods).unwrap(), 1);
        assert_eq!(most_believed(&[-1.0; 3], &likelihoods).unwrap(), 1);
        let priors = [0.1_f64.ln(), 0.1_f64.ln(), 0.8_f64.ln()];
        assert_eq!(most_believed(&priors, &likelihoods).unwrap(), 2);
        assert!(most_believed(&[0.0], &likelihoods).is_err());
        assert!(most_likely(&[f64::NAN]).is_err() && most_likely(&[]).is_err());
        let log = |t: f64| 7.0 * t.ln() + 3.0 * (-t).ln_1p();
        let likely = maximum_likelihood(0.0, 1.0, log).unwrap();
        let believed = maximum_a_posteriori(0.0, 1.0, |_| 0.0, log).unwrap();
        assert!((likely - 0.7).abs() < 1e-7 && (believed - likely).abs() < 1e-7);
        let prior = Beta::new(2.0, 3.0).unwrap();
        let believed = maximum_a_posteriori(0.0, 1.0, |t| prior.log_density(t), log).unwrap();
        assert!((believed - 8.0 / 13.0).abs() < 1e-7);
    }

    // 003:P46: section 3 of 003 says 0.6 through the logit and 8/13 directly.
    #[test]
    fn the_most_believed_value_moves_with_the_parametrisation_and_the_most_likely_does_not() {
        let slope = |phi: f64| log_sigmoid(phi) + log_sigmoid(-phi);
        let posterior = Beta::new(9.0, 6.0).unwrap();
        let log = |t: f64| posterior.log_density(t);
        let direct = maximum_likelihood(0.0, 1.0, log).unwrap();
        let logit = reparametrised_maximum((-10.0, 10.0), log, sigmoid, slope).unwrap();
        assert!((direct - 8.0 / 13.0).abs() < 1e-7 && (logit - 0.6).abs() < 1e-7);
        // The likelihood is no density: it carries no slope, and its peak stays.
        let likelihood = |t: f64| 7.0 * t.ln() + 3.0 * (-t).ln_1p();
        let moved = reparametrised_maximum((-10.0, 10.0), likelihood, sigmoid, |_| 0.0).unwrap();
        assert!((moved - 0.7).abs() < 1e-7);
    }

    // 002b:ES-01: the closed form and the search agree; the value sought is the parameter.
    #[test]
    fn the_closed_form_is_the_top_of_the_likelihood() {
        let data = [1.0, 2.0, 4.0, 3.5];
        let fitted = Normal::fit(&data[..]).unwrap();
        let found = maximum_likelihood(-10.0, 10.0, |mean| {
            log_likelihood(
                &Normal::with_deviation(mean, fitted.deviation()).unwrap(),
                &data,
            )
        });
        assert!((found.unwrap() - fitted.location()).abs() < 1e-6);
    }

    // 001:OV-07: an estimated density integrates to one and can be drawn from.
    #[test]
    fn an_estimated_law_is_a_density_that_can_be_drawn_from() {
        let data = Gamma::new(3.0, 2.0)
            .unwrap()
            .draw_many(200, &mut generator(1, 0));
        let law = Gamma::fit(data.as_slice()).unwrap();
        let area = integrate(0.0, f64::INFINITY, |x| law.density(x)).unwrap();
        assert_relative(area, 1.0, 1e-9);
        assert!(
            law.draw_many(10, &mut generator(2, 0))
                .iter()
                .all(|x| *x > 0.0)
        );
    }
}
