//! The path on which a policy leads through a world.

use crate::returns::discounted_return;
use crate::{DecisionProcess, Policy};
use didact_core::{Error, Result};

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// In a terminal state.
    Arrived,
    /// In a state where it has been before: the policy runs in a circle.
    Circle,
}

/// The states that a policy leads through when nothing goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The states, the start and the end included.
    pub states: Vec<usize>,
    /// The action taken in each state but the last.
    pub actions: Vec<usize>,
    /// What each action earned.
    pub rewards: Vec<f64>,
    /// How it ended.
    pub end: PathEnd,
}

impl Path {
    /// Σₖ γᵏ·rₖ₊₁ along the path.
    pub fn utility(&self, discount: f64) -> Result<f64> {
        discounted_return(&self.rewards, discount)
    }
}

/// Follows the most probable action of a policy and its most probable outcome, the first of
/// several, from a start to a terminal state or until a state is met for the second time.
///
/// ```
/// use didact_core::{Decisions, Outcome};
/// use didact_reinforcement::{DecisionProcess, PathEnd, Policy, follow};
/// let on = |state| vec![Outcome { state, probability: 1.0, reward: 1.0 }];
/// let world = Decisions::new(vec![vec![on(0), on(1)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let stay = Policy::deterministic(process.layout(), vec![Some(0), None])?;
/// assert_eq!(follow(&process, &stay, 0)?.end, PathEnd::Circle);
/// let leave = Policy::deterministic(process.layout(), vec![Some(1), None])?;
/// assert_eq!(follow(&process, &leave, 0)?.states, [0, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn follow(process: &DecisionProcess, policy: &Policy, start: usize) -> Result<Path> {
    if start >= process.n_states() {
        let requirement = format!("there are only {} states", process.n_states());
        return Err(Error::parameter("start", start, requirement));
    }
    if policy.layout() != process.layout() {
        return Err(Error::data(
            "the policy was made for other states and actions than the process has",
        ));
    }
    let mut is_met = vec![false; process.n_states()];
    let mut path = Path {
        states: vec![start],
        actions: Vec::new(),
        rewards: Vec::new(),
        end: PathEnd::Arrived,
    };
    let mut state = start;
    while let Some(action) = policy.action(state) {
        if std::mem::replace(&mut is_met[state], true) {
            path.end = PathEnd::Circle;
            break;
        }
        let likeliest = process.outcomes(state, action).reduce(|best, next| {
            match next.probability > best.probability {
                true => next,
                false => best,
            }
        });
        let likeliest = likeliest.expect("an action has at least one outcome");
        state = likeliest.state;
        path.states.push(state);
        path.actions.push(action);
        path.rewards.push(likeliest.reward);
    }
    Ok(path)
}
