//! Worlds that several tests share.

use didact_core::Outcome;
use didact_core::random::generator;
use didact_data::{Grid, GridWalk};
use didact_reinforcement::DecisionProcess;
use rand::RngExt;

/// An action that leads to one state for certain.
pub(crate) fn on(state: usize, reward: f64) -> Vec<Outcome> {
    vec![Outcome {
        state,
        probability: 1.0,
        reward,
    }]
}

pub(crate) fn chance(state: usize, probability: f64, reward: f64) -> Outcome {
    Outcome {
        state,
        probability,
        reward,
    }
}

pub(crate) fn process(actions: Vec<Vec<Vec<Outcome>>>) -> DecisionProcess {
    DecisionProcess::from_fn(actions.len(), |state| actions[state].clone()).unwrap()
}

pub(crate) fn grid_process(map: &str, walk: GridWalk) -> DecisionProcess {
    let grid: Grid = map.parse().unwrap();
    DecisionProcess::new(&grid.decisions(walk).unwrap()).unwrap()
}

/// 001:T-24: `...E / .#.P / ....` with slips of a tenth to each side and a price of 0.04 a step.
pub(crate) fn robot_room() -> DecisionProcess {
    let walk = GridWalk {
        slip: 0.1,
        step: -0.04,
        ..GridWalk::default()
    };
    grid_process("...E\n.#.P\n....\n\nE = 1 exit\nP = -1 exit\n", walk)
}

/// 001:T-24: five cells in a row, the last one an exit worth 1.
pub(crate) fn corridor() -> DecisionProcess {
    grid_process("....G", GridWalk::default())
}

/// 002b:§3.5: the 5×5 grid of Sutton and Barto; off the grid costs 1, and two cells jump.
pub(crate) fn jumping_grid() -> DecisionProcess {
    let steps = [(-1, 0), (0, 1), (1, 0), (0, -1)];
    DecisionProcess::from_fn(25, |state| {
        let (row, column) = (state as isize / 5, state as isize % 5);
        steps
            .iter()
            .map(|(down, right)| match state {
                1 => on(21, 10.0),
                3 => on(13, 5.0),
                _ => {
                    let (row, column) = (row + down, column + right);
                    match (0..5).contains(&row) && (0..5).contains(&column) {
                        true => on((5 * row + column) as usize, 0.0),
                        false => on(state, -1.0),
                    }
                }
            })
            .collect()
    })
    .unwrap()
}

/// A random walk over five states between two ends; stepping off the right one is worth 1.
/// The true values without discounting are 1/6, 2/6, …, 5/6.
pub(crate) fn random_walk() -> DecisionProcess {
    DecisionProcess::from_fn(7, |state| match state {
        0 | 6 => vec![],
        _ => vec![vec![
            chance(state - 1, 0.5, 0.0),
            chance(state + 1, 0.5, f64::from(state == 5)),
        ]],
    })
    .unwrap()
}

/// A ledge: from the start one may walk out on it, from where a sure step is worth 1.2 and a stray
/// one costs 1, or take 1 at once. Walking out is best, 0.9·1.2 = 1.08, for those who never stray;
/// who strays in half of a share ε of all steps expects 0.9·(1.2 − 2.2·ε/2) of it.
pub(crate) fn ledge() -> DecisionProcess {
    process(vec![
        vec![on(1, 0.0), on(2, 1.0)],
        vec![on(2, 1.2), on(2, -1.0)],
        vec![],
    ])
}

/// Two exits, a near one worth 1 and a far one worth 10, in a corridor of seven cells where one
/// goes left or right.
pub(crate) fn two_exits() -> DecisionProcess {
    DecisionProcess::from_fn(7, |state| match state {
        0 | 6 => vec![],
        _ => vec![
            on(state - 1, f64::from(state == 1)),
            on(state + 1, 10.0 * f64::from(state == 5)),
        ],
    })
    .unwrap()
}

/// A world of chance: one to three actions per state, up to three outcomes each; with
/// `with_ends` about a fifth of the states is terminal.
pub(crate) fn random_process(n_states: usize, with_ends: bool, seed: u64) -> DecisionProcess {
    let mut draws = generator(seed, 7);
    DecisionProcess::from_fn(n_states, |_| {
        let n_actions = match with_ends && draws.random::<f64>() < 0.2 {
            true => 0,
            false => draws.random_range(1..=3),
        };
        (0..n_actions)
            .map(|_| {
                let weights: Vec<f64> = (0..draws.random_range(1..=3))
                    .map(|_| 0.05 + draws.random::<f64>())
                    .collect();
                let total: f64 = weights.iter().sum();
                weights
                    .iter()
                    .map(|weight| {
                        let reward = 4.0 * draws.random::<f64>() - 2.0;
                        chance(draws.random_range(0..n_states), weight / total, reward)
                    })
                    .collect()
            })
            .collect()
    })
    .unwrap()
}

#[track_caller]
pub(crate) fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            (found - expected).abs() <= tolerance,
            "place {place}: {found} instead of {expected}"
        );
    }
}

pub(crate) fn distance(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    let differences = left.iter().zip(right).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max)
}

/// Mean and standard error of each place over repetitions.
pub(crate) fn mean_and_error(samples: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let n = samples.len() as f64;
    (0..samples[0].len())
        .map(|place| {
            let mean = samples.iter().map(|sample| sample[place]).sum::<f64>() / n;
            let squares = samples.iter().map(|sample| (sample[place] - mean).powi(2));
            (mean, (squares.sum::<f64>() / (n - 1.0) / n).sqrt())
        })
        .collect()
}

/// Fails unless every mean lies within four standard errors of what is expected, and the errors
/// are small enough to mean something.
#[track_caller]
pub(crate) fn assert_unbiased(samples: &[Vec<f64>], expected: &[f64], largest_error: f64) {
    for (place, ((mean, error), expected)) in mean_and_error(samples)
        .into_iter()
        .zip(expected)
        .enumerate()
    {
        assert!(error <= largest_error, "place {place}: error {error}");
        assert!(
            (mean - expected).abs() <= 4.0 * error + 1e-12,
            "place {place}: {mean} ± {error} instead of {expected}"
        );
    }
}
