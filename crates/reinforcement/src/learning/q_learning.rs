//! Q-learning.

use super::control::{After, Control};
use super::model::ActionValues;
use super::{Exploration, StepSize};
use crate::Environment;
use didact_core::{Fit, Result, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns the best values of actions from trials, whatever policy explores.
///
/// After every step, Q(s, a) ← Q(s, a) + step·(r + γ·maxₐ′ Q(s′, a′) − Q(s, a)), where the target of
/// a step into a terminal state is its reward alone. Acting and updating go on in turn until the
/// episodes are over. When every pair keeps being tried and the steps shrink as [`StepSize`] lets
/// them, Q comes to the Q* of [`QValueIteration`](crate::QValueIteration), although R and T stay
/// unknown. An optimistic `initial_value` makes untried actions attractive.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{DecisionProcess, QLearning, Simulator};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 0.0), on(2, 1.0)], vec![on(2, 5.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let mut game = Simulator::new(&process, 0)?;
/// let learned = QLearning { n_episodes: 200, ..QLearning::default() }.fit(&mut game)?;
/// assert_eq!(learned.policy().action(0), Some(0));
/// assert_eq!(learned.episode_returns().len(), 200);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QLearning {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// How many episodes to play.
    #[schemars(range(min = 1))]
    pub n_episodes: usize,
    /// Most steps of an episode; what comes after a cut is still estimated.
    #[schemars(range(min = 1))]
    pub max_steps: usize,
    /// How far a value moves at each visit.
    pub step_size: StepSize,
    /// When to try something else than the best known action.
    pub exploration: Exploration,
    /// What actions are believed to be worth before they are tried.
    pub initial_value: f64,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for QLearning {
    fn default() -> Self {
        QLearning {
            discount: 0.9,
            n_episodes: 1000,
            max_steps: 1000,
            step_size: StepSize::default(),
            exploration: Exploration::default(),
            initial_value: 0.0,
            random_state: 0,
        }
    }
}

impl Fit<&mut dyn Environment> for QLearning {
    type Model = ActionValues;

    fn learn(&self, environment: &mut dyn Environment, run: &Run) -> Result<ActionValues> {
        let control = Control {
            after: After::Best,
            discount: self.discount,
            n_episodes: self.n_episodes,
            max_steps: self.max_steps,
            step_size: self.step_size,
            exploration: self.exploration,
            initial_value: self.initial_value,
            random_state: self.random_state,
        };
        control.learn(environment, run)
    }
}
