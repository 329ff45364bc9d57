//! Recall: units take the sign of their weighted sums until nothing changes.

use super::hopfield::{Hopfield, TieRule, UpdateMode};
use didact_core::random::generator;
use didact_math::numeric::dot;
use ndarray::{Array1, Array2};
use rand::seq::SliceRandom;

/// How a recall ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecallEnd {
    /// A whole sweep changed nothing.
    Settled,
    /// The state is that of two sweeps before: units that change all at once go to and fro.
    Cycle,
    /// The sweeps ran out.
    Limit,
}

/// What was recalled, and the way there.
#[derive(Clone, Debug, PartialEq)]
pub struct Recall {
    /// The state in the end.
    pub state: Array1<f64>,
    /// The energy at the start and after every sweep.
    pub energies: Vec<f64>,
    /// How it ended.
    pub end: RecallEnd,
}

impl Recall {
    /// Sweeps over all units.
    pub fn n_sweeps(&self) -> usize {
        self.energies.len() - 1
    }
}

/// The network that recalls.
pub(super) struct Network<'a> {
    pub(super) settings: &'a Hopfield,
    /// The weights times K.
    pub(super) couplings: &'a Array2<f64>,
}

impl Network<'_> {
    /// Recalls from a cue of −1 and +1, with the energies on the way.
    pub(super) fn recall(&self, cue: Vec<f64>) -> Recall {
        let mut energies = vec![self.energy(&cue)];
        let (state, end) = self.settle(cue, |state| energies.push(self.energy(state)));
        Recall {
            state: Array1::from(state),
            energies,
            end,
        }
    }

    /// Lets the units change until nothing does, and shows the state after every sweep.
    pub(super) fn settle(
        &self,
        mut state: Vec<f64>,
        mut show: impl FnMut(&[f64]),
    ) -> (Vec<f64>, RecallEnd) {
        let mut before = Vec::new();
        for sweep in 0..self.settings.max_iter {
            let previous = state.clone();
            match self.settings.update {
                UpdateMode::Synchronous => self.all_at_once(&mut state),
                mode => self.one_by_one(&mut state, &self.order(mode, sweep)),
            }
            show(&state);
            if state == previous {
                return (state, RecallEnd::Settled);
            }
            if state == before {
                return (state, RecallEnd::Cycle);
            }
            before = previous;
        }
        (state, RecallEnd::Limit)
    }

    /// E = −½·Σ w_ij·sᵢ·sⱼ.
    pub(super) fn energy(&self, state: &[f64]) -> f64 {
        let total: f64 = (0..state.len())
            .map(|unit| state[unit] * self.field(state, unit))
            .sum();
        -0.5 * total / state.len() as f64
    }

    /// K times the weighted sum of a unit.
    fn field(&self, state: &[f64], unit: usize) -> f64 {
        let weights = self.couplings.row(unit);
        dot(weights.as_slice().expect("weights are contiguous"), state)
    }

    fn answer(&self, field: f64, now: f64) -> f64 {
        match field {
            field if field > 0.0 => 1.0,
            field if field < 0.0 => -1.0,
            _ => match self.settings.ties {
                TieRule::Plus => 1.0,
                TieRule::Keep => now,
            },
        }
    }

    /// The order of the units in a sweep, the same for every cue.
    fn order(&self, mode: UpdateMode, sweep: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.couplings.nrows()).collect();
        if mode == UpdateMode::RandomOrder {
            order.shuffle(&mut generator(self.settings.random_state, sweep as u64));
        }
        order
    }

    fn all_at_once(&self, state: &mut Vec<f64>) {
        *state = (0..state.len())
            .map(|unit| self.answer(self.field(state, unit), state[unit]))
            .collect();
    }

    /// Units change in the given order, each seeing the changes before it.
    pub(super) fn one_by_one(&self, state: &mut [f64], order: &[usize]) {
        for &unit in order {
            state[unit] = self.answer(self.field(state, unit), state[unit]);
        }
    }
}
