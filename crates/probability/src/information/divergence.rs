//! How far one law is from another.

use super::Base;
use crate::laws::{MultivariateNormal, Normal};
use crate::quadrature::integrate;
use crate::{Density, check};
use didact_core::{Error, Result};
use didact_math::numeric::compensated_sum;

/// D(P‖Q) = Σ p·log(p/q): how many units longer messages from P become when they are coded for
/// Q. Infinite where Q excludes what P allows.
///
/// ```
/// use didact_probability::information::{Base, kl_divergence};
/// let (p, q) = ([0.5, 0.1, 0.4], [0.6, 0.2, 0.2]);
/// assert!((kl_divergence(&p, &q, Base::Nats)? - 0.116_783_375_8).abs() < 1e-10);
/// assert!((kl_divergence(&q, &p, Base::Nats)? - 0.109_392_934_1).abs() < 1e-10);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn kl_divergence(p: &[f64], q: &[f64], base: Base) -> Result<f64> {
    check_pair(p, q)?;
    let terms = p.iter().zip(q).map(|(&p, &q)| match p > 0.0 {
        // p·ln(p/q) − p + q is never negative and does not cancel for close laws; the
        // additions vanish in the sum.
        true if q > 0.0 => crate::special::deviance(p, q),
        true => f64::INFINITY,
        false => q,
    });
    let terms: Vec<f64> = terms.collect();
    if terms.contains(&f64::INFINITY) {
        return Ok(f64::INFINITY);
    }
    Ok(base.from_nats(compensated_sum(terms)))
}

/// −Σ p·log q: the expected length of messages from P in a code for Q, H(P) + D(P‖Q).
pub fn cross_entropy(p: &[f64], q: &[f64], base: Base) -> Result<f64> {
    check_pair(p, q)?;
    let terms = p.iter().zip(q).map(|(&p, &q)| match p > 0.0 {
        true => -p * q.ln(),
        false => 0.0,
    });
    let terms: Vec<f64> = terms.collect();
    match terms.contains(&f64::INFINITY) {
        true => Ok(f64::INFINITY),
        false => Ok(base.from_nats(compensated_sum(terms))),
    }
}

/// ½·D(P‖M) + ½·D(Q‖M) with M = (P+Q)/2: symmetric, finite, at most ln 2.
pub fn jensen_shannon(p: &[f64], q: &[f64], base: Base) -> Result<f64> {
    check_pair(p, q)?;
    let middle: Vec<f64> = p.iter().zip(q).map(|(p, q)| 0.5 * (p + q)).collect();
    Ok(0.5 * (kl_divergence(p, &middle, base)? + kl_divergence(q, &middle, base)?))
}

fn check_pair(p: &[f64], q: &[f64]) -> Result<()> {
    check::probabilities("p", p)?;
    check::probabilities("q", q)?;
    match p.len() == q.len() {
        true => Ok(()),
        false => Err(Error::parameter(
            "the length of q",
            q.len(),
            format!("it must be that of p, which is {}", p.len()),
        )),
    }
}

/// The divergence in nats between two trials: ρ·ln(ρ/ρ̂) + (1−ρ)·ln((1−ρ)/(1−ρ̂)).
///
/// ```
/// use didact_probability::information::bernoulli_divergence;
/// assert!((bernoulli_divergence(0.05, 0.2)? - 0.093_943_0).abs() < 1e-7);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn bernoulli_divergence(p: f64, q: f64) -> Result<f64> {
    check::probability("p", p)?;
    check::probability("q", q)?;
    kl_divergence(&[p, 1.0 - p], &[q, 1.0 - q], Base::Nats)
}

/// [`bernoulli_divergence`] with q kept `margin` away from 0 and 1: a penalty that stays finite
/// where an average activity is exactly zero or one.
pub fn clamped_bernoulli_divergence(p: f64, q: f64, margin: f64) -> Result<f64> {
    match margin > 0.0 && margin < 0.5 {
        true => bernoulli_divergence(p, q.clamp(margin, 1.0 - margin)),
        false => Err(Error::parameter(
            "margin",
            margin,
            "it must be greater than 0 and less than 0.5",
        )),
    }
}

