//! Monte Carlo control.

use super::model::ActionValues;
use super::visits::{FirstVisits, VisitRule, known_returns};
use super::{Exploration, StepSize};
use crate::Environment;
use crate::acting::{layout_of, play};
use crate::returns::returns_to_go;
use crate::sweep::too_large;
use didact_core::random::generator;
use didact_core::{Error, Fit, Result, Run, StopReason, TraceWriter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns the values of actions from the returns of whole episodes.
///
/// Every episode explores around the best known actions, so that each keeps a chance (an ε-soft
/// policy); afterwards Q(s, a) moves towards the return that followed each visit of (s, a). Nothing
/// is built on other estimates, but episodes must come to an end: of one that was cut off only the
/// steps whose missing rest weighs less than 10⁻⁶ are used.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{DecisionProcess, MonteCarloControl, Simulator};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 0.0), on(2, 1.0)], vec![on(2, 5.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let mut game = Simulator::new(&process, 0)?;
/// let learned = MonteCarloControl { n_episodes: 200, ..Default::default() }.fit(&mut game)?;
/// assert_eq!(learned.policy().action(0), Some(0));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MonteCarloControl {
    /// What a reward one step later is worth now, γ.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub discount: f64,
    /// Which visits of an episode count.
    pub visits: VisitRule,
    /// How many episodes to play.
    #[schemars(range(min = 1))]
    pub n_episodes: usize,
    /// Most steps of an episode.
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

impl Default for MonteCarloControl {
    fn default() -> Self {
        MonteCarloControl {
            discount: 0.9,
            visits: VisitRule::First,
            n_episodes: 1000,
            max_steps: 1000,
            step_size: StepSize::average(),
            exploration: Exploration::default(),
            initial_value: 0.0,
            random_state: 0,
        }
    }
}

impl Fit<&mut dyn Environment> for MonteCarloControl {
    type Model = ActionValues;

    fn learn(&self, environment: &mut dyn Environment, run: &Run) -> Result<ActionValues> {
        self.exploration.check()?;
        let layout = layout_of(environment);
        let mut values = vec![self.initial_value; layout.n_pairs()];
        let mut counts = vec![0; layout.n_pairs()];
        let mut first_visits = FirstVisits::new(self.visits, layout.n_pairs());
        let mut trace = TraceWriter::new(run, "return", Some(self.n_episodes));
        let mut n_cut_off = 0;
        for number in 0..self.n_episodes {
            let mut chance = generator(self.random_state, number as u64);
            let rate = self.exploration.rate_at(number);
            let choose = |state: usize, chance: &mut _| {
                let of_state = &values[layout.pairs(state)];
                self.exploration.draw(of_state, rate, chance)
            };
            let episode = play(
                environment,
                &layout,
                self.max_steps,
                &mut chance,
                run,
                choose,
            )?;
            n_cut_off += usize::from(!episode.ended);
            let returns = returns_to_go(&episode.rewards, self.discount)?;
            let steps = episode.states.iter().zip(&episode.actions);
            let pairs: Vec<usize> = steps.map(|(&s, &a)| layout.pair(s, a)).collect();
            let counted = first_visits.counted(&pairs);
            let known = known_returns(episode.n_steps(), episode.ended, self.discount);
            for step in (0..known).filter(|&step| counted[step]) {
                let pair = pairs[step];
                counts[pair] += 1;
                values[pair] += self.step_size.at(counts[pair]) * (returns[step] - values[pair]);
            }
            let whole = returns.first().copied().unwrap_or(0.0);
            if !whole.is_finite() || !returns.iter().all(|value| value.is_finite()) {
                return Err(too_large());
            }
            trace.record(whole)?;
        }
        check_taught(&counts, n_cut_off, self.max_steps)?;
        Ok(ActionValues {
            layout,
            discount: self.discount,
            action_values: values,
            visits: counts,
            n_cut_off,
            trace: trace.finish(StopReason::IterationLimit),
        })
    }
}

/// Fails when every episode was cut off before it told a return.
pub(super) fn check_taught(counts: &[u64], n_cut_off: usize, max_steps: usize) -> Result<()> {
    match n_cut_off > 0 && counts.iter().all(|&count| count == 0) {
        true => Err(Error::parameter(
            "max_steps",
            max_steps,
            "every episode was cut off before its return was known; allow more steps, \
             take a smaller discount, or learn by temporal differences",
        )),
        false => Ok(()),
    }
}
