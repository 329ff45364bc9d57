//! Steps along a sub-gradient.

use crate::outcome::{Log, check_point, check_start, largest_magnitude, norm};
use crate::{Objective, Outcome, Schedule, Stop};
use didact_core::{Error, Result, Run, parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The sign of x, zero at zero: the sub-gradient of |x| that keeps zeros where they are.
///
/// ```
/// assert_eq!([-2.0, 0.0, 3.0].map(didact_optimize::sign), [-1.0, 0.0, 1.0]);
/// ```
pub fn sign(x: f64) -> f64 {
    match x == 0.0 {
        true => 0.0,
        false => x.signum(),
    }
}

/// Whether f(z) ≥ f(x) + v·(z − x) holds for every z among `others`: a v that fails at one of
/// them is no sub-gradient of f at x; one that passes may still fail elsewhere.
///
/// ```
/// use didact_optimize::is_subgradient;
/// let f = |x: &[f64]| x[0].abs();
/// let others = [[-2.0], [-0.1], [0.3], [5.0]];
/// assert!(is_subgradient(f, &[0.0], &[0.5], &others));
/// assert!(!is_subgradient(f, &[0.0], &[1.5], &others));
/// ```
pub fn is_subgradient(
    function: impl Fn(&[f64]) -> f64,
    x: &[f64],
    v: &[f64],
    others: &[impl AsRef<[f64]>],
) -> bool {
    let here = function(x);
    others.iter().map(AsRef::as_ref).all(|other| {
        let promised: f64 = (0..x.len()).map(|i| v[i] * (other[i] - x[i])).sum();
        let there = function(other);
        there >= here + promised - 1e-12 * there.abs().max(here.abs()).max(1.0)
    })
}

/// The sub-gradient method: x ← x − η_k·v/max(1, ‖v‖), v any sub-gradient of a convex function.
///
/// Not a method of descent: the value may rise, so the best point is returned, not the last. The
/// step lengths must shrink towards zero while their sum grows without bound, as the default
/// schedule's do; the best value then converges to the minimum.
///
/// ```
/// use didact_optimize::{SubgradientMethod, sign};
/// use didact_core::Run;
/// let mut kinked = |x: &[f64], v: &mut [f64]| {
///     (v[0], v[1]) = (sign(x[0] - 1.0), 2.0 * sign(x[1]));
///     (x[0] - 1.0).abs() + 2.0 * x[1].abs()
/// };
/// let outcome = SubgradientMethod::default().minimise(&mut kinked, &[4.0, -3.0], &Run::new())?;
/// assert!(outcome.value < 0.1);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SubgradientMethod {
    /// How the step length shrinks.
    pub schedule: Schedule,
    /// The first step length.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rate: f64,
    /// Number of iterations; there is no test of convergence for objectives with kinks.
    pub max_iter: usize,
}

impl Default for SubgradientMethod {
    fn default() -> Self {
        SubgradientMethod {
            schedule: Schedule::InverseRoot,
            rate: 1.0,
            max_iter: 10_000,
        }
    }
}

impl SubgradientMethod {
    /// Minimises an objective whose "gradient" is a sub-gradient, telling `run` of every
    /// iteration; the trace has the values as they come, the outcome the best of them.
    pub fn minimise(
        &self,
        objective: &mut dyn Objective,
        start: &[f64],
        run: &Run,
    ) -> Result<Outcome> {
        parameters::check(self)?;
        self.schedule.check()?;
        if self.schedule == Schedule::Constant {
            return Err(Error::parameter(
                "schedule",
                "constant",
                "it must shrink the steps, or the iterates circle the minimum for ever",
            ));
        }
        check_point(start)?;
        let mut log = Log::new(run, self.max_iter);
        let mut x = start.to_vec();
        let mut v = vec![0.0; x.len()];
        let mut value = log.evaluate(objective, &x, &mut v)?;
        check_start(value, &v)?;
        let (mut best, mut best_value, mut best_norm) = (x.clone(), value, largest_magnitude(&v));
        let stop = loop {
            if v.iter().all(|&v| v == 0.0) {
                break Stop::Gradient;
            }
            let k = log.trace.n_iter();
            if k == self.max_iter {
                break Stop::IterationLimit;
            }
            let step = self.schedule.rate(self.rate, k) / norm(&v).max(1.0);
            (0..x.len()).for_each(|i| x[i] -= step * v[i]);
            value = log.evaluate(objective, &x, &mut v)?;
            if !(value.is_finite() && largest_magnitude(&v).is_finite()) {
                break Stop::Diverged;
            }
            log.trace.record(value)?;
            if value < best_value {
                best.copy_from_slice(&x);
                (best_value, best_norm) = (value, largest_magnitude(&v));
            }
        };
        Ok(log.finish(best, best_value, best_norm, stop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_gradient;
    use proptest::prelude::*;

    /// ½(x − 3)² + ½(y − 0.2)² + |x| + |y|, least at (2, 0) where it is 2.52.
    fn penalised(x: &[f64], v: &mut [f64]) -> f64 {
        let (a, b) = (x[0] - 3.0, x[1] - 0.2);
        (v[0], v[1]) = (a + sign(x[0]), b + sign(x[1]));
        0.5 * (a * a + b * b) + x[0].abs() + x[1].abs()
    }

    // 001:REG-11
    #[test]
    fn the_best_iterate_is_returned_although_values_rise() {
        let method = SubgradientMethod::default();
        let outcome = method
            .minimise(&mut penalised, &[-1.0, 1.0], &Run::new())
            .unwrap();
        let trace = &outcome.trace.objectives;
        assert!(trace.windows(2).any(|pair| pair[1] > pair[0]));
        let lowest = trace.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(outcome.value, lowest);
        // The best value is within ‖x₀ − x*‖²/(2·Ση) of the minimum, far less than this.
        assert!(outcome.value - 2.52 < 1e-2, "{}", outcome.value);
    }

    // 000b:S32
    #[test]
    fn away_from_zero_the_subgradient_is_the_gradient() {
        let mut objective = penalised;
        assert!(
            check_gradient(&mut objective, &[1.3, -0.7])
                .unwrap()
                .passes()
        );
        assert_eq!(sign(0.0), 0.0);
        assert_eq!(sign(-0.0), 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        // 001:REG-11
        #[test]
        fn exactly_the_slopes_between_minus_one_and_one_support_the_magnitude(v in -2.0..2.0f64) {
            let others: Vec<[f64; 1]> = (-50..=50).map(|i| [f64::from(i) * 0.1]).collect();
            let accepted = is_subgradient(|x| x[0].abs(), &[0.0], &[v], &others);
            prop_assert_eq!(accepted, v.abs() <= 1.0);
        }
    }

    #[test]
    fn steps_that_never_shrink_are_refused() {
        let method = SubgradientMethod {
            schedule: Schedule::Constant,
            ..Default::default()
        };
        let error = method
            .minimise(&mut penalised, &[0.0, 0.0], &Run::new())
            .unwrap_err();
        assert!(
            error.to_string().contains("schedule is constant"),
            "{error}"
        );
    }
}
