//! The search for a minimum, one evaluation at a time.
//!
//! [`Search::point`] says where to evaluate, [`Search::tell`] takes the result. Everything known
//! in between is plain data, so a search can pause for a pass over a file or a cluster.

use crate::centred::LANES;
use didact_core::{Result, StopReason, Trace};
use didact_math::linalg::{Cholesky, symmetric_eigen};
use didact_math::numeric::dot;
use didact_math::vectorised::vectorised;
use ndarray::{Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// How many past steps L-BFGS remembers.
const MEMORY: usize = 10;
/// Fewer steps say too little of the curvature to tell how far the minimum is.
const LEAST_ITERATIONS: usize = 5;
/// Share of the predicted decrease that a step must reach at least.
const DECREASE: f64 = 1e-4;
/// Share of the first slope that may be left at the end of a step.
const SLOPE_LEFT: f64 = 0.9;
/// Differences of the objective below this share of it are rounding.
const ROUNDING: f64 = 1e-13;
/// A line on which this many steps fail leads nowhere.
const MOST_TRIALS: usize = 50;
/// A Newton step this long (in units of a score per standard deviation) where the gradient has
/// vanished means that the minimum lies at infinity.
const FAR: f64 = 0.05;

/// A slope that rounding leaves within reach.
const LEAST_TOL: f64 = 1e-10;

/// A share of the curvature below which it is nothing but rounding.
const LEAST_PIVOT: f64 = 1e-12;

/// How directions are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Method {
    Newton,
    Lbfgs,
}

/// When a search ends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Goal {
    pub(super) max_iter: usize,
    pub(super) tol: f64,
    /// The size that coordinates and gradients naturally have: the root of the total weight.
    pub(super) unit: f64,
    /// Whether there may be no finite minimum.
    pub(super) unbounded: bool,
}

/// The objective at a point.
pub(super) struct Answer {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) smallest_margin: f64,
}

/// How far a step went and how the gradient changed along it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Move {
    moved: Vec<f64>,
    turned: Vec<f64>,
    /// The product of the two.
    bend: f64,
}

/// A search under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Search {
    method: Method,
    /// The iteration at which Newton's method takes over.
    newton_from: Option<usize>,
    goal: Goal,
    /// The best point so far with its value and gradient; no gradient before the first answer.
    best: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    direction: Vec<f64>,
    slope: f64,
    step: f64,
    /// The step is known to lie between these.
    low: f64,
    high: Option<f64>,
    trials: usize,
    /// Past moves of point and gradient.
    moves: Vec<Move>,
    objectives: Vec<f64>,
}

impl Search {
    pub(super) fn new(method: Method, size: usize, goal: Goal) -> Self {
        Search {
            method,
            newton_from: None,
            goal,
            best: vec![0.0; size],
            value: f64::INFINITY,
            gradient: Vec::new(),
            direction: vec![0.0; size],
            slope: 0.0,
            step: 0.0,
            low: 0.0,
            high: None,
            trials: 0,
            moves: Vec::new(),
            objectives: Vec::new(),
        }
    }

    /// Starts at this point instead of at zero.
    pub(super) fn from(mut self, point: Vec<f64>) -> Self {
        self.best = point;
        self
    }

    /// Puts up to so many iterations of L-BFGS before Newton's method.
    pub(super) fn try_quasi_newton(mut self, patience: usize) -> Self {
        if self.method == Method::Newton {
            self.method = Method::Lbfgs;
            self.newton_from = Some(patience);
        }
        self
    }

    /// A search with some of the rows only, by at most so many iterations of L-BFGS.
    pub(super) fn rehearsal(&self, max_iter: usize) -> Self {
        let mut rehearsal = self.clone();
        rehearsal.newton_from = None;
        rehearsal.goal.max_iter = max_iter;
        rehearsal
    }

    /// Starts where a rehearsal has ended, with what it knows of the curvature there.
    pub(super) fn after(mut self, rehearsal: Search) -> Self {
        self.best = rehearsal.best;
        self.moves = rehearsal.moves;
        self
    }

    pub(super) fn method(&self) -> Method {
        self.method
    }

    /// Where the objective is asked for.
    pub(super) fn point(&self) -> Vec<f64> {
        let moved = self.best.iter().zip(&self.direction);
        moved
            .map(|(x, direction)| x + self.step * direction)
            .collect()
    }

    /// The best point so far.
    pub(super) fn best(&self) -> &[f64] {
        &self.best
    }

    /// The direction of the present line.
    pub(super) fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// The slope at the start of the present line.
    pub(super) fn slope(&self) -> f64 {
        self.slope
    }

    /// How far along the direction the objective is asked for.
    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// Whether no step of the present line has been tried.
    pub(super) fn sets_out(&self) -> bool {
        self.trials == 0
    }

    /// Tries this step first, for whoever knows more of the line than its slope.
    pub(super) fn aim(&mut self, step: f64) {
        self.step = step;
    }

    /// Iterations made so far.
    pub(super) fn n_iter(&self) -> usize {
        self.objectives.len()
    }

