//! The incomplete gamma function: the distribution function of gamma, Poisson and chi-square.

use super::saddle::{deviance, log_poisson};
use super::{erfc, log_gamma_one_plus, log_one_minus_exp, normal_quantile_of_log};
use crate::roots::increasing_root;
use std::f64::consts::{LN_2, TAU};

/// Above this shape the series would take many thousands of terms near x = a.
const ASYMPTOTIC_FROM: f64 = 1e6;
const MAX_TERMS: usize = 2_000_000;

/// The side that was computed; the other one follows by subtraction.
#[derive(Clone, Copy)]
enum Side {
    /// ln P(a, x).
    Lower(f64),
    /// ln Q(a, x).
    Upper(f64),
}

/// P(a, x) = 1/Γ(a)·∫₀ˣ t^(a−1)·e^(−t) dt for a > 0 and x ≥ 0.
///
/// ```
/// use didact_probability::special::gamma_lower;
/// assert!((gamma_lower(1.0, 2.0) - (1.0 - (-2.0_f64).exp())).abs() < 1e-15);
/// ```
pub fn gamma_lower(a: f64, x: f64) -> f64 {
    log_gamma_lower(a, x).exp()
}

/// Q(a, x) = 1 − P(a, x), accurate where that is small.
pub fn gamma_upper(a: f64, x: f64) -> f64 {
    log_gamma_upper(a, x).exp()
}

/// ln P(a, x).
pub fn log_gamma_lower(a: f64, x: f64) -> f64 {
    match side(a, x) {
        Side::Lower(log) => log,
        Side::Upper(log) => log_one_minus_exp(log),
    }
}

/// ln Q(a, x).
///
/// ```
/// use didact_probability::special::log_gamma_upper;
/// assert!((log_gamma_upper(1.0, 5000.0) + 5000.0).abs() < 1e-12); // Q(1, x) = e⁻ˣ
/// ```
pub fn log_gamma_upper(a: f64, x: f64) -> f64 {
    match side(a, x) {
        Side::Lower(log) => log_one_minus_exp(log),
        Side::Upper(log) => log,
    }
}

fn side(a: f64, x: f64) -> Side {
    if !(a > 0.0 && x >= 0.0) || a.is_infinite() {
        return Side::Lower(f64::NAN);
    }
    if x == 0.0 {
        return Side::Lower(f64::NEG_INFINITY);
    }
    if x.is_infinite() {
        return Side::Upper(f64::NEG_INFINITY);
    }
    if a > ASYMPTOTIC_FROM && (x - a).abs() < 0.02 * a {
        return uniform(a, x);
    }
    if a < 1.0 && x < 1.1 {
        return small(a, x);
    }
    match x < a + 1.0 {
        true => Side::Lower(log_poisson(a, x) + series(a, x).ln()),
        false => Side::Upper(log_poisson(a, x) + (a * fraction(a, x)).ln()),
    }
}

/// Σ xⁿ/((a+1)⋯(a+n)), which times xᵃe⁻ˣ/Γ(a+1) is P.
fn series(a: f64, x: f64) -> f64 {
    let (mut sum, mut term, mut divisor) = (1.0, 1.0, a);
    for _ in 0..MAX_TERMS {
        divisor += 1.0;
        term *= x / divisor;
        sum += term;
        if term <= 1e-17 * sum {
            break;
        }
    }
    sum
}

/// The continued fraction 1/(x+1−a − 1(1−a)/(x+3−a − …)), which times xᵃe⁻ˣ/Γ(a) is Q.
fn fraction(a: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / if b == 0.0 { TINY } else { b };
    let mut h = d;
    for n in 1..MAX_TERMS {
        let n = n as f64;
        let numerator = -n * (n - a);
        b += 2.0;
        d = numerator * d + b;
        d = 1.0 / if d.abs() < TINY { TINY } else { d };
        c = b + numerator / c;
        c = if c.abs() < TINY { TINY } else { c };
        let change = d * c;
        h *= change;
        if (change - 1.0).abs() <= 2e-16 {
            break;
        }
    }
    h
}

