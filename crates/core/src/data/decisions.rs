//! Finite Markov decision processes.

use super::{FitData, check_length};
use crate::{Accepts, Error, Result};

/// One thing that may happen after an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The state that follows.
    pub state: usize,
    /// T(s, a, s′): how probable it is.
    pub probability: f64,
    /// R(s, a, s′): what it is worth.
    pub reward: f64,
}

/// A world of finitely many states in which an agent chooses actions: T(s, a, s′) and R(s, a, s′).
///
/// A state without actions is terminal; its value is zero.
///
/// ```
/// use didact_core::{Decisions, Outcome};
/// // From the first state one may stay, for nothing, or leave for a reward of one.
/// let stay = Outcome { state: 0, probability: 1.0, reward: 0.0 };
/// let leave = Outcome { state: 1, probability: 1.0, reward: 1.0 };
/// let world = Decisions::new(vec![vec![vec![stay], vec![leave]], vec![]])?;
/// assert_eq!((world.n_states(), world.n_actions(0)), (2, 2));
/// assert!(world.is_terminal(1));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Decisions {
    /// The outcomes of each action of each state.
    outcomes: Vec<Vec<Vec<Outcome>>>,
    names: Option<Vec<String>>,
}

impl Decisions {
    /// Takes the outcomes of each action of each state; the probabilities of an action must sum
    /// to one.
    pub fn new(outcomes: Vec<Vec<Vec<Outcome>>>) -> Result<Self> {
        for (state, actions) in outcomes.iter().enumerate() {
            for (action, outcomes_of_action) in actions.iter().enumerate() {
                check_outcomes(outcomes_of_action, outcomes.len()).map_err(|what| {
                    Error::data(format!("state {state}, action {action}: {what}"))
                })?;
            }
        }
        Ok(Decisions {
            outcomes,
            names: None,
        })
    }

    /// Gives the actions names, one for each action that some state has.
    pub fn with_action_names(mut self, names: Vec<String>) -> Result<Self> {
        let most = self.outcomes.iter().map(Vec::len).max().unwrap_or(0);
        check_length("names of actions", names.len(), most)?;
        self.names = Some(names);
        Ok(self)
    }

    /// Number of states.
    pub fn n_states(&self) -> usize {
        self.outcomes.len()
    }

    /// Number of actions that a state has.
    pub fn n_actions(&self, state: usize) -> usize {
        self.outcomes[state].len()
    }

    /// Whether nothing comes after a state.
    pub fn is_terminal(&self, state: usize) -> bool {
        self.outcomes[state].is_empty()
    }

    /// What may follow when an action is taken in a state.
    pub fn outcomes(&self, state: usize, action: usize) -> &[Outcome] {
        &self.outcomes[state][action]
    }

    /// What an action is called.
    pub fn action_name(&self, action: usize) -> String {
        let names = self.names.as_ref();
        names.map_or_else(|| action.to_string(), |names| names[action].clone())
    }
}

/// What is wrong with the outcomes of an action.
fn check_outcomes(outcomes: &[Outcome], n_states: usize) -> std::result::Result<(), String> {
    if outcomes.is_empty() {
        return Err("nothing can follow; an action has at least one outcome".to_owned());
    }
    for outcome in outcomes {
        if outcome.state >= n_states {
            return Err(format!(
                "it leads to state {}, but there are only {n_states}",
                outcome.state
            ));
        }
        if !(0.0..=1.0).contains(&outcome.probability) {
            return Err(format!(
                "a probability is {}; it must be between 0 and 1",
                outcome.probability
            ));
        }
        if !outcome.reward.is_finite() {
            return Err(format!(
                "a reward is {}; it must be a finite number",
                outcome.reward
            ));
        }
    }
    let total: f64 = outcomes.iter().map(|outcome| outcome.probability).sum();
    match (total - 1.0).abs() <= 1e-9 {
        true => Ok(()),
        false => Err(format!(
            "the probabilities sum to {total}; they must sum to 1"
        )),
    }
}

impl FitData for Decisions {
    fn check(&self, _accepts: Accepts) -> Result<()> {
        match self.outcomes.is_empty() {
            true => Err(Error::data("there are no states")),
            false => Ok(()),
        }
    }

    fn n_rows(&self) -> usize {
        self.n_states()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_worlds_are_refused_with_the_state_and_the_action() {
        // 001:RL-04: the rows of T sum to one.
        let world = |state, probability, reward| {
            let outcome = Outcome {
                state,
                probability,
                reward,
            };
            Decisions::new(vec![vec![vec![outcome]]]).map_err(|error| error.to_string())
        };
        assert!(world(0, 1.0, 0.0).is_ok());
        let refused = |state, probability, reward| world(state, probability, reward).unwrap_err();
        assert!(
            refused(0, 0.9, 0.0).starts_with("state 0, action 0: the probabilities sum to 0.9")
        );
        assert!(refused(0, -1.0, 0.0).contains("between 0 and 1"));
        assert!(refused(0, f64::NAN, 0.0).contains("between 0 and 1"));
        assert!(refused(1, 1.0, 0.0).contains("there are only 1"));
        assert!(refused(0, 1.0, f64::INFINITY).contains("finite"));
        let nothing_happens = Decisions::new(vec![vec![vec![]]]).unwrap_err().to_string();
        assert!(
            nothing_happens.contains("at least one outcome"),
            "{nothing_happens}"
        );
    }

    #[test]
    fn actions_have_names_or_numbers() {
        let outcome = Outcome {
            state: 0,
            probability: 1.0,
            reward: 0.0,
        };
        let world = Decisions::new(vec![vec![vec![outcome], vec![outcome]]]).unwrap();
        assert_eq!(world.action_name(1), "1");
        let named = world
            .clone()
            .with_action_names(vec!["stay".to_owned(), "go".to_owned()]);
        assert_eq!(named.unwrap().action_name(1), "go");
        assert!(world.with_action_names(vec!["stay".to_owned()]).is_err());
    }
}
