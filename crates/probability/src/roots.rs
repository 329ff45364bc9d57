//! Roots and maxima of functions of one variable.

use didact_core::{Error, Result};

/// The root of an increasing function, by Newton's method kept inside a shrinking bracket.
///
/// `function` returns value and slope. Where a Newton step leaves the bracket, or the slope is
/// useless, the bracket is halved (or doubled while one side is still open).
pub(crate) fn increasing_root(
    start: f64,
    mut low: f64,
    mut high: f64,
    function: impl Fn(f64) -> (f64, f64),
) -> f64 {
    let mut x = start;
    let mut reach = 1.0;
    let mut best = (f64::INFINITY, start);
    for _ in 0..200 {
        let (value, slope) = function(x);
        if value.abs() <= best.0 {
            best = (value.abs(), x);
        }
        if value == 0.0 {
            return x;
        }
        match value > 0.0 {
            true => high = high.min(x),
            false => low = low.max(x),
        }
        let newton = x - value / slope;
        // The edge of the bracket may be the last step of a converged iteration.
        let next = match newton.is_finite() && newton >= low && newton <= high {
            true if (newton - x).abs() <= reach * (1.0 + x.abs()) => newton,
            true => x + reach.copysign(newton - x) * (1.0 + x.abs()),
            false if low.is_infinite() => x - reach * (1.0 + x.abs()),
            false if high.is_infinite() => x + reach * (1.0 + x.abs()),
            false => 0.5 * (low + high),
        };
        let next = next.clamp(low, high);
        if low.is_infinite() || high.is_infinite() {
            reach *= 2.0;
        }
        if (next - x).abs() <= 4e-16 * x.abs() || next == x {
            let last = function(next).0.abs();
            return if last <= best.0 { next } else { best.1 };
        }
        x = next;
    }
    best.1
}

/// The place of the largest value of `function` on [low, high].
///
/// A grid finds the highest hill, golden sections climb it; with one hill between two grid points
/// the answer is exact to about √ε of the width.
pub(crate) fn maximise(low: f64, high: f64, function: impl Fn(f64) -> f64) -> Result<f64> {
    const GRID: usize = 256;
    if !(low.is_finite() && high.is_finite() && low < high) {
        return Err(Error::parameter(
            "range",
            format!("{low} to {high}"),
            "it must be finite and not empty",
        ));
    }
    let at = |i: usize| low + (high - low) * i as f64 / GRID as f64;
    let peak = didact_math::numeric::argmax((0..=GRID).map(|i| function(at(i))))
        .ok_or_else(|| Error::numerical("the function to maximise is nowhere a number"))?;
    let (mut a, mut b) = (at(peak.saturating_sub(1)), at((peak + 1).min(GRID)));
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut left, mut right) = (b - ratio * (b - a), a + ratio * (b - a));
    let (mut at_left, mut at_right) = (function(left), function(right));
    for _ in 0..100 {
        // NaN counts as low: the climb stays where the function is defined.
        if at_left >= at_right || at_right.is_nan() {
            (b, right, at_right) = (right, left, at_left);
            left = b - ratio * (b - a);
            at_left = function(left);
        } else {
            (a, left, at_left) = (left, right, at_right);
            right = a + ratio * (b - a);
            at_right = function(right);
        }
        if b - a <= 1e-12 * (a.abs() + b.abs()) {
            break;
        }
    }
    // The ends of the range are candidates too: a monotone function peaks there.
    let candidates = [0.5 * (a + b), at(peak), low, high];
    let best = didact_math::numeric::argmax(candidates.map(&function)).unwrap_or(0);
    Ok(candidates[best])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_found_from_bad_starts_and_with_bad_slopes() {
        let cube = |x: f64| (x * x * x - 2.0, 3.0 * x * x);
        for start in [0.0, -50.0, 1e6] {
            let root = increasing_root(start, f64::NEG_INFINITY, f64::INFINITY, cube);
            assert!((root - 2.0_f64.cbrt()).abs() < 1e-15, "{start}: {root}");
        }
        let flat = |x: f64| ((x - 0.3).signum(), 0.0);
        assert!((increasing_root(0.9, 0.0, 1.0, flat) - 0.3).abs() < 1e-15);
    }

    #[test]
    fn the_highest_hill_is_found_and_the_ends_count() {
        let hills = |x: f64| (-(x - 0.2).powi(2)).exp() + 2.0 * (-50.0 * (x - 3.1).powi(2)).exp();
        // The small hill's slope moves the peak by −2·2.9·e^(−2.9²)/200.
        let moved = 2.0 * 2.9 * (-8.41_f64).exp() / 200.0;
        assert!((maximise(-5.0, 5.0, hills).unwrap() - (3.1 - moved)).abs() < 1e-7);
        assert_eq!(maximise(-1.0, 2.0, |x| x).unwrap(), 2.0);
        assert_eq!(maximise(-1.0, 2.0, |x| -x).unwrap(), -1.0);
        assert!(maximise(1.0, 1.0, |x| x).is_err());
        assert!(maximise(0.0, 1.0, |_| f64::NAN).is_err());
    }
}
