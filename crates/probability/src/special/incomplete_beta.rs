//! The incomplete beta function: the distribution function of beta, binomial, Student t and F.

use super::saddle::{deviance, log_beta_kernel};
use super::{log_beta, log_one_minus_exp, scaled_erfc};
use crate::roots::increasing_root;
use didact_math::numeric::sigmoid;
use std::f64::consts::TAU;

const MAX_TERMS: usize = 1_000_000;
/// From here on the fraction would take many thousands of terms near the mean.
const ASYMPTOTIC_FROM: f64 = 1e8;

/// The logarithms of I(x; a, b) and of 1 − I(x; a, b).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sides {
    /// ln I(x; a, b).
    pub(crate) lower: f64,
    /// ln(1 − I(x; a, b)).
    pub(crate) upper: f64,
}

/// I(x; a, b) = 1/B(a, b)·∫₀ˣ t^(a−1)·(1−t)^(b−1) dt for positive a and b and 0 ≤ x ≤ 1.
///
/// ```
/// use didact_probability::special::beta_lower;
/// assert!((beta_lower(2.0, 1.0, 0.3) - 0.09).abs() < 1e-16); // x² for a = 2, b = 1
/// ```
pub fn beta_lower(a: f64, b: f64, x: f64) -> f64 {
    log_beta_lower(a, b, x).exp()
}

/// 1 − I(x; a, b), accurate where that is small.
pub fn beta_upper(a: f64, b: f64, x: f64) -> f64 {
    log_beta_upper(a, b, x).exp()
}

/// ln I(x; a, b).
pub fn log_beta_lower(a: f64, b: f64, x: f64) -> f64 {
    log_tails_of_beta(a, b, x, 1.0 - x).lower
}

/// ln(1 − I(x; a, b)).
pub fn log_beta_upper(a: f64, b: f64, x: f64) -> f64 {
    log_tails_of_beta(a, b, x, 1.0 - x).upper
}

/// Both log-tails at x, where the caller knows y = 1 − x better than by subtraction.
pub(crate) fn log_tails_of_beta(a: f64, b: f64, x: f64, y: f64) -> Sides {
    let nothing = f64::NEG_INFINITY;
    if !(a > 0.0 && b > 0.0 && x >= 0.0 && y >= 0.0) || a.is_infinite() || b.is_infinite() {
        return Sides {
            lower: f64::NAN,
            upper: f64::NAN,
        };
    }
    if x == 0.0 {
        return Sides {
            lower: nothing,
            upper: 0.0,
        };
    }
    if y == 0.0 {
        return Sides {
            lower: 0.0,
            upper: nothing,
        };
    }
    if a.min(b) > ASYMPTOTIC_FROM
        && let Some(sides) = uniform(a, b, x, y)
    {
        return sides;
    }
    // The fraction converges fast on its own side of the mean.
    match x <= (a + 1.0) / (a + b + 2.0) {
        true => {
            let lower = (log_beta_kernel(a, b, x, y) + fraction(a, b, x).ln() - a.ln()).min(0.0);
            Sides {
                lower,
                upper: log_one_minus_exp(lower),
            }
        }
        false => {
            let upper = (log_beta_kernel(a, b, x, y) + fraction(b, a, y).ln() - b.ln()).min(0.0);
            Sides {
                lower: log_one_minus_exp(upper),
                upper,
            }
        }
    }
}

/// The continued fraction 1/(1 + d₁/(1 + d₂/(1 + …))), which times xᵃyᵇ/(a·B(a, b)) is I.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let guard = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..MAX_TERMS {
        let m = m as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guard(1.0 + even * d);
        c = guard(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guard(1.0 + odd * d);
        c = guard(1.0 + odd / c);
        let change = d * c;
        h *= change;
        if (change - 1.0).abs() <= 2e-16 {
            break;
        }
    }
    h
}

