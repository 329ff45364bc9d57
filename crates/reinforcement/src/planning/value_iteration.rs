//! Value iteration.

use super::Plan;
use crate::DecisionProcess;
use crate::sweep::{Rule, SweepOrder, Sweeping};
use didact_core::{Error, Fit, Result, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When value iteration has swept often enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StopRule {
    /// When the largest change of a sweep is at most tol·(1 − γ)/γ.
    #[default]
    Change,
    /// When the changes of a sweep are nearly the same everywhere: half their spread is at most
    /// tol·(1 − γ)/γ. What they have in common is then added up for all sweeps to come at once,
    /// which saves many where every walk goes on for ever. Needs synchronous sweeps.
    Span,
}

/// Plans by sweeps over all states until the values stand still.
///
/// From V₀ = 0 every sweep sets Vᵢ₊₁(s) = maxₐ Σ T·(R + γVᵢ(s′)) and brings V nearer to V* by the
/// factor γ at least, so stopping at a change of tol·(1 − γ)/γ leaves an error of at most `tol`
/// ([`Plan::error_bound`]). Without discounting (γ = 1) sweeps stop at a change of `tol`, and
/// nothing is guaranteed.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{DecisionProcess, ValueIteration};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// // Stay for 1 a turn, or leave for 5 at once.
/// let world = Decisions::new(vec![vec![on(0, 1.0), on(1, 5.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let patient = ValueIteration { discount: 0.9, ..ValueIteration::default() }.fit(&process)?;
/// assert_eq!(patient.policy().action(0), Some(0));
/// assert!((patient.values()[0] - 10.0).abs() < 1e-6);
/// let hasty = ValueIteration { discount: 0.5, ..ValueIteration::default() }.fit(&process)?;
/// assert_eq!(hasty.policy().action(0), Some(1));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ValueIteration {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// How far the values may be from the best ones.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// Most sweeps.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// In which order a sweep gives states their new values.
    pub order: SweepOrder,
    /// When to stop.
    pub stop: StopRule,
}

impl Default for ValueIteration {
    fn default() -> Self {
        ValueIteration {
            discount: 0.9,
            tol: 1e-8,
            max_iter: 100_000,
            order: SweepOrder::Synchronous,
            stop: StopRule::Change,
        }
    }
}

impl Fit<&DecisionProcess> for ValueIteration {
    type Model = Plan;

    fn learn(&self, process: &DecisionProcess, run: &Run) -> Result<Plan> {
        let by_span = self.stop == StopRule::Span;
        if by_span && (self.order != SweepOrder::Synchronous || self.discount == 1.0) {
            return Err(Error::parameter(
                "stop",
                "span",
                "it needs synchronous sweeps and a discount below 1",
            ));
        }
        let sweeping = Sweeping {
            discount: self.discount,
            tol: self.tol,
            max_iter: self.max_iter,
            order: self.order,
            by_span,
        };
        let swept = sweeping.iterate(process, Rule::Best, run)?;
        // The last synchronous sweep is repeated for the worth of each action; after sweeps in
        // another order a synchronous one is added.
        let from = match self.order {
            SweepOrder::Synchronous => &swept.previous,
            SweepOrder::GaussSeidel => &swept.values,
        };
        let bound = swept.error_bound;
        let plan = Plan::look_ahead(process, self.discount, from, bound, swept.trace, run)?;
        Ok(match by_span {
            // V* − V lies between γ/(1 − γ) times the least and the largest change.
            true => {
                let middle = swept.change.least / 2.0 + swept.change.most / 2.0;
                plan.shifted(self.discount / (1.0 - self.discount) * middle)
            }
            false => plan,
        })
    }
}
