//! Planning and learning in worlds of finitely many states.
//!
//! A world is a table with a row for everything that may happen: state, action, the state that
//! follows, how probable that is, and its reward. A state that no row starts from is terminal.

use super::answers::results;
use super::arguments::{Groups, Matrix, Maybe, Seed};
use super::functions;
use didact::Result;
use didact::core::{Decisions, Error, Fit, Outcome};
use didact::data::{Grid, GridWalk};
use didact_reinforcement::{
    ActionValues, DecisionProcess, Exploration, Following, Plan, Policy, PolicyEvaluation,
    PolicyIteration, QLearning, Sarsa, Simulator, StepSize, ValueIteration,
};
use ndarray::{Array2, ArrayView2};
use pyo3::prelude::*;

results! {
    /// The best policy of a known world.
    PlanResult {
        /// The return to expect from each state.
        values: Vec<f64>,
        /// The action to take in each state; -1 in a terminal one.
        policy: Vec<Option<usize>>,
        /// How far the values may be from the best ones; NaN where nothing is guaranteed.
        error_bound: f64,
        /// How many sweeps or rounds were made.
        n_iter: usize,
    }
    /// What was learned by trial.
    LearnedResult {
        /// The return that the best known action promises in each state.
        values: Vec<f64>,
        /// The best known action of each state; -1 in a terminal one.
        policy: Vec<Option<usize>>,
        /// The discounted return of each episode.
        episode_returns: Vec<f64>,
    }
    /// A map as a world of decisions.
    GridResult {
        /// A row for everything that may happen: state, action, next state, probability, reward.
        transitions: Array2<f64>,
        /// Row and column of each state on the map.
        places: Array2<usize>,
    }
}

/// A value of the table that counts something.
fn index(table: ArrayView2<'_, f64>, row: usize, column: usize, what: &str) -> Result<usize> {
    let value = table[[row, column]];
    match value >= 0.0 && value.fract() == 0.0 && value < 2_f64.powi(32) {
        true => Ok(value as usize),
        false => Err(Error::data(format!(
            "the {what} of row {row} is {value}; it must be a whole number from 0 on"
        ))),
    }
}

/// The world that a table of what may happen describes.
fn world(table: ArrayView2<'_, f64>) -> Result<DecisionProcess> {
    if table.ncols() != 5 {
        return Err(Error::data(format!(
            "the transitions have {} columns; they need five: state, action, next state, \
             probability, reward",
            table.ncols()
        )));
    }
    let mut outcomes: Vec<Vec<Vec<Outcome>>> = Vec::new();
    for row in 0..table.nrows() {
        let state = index(table, row, 0, "state")?;
        let action = index(table, row, 1, "action")?;
        let next = index(table, row, 2, "next state")?;
        if state.max(next) >= outcomes.len() {
            outcomes.resize(state.max(next) + 1, Vec::new());
        }
        let actions = &mut outcomes[state];
        if action >= actions.len() {
            actions.resize(action + 1, Vec::new());
        }
        actions[action].push(Outcome {
            state: next,
            probability: table[[row, 3]],
            reward: table[[row, 4]],
        });
    }
    DecisionProcess::new(&Decisions::new(outcomes)?)
}

fn planned(plan: &Plan) -> PlanResult {
    PlanResult {
        values: plan.values().to_vec(),
        policy: plan.policy().actions(),
        error_bound: plan.error_bound().unwrap_or(f64::NAN),
        n_iter: plan.trace().objectives.len(),
    }
}

fn learned(found: &ActionValues) -> LearnedResult {
    LearnedResult {
        values: found.values(),
        policy: found.policy().actions(),
        episode_returns: found.episode_returns().to_vec(),
    }
}

/// A game that begins in one state, or in any that is not terminal.
fn game(process: &DecisionProcess, start: Option<usize>) -> Result<Simulator<'_>> {
    match start {
        Some(state) => Simulator::new(process, state),
        None => Simulator::everywhere(process),
    }
}

fn step_size(learning_rate: Option<f64>) -> StepSize {
    learning_rate.map_or_else(StepSize::default, StepSize::constant)
}

fn table_of(grid: &Grid, walk: GridWalk) -> Result<GridResult> {
    let world = grid.decisions(walk)?;
    let mut rows = Vec::new();
    for state in 0..world.n_states() {
        for action in 0..world.n_actions(state) {
            for outcome in world.outcomes(state, action) {
                let numbers = [state as f64, action as f64, outcome.state as f64];
                rows.extend(
                    numbers
                        .into_iter()
                        .chain([outcome.probability, outcome.reward]),
                );
            }
        }
    }
    let places = grid.places();
    Ok(GridResult {
        transitions: Array2::from_shape_vec((rows.len() / 5, 5), rows).expect("five columns"),
        places: Array2::from_shape_fn((places.len(), 2), |(state, axis)| match axis {
            0 => places[state].0,
            _ => places[state].1,
        }),
    })
}

