//! Gradient steps on the smooth part, proximal steps on the rest.

use super::Penalty;
use crate::outcome::{Log, check_point, check_start, has_settled, largest_magnitude};
use crate::{Objective, Outcome, Stop};
use didact_core::{Error, Result, Run, parameters};
use didact_math::numeric::dot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shortenings of the step after which no descent is possible in floating point.
const SHORTENINGS: usize = 100;

/// Proximal gradients for f + h, f smooth and h a [`Penalty`]: x ← prox(x − t·∇f(x)).
///
/// The step t is found by backtracking: it is short enough when f lies below its parabola of
/// curvature 1/t, and it may grow again. Accelerated (FISTA), the gradient is taken at a point
/// extrapolated along the last move, and the extrapolation starts afresh whenever the objective
/// rises, so that the trace never does. With an L1 penalty coordinates become exactly zero; with
/// the indicator of a set this is the projected gradient method.
///
/// ```
/// use didact_optimize::{L1, ProximalGradient};
/// use didact_core::Run;
/// // ½(x − 3)² + ½(y − 0.5)² + |x| + |y| is least at (2, 0).
/// let mut squares = |x: &[f64], gradient: &mut [f64]| {
///     (gradient[0], gradient[1]) = (x[0] - 3.0, x[1] - 0.5);
///     0.5 * (gradient[0].powi(2) + gradient[1].powi(2))
/// };
/// let outcome =
///     ProximalGradient::default().minimise(&mut squares, &L1::new(1.0)?, &[0.0, 0.0], &Run::new())?;
/// assert!((outcome.x[0] - 2.0).abs() < 1e-8 && outcome.x[1] == 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProximalGradient {
    /// Whether steps are extrapolated (FISTA) or not (ISTA).
    pub accelerated: bool,
    /// The first step length to try.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub first_step: f64,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of (x − prox(x − t·∇f))/t is larger in magnitude.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the objective by at most this much, relatively.
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
}

impl Default for ProximalGradient {
    fn default() -> Self {
        ProximalGradient {
            accelerated: true,
            first_step: 1.0,
            max_iter: 10_000,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
        }
    }
}

/// Minimises a smooth objective over a set given by its projection: [`ProximalGradient`] with the
/// indicator of the set.
///
/// ```
/// use didact_optimize::{BoxSet, projected_gradient};
/// use didact_core::Run;
/// let mut bowl = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = x[0] - 5.0;
///     0.5 * gradient[0].powi(2)
/// };
/// let set = BoxSet::new(vec![0.0], vec![2.0])?;
/// assert_eq!(projected_gradient(&mut bowl, &set, &[0.0], &Run::new())?.x, [2.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn projected_gradient(
    objective: &mut dyn Objective,
    set: &dyn Penalty,
    start: &[f64],
    run: &Run,
) -> Result<Outcome> {
    ProximalGradient::default().minimise(objective, set, start, run)
}

