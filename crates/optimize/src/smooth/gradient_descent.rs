//! Steepest descent.

use crate::descent::{Direction, Limits, Point, descend};
use crate::outcome::{Log, norm};
use crate::{LineSearch, Minimise, Objective, Outcome};
use didact_core::{Result, Run, parameters};
use didact_math::numeric::dot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Steepest descent: x ← x − t·∇f(x), with a fixed step t or one found by a line search.
///
/// A fixed step converges on a convex quadratic exactly when t < 2/λ, λ the largest eigenvalue of
/// the Hessian; a longer one is noticed and ends as [`Stop::Diverged`](crate::Stop::Diverged).
/// With exact line search, consecutive gradients are orthogonal, which makes the path zigzag in a
/// narrow valley: prefer [`Lbfgs`](crate::Lbfgs) there.
///
/// ```
/// use didact_optimize::{GradientDescent, LineSearch, Minimise, Stop};
/// use didact_core::Run;
/// // x³ − 2x² + 2 has a minimum at 4/3.
/// let mut cubic = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = x[0] * (3.0 * x[0] - 4.0);
///     x[0] * x[0] * (x[0] - 2.0) + 2.0
/// };
/// let method = GradientDescent {
///     line_search: LineSearch::Fixed { step: 0.1 },
///     ..GradientDescent::default()
/// };
/// let outcome = method.minimise(&mut cubic, &[2.0], &Run::new())?;
/// assert_eq!(outcome.stop, Stop::Gradient);
/// assert!((outcome.x[0] - 4.0 / 3.0).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GradientDescent {
    /// How far to go along the negative gradient.
    pub line_search: LineSearch,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of the gradient is larger in magnitude.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the value f by at most this much times max(|f|, 1).
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
    /// Converged when no coordinate x moves by more than this much times max(‖x‖, 1).
    #[schemars(range(min = 0))]
    pub step_tolerance: f64,
}

impl Default for GradientDescent {
    fn default() -> Self {
        GradientDescent {
            line_search: LineSearch::wolfe(),
            max_iter: 10_000,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
            step_tolerance: 0.0,
        }
    }
}

impl Minimise for GradientDescent {
    fn minimise(&self, objective: &mut dyn Objective, start: &[f64], run: &Run) -> Result<Outcome> {
        parameters::check(self)?;
        let limits = Limits {
            max_iter: self.max_iter,
            gradient: self.gradient_tolerance,
            objective: self.objective_tolerance,
            step: self.step_tolerance,
        };
        descend(
            objective,
            start,
            &mut Steepest { fall: None },
            &self.line_search,
            &limits,
            run,
        )
    }
}

/// Remembers t·‖∇f‖², the fall that the last step promised.
struct Steepest {
    fall: Option<f64>,
}

impl<O: Objective + ?Sized> Direction<O> for Steepest {
    fn choose(
        &mut self,
        _objective: &mut O,
        point: &Point,
        _log: &mut Log<'_>,
        direction: &mut [f64],
    ) -> Result<f64> {
        for i in 0..direction.len() {
            direction[i] = -point.gradient[i];
        }
        // The next step is expected to promise as much as the last; twice that lets steps grow.
        let squared = dot(&point.gradient, &point.gradient);
        let usual = norm(&point.gradient).recip().min(1.0);
        let step = self.fall.map_or(usual, |fall| 2.0 * fall / squared);
        Ok(if step.is_finite() && step > 0.0 {
            step
        } else {
            usual
        })
    }

