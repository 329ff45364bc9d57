//! Dual coordinate descent with shrinking.
//!
//! The dual of the [`Problem`] is min ½‖Σβx‖² + Σ(¼β²/C where losses are squared) − tβ + ε|β| over
//! one multiplier β per row, in [−C, C] (without limits where losses are squared), and on the side
//! of its target where the loss is one-sided. There is no other constraint, because the intercept
//! is a weight like the others, so one multiplier can move at a time: its best value is known in
//! closed form, and w = Σβx makes the slope cheap. Multipliers that sit at a limit and are pushed
//! against it are left out until the others have settled.

use super::problem::{Found, Problem};
use didact_core::random::generator;
use didact_core::{Result, Run, StopReason, TraceWriter};
use rand::seq::SliceRandom;

/// How many multipliers move between two looks at the switch that stops a run.
const BREATH: usize = 1024;

/// The violation that the first round is content with, and by how much a round asks for more.
const FIRST_GOAL: f64 = 0.1;
const FASTER: f64 = 0.1;

struct Descent<'a, 'b> {
    problem: &'a Problem<'b>,
    lengths: Vec<f64>,
    multipliers: Vec<f64>,
    weights: Vec<f64>,
    /// The rows whose multipliers may still move, in front.
    order: Vec<usize>,
    n_active: usize,
}

/// Solves the problem until the gap is below `tol` times the objective.
pub(super) fn solve(
    problem: &Problem<'_>,
    tol: f64,
    max_iter: usize,
    seed: u64,
    run: &Run,
) -> Result<Found> {
    let n = problem.n_rows();
    let mut descent = Descent {
        problem,
        lengths: problem.squared_lengths(run)?,
        multipliers: vec![0.0; n],
        weights: vec![0.0; problem.n_weights()],
        order: (0..n).collect(),
        n_active: n,
    };
    let mut trace = TraceWriter::new(run, "regularised risk", Some(max_iter));
    let mut random = generator(seed, 0);
    let mut goal = FIRST_GOAL;
    let mut passes = 0;
    let mut best: Option<(f64, f64, Vec<f64>)> = None;
    let mut idle = 0;
    let stop = loop {
        let mut limit = f64::INFINITY;
        while passes < max_iter {
            passes += 1;
            descent.order[..descent.n_active].shuffle(&mut random);
            let violation = descent.pass(limit, run)?;
            if violation > goal {
                limit = violation;
            } else if descent.n_active == n {
                break;
            } else {
                // What was left out must agree too.
                descent.n_active = n;
                limit = f64::INFINITY;
            }
        }
        let (objective, gap) = descent.certify(run)?;
        trace.record(objective)?;
        let is_better = best.as_ref().is_none_or(|(_, least, _)| gap < *least);
        idle = if is_better { 0 } else { idle + 1 };
        if is_better {
            best = Some((objective, gap, descent.weights.clone()));
        }
        if gap <= tol * objective.abs().max(f64::MIN_POSITIVE) {
            break StopReason::Converged;
        }
        if passes == max_iter {
            break StopReason::IterationLimit;
        }
        // Rounding is all that is left to fight.
        if idle >= 3 || goal < 1e-14 {
            break StopReason::Stalled;
        }
        goal *= FASTER;
        descent.n_active = n;
    };
    let (objective, gap, weights) = best.expect("every round is certified");
    Ok(Found {
        weights,
        objective,
        gap,
        objectives: trace.finish(stop).objectives,
        stop,
    })
}

impl Descent<'_, '_> {
    /// The limits of a multiplier.
    #[inline]
    fn limits(&self, row: usize) -> (f64, f64) {
        let most = match self.problem.is_squared {
            true => f64::INFINITY,
            false => self.problem.prices[row],
        };
        match (self.problem.is_one_sided, self.problem.targets[row] > 0.0) {
            (false, _) => (-most, most),
            (true, true) => (0.0, most),
            (true, false) => (-most, 0.0),
        }
    }

    /// Moves every active multiplier to its best value; the largest slope that was found.
    fn pass(&mut self, limit: f64, run: &Run) -> Result<f64> {
        let problem = self.problem;
        let mut worst = 0.0_f64;
        let mut place = 0;
        while place < self.n_active {
            if place % BREATH == 0 {
                run.check()?;
            }
            let row = self.order[place];
            let (low, high) = self.limits(row);
            let beta = self.multipliers[row];
            let bend = match problem.is_squared {
                true => 0.5 / problem.prices[row],
                false => 0.0,
            };
            let slope = problem.score(row, &self.weights) + bend * beta - problem.targets[row];
            let right = slope
                + if beta >= 0.0 {
                    problem.epsilon
                } else {
                    -problem.epsilon
                };
            let left = slope
                + if beta > 0.0 {
                    problem.epsilon
                } else {
                    -problem.epsilon
                };
            // Held from both sides by more than anybody else was still moved.
            let held = (beta >= high || right > limit) && (beta <= low || left < -limit);
            if held {
                self.n_active -= 1;
                self.order.swap(place, self.n_active);
                continue;
            }
            place += 1;
            let upward = if beta < high { (-right).max(0.0) } else { 0.0 };
            let downward = if beta > low { left.max(0.0) } else { 0.0 };
            let violation = upward.max(downward);
            if violation == 0.0 {
                continue;
            }
            worst = worst.max(violation);
            let next = self.best_value(row, beta, slope, bend).clamp(low, high);
            if next != beta {
                self.multipliers[row] = next;
                problem.add(row, next - beta, &mut self.weights);
            }
        }
        Ok(worst)
    }

    /// Where the objective is least along one multiplier, its limits aside.
    #[inline]
    fn best_value(&self, row: usize, beta: f64, slope: f64, bend: f64) -> f64 {
        let curvature = self.lengths[row] + bend;
        let epsilon = self.problem.epsilon;
        if curvature <= 0.0 {
            // A row of zeros: the slope is the same everywhere.
            return match (slope + epsilon < 0.0, slope - epsilon > 0.0) {
                (true, _) => f64::INFINITY,
                (_, true) => f64::NEG_INFINITY,
                _ => 0.0,
            };
        }
        let free = beta - slope / curvature;
        let threshold = epsilon / curvature;
        match free.abs() > threshold {
            true => free - threshold.copysign(free),
            false => 0.0,
        }
    }

    /// The objective, and by how much it may be above the least one at most.
    fn certify(&mut self, run: &Run) -> Result<(f64, f64)> {
        let scores = self.problem.scores(&self.weights, run)?;
        let objective = self.problem.objective(&self.weights, &scores);
        let dual = self
            .problem
            .dual_objective(&self.weights, &self.multipliers);
        Ok((objective, Problem::gap(objective, dual)?))
    }
}