    /// The objective at the best point.
    pub(super) fn value(&self) -> f64 {
        self.value
    }

    /// The history of the search.
    pub(super) fn into_trace(self, name: &str, stop: StopReason) -> Trace {
        Trace {
            objective_name: name.to_owned(),
            objectives: self.objectives,
            stop,
        }
    }

    /// Takes the objective at [`Search::point`]; the second derivatives there are asked for only
    /// when they are needed. Says why the search is over, if it is.
    pub(super) fn tell(
        &mut self,
        answer: Answer,
        hessian: impl FnOnce() -> Result<Array2<f64>>,
    ) -> Result<Option<StopReason>> {
        if self.gradient.is_empty() {
            self.value = answer.value;
            self.gradient = answer.gradient;
            return match self.has_arrived() {
                true => Ok(Some(StopReason::Converged)),
                false => self.turn(hessian),
            };
        }
        if !self.accepts(&answer) {
            self.trials += 1;
            return Ok((self.trials >= MOST_TRIALS).then_some(StopReason::Stalled));
        }
        let far = 2.0 * self.step * largest(&self.direction) > FAR * self.goal.unit;
        self.advance(answer.value, answer.gradient);
        let separated = self.goal.unbounded && answer.smallest_margin > 0.0;
        if separated {
            return Ok(Some(StopReason::Separable));
        }
        if self.has_arrived() {
            let runs_away = self.goal.unbounded && self.method == Method::Newton && far;
            return Ok(Some(match runs_away {
                true => StopReason::Separable,
                false => StopReason::Converged,
            }));
        }
        if self.n_iter() >= self.goal.max_iter {
            return Ok(Some(StopReason::IterationLimit));
        }
        if self.newton_from == Some(self.n_iter()) {
            self.method = Method::Newton;
            self.moves.clear();
        }
        self.turn(hessian)
    }

    /// Whether no slope is too large. Newton's steps double the digits, so one more is asked for.
    fn has_arrived(&self) -> bool {
        let tol = match self.method {
            Method::Newton => {
                (self.goal.tol * self.goal.tol).clamp(LEAST_TOL.min(self.goal.tol), self.goal.tol)
            }
            Method::Lbfgs => self.goal.tol,
        };
        largest(&self.gradient) <= tol * self.goal.unit
    }

    /// Whether the step is good; otherwise narrows its limits and sets the next one.
    ///
    /// A step must decrease the objective by a share of what the slope promised (or, where that
    /// drowns in rounding, leave a slope as if it had) and must leave a flatter slope.
    fn accepts(&mut self, answer: &Answer) -> bool {
        let slope = dot(&answer.gradient, &self.direction);
        let promised = DECREASE * self.step * self.slope;
        let decreased = answer.value <= self.value + promised;
        let level = answer.value <= self.value + ROUNDING * self.value.abs();
        let as_if = level && slope <= (2.0 * DECREASE - 1.0) * self.slope;
        if !(decreased || as_if) || !slope.is_finite() {
            self.high = Some(self.step);
        } else if slope < SLOPE_LEFT * self.slope {
            self.low = self.step;
        } else {
            return true;
        }
        self.step = match self.high {
            Some(high) => 0.5 * (self.low + high),
            None => 2.0 * self.low,
        };
        false
    }

    fn advance(&mut self, value: f64, gradient: Vec<f64>) {
        let moved: Vec<f64> = self.direction.iter().map(|part| self.step * part).collect();
        for (x, part) in self.best.iter_mut().zip(&moved) {
            *x += part;
        }
        if self.method == Method::Lbfgs {
            let turned: Vec<f64> = gradient
                .iter()
                .zip(&self.gradient)
                .map(|(new, old)| new - old)
                .collect();
            let bend = dot(&moved, &turned);
            if bend > f64::EPSILON * dot(&turned, &turned) {
                self.moves.push(Move {
                    moved,
                    turned,
                    bend,
                });
            }
            if self.moves.len() > MEMORY {
                self.moves.remove(0);
            }
        }
        self.value = value;
        self.gradient = gradient;
        self.objectives.push(value);
    }

    /// Sets out in a new direction.
    fn turn(
        &mut self,
        hessian: impl FnOnce() -> Result<Array2<f64>>,
    ) -> Result<Option<StopReason>> {
        self.direction = match self.method {
            Method::Newton => newton_direction(hessian()?, &self.gradient)?,
            Method::Lbfgs => self.quasi_newton(),
        };
        self.slope = dot(&self.direction, &self.gradient);
        (self.step, self.low, self.high, self.trials) = (1.0, 0.0, None, 0);
        // Half the slope is what is left to gain. With a price on the weights the minimum is
        // finite, and where the gain drowns in the rounding of the objective it is reached.
        let gain = -0.5 * self.slope;
        let reached = self.method == Method::Lbfgs
            && !self.goal.unbounded
            && self.n_iter() >= LEAST_ITERATIONS
            && (0.0..=f64::EPSILON * self.value.abs()).contains(&gain);
        if reached {
            return Ok(Some(StopReason::Converged));
        }
        Ok((!(self.slope < 0.0 && self.slope.is_finite())).then_some(StopReason::Stalled))
    }

