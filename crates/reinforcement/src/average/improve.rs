//! Better actions in the long run.

use super::AverageCriterion;
use super::chain::Evaluated;
use crate::{DecisionProcess, Policy};
use ndarray::Array1;
use std::ops::Range;

/// Actions nearer to each other than this, relative to the largest figure, are equally good.
const TIE: f64 = 1e-10;

/// A policy that is better by the first of these that can be bettered anywhere: the gain, the
/// bias, and what decides between equal biases. The same policy when none can.
pub(super) fn improve(
    process: &DecisionProcess,
    policy: &Policy,
    found: &Evaluated,
    criterion: AverageCriterion,
) -> Policy {
    let gain = |pair| expect(process, pair, &found.gains);
    let bias = |pair| process.reward(pair) + expect(process, pair, &found.biases);
    let second = |pair| expect(process, pair, &found.second);
    let rewards = process.largest_reward();
    let ties = [
        TIE * scale(&found.gains),
        TIE * scale(&found.biases).max(rewards),
        TIE * scale(&found.second),
    ];
    let figures: [&dyn Fn(usize) -> f64; 3] = [&gain, &bias, &second];
    let n_figures = match criterion {
        AverageCriterion::Gain => 2,
        AverageCriterion::Bias => 3,
    };
    let mut kept: Vec<Vec<usize>> = (0..process.n_states())
        .map(|state| process.layout().pairs(state).collect())
        .collect();
    for (figure, tie) in figures.iter().zip(ties).take(n_figures) {
        kept.iter_mut()
            .for_each(|pairs| keep_best(pairs, figure, tie));
        let improved = choose(process, policy, &kept);
        if improved != *policy {
            return improved;
        }
    }
    policy.clone()
}

/// The present action where it is among the best, else the first of them.
fn choose(process: &DecisionProcess, policy: &Policy, best: &[Vec<usize>]) -> Policy {
    let layout = process.layout();
    let actions = best.iter().enumerate().map(|(state, pairs)| {
        let Range { start, .. } = layout.pairs(state);
        let present = policy.action(state).unwrap_or(0);
        match pairs.first() {
            Some(&first) if !pairs.contains(&(start + present)) => (first - start) as u32,
            _ => present as u32,
        }
    });
    Policy::certain(layout, actions.collect())
}

fn keep_best(pairs: &mut Vec<usize>, figure: impl Fn(usize) -> f64, tie: f64) {
    let figures: Vec<f64> = pairs.iter().map(|&pair| figure(pair)).collect();
    let best = figures.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut figures = figures.into_iter();
    pairs.retain(|_| figures.next().is_some_and(|figure| figure >= best - tie));
}

fn expect(process: &DecisionProcess, pair: usize, of_state: &Array1<f64>) -> f64 {
    process
        .outcomes_of(pair)
        .map(|next| next.probability * of_state[next.state])
        .sum()
}

fn scale(values: &Array1<f64>) -> f64 {
    values.iter().fold(0.0, |largest, x| largest.max(x.abs()))
}
