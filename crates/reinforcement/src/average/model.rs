//! The best policy in the long run.

use super::chain::Evaluated;
use crate::Policy;
use crate::planning::action_numbers;
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Features, Model, Result, Trace};
use serde::{Deserialize, Serialize};

/// The policy that earns most per step, and what it earns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AveragePlan {
    gains: Vec<f64>,
    biases: Vec<f64>,
    policy: Policy,
    trace: Trace,
}

impl AveragePlan {
    pub(super) fn new(policy: Policy, found: Evaluated, trace: Trace) -> Self {
        AveragePlan {
            gains: found.gains.to_vec(),
            biases: found.biases.to_vec(),
            policy,
            trace,
        }
    }

    /// The reward of an average step, by the state that one starts from.
    pub fn gains(&self) -> &[f64] {
        &self.gains
    }

    /// How much more than the gain is earned altogether from each state.
    pub fn biases(&self) -> &[f64] {
        &self.biases
    }

    /// What to do.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The history of the rounds.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl Features for AveragePlan {
    /// One: the number of the state.
    fn n_features(&self) -> usize {
        1
    }
}

impl Model for AveragePlan {
    const ABILITIES: Abilities<Self> = Abilities::none();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "gains",
            meaning: "reward of an average step from each state on",
            get: |model| model.gains().into(),
        },
        Attribute {
            name: "biases",
            meaning: "how much more than the gain is earned from each state on",
            get: |model| model.biases().into(),
        },
        Attribute {
            name: "actions",
            meaning: "best action of each state, -1 where there is none",
            get: |model| action_numbers(&model.policy),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.policy.validate()?;
        let n_states = self.policy.layout().n_states();
        ensure_consistent(self.gains.len() == n_states && self.biases.len() == n_states)
    }
}
