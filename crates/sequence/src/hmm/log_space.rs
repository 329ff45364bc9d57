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
        normalise(
            &mut alpha[t * k..(t + 1) * k],
            &beta[t * k..(t + 1) * k],
            total,
        );
    }
    Ok(())
}

/// Replaces ln α by exp(ln α + ln β − ln p(x)), made to sum to one.
fn normalise(alpha: &mut [f64], beta: &[f64], total: f64) {
    let mut joint: Vec<f64> = alpha.iter().zip(beta).map(|(a, b)| a + b).collect();
    // The sum is one up to rounding, which grows with the size of ln p(x); where it has eaten the
    // sum up, what matters is how the states compare.
    let largest = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let origin = match (largest - total).abs() < 100.0 {
        true => total,
        false => largest,
    };
    joint
        .iter_mut()
        .for_each(|value| *value = (*value - origin).exp());
    let sum: f64 = joint.iter().sum();
    for (alpha, value) in alpha.iter_mut().zip(joint) {
        *alpha = value / sum;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posteriors_sum_to_one_where_rounding_is_larger_than_one() {
        // The largest is a hundred thousand below what the total says, as at scores of 10²¹.
        let mut alpha = [-1e21, -1e21 + 1e6];
        normalise(&mut alpha, &[0.0, 0.0], -1e21 + 2e5);
        assert_eq!(alpha, [0.0, 1.0]);
        let mut usual = [0.25_f64.ln(), 0.5_f64.ln()];
        normalise(&mut usual, &[0.0, 0.0], 0.75_f64.ln());
        assert!((usual[0] - 1.0 / 3.0).abs() < 1e-15);
    }
}
