//! The passes of a method that never settles by itself: what each cost, and when to stop.

use super::Patience;
use didact_core::{Progress, Result, Run, StopReason, Trace};
use serde::{Deserialize, Serialize};

/// The passes made so far and the one under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Passes {
    objectives: Vec<f64>,
    /// What the rows of the pass under way cost, and how many there were.
    loss: f64,
    rows: usize,
    patience: Patience,
    stop: Option<StopReason>,
}

impl Passes {
    pub(crate) fn new(patience: Patience) -> Self {
        Passes {
            objectives: Vec::new(),
            loss: 0.0,
            rows: 0,
            patience,
            stop: None,
        }
    }

    /// Takes note of rows of the pass under way.
    pub(crate) fn add(&mut self, loss: f64, rows: usize) {
        self.loss += loss;
        self.rows += rows;
    }

    /// What all rows of the pass under way cost.
    pub(crate) fn total(&self) -> f64 {
        self.loss
    }

    /// What a row of the pass under way cost in the mean.
    pub(crate) fn mean(&self) -> f64 {
        self.loss / self.rows.max(1) as f64
    }

    pub(crate) fn n_iter(&self) -> usize {
        self.objectives.len()
    }

    pub(crate) fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    /// Ends the pass under way with this objective; whether too many in a row were no better.
    pub(crate) fn end(&mut self, objective: f64) -> bool {
        self.objectives.push(objective);
        (self.loss, self.rows) = (0.0, 0);
        self.patience.is_over(objective)
    }

    /// Waits for improvement anew, from the last objective on.
    pub(crate) fn wait_anew(&mut self, mut patience: Patience) {
        if let Some(&last) = self.objectives.last() {
            patience.is_over(last);
        }
        self.patience = patience;
    }

    /// Makes no further pass.
    pub(crate) fn finish(&mut self, stop: StopReason) {
        self.stop = Some(stop);
    }

    /// Goes on after the end.
    pub(crate) fn go_on(mut self) -> Self {
        self.stop = None;
        self
    }

    /// Tells the observers of the run of the last pass.
    pub(crate) fn report(&self, run: &Run, name: &'static str, limit: usize) -> Result<()> {
        run.report(&Progress {
            iteration: self.n_iter(),
            limit: Some(limit),
            objective_name: name,
            objective: self.objectives.last().copied().unwrap_or(self.loss),
        })
    }

    /// The objectives so far; `current` is that of the pass under way.
    pub(crate) fn trace(&self, name: &str, current: f64) -> Trace {
        let mut objectives = self.objectives.clone();
        if self.rows > 0 {
            objectives.push(current);
        }
        Trace {
            objective_name: name.to_owned(),
            objectives,
            stop: self.stop.unwrap_or(StopReason::Ongoing),
        }
    }

    /// Whether the numbers make sense.
    pub(crate) fn is_sound(&self) -> bool {
        self.loss >= 0.0 && self.objectives.iter().all(|objective| !objective.is_nan())
    }
}
