//! The kernels of the Poisson, gamma, binomial and beta laws by saddle-point expansion.
//!
//! ln(n!) of a large n is itself large, and differences of such numbers lose their digits. With
//! Stirling's formula taken out on both sides only small terms remain (C. Loader, 2000).

use super::gamma::HALF_LOG_TAU;

/// δ(x) = ln Γ(x) − (x − ½)·ln x + x − ½·ln 2π, what Stirling's formula leaves over.
pub(crate) fn stirling_error(mut x: f64) -> f64 {
    // δ(x) = δ(x+1) + (x+½)·ln(1+1/x) − 1 up to where the series holds.
    let mut shift = 0.0;
    while x < 14.0 {
        shift += (x + 0.5) * (1.0 / x).ln_1p() - 1.0;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    // B₂ₖ/(2k(2k−1)), k = 1, 2, …
    let series = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
    ];
    let sum = series.iter().rev().fold(0.0, |sum, c| sum * square + c);
    shift + sum / x
}

/// D(x, m) = x·ln(x/m) − x + m ≥ 0, without cancellation where x is near m.
pub(crate) fn deviance(x: f64, m: f64) -> f64 {
    let difference = x - m;
    if difference.abs() < 0.1 * (x + m) {
        // ln(x/m) = 2·artanh v with v = (x−m)/(x+m).
        let v = difference / (x + m);
        let square = v * v;
        let (mut sum, mut term, mut odd) = (difference * v, 2.0 * x * v, 1.0);
        loop {
            term *= square;
            odd += 2.0;
            let next = sum + term / odd;
            if next == sum || next.is_nan() {
                return next;
            }
            sum = next;
        }
    }
    let ratio = x / m;
    match x == 0.0 {
        true => m,
        false if ratio.is_normal() => x * ratio.ln() - difference,
        // The ratio is too large or too small for a number, its logarithm is not.
        false => x * (x.ln() - m.ln()) - difference,
    }
}

/// ln(xᵃ·e⁻ˣ/Γ(a+1)): the Poisson probability of the count a at the mean x.
pub(crate) fn log_poisson(a: f64, x: f64) -> f64 {
    if x == 0.0 {
        return if a == 0.0 { 0.0 } else { f64::NEG_INFINITY };
    }
    if a < 1.0 {
        return a * x.ln() - x - super::log_gamma_one_plus(a);
    }
    -HALF_LOG_TAU - 0.5 * a.ln() - stirling_error(a) - deviance(a, x)
}

/// ln of the binomial probability of k successes in n trials; `failure` is 1 − `success`.
pub(crate) fn log_binomial(k: f64, n: f64, success: f64, failure: f64) -> f64 {
    match k {
        _ if n == 0.0 => return 0.0,
        _ if k == 0.0 => return n * log_of_share(failure, success),
        _ if k == n => return n * log_of_share(success, failure),
        _ => (),
    }
    let rest = n - k;
    let errors = stirling_error(n) - stirling_error(k) - stirling_error(rest);
    errors - deviance(k, n * success) - deviance(rest, n * failure) + 0.5 * (n / k / rest).ln()
        - HALF_LOG_TAU
}

/// ln(xᵃ·yᵇ/B(a, b)) with y = 1 − x: the beta density times x·y.
pub(crate) fn log_beta_kernel(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    // A side below one has no bulk to expand around; the gamma functions are then harmless.
    if a < 1.0 || b < 1.0 || n < 10.0 {
        return a * log_of_share(x, y) + b * log_of_share(y, x) - super::log_beta(a, b);
    }
    let errors = stirling_error(n) - stirling_error(a) - stirling_error(b);
    errors - deviance(a, n * x) - deviance(b, n * y) + 0.5 * (a / n * b).ln() - HALF_LOG_TAU
}

/// ln x where x + y = 1: the larger of the two is known best through the smaller.
fn log_of_share(x: f64, y: f64) -> f64 {
    match x > 0.5 {
        true => (-y).ln_1p(),
        false => x.ln(),
    }
}
