//! What an agent acts in.

use crate::{ActionLayout, Policy};
use didact_core::random::Generator;
use didact_core::{Accepts, Error, FitData, Result};

/// What follows an action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// rₜ₊₁, what the action taken at time t earned.
    pub reward: f64,
    /// sₜ₊₁, the state that follows.
    pub state: usize,
}

/// A task to act in, of which an agent sees only states and rewards.
///
/// [`Simulator`](crate::Simulator) is one made from a known world; anything else that can be
/// stepped through may be another. All chance comes from the generator, so that an episode is
/// repeated by its seed.
pub trait Environment: Send {
    /// Number of states.
    fn n_states(&self) -> usize;

    /// Number of actions that a state allows; none where an episode ends.
    fn n_actions(&self, state: usize) -> usize;

    /// Starts a new episode and tells its first state.
    fn start(&mut self, generator: &mut Generator) -> usize;

    /// Takes an action in the present state, one of those that it allows.
    fn step(&mut self, action: usize, generator: &mut Generator) -> Transition;
}

impl FitData for &mut dyn Environment {
    fn check(&self, _accepts: Accepts) -> Result<()> {
        match self.n_states() {
            0 => Err(Error::data("there are no states")),
            _ => Ok(()),
        }
    }

    fn n_rows(&self) -> usize {
        self.n_states()
    }
}

/// A policy that acts in an environment.
pub struct Acting<'a> {
    /// Where it acts.
    pub environment: &'a mut dyn Environment,
    /// What it does.
    pub policy: &'a Policy,
}

impl FitData for Acting<'_> {
    fn check(&self, accepts: Accepts) -> Result<()> {
        self.environment.check(accepts)?;
        check_policy(&*self.environment, self.policy)
    }

    fn n_rows(&self) -> usize {
        self.environment.n_states()
    }
}

/// Fails unless the policy was made for the states and actions of the environment.
pub(crate) fn check_policy(environment: &dyn Environment, policy: &Policy) -> Result<()> {
    match layout_of(environment) == *policy.layout() {
        true => Ok(()),
        false => Err(Error::data(
            "the policy was made for other states and actions than the environment has",
        )),
    }
}

pub(crate) fn layout_of(environment: &dyn Environment) -> ActionLayout {
    let states = 0..environment.n_states();
    ActionLayout::from_counts(states.map(|state| environment.n_actions(state)))
}

/// Starts an episode and checks the state that the environment tells.
pub(crate) fn checked_start(
    environment: &mut dyn Environment,
    layout: &ActionLayout,
    generator: &mut Generator,
) -> Result<usize> {
    let state = environment.start(generator);
    check_state(state, layout)?;
    Ok(state)
}

/// Takes a step and checks what the environment tells.
pub(crate) fn checked_step(
    environment: &mut dyn Environment,
    layout: &ActionLayout,
    action: usize,
    generator: &mut Generator,
) -> Result<Transition> {
    let transition = environment.step(action, generator);
    check_state(transition.state, layout)?;
    match transition.reward.is_finite() {
        true => Ok(transition),
        false => Err(Error::data(format!(
            "the environment gave the reward {}; it must be a finite number",
            transition.reward
        ))),
    }
}

fn check_state(state: usize, layout: &ActionLayout) -> Result<()> {
    match state < layout.n_states() {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the environment is in state {state}, but it has only {} states",
            layout.n_states()
        ))),
    }
}