impl ProximalGradient {
    /// Minimises `objective` + `penalty` from `start`, telling `run` of every iteration.
    pub fn minimise(
        &self,
        objective: &mut dyn Objective,
        penalty: &dyn Penalty,
        start: &[f64],
        run: &Run,
    ) -> Result<Outcome> {
        parameters::check(self)?;
        check_point(start)?;
        let n = start.len();
        let mut log = Log::new(run, self.max_iter);
        let mut x = start.to_vec();
        // A start outside the set is pulled inside; where the penalty is finite it stays.
        if !penalty.value(&x).is_finite() {
            penalty.step(&mut x, self.first_step);
        }
        let mut gradient = vec![0.0; n];
        let smooth = log.evaluate(objective, &x, &mut gradient)?;
        check_start(smooth, &gradient)?;
        let mut state = State {
            best: smooth + penalty.value(&x),
            ahead: x.clone(),
            smooth,
            gradient,
            next: x.clone(),
            step: self.first_step,
        };
        if !state.best.is_finite() {
            return Err(Error::numerical(format!(
                "the penalty is {} at the start; start inside its set",
                penalty.value(&x)
            )));
        }
        let mut momentum = 1.0_f64;
        let mut residual = f64::INFINITY;
        let stop = loop {
            if log.trace.n_iter() == self.max_iter {
                break Stop::IterationLimit;
            }
            let Some(value) = state.advance(objective, penalty, &mut log)? else {
                // Rounding decides: a plain step from the best point is the last resort.
                if state.ahead == x {
                    break Stop::Stalled;
                }
                state.restart(objective, &x, &mut log)?;
                momentum = 1.0;
                continue;
            };
            residual = state.residual();
            if value > state.best && state.ahead != x {
                state.restart(objective, &x, &mut log)?;
                momentum = 1.0;
                continue;
            }
            let before = std::mem::replace(&mut state.best, value);
            let last = std::mem::replace(&mut x, state.next.clone());
            log.trace.record(value)?;
            if residual <= self.gradient_tolerance {
                break Stop::Gradient;
            }
            if has_settled(before, value, self.objective_tolerance) {
                break Stop::Objective;
            }
            let next_momentum = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let share = if self.accelerated {
                (momentum - 1.0) / next_momentum
            } else {
                0.0
            };
            momentum = next_momentum;
            for i in 0..n {
                state.ahead[i] = x[i] + share * (x[i] - last[i]);
            }
            state.smooth = log.evaluate(objective, &state.ahead, &mut state.gradient)?;
            if !state.smooth.is_finite() {
                state.restart(objective, &x, &mut log)?;
                momentum = 1.0;
            }
        };
        Ok(log.finish(x, state.best, residual, stop))
    }
}

struct State {
    /// The objective at the best point.
    best: f64,
    /// Where the gradient is taken, with f and ∇f there.
    ahead: Vec<f64>,
    smooth: f64,
    gradient: Vec<f64>,
    /// Where the step leads.
    next: Vec<f64>,
    step: f64,
}

impl State {
    /// Steps from `ahead` with a step length under which f lies below its parabola; the objective
    /// at the end, or none where rounding allows no step.
    fn advance(
        &mut self,
        objective: &mut dyn Objective,
        penalty: &dyn Penalty,
        log: &mut Log<'_>,
    ) -> Result<Option<f64>> {
        // Growing slowly tries to undo shortenings that only a steep region asked for.
        self.step *= 1.1;
        for _ in 0..SHORTENINGS {
            for i in 0..self.next.len() {
                self.next[i] = self.ahead[i] - self.step * self.gradient[i];
            }
            penalty.step(&mut self.next, self.step);
            let smooth = log.value(objective, &self.next)?;
            let moved: Vec<f64> = (0..self.next.len())
                .map(|i| self.next[i] - self.ahead[i])
                .collect();
            let parabola =
                self.smooth + dot(&self.gradient, &moved) + 0.5 * dot(&moved, &moved) / self.step;
            if smooth <= parabola + 1e-14 * self.smooth.abs() {
                return Ok(Some(smooth + penalty.value(&self.next)));
            }
            self.step *= 0.5;
        }
        Ok(None)
    }

    /// (ahead − next)/t: zero exactly at a minimum.
    fn residual(&self) -> f64 {
        let moved: Vec<f64> = (0..self.next.len())
            .map(|i| self.next[i] - self.ahead[i])
            .collect();
        largest_magnitude(&moved) / self.step
    }

