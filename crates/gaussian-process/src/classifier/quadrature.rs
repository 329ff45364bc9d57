//! The mean of the sigmoid under a Gaussian law.

use didact_math::numeric::sigmoid;

/// Beyond this many standard deviations nothing is left of a Gaussian.
const RANGE: f64 = 8.5;
/// Beyond this deviation the sigmoid is a step: only mean/deviation matters, up to 10⁻⁵.
const STEEPEST: f64 = 400.0;

/// ∫σ(z)·N(z; mean, variance)dz, by the rule of trapezoids.
///
/// For a function without poles near the real line the error of this rule falls exponentially
/// with the number of steps: with the poles of the sigmoid at ±πi and steps of h standard
/// deviations s it is about exp(−2π²/sh), which the choice of h makes vanish.
///
/// The averaged probability is nearer to one half than σ(mean): uncertainty makes cautious.
pub(crate) fn mean_of_sigmoid(mean: f64, variance: f64) -> f64 {
    let deviation = variance.max(0.0).sqrt();
    if deviation == 0.0 {
        return sigmoid(mean);
    }
    let shrink = (STEEPEST / deviation).min(1.0);
    let (mean, deviation) = (mean * shrink, deviation * shrink);
    let step = (0.5 / deviation).min(0.25);
    let steps = (RANGE / step).ceil() as usize;
    let (mut sum, mut weights) = (sigmoid(mean), 1.0);
    for place in 1..=steps {
        let z = place as f64 * step;
        let weight = (-0.5 * z * z).exp();
        sum += weight * (sigmoid(mean + deviation * z) + sigmoid(mean - deviation * z));
        weights += 2.0 * weight;
    }
    (sum / weights).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simpson's rule on a very fine grid.
    fn reference(mean: f64, variance: f64) -> f64 {
        let (n, deviation) = (400_000, variance.sqrt());
        let step = 20.0 / f64::from(n);
        let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let value = |place: i32| {
            let z = -10.0 + f64::from(place) * step;
            sigmoid(mean + deviation * z) * density(z)
        };
        let inner: f64 = (1..n)
            .map(|i| value(i) * if i % 2 == 1 { 4.0 } else { 2.0 })
            .sum();
        (value(0) + inner + value(n)) * step / 3.0
    }

    #[test]
    fn the_rule_agrees_with_a_very_fine_one() {
        for mean in [-30.0, -2.0, 0.0, 0.3, 5.0] {
            for variance in [1e-8, 0.1, 1.0, 9.0, 400.0, 1e4] {
                let (found, expected) =
                    (mean_of_sigmoid(mean, variance), reference(mean, variance));
                assert!(
                    (found - expected).abs() < 1e-12,
                    "{mean} {variance}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn limits_are_exact() {
        assert_eq!(mean_of_sigmoid(1.5, 0.0), sigmoid(1.5));
        assert!((mean_of_sigmoid(0.0, 1e30) - 0.5).abs() < 1e-15);
        // Φ(1) where the sigmoid is a step.
        assert!((mean_of_sigmoid(1e9, 1e18) - 0.841_344_746).abs() < 1e-5);
        assert!(mean_of_sigmoid(1000.0, 1.0) == 1.0);
    }
}
