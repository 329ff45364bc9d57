//! The gamma function, its logarithm and derivatives, and what is counted with it.

use super::saddle::stirling_error;
use std::f64::consts::PI;

/// Half the logarithm of 2π.
pub(crate) const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_8;
/// Euler's constant γ = −ψ(1).
const EULER: f64 = 0.577_215_664_901_532_9;

/// From here on, three Stirling series are better than three gamma functions.
const STIRLING_FROM: f64 = 10.0;

/// ζ(n) − 1 for n = 2, 3, …: the Taylor coefficients of ln Γ(1 + x) + ln(1 + x).
const ZETA_MINUS_ONE: [f64; 24] = [
    0.6449340668482264,
    0.2020569031595943,
    0.08232323371113819,
    0.03692775514336993,
    0.01734306198444914,
    0.008349277381922827,
    0.004077356197944339,
    0.0020083928260822143,
    0.0009945751278180853,
    0.0004941886041194646,
    0.0002460865533080483,
    0.00012271334757848915,
    6.124813505870483e-05,
    3.058823630702049e-05,
    1.528225940865187e-05,
    7.637197637899763e-06,
    3.81729326499984e-06,
    1.908212716553939e-06,
    9.53962033872796e-07,
    4.769329867878066e-07,
    2.38450502727733e-07,
    1.1921992596531106e-07,
    5.960818905125948e-08,
    2.980350351465228e-08,
];

/// Γ(x), the factorial made continuous: Γ(n + 1) = n! for whole n only.
///
/// ```
/// use didact_probability::special::gamma;
/// assert_eq!(gamma(5.0), 24.0);
/// assert!((gamma(0.5) - std::f64::consts::PI.sqrt()).abs() < 1e-15);
/// ```
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// ln |Γ(x)|.
///
/// ```
/// use didact_probability::special::log_gamma;
/// assert!((log_gamma(101.0) - 363.739_375_555_563_5).abs() < 1e-12); // ln 100!
/// ```
pub fn log_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// ln Γ(1 + x), also for x so small that 1 + x is rounded to one.
pub fn log_gamma_one_plus(x: f64) -> f64 {
    if x.abs() > 0.4 {
        return log_gamma(1.0 + x);
    }
    // −ln(1+x) + (1−γ)x + Σ (−1)ⁿ (ζ(n)−1) xⁿ/n, by Horner's rule in −x.
    let tail = ZETA_MINUS_ONE
        .iter()
        .enumerate()
        .rev()
        .fold(0.0, |sum, (i, coefficient)| {
            coefficient / (i + 2) as f64 - x * sum
        });
    -x.ln_1p() + x * ((1.0 - EULER) + x * tail)
}

/// ln Γ(x + h) − ln Γ(x) for positive x and x + h, without the cancellation of large values.
///
/// ```
/// use didact_probability::special::log_gamma_ratio;
/// // Γ(x + 1)/Γ(x) = x
/// assert!((log_gamma_ratio(1e12, 1.0) - 1e12_f64.ln()).abs() < 1e-14);
/// ```
pub fn log_gamma_ratio(x: f64, h: f64) -> f64 {
    let y = x + h;
    match x >= STIRLING_FROM && y >= STIRLING_FROM {
        true => {
            (y - 0.5) * (h / x).ln_1p() + h * x.ln() - h + stirling_error(y) - stirling_error(x)
        }
        false => log_gamma(y) - log_gamma(x),
    }
}

/// ln B(a, b) = ln Γ(a) + ln Γ(b) − ln Γ(a + b) for positive a and b.
///
/// ```
/// use didact_probability::special::log_beta;
/// assert!((log_beta(2.0, 3.0) + 12.0_f64.ln()).abs() < 1e-15);
/// assert!((log_beta(1.0, 1e15) + 1e15_f64.ln()).abs() < 1e-13); // B(1, b) = 1/b
/// ```
pub fn log_beta(a: f64, b: f64) -> f64 {
    let (small, large) = if a <= b { (a, b) } else { (b, a) };
    if large < STIRLING_FROM {
        return log_gamma(small) + log_gamma(large) - log_gamma(small + large);
    }
    if small < STIRLING_FROM {
        return log_gamma(small) - log_gamma_ratio(large, small);
    }
    let errors = stirling_error(small) + stirling_error(large) - stirling_error(small + large);
    HALF_LOG_TAU
        - 0.5 * large.ln()
        - (small - 0.5) * (large / small).ln_1p()
        - large * (small / large).ln_1p()
        + errors
}

