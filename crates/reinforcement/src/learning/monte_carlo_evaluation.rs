//! Monte Carlo evaluation.

use super::RunningMean;
use super::model::EstimatedValues;
use super::monte_carlo::check_taught;
use super::visits::{FirstVisits, VisitRule, known_returns};
use crate::acting::{Acting, play};
use crate::returns::returns_to_go;
use crate::sweep::too_large;
use didact_core::random::generator;
use didact_core::{Fit, Result, Run, StopReason, TraceWriter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns what a policy is worth from the mean return of whole episodes.
///
/// The value of a state is the mean of the returns that followed its visits, with a standard error
/// by the side. Of an episode that was cut off only the steps whose missing rest weighs less than
/// 10⁻⁶ are used.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{Acting, DecisionProcess, MonteCarloEvaluation, Policy, Simulator};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 2.0)], vec![on(2, 4.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let policy = Policy::uniform(process.layout());
/// let mut game = Simulator::new(&process, 0)?;
/// let acting = Acting { environment: &mut game, policy: &policy };
/// let found = MonteCarloEvaluation { discount: 0.5, ..Default::default() }.fit(acting)?;
/// assert_eq!(found.values(), [4.0, 4.0, 0.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MonteCarloEvaluation {
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
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for MonteCarloEvaluation {
    fn default() -> Self {
        MonteCarloEvaluation {
            discount: 0.9,
            visits: VisitRule::First,
            n_episodes: 1000,
            max_steps: 1000,
            random_state: 0,
        }
    }
}

impl Fit<Acting<'_>> for MonteCarloEvaluation {
    type Model = EstimatedValues;

    fn learn(&self, acting: Acting<'_>, run: &Run) -> Result<EstimatedValues> {
        let Acting {
            environment,
            policy,
        } = acting;
        let layout = policy.layout();
        let mut means = vec![RunningMean::default(); layout.n_states()];
        let mut first_visits = FirstVisits::new(self.visits, layout.n_states());
        let mut trace = TraceWriter::new(run, "return", Some(self.n_episodes));
        let mut n_cut_off = 0;
        for number in 0..self.n_episodes {
            let mut chance = generator(self.random_state, number as u64);
            let choose = |state: usize, chance: &mut _| policy.draw(state, chance).unwrap_or(0);
            let episode = play(
                environment,
                layout,
                self.max_steps,
                &mut chance,
                run,
                choose,
            )?;
            n_cut_off += usize::from(!episode.ended);
            let returns = returns_to_go(&episode.rewards, self.discount)?;
            if !returns.iter().all(|value| value.is_finite()) {
                return Err(too_large());
            }
            let visited = &episode.states[..episode.n_steps()];
            let counted = first_visits.counted(visited);
            let known = known_returns(episode.n_steps(), episode.ended, self.discount);
            for step in (0..known).filter(|&step| counted[step]) {
                means[visited[step]].observe(returns[step]);
            }
            trace.record(returns.first().copied().unwrap_or(0.0))?;
        }
        let visits: Vec<u64> = means.iter().map(RunningMean::count).collect();
        check_taught(&visits, n_cut_off, self.max_steps)?;
        Ok(EstimatedValues {
            discount: self.discount,
            values: means.iter().map(RunningMean::mean).collect(),
            visits,
            standard_errors: Some(means.iter().map(RunningMean::standard_error).collect()),
            n_cut_off,
            trace: trace.finish(StopReason::IterationLimit),
        })
    }
}
