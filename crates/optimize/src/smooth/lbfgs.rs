//! Minimisation by gradients alone, with a memory of the last steps.

use super::Memory;
use crate::descent::{Direction, Limits, Point, descend};
use crate::outcome::{Log, norm};
use crate::{LineSearch, Minimise, Objective, Outcome};
use didact_core::{Result, Run, parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limited-memory quasi-Newton minimisation after Broyden, Fletcher, Goldfarb and Shanno.
///
/// Descends along −B·∇f, where B approximates the inverse Hessian from the last `memory` steps
/// s and changes y of the gradient, with a line search for the strong Wolfe conditions. The work
/// per iteration is O(memory·n), so that it serves problems with very many variables.
///
/// An objective with kinks is minimised as far as possible; the outcome then carries a warning.
///
/// ```
/// use didact_optimize::{Lbfgs, Minimise};
/// use didact_core::Run;
/// // Rosenbrock's valley, least at (1, 1).
/// let mut valley = |x: &[f64], gradient: &mut [f64]| {
///     let (steep, flat) = (x[1] - x[0] * x[0], 1.0 - x[0]);
///     gradient[0] = -400.0 * steep * x[0] - 2.0 * flat;
///     gradient[1] = 200.0 * steep;
///     100.0 * steep * steep + flat * flat
/// };
/// let outcome = Lbfgs::default().minimise(&mut valley, &[-1.2, 1.0], &Run::new())?;
/// assert!(outcome.is_converged() && (outcome.x[0] - 1.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lbfgs {
    /// How many of the last steps describe the curvature.
    #[schemars(range(min = 1))]
    pub memory: usize,
    /// How far to go along each direction.
    pub line_search: LineSearch,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of the gradient is larger in magnitude.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the value f by at most this much times max(|f|, 1);
    /// zero leaves the decision to the gradient.
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Lbfgs {
            memory: 10,
            // Quasi-Newton steps are good as they come: a loose demand on the slope saves
            // evaluations.
            line_search: LineSearch::Wolfe {
                decrease: 1e-4,
                curvature: 0.95,
            },
            max_iter: 15_000,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
        }
    }
}

impl Minimise for Lbfgs {
    fn minimise(&self, objective: &mut dyn Objective, start: &[f64], run: &Run) -> Result<Outcome> {
        parameters::check(self)?;
        let limits = Limits {
            max_iter: self.max_iter,
            gradient: self.gradient_tolerance,
            objective: self.objective_tolerance,
            step: 0.0,
        };
        let mut rule = Memory::new(self.memory);
        descend(objective, start, &mut rule, &self.line_search, &limits, run)
    }
}

