//! Minimisation by gradients alone, with a memory of the last steps.

use super::line_search::{Trial, search};
use super::{Outcome, check_start, has_settled, largest_magnitude};
use didact_core::{Result, StopReason};
use didact_math::numeric::dot;
use std::collections::VecDeque;

/// When [`lbfgs`] stops and how much it remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LbfgsOptions {
    /// How many of the last steps describe the curvature.
    pub memory: usize,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of the gradient is larger in magnitude.
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the value f by at most this much times max(|f|, 1);
    /// zero leaves the decision to the gradient.
    pub objective_tolerance: f64,
}

impl Default for LbfgsOptions {
    fn default() -> Self {
        LbfgsOptions {
            memory: 10,
            max_iter: 1000,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
        }
    }
}

/// A step and the change of the gradient along it.
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// 1 / (step·change).
    scale: f64,
}

/// Minimises a smooth function by the limited-memory method of Broyden, Fletcher, Goldfarb and
/// Shanno, with a line search for the strong Wolfe conditions.
///
/// `objective` returns the value at a point and writes the gradient; an infinite value or NaN
/// away from the start makes the line search retreat. `on_iteration` is told the value after each
/// iteration and may stop everything with an error: pass `|value| trace.record(value)`.
///
/// ```
/// use didact_optimize::{lbfgs, LbfgsOptions};
/// let bowl = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * (x[0] - 3.0);
///     Ok((x[0] - 3.0).powi(2))
/// };
/// let outcome = lbfgs(bowl, vec![0.0], &LbfgsOptions::default(), |_| Ok(()))?;
/// assert!((outcome.x[0] - 3.0).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn lbfgs(
    mut objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    start: Vec<f64>,
    options: &LbfgsOptions,
    mut on_iteration: impl FnMut(f64) -> Result<()>,
) -> Result<Outcome> {
    let n = start.len();
    let mut x = start;
    let mut gradient = vec![0.0; n];
    let mut value = objective(&x, &mut gradient)?;
    check_start(value, &gradient)?;
    let mut pairs: VecDeque<Pair> = VecDeque::with_capacity(options.memory);
    let mut direction = vec![0.0; n];
    let (mut next, mut next_gradient) = (vec![0.0; n], vec![0.0; n]);
    let mut iterations = 0;
    let stop = loop {
        if largest_magnitude(&gradient) <= options.gradient_tolerance {
            break StopReason::Converged;
        }
        if iterations == options.max_iter {
            break StopReason::IterationLimit;
        }
        descend(&gradient, &pairs, &mut direction);
        let slope = dot(&gradient, &direction);
        let first_step = match pairs.is_empty() {
            // Nothing is known of the curvature yet: move by one at most.
            true => 1.0 / largest_magnitude(&gradient).max(1.0),
            false => 1.0,
        };
        let found = match slope < 0.0 {
            false => None,
            true => search(
                Trial {
                    step: 0.0,
                    value,
                    slope,
                },
                first_step,
                |step| {
                    for i in 0..n {
                        next[i] = x[i] + step * direction[i];
                    }
                    let value = objective(&next, &mut next_gradient)?;
                    Ok(Trial {
                        step,
                        value,
                        slope: dot(&next_gradient, &direction),
                    })
                },
            )?,
        };
        // At the bottom rounding hides the fall of the value; then the gradient must shrink.
        let found = found.filter(|found| {
            found.value < value || largest_magnitude(&next_gradient) < largest_magnitude(&gradient)
        });
        let Some(found) = found else {
            // The memory may describe a curvature that is gone; steepest descent has none.
            match pairs.is_empty() {
                true => break StopReason::Stalled,
                false => pairs.clear(),
            }
            continue;
        };
        remember(
            &mut pairs,
            options.memory,
            &x,
            &next,
            &gradient,
            &next_gradient,
        );
        std::mem::swap(&mut x, &mut next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        let before = std::mem::replace(&mut value, found.value);
        iterations += 1;
        on_iteration(value)?;
        if has_settled(before, value, options.objective_tolerance) {
            break StopReason::Converged;
        }
    };
    Ok(Outcome {
        gradient_norm: largest_magnitude(&gradient),
        x,
        value,
        iterations,
        stop,
    })
}

/// Writes minus the gradient times the approximate inverse Hessian, by the two loops.
fn descend(gradient: &[f64], pairs: &VecDeque<Pair>, direction: &mut [f64]) {
    for (direction, gradient) in direction.iter_mut().zip(gradient) {
        *direction = -gradient;
    }
    let mut shares = Vec::with_capacity(pairs.len());
    for pair in pairs.iter().rev() {
        let share = pair.scale * dot(&pair.step, direction);
        add_scaled(direction, -share, &pair.change);
        shares.push(share);
    }
    if let Some(last) = pairs.back() {
        let scale = 1.0 / (last.scale * dot(&last.change, &last.change));
        direction.iter_mut().for_each(|value| *value *= scale);
    }
    for (pair, share) in pairs.iter().zip(shares.into_iter().rev()) {
        let correction = share - pair.scale * dot(&pair.change, direction);
        add_scaled(direction, correction, &pair.step);
    }
}

fn add_scaled(target: &mut [f64], factor: f64, values: &[f64]) {
    for (target, value) in target.iter_mut().zip(values) {
        *target += factor * value;
    }
}

/// Keeps the last step, unless rounding has left it no positive curvature.
fn remember(
    pairs: &mut VecDeque<Pair>,
    memory: usize,
    x: &[f64],
    next: &[f64],
    gradient: &[f64],
    next_gradient: &[f64],
) {
    let step: Vec<f64> = next.iter().zip(x).map(|(next, x)| next - x).collect();
    let change: Vec<f64> = next_gradient
        .iter()
        .zip(gradient)
        .map(|(next, now)| next - now)
        .collect();
    let curvature = dot(&step, &change);
    let is_convex = curvature > 1e-3 * f64::EPSILON * dot(&change, &change);
    if memory == 0 || !is_convex {
        return;
    }
    if pairs.len() == memory {
        pairs.pop_front();
    }
    pairs.push_back(Pair {
        step,
        change,
        scale: curvature.recip(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Error;

    /// Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)², least at (1, …, 1).
    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> Result<f64> {
        gradient.fill(0.0);
        let mut value = 0.0;
        for i in 0..x.len() - 1 {
            let (valley, slope) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
            value += 100.0 * valley * valley + slope * slope;
            gradient[i] += -400.0 * valley * x[i] - 2.0 * slope;
            gradient[i + 1] += 200.0 * valley;
        }
        Ok(value)
    }

    fn minimise(
        objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
        start: Vec<f64>,
        options: LbfgsOptions,
    ) -> Outcome {
        lbfgs(objective, start, &options, |_| Ok(())).unwrap()
    }

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        for n in [2, 10, 50] {
            let start = (0..n)
                .map(|i| if i % 2 == 0 { -1.2 } else { 1.0 })
                .collect();
            let outcome = minimise(rosenbrock, start, LbfgsOptions::default());
            assert_eq!(outcome.stop, StopReason::Converged);
            // In higher dimensions there is a second minimum at x₁ ≈ −1; from here it is avoided.
            assert!(
                outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-6),
                "{outcome:?}"
            );
            assert!(outcome.value < 1e-12 && outcome.gradient_norm <= 1e-8);
        }
    }

    #[test]
    fn an_ill_conditioned_quadratic_is_solved() {
        // ½Σ cᵢ(xᵢ − i)² with curvatures from 1 to 1e6.
        let curvature = |i: usize| 10f64.powf(6.0 * i as f64 / 19.0);
        let objective = |x: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for i in 0..20 {
                let difference = x[i] - i as f64;
                gradient[i] = curvature(i) * difference;
                value += 0.5 * gradient[i] * difference;
            }
            Ok(value)
        };
        // A memory of ten would need thousands of iterations here, whoever writes the method.
        let options = LbfgsOptions {
            memory: 30,
            gradient_tolerance: 1e-7,
            ..Default::default()
        };
        let outcome = minimise(objective, vec![0.0; 20], options);
        assert_eq!(outcome.stop, StopReason::Converged, "{outcome:?}");
        assert!(
            outcome
                .x
                .iter()
                .enumerate()
                .all(|(i, x)| (x - i as f64).abs() < 1e-6),
            "{outcome:?}"
        );
    }

    #[test]
    fn the_edge_of_the_domain_is_respected() {
        // x − ln x has no value for x ≤ 0 and its minimum at one.
        let objective = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0 - 1.0 / x[0];
            Ok(x[0] - x[0].ln())
        };
        for start in [1e-3, 0.9, 30.0] {
            let outcome = minimise(objective, vec![start], LbfgsOptions::default());
            assert_eq!(outcome.stop, StopReason::Converged);
            assert!((outcome.x[0] - 1.0).abs() < 1e-6, "{outcome:?}");
        }
    }

    #[test]
    fn the_reason_to_stop_is_told_honestly() {
        let start = || vec![-1.2, 1.0];
        let limited = minimise(
            rosenbrock,
            start(),
            LbfgsOptions {
                max_iter: 3,
                ..Default::default()
            },
        );
        assert_eq!(
            (limited.stop, limited.iterations),
            (StopReason::IterationLimit, 3)
        );
        let settled = minimise(
            rosenbrock,
            start(),
            LbfgsOptions {
                gradient_tolerance: 0.0,
                objective_tolerance: 1e-10,
                ..Default::default()
            },
        );
        assert_eq!(settled.stop, StopReason::Converged);
        // |x| with a wrong gradient everywhere: no descent, no convergence.
        let lying = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = -1.0;
            Ok(x[0].abs())
        };
        assert_eq!(
            minimise(lying, vec![0.0], LbfgsOptions::default()).stop,
            StopReason::Stalled
        );
        let done = minimise(rosenbrock, vec![1.0, 1.0], LbfgsOptions::default());
        assert_eq!((done.stop, done.iterations), (StopReason::Converged, 0));
    }

    #[test]
    fn a_demand_that_floating_point_cannot_meet_ends_as_stalled() {
        let objective = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = (x[0] - 0.1).exp() - 1.0 + 1e-9;
            Ok((x[0] - 0.1).exp() - x[0] + 1e6)
        };
        let outcome = minimise(
            objective,
            vec![2.0],
            LbfgsOptions {
                gradient_tolerance: 0.0,
                ..Default::default()
            },
        );
        assert_eq!(outcome.stop, StopReason::Stalled);
        assert!((outcome.x[0] - 0.1).abs() < 1e-4, "{outcome:?}");
    }

    #[test]
    fn values_fall_and_errors_pass_through() {
        let mut values = Vec::new();
        let record = |value| {
            values.push(value);
            Ok(())
        };
        let outcome = lbfgs(
            rosenbrock,
            vec![-1.2, 1.0],
            &LbfgsOptions::default(),
            record,
        )
        .unwrap();
        assert_eq!(values.len(), outcome.iterations);
        assert!(values.windows(2).all(|pair| pair[1] <= pair[0]));
        let stopped = lbfgs(
            rosenbrock,
            vec![-1.2, 1.0],
            &LbfgsOptions::default(),
            |_| Err(Error::Cancelled),
        );
        assert!(matches!(stopped, Err(Error::Cancelled)));
        let broken = lbfgs(
            |_, _| Ok(f64::NAN),
            vec![0.0],
            &LbfgsOptions::default(),
            |_| Ok(()),
        );
        assert!(matches!(broken, Err(Error::Numerical(_))));
    }
}
