//! A room of cells in which a robot learns to walk: the values and the policy that planning or
//! trial finds, what the room does with a move, and a walk to watch.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::random::generator;
use didact::core::{Decisions, Fit, Run, Trace};
use didact::data::{Grid, GridWalk};
use didact::reinforcement::{
    ActionValues, DecisionProcess, Environment, Episode, Plan, Policy, PolicyIteration, QLearning,
    Sarsa, Simulator, ValueIteration, record_episode,
};
use didact::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Most cells of a room.
const MOST_CELLS: usize = 900;

/// Most episodes of trial.
const MOST_EPISODES: usize = 20_000;

/// Steps after which a walk is given up.
const LONGEST_WALK: usize = 400;

/// How the policy is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Method {
    /// Sweeps over all cells; the room is known.
    #[default]
    ValueIteration,
    /// Rounds of evaluation and improvement; the room is known.
    PolicyIteration,
    /// Trial, learning about the best action.
    QLearning,
    /// Trial, learning about the action that is taken.
    Sarsa,
}

/// A room, how one walks in it, and how a policy is found.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    /// The map as text, with its legend.
    map: String,
    #[serde(default)]
    slip: f64,
    #[serde(default)]
    step: f64,
    #[serde(default = "one")]
    exit: f64,
    #[serde(default = "usual_discount")]
    discount: f64,
    #[serde(default)]
    method: Method,
    /// Sweeps, rounds or episodes; as many as are needed where nothing is said.
    #[serde(default)]
    iterations: Option<usize>,
    #[serde(default)]
    seed: u64,
}

fn one() -> f64 {
    1.0
}

fn usual_discount() -> f64 {
    0.9
}

/// What a method found.
struct Found {
    values: Vec<f64>,
    action_values: Vec<Vec<f64>>,
    policy: Policy,
    trace: Option<Trace>,
    returns: Vec<f64>,
}

/// Finds a policy and walks by it.
pub(crate) async fn walk(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        let cells = self.map.chars().filter(|letter| *letter != '\n').count();
        if cells > MOST_CELLS + 20 * 60 {
            return Err(Error::data(format!(
                "the map has too many cells; the studio plans for at most {MOST_CELLS}"
            )));
        }
        let room: Grid = self.map.parse()?;
        if room.n_rows() * room.n_columns() > MOST_CELLS {
            return Err(Error::data(format!(
                "the map has {}×{} cells; the studio plans for at most {MOST_CELLS}",
                room.n_rows(),
                room.n_columns()
            )));
        }
        let world = room.decisions(GridWalk {
            slip: self.slip,
            step: self.step,
            exit: self.exit,
        })?;
        let process = DecisionProcess::new(&world)?;
        let places = room.places();
        let start = room
            .start()
            .and_then(|start| places.iter().position(|&place| place == start));
        let found = self.find(&process, start, run)?;
        let walk = self.walk(&process, &world, &found.policy, start)?;
        Ok(json!({
            "places": places,
            "values": found.values,
            "action_values": found.action_values,
            "policy": found.policy.actions(),
            "model": outcomes(&world),
            "actions": (0..4).map(|action| world.action_name(action)).collect::<Vec<_>>(),
            "trace": found.trace.map(|trace| json!({
                "name": trace.objective_name, "values": trace.objectives, "stop": trace.stop,
            })),
            "returns": found.returns,
            "walk": walk.map(|walk| json!({
                "states": walk.states, "actions": walk.actions, "rewards": walk.rewards,
                "ended": walk.ended,
                "return": walk.discounted_return(self.discount).ok(),
            })),
        }))
    }

    fn find(&self, process: &DecisionProcess, start: Option<usize>, run: &Run) -> Result<Found> {
        let asked = self.iterations.unwrap_or(usize::MAX);
        match self.method {
            Method::ValueIteration => {
                let usual = ValueIteration::default();
                let method = ValueIteration {
                    discount: self.discount,
                    max_iter: asked.min(usual.max_iter),
                    ..usual
                };
                Ok(Found::planned(process, &method.fit_with(process, run)?))
            }
            Method::PolicyIteration => {
                let usual = PolicyIteration::default();
                let method = PolicyIteration {
                    discount: self.discount,
                    max_iter: asked.min(usual.max_iter),
                    ..usual
                };
                Ok(Found::planned(process, &method.fit_with(process, run)?))
            }
            Method::QLearning | Method::Sarsa => self.try_out(process, start, run),
        }
    }

    fn try_out(&self, process: &DecisionProcess, start: Option<usize>, run: &Run) -> Result<Found> {
        let n_episodes = self.iterations.unwrap_or(1000);
        if n_episodes > MOST_EPISODES {
            let requirement = format!("the studio tries at most {MOST_EPISODES} episodes");
            return Err(Error::parameter("iterations", n_episodes, requirement));
        }
        // Without a start every cell is one.
        let mut room = match start {
            Some(start) => Simulator::new(process, start)?,
            None => Simulator::everywhere(process)?,
        };
        let room: &mut dyn Environment = &mut room;
        let learned = match self.method {
            Method::Sarsa => Sarsa {
                discount: self.discount,
                n_episodes,
                max_steps: LONGEST_WALK,
                random_state: self.seed,
                ..Sarsa::default()
            }
            .fit_with(room, run)?,
            _ => QLearning {
                discount: self.discount,
                n_episodes,
                max_steps: LONGEST_WALK,
                random_state: self.seed,
                ..QLearning::default()
            }
            .fit_with(room, run)?,
        };
        Ok(Found::tried(process, &learned))
    }

    /// A walk by the policy from the start, or from the first cell.
    fn walk(
        &self,
        process: &DecisionProcess,
        world: &Decisions,
        policy: &Policy,
        start: Option<usize>,
    ) -> Result<Option<Episode>> {
        let Some(first) =
            start.or_else(|| (0..world.n_states()).find(|&state| !world.is_terminal(state)))
        else {
            return Ok(None);
        };
        let mut room = Simulator::new(process, first)?;
        let mut chance = generator(self.seed, 0);
        record_episode(&mut room, policy, LONGEST_WALK, &mut chance).map(Some)
    }
}

impl Found {
    fn planned(process: &DecisionProcess, plan: &Plan) -> Found {
        Found {
            values: plan.values().to_vec(),
            action_values: (0..process.n_states())
                .map(|state| plan.action_values_of(state).to_vec())
                .collect(),
            policy: plan.policy().clone(),
            trace: Some(plan.trace().clone()),
            returns: Vec::new(),
        }
    }

    fn tried(process: &DecisionProcess, learned: &ActionValues) -> Found {
        Found {
            values: learned.values(),
            action_values: (0..process.n_states())
                .map(|state| learned.action_values_of(state).to_vec())
                .collect(),
            policy: learned.policy(),
            trace: None,
            returns: learned.episode_returns().to_vec(),
        }
    }
}

/// For every state and action where it may lead, how likely that is and what it earns.
fn outcomes(world: &Decisions) -> Value {
    let of = |state: usize, action: usize| -> Value {
        let list = world.outcomes(state, action).iter();
        list.map(|one| json!([one.state, one.probability, one.reward]))
            .collect()
    };
    (0..world.n_states())
        .map(|state| {
            (0..world.n_actions(state))
                .map(|action| of(state, action))
                .collect::<Value>()
        })
        .collect()
}
