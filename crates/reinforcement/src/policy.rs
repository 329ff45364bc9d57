//! Policies: what to do in each state, for certain or by chance.

use crate::ActionLayout;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_math::numeric::argmax;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// What to do in each state: π(s, a), the probability of taking action a in state s.
///
/// ```
/// use didact_reinforcement::{ActionLayout, Policy};
/// let layout = ActionLayout::from_counts([2, 2, 0]);
/// let fixed = Policy::deterministic(&layout, vec![Some(1), Some(0), None])?;
/// assert_eq!((fixed.action(0), fixed.action(2)), (Some(1), None));
/// assert_eq!(Policy::uniform(&layout).probability(0, 1), 0.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    layout: ActionLayout,
    choice: Choice,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Choice {
    /// The action of each state; terminal states hold a zero that nobody reads.
    Certain(Vec<u32>),
    /// The probability of each pair.
    Random(Vec<f64>),
}

impl Policy {
    /// One action for each state; `None` where the state has none.
    pub fn deterministic(layout: &ActionLayout, actions: Vec<Option<usize>>) -> Result<Self> {
        check_count("actions", actions.len(), layout.n_states())?;
        let mut chosen = Vec::with_capacity(actions.len());
        for (state, action) in actions.into_iter().enumerate() {
            let n_actions = layout.n_actions(state);
            chosen.push(match action {
                Some(action) if action < n_actions => action as u32,
                None if n_actions == 0 => 0,
                Some(action) => {
                    return Err(Error::data(format!(
                        "the policy takes action {action} in state {state}, which has {n_actions} actions"
                    )));
                }
                None => {
                    return Err(Error::data(format!(
                        "the policy takes no action in state {state}, which is not terminal"
                    )));
                }
            });
        }
        Ok(Policy::certain(layout, chosen))
    }

    pub(crate) fn certain(layout: &ActionLayout, actions: Vec<u32>) -> Self {
        Policy {
            layout: layout.clone(),
            choice: Choice::Certain(actions),
        }
    }

    /// The probabilities of the actions of each state, which sum to one.
    pub fn stochastic(layout: &ActionLayout, probabilities: &[Vec<f64>]) -> Result<Self> {
        check_count(
            "lists of probabilities",
            probabilities.len(),
            layout.n_states(),
        )?;
        for (state, of_state) in probabilities.iter().enumerate() {
            check_probabilities(of_state, layout.n_actions(state))
                .map_err(|what| Error::data(format!("the policy in state {state}: {what}")))?;
        }
        Ok(Policy::random(layout, probabilities.concat()))
    }

    pub(crate) fn random(layout: &ActionLayout, probabilities: Vec<f64>) -> Self {
        Policy {
            layout: layout.clone(),
            choice: Choice::Random(probabilities),
        }
    }

    /// Every action of a state with the same probability.
    pub fn uniform(layout: &ActionLayout) -> Self {
        let probabilities = (0..layout.n_states()).flat_map(|state| {
            let n_actions = layout.n_actions(state);
            std::iter::repeat_n(1.0 / n_actions as f64, n_actions)
        });
        Policy::random(layout, probabilities.collect())
    }

    /// The action of the largest value in each state, the lowest of several equally good ones.
    ///
    /// Any policy that is greedy for Q* is optimal; there may be many.
    ///
    /// # Panics
    /// When there is not one value per pair.
    pub fn greedy(layout: &ActionLayout, action_values: &[f64]) -> Self {
        assert_eq!(action_values.len(), layout.n_pairs(), "one value per pair");
        let actions = (0..layout.n_states()).map(|state| {
            let of_state = action_values[layout.pairs(state)].iter().copied();
            argmax(of_state).unwrap_or(0) as u32
        });
        Policy::certain(layout, actions.collect())
    }

    /// Which actions each state has.
    pub fn layout(&self) -> &ActionLayout {
        &self.layout
    }

    /// Whether chance has no part in it.
    pub fn is_deterministic(&self) -> bool {
        matches!(self.choice, Choice::Certain(_))
    }