/// Q for small a and x, where P is close to one: 1 − xᵃ/Γ(a+1)·(1 + a·Σ(−x)ⁿ/((a+n)·n!)).
fn small(a: f64, x: f64) -> Side {
    let log_power = a * x.ln() - log_gamma_one_plus(a);
    let (mut sum, mut term) = (0.0, 1.0);
    for n in 1..60 {
        let n = f64::from(n);
        term *= -x / n;
        sum += term / (a + n);
        if term.abs() < 1e-18 {
            break;
        }
    }
    let rest = a * sum;
    let upper = -log_power.exp_m1() - log_power.exp() * rest;
    match upper < 0.5 {
        true => Side::Upper(upper.ln()),
        false => Side::Lower(log_power + rest.ln_1p()),
    }
}

/// Temme's uniform expansion ½·erfc(η√(a/2)) + e^(−aη²/2)/√(2πa)·Σ Cₖ(η)/aᵏ, for large a and
/// small η, where a·η²/2 = x − a − a·ln(x/a).
fn uniform(a: f64, x: f64) -> Side {
    const C0: [f64; 7] = [
        -1.0 / 3.0,
        1.0 / 12.0,
        -2.0 / 135.0,
        1.0 / 864.0,
        1.0 / 2835.0,
        -139.0 / 777_600.0,
        1.0 / 25_515.0,
    ];
    const C1: [f64; 4] = [-1.0 / 540.0, -1.0 / 288.0, 1.0 / 378.0, -77.0 / 77_760.0];
    let exponent = deviance(a, x);
    let z = exponent.sqrt().copysign(x - a);
    let eta = z * (2.0 / a).sqrt();
    let polynomial = |c: &[f64]| c.iter().rev().fold(0.0, |sum, c| sum * eta + c);
    let correction = (polynomial(&C0) + polynomial(&C1) / a) / (TAU * a).sqrt();
    // Both terms carry e^(−z²); taken out, far tails keep their digits.
    let scaled = 0.5 * super::scaled_erfc(z.abs());
    match z > 0.0 {
        true => Side::Upper((scaled + correction).ln() - exponent),
        false if exponent == 0.0 => Side::Lower((0.5 * erfc(0.0) - correction).ln()),
        false => Side::Lower((scaled - correction).ln() - exponent),
    }
}

/// The x with P(a, x) = p; NaN where p is no probability.
///
/// ```
/// use didact_probability::special::{gamma_lower, gamma_lower_inverse};
/// let x = gamma_lower_inverse(2.5, 0.1);
/// assert!((gamma_lower(2.5, x) - 0.1).abs() < 1e-15);
/// ```
pub fn gamma_lower_inverse(a: f64, p: f64) -> f64 {
    match p > 0.5 {
        true => inverse(a, (1.0 - p).ln(), false),
        false => inverse(a, p.ln(), true),
    }
}

/// The x with Q(a, x) = q, accurate for small q.
pub fn gamma_upper_inverse(a: f64, q: f64) -> f64 {
    match q > 0.5 {
        true => inverse(a, (1.0 - q).ln(), true),
        false => inverse(a, q.ln(), false),
    }
}

/// The x at which ln P(a, x), or else ln Q(a, x), has the value `log`.
pub(crate) fn inverse(a: f64, log: f64, is_lower: bool) -> f64 {
    if !(a > 0.0 && log <= 0.0) || a.is_infinite() {
        return f64::NAN;
    }
    if log == f64::NEG_INFINITY {
        return if is_lower { 0.0 } else { f64::INFINITY };
    }
    if log == 0.0 {
        return if is_lower { f64::INFINITY } else { 0.0 };
    }
    // Searched in ln x, where both log-tails are smooth and nearly straight.
    let root = increasing_root(
        start(a, log, is_lower),
        f64::NEG_INFINITY,
        f64::INFINITY,
        |y| {
            let x = y.exp();
            let log_slope = log_poisson(a, x) + a.ln();
            match is_lower {
                true => {
                    let tail = log_gamma_lower(a, x);
                    (tail - log, (log_slope - tail).exp())
                }
                false => {
                    let tail = log_gamma_upper(a, x);
                    (log - tail, (log_slope - tail).exp())
                }
            }
        },
    );
    root.exp()
}

