//! Minimisation of smooth functions.
//!
//! Both methods are honest about why they stop: [`StopReason::Converged`] only when a tolerance
//! was met, [`StopReason::Stalled`] when floating point allows no further descent,
//! [`StopReason::IterationLimit`] otherwise.
//!
//! [`StopReason::Converged`]: didact_core::StopReason::Converged
//! [`StopReason::Stalled`]: didact_core::StopReason::Stalled
//! [`StopReason::IterationLimit`]: didact_core::StopReason::IterationLimit

mod lbfgs;
mod line_search;
mod newton;
#[cfg(test)]
mod testing;

use didact_core::{Error, Result, StopReason};

pub use lbfgs::{LbfgsOptions, lbfgs};
pub use newton::{NewtonOptions, NewtonProblem, newton};

/// Where a minimisation ended and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The best point found.
    pub x: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// The largest magnitude in the gradient there.
    pub gradient_norm: f64,
    /// Iterations made.
    pub iterations: usize,
    /// Why the method stopped.
    pub stop: StopReason,
}

/// The largest magnitude; NaN where one is NaN, so that no comparison with it succeeds.
fn largest_magnitude(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |largest: f64, value| match value.is_nan() {
            true => f64::NAN,
            false if value.abs() > largest => value.abs(),
            false => largest,
        })
}

/// Fails unless the start is a point where the function has a value and a slope.
fn check_start(value: f64, gradient: &[f64]) -> Result<()> {
    match value.is_finite() && largest_magnitude(gradient).is_finite() {
        true => Ok(()),
        false => Err(Error::numerical(format!(
            "the objective is {value} where the optimiser starts, or its gradient is not finite; \
             scale the columns of the data"
        ))),
    }
}

/// Whether a fall from `before` to `after` is within the tolerance relative to the values; never
/// where the tolerance is zero.
fn has_settled(before: f64, after: f64, tolerance: f64) -> bool {
    tolerance > 0.0 && before - after <= tolerance * before.abs().max(after.abs()).max(1.0)
}
