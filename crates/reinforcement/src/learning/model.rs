//! What was learned from episodes.

use crate::planning::best_values;
use crate::{ActionLayout, Policy};
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Features, Model, Result, Trace, Value};
use serde::{Deserialize, Serialize};

/// Learned values of actions, how often each was tried, and the return of every episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionValues {
    pub(super) layout: ActionLayout,
    pub(super) discount: f64,
    pub(super) action_values: Vec<f64>,
    pub(super) visits: Vec<u64>,
    pub(super) n_cut_off: usize,
    pub(super) trace: Trace,
}

impl ActionValues {
    /// Q(s, a), state after state.
    pub fn action_values(&self) -> &[f64] {
        &self.action_values
    }

    /// Q(s, a) of one state.
    pub fn action_values_of(&self, state: usize) -> &[f64] {
        &self.action_values[self.layout.pairs(state)]
    }

    /// maxₐ Q(s, a) of every state, zero in terminal ones.
    pub fn values(&self) -> Vec<f64> {
        best_values(&self.layout, &self.action_values)
    }

    /// The policy that takes the best action everywhere.
    pub fn policy(&self) -> Policy {
        Policy::greedy(&self.layout, &self.action_values)
    }

    /// How often each pair was tried, state after state.
    pub fn visits(&self) -> &[u64] {
        &self.visits
    }

    /// The discount γ.
    pub fn discount(&self) -> f64 {
        self.discount
    }

    /// How many episodes were cut off before they came to an end.
    pub fn n_cut_off(&self) -> usize {
        self.n_cut_off
    }

    /// The learning curve: the discounted return of every episode.
    pub fn episode_returns(&self) -> &[f64] {
        &self.trace.objectives
    }
}

impl Features for ActionValues {
    /// One: the number of the state.
    fn n_features(&self) -> usize {
        1
    }
}

impl Model for ActionValues {
    const ABILITIES: Abilities<Self> = Abilities::none();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "action_values",
            meaning: "learned return after each action of each state, state after state",
            get: |model| model.action_values().into(),
        },
        Attribute {
            name: "actions",
            meaning: "best action of each state, -1 where there is none",
            get: |model| {
                let actions = model.policy().actions().into_iter();
                Value::Integers(actions.map(|a| a.map_or(-1, |a| a as i64)).collect())
            },
        },
        Attribute {
            name: "visits",
            meaning: "how often each action of each state was tried, state after state",
            get: |model| visit_numbers(&model.visits),
        },
        Attribute {
            name: "n_cut_off",
            meaning: "number of episodes that were cut off",
            get: |model| model.n_cut_off.into(),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.layout.validate()?;
        let n_pairs = self.layout.n_pairs();
        ensure_consistent(self.action_values.len() == n_pairs && self.visits.len() == n_pairs)
    }
}

/// Learned values of states under one policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimatedValues {
    pub(super) discount: f64,
    pub(super) values: Vec<f64>,
    pub(super) visits: Vec<u64>,
    pub(super) standard_errors: Option<Vec<f64>>,
    pub(super) n_cut_off: usize,
    pub(super) trace: Trace,
}

impl EstimatedValues {
    /// V(s) of every state; the initial value where nobody came by.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many targets each value was learned from.
    pub fn visits(&self) -> &[u64] {
        &self.visits
    }

    /// The standard error of each mean of returns, infinite below two; `None` where the values
    /// were learned in another way.
    pub fn standard_errors(&self) -> Option<&[f64]> {
        self.standard_errors.as_deref()
    }

    /// The discount γ.
    pub fn discount(&self) -> f64 {
        self.discount
    }

    /// How many episodes were cut off before they came to an end.
    pub fn n_cut_off(&self) -> usize {
        self.n_cut_off
    }

    /// The discounted return of every episode.
    pub fn episode_returns(&self) -> &[f64] {
        &self.trace.objectives
    }
}

impl Features for EstimatedValues {
    /// One: the number of the state.
    fn n_features(&self) -> usize {
        1
    }
}

impl Model for EstimatedValues {
    const ABILITIES: Abilities<Self> = Abilities::none();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "values",
            meaning: "learned return from each state",
            get: |model| model.values().into(),
        },
        Attribute {
            name: "standard_errors",
            meaning: "standard error of each mean of returns",
            get: |model| model.standard_errors().into(),
        },
        Attribute {
            name: "visits",
            meaning: "number of targets that each value was learned from",
            get: |model| visit_numbers(&model.visits),
        },
        Attribute {
            name: "n_cut_off",
            meaning: "number of episodes that were cut off",
            get: |model| model.n_cut_off.into(),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let n = self.values.len();
        let errors = self.standard_errors.as_ref();
        ensure_consistent(self.visits.len() == n && errors.is_none_or(|errors| errors.len() == n))
    }
}

fn visit_numbers(visits: &[u64]) -> Value<'_> {
    Value::Integers(visits.iter().map(|&count| count as i64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::StopReason;

    #[test]
    fn damaged_values_are_refused() {
        let trace = Trace {
            objective_name: "return".to_owned(),
            objectives: vec![],
            stop: StopReason::IterationLimit,
        };
        let mut learned = ActionValues {
            layout: ActionLayout::from_counts([2, 0]),
            discount: 0.9,
            action_values: vec![1.0, 2.0],
            visits: vec![3, 4],
            n_cut_off: 0,
            trace: trace.clone(),
        };
        assert!(learned.validate().is_ok());
        learned.visits.pop();
        assert!(learned.validate().is_err());
        let mut estimated = EstimatedValues {
            discount: 0.9,
            values: vec![1.0, 0.0],
            visits: vec![3, 0],
            standard_errors: Some(vec![0.1, f64::INFINITY]),
            n_cut_off: 0,
            trace,
        };
        assert!(estimated.validate().is_ok());
        estimated.values.pop();
        assert!(estimated.validate().is_err());
    }
}