    fn learn(&mut self, from: &Point, to: &Point) {
        let moved: f64 = (0..from.x.len())
            .map(|i| (from.x[i] - to.x[i]) * from.gradient[i])
            .sum();
        self.fall = Some(moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quadratic, Stop};
    use ndarray::array;

    fn cubic(x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient[0] = x[0] * (3.0 * x[0] - 4.0);
        x[0] * x[0] * (x[0] - 2.0) + 2.0
    }

    fn fixed(step: f64) -> GradientDescent {
        GradientDescent {
            line_search: LineSearch::Fixed { step },
            ..Default::default()
        }
    }

    /// ½xᵀHx − dᵀx with H = [[2, 0], [0, 10]]: λ = 10, so that 2/λ = 0.2.
    fn bowl() -> Quadratic {
        Quadratic::new(array![[2.0, 0.0], [0.0, 10.0]], array![2.0, 10.0]).unwrap()
    }

    // 002b:ES-03
    #[test]
    fn a_fixed_step_reaches_the_minimum_of_the_cubic_in_the_published_number_of_steps() {
        for (start, steps) in [(2.0, 43), (0.01, 60)] {
            let mut x = start;
            let mut count = 0;
            // The published test: the distance between two iterates falls below 1e-10.
            let method = GradientDescent {
                max_iter: 1,
                gradient_tolerance: 0.0,
                ..fixed(0.1)
            };
            loop {
                let next = method.minimise(&mut cubic, &[x], &Run::new()).unwrap().x[0];
                count += 1;
                if (next - x).abs() < 1e-10 {
                    break;
                }
                x = next;
            }
            assert!((x - 4.0 / 3.0).abs() < 1e-9);
            assert!((cubic(&[x], &mut [0.0]) - 22.0 / 27.0).abs() < 1e-12);
            assert_eq!(count, steps);
        }
        let outcome = fixed(0.1)
            .minimise(&mut cubic, &[-0.1], &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Diverged);
    }

    // 001:REG-09 000a:GEN-12
    #[test]
    fn a_step_below_two_over_the_largest_curvature_falls_and_one_above_diverges() {
        let outcome = fixed(0.19)
            .minimise(&mut bowl(), &[5.0, -3.0], &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Gradient);
        assert!(outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-6));
        // The value is −6 at the bottom; there it may rise by rounding.
        assert!(
            outcome
                .trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] <= pair[0] + 1e-14)
        );
        let outcome = fixed(0.21)
            .minimise(&mut bowl(), &[5.0, -3.0], &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Diverged);
    }

    // 001:REG-09
    #[test]
    fn the_test_that_fired_is_named() {
        let stop = |method: GradientDescent| {
            method
                .minimise(&mut bowl(), &[5.0, -3.0], &Run::new())
                .unwrap()
                .stop
        };
        let usual = fixed(0.1);
        assert_eq!(stop(usual.clone()), Stop::Gradient);
        assert_eq!(
            stop(GradientDescent {
                objective_tolerance: 1e-6,
                ..usual.clone()
            }),
            Stop::Objective
        );
        assert_eq!(
            stop(GradientDescent {
                step_tolerance: 1e-4,
                ..usual.clone()
            }),
            Stop::Step
        );
        assert_eq!(
            stop(GradientDescent {
                max_iter: 3,
                ..usual
            }),
            Stop::IterationLimit
        );
    }

    // 002b:ES-04
    #[test]
    fn gradients_of_consecutive_exact_searches_are_orthogonal() {
        let method = GradientDescent {
            line_search: LineSearch::Exact,
            max_iter: 1,
            ..Default::default()
        };
        let mut x = vec![5.0, -3.0];
        let mut before = vec![0.0; 2];
        bowl().evaluate(&x, &mut before).unwrap();
        for _ in 0..5 {
            x = method.minimise(&mut bowl(), &x, &Run::new()).unwrap().x;
            let mut after = vec![0.0; 2];
            bowl().evaluate(&x, &mut after).unwrap();
            assert!(dot(&before, &after).abs() <= 1e-12 * norm(&before) * norm(&before));
            before = after;
        }
        // Without the formula the search goes down to rounding.
        let mut plain = |x: &[f64], gradient: &mut [f64]| bowl().evaluate(x, gradient);
        let by_search = method
            .minimise(&mut plain, &[5.0, -3.0], &Run::new())
            .unwrap();
        let by_formula = method
            .minimise(&mut bowl(), &[5.0, -3.0], &Run::new())
            .unwrap();
        for (a, b) in by_search.x.iter().zip(&by_formula.x) {
            assert!((a - b).abs() < 1e-6);
        }
    }

    #[test]
    fn every_line_search_finds_the_minimum() {
        for line_search in [LineSearch::armijo(), LineSearch::wolfe(), LineSearch::Exact] {
            let method = GradientDescent {
                line_search,
                ..Default::default()
            };
            let outcome = method
                .minimise(&mut bowl(), &[5.0, -3.0], &Run::new())
                .unwrap();
            assert_eq!(outcome.stop, Stop::Gradient, "{line_search:?}");
            assert!(
                outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-6),
                "{line_search:?}"
            );
        }
    }

    #[test]
    fn an_objective_without_lower_bound_is_reported() {
        let mut slope = |_: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0;
            f64::NAN
        };
        assert!(
            fixed(0.1)
                .minimise(&mut slope, &[0.0], &Run::new())
                .is_err()
        );
        let mut slope = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0;
            x[0]
        };
        let method = GradientDescent::default();
        let outcome = method.minimise(&mut slope, &[0.0], &Run::new()).unwrap();
        assert_eq!(outcome.stop, Stop::Diverged);
    }

    #[test]
    fn parameters_outside_their_limits_are_named() {
        let error = |method: GradientDescent| {
            method
                .minimise(&mut cubic, &[1.0], &Run::new())
                .unwrap_err()
                .to_string()
        };
        assert!(
            error(fixed(-1.0)).contains("step"),
            "{}",
            error(fixed(-1.0))
        );
        let swapped = LineSearch::Wolfe {
            decrease: 0.9,
            curvature: 0.1,
        };
        let swapped = GradientDescent {
            line_search: swapped,
            ..Default::default()
        };
        assert!(error(swapped).contains("curvature is 0.1"));
        let negative = GradientDescent {
            gradient_tolerance: -1.0,
            ..Default::default()
        };
        assert!(error(negative).contains("gradient_tolerance is -1"));
        let start = GradientDescent::default().minimise(&mut cubic, &[], &Run::new());
        assert!(start.unwrap_err().to_string().contains("start is empty"));
    }
}
