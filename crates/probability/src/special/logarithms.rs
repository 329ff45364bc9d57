//! Sums and differences of numbers that are known by their logarithms.

use didact_math::numeric::log_softmax_in_place;
use std::f64::consts::LN_2;

/// ln(eᵃ + eᵇ) without overflow.
///
/// ```
/// let sum = didact_probability::special::log_add_exp(-1000.0, -1000.0);
/// assert!((sum - (-1000.0 + 2.0_f64.ln())).abs() < 1e-12);
/// ```
pub fn log_add_exp(a: f64, b: f64) -> f64 {
    let (high, low) = if a >= b { (a, b) } else { (b, a) };
    match high.is_infinite() {
        true => high + if low.is_nan() { low } else { 0.0 },
        false => high + (low - high).exp().ln_1p(),
    }
}

/// ln(eᵃ − eᵇ) for a ≥ b; NaN otherwise.
///
/// ```
/// let difference = didact_probability::special::log_subtract_exp(0.0, -40.0);
/// assert!((difference + (-40.0_f64).exp()).abs() < 1e-30);
/// ```
pub fn log_subtract_exp(a: f64, b: f64) -> f64 {
    match b == f64::NEG_INFINITY {
        true => a,
        false => a + log_one_minus_exp(b - a),
    }
}

/// ln(1 − eˣ) for x ≤ 0, by whichever of `ln_1p` and `exp_m1` keeps the digits.
pub fn log_one_minus_exp(x: f64) -> f64 {
    match x > -LN_2 {
        true => (-x.exp_m1()).ln(),
        false => (-x.exp()).ln_1p(),
    }
}

/// x·ln y, zero where x is zero: what never happens costs nothing, however unlikely it is.
pub fn x_log_y(x: f64, y: f64) -> f64 {
    match x == 0.0 && !y.is_nan() {
        true => 0.0,
        false => x * y.ln(),
    }
}

/// Turns logarithms of weights into logarithms of shares and returns the logarithm of their sum.
///
/// The largest is taken off first: shares of weights near e^(−10⁴) then keep their digits.
pub(crate) fn log_shares_in_place(logs: &mut [f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return log_softmax_in_place(logs);
    }
    for log in logs.iter_mut() {
        *log -= largest;
    }
    largest + log_softmax_in_place(logs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_differences_survive_where_exp_would_not() {
        assert_eq!(log_add_exp(1e5, -1e5), 1e5);
        assert_eq!(
            log_add_exp(f64::NEG_INFINITY, f64::NEG_INFINITY),
            f64::NEG_INFINITY
        );
        assert_eq!(log_add_exp(f64::NEG_INFINITY, 3.0), 3.0);
        assert_eq!(log_add_exp(f64::INFINITY, 3.0), f64::INFINITY);
        assert!(log_add_exp(f64::NAN, 3.0).is_nan());
        // e³ − e² = e²(e − 1)
        let expected = 2.0 + 1.0_f64.exp_m1().ln();
        assert!((log_subtract_exp(3.0, 2.0) - expected).abs() < 1e-15);
        assert_eq!(log_subtract_exp(3.0, f64::NEG_INFINITY), 3.0);
        assert_eq!(log_subtract_exp(3.0, 3.0), f64::NEG_INFINITY);
        assert!(log_subtract_exp(2.0, 3.0).is_nan());
    }

    #[test]
    fn one_minus_exp_keeps_its_digits_at_both_ends() {
        // ln(1 − e^(−10⁻²⁰)) = ln 10⁻²⁰ up to 10⁻²⁰, and ln(1 − e⁻⁵⁰) = −e⁻⁵⁰.
        assert!((log_one_minus_exp(-1e-20) - 1e-20_f64.ln()).abs() < 1e-13);
        assert!((log_one_minus_exp(-50.0) / -(-50.0_f64).exp() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn zero_times_a_logarithm_of_zero_is_zero() {
        assert_eq!(x_log_y(0.0, 0.0), 0.0);
        assert_eq!(x_log_y(2.0, 0.0), f64::NEG_INFINITY);
        assert!(x_log_y(0.0, f64::NAN).is_nan());
    }
}