/// D(p‖q) in nats between normal laws: ln(σ_q/σ_p) + (σ_p² + (μ_p−μ_q)²)/(2σ_q²) − ½.
pub fn normal_divergence(p: &Normal, q: &Normal) -> f64 {
    let ratio = (p.deviation() / q.deviation()).powi(2);
    let shift = (p.location() - q.location()) / q.deviation();
    0.5 * (variance_term(ratio) + shift * shift)
}

/// r − 1 − ln r without cancellation near one.
fn variance_term(ratio: f64) -> f64 {
    crate::special::deviance(1.0, ratio)
}

/// D(p‖q) in nats between multivariate normal laws:
/// ½[tr(Σ_q⁻¹Σ_p) + (μ_q−μ_p)ᵀΣ_q⁻¹(μ_q−μ_p) − d + ln(|Σ_q|/|Σ_p|)].
pub fn multivariate_normal_divergence(
    p: &MultivariateNormal,
    q: &MultivariateNormal,
) -> Result<f64> {
    check::same_dimension("q", q.dimension(), p.dimension())?;
    let (p_factor, q_factor) = (p.factor(), q.factor());
    // tr(Σ_q⁻¹Σ_p) = ‖L_q⁻¹L_p‖²
    let root = q_factor.half_solve(p_factor.lower());
    let trace: f64 = root.iter().map(|value| value * value).sum();
    let shift = p.location() - q.location();
    let square = shift.dot(&q_factor.solve_vector(shift.view()));
    let determinants = q_factor.log_determinant() - p_factor.log_determinant();
    Ok(0.5 * (trace + square - p.dimension() as f64 + determinants).max(0.0))
}