impl<O: Objective + ?Sized> Direction<O> for Memory {
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
        self.apply(direction);
        // Nothing is known of the curvature at first: move by one at most.
        Ok(match self.is_empty() {
            true => norm(direction).recip().min(1.0),
            false => 1.0,
        })
    }

    fn learn(&mut self, from: &Point, to: &Point) {
        self.remember((&from.x, &from.gradient), (&to.x, &to.gradient));
    }

    fn reset(&mut self) -> bool {
        let was_learned = !self.is_empty();
        self.clear();
        was_learned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;
    use crate::testing::{rosenbrock, valley_start};
    use didact_core::{Cancel, Error};

    fn minimise(objective: &mut dyn Objective, start: Vec<f64>, method: Lbfgs) -> Outcome {
        method.minimise(objective, &start, &Run::new()).unwrap()
    }

    // 000b:D37 000b:Q22
    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        for n in [2, 10, 50] {
            let outcome = minimise(&mut rosenbrock, valley_start(n), Lbfgs::default());
            assert_eq!(outcome.stop, Stop::Gradient);
            // In higher dimensions there is a second minimum at x₁ ≈ −1; from here it is avoided.
            assert!(
                outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-6),
                "{outcome:?}"
            );
            assert!(outcome.value < 1e-12 && outcome.gradient_norm <= 1e-8);
            assert!(outcome.warnings.is_empty());
        }
    }

    /// ½Σ cᵢ(xᵢ − i)² with curvatures from 1 to 10ᵏ.
    fn bowl(n: usize, k: f64) -> impl FnMut(&[f64], &mut [f64]) -> f64 {
        move |x: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for i in 0..n {
                let difference = x[i] - i as f64;
                gradient[i] = 10f64.powf(k * i as f64 / (n - 1) as f64) * difference;
                value += 0.5 * gradient[i] * difference;
            }
            value
        }
    }

    // 000b:D37
    #[test]
    fn a_quadratic_takes_few_more_iterations_than_it_has_variables() {
        let method = Lbfgs {
            gradient_tolerance: 1e-6,
            ..Default::default()
        };
        // SciPy's takes 16 iterations too.
        let outcome = minimise(&mut bowl(8, 1.0), vec![0.0; 8], method.clone());
        assert_eq!(outcome.stop, Stop::Gradient);
        assert!(outcome.iterations() <= 16, "{}", outcome.iterations());
        // With exact line search it is the method of conjugate gradients.
        let method = Lbfgs {
            line_search: LineSearch::Exact,
            ..method
        };
        let outcome = minimise(&mut bowl(8, 1.0), vec![0.0; 8], method);
        assert!(outcome.iterations() <= 8 + 1, "{}", outcome.iterations());
    }

    #[test]
    fn an_ill_conditioned_quadratic_is_solved() {
        // A memory of ten would need thousands of iterations here, whoever writes the method.
        let method = Lbfgs {
            memory: 30,
            gradient_tolerance: 1e-7,
            ..Default::default()
        };
        let outcome = minimise(&mut bowl(20, 6.0), vec![0.0; 20], method);
        assert_eq!(outcome.stop, Stop::Gradient, "{outcome:?}");
        let mut coordinates = outcome.x.iter().enumerate();
        assert!(
            coordinates.all(|(i, x)| (x - i as f64).abs() < 1e-6),
            "{outcome:?}"
        );
    }

    #[test]
    fn the_edge_of_the_domain_is_respected() {
        // x − ln x has no value for x ≤ 0 and its minimum at one.
        let mut objective = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0 - 1.0 / x[0];
            x[0] - x[0].ln()
        };
        for start in [1e-3, 0.9, 30.0] {
            let outcome = minimise(&mut objective, vec![start], Lbfgs::default());
            assert_eq!(outcome.stop, Stop::Gradient);
            assert!((outcome.x[0] - 1.0).abs() < 1e-6, "{outcome:?}");
        }
    }

    #[test]
    fn the_reason_to_stop_is_told_honestly() {
        let start = || vec![-1.2, 1.0];
        let method = Lbfgs {
            max_iter: 3,
            ..Default::default()
        };
        let limited = minimise(&mut rosenbrock, start(), method);
        assert_eq!(
            (limited.stop, limited.iterations()),
            (Stop::IterationLimit, 3)
        );
        let method = Lbfgs {
            gradient_tolerance: 0.0,
            objective_tolerance: 1e-10,
            ..Default::default()
        };
        assert_eq!(
            minimise(&mut rosenbrock, start(), method).stop,
            Stop::Objective
        );
        // |x| with a wrong gradient everywhere: no descent, no convergence.
        let mut lying = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = -1.0;
            x[0].abs()
        };
        assert_eq!(
            minimise(&mut lying, vec![0.0], Lbfgs::default()).stop,
            Stop::Stalled
        );
        let done = minimise(&mut rosenbrock, vec![1.0, 1.0], Lbfgs::default());
        assert_eq!((done.stop, done.iterations()), (Stop::Gradient, 0));
    }

    // 000a:SSL-28
    #[test]
    fn an_objective_with_kinks_falls_and_earns_a_warning() {
        // |x − 1| + 2|y + 0.5|, least at (1, −0.5).
        let mut kinked = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = (x[0] - 1.0).signum();
            gradient[1] = 2.0 * (x[1] + 0.5).signum();
            (x[0] - 1.0).abs() + 2.0 * (x[1] + 0.5).abs()
        };
        let outcome = minimise(&mut kinked, vec![3.0, 4.0], Lbfgs::default());
        assert!(outcome.value < 11.0 && !outcome.is_converged());
        assert!(outcome.warnings[0].contains("not smooth"), "{outcome:?}");
    }

    #[test]
    fn a_demand_that_floating_point_cannot_meet_ends_as_stalled() {
        let mut objective = |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = (x[0] - 0.1).exp() - 1.0 + 1e-9;
            (x[0] - 0.1).exp() - x[0] + 1e6
        };
        let method = Lbfgs {
            gradient_tolerance: 0.0,
            ..Default::default()
        };
        let outcome = minimise(&mut objective, vec![2.0], method);
        assert_eq!(outcome.stop, Stop::Stalled);
        assert!((outcome.x[0] - 0.1).abs() < 1e-4, "{outcome:?}");
    }

    #[test]
    fn values_fall_and_errors_pass_through() {
        let outcome = minimise(&mut rosenbrock, vec![-1.2, 1.0], Lbfgs::default());
        assert!(
            outcome
                .trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] <= pair[0])
        );
        let cancel = Cancel::new();
        cancel.cancel();
        let run = Run::new().cancelled_by(&cancel);
        let stopped = Lbfgs::default().minimise(&mut rosenbrock, &[-1.2, 1.0], &run);
        assert!(matches!(stopped, Err(Error::Cancelled)));
        let mut broken = |_: &[f64], _: &mut [f64]| f64::NAN;
        let broken = Lbfgs::default().minimise(&mut broken, &[0.0], &Run::new());
        assert!(matches!(broken, Err(Error::Numerical(_))));
        let method = Lbfgs {
            memory: 0,
            ..Default::default()
        };
        let error = method
            .minimise(&mut rosenbrock, &[0.0, 0.0], &Run::new())
            .unwrap_err();
        assert!(error.to_string().contains("memory is 0"), "{error}");
    }
}
