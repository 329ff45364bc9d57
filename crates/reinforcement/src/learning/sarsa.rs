//! SARSA and expected SARSA.

use super::control::{After, Control};
use super::model::ActionValues;
use super::{Exploration, StepSize};
use crate::Environment;
use didact_core::{Fit, Result, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns the values of actions under the very policy that explores.
///
/// After every step, Q(s, a) ← Q(s, a) + step·(r + γ·Q(s′, a′) − Q(s, a)), where a′ is the action
/// taken next. Unlike Q-learning it counts the price of its own exploration, and keeps away from
/// cliffs that a stray step would fall over. Expected SARSA takes the mean Σ π(a′)·Q(s′, a′) in
/// place of one draw, which has the same aim and less noise.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{DecisionProcess, Sarsa, Simulator};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 0.0), on(2, 1.0)], vec![on(2, 5.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let mut game = Simulator::new(&process, 0)?;
/// let learned = Sarsa { n_episodes: 200, ..Sarsa::default() }.fit(&mut game)?;
/// assert_eq!(learned.policy().action(0), Some(0));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sarsa {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// Whether to take the mean over the next action in place of the one that is drawn.
    pub expected: bool,
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

impl Default for Sarsa {
    fn default() -> Self {
        Sarsa {
            discount: 0.9,
            expected: false,
            n_episodes: 1000,
            max_steps: 1000,
            step_size: StepSize::default(),
            exploration: Exploration::default(),
            initial_value: 0.0,
            random_state: 0,
        }
    }
}

impl Fit<&mut dyn Environment> for Sarsa {
    type Model = ActionValues;

    fn learn(&self, environment: &mut dyn Environment, run: &Run) -> Result<ActionValues> {
        let control = Control {
            after: match self.expected {
                true => After::Expected,
                false => After::Taken,
            },
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