    /// Takes the gradient at the best point again.
    fn restart(
        &mut self,
        objective: &mut dyn Objective,
        x: &[f64],
        log: &mut Log<'_>,
    ) -> Result<()> {
        self.ahead.copy_from_slice(x);
        self.smooth = log.evaluate(objective, x, &mut self.gradient)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{L1, L2Ball, NonNegative, Simplex};
    use didact_testing::random_matrix;
    use ndarray::{Array1, Array2, ArrayView1};

    /// ½‖Ax − b‖².
    fn squares(a: Array2<f64>, b: Array1<f64>) -> impl FnMut(&[f64], &mut [f64]) -> f64 {
        move |x: &[f64], gradient: &mut [f64]| {
            let error = a.dot(&ArrayView1::from(x)) - &b;
            gradient.copy_from_slice(&a.t().dot(&error).to_vec());
            0.5 * error.dot(&error)
        }
    }

    fn lasso(accelerated: bool, weight: f64) -> Outcome {
        let a = random_matrix(30, 8, 1);
        let mut truth = Array1::zeros(8);
        (truth[1], truth[4]) = (2.0, -3.0);
        let b = a.dot(&truth) + random_matrix(30, 1, 2).column(0).mapv(|e| 0.1 * e);
        let method = ProximalGradient {
            accelerated,
            ..Default::default()
        };
        let penalty = L1::new(weight).unwrap();
        method
            .minimise(&mut squares(a, b), &penalty, &[0.0; 8], &Run::new())
            .unwrap()
    }

    // 000a:GEN-09
    #[test]
    fn an_l1_penalty_makes_exact_zeros_and_both_methods_agree() {
        let (slow, fast) = (lasso(false, 5.0), lasso(true, 5.0));
        assert_eq!((slow.stop, fast.stop), (Stop::Gradient, Stop::Gradient));
        for (a, b) in slow.x.iter().zip(&fast.x) {
            assert!((a - b).abs() < 1e-6);
        }
        assert!(
            fast.x.iter().filter(|x| **x == 0.0).count() >= 4,
            "{:?}",
            fast.x
        );
        for outcome in [slow, fast] {
            assert!(
                outcome
                    .trace
                    .objectives
                    .windows(2)
                    .all(|pair| pair[1] <= pair[0] * (1.0 + 1e-14))
            );
        }
    }

    // 000a:GEN-09
    #[test]
    fn no_penalty_is_least_squares_and_a_huge_one_the_zero_function() {
        let a = random_matrix(30, 4, 1);
        let b = random_matrix(30, 1, 2).column(0).to_owned();
        let exact = didact_math::linalg::pseudo_solve(
            a.view(),
            b.view().insert_axis(ndarray::Axis(1)),
            None,
        )
        .unwrap();
        let method = ProximalGradient::default();
        let fit = |weight: f64| {
            let penalty = L1::new(weight).unwrap();
            method
                .minimise(
                    &mut squares(a.clone(), b.clone()),
                    &penalty,
                    &[1.0; 4],
                    &Run::new(),
                )
                .unwrap()
        };
        for (found, expected) in fit(0.0).x.iter().zip(exact.solution.column(0)) {
            assert!((found - expected).abs() < 1e-6);
        }
        assert_eq!(fit(1e6).x, [0.0; 4]);
        // The smallest weight that makes everything zero is the largest entry of |Aᵀb|.
        let edge = largest_magnitude(&a.t().dot(&b).to_vec());
        assert_eq!(fit(1.0001 * edge).x, [0.0; 4]);
        assert!(fit(0.999 * edge).x.iter().any(|x| *x != 0.0));
    }

    // 000b:Q18
    #[test]
    fn projection_finds_the_constrained_minimum() {
        let mut bowl = |x: &[f64], gradient: &mut [f64]| {
            (gradient[0], gradient[1]) = (2.0 * (x[0] + 1.0), 2.0 * (x[1] - 2.0));
            (x[0] + 1.0).powi(2) + (x[1] - 2.0).powi(2)
        };
        let run = Run::new();
        let nearest = projected_gradient(&mut bowl, &NonNegative, &[5.0, 5.0], &run).unwrap();
        assert!(nearest.x[0] == 0.0 && (nearest.x[1] - 2.0).abs() < 1e-7);
        // The point of the unit circle towards (−1, 2).
        let ball = L2Ball::new(1.0).unwrap();
        let nearest = projected_gradient(&mut bowl, &ball, &[0.0, 0.0], &run).unwrap();
        let root = 5.0_f64.sqrt();
        assert!(
            (nearest.x[0] + 1.0 / root).abs() < 1e-7 && (nearest.x[1] - 2.0 / root).abs() < 1e-7
        );
        // A start outside is pulled inside.
        let nearest = projected_gradient(&mut bowl, &Simplex, &[5.0, 5.0], &run).unwrap();
        assert!(nearest.x[0].abs() < 1e-12 && (nearest.x[1] - 1.0).abs() < 1e-12);
    }
}
