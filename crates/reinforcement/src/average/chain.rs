//! Gain and bias of the chain that a policy makes of a world.

use super::classes::{Classes, closed_classes};
use crate::{DecisionProcess, Policy};
use didact_core::{Error, Result, Run};
use didact_math::linalg::{Lu, matmul};
use ndarray::{Array1, Array2, ArrayView2};

/// What a policy earns when it acts for ever.
pub(super) struct Evaluated {
    /// g = P*·r.
    pub(super) gains: Array1<f64>,
    /// h, the solution of g + (I − P)h = r with P*h = 0.
    pub(super) biases: Array1<f64>,
    /// w, the solution of h + (I − P)w = 0 with P*w = 0.
    pub(super) second: Array1<f64>,
}

impl Evaluated {
    pub(super) fn new(process: &DecisionProcess, policy: &Policy, run: &Run) -> Result<Self> {
        let (transitions, rewards) = chain_of(process, policy);
        match transitions.nrows() > 256 {
            // Large decompositions cannot be asked to stop.
            true => run.apart(move || solve(transitions, rewards))?,
            false => solve(transitions, rewards),
        }
    }
}

/// P^π and R^π; a terminal state stays where it is, for nothing.
fn chain_of(process: &DecisionProcess, policy: &Policy) -> (Array2<f64>, Array1<f64>) {
    let n = process.n_states();
    let mut transitions = Array2::zeros((n, n));
    let mut rewards = Array1::zeros(n);
    for state in 0..n {
        let pairs = process.layout().pairs(state);
        if pairs.is_empty() {
            transitions[[state, state]] = 1.0;
        }
        for (action, pair) in pairs.enumerate() {
            let chosen = policy.probability(state, action);
            rewards[state] += chosen * process.reward(pair);
            for next in process.outcomes_of(pair) {
                transitions[[state, next.state]] += chosen * next.probability;
            }
        }
    }
    (transitions, rewards)
}

fn solve(transitions: Array2<f64>, rewards: Array1<f64>) -> Result<Evaluated> {
    let limit = limiting_matrix(transitions.view())?;
    let gains = limit.dot(&rewards);
    // P* times any solution of (I − P + P*)x = y is P*y, so what P* sends to zero stays there.
    let matrix = Array2::eye(transitions.nrows()) - &transitions + &limit;
    let lu = Lu::new(matrix.view()).map_err(|error| {
        Error::numerical(format!(
            "some states are left so seldom that they cannot be told from closed ones: {error}"
        ))
    })?;
    let biases = lu.solve_vector((&rewards - &gains).view());
    let second = lu.solve_vector((-&biases).view());
    Ok(Evaluated {
        gains,
        biases,
        second,
    })
}

/// P* = lim (1/h)·(I + P + … + Pʰ⁻¹): how often each state is visited in the long run.
fn limiting_matrix(transitions: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
    let n = transitions.nrows();
    let classes = closed_classes(transitions);
    let mut shares = Array2::zeros((classes.n_classes, n));
    for class in 0..classes.n_classes {
        let members: Vec<usize> = (0..n)
            .filter(|&state| classes.of_state[state] == Some(class))
            .collect();
        let block = Array2::from_shape_fn((members.len(), members.len()), |(i, j)| {
            transitions[[members[i], members[j]]]
        });
        for (&state, share) in members.iter().zip(stationary(block)) {
            shares[[class, state]] = share;
        }
    }
    let absorbed = absorption(transitions, &classes)?;
    Ok(matmul(absorbed.view(), shares.view()))
}

/// The shares of time that a chain without smaller closed classes spends in each state.
///
/// States are taken out one by one (Grassmann, Taksar and Heyman); nothing is ever subtracted, so
/// even tiny shares keep all their digits.
fn stationary(mut chain: Array2<f64>) -> Vec<f64> {
    let n = chain.nrows();
    for last in (1..n).rev() {
        let leaving: f64 = (0..last).map(|j| chain[[last, j]]).sum();
        for i in 0..last {
            chain[[i, last]] /= leaving;
            let share = chain[[i, last]];
            if share > 0.0 {
                for j in 0..last {
                    chain[[i, j]] += share * chain[[last, j]];
                }
            }
        }
    }
    let mut shares = vec![1.0];
    for state in 1..n {
        let share = (0..state).map(|i| shares[i] * chain[[i, state]]).sum();
        shares.push(share);
    }
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    shares
}

/// The probability of ending in each closed class, one row per state.
fn absorption(transitions: ArrayView2<'_, f64>, classes: &Classes) -> Result<Array2<f64>> {
    let n = transitions.nrows();
    let passing: Vec<usize> = (0..n)
        .filter(|&state| classes.of_state[state].is_none())
        .collect();
    let mut absorbed = Array2::zeros((n, classes.n_classes));
    let mut entering = Array2::zeros((passing.len(), classes.n_classes));
    for state in 0..n {
        if let Some(class) = classes.of_state[state] {
            absorbed[[state, class]] = 1.0;
            for (row, &from) in passing.iter().enumerate() {
                entering[[row, class]] += transitions[[from, state]];
            }
        }
    }
    if passing.is_empty() {
        return Ok(absorbed);
    }
    let staying = Array2::from_shape_fn((passing.len(), passing.len()), |(i, j)| {
        f64::from(i == j) - transitions[[passing[i], passing[j]]]
    });
    let mut found = Lu::new(staying.view())
        .map_err(|error| {
            Error::numerical(format!(
                "some states are left so seldom that they cannot be told from closed ones: {error}"
            ))
        })?
        .solve(entering.view());
    // The rows sum to one up to rounding, which the gains would feel.
    for mut row in found.rows_mut() {
        let total = row.sum();
        row /= total;
    }
    for (&state, row) in passing.iter().zip(found.rows()) {
        absorbed.row_mut(state).assign(&row);
    }
    Ok(absorbed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::assert_close;
    use ndarray::array;

    #[test]
    fn the_limiting_matrix_is_reached_by_averaging_powers() {
        // Two closed classes, one of them periodic, and two states on the way to them.
        let chain = array![
            [0.2, 0.3, 0.1, 0.0, 0.4],
            [0.5, 0.0, 0.0, 0.5, 0.0],
            [0.0, 0.0, 0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ];
        let found = limiting_matrix(chain.view()).unwrap();
        // The mean of I, P, …, P^(2^k − 1), by doubling.
        let (mut mean, mut power) = (Array2::<f64>::eye(5), chain.clone());
        for _ in 0..40 {
            mean = (&mean + &power.dot(&mean)) / 2.0;
            power = power.dot(&power);
        }
        assert_close(&found, &mean, 1e-9);
        assert_close(&found.dot(&chain), &found, 1e-14);
        assert_close(&found.dot(&found), &found, 1e-14);
    }

    #[test]
    fn rare_states_keep_all_digits_of_their_share() {
        // The shares are 1 : 1e-12 by balance, whatever the size of the chances.
        let shares = stationary(array![[1.0 - 1e-14, 1e-14], [1e-2, 0.99]]);
        assert!((shares[1] / shares[0] / 1e-12 - 1.0).abs() < 1e-12);
    }
}