    /// The L-BFGS direction by the two-loop recursion; the coordinates are scaled so that the
    /// identity is a fair first guess.
    fn quasi_newton(&self) -> Vec<f64> {
        let mut direction: Vec<f64> = self.gradient.iter().map(|slope| -slope).collect();
        let (Some(oldest), Some(newest)) = (self.moves.first(), self.moves.last()) else {
            return direction;
        };
        let mut shares = vec![0.0; self.moves.len()];
        let mut product = dot(&newest.moved, &direction);
        for (index, past) in self.moves.iter().enumerate().rev() {
            let next = match index {
                0 => &oldest.turned,
                _ => &self.moves[index - 1].moved,
            };
            shares[index] = product / past.bend;
            product = add_and_multiply(&mut direction, 1.0, -shares[index], &past.turned, next);
        }
        let mut scale = newest.bend / dot(&newest.turned, &newest.turned);
        for (index, past) in self.moves.iter().enumerate() {
            let next = self.moves.get(index + 1).unwrap_or(past);
            let rest = shares[index] - scale * product / past.bend;
            product = add_and_multiply(&mut direction, scale, rest, &past.moved, &next.turned);
            scale = 1.0;
        }
        direction
    }
}

/// Turns the sum into `keep`·sum + `factor`·vector and multiplies it with the next vector: one
/// pass where two would read long vectors twice.
fn add_and_multiply(sum: &mut [f64], keep: f64, factor: f64, vector: &[f64], next: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            let mut lanes = [0.0; LANES];
            let (sums, sum_rest) = sum.as_chunks_mut::<LANES>();
            let (vectors, vector_rest) = vector.as_chunks::<LANES>();
            let (nexts, next_rest) = next.as_chunks::<LANES>();
            for ((sum, vector), next) in sums.iter_mut().zip(vectors).zip(nexts) {
                for lane in 0..LANES {
                    sum[lane] = keep * sum[lane] + factor * vector[lane];
                    lanes[lane] += sum[lane] * next[lane];
                }
            }
            let mut rest = 0.0;
            for ((sum, vector), next) in sum_rest.iter_mut().zip(vector_rest).zip(next_rest) {
                *sum = keep * *sum + factor * vector;
                rest += *sum * next;
            }
            lanes.iter().sum::<f64>() + rest
        },
    )
}

/// The largest magnitude.
fn largest(values: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (groups, rest) = values.as_chunks::<LANES>();
    for group in groups {
        for lane in 0..LANES {
            let size = group[lane].abs();
            lanes[lane] = if size > lanes[lane] {
                size
            } else {
                lanes[lane]
            };
        }
    }
    let sizes = lanes
        .into_iter()
        .chain(rest.iter().map(|value| value.abs()));
    sizes.fold(0.0, f64::max)
}

/// −H⁻¹·g, or the shortest such direction where H is singular: columns that depend on each other
/// then share their weight.
fn newton_direction(hessian: Array2<f64>, gradient: &[f64]) -> Result<Vec<f64>> {
    let gradient = ArrayView1::from(gradient);
    if let Ok(factor) = Cholesky::new(hessian.view()) {
        let pivots = factor.lower().diag().to_owned();
        let regular = pivots
            .iter()
            .zip(hessian.diag())
            .all(|(pivot, own)| pivot * pivot > LEAST_PIVOT * own);
        if regular {
            return Ok(factor
                .solve_vector(gradient)
                .iter()
                .map(|part| -part)
                .collect());
        }
    }
    let eigen = symmetric_eigen(hessian.view())?;
    let negligible = LEAST_PIVOT * eigen.values.first().copied().unwrap_or(0.0);
    let mut parts = eigen.vectors.t().dot(&gradient);
    for (part, &value) in parts.iter_mut().zip(&eigen.values) {
        *part = if value > negligible {
            -*part / value
        } else {
            0.0
        };
    }
    Ok(eigen.vectors.dot(&parts).to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;

    #[test]
    fn the_pass_that_adds_and_multiplies_is_the_two_plain_ones() {
        for size in [1, 7, 8, 50] {
            let numbers = random_matrix(3, size, 1);
            let row = |index: usize| numbers.row(index).to_vec();
            let (mut sum, vector, next) = (row(0), row(1), row(2));
            let expected: Vec<f64> = (0..size).map(|i| 0.5 * sum[i] - 3.0 * vector[i]).collect();
            let product = add_and_multiply(&mut sum, 0.5, -3.0, &vector, &next);
            assert!((product - dot(&expected, &next)).abs() < 1e-12);
            for (found, expected) in sum.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-14);
            }
            let plain = sum
                .iter()
                .fold(0.0_f64, |size, value| size.max(value.abs()));
            assert_eq!(largest(&sum), plain);
        }
    }
}
