//! The incomplete beta function: the distribution function of beta, binomial, Student t and F.

use super::saddle::log_beta_kernel;
use super::{log_beta, log_one_minus_exp};
use crate::roots::increasing_root;
use didact_math::numeric::sigmoid;

const MAX_TERMS: usize = 1_000_000;

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
