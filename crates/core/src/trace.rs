//! The history of an iterative fit, kept in the model.

use crate::{Progress, Result, Run};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why an iterative method stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The convergence test was met.
    Converged,
    /// The iteration limit was reached first.
    IterationLimit,
    /// No further progress is possible in floating point although the test was not met.
    Stalled,
    /// The best parameters lie at infinity: the classes can be separated perfectly.
    Separable,
    /// It did not stop: it learns row after row, and more rows may come.
    Ongoing,
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StopReason::Converged => "converged",
            StopReason::IterationLimit => "iteration limit reached",
            StopReason::Stalled => "no further progress in floating point",
            StopReason::Separable => "the classes are perfectly separable",
            StopReason::Ongoing => "more rows may come",
        })
    }
}

/// The objective after each iteration, and why the method stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// What the objective is called.
    pub objective_name: String,
    /// The objective after each iteration.
    pub objectives: Vec<f64>,
    /// Why the method stopped.
    pub stop: StopReason,
}

impl Trace {
    /// Number of iterations made.
    pub fn n_iter(&self) -> usize {
        self.objectives.len()
    }
}

/// Writes a [`Trace`] and tells the run of each iteration.
///
/// ```
/// use didact_core::{Run, StopReason, TraceWriter};
/// let run = Run::new();
/// let mut trace = TraceWriter::new(&run, "error", Some(10));
/// trace.record(0.5)?;
/// trace.record(0.25)?;
/// let trace = trace.finish(StopReason::Converged);
/// assert_eq!(trace.objectives, [0.5, 0.25]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Debug)]
pub struct TraceWriter<'a> {
    run: &'a Run,
    name: &'static str,
    limit: Option<usize>,
    objectives: Vec<f64>,
}

impl<'a> TraceWriter<'a> {
    /// Starts an empty trace.
    pub fn new(run: &'a Run, objective_name: &'static str, limit: Option<usize>) -> Self {
        TraceWriter {
            run,
            name: objective_name,
            limit,
            objectives: Vec::new(),
        }
    }

    /// Keeps the objective of one more iteration; fails when the run was cancelled.
    pub fn record(&mut self, objective: f64) -> Result<()> {
        self.objectives.push(objective);
        self.run.report(&Progress {
            iteration: self.objectives.len(),
            limit: self.limit,
            objective_name: self.name,
            objective,
        })
    }

    /// Number of iterations recorded so far.
    pub fn n_iter(&self) -> usize {
        self.objectives.len()
    }

    /// The finished trace.
    pub fn finish(self, stop: StopReason) -> Trace {
        Trace {
            objective_name: self.name.to_owned(),
            objectives: self.objectives,
            stop,
        }
    }
}
