//! The scaled forward–backward recursions: fast, and safe wherever they say so.
//!
//! Emission likelihoods arrive divided by the largest of their item, forward variables are
//! divided by their sum c_t, so that ln p(x) = Σ ln c_t plus what was divided out. Where the
//! chain has zeros, a path can be lost to underflow although it matters in the end; this is
//! noticed, and the caller then repeats the sequence with logarithms.

use super::chain::{Chain, Support};
use didact_core::{Result, Run};

/// A forward variable below this share of its item may be about to underflow.
const FAINT: f64 = 1e-200;
/// Below this sum c_t the terms that underflow are no longer negligible beside it.
const VANISHING: f64 = 1e-50;
/// How many items are computed between two looks at the run.
pub(crate) const ITEMS_PER_CHECK: usize = 64;

/// How far the scaled recursion can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trust {
    /// Nothing that matters was lost.
    Sure,
    /// Paths became faint; the backward recursion will tell whether they matter.
    Doubtful,
    /// Only logarithms help.
    None,
}

/// What the forward recursion found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Forward {
    /// Σ ln c_t, and the logarithm of the probability to stop at the end.
    pub(crate) log_scale: f64,
    /// How far that can be trusted.
    pub(crate) trust: Trust,
}

/// Fills `alpha` with α̂_t(j) = p(h_t = j | x₁…x_t).
///
/// `underflow` says that some likelihoods are zero only because `f64` ends there.
pub(crate) fn forward(
    chain: &Chain,
    likelihoods: &[f64],
    underflow: bool,
    alpha: &mut [f64],
    run: &Run,
) -> Result<Forward> {
    let k = chain.n_states;
    let trust = match chain.support {
        Support::Extreme => Trust::None,
        Support::Sparse if underflow => Trust::Doubtful,
        _ => Trust::Sure,
    };
    let mut outcome = Forward {
        log_scale: 0.0,
        trust,
    };
    for t in 0..likelihoods.len() / k {
        if t % ITEMS_PER_CHECK == 0 {
            run.check()?;
        }
        let (done, rest) = alpha.split_at_mut(t * k);
        let current = &mut rest[..k];
        match t {
            0 => current.copy_from_slice(&chain.start),
            _ => step_forward(chain, &done[(t - 1) * k..], current),
        }
        let emission = &likelihoods[t * k..(t + 1) * k];
        if chain.support == Support::Sparse {
            outcome.trust = outcome.trust.max(trust_in_step(current, emission));
        }
        let mut total = 0.0;
        for (value, likelihood) in current.iter_mut().zip(emission) {
            *value *= likelihood;
            total += *value;
        }
        outcome.log_scale += total.ln();
        if total == 0.0 {
            return Ok(outcome);
        }
        current.iter_mut().for_each(|value| *value /= total);
    }
    if let (Some(stop), Some(last)) = (&chain.stop, alpha.len().checked_sub(k)) {
        let reached: f64 = alpha[last..]
            .iter()
            .zip(stop)
            .map(|(value, stop)| value * stop)
            .sum();
        if chain.support == Support::Sparse && reached < VANISHING {
            outcome.trust = Trust::None;
        }
        outcome.log_scale += reached.ln();
    }
    Ok(outcome)
}

/// current(j) = Σ_i previous(i)·a_ij.
fn step_forward(chain: &Chain, previous: &[f64], current: &mut [f64]) {
    let k = chain.n_states;
    current.fill(0.0);
    for (value, row) in previous.iter().zip(chain.transitions.chunks_exact(k)) {
        for (target, probability) in current.iter_mut().zip(row) {
            *target += value * probability;
        }
    }
}

/// Whether the step loses paths: states that are possible but have next to no share of the sum.
fn trust_in_step(predicted: &[f64], emission: &[f64]) -> Trust {
    let total: f64 = predicted.iter().zip(emission).map(|(p, b)| p * b).sum();
    if total < VANISHING {
        return Trust::None;
    }
    let faint = predicted
        .iter()
        .zip(emission)
        .any(|(&p, &b)| p > 0.0 && b > 0.0 && p * b <= FAINT * total);
    match faint {
        true => Trust::Doubtful,
        false => Trust::Sure,
    }
}

/// Room for the backward recursion, so that it does not allocate.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    backward: Vec<f64>,
    weighted: Vec<f64>,
    scaled: Vec<f64>,
}

impl Scratch {
    pub(crate) fn new(n_states: usize) -> Self {
        Scratch {
            backward: vec![0.0; n_states],
            weighted: vec![0.0; n_states],
            scaled: vec![0.0; n_states],
        }
    }
}

/// Replaces the forward variables by the posteriors γ_t(i) = p(h_t = i | x) and adds to `pairs`
/// the sums over t of ξ_t(i,j) / a_ij.
///
/// Returns whether the result can be trusted: with β_t scaled to sum one, paths lost to
/// underflow have less than 10⁻¹⁰⁰ of the posterior as long as Σ_i α̂_t(i)·β_t(i) ≥ 10⁻²⁰⁰.
pub(crate) fn backward(
    chain: &Chain,
    likelihoods: &[f64],
    alpha: &mut [f64],
    pairs: &mut [f64],
    scratch: &mut Scratch,
    run: &Run,
) -> Result<bool> {
    let k = chain.n_states;
    let n_items = likelihoods.len() / k;
    match &chain.stop {
        Some(stop) => scratch.backward.copy_from_slice(stop),
        None => scratch.backward.fill(1.0),
    }
    let mut reach = normalise(&mut scratch.backward);
    for t in (0..n_items).rev() {
        if t % ITEMS_PER_CHECK == 0 {
            run.check()?;
        }
        let forward = &mut alpha[t * k..(t + 1) * k];
        let overlap: f64 = forward
            .iter()
            .zip(&scratch.backward)
            .map(|(a, b)| a * b)
            .sum();
        if !(overlap >= FAINT && reach > 0.0) {
            return Ok(false);
        }
        if t + 1 < n_items {
            // Σ_ij α̂_t(i)·a_ij·w(j) is the overlap before β_t was scaled by its reach.
            let unit = (overlap * reach).recip();
            for (scaled, value) in scratch.scaled.iter_mut().zip(forward.iter()) {
                *scaled = value * unit;
            }
            for (row, scaled) in pairs.chunks_exact_mut(k).zip(&scratch.scaled) {
                for (pair, weighted) in row.iter_mut().zip(&scratch.weighted) {
                    *pair += scaled * weighted;
                }
            }
        }
        let unit = overlap.recip();
        let emission = &likelihoods[t * k..(t + 1) * k];
        for j in 0..k {
            forward[j] *= scratch.backward[j] * unit;
            scratch.weighted[j] = emission[j] * scratch.backward[j];
        }
        if t > 0 {
            normalise(&mut scratch.weighted);
            scratch.backward.fill(0.0);
            for (row, weighted) in chain.transposed.chunks_exact(k).zip(&scratch.weighted) {
                for (target, probability) in scratch.backward.iter_mut().zip(row) {
                    *target += weighted * probability;
                }
            }
            reach = normalise(&mut scratch.backward);
        }
    }
    Ok(true)
}

/// Divides the values by their sum, which is returned; zeros stay zeros.
fn normalise(values: &mut [f64]) -> f64 {
    let total: f64 = values.iter().sum();
    if total > 0.0 {
        values.iter_mut().for_each(|value| *value /= total);
    }
    total
}
