//! What the laws of counts share: quantiles by bisection, entropy by summation.

use crate::{Density, Tail};

/// Counts up to here are exact as `f64`.
pub(super) const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The smallest count that reaches a tail, searched outwards from a guess.
pub(super) fn smallest_count(
    tail: Tail,
    guess: f64,
    last: Option<u64>,
    log_tails: impl Fn(u64) -> (f64, f64),
) -> u64 {
    let end = last.unwrap_or(u64::MAX);
    match tail {
        Tail::Lower(f64::NEG_INFINITY) | Tail::Upper(0.0) => return 0,
        Tail::Lower(0.0) | Tail::Upper(f64::NEG_INFINITY) => return end,
        _ => (),
    }
    let reached = |k: u64| {
        let (below, above) = log_tails(k);
        // A share that was itself computed as a sum of probabilities is reached by that sum.
        match tail {
            Tail::Lower(log) => below >= log - 1e-14 * (1.0 - log),
            Tail::Upper(log) => above <= log + 1e-14 * (1.0 - log),
        }
    };
    let mut high = (guess.max(0.0) as u64).min(end);
    let mut step = 1;
    while high < end && !reached(high) {
        high = high.saturating_add(step).min(end);
        step = step.saturating_mul(2);
    }
    let mut low = high;
    let mut step = 1;
    while low > 0 && reached(low) {
        high = low;
        low = low.saturating_sub(step);
        step *= 2;
    }
    if low == 0 && reached(0) {
        return 0;
    }
    // Not reached at `low`, reached at `high`.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match reached(middle) {
            true => high = middle,
            false => low = middle,
        }
    }
    high
}

/// −Σ p·ln p over the counts around the mean.
///
/// Where the law is many thousands wide its probabilities are as smooth as a bell curve, and
/// every so-manieth term stands for its neighbours (the trapezoidal rule is then exact).
pub(super) fn entropy_by_summation(
    law: &impl Density<u64>,
    mean: f64,
    deviation: f64,
    last: Option<u64>,
) -> f64 {
    // Beyond twenty deviations and a hundred counts the tails carry less than 10⁻¹⁶.
    let reach = 20.0 * deviation + 100.0;
    let first = (mean - reach).max(0.0) as u64;
    let end = ((mean + reach) as u64).min(last.unwrap_or(u64::MAX));
    let stride = ((deviation / 100.0) as u64).max(1);
    let terms = (first..=end).step_by(stride as usize).map(|k| {
        let log = law.log_density(k);
        if log == f64::NEG_INFINITY {
            0.0
        } else {
            -log * log.exp()
        }
    });
    didact_math::numeric::compensated_sum(terms) * stride as f64
}