/// Temme's uniform expansion ½·erfc(−η√(r/2)) + e^(−rη²/2)/√(2πr)·(1/η − s/(x−x₀)) with r = a+b,
/// x₀ = a/r, s² = x₀(1−x₀), for large a and b and x within a tenth of the mean x₀.
fn uniform(a: f64, b: f64, x: f64, y: f64) -> Option<Sides> {
    let r = a + b;
    let (x0, y0) = (a / r, b / r);
    let d = if x <= y { x - x0 } else { y0 - y };
    if d.abs() > 0.1 * x0.min(y0) {
        return None;
    }
    // η = (d/s)·√(1+g) with g = d·h, and h as a series, because 1/η − s/d cancels.
    let (mut left, mut right, mut sum) = (-1.0 / (x0 * x0), 1.0 / (y0 * y0), 0.0);
    for n in 3..24 {
        sum += (left + right) / f64::from(n);
        left *= -d / x0;
        right *= d / y0;
    }
    let h = 2.0 * x0 * y0 * sum;
    let root = (1.0 + d * h).sqrt();
    let coefficient = -(x0 * y0).sqrt() * h / (root * (1.0 + root));
    let correction = coefficient / (TAU * r).sqrt();
    let exponent = deviance(a, r * x) + deviance(b, r * y);
    // Both terms carry e^(−rη²/2); taken out, far tails keep their digits.
    let scaled = 0.5 * scaled_erfc(exponent.sqrt());
    Some(match d > 0.0 {
        true => {
            let upper = (scaled - correction).ln() - exponent;
            Sides {
                lower: log_one_minus_exp(upper),
                upper,
            }
        }
        false => {
            let lower = (scaled + correction).ln() - exponent;
            Sides {
                lower,
                upper: log_one_minus_exp(lower),
            }
        }
    })
}

/// The x with I(x; a, b) = p; NaN where p is no probability.
///
/// ```
/// use didact_probability::special::{beta_lower, beta_lower_inverse};
/// let x = beta_lower_inverse(9.0, 6.0, 0.5);
/// assert!((x - 0.604_557).abs() < 1e-6);
/// ```
pub fn beta_lower_inverse(a: f64, b: f64, p: f64) -> f64 {
    match p > 0.5 {
        true => inverse(a, b, (1.0 - p).ln(), false).0,
        false => inverse(a, b, p.ln(), true).0,
    }
}

/// The x with 1 − I(x; a, b) = q, accurate for small q.
pub fn beta_upper_inverse(a: f64, b: f64, q: f64) -> f64 {
    match q > 0.5 {
        true => inverse(a, b, (1.0 - q).ln(), true).0,
        false => inverse(a, b, q.ln(), false).0,
    }
}

/// The pair (x, 1 − x) at which the lower or upper log-tail has the value `log`.
pub(crate) fn inverse(a: f64, b: f64, log: f64, is_lower: bool) -> (f64, f64) {
    if !(a > 0.0 && b > 0.0 && log <= 0.0) || a.is_infinite() || b.is_infinite() {
        return (f64::NAN, f64::NAN);
    }
    let (zero, one) = ((0.0, 1.0), (1.0, 0.0));
    if log == f64::NEG_INFINITY {
        return if is_lower { zero } else { one };
    }
    if log == 0.0 {
        return if is_lower { one } else { zero };
    }
    // Searched in the logit z of x, where both log-tails are smooth and neither end is near.
    let root = increasing_root(start(a, b, log, is_lower), -745.0, 745.0, |z| {
        let (x, y) = (sigmoid(z), sigmoid(-z));
        let tails = log_tails_of_beta(a, b, x, y);
        let log_slope = log_beta_kernel(a, b, x, y);
        match is_lower {
            true => (tails.lower - log, (log_slope - tails.lower).exp()),
            false => (log - tails.upper, (log_slope - tails.upper).exp()),
        }
    });
    (sigmoid(root), sigmoid(-root))
}

