//! The error function, the normal distribution function and their inverses.

use super::logarithms::log_one_minus_exp;
use std::f64::consts::{FRAC_1_SQRT_2, LN_2, PI, TAU};

/// erf x = 2/√π·∫₀ˣ e^(−t²) dt.
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// 1 − erf x, accurate where that is small.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// e^(x²)·erfc x, which falls like 1/(x√π) where erfc itself has long underflowed.
///
/// ```
/// use didact_probability::special::scaled_erfc;
/// let x = 1e8;
/// assert!((scaled_erfc(x) * x * std::f64::consts::PI.sqrt() - 1.0).abs() < 1e-15);
/// ```
pub fn scaled_erfc(x: f64) -> f64 {
    if x < 4.0 {
        // What is lost in rounding x² is put back, because the exponential magnifies it.
        let square = x * x;
        let lost = x.mul_add(x, -square);
        return square.exp() * (1.0 + lost) * erfc(x);
    }
    // The continued fraction x + ½/(x + 1/(x + 3/2/(x + …))), from the inside out.
    let depth = if x > 30.0 { 10 } else { 60 };
    let fraction = (1..=depth)
        .rev()
        .fold(x, |tail, k| x + 0.5 * k as f64 / tail);
    1.0 / (fraction * PI.sqrt())
}

/// ln erfc x, finite for every finite x.
pub fn log_erfc(x: f64) -> f64 {
    match x < 1.0 {
        true => (-erf(x)).ln_1p(),
        false => scaled_erfc(x).ln() - x * x,
    }
}

/// The x with erf x = y, for −1 ≤ y ≤ 1.
pub fn erf_inverse(y: f64) -> f64 {
    if y.abs() > 0.5 {
        return (erfc_inverse(1.0 - y.abs())).copysign(y);
    }
    // erf is concave for positive x and the tangent at zero lies above it: Newton's method
    // climbs to the root from below.
    let mut x = y * PI.sqrt() / 2.0;
    for _ in 0..6 {
        x -= (erf(x) - y) * PI.sqrt() / 2.0 * (x * x).exp();
    }
    x
}

/// The x with erfc x = y, for 0 ≤ y ≤ 2.
pub fn erfc_inverse(y: f64) -> f64 {
    match y {
        _ if y > 1.5 => -erfc_inverse(2.0 - y),
        _ if y > 0.5 => erf_inverse(1.0 - y),
        // erfc x = 2Φ(−x√2)
        _ => -normal_quantile(0.5 * y) * FRAC_1_SQRT_2,
    }
}

/// Φ(x), the chance that a standard normal variable is at most x.
///
/// ```
/// use didact_probability::special::normal_cumulative;
/// assert_eq!(normal_cumulative(0.0), 0.5);
/// assert!((normal_cumulative(1.96) - 0.975).abs() < 1e-5);
/// ```
pub fn normal_cumulative(x: f64) -> f64 {
    match x < -1.0 {
        // The rounding of x/√2 would be magnified by erfc; e^(−x²/2) is exact in x.
        true => 0.5 * scaled_erfc(-x * FRAC_1_SQRT_2) * exp_of_half_square(x),
        false => 0.5 * erfc(-x * FRAC_1_SQRT_2),
    }
}

/// e^(−x²/2) with the rounding of x² put back.
fn exp_of_half_square(x: f64) -> f64 {
    let square = x * x;
    let lost = if square.is_finite() {
        x.mul_add(x, -square)
    } else {
        0.0
    };
    (-0.5 * square).exp() * (1.0 - 0.5 * lost)
}

/// ln Φ(x), finite for every finite x.
///
/// ```
/// use didact_probability::special::normal_log_cumulative;
/// assert!((normal_log_cumulative(-40.0) + 804.608_442_2).abs() < 1e-6);
/// ```
pub fn normal_log_cumulative(x: f64) -> f64 {
    match x < 0.0 {
        true => (0.5 * scaled_erfc(-x * FRAC_1_SQRT_2)).ln() - 0.5 * x * x,
        false => (-normal_cumulative(-x)).ln_1p(),
    }
}

