//! A plan: the best policy and what it is worth.

use crate::{ActionLayout, DecisionProcess, Policy};
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Features, Model, Result, Run, Trace, Value};
use serde::{Deserialize, Serialize};

/// The best policy of a world, V* of every state and Q* of every pair.
///
/// V*(s) = maxₐ Q*(s, a), and the policy takes the lowest action that attains the maximum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    discount: f64,
    values: Vec<f64>,
    action_values: Vec<f64>,
    policy: Policy,
    error_bound: Option<f64>,
    trace: Trace,
}

impl Plan {
    /// The plan by one look ahead from `values`.
    pub(super) fn look_ahead(
        process: &DecisionProcess,
        discount: f64,
        values: &[f64],
        error_bound: Option<f64>,
        trace: Trace,
        run: &Run,
    ) -> Result<Self> {
        let action_values = process.action_values(values, discount, run)?;
        Ok(Plan::greedy(
            process.layout(),
            discount,
            action_values,
            error_bound,
            trace,
        ))
    }

    /// The plan that is greedy for action values.
    pub(super) fn greedy(
        layout: &ActionLayout,
        discount: f64,
        action_values: Vec<f64>,
        error_bound: Option<f64>,
        trace: Trace,
    ) -> Self {
        Plan {
            discount,
            values: best_values(layout, &action_values),
            policy: Policy::greedy(layout, &action_values),
            action_values,
            error_bound,
            trace,
        }
    }

    /// The same plan with another policy, which may break ties in another way.
    pub(super) fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    pub(super) fn with_error_bound(mut self, error_bound: Option<f64>) -> Self {
        self.error_bound = error_bound;
        self
    }

    /// The same plan with all returns moved by a constant, except that of being at the end.
    pub(super) fn shifted(mut self, shift: f64) -> Self {
        let layout = self.policy.layout();
        for (state, value) in self.values.iter_mut().enumerate() {
            *value += if layout.is_terminal(state) {
                0.0
            } else {
                shift
            };
        }
        self.action_values
            .iter_mut()
            .for_each(|value| *value += shift);
        self
    }

    /// V*(s) of every state.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Q*(s, a), state after state.
    pub fn action_values(&self) -> &[f64] {
        &self.action_values
    }

    /// Q*(s, a) of one state.
    pub fn action_values_of(&self, state: usize) -> &[f64] {
        &self.action_values[self.policy.layout().pairs(state)]
    }

    /// What to do.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The discount γ.
    pub fn discount(&self) -> f64 {
        self.discount
    }

    /// How far the values may be from V*; `None` without discounting, when nothing is guaranteed.
    pub fn error_bound(&self) -> Option<f64> {
        self.error_bound
    }

    /// The history of the iterations.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

/// maxₐ Q(s, a) of every state, zero in terminal ones.
pub(crate) fn best_values(layout: &ActionLayout, action_values: &[f64]) -> Vec<f64> {
    let states = 0..layout.n_states();
    let best = states.map(|state| {
        let of_state = action_values[layout.pairs(state)].iter().copied();
        of_state.reduce(f64::max).unwrap_or(0.0)
    });
    best.collect()
}

/// The actions of a policy as numbers, −1 in terminal states.
pub(crate) fn action_numbers(policy: &Policy) -> Value<'_> {
    let numbers = policy.actions().into_iter();
    Value::Integers(numbers.map(|a| a.map_or(-1, |a| a as i64)).collect())
}

impl Features for Plan {
    /// One: the number of the state.
    fn n_features(&self) -> usize {
        1
    }
}

impl Model for Plan {
    const ABILITIES: Abilities<Self> = Abilities::none();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "values",
            meaning: "best return to expect from each state",
            get: |model| model.values().into(),
        },
        Attribute {
            name: "action_values",
            meaning: "best return to expect after each action of each state, state after state",
            get: |model| model.action_values().into(),
        },
        Attribute {
            name: "actions",
            meaning: "best action of each state, -1 where there is none",
            get: |model| action_numbers(&model.policy),
        },
        Attribute {
            name: "error_bound",
            meaning: "how far the values may be from the best ones",
            get: |model| model.error_bound.into(),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.policy.validate()?;
        let layout = self.policy.layout();
        ensure_consistent(
            self.values.len() == layout.n_states() && self.action_values.len() == layout.n_pairs(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ValueIteration;
    use didact_core::{Fit, Outcome};

    #[test]
    fn a_damaged_plan_is_refused() {
        let outcome = Outcome {
            state: 1,
            probability: 1.0,
            reward: 1.0,
        };
        let process = DecisionProcess::from_fn(2, |state| match state {
            0 => vec![vec![outcome]],
            _ => vec![],
        });
        let plan = ValueIteration::default().fit(&process.unwrap()).unwrap();
        assert!(plan.validate().is_ok());
        let mut short = plan.clone();
        short.values.pop();
        assert!(short.validate().is_err());
        let mut long = plan.clone();
        long.action_values.push(0.0);
        assert!(long.validate().is_err());
        let other = ActionLayout::from_counts([2, 0]);
        let mut wrong = plan;
        wrong.policy = Policy::certain(&other, vec![2, 0]);
        wrong.action_values.push(0.0);
        assert!(wrong.validate().is_err(), "there is no third action");
    }
}
