//! Where a minimisation ended, and why.

use didact_core::{Error, Result, Run, StopReason, Trace, TraceWriter};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which test ended an iterative method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The gradient (projected on the constraints, where there are some) is small enough.
    Gradient,
    /// The objective settled: an iteration changed it by less than the tolerance.
    Objective,
    /// The step became shorter than the tolerance.
    Step,
    /// The iteration limit was reached first.
    IterationLimit,
    /// Floating point allows no further descent although no test was met.
    Stalled,
    /// The iterates run away: the step length is too long, or the objective has no lower bound.
    Diverged,
    /// The schedule of step lengths has shrunk so far that no distance worth mentioning is left.
    Frozen,
}

impl Stop {
    /// Whether a convergence test was met.
    pub fn is_converged(self) -> bool {
        matches!(self, Stop::Gradient | Stop::Objective | Stop::Step)
    }
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> StopReason {
        match stop {
            Stop::Gradient | Stop::Objective | Stop::Step => StopReason::Converged,
            Stop::IterationLimit => StopReason::IterationLimit,
            Stop::Stalled | Stop::Diverged | Stop::Frozen => StopReason::Stalled,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Stop::Gradient => "the gradient is small enough",
            Stop::Objective => "the objective has settled",
            Stop::Step => "the steps are short enough",
            Stop::IterationLimit => "iteration limit reached",
            Stop::Stalled => "no further progress in floating point",
            Stop::Diverged => "the iterates run away",
            Stop::Frozen => "the step lengths have shrunk to nothing",
        })
    }
}

/// How often the parts of an objective were asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evaluations {
    /// Values, alone or with the gradient.
    pub values: usize,
    /// Gradients.
    pub gradients: usize,
    /// Hessians, or products of the Hessian and a vector, or Jacobians.
    pub curvatures: usize,
}

/// Where a minimisation ended and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The best point found.
    pub x: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The largest magnitude in the gradient there (projected, where there are constraints).
    pub gradient_norm: f64,
    /// How often the objective was evaluated.
    pub evaluations: Evaluations,
    /// Which test ended the search.
    pub stop: Stop,
    /// The value after each iteration.
    pub trace: Trace,
    /// What the user should know: a kink in an objective that ought to be smooth, say.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// Number of iterations made.
    pub fn iterations(&self) -> usize {
        self.trace.n_iter()
    }

    /// Whether a convergence test was met.
    pub fn is_converged(&self) -> bool {
        self.stop.is_converged()
    }
}

/// What every driver keeps besides its point.
pub(crate) struct Log<'a> {
    pub(crate) run: &'a Run,
    pub(crate) trace: TraceWriter<'a>,
    pub(crate) evaluations: Evaluations,
    pub(crate) warnings: Vec<String>,
}

impl<'a> Log<'a> {
    pub(crate) fn new(run: &'a Run, limit: usize) -> Self {
        Log {
            run,
            trace: TraceWriter::new(run, "objective", Some(limit)),
            evaluations: Evaluations::default(),
            warnings: Vec::new(),
        }
    }

    /// Value and gradient, counted.
    pub(crate) fn evaluate(
        &mut self,
        objective: &mut (impl crate::Objective + ?Sized),
        x: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64> {
        self.run.check()?;
        self.evaluations.values += 1;
        self.evaluations.gradients += 1;
        objective.evaluate(x, gradient)
    }

    /// The value alone, counted.
    pub(crate) fn value(
        &mut self,
        objective: &mut (impl crate::Objective + ?Sized),
        x: &[f64],
    ) -> Result<f64> {
        self.run.check()?;
        self.evaluations.values += 1;
        objective.value(x)
    }

    pub(crate) fn finish(self, x: Vec<f64>, value: f64, gradient_norm: f64, stop: Stop) -> Outcome {
        Outcome {
            x,
            value,
            gradient_norm,
            evaluations: self.evaluations,
            stop,
            trace: self.trace.finish(stop.into()),
            warnings: self.warnings,
        }
    }
}

/// The largest magnitude; NaN where one is NaN, so that no comparison with it succeeds.
pub(crate) fn largest_magnitude(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest: f64, value| match value.is_nan() {
            true => f64::NAN,
            false if value.abs() > largest => value.abs(),
            false => largest,
        })
}

/// Fails unless the start is a point where the function has a value and a slope.
pub(crate) fn check_start(value: f64, gradient: &[f64]) -> Result<()> {
    match value.is_finite() && largest_magnitude(gradient).is_finite() {
        true => Ok(()),
        false => Err(Error::numerical(format!(
            "the objective is {value} where the optimiser starts, or its gradient is not finite; \
             start at a point where it has a value, or scale the columns of the data"
        ))),
    }
}

/// Fails unless the start has at least one coordinate and all are finite.
pub(crate) fn check_point(start: &[f64]) -> Result<()> {
    if start.is_empty() {
        return Err(Error::parameter(
            "start",
            "empty",
            "it must have at least one coordinate",
        ));
    }
    crate::objective::check_finite("start", start.iter().copied())
}

/// Whether a fall from `before` to `after` is within the tolerance relative to the values; never
/// where the tolerance is zero.
pub(crate) fn has_settled(before: f64, after: f64, tolerance: f64) -> bool {
    tolerance > 0.0 && before - after <= tolerance * before.abs().max(after.abs()).max(1.0)
}

/// Writes x + step·direction.
pub(crate) fn move_along(x: &[f64], step: f64, direction: &[f64], to: &mut [f64]) {
    for i in 0..x.len() {
        to[i] = x[i] + step * direction[i];
    }
}

/// Adds factor·values.
pub(crate) fn add_scaled(target: &mut [f64], factor: f64, values: &[f64]) {
    for (target, value) in target.iter_mut().zip(values) {
        *target += factor * value;
    }
}

/// ‖values‖₂.
pub(crate) fn norm(values: &[f64]) -> f64 {
    // Scaled by the largest so that squares neither overflow nor vanish.
    let largest = largest_magnitude(values);
    match largest == 0.0 || !largest.is_finite() {
        true => largest,
        false => {
            largest
                * values
                    .iter()
                    .map(|value| (value / largest).powi(2))
                    .sum::<f64>()
                    .sqrt()
        }
    }
}