/// The x with Φ(x) = p; NaN where p is no probability.
///
/// ```
/// use didact_probability::special::normal_quantile;
/// assert_eq!(normal_quantile(0.5), 0.0);
/// assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-15);
/// ```
pub fn normal_quantile(p: f64) -> f64 {
    match p {
        _ if p > 0.5 => -normal_quantile_of_log((1.0 - p).ln()),
        _ => normal_quantile_of_log(p.ln()),
    }
}

/// The x with ln Φ(x) = `log_p`, also where eˡᵒᵍ ᵖ is too small for a number.
///
/// ```
/// use didact_probability::special::{normal_log_cumulative, normal_quantile_of_log};
/// let x = normal_quantile_of_log(-1e6);
/// assert!((normal_log_cumulative(x) + 1e6).abs() < 1e-8);
/// ```
pub fn normal_quantile_of_log(log_p: f64) -> f64 {
    match log_p {
        _ if log_p.is_nan() || log_p > 0.0 => return f64::NAN,
        0.0 => return f64::INFINITY,
        f64::NEG_INFINITY => return log_p,
        _ => (),
    }
    if log_p > -LN_2 {
        return -normal_quantile_of_log(log_one_minus_exp(log_p));
    }
    if log_p == -LN_2 {
        return 0.0;
    }
    // A rational start within 5·10⁻⁴ (Hastings), polished by Newton's method on ln Φ, which is
    // concave and nearly quadratic.
    let t = (-2.0 * log_p).sqrt();
    let numerator = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let denominator = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    let mut x = numerator / denominator - t;
    for _ in 0..4 {
        let scaled = 0.5 * scaled_erfc(-x * FRAC_1_SQRT_2);
        // φ(x)/Φ(x): both carry e^(−x²/2), which cancels.
        let slope = 1.0 / (TAU.sqrt() * scaled);
        let step = (scaled.ln() - 0.5 * x * x - log_p) / slope;
        x -= step;
        if step.abs() <= 1e-16 * x.abs() {
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
    use std::f64::consts::SQRT_2;

    #[test]
    fn the_ends_are_infinite_and_nonsense_is_not_a_number() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert!(normal_quantile(-0.1).is_nan() && normal_quantile(1.1).is_nan());
        assert!(normal_quantile(f64::NAN).is_nan());
        assert_eq!(normal_cumulative(f64::NEG_INFINITY), 0.0);
        assert_eq!(normal_log_cumulative(f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(erf_inverse(1.0), f64::INFINITY);
        assert_eq!(erfc_inverse(2.0), f64::NEG_INFINITY);
        assert_eq!(scaled_erfc(f64::INFINITY), 0.0);
        assert_eq!(scaled_erfc(-40.0), f64::INFINITY);
    }

    #[test]
    fn the_pieces_of_the_scaled_function_meet() {
        let (below, above) = (scaled_erfc(4.0 - 1e-15), scaled_erfc(4.0));
        assert_relative(below, above, 1e-14);
        assert_relative(scaled_erfc(30.0), scaled_erfc(30.0 + 1e-14), 1e-14);
        assert_relative(
            normal_cumulative(-1.0),
            normal_cumulative(-1.0 - 1e-16),
            1e-15,
        );
    }

    proptest! {
        #[test]
        fn quantile_and_cumulative_invert_each_other(x in -37.0..8.0_f64) {
            let log_p = normal_log_cumulative(x);
            // Near one the probability has no digits left for x.
            let lost = 1e-16 / (-0.5 * x * x).exp().min(1.0) * f64::from(x > 0.0);
            prop_assert!((normal_quantile_of_log(log_p) - x).abs() <= 1e-13 * (1.0 + x.abs()) + 10.0 * lost);
        }

        #[test]
        fn the_error_function_is_inverted(y in -0.999..0.999_f64) {
            prop_assert!((erf(erf_inverse(y)) - y).abs() <= 4e-16 + 1e-15 * y.abs());
            prop_assert!((erfc(erfc_inverse(1.0 - y)) - (1.0 - y)).abs() <= 1e-15);
        }

        #[test]
        fn both_sides_of_zero_add_up_to_one(x in -8.0..8.0_f64) {
            prop_assert!((normal_cumulative(x) + normal_cumulative(-x) - 1.0).abs() < 1e-15);
            prop_assert!((normal_cumulative(x * SQRT_2) - 0.5 * erfc(-x)).abs() < 1e-15);
        }
    }
}