functions! {
    /// Plans by value iteration: the best action of every state of a known world.
    ///
    /// `transitions` has a row for everything that may happen: state, action, next state,
    /// probability, reward. A state that no row starts from is terminal.
    ///
    /// Examples
    /// --------
    /// Stay for 1 a turn, or leave for 5 at once:
    ///
    /// >>> from didact.reinforcement import value_iteration
    /// >>> plan = value_iteration([[0, 0, 0, 1.0, 1.0], [0, 1, 1, 1.0, 5.0]], discount=0.9)
    /// >>> plan.policy.tolist(), round(float(plan.values[0]), 6)
    /// ([0, -1], 10.0)
    long value_iteration[run](transitions: Matrix; discount: f64 = "0.9", tol: f64 = "1e-8", max_iter: usize = "100_000") -> PlanResult {
        let planner = ValueIteration { discount, tol, max_iter, ..ValueIteration::default() };
        Ok(planned(&planner.fit_with(&world(transitions)?, run)?))
    }

    /// Plans by policy iteration: evaluates a policy, improves it, until it cannot be improved.
    long policy_iteration[run](transitions: Matrix; discount: f64 = "0.9", max_iter: usize = "1000") -> PlanResult {
        let planner = PolicyIteration { discount, max_iter, ..PolicyIteration::default() };
        Ok(planned(&planner.fit_with(&world(transitions)?, run)?))
    }

    /// What a policy is worth in each state of a known world; its action in a terminal state is -1.
    long policy_values[run](transitions: Matrix, policy: Groups; discount: f64 = "0.9") -> Vec<f64> {
        let process = world(transitions)?;
        let policy = Policy::deterministic(process.layout(), policy)?;
        let following = Following { process: &process, policy: &policy };
        let evaluation = PolicyEvaluation { discount, ..PolicyEvaluation::default() };
        Ok(evaluation.fit_with(following, run)?.values().to_vec())
    }

    /// Learns by trial what actions are worth, whatever is done in the meantime (Q-learning).
    ///
    /// Episodes begin in `start`, or anywhere where it is None, and end in a terminal state or after
    /// `max_steps`. With probability `epsilon` another action than the best known one is tried. The
    /// learning rate falls with the visits of a state where it is None.
    long q_learning[run](transitions: Matrix; start: Maybe<usize> = "None", discount: f64 = "0.9", n_episodes: usize = "1000", max_steps: usize = "1000", epsilon: f64 = "0.1", learning_rate: Maybe<f64> = "None", random_state: Seed = "0") -> LearnedResult {
        let learner = QLearning {
            discount, n_episodes, max_steps, random_state,
            exploration: Exploration::epsilon(epsilon),
            step_size: step_size(learning_rate),
            ..QLearning::default()
        };
        let process = world(transitions)?;
        let mut game = game(&process, start)?;
        Ok(learned(&learner.fit_with(&mut game, run)?))
    }

    /// Learns by trial what actions are worth under the policy that is followed (SARSA); the
    /// arguments are those of `q_learning`.
    long sarsa[run](transitions: Matrix; start: Maybe<usize> = "None", discount: f64 = "0.9", n_episodes: usize = "1000", max_steps: usize = "1000", epsilon: f64 = "0.1", learning_rate: Maybe<f64> = "None", random_state: Seed = "0") -> LearnedResult {
        let learner = Sarsa {
            discount, n_episodes, max_steps, random_state,
            exploration: Exploration::epsilon(epsilon),
            step_size: step_size(learning_rate),
            ..Sarsa::default()
        };
        let process = world(transitions)?;
        let mut game = game(&process, start)?;
        Ok(learned(&learner.fit_with(&mut game, run)?))
    }

    /// A map as a world: `#` is a wall, `.` a floor, `S` the start, `G` an exit, a digit a floor with
    /// that score; lines such as `P = -1 exit` below the map explain other letters.
    ///
    /// The actions are up, right, down and left, numbered from 0. With probability `slip` each, a step
    /// goes to either side of the intended direction instead.
    ///
    /// Examples
    /// --------
    /// >>> from didact.reinforcement import grid_world, value_iteration
    /// >>> corridor = grid_world("S..G", step=-0.1)
    /// >>> value_iteration(corridor.transitions, discount=1.0).policy.tolist()
    /// [1, 1, 1, -1]
    quick grid_world(map: String; slip: f64 = "0.0", step: f64 = "0.0", exit: f64 = "1.0") -> GridResult {
        table_of(&map.parse()?, GridWalk { slip, step, exit })
    }
}
