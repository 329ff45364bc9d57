//! TD(0).

use super::StepSize;
use super::model::EstimatedValues;
use crate::acting::{Acting, BREATH, checked_start, checked_step};
use crate::sweep::too_large;
use didact_core::random::generator;
use didact_core::{Fit, Result, Run, StopReason, TraceWriter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns what a policy is worth from the difference between one estimate and the next: TD(0).
///
/// After every step, V(s) ← V(s) + step·(r + γ·V(s′) − V(s)), with V = 0 at the end. No episode has
/// to come to an end first.
///
/// ```
/// use didact_core::{Decisions, Fit, Outcome};
/// use didact_reinforcement::{Acting, DecisionProcess, Policy, Simulator, TemporalDifference};
/// let on = |state, reward| vec![Outcome { state, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1, 2.0)], vec![on(2, 4.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let policy = Policy::uniform(process.layout());
/// let mut game = Simulator::new(&process, 0)?;
/// let acting = Acting { environment: &mut game, policy: &policy };
/// let found = TemporalDifference { discount: 0.5, ..Default::default() }.fit(acting)?;
/// assert!((found.values()[0] - 4.0).abs() < 0.02);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TemporalDifference {
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
    /// What states are believed to be worth before they are visited.
    pub initial_value: f64,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for TemporalDifference {
    fn default() -> Self {
        TemporalDifference {
            discount: 0.9,
            n_episodes: 1000,
            max_steps: 1000,
            step_size: StepSize::default(),
            initial_value: 0.0,
            random_state: 0,
        }
    }
}

/// What has been learned so far.
struct Table {
    values: Vec<f64>,
    visits: Vec<u64>,
    n_cut_off: usize,
}

impl Fit<Acting<'_>> for TemporalDifference {
    type Model = EstimatedValues;

    fn learn(&self, mut acting: Acting<'_>, run: &Run) -> Result<EstimatedValues> {
        let layout = acting.policy.layout();
        let start_value = |state| match layout.is_terminal(state) {
            true => 0.0,
            false => self.initial_value,
        };
        let mut table = Table {
            values: (0..layout.n_states()).map(start_value).collect(),
            visits: vec![0; layout.n_states()],
            n_cut_off: 0,
        };
        let mut trace = TraceWriter::new(run, "return", Some(self.n_episodes));
        for number in 0..self.n_episodes {
            trace.record(self.episode(&mut acting, &mut table, number, run)?)?;
        }
        if !table.values.iter().all(|value| value.is_finite()) {
            return Err(too_large());
        }
        Ok(EstimatedValues {
            discount: self.discount,
            values: table.values,
            visits: table.visits,
            standard_errors: None,
            n_cut_off: table.n_cut_off,
            trace: trace.finish(StopReason::IterationLimit),
        })
    }
}

impl TemporalDifference {
    /// Learns from one episode and tells its return.
    fn episode(
        &self,
        acting: &mut Acting<'_>,
        table: &mut Table,
        number: usize,
        run: &Run,
    ) -> Result<f64> {
        let layout = acting.policy.layout();
        let mut chance = generator(self.random_state, number as u64);
        let mut state = checked_start(acting.environment, layout, &mut chance)?;
        let (mut total, mut weight) = (0.0, 1.0);
        for step in 0..self.max_steps {
            if step.is_multiple_of(BREATH) {
                run.check()?;
            }
            let Some(action) = acting.policy.draw(state, &mut chance) else {
                return Ok(total);
            };
            let next = checked_step(acting.environment, layout, action, &mut chance)?;
            total += weight * next.reward;
            weight *= self.discount;
            let target = next.reward + self.discount * table.values[next.state];
            table.visits[state] += 1;
            let size = self.step_size.at(table.visits[state]);
            table.values[state] += size * (target - table.values[state]);
            state = next.state;
        }
        table.n_cut_off += usize::from(!layout.is_terminal(state));
        Ok(total)
    }
}