/// ∫ p·ln(p/q) dx in nats over [low, high], by quadrature; infinite where q excludes what p
/// allows.
pub fn divergence_by_integration(
    p: &impl Density<f64>,
    q: &impl Density<f64>,
    low: f64,
    high: f64,
) -> Result<f64> {
    let excluded = std::cell::Cell::new(false);
    let value = integrate(low, high, |x| {
        let (log_p, log_q) = (p.log_density(x), q.log_density(x));
        match log_p == f64::NEG_INFINITY {
            true => 0.0,
            false if log_q == f64::NEG_INFINITY => {
                excluded.set(true);
                0.0
            }
            false => log_p.exp() * (log_p - log_q),
        }
    });
    // The integrand of excluded places says nothing, and need not converge.
    match excluded.get() {
        true => Ok(f64::INFINITY),
        false => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::information::entropy;
    use crate::laws::{Binomial, Uniform};
    use crate::testing::assert_relative;
    use crate::{Draw, laws::Categorical};
    use didact_core::random::generator;
    use ndarray::{Array1, Array2, array};
    use proptest::prelude::*;

    // 000a:SIM-12, 000a:fx-D2, 000b:P26, 002b:IT-01, 003:P17
    #[test]
    fn the_printed_values_are_found_and_the_order_matters() {
        let (p, q) = ([0.5, 0.1, 0.4], [0.6, 0.2, 0.2]);
        assert_relative(
            kl_divergence(&p, &q, Base::Nats).unwrap(),
            0.1167833758,
            1e-9,
        );
        assert_relative(
            kl_divergence(&q, &p, Base::Nats).unwrap(),
            0.1093929341,
            1e-9,
        );
        assert_eq!(kl_divergence(&p, &p, Base::Bits).unwrap(), 0.0);
    }

    // 000a:SIM-12, 003:P17
    #[test]
    fn what_is_excluded_costs_infinitely_and_what_never_happens_nothing() {
        let (sure, fair) = ([1.0, 0.0], [0.5, 0.5]);
        assert_eq!(
            kl_divergence(&fair, &sure, Base::Nats).unwrap(),
            f64::INFINITY
        );
        assert_relative(kl_divergence(&sure, &fair, Base::Bits).unwrap(), 1.0, 1e-15);
        assert_eq!(
            cross_entropy(&fair, &sure, Base::Nats).unwrap(),
            f64::INFINITY
        );
        assert!(kl_divergence(&[0.5, 0.4], &fair, Base::Nats).is_err());
        assert!(kl_divergence(&[1.0], &fair, Base::Nats).is_err());
    }

    // 004:M44: the coding excess of {⅝,⅛,⅛,⅛} in a code for {½,¼,⅛,⅛}.
    #[test]
    fn divergence_is_the_coding_excess_and_not_the_difference_of_entropies() {
        let (p, q) = ([0.625, 0.125, 0.125, 0.125], [0.5, 0.25, 0.125, 0.125]);
        let excess = kl_divergence(&p, &q, Base::Bits).unwrap();
        assert_relative(excess, 0.0762051, 1e-6);
        assert_relative(kl_divergence(&q, &p, Base::Bits).unwrap(), 0.0890360, 1e-6);
        let (own, other) = (
            entropy(&p, Base::Bits).unwrap(),
            entropy(&q, Base::Bits).unwrap(),
        );
        assert_relative(other - own, 0.2012051, 1e-6);
        assert_relative(
            cross_entropy(&p, &q, Base::Bits).unwrap(),
            own + excess,
            1e-14,
        );
        assert_relative(cross_entropy(&p, &q, Base::Bits).unwrap(), 1.625, 1e-14);
    }

    // 001:GEN-09, 001:T-13
    #[test]
    fn the_divergence_of_trials_has_the_printed_values() {
        let found = [0.2, 0.5, 0.01].map(|q| bernoulli_divergence(0.05, q).unwrap());
        for (found, expected) in found.iter().zip([0.0939430, 0.4946319, 0.0412911]) {
            assert!((found - expected).abs() < 1e-7);
        }
        assert_eq!(bernoulli_divergence(0.3, 0.3).unwrap(), 0.0);
        assert_eq!(bernoulli_divergence(0.3, 0.0).unwrap(), f64::INFINITY);
        assert!(
            clamped_bernoulli_divergence(0.3, 0.0, 1e-6)
                .unwrap()
                .is_finite()
        );
        assert!(clamped_bernoulli_divergence(0.3, 0.5, 0.0).is_err());
        // Convex in q: the middle lies below the mean of the ends.
        let at = |q| bernoulli_divergence(0.05, q).unwrap();
        assert!(at(0.3) < 0.5 * (at(0.1) + at(0.5)));
    }

    // 000a:SIM-13, 004:M44: N(0, 1) against N(1, 4) is 0.4431472.
    #[test]
    fn normal_laws_have_a_closed_form_that_integration_confirms() {
        let p = Normal::with_variance(0.0, 1.0).unwrap();
        let q = Normal::with_variance(1.0, 4.0).unwrap();
        let closed = normal_divergence(&p, &q);
        assert_relative(closed, 0.4431472, 1e-7);
        let numeric = divergence_by_integration(&p, &q, f64::NEG_INFINITY, f64::INFINITY).unwrap();
        assert_relative(numeric, closed, 1e-11);
        let lift = |law: &Normal| {
            let variance = law.deviation().powi(2);
            MultivariateNormal::new(array![law.location()], array![[variance]]).unwrap()
        };
        let vector = multivariate_normal_divergence(&lift(&p), &lift(&q)).unwrap();
        assert_relative(vector, closed, 1e-14);
        let narrow = Uniform::new(0.0, 1.0).unwrap();
        let wide = Uniform::new(0.0, 2.0).unwrap();
        assert_eq!(
            divergence_by_integration(&wide, &narrow, 0.0, 2.0).unwrap(),
            f64::INFINITY
        );
        let ln2 = 2.0_f64.ln();
        assert_relative(
            divergence_by_integration(&narrow, &wide, 0.0, 1.0).unwrap(),
            ln2,
            1e-12,
        );
    }

    // 000a:SIM-13: against the average of ln p − ln q over draws from p.
    #[test]
    fn the_multivariate_form_agrees_with_monte_carlo() {
        let p = MultivariateNormal::new(array![0.0, 1.0], array![[2.0, 0.5], [0.5, 1.0]]).unwrap();
        let q =
            MultivariateNormal::new(array![1.0, 0.0], array![[1.0, -0.3], [-0.3, 2.0]]).unwrap();
        let n = 20_000;
        let draws: Vec<Array1<f64>> = p.draw_many(n, &mut generator(4, 0));
        let gaps: Vec<f64> = draws
            .iter()
            .map(|x| p.log_density(x.view()) - q.log_density(x.view()))
            .collect();
        let mean = gaps.iter().sum::<f64>() / n as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / n as f64;
        let expected = multivariate_normal_divergence(&p, &q).unwrap();
        assert!((mean - expected).abs() < 5.0 * (variance / n as f64).sqrt());
        let line = MultivariateNormal::new(array![0.0], Array2::eye(1)).unwrap();
        assert!(multivariate_normal_divergence(&p, &line).is_err());
    }

    // 004:M45: among binomial laws, the one of least divergence from the observed shares is the
    // one of largest likelihood.
    #[test]
    fn least_divergence_is_greatest_likelihood() {
        let counts: [u64; 7] = [0, 1, 1, 2, 2, 2, 3];
        let shares = Categorical::fit_categories(4, &counts.map(|k| k as usize), None).unwrap();
        let objective = |theta: f64| {
            let law = Binomial::new(3, theta).unwrap();
            let q: Vec<f64> = (0..4).map(|k| law.density(k)).collect();
            let divergence = kl_divergence(shares.probabilities(), &q, Base::Nats).unwrap();
            let likelihood: f64 = counts.iter().map(|&k| law.log_density(k)).sum::<f64>() / 7.0;
            (divergence, likelihood)
        };
        // D(P‖Q) + mean log-likelihood = −H(P), whatever the parameter.
        let constant = -entropy(shares.probabilities(), Base::Nats).unwrap();
        for theta in [0.2, 0.5, 0.7] {
            let (divergence, likelihood) = objective(theta);
            assert_relative(divergence + likelihood, constant, 1e-12);
        }
        let best = Binomial::fit_with_trials(3, &counts, None)
            .unwrap()
            .probability();
        let (least, _) = objective(best);
        assert!(objective(best + 1e-3).0 > least && objective(best - 1e-3).0 > least);
    }

    // Discrete GAN example of 004: JSD of (.5, .3, .2) and (.2, .3, .5).
    #[test]
    fn the_jensen_shannon_divergence_is_symmetric_and_bounded() {
        let (p, q) = ([0.5, 0.3, 0.2], [0.2, 0.3, 0.5]);
        assert!((jensen_shannon(&p, &q, Base::Nats).unwrap() - 0.0664143).abs() < 1e-7);
        assert_eq!(
            jensen_shannon(&p, &q, Base::Nats).unwrap(),
            jensen_shannon(&q, &p, Base::Nats).unwrap()
        );
        let apart = jensen_shannon(&[1.0, 0.0], &[0.0, 1.0], Base::Bits).unwrap();
        assert_relative(apart, 1.0, 1e-15);
    }

    proptest! {
        // 002b:IT-01: never negative, zero for equal laws.
        #[test]
        fn divergence_is_never_negative(weights in prop::collection::vec((0.0..1.0_f64, 0.01..1.0_f64), 2..9)) {
            let (p, q): (Vec<f64>, Vec<f64>) = weights.into_iter().unzip();
            prop_assume!(p.iter().sum::<f64>() > 0.1);
            let scale = |v: Vec<f64>| { let total: f64 = v.iter().sum(); v.into_iter().map(|x| x / total).collect::<Vec<_>>() };
            let (p, q) = (scale(p), scale(q));
            let divergence = kl_divergence(&p, &q, Base::Nats).unwrap();
            prop_assert!(divergence >= 0.0);
            let plain: f64 = p.iter().zip(&q).filter(|(p, _)| **p > 0.0).map(|(p, q)| p * (p / q).ln()).sum();
            prop_assert!((divergence - plain).abs() < 1e-12);
            prop_assert!(kl_divergence(&p, &p, Base::Nats).unwrap().abs() < 1e-15);
        }
    }
}