/// ln B(α) = Σ ln Γ(αₖ) − ln Γ(Σ αₖ), the normaliser of a Dirichlet law.
///
/// Taken as a chain of two-argument beta functions, so that large parameters do not cancel.
pub fn log_beta_of(parameters: impl IntoIterator<Item = f64>) -> f64 {
    let mut parameters = parameters.into_iter();
    let Some(mut total) = parameters.next() else {
        return 0.0;
    };
    let mut sum = 0.0;
    for parameter in parameters {
        sum += log_beta(total, parameter);
        total += parameter;
    }
    sum
}

/// ln n!
pub fn log_factorial(n: u64) -> f64 {
    log_gamma_one_plus(n as f64)
}

/// ln of the number of ways to choose k of n things; minus infinity for k > n.
///
/// ```
/// use didact_probability::special::log_choose;
/// assert!((log_choose(10, 3) - 120.0_f64.ln()).abs() < 1e-14);
/// ```
pub fn log_choose(n: u64, k: u64) -> f64 {
    match k {
        _ if k > n => f64::NEG_INFINITY,
        _ if k == 0 || k == n => 0.0,
        _ => {
            let (n, k) = (n as f64, k as f64);
            -(n + 1.0).ln() - log_beta(k + 1.0, n - k + 1.0)
        }
    }
}

/// ln of n!/∏ nₖ!, the number of orders of a multiset with these counts, n = Σ nₖ.
///
/// Every factor of the denominator is a factorial.
///
/// ```
/// use didact_probability::special::log_multinomial;
/// assert!((log_multinomial(&[2, 3, 5]) - 2520.0_f64.ln()).abs() < 1e-13);
/// ```
pub fn log_multinomial(counts: &[u64]) -> f64 {
    let mut total = 0;
    let mut sum = 0.0;
    for &count in counts {
        total += count;
        sum += log_choose(total, count);
    }
    sum
}

/// ln Γ_d(a) = d(d−1)/4·ln π + Σ ln Γ(a + (1−i)/2) for i = 1 … d, where a > (d−1)/2.
///
/// ```
/// use didact_probability::special::{log_gamma, multivariate_log_gamma};
/// assert_eq!(multivariate_log_gamma(1, 2.5), log_gamma(2.5));
/// ```
pub fn multivariate_log_gamma(dimension: usize, a: f64) -> f64 {
    let pairs = (dimension * dimension.saturating_sub(1)) as f64;
    let product: f64 = (0..dimension).map(|i| log_gamma(a - i as f64 / 2.0)).sum();
    pairs / 4.0 * PI.ln() + product
}

/// ψ(x), the derivative of ln Γ(x).
///
/// ```
/// use didact_probability::special::digamma;
/// assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-15);
/// ```
pub fn digamma(mut x: f64) -> f64 {
    if x <= 0.0 {
        return match x == x.floor() {
            true => f64::NAN,
            false => digamma(1.0 - x) - PI / (PI * x).tan(),
        };
    }
    // ψ(x) = ψ(x+1) − 1/x up to where the asymptotic series holds.
    let mut shift = 0.0;
    while x < 10.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    // −B₂ₖ/(2k), k = 1, 2, …
    let series = [
        -1.0 / 12.0,
        1.0 / 120.0,
        -1.0 / 252.0,
        1.0 / 240.0,
        -1.0 / 132.0,
        691.0 / 32760.0,
        -1.0 / 12.0,
    ];
    let tail = series.iter().rev().fold(0.0, |sum, c| (sum + c) * square);
    shift + x.ln() - 0.5 / x + tail
}

