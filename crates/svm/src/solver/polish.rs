//! All free multipliers at once: where pairs take many small steps, and for the last digits.

use super::state::{State, Track};
use crate::gram::Gram;
use didact_core::{Result, Run};
use didact_math::linalg::solve;
use ndarray::{Array1, Array2, Axis, s};

/// More free multipliers than this are left to the steps over pairs: the equations take the cube of
/// their number.
const MOST_FREE: usize = 600;

/// What is added to the diagonal, in shares of its mean: equal points and linear kernels have
/// equations that say the same.
const RIDGE: f64 = 1e-12;

/// What a common move has brought.
pub(super) struct Polished {
    /// By how much the objective fell.
    pub(super) gained: f64,
    /// How far all multipliers moved together.
    pub(super) moved: f64,
    /// Whether a limit was met before the move was complete.
    pub(super) met_limit: bool,
    /// The cube of the number of equations.
    pub(super) cost: usize,
}

/// Moves all multipliers between their limits to where the others want them, as far as the limits
/// allow; nothing where that gains nothing.
///
/// Their gradients become equal: K·δ + λ = −g within each group of sides and Σδ = 0.
pub(super) fn polish(
    state: &mut State,
    gram: &mut Gram<'_>,
    group_of: impl Fn(usize) -> usize,
    run: &Run,
) -> Result<Option<Polished>> {
    let free: Vec<(usize, usize)> = (0..state.tracks.len())
        .flat_map(|side| (0..state.points.len()).map(move |place| (side, place)))
        .filter(|&(side, place)| state.tracks[side].is_free(place))
        .collect();
    if free.len() < 2 || free.len() > MOST_FREE {
        return Ok(None);
    }
    let gradients: Vec<f64> = free
        .iter()
        .map(|&(side, place)| state.scores[place] + state.tracks[side].slope[place])
        .collect();
    let places: Vec<usize> = free.iter().map(|&(_, place)| place).collect();
    let mut matrix = Array2::zeros((free.len(), free.len()));
    gram.exact_rows(&places, run, |index, row| {
        for (value, &other) in matrix.row_mut(index).iter_mut().zip(&places) {
            *value = row[other];
        }
    })?;
    let Some(change) = change(&free, &gradients, state, &matrix, group_of) else {
        return Ok(None);
    };
    let limits: Vec<(f64, f64)> = free
        .iter()
        .zip(&change)
        .map(|(&(side, place), &change)| limit(&state.tracks[side], place, change))
        .collect();
    let share = limits
        .iter()
        .fold(1.0, |least: f64, (share, _)| least.min(*share));
    let mut kernel_change = vec![0.0; state.scores.len()];
    gram.exact_rows(&places, run, |index, row| {
        for (sum, kernel) in kernel_change.iter_mut().zip(row) {
            *sum += change[index] * kernel;
        }
    })?;
    let linear: f64 = gradients.iter().zip(&change).map(|(g, d)| g * d).sum();
    let curved = free.iter().zip(&change);
    let curved: f64 = curved
        .map(|(&(_, place), d)| kernel_change[place] * d)
        .sum();
    let gained = -share * (linear + 0.5 * share * curved);
    // A kernel that is not positive semidefinite may lead uphill.
    if gained.is_nan() || gained <= 0.0 {
        return Ok(None);
    }
    for ((&(side, place), change), &(own_share, limit)) in free.iter().zip(&change).zip(&limits) {
        let track = &mut state.tracks[side];
        // A limit is met exactly, whatever the rounding of the sum.
        let moved = match own_share <= share {
            true => limit,
            false => track.beta[place] + share * change,
        };
        track.set(place, moved.clamp(track.low[place], track.high[place]));
    }
    for (score, change) in state.scores.iter_mut().zip(&kernel_change) {
        *score += share * change;
    }
    Ok(Some(Polished {
        gained,
        moved: share * change.iter().map(|change| change.abs()).sum::<f64>(),
        met_limit: share < 1.0,
        cost: free.len().pow(3),
    }))
}

/// The change of each free multiplier, or nothing where the equations have no answer.
fn change(
    free: &[(usize, usize)],
    gradients: &[f64],
    state: &State,
    kernel: &Array2<f64>,
    group_of: impl Fn(usize) -> usize,
) -> Option<Vec<f64>> {
    let m = free.len();
    let groups = 1 + group_of(state.tracks.len() - 1);
    let scale = free
        .iter()
        .map(|&(_, place)| state.diagonal[place].abs())
        .sum::<f64>()
        / m as f64;
    let mut matrix = Array2::zeros((m + groups, m + groups));
    matrix.slice_mut(s![..m, ..m]).assign(kernel);
    for (i, &(side, _)) in free.iter().enumerate() {
        matrix[[i, i]] += RIDGE * scale;
        // As large as the other numbers, which keeps the elimination accurate.
        matrix[[i, m + group_of(side)]] = scale;
        matrix[[m + group_of(side), i]] = scale;
    }
    for group in 0..groups {
        // A group without free multipliers has no equation.
        if !free.iter().any(|&(side, _)| group_of(side) == group) {
            matrix[[m + group, m + group]] = scale;
        }
    }
    let mut right = Array1::zeros(m + groups);
    for (value, gradient) in right.iter_mut().zip(gradients) {
        *value = -gradient;
    }
    let solution = solve(matrix.view(), right.view().insert_axis(Axis(1))).ok()?;
    let change: Vec<f64> = solution.iter().take(m).copied().collect();
    change
        .iter()
        .all(|value| value.is_finite())
        .then_some(change)
}

/// How much of a change the limit allows that lies in its direction, and the limit.
fn limit(track: &Track, place: usize, change: f64) -> (f64, f64) {
    let limit = match change > 0.0 {
        true => track.high[place],
        false => track.low[place],
    };
    match change == 0.0 {
        true => (f64::INFINITY, limit),
        false => ((limit - track.beta[place]) / change, limit),
    }
}
