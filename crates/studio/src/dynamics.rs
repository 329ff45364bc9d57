//! Leaky integrators in motion: a unit that follows its input, one that drives itself, and the
//! phase portrait of two.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::Run;
use didact::neural_classic::{Drive, EquilibriumKind, Integrator, LeakyNetwork, SingleUnit};
use didact::{Error, Result};
use ndarray::{Array1, Array2, ArrayView1, array};
use serde::Deserialize;
use serde_json::{Value, json};

/// Places along an axis where a flow is asked.
const PLACES: usize = 241;

/// Arrows along each side of a field.
const ARROWS: usize = 19;

/// Values of a parameter in a bifurcation.
const VALUES: usize = 161;

/// Most ways that are followed at once.
const MOST_STARTS: usize = 40;

/// Steps of a way, and how long each is.
const STEPS: usize = 1200;
const STEP: f64 = 0.05;

/// What is looked at.
#[derive(Deserialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
pub(crate) enum Wanted {
    /// A unit under an input that comes and goes.
    Response {
        start: f64,
        height: f64,
        time_constant: f64,
        from: f64,
        to: f64,
        until: f64,
    },
    /// A unit that drives itself.
    Flow { unit: Unit, low: f64, high: f64 },
    /// Two units.
    Portrait {
        weights: [[f64; 2]; 2],
        biases: [f64; 2],
        inputs: [f64; 2],
        low: f64,
        high: f64,
        #[serde(default)]
        starts: Vec<[f64; 2]>,
    },
}

/// A unit with a connection to itself.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Unit {
    self_weight: f64,
    input: f64,
    bias: f64,
    slope: f64,
}

impl From<Unit> for SingleUnit {
    fn from(unit: Unit) -> SingleUnit {
        SingleUnit {
            self_weight: unit.self_weight,
            input: unit.input,
            bias: unit.bias,
            slope: unit.slope,
        }
    }
}

/// Follows the potentials.
pub(crate) async fn follow(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        match self {
            Wanted::Response {
                start,
                height,
                time_constant,
                from,
                to,
                until,
            } => response([*start, *height, *time_constant], [*from, *to, *until]),
            Wanted::Flow { unit, low, high } => flow(*unit, spread(*low, *high, PLACES)?),
            Wanted::Portrait {
                weights,
                biases,
                inputs,
                low,
                high,
                starts,
            } => {
                let matrix = Array2::from_shape_fn((2, 2), |(to, from)| weights[to][from]);
                let ones = array![1.0, 1.0];
                let biases = Array1::from(biases.to_vec());
                let network = LeakyNetwork::new(ones.clone(), matrix, biases, ones)?;
                portrait(&network, *inputs, [*low, *high], starts, run)
            }
        }
    }
}

/// Evenly spread places, the ends included.
fn spread(low: f64, high: f64, count: usize) -> Result<Vec<f64>> {
    if !(low < high && high - low < 1e6) {
        return Err(Error::data(format!(
            "the axis reaches from {low} to {high}; it must rise, by less than a million"
        )));
    }
    let step = (high - low) / (count - 1) as f64;
    Ok((0..count).map(|place| low + step * place as f64).collect())
}

/// The potential of a unit without connections under a pulse.
fn response([start, height, time_constant]: [f64; 3], times: [f64; 3]) -> Result<Value> {
    let [from, to, until] = times;
    spread(0.0, until, 2)?;
    let zero = || array![0.0];
    let unit = LeakyNetwork::new(array![time_constant], array![[0.0]], zero(), array![1.0])?;
    let drive = Drive::Pulse { from, to, height };
    let step = until / (PLACES - 1) as f64;
    // The leak is exact where the input stays the same within a step.
    let course = unit.run(
        &[start],
        std::slice::from_ref(&drive),
        step,
        PLACES - 1,
        Integrator::ExponentialEuler,
    )?;
    Ok(json!({
        "times": course.times,
        "potentials": course.potentials.column(0).to_vec(),
        "inputs": course.times.iter().map(|&time| drive.at(time)).collect::<Vec<_>>(),
    }))
}

/// The drift of a unit over its potential, where it stands still, and how that changes with the
/// weight to itself.
fn flow(unit: Unit, places: Vec<f64>) -> Result<Value> {
    let single = SingleUnit::from(unit);
    let roots = single.equilibria()?;
    let most = unit.self_weight.abs().max(30.0);
    let mut branches = Vec::new();
    for self_weight in spread(-most, most, VALUES)? {
        let other = SingleUnit {
            self_weight,
            ..single
        };
        branches.push(json!([self_weight, other.equilibria()?]));
    }
    let drift: Vec<f64> = places.iter().map(|&place| single.drift(place)).collect();
    Ok(json!({ "places": places, "drift": drift, "roots": roots, "branches": branches }))
}

fn portrait(
    network: &LeakyNetwork,
    inputs: [f64; 2],
    [low, high]: [f64; 2],
    starts: &[[f64; 2]],
    run: &Run,
) -> Result<Value> {
    if starts.len() > MOST_STARTS {
        let requirement = format!("at most {MOST_STARTS} ways are followed at once");
        return Err(Error::parameter("starts", starts.len(), requirement));
    }
    let sides = spread(low, high, ARROWS)?;
    let mut field = Vec::new();
    for &up in &sides {
        for &across in &sides {
            let place = array![across, up];
            let speed = network.speed(place.view(), ArrayView1::from(&inputs[..]));
            field.push(json!([across, up, speed[0], speed[1]]));
        }
    }
    let fine = spread(low, high, 4 * PLACES)?;
    let equilibria: Vec<Value> = network
        .equilibria(&inputs, run)?
        .iter()
        .map(|found| {
            json!({
                "place": found.potentials.to_vec(),
                "kind": words(found.kind),
                "stable": found.kind.is_stable(),
            })
        })
        .collect();
    let drives = inputs.map(Drive::Constant);
    let mut ways = Vec::new();
    for start in starts {
        run.check()?;
        let way = network.run(start, &drives, STEP, STEPS, Integrator::RungeKutta)?;
        let rows = way.potentials.rows().into_iter();
        ways.push(rows.map(|row| json!([row[0], row[1]])).collect::<Value>());
    }
    Ok(json!({
        "field": field,
        "nullclines": [
            network.nullcline(0, inputs, &fine)?,
            network.nullcline(1, inputs, &fine)?,
        ],
        "equilibria": equilibria,
        "ways": ways,
    }))
}

fn words(kind: EquilibriumKind) -> &'static str {
    match kind {
        EquilibriumKind::StableNode => "stable node",
        EquilibriumKind::StableFocus => "stable focus",
        EquilibriumKind::Saddle => "saddle",
        EquilibriumKind::UnstableNode => "unstable node",
        EquilibriumKind::UnstableFocus => "unstable focus",
        EquilibriumKind::Marginal => "on the border between regimes",
    }
}
