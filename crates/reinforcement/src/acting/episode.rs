//! Episodes: what happened from a start to an end.

use super::environment::check_policy;
use super::{Environment, checked_start, checked_step};
use crate::returns::{average_reward, discounted_return};
use crate::{ActionLayout, Policy};
use didact_core::random::{Generator, generator};
use didact_core::{Result, Run};
use serde::{Deserialize, Serialize};

/// How many steps are taken between two looks at the switch that stops a run.
pub(crate) const BREATH: usize = 1024;

/// The log of one episode: s₀, a₀, r₁, s₁, a₁, r₂, …
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    /// The states, the first and the last included.
    pub states: Vec<usize>,
    /// The action taken in each state but the last.
    pub actions: Vec<usize>,
    /// What each action earned: `rewards[t]` is rₜ₊₁.
    pub rewards: Vec<f64>,
    /// Whether the last state is terminal; else the episode was cut off.
    pub ended: bool,
}

impl Episode {
    /// Number of actions taken.
    pub fn n_steps(&self) -> usize {
        self.actions.len()
    }

    /// Σₖ γᵏ·rₖ₊₁ from the start on.
    pub fn discounted_return(&self, discount: f64) -> Result<f64> {
        discounted_return(&self.rewards, discount)
    }

    /// The mean reward of a step.
    pub fn average_reward(&self) -> f64 {
        average_reward(&self.rewards)
    }
}

/// Lets a policy act until the episode ends, or for `max_steps` steps at most.
///
/// ```
/// use didact_core::{Decisions, Outcome, random::generator};
/// use didact_reinforcement::{DecisionProcess, Policy, Simulator, record_episode};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 2.0)], vec![on(2, 3.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let policy = Policy::uniform(process.layout());
/// let mut game = Simulator::new(&process, 0)?;
/// let episode = record_episode(&mut game, &policy, 100, &mut generator(0, 0))?;
/// assert_eq!(episode.states, [0, 1, 2]);
/// assert_eq!(episode.discounted_return(0.5)?, 3.5);
/// assert!(episode.ended);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn record_episode(
    environment: &mut dyn Environment,
    policy: &Policy,
    max_steps: usize,
    generator: &mut Generator,
) -> Result<Episode> {
    check_policy(environment, policy)?;
    let layout = policy.layout();
    play(
        environment,
        layout,
        max_steps,
        generator,
        &Run::new(),
        |state, generator| policy.draw(state, generator).unwrap_or(0),
    )
}

/// Lets a policy act for several episodes; number i takes all its chance from stream i of the
/// seed.
pub fn record_episodes(
    environment: &mut dyn Environment,
    policy: &Policy,
    n_episodes: usize,
    max_steps: usize,
    random_state: u64,
    run: &Run,
) -> Result<Vec<Episode>> {
    check_policy(environment, policy)?;
    let layout = policy.layout();
    (0..n_episodes)
        .map(|episode| {
            let mut chance = generator(random_state, episode as u64);
            play(
                environment,
                layout,
                max_steps,
                &mut chance,
                run,
                |state, chance| policy.draw(state, chance).unwrap_or(0),
            )
        })
        .collect()
}

/// Plays one episode with actions chosen by `choose`, which is never asked in a terminal state.
pub(crate) fn play(
    environment: &mut dyn Environment,
    layout: &ActionLayout,
    max_steps: usize,
    generator: &mut Generator,
    run: &Run,
    mut choose: impl FnMut(usize, &mut Generator) -> usize,
) -> Result<Episode> {
    let mut state = checked_start(environment, layout, generator)?;
    let mut episode = Episode {
        states: vec![state],
        ..Episode::default()
    };
    while !layout.is_terminal(state) && episode.n_steps() < max_steps {
        if episode.n_steps().is_multiple_of(BREATH) {
            run.check()?;
        }
        let action = choose(state, generator);
        let transition = checked_step(environment, layout, action, generator)?;
        state = transition.state;
        episode.actions.push(action);
        episode.rewards.push(transition.reward);
        episode.states.push(state);
    }
    episode.ended = layout.is_terminal(state);
    Ok(episode)
}