/// The logit of a first guess: the power law of the tail, or the mean where that is nearer.
fn start(a: f64, b: f64, log: f64, is_lower: bool) -> f64 {
    let mean = (a / b).ln();
    match is_lower {
        true => ((log + a.ln() + log_beta(a, b)) / a).min(mean),
        false => (-(log + b.ln() + log_beta(a, b)) / b).max(mean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn outside_the_domain_there_is_no_number() {
        assert!(beta_lower(0.0, 1.0, 0.5).is_nan() && beta_lower(1.0, 1.0, 1.5).is_nan());
        assert!(beta_lower_inverse(1.0, 1.0, -0.5).is_nan());
        assert_eq!(
            (beta_lower(2.0, 3.0, 0.0), beta_lower(2.0, 3.0, 1.0)),
            (0.0, 1.0)
        );
        assert_eq!(beta_lower_inverse(2.0, 3.0, 1.0), 1.0);
    }

    #[test]
    fn whole_parameters_give_binomial_sums() {
        // I(p; k, n−k+1) = P(at least k of n): n = 5, p = 0.3, k = 2.
        let expected = 1.0 - 0.7_f64.powi(5) - 5.0 * 0.3 * 0.7_f64.powi(4);
        assert!((beta_lower(2.0, 4.0, 0.3) - expected).abs() < 1e-15);
    }

    #[test]
    fn the_uniform_expansion_meets_the_fraction() {
        let (a, b) = (1.1e8_f64, 3e8_f64);
        let (mean, deviation) = (a / (a + b), (a * b / (a + b)).sqrt() / (a + b));
        for deviations in [-9.0, -2.0, -0.1, 0.1, 1.0, 6.0] {
            let x = mean + deviations * deviation;
            let y = 1.0 - x;
            let found = uniform(a, b, x, y).unwrap();
            // Each side by its own fraction; the rounding of x alone moves P by √a·ε.
            let kernel = log_beta_kernel(a, b, x, y);
            let (side, plain) = match deviations < 0.0 {
                true => (found.lower, kernel + fraction(a, b, x).ln() - a.ln()),
                false => (found.upper, kernel + fraction(b, a, y).ln() - b.ln()),
            };
            assert!(
                (side - plain).abs() < 1e-10 * plain.abs().max(1.0),
                "{deviations}: {side} {plain}"
            );
        }
        // Half of a symmetric law, where the fraction would need 10⁸ terms.
        assert!((beta_lower(1e15, 1e15, 0.5) - 0.5).abs() < 1e-15);
        // At the mean P = ½ + (b−a)/(3√(2πab(a+b))) up to terms of higher order.
        let expected = 0.5 + (b - a) / (3.0 * (TAU * a * b * (a + b)).sqrt());
        assert!((beta_lower(a, b, mean) - expected).abs() < 1e-11);
    }

    proptest! {
        #[test]
        fn the_function_is_symmetric_about_its_sides(a in 0.05..500.0_f64, b in 0.05..500.0_f64, x in 0.0..1.0_f64) {
            let (left, right) = (log_beta_lower(a, b, x), log_beta_upper(b, a, 1.0 - x));
            prop_assert!((left.exp() - right.exp()).abs() < 1e-11);
            prop_assert!((beta_lower(a, b, x) + beta_upper(a, b, x) - 1.0).abs() < 1e-14);
        }

        #[test]
        fn inverses_invert(a in 0.1..300.0_f64, b in 0.1..300.0_f64, log_p in -200.0..-0.01_f64) {
            let (x, y) = inverse(a, b, log_p, true);
            if x > 1e-290 && y > 1e-290 {
                let found = log_tails_of_beta(a, b, x, y).lower;
                prop_assert!((found - log_p).abs() <= 1e-11 * log_p.abs().max(1.0), "{} {}", found, log_p);
            }
        }
    }
}