/// ψ′(x), the derivative of [`digamma`].
///
/// ```
/// use didact_probability::special::trigamma;
/// let expected = std::f64::consts::PI.powi(2) / 6.0;
/// assert!((trigamma(1.0) - expected).abs() < 1e-15);
/// ```
pub fn trigamma(mut x: f64) -> f64 {
    if x <= 0.0 {
        return match x == x.floor() {
            true => f64::INFINITY,
            false => (PI / (PI * x).sin()).powi(2) - trigamma(1.0 - x),
        };
    }
    let mut shift = 0.0;
    while x < 10.0 {
        shift += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    // B₂ₖ, k = 1, 2, …
    let series = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2730.0,
        7.0 / 6.0,
    ];
    let tail = series.iter().rev().fold(0.0, |sum, c| (sum + c) * square);
    shift + (1.0 + 0.5 / x + tail) / x
}

/// The positive x with ψ(x) = y.
///
/// ```
/// use didact_probability::special::{digamma, digamma_inverse};
/// assert!((digamma_inverse(digamma(3.5)) - 3.5).abs() < 1e-13);
/// ```
pub fn digamma_inverse(y: f64) -> f64 {
    // ψ(x) ≈ ln(x − ½) for large x and −1/x − γ for small x.
    let mut x = match y >= -2.22 {
        true => y.exp() + 0.5,
        false => -1.0 / (y + EULER),
    };
    for _ in 0..12 {
        let step = (digamma(x) - y) / trigamma(x);
        // ψ is concave, so a Newton step from the left may not pass zero.
        let next = if step < x { x - step } else { 0.5 * x };
        let settled = (next - x).abs() <= 1e-15 * x;
        x = next;
        if settled {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_relative;
    use proptest::prelude::*;

    // 000b:P20, 003:P04
    #[test]
    fn the_multivariate_gamma_function_is_the_gamma_function_in_one_dimension() {
        assert_eq!(multivariate_log_gamma(1, 3.3), log_gamma(3.3));
        // Γ₂(a) = √π·Γ(a)·Γ(a−½)
        let expected = 0.5 * PI.ln() + log_gamma(3.3) + log_gamma(2.8);
        assert_relative(multivariate_log_gamma(2, 3.3), expected, 1e-15);
    }

    // 003:P04: Γ(n + 1) = n!, for whole n only (000b:P15).
    #[test]
    fn factorials_are_exact_up_to_rounding() {
        let mut factorial = 1.0;
        for n in 1..=20_u64 {
            factorial *= n as f64;
            assert_relative(gamma(n as f64 + 1.0), factorial, 1e-15);
            assert_relative(log_factorial(n).exp(), factorial, 1e-13);
        }
    }

    // 000b:P14: the printed n!/(n₁⋯n_k!) would give 10!/(2·3·5!) = 5040 for (2, 3, 5).
    #[test]
    fn every_factor_of_a_multinomial_denominator_is_a_factorial() {
        assert_relative(log_multinomial(&[2, 3, 5]).exp(), 2520.0, 1e-13);
        assert_relative(log_multinomial(&[0, 4, 0]).exp(), 1.0, 1e-15);
        assert_eq!(log_multinomial(&[]), 0.0);
        assert_eq!(log_choose(3, 4), f64::NEG_INFINITY);
    }

    proptest! {
        // 003:P04
        #[test]
        fn gamma_obeys_its_recurrence(x in 0.01..150.0_f64) {
            let difference = log_gamma(x + 1.0) - log_gamma(x) - x.ln();
            prop_assert!(difference.abs() <= 1e-14 * log_gamma(x).abs().max(1.0));
            prop_assert!((digamma(x + 1.0) - digamma(x) - 1.0 / x).abs() <= 1e-14 * (1.0 / x).max(5.0));
        }

        #[test]
        fn beta_is_symmetric_and_obeys_its_recurrence(a in 0.01..1e4_f64, b in 0.01..1e4_f64) {
            prop_assert_eq!(log_beta(a, b), log_beta(b, a));
            // B(a, b) = B(a+1, b) + B(a, b+1)
            let sum = (log_beta(a + 1.0, b) - log_beta(a, b)).exp() + (log_beta(a, b + 1.0) - log_beta(a, b)).exp();
            prop_assert!((sum - 1.0).abs() < 1e-11);
        }

        #[test]
        fn the_inverse_of_digamma_inverts_it(x in 1e-3..1e6_f64) {
            prop_assert!((digamma_inverse(digamma(x)) / x - 1.0).abs() < 1e-12);
        }
    }
}