    /// The most probable action of a state, the lowest of several; `None` in a terminal one.
    pub fn action(&self, state: usize) -> Option<usize> {
        if self.layout.is_terminal(state) {
            return None;
        }
        match &self.choice {
            Choice::Certain(actions) => Some(actions[state] as usize),
            Choice::Random(probabilities) => {
                argmax(probabilities[self.layout.pairs(state)].iter().copied())
            }
        }
    }

    /// The most probable action of every state.
    pub fn actions(&self) -> Vec<Option<usize>> {
        (0..self.layout.n_states())
            .map(|state| self.action(state))
            .collect()
    }

    /// π(s, a).
    pub fn probability(&self, state: usize, action: usize) -> f64 {
        match &self.choice {
            Choice::Certain(actions) => f64::from(actions[state] as usize == action),
            Choice::Random(probabilities) => probabilities[self.layout.pair(state, action)],
        }
    }

    /// Adds up `term` over the pairs of a state, each as often as the policy takes it.
    #[inline(always)]
    pub(crate) fn expect(&self, state: usize, mut term: impl FnMut(usize) -> f64) -> f64 {
        let pairs = self.layout.pairs(state);
        match &self.choice {
            _ if pairs.is_empty() => 0.0,
            Choice::Certain(actions) => term(pairs.start + actions[state] as usize),
            Choice::Random(probabilities) => pairs
                .filter(|&pair| probabilities[pair] > 0.0)
                .map(|pair| probabilities[pair] * term(pair))
                .sum(),
        }
    }

    /// Draws an action for a state; `None` in a terminal one.
    pub fn draw(&self, state: usize, generator: &mut Generator) -> Option<usize> {
        match &self.choice {
            _ if self.layout.is_terminal(state) => None,
            Choice::Certain(actions) => Some(actions[state] as usize),
            Choice::Random(probabilities) => {
                let of_state = &probabilities[self.layout.pairs(state)];
                Some(draw_index(of_state.iter().copied(), generator))
            }
        }
    }

    /// Fails when a policy that came from a file contradicts itself.
    pub(crate) fn validate(&self) -> Result<()> {
        self.layout.validate()?;
        let layout = &self.layout;
        ensure_consistent(match &self.choice {
            Choice::Certain(actions) => {
                actions.len() == layout.n_states()
                    && actions
                        .iter()
                        .enumerate()
                        .all(|(state, &action)| (action as usize) < layout.n_actions(state).max(1))
            }
            Choice::Random(probabilities) => {
                probabilities.len() == layout.n_pairs()
                    && (0..layout.n_states()).all(|state| {
                        let of_state = &probabilities[layout.pairs(state)];
                        check_probabilities(of_state, of_state.len()).is_ok()
                    })
            }
        })
    }
}

/// Draws a place with the given probabilities, which sum to one.
pub(crate) fn draw_index(
    probabilities: impl Iterator<Item = f64>,
    generator: &mut Generator,
) -> usize {
    let mut left: f64 = generator.random();
    let mut last = 0;
    for (place, probability) in probabilities.enumerate() {
        if probability > 0.0 {
            last = place;
            left -= probability;
            if left < 0.0 {
                break;
            }
        }
    }
    // What rounding leaves over goes to the last place that is possible.
    last
}

fn check_count(what: &str, found: usize, n_states: usize) -> Result<()> {
    match found == n_states {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the policy has {found} {what} for {n_states} states"
        ))),
    }
}

fn check_probabilities(probabilities: &[f64], n_actions: usize) -> Result<(), String> {
    if probabilities.len() != n_actions {
        let found = probabilities.len();
        return Err(format!("{found} probabilities for {n_actions} actions"));
    }
    if let Some(wrong) = probabilities.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(format!(
            "a probability is {wrong}; it must be between 0 and 1"
        ));
    }
    let total: f64 = probabilities.iter().sum();
    match n_actions == 0 || (total - 1.0).abs() <= 1e-9 {
        true => Ok(()),
        false => Err(format!(
            "the probabilities sum to {total}; they must sum to 1"
        )),
    }
}
