//! Policy iteration.

use super::Plan;
use crate::evaluation::EXACT_STATES;
use crate::reach::homeward;
use crate::sweep::guaranteed_error;
use crate::{DecisionProcess, EvaluationMethod, Following, Policy, PolicyEvaluation};
use didact_core::{Fit, Result, Run, StopReason, TraceWriter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plans by evaluating a policy, improving it, and so on until it stays.
///
/// The policy is evaluated by the linear system (I − γP^π)V = R^π, or by sweeps in large worlds;
/// then every state takes the action of the largest Q^π. The present action stays unless another is
/// better by more than rounding, so that equally good policies are not exchanged for ever. The
/// values never fall, and as there are finitely many policies the method ends, mostly after a
/// handful of rounds. Evaluation alone would give V^π of the first policy, not the optimum.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{DecisionProcess, PolicyIteration};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 5.0), on(0, 1.0)], vec![]])?;
/// let plan = PolicyIteration::default().fit(&DecisionProcess::new(&world)?)?;
/// assert_eq!(plan.policy().action(0), Some(1));
/// assert!((plan.values()[0] - 10.0).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyIteration {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// How a policy is evaluated.
    pub evaluation: EvaluationMethod,
    /// How far values found by sweeps may be from those of the policy.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
    /// Most rounds of evaluation and improvement.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
}

impl Default for PolicyIteration {
    fn default() -> Self {
        PolicyIteration {
            discount: 0.9,
            evaluation: EvaluationMethod::Auto,
            tol: 1e-9,
            max_iter: 1000,
        }
    }
}

impl Fit<&DecisionProcess> for PolicyIteration {
    type Model = Plan;

    fn learn(&self, process: &DecisionProcess, run: &Run) -> Result<Plan> {
        let evaluation = PolicyEvaluation {
            discount: self.discount,
            method: self.evaluation,
            tol: self.tol,
            ..PolicyEvaluation::default()
        };
        let quiet = run.quietly();
        let mut trace = TraceWriter::new(run, "mean value", Some(self.max_iter));
        let mut policy = self.first_policy(process, run)?;
        loop {
            let following = Following {
                process,
                policy: &policy,
            };
            let found = evaluation.learn(following, &quiet)?;
            let mean = found.values().iter().sum::<f64>() / process.n_states() as f64;
            trace.record(mean)?;
            let improved = improve(&policy, found.action_values(), self.margin(process));
            let stop = if improved == policy {
                StopReason::Converged
            } else if trace.n_iter() >= self.max_iter {
                StopReason::IterationLimit
            } else {
                policy = improved;
                continue;
            };
            return self.finish(process, policy, found.values(), trace.finish(stop), run);
        }
    }
}

impl PolicyIteration {
    /// Without discounting the first policy must come to an end; else any will do.
    fn first_policy(&self, process: &DecisionProcess, run: &Run) -> Result<Policy> {
        if self.discount == 1.0 {
            return Ok(homeward(process));
        }
        let nothing = vec![0.0; process.n_states()];
        let rewards = process.action_values(&nothing, self.discount, run)?;
        Ok(Policy::greedy(process.layout(), &rewards))
    }

    /// By how much sweeps may mistake the difference of two actions.
    fn margin(&self, process: &DecisionProcess) -> f64 {
        let is_exact = match self.evaluation {
            EvaluationMethod::Exact => true,
            EvaluationMethod::Auto => process.n_states() <= EXACT_STATES,
            EvaluationMethod::Iterative => false,
        };
        if is_exact { 0.0 } else { 2.0 * self.tol }
    }

    fn finish(
        &self,
        process: &DecisionProcess,
        policy: Policy,
        values: &[f64],
        trace: didact_core::Trace,
        run: &Run,
    ) -> Result<Plan> {
        let plan = Plan::look_ahead(process, self.discount, values, None, trace, run)?;
        // The look ahead has moved the values once more by at most the residual.
        let residuals = plan.values().iter().zip(values).map(|(a, b)| (a - b).abs());
        let bound = guaranteed_error(self.discount, residuals.fold(0.0, f64::max));
        Ok(plan.with_error_bound(bound).with_policy(policy))
    }
}

/// The best action of each state; the present one where none is better by more than `margin` and
/// rounding.
fn improve(policy: &Policy, action_values: &[f64], margin: f64) -> Policy {
    let layout = policy.layout();
    let scale = action_values.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
    let margin = margin + 1e-12 * scale;
    let best = Policy::greedy(layout, action_values);
    let actions = (0..layout.n_states()).map(|state| {
        let worth = |action| action_values[layout.pair(state, action)];
        match (policy.action(state), best.action(state)) {
            (Some(present), Some(best)) if worth(best) > worth(present) + margin => best as u32,
            (Some(present), _) => present as u32,
            (None, _) => 0,
        }
    });
    Policy::certain(layout, actions.collect())
}
