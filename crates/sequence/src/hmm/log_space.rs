//! The forward–backward recursions in logarithms: slower, but nothing is ever lost.

use super::chain::Chain;
use super::scaled::ITEMS_PER_CHECK;
use didact_core::{Result, Run};

/// Fills `alpha` with ln p(h_t = j, x₁…x_t).
pub(crate) fn forward(
    chain: &Chain,
    log_emissions: &[f64],
    alpha: &mut [f64],
    run: &Run,
) -> Result<()> {
    let k = chain.n_states;
    for t in 0..log_emissions.len() / k {
        if t % ITEMS_PER_CHECK == 0 {
            run.check()?;
        }
        for j in 0..k {
            let reached = match t {
                0 => chain.log_start[j],
                _ => {
                    let column = &chain.log_transposed[j * k..(j + 1) * k];
                    log_sum_of_sums(&alpha[(t - 1) * k..t * k], column)
                }
            };
            alpha[t * k + j] = reached + log_emissions[t * k + j];
        }
    }
    Ok(())
}

/// Fills `beta` with ln p(x_{t+1}…x_n, stop | h_t = i).
pub(crate) fn backward(
    chain: &Chain,
    log_emissions: &[f64],
    beta: &mut [f64],
    run: &Run,
) -> Result<()> {
    let k = chain.n_states;
    let n_items = log_emissions.len() / k;
    let mut weighted = vec![0.0; k];
    for t in (0..n_items).rev() {
        if t % ITEMS_PER_CHECK == 0 {
            run.check()?;
        }
        if t + 1 == n_items {
            beta[t * k..].copy_from_slice(&chain.log_stop);
            continue;
        }
        let next = (t + 1) * k..(t + 2) * k;
        for (j, place) in next.enumerate() {
            weighted[j] = log_emissions[place] + beta[place];
        }
        for i in 0..k {
            let row = &chain.log_transitions[i * k..(i + 1) * k];
            beta[t * k + i] = log_sum_of_sums(&weighted, row);
        }
    }
    Ok(())
}

/// ln p(x) from the last forward variables.
pub(crate) fn log_likelihood(chain: &Chain, alpha: &[f64]) -> f64 {
    log_sum_of_sums(&alpha[alpha.len() - chain.n_states..], &chain.log_stop)
}

/// ln Σ exp(aᵢ + bᵢ); minus infinity where every term is.
fn log_sum_of_sums(a: &[f64], b: &[f64]) -> f64 {
    let largest = a
        .iter()
        .zip(b)
        .map(|(x, y)| x + y)
        .fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    let sum: f64 = a.iter().zip(b).map(|(x, y)| (x + y - largest).exp()).sum();
    largest + sum.ln()
}

/// Replaces ln α by the posteriors γ and adds the pair posteriors Σ_t ξ_t(i,j) to `pairs`.
pub(crate) fn posteriors(
    chain: &Chain,
    log_emissions: &[f64],
    alpha: &mut [f64],
    beta: &[f64],
    pairs: &mut [f64],
    run: &Run,
) -> Result<()> {
    let k = chain.n_states;
    let n_items = log_emissions.len() / k;
    let total = log_likelihood(chain, alpha);
    for t in 0..n_items {
        if t % ITEMS_PER_CHECK == 0 {
            run.check()?;
        }
        if t + 1 < n_items {
            add_pairs(chain, log_emissions, alpha, beta, t, total, pairs);
        }
        let mut sum = 0.0;
        for place in t * k..(t + 1) * k {
            alpha[place] = (alpha[place] + beta[place] - total).exp();
            sum += alpha[place];
        }
        // The sum is one up to rounding, which grows with the size of ln p(x).
        alpha[t * k..(t + 1) * k]
            .iter_mut()
            .for_each(|value| *value /= sum);
    }
    Ok(())
}

/// Adds ξ_t(i,j) = exp(ln α_t(i) + ln a_ij + ln b_j(x_{t+1}) + ln β_{t+1}(j) − ln p(x)).
pub(crate) fn add_pairs(
    chain: &Chain,
    log_emissions: &[f64],
    alpha: &[f64],
    beta: &[f64],
    t: usize,
    total: f64,
    pairs: &mut [f64],
) {
    let k = chain.n_states;
    for i in 0..k {
        for j in 0..k {
            let next = (t + 1) * k + j;
            let after = log_emissions[next] + beta[next] - total;
            let pair = alpha[t * k + i] + chain.log_transitions[i * k + j] + after;
            pairs[i * k + j] += pair.exp();
        }
    }
}
