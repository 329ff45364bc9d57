//! The loop that all learning of action values by temporal differences shares.

use super::model::ActionValues;
use super::{Exploration, StepSize};
use crate::acting::{BREATH, checked_start, checked_step, layout_of};
use crate::sweep::too_large;
use crate::{ActionLayout, Environment};
use didact_core::random::{Generator, generator};
use didact_core::{Result, Run, StopReason, TraceWriter};

/// What comes after an action in the target r + γ·(…) of its update.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// The best action.
    Best,
    /// The action that is taken.
    Taken,
    /// The mean over the exploring policy.
    Expected,
}

/// The settings of a learner.
pub(super) struct Control {
    pub(super) after: After,
    pub(super) discount: f64,
    pub(super) n_episodes: usize,
    pub(super) max_steps: usize,
    pub(super) step_size: StepSize,
    pub(super) exploration: Exploration,
    pub(super) initial_value: f64,
    pub(super) random_state: u64,
}

/// What has been learned so far.
struct Table {
    layout: ActionLayout,
    values: Vec<f64>,
    visits: Vec<u64>,
}

impl Table {
    fn of(&self, state: usize) -> &[f64] {
        &self.values[self.layout.pairs(state)]
    }
}

/// How an episode went.
struct Outcome {
    discounted_return: f64,
    ended: bool,
}

impl Control {
    pub(super) fn learn(
        &self,
        environment: &mut dyn Environment,
        run: &Run,
    ) -> Result<ActionValues> {
        self.exploration.check()?;
        let layout = layout_of(environment);
        let mut table = Table {
            values: vec![self.initial_value; layout.n_pairs()],
            visits: vec![0; layout.n_pairs()],
            layout,
        };
        let mut trace = TraceWriter::new(run, "return", Some(self.n_episodes));
        let mut n_cut_off = 0;
        for episode in 0..self.n_episodes {
            let outcome = self.episode(environment, &mut table, episode, run)?;
            n_cut_off += usize::from(!outcome.ended);
            if !outcome.discounted_return.is_finite() {
                return Err(too_large());
            }
            trace.record(outcome.discounted_return)?;
        }
        Ok(ActionValues {
            layout: table.layout,
            discount: self.discount,
            action_values: table.values,
            visits: table.visits,
            n_cut_off,
            trace: trace.finish(StopReason::IterationLimit),
        })
    }

    /// One episode: act, see what follows, learn from it, and so on.
    fn episode(
        &self,
        environment: &mut dyn Environment,
        table: &mut Table,
        number: usize,
        run: &Run,
    ) -> Result<Outcome> {
        let mut chance = generator(self.random_state, number as u64);
        let rate = self.exploration.rate_at(number);
        let mut state = checked_start(environment, &table.layout, &mut chance)?;
        let mut outcome = Outcome {
            discounted_return: 0.0,
            ended: table.layout.is_terminal(state),
        };
        if outcome.ended {
            return Ok(outcome);
        }
        let mut weight = 1.0;
        let mut action = self.exploration.draw(table.of(state), rate, &mut chance);
        for step in 0..self.max_steps {
            if step.is_multiple_of(BREATH) {
                run.check()?;
            }
            let next = checked_step(environment, &table.layout, action, &mut chance)?;
            outcome.discounted_return += weight * next.reward;
            weight *= self.discount;
            let pair = table.layout.pair(state, action);
            state = next.state;
            // Being at the end is worth nothing.
            if table.layout.is_terminal(state) {
                self.update(table, pair, next.reward)?;
                outcome.ended = true;
                break;
            }
            action = self.learn_step(table, pair, next.reward, state, rate, &mut chance)?;
        }
        Ok(outcome)
    }

    /// Learns from a step that led to another open state, and draws the action to take there.
    fn learn_step(
        &self,
        table: &mut Table,
        pair: usize,
        reward: f64,
        state: usize,
        rate: f64,
        chance: &mut Generator,
    ) -> Result<usize> {
        let next = table.of(state);
        // Only an action that the target depends on is drawn before the update.
        if self.after == After::Taken {
            let action = self.exploration.draw(next, rate, chance);
            let later = next[action];
            self.update(table, pair, reward + self.discount * later)?;
            return Ok(action);
        }
        let later = match self.after {
            After::Expected => self.exploration.expected_value(next, rate),
            _ => next.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        };
        self.update(table, pair, reward + self.discount * later)?;
        Ok(self.exploration.draw(table.of(state), rate, chance))
    }

    fn update(&self, table: &mut Table, pair: usize, target: f64) -> Result<()> {
        table.visits[pair] += 1;
        let step = self.step_size.at(table.visits[pair]);
        table.values[pair] += step * (target - table.values[pair]);
        match table.values[pair].is_finite() {
            true => Ok(()),
            false => Err(too_large()),
        }
    }
}
