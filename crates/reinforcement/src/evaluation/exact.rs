//! V^π by the linear system.

use crate::reach::steps_to_end;
use crate::{DecisionProcess, Policy};
use didact_core::{Error, Result, Run};
use didact_math::linalg::Lu;
use ndarray::{Array1, Array2};

/// The largest system that is set up: its matrix takes half a gigabyte.
const MOST_STATES: usize = 8192;

/// The solution of (I − γP^π)V = R^π, with V = 0 in terminal states.
pub(super) fn solve(
    process: &DecisionProcess,
    policy: &Policy,
    discount: f64,
    run: &Run,
) -> Result<Vec<f64>> {
    let open = unknown_states(process, policy, discount)?;
    if open.len() > MOST_STATES {
        return Err(Error::parameter(
            "method",
            "exact",
            format!(
                "a linear system of {} states takes too much memory; choose iterative",
                open.len()
            ),
        ));
    }
    let mut place = vec![usize::MAX; process.n_states()];
    for (row, &state) in open.iter().enumerate() {
        place[state] = row;
    }
    let mut matrix = Array2::eye(open.len());
    let mut rewards = Array1::zeros(open.len());
    for (row, &state) in open.iter().enumerate() {
        for (action, pair) in process.layout().pairs(state).enumerate() {
            let chosen = policy.probability(state, action);
            rewards[row] += chosen * process.reward(pair);
            for next in process.outcomes_of(pair) {
                if let Some(column) = place.get(next.state).filter(|&&c| c != usize::MAX) {
                    matrix[[row, *column]] -= discount * chosen * next.probability;
                }
            }
        }
    }
    // A large decomposition cannot be asked to stop.
    let solution = match open.len() > 256 {
        true => run.apart(move || Ok(Lu::new(matrix.view())?.solve_vector(rewards.view())))?,
        false => Lu::new(matrix.view()).map(|lu| lu.solve_vector(rewards.view())),
    };
    let solution = solution.map_err(|error: Error| match discount {
        1.0 => error,
        _ => Error::parameter(
            "discount",
            discount,
            "it is too close to 1 for the values to be told from infinite ones",
        ),
    })?;
    let mut values = vec![0.0; process.n_states()];
    for (&state, &value) in open.iter().zip(&solution) {
        values[state] = value;
    }
    Ok(values)
}

/// The states whose values are not known to be zero.
///
/// Without discounting, a walk that never ends has a value only where it goes on for nothing.
/// States that cannot reach an end lead only to others like them, so it is enough that all of
/// them earn nothing.
fn unknown_states(process: &DecisionProcess, policy: &Policy, discount: f64) -> Result<Vec<usize>> {
    let layout = process.layout();
    let open = (0..layout.n_states()).filter(|&state| !layout.is_terminal(state));
    if discount < 1.0 {
        return Ok(open.collect());
    }
    let steps = steps_to_end(process, Some(policy));
    let earns = |state: usize| {
        let takes = |action: &usize| policy.probability(state, *action) > 0.0;
        let mut taken = (0..layout.n_actions(state)).filter(takes);
        taken.any(|action| {
            process
                .outcomes(state, action)
                .any(|next| next.reward != 0.0)
        })
    };
    let endless = (0..layout.n_states()).find(|&state| steps[state].is_none() && earns(state));
    match endless {
        None => Ok(open.filter(|&state| steps[state].is_some()).collect()),
        Some(state) => Err(Error::parameter(
            "discount",
            1,
            format!(
                "from state {state} the policy never comes to an end and goes on earning, so there \
                 is no finite value; take a discount below 1, or the average reward"
            ),
        )),
    }
}
