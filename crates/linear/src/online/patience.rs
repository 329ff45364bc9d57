//! When to stop a method that never settles.

use serde::{Deserialize, Serialize};

/// Counts the passes that did not improve on the best loss so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Patience {
    best: f64,
    idle: usize,
    tol: f64,
    limit: usize,
}

impl Patience {
    pub(crate) fn new(tol: f64, limit: usize) -> Self {
        Patience {
            best: f64::INFINITY,
            idle: 0,
            tol,
            limit,
        }
    }

    /// Takes note of the loss of a pass; whether too many in a row were no better than the best
    /// by more than the tolerance.
    pub(crate) fn is_over(&mut self, loss: f64) -> bool {
        match loss > self.best - self.tol {
            true => self.idle += 1,
            false => self.idle = 0,
        }
        self.best = self.best.min(loss);
        self.idle >= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_without_improvement_must_follow_each_other() {
        let mut patience = Patience::new(0.1, 2);
        let verdicts = [1.0, 0.95, 0.5, 0.45, 0.42].map(|loss| patience.is_over(loss));
        assert_eq!(verdicts, [false, false, false, false, true]);
    }
}
