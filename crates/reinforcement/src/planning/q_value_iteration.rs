//! Value iteration over pairs of state and action.

use super::Plan;
use super::plan::best_values;
use crate::DecisionProcess;
use crate::sweep::{StopTest, check_scale, compare};
use didact_core::{Fit, Result, Run, TraceWriter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plans by sweeps over all pairs of state and action: Qᵢ₊₁ = Σ T·(R + γ·maxₐ Qᵢ(s′, a)).
///
/// From Q₀ = 0, maxₐ Qᵢ is Vᵢ of [`ValueIteration`](crate::ValueIteration) at every iteration.
/// Sweeps stop when the largest change of a Q is at most tol·(1 − γ)/γ.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{DecisionProcess, QValueIteration};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(0, 1.0), on(1, 5.0)], vec![]])?;
/// let plan = QValueIteration::default().fit(&DecisionProcess::new(&world)?)?;
/// assert!((plan.action_values_of(0)[1] - 5.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QValueIteration {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// How far the values may be from the best ones.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// Most sweeps.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for QValueIteration {
    fn default() -> Self {
        QValueIteration {
            discount: 0.9,
            tol: 1e-8,
            max_iter: 100_000,
        }
    }
}

impl Fit<&DecisionProcess> for QValueIteration {
    type Model = Plan;

    fn learn(&self, process: &DecisionProcess, run: &Run) -> Result<Plan> {
        check_scale(process, self.discount)?;
        let layout = process.layout();
        let test = StopTest::new(self.discount, self.tol, self.max_iter);
        let mut trace = TraceWriter::new(run, "largest change", Some(self.max_iter));
        let mut action_values = vec![0.0; layout.n_pairs()];
        loop {
            let values = best_values(layout, &action_values);
            let next = process.action_values(&values, self.discount, run)?;
            let change = compare(&action_values, &next, run)?;
            action_values = next;
            trace.record(change.size())?;
            let verdict = test.verdict(change.size(), change.magnitude, trace.n_iter());
            if let Some((stop, bound)) = verdict {
                let trace = trace.finish(stop);
                return Ok(Plan::greedy(
                    layout,
                    self.discount,
                    action_values,
                    bound,
                    trace,
                ));
            }
        }
    }
}
