//! Values of states, as found for one policy.

use crate::{ActionLayout, DecisionProcess};
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Features, Model, Result, Trace};
use serde::{Deserialize, Serialize};

/// What a policy is worth: V^π of every state and Q^π of every pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateValues {
    layout: ActionLayout,
    discount: f64,
    values: Vec<f64>,
    action_values: Vec<f64>,
    error_bound: Option<f64>,
    trace: Option<Trace>,
}

impl StateValues {
    pub(super) fn new(
        process: &DecisionProcess,
        discount: f64,
        values: Vec<f64>,
        action_values: Vec<f64>,
    ) -> Self {
        StateValues {
            layout: process.layout().clone(),
            discount,
            values,
            action_values,
            error_bound: None,
            trace: None,
        }
    }

    pub(super) fn swept(mut self, error_bound: Option<f64>, trace: Trace) -> Self {
        self.error_bound = error_bound;
        self.trace = Some(trace);
        self
    }

    /// V^π(s) of every state.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Q^π(s, a), state after state.
    pub fn action_values(&self) -> &[f64] {
        &self.action_values
    }

    /// Q^π(s, a) of one state.
    pub fn action_values_of(&self, state: usize) -> &[f64] {
        &self.action_values[self.layout.pairs(state)]
    }

    /// The discount γ.
    pub fn discount(&self) -> f64 {
        self.discount
    }

    /// How far the values of sweeps may be from the true ones; `None` where a linear system was
    /// solved, and without discounting, when nothing is guaranteed.
    pub fn error_bound(&self) -> Option<f64> {
        self.error_bound
    }
}

impl Features for StateValues {
    /// One: the number of the state.
    fn n_features(&self) -> usize {
        1
    }
}

impl Model for StateValues {
    const ABILITIES: Abilities<Self> = Abilities::none();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "values",
            meaning: "return to expect from each state",
            get: |model| model.values().into(),
        },
        Attribute {
            name: "action_values",
            meaning: "return to expect of each action of each state, state after state",
            get: |model| model.action_values().into(),
        },
        Attribute {
            name: "error_bound",
            meaning: "how far the values may be from the true ones",
            get: |model| model.error_bound.into(),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        self.layout.validate()?;
        ensure_consistent(
            self.values.len() == self.layout.n_states()
                && self.action_values.len() == self.layout.n_pairs(),
        )
    }
}