/// The logarithm of a first guess for x.
fn start(a: f64, log: f64, is_lower: bool) -> f64 {
    // P ≈ xᵃ/Γ(a+1) near zero.
    let log_p = if is_lower {
        log
    } else {
        log_one_minus_exp(log)
    };
    let near_zero = (log_p + log_gamma_one_plus(a)) / a;
    // Wilson and Hilferty: (x/a)^⅓ is nearly normal.
    let z = match is_lower {
        true => normal_quantile_of_log(log),
        false => -normal_quantile_of_log(log),
    };
    let ninth = 1.0 / (9.0 * a);
    let root = 1.0 - ninth + z * ninth.sqrt();
    match root > 0.3 && a > 0.5 {
        true => a.ln() + 3.0 * root.ln(),
        false if !is_lower && log < -LN_2 => (a - log).ln().max(near_zero),
        false => near_zero,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn outside_the_domain_there_is_no_number() {
        assert!(gamma_lower(-1.0, 1.0).is_nan() && gamma_upper(1.0, -1.0).is_nan());
        assert!(gamma_lower_inverse(1.0, 1.5).is_nan() && gamma_lower_inverse(0.0, 0.5).is_nan());
        assert_eq!(gamma_lower(2.0, 0.0), 0.0);
        assert_eq!(gamma_upper(2.0, f64::INFINITY), 0.0);
        assert_eq!(gamma_lower_inverse(2.0, 0.0), 0.0);
        assert_eq!(gamma_lower_inverse(2.0, 1.0), f64::INFINITY);
    }

    #[test]
    fn the_uniform_expansion_meets_the_series_and_the_fraction() {
        let a = 1.1e6_f64;
        for deviations in [-6.0, -1.0, 0.0, 0.5, 5.0] {
            let x = a + deviations * a.sqrt();
            let log = log_gamma_upper(a, x);
            let plain = match x < a + 1.0 {
                true => log_one_minus_exp(log_poisson(a, x) + series(a, x).ln()),
                false => log_poisson(a, x) + (a * fraction(a, x)).ln(),
            };
            assert!(
                (log - plain).abs() < 1e-11 * plain.abs().max(1.0),
                "{deviations}: {log} {plain}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_sides_add_up_to_one(log_a in -5.0..14.0_f64, factor in 0.0..3.0_f64) {
            let a = log_a.exp();
            let x = a * factor;
            prop_assert!((gamma_lower(a, x) + gamma_upper(a, x) - 1.0).abs() < 1e-14);
        }

        #[test]
        fn inverses_invert(log_a in -3.0..9.0_f64, log_p in -300.0..-0.01_f64) {
            let a = log_a.exp();
            let x = gamma_lower_inverse(a, log_p.exp());
            if x > 1e-300 {
                prop_assert!((log_gamma_lower(a, x) - log_p).abs() <= 1e-11 * log_p.abs().max(1.0));
            }
            let x = gamma_upper_inverse(a, log_p.exp());
            if x > 1e-300 {
                prop_assert!((log_gamma_upper(a, x) - log_p).abs() <= 1e-11 * log_p.abs().max(1.0));
            }
        }

        #[test]
        fn the_recurrence_in_the_shape_holds(a in 0.05..200.0_f64, x in 0.01..300.0_f64) {
            // Q(a+1, x) = Q(a, x) + xᵃe⁻ˣ/Γ(a+1)
            let right = gamma_upper(a, x) + log_poisson(a, x).exp();
            prop_assert!((gamma_upper(a + 1.0, x) - right).abs() <= 1e-13 * right);
        }
    }
}
