//! Sweeps: every state is given the value that the Bellman equation demands of it.

mod iterate;

pub(crate) use iterate::{StopTest, Sweeping, guaranteed_error};

use crate::process::CHUNK;
use crate::{DecisionProcess, Policy};
use didact_core::{Error, Result, Run, parallel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// In which order a sweep gives states their new values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweepOrder {
    /// All at once, from the values of the sweep before.
    #[default]
    Synchronous,
    /// One after the other within blocks of 4096 states or more, so that a new value counts at
    /// once, forwards and backwards in turn. Mostly needs far fewer sweeps.
    GaussSeidel,
}

/// What a state is worth by one look ahead.
#[derive(Clone, Copy)]
pub(crate) enum Rule<'a> {
    /// maxₐ Σ T·(R + γV).
    Best,
    /// Σₐ π(s, a) Σ T·(R + γV).
    Follow(&'a Policy),
    /// Σ T·(R + γV) of one action of each state.
    Take(&'a [u32]),
}

impl Rule<'_> {
    #[inline(always)]
    fn value(
        self,
        process: &DecisionProcess,
        state: usize,
        discount: f64,
        value_of: impl Fn(usize) -> f64,
    ) -> f64 {
        let worth = |pair| process.pair_value(pair, discount, &value_of);
        match self {
            Rule::Best => {
                let worths = process.layout().pairs(state).map(worth);
                worths.reduce(f64::max).unwrap_or(0.0)
            }
            Rule::Follow(policy) => policy.expect(state, worth),
            Rule::Take(_) if process.layout().is_terminal(state) => 0.0,
            Rule::Take(actions) => worth(process.layout().pair(state, actions[state] as usize)),
        }
    }
}

/// New values of all states from the old ones.
pub(crate) fn synchronous(
    process: &DecisionProcess,
    rule: Rule<'_>,
    discount: f64,
    old: &[f64],
    new: &mut [f64],
    run: &Run,
) -> Result<()> {
    parallel::fill(new, 1, CHUNK, run, |states, piece| {
        for (state, value) in states.zip(piece) {
            *value = rule.value(process, state, discount, |next| old[next]);
        }
        Ok(())
    })
}

/// How many states one task of a sweep in turn takes: the larger, the farther news travels in one
/// sweep, but there should be work for many threads, and a cancelled run should stop soon.
fn block_size(n_states: usize) -> usize {
    n_states.div_ceil(32).clamp(CHUNK, 16 * CHUNK)
}

/// New values of all states, each block from its own new values and the old ones of the others.
///
/// The blocks are cut by the number of states alone, so the result does not depend on threads.
pub(crate) fn gauss_seidel(
    process: &DecisionProcess,
    rule: Rule<'_>,
    discount: f64,
    old: &[f64],
    new: &mut [f64],
    forwards: bool,
    run: &Run,
) -> Result<()> {
    let block = block_size(new.len());
    parallel::fill(new, 1, block, run, |states, piece| {
        piece.copy_from_slice(&old[states.clone()]);
        let first = states.start;
        in_turn(states, forwards, |state| {
            piece[state - first] = rule.value(process, state, discount, |next| {
                // Below the block the difference wraps around and is out of reach too.
                let mine = piece.get(next.wrapping_sub(first));
                mine.copied().unwrap_or_else(|| old[next])
            });
        });
        Ok(())
    })
}

/// The same for the best value, which is kept together with the action that attains it, the
/// lowest of several.
pub(crate) fn improve(
    process: &DecisionProcess,
    discount: f64,
    old: &[f64],
    new: &mut [(f64, u32)],
    forwards: bool,
    run: &Run,
) -> Result<()> {
    let block = block_size(new.len());
    parallel::fill(new, 1, block, run, |states, piece| {
        let first = states.start;
        for (choice, &value) in piece.iter_mut().zip(&old[states.clone()]) {
            *choice = (value, 0);
        }
        in_turn(states, forwards, |state| {
            let mut best = (f64::NEG_INFINITY, 0);
            for (action, pair) in process.layout().pairs(state).enumerate() {
                let worth = process.pair_value(pair, discount, |next| {
                    let mine = piece.get(next.wrapping_sub(first));
                    mine.map_or_else(|| old[next], |choice| choice.0)
                });
                if worth > best.0 {
                    best = (worth, action as u32);
                }
            }
            piece[state - first] = match process.layout().is_terminal(state) {
                true => (0.0, 0),
                false => best,
            };
        });
        Ok(())
    })
}

#[inline(always)]
fn in_turn(states: Range<usize>, forwards: bool, mut renew: impl FnMut(usize)) {
    match forwards {
        true => states.for_each(&mut renew),
        false => states.rev().for_each(&mut renew),
    }
}

/// By how much values have changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// The smallest difference new − old.
    pub(crate) least: f64,
    /// The largest difference new − old.
    pub(crate) most: f64,
    /// The largest new magnitude.
    pub(crate) magnitude: f64,
}

impl Change {
    /// max |new − old|.
    pub(crate) fn size(&self) -> f64 {
        self.most.max(-self.least)
    }

    /// max (new − old) − min (new − old).
    pub(crate) fn span(&self) -> f64 {
        self.most - self.least
    }
}

/// Compares the values of two sweeps; an error when they have left the range of numbers.
pub(crate) fn compare(old: &[f64], new: &[f64], run: &Run) -> Result<Change> {
    let summarise = |states: Range<usize>| {
        let mut change = Change {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            magnitude: 0.0,
        };
        let mut sum = 0.0;
        for (old, new) in old[states.clone()].iter().zip(&new[states]) {
            let difference = new - old;
            change.least = change.least.min(difference);
            change.most = change.most.max(difference);
            change.magnitude = change.magnitude.max(new.abs());
            // Extremes pass over NaN; zero times something that is not finite does not.
            sum += 0.0 * difference;
        }
        match sum == 0.0 {
            true => Ok(change),
            false => Err(too_large()),
        }
    };
    let merge = |left: Change, right: Change| Change {
        least: left.least.min(right.least),
        most: left.most.max(right.most),
        magnitude: left.magnitude.max(right.magnitude),
    };
    let change = parallel::reduce(new.len(), 4 * CHUNK, run, &summarise, &merge)?;
    Ok(change.unwrap_or(Change {
        least: 0.0,
        most: 0.0,
        magnitude: 0.0,
    }))
}

pub(crate) fn too_large() -> Error {
    Error::numerical(
        "the values grow beyond all numbers; divide the rewards by their size, \
         or take a smaller discount",
    )
}

/// Fails when a return may exceed the range of numbers.
pub(crate) fn check_scale(process: &DecisionProcess, discount: f64) -> Result<()> {
    let largest = process.largest_reward();
    let least_weight = (1.0 - discount).max(f64::EPSILON);
    match largest / least_weight < f64::MAX / 16.0 {
        true => Ok(()),
        false => Err(Error::data(format!(
            "a reward reaches {largest:e}, and the sum of many would leave the range of numbers; \
             divide the rewards by their size"
        ))),
    }
}
