//! Integrals by the double-exponential rule, over finite and infinite ranges.

use didact_core::{Error, Result};
use std::f64::consts::FRAC_PI_2;

/// Halvings of the step before the rule gives up.
const LEVELS: usize = 10;

/// ∫ f(x) dx from `low` to `high`, either of which may be infinite.
///
/// The double-exponential substitution makes the integrand fall so fast at both ends that the
/// trapezoidal rule converges exponentially, even for integrands that grow without bound (but
/// integrably) at an end. Narrow peaks far from the middle of the range are better integrated
/// piece by piece.
///
/// ```
/// use didact_probability::quadrature::integrate;
/// let bell = integrate(f64::NEG_INFINITY, f64::INFINITY, |x| (-x * x).exp())?;
/// assert!((bell - std::f64::consts::PI.sqrt()).abs() < 1e-13);
/// let root = integrate(0.0, 1.0, |x| 1.0 / x.sqrt())?;
/// assert!((root - 2.0).abs() < 1e-7);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn integrate(low: f64, high: f64, f: impl Fn(f64) -> f64) -> Result<f64> {
    if low.is_nan() || high.is_nan() {
        return Err(Error::parameter(
            "range",
            format!("{low} to {high}"),
            "its ends must be numbers",
        ));
    }
    if low >= high {
        return match low == high {
            true => Ok(0.0),
            false => integrate(high, low, f).map(|value| -value),
        };
    }
    let map = Map::new(low, high);
    let mut step = 1.0;
    let mut sum = 0.0;
    let mut size = 0.0;
    let mut previous = f64::NAN;
    for level in 0..=LEVELS {
        // Each halving of the step adds the points in between.
        let stride = if level == 0 { step } else { 2.0 * step };
        let mut t = if level == 0 {
            -map.reach
        } else {
            -map.reach + step
        };
        while t <= map.reach {
            let (x, weight) = map.at(t);
            if weight > 0.0 && x > low && x < high {
                let term = f(x) * weight;
                if term.is_nan() {
                    return Err(Error::numerical(format!(
                        "the function to integrate is not a number at {x}"
                    )));
                }
                if term.is_finite() {
                    sum += term;
                    size += term.abs();
                }
            }
            t += stride;
        }
        let estimate = sum * step;
        if level > 2 && (estimate - previous).abs() <= 1e-13 * size * step {
            return Ok(estimate);
        }
        if level == LEVELS {
            let settled = (estimate - previous).abs() <= 1e-6 * size * step;
            return match settled {
                true => Ok(estimate),
                false => Err(Error::numerical(format!(
                    "the integral from {low} to {high} did not converge; \
                     integrate the pieces between kinks and peaks one by one"
                ))),
            };
        }
        previous = estimate;
        step *= 0.5;
    }
    Ok(previous)
}

/// The substitution x(t) and its derivative for a range.
struct Map {
    low: f64,
    high: f64,
    /// How far t goes to either side.
    reach: f64,
}

impl Map {
    fn new(low: f64, high: f64) -> Self {
        let reach = if low.is_finite() && high.is_finite() {
            4.0
        } else {
            6.0
        };
        Map { low, high, reach }
    }

    fn at(&self, t: f64) -> (f64, f64) {
        let (u, slope) = (FRAC_PI_2 * t.sinh(), FRAC_PI_2 * t.cosh());
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => {
                let width = self.high - self.low;
                // The share of the width from the nearer end keeps its digits.
                let share = 1.0 / (1.0 + (2.0 * u.abs()).exp());
                let x = match u < 0.0 {
                    true => self.low + width * share,
                    false => self.high - width * share,
                };
                (x, width * 2.0 * share * (1.0 - share) * slope)
            }
            (true, false) => (self.low + u.exp(), u.exp() * slope),
            (false, true) => (self.high - u.exp(), u.exp() * slope),
            (false, false) => (u.sinh(), u.cosh() * slope),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn known_integrals_are_found_on_every_kind_of_range() {
        let close = |found: Result<f64>, expected: f64| {
            let found = found.unwrap();
            assert!(
                (found - expected).abs() <= 1e-12 * expected.abs(),
                "{found} {expected}"
            );
        };
        close(integrate(0.0, PI, f64::sin), 2.0);
        close(integrate(0.0, f64::INFINITY, |x| (-x).exp()), 1.0);
        close(integrate(f64::NEG_INFINITY, 0.0, |x| x.exp()), 1.0);
        close(
            integrate(f64::NEG_INFINITY, f64::INFINITY, |x| 1.0 / (1.0 + x * x)),
            PI,
        );
        close(integrate(1.0, 0.0, |x| 3.0 * x * x), -1.0);
        close(integrate(0.0, 1.0, |x| -x.ln()), 1.0);
        assert_eq!(integrate(2.0, 2.0, |x| x).unwrap(), 0.0);
    }

    #[test]
    fn what_cannot_be_integrated_is_an_error() {
        assert!(integrate(f64::NAN, 1.0, |x| x).is_err());
        assert!(integrate(0.0, 1.0, |_| f64::NAN).is_err());
        assert!(integrate(0.0, 1000.0, |x| (x * x).sin().signum()).is_err());
    }
}
