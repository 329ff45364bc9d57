//! Weights that learn from activity, step by step: a Hebbian unit, two outputs that inhibit each
//! other, and two units that learn to agree.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::Run;
use didact::neural_classic::{
    CcaNetwork, FoldiakNetwork, HebbNetwork, HebbRule, OutputTargets, WeightBound, WeightDecay,
    foldiak_pair_weight,
};
use didact::{Error, Result};
use ndarray::{Array2, array};
use serde::Deserialize;
use serde_json::{Value, json};

/// Most steps that are followed.
const MOST_STEPS: usize = 5_000;

/// Weights beyond this size are not followed any further.
const AWAY: f64 = 1e3;

/// What learns.
#[derive(Deserialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
pub(crate) enum Wanted {
    /// A linear unit with two inputs.
    Hebb {
        rate: f64,
        decay: Decay,
        bound: Bound,
        /// The largest weight of the bounds that have one.
        largest: f64,
        start: [f64; 2],
        inputs: Vec<[f64; 2]>,
        /// The output that the unit is made to have; its own where nothing is said.
        #[serde(default)]
        output: Option<f64>,
    },
    /// Two outputs with a weight between them.
    Foldiak {
        rate: f64,
        inputs: Vec<[f64; 2]>,
        /// The correlation and the deviations of what the inputs are drawn from.
        correlation: f64,
        deviations: [f64; 2],
    },
    /// Two units with two inputs each.
    Cca {
        rate: f64,
        multiplier_rate: f64,
        start: [[f64; 2]; 2],
        inputs: Vec<[[f64; 2]; 2]>,
    },
}

/// What is forgotten.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Decay {
    None,
    Instar,
    Outstar,
    Oja,
}

/// What keeps the weights from growing.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Bound {
    None,
    Clip,
    Rescale,
    Normalise,
}

/// Follows the weights.
pub(crate) async fn learn(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        match self {
            Wanted::Hebb {
                rate,
                decay,
                bound,
                largest,
                start,
                inputs,
                output,
            } => {
                let rule = HebbRule {
                    rate: *rate,
                    decay: decay.rule(),
                    bound: bound.rule(*largest),
                };
                hebb(rule, *start, inputs, *output, run)
            }
            Wanted::Foldiak {
                rate,
                inputs,
                correlation,
                deviations: [first, second],
            } => {
                let expected = foldiak_pair_weight(*correlation, *first, *second)?;
                foldiak(*rate, inputs, expected, run)
            }
            Wanted::Cca {
                rate,
                multiplier_rate,
                start,
                inputs,
            } => agree([*rate, *multiplier_rate], start, inputs, run),
        }
    }
}

impl Decay {
    fn rule(self) -> WeightDecay {
        match self {
            Decay::None => WeightDecay::None,
            Decay::Instar => WeightDecay::Instar,
            Decay::Outstar => WeightDecay::Outstar,
            Decay::Oja => WeightDecay::Oja,
        }
    }
}

impl Bound {
    fn rule(self, w_max: f64) -> WeightBound {
        match self {
            Bound::None => WeightBound::None,
            Bound::Clip => WeightBound::Clip { w_max },
            Bound::Rescale => WeightBound::Rescale {
                w_max,
                also_rate: false,
            },
            Bound::Normalise => WeightBound::Normalise,
        }
    }
}

fn check(steps: usize) -> Result<()> {
    match (1..=MOST_STEPS).contains(&steps) {
        true => Ok(()),
        false => Err(Error::parameter(
            "inputs",
            steps,
            format!("there must be between 1 and {MOST_STEPS}"),
        )),
    }
}

/// The weights at the start and after every input, until they run away.
fn hebb(
    rule: HebbRule,
    start: [f64; 2],
    inputs: &[[f64; 2]],
    output: Option<f64>,
    run: &Run,
) -> Result<Value> {
    check(inputs.len())?;
    let mut network = HebbNetwork::new(array![[start[0], start[1]]], rule)?;
    let mut path = vec![start];
    let mut away = false;
    for input in inputs {
        run.check()?;
        match output {
            Some(output) => network.associate(input, &[output])?,
            None => network.learn(input).map(drop)?,
        }
        let weights = network.weights();
        path.push([weights[[0, 0]], weights[[0, 1]]]);
        away = weights.iter().any(|weight| weight.abs() > AWAY);
        if away {
            break;
        }
    }
    let axes = principal(inputs);
    Ok(json!({ "path": path, "away": away, "axes": axes.0, "moments": axes.1 }))
}

/// The directions of E[x·xᵀ] as columns of unit length, the largest moment first, and the moments.
fn principal(inputs: &[[f64; 2]]) -> ([[f64; 2]; 2], [f64; 2]) {
    let mean = |product: fn(&[f64; 2]) -> f64| {
        inputs.iter().map(product).sum::<f64>() / inputs.len() as f64
    };
    let (a, b, c) = (
        mean(|x| x[0] * x[0]),
        mean(|x| x[0] * x[1]),
        mean(|x| x[1] * x[1]),
    );
    let angle = 0.5 * (2.0 * b).atan2(a - c);
    let half = (0.5 * (a - c)).hypot(b);
    let (sin, cos) = angle.sin_cos();
    (
        [[cos, sin], [-sin, cos]],
        [0.5 * (a + c) + half, 0.5 * (a + c) - half],
    )
}

/// The weight between two outputs at the start and after every input, and what it should become.
fn foldiak(rate: f64, inputs: &[[f64; 2]], expected: f64, run: &Run) -> Result<Value> {
    check(inputs.len())?;
    if !(rate > 0.0 && rate <= 1.0) {
        return Err(Error::parameter(
            "rate",
            rate,
            "it must be above 0 and at most 1",
        ));
    }
    let mut network = FoldiakNetwork::new(2, OutputTargets::Uncorrelated)?;
    let mut path = vec![0.0];
    for input in inputs {
        run.check()?;
        network.learn(input, rate)?;
        path.push(network.weights()[[0, 1]]);
    }
    let answers = |network: &FoldiakNetwork| -> Result<Vec<Vec<f64>>> {
        let each = inputs
            .iter()
            .map(|input| Ok(network.output(input)?.to_vec()));
        each.collect()
    };
    let outputs = answers(&network)?;
    Ok(json!({
        "path": path,
        "expected": expected,
        "before": correlation(inputs.iter().map(|x| (x[0], x[1]))),
        "after": correlation(outputs.iter().map(|y| (y[0], y[1]))),
        "outputs": outputs,
    }))
}

/// The weights and multipliers of two units that learn to agree, after every pair of inputs.
fn agree(
    [rate, multiplier_rate]: [f64; 2],
    start: &[[f64; 2]; 2],
    inputs: &[[[f64; 2]; 2]],
    run: &Run,
) -> Result<Value> {
    check(inputs.len())?;
    let mut network = CcaNetwork::new(start[0].to_vec(), start[1].to_vec())?;
    let told = |network: &CcaNetwork| {
        let [first, second] = network.multipliers();
        json!([network.first(), network.second(), [first, second]])
    };
    let mut path = vec![told(&network)];
    for [first, second] in inputs {
        run.check()?;
        network.learn(first, second, rate, multiplier_rate)?;
        path.push(told(&network));
    }
    let outputs: Vec<(f64, f64)> = inputs
        .iter()
        .map(|[first, second]| network.outputs(first, second))
        .collect::<Result<_>>()?;
    Ok(json!({ "path": path, "after": correlation(outputs.iter().copied()), "outputs": outputs }))
}

fn correlation(pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let values = Array2::from_shape_fn((pairs.len(), 2), |(row, column)| match column {
        0 => pairs[row].0,
        _ => pairs[row].1,
    });
    let centred = &values - &values.mean_axis(ndarray::Axis(0)).unwrap_or_default();
    let products = centred.t().dot(&centred);
    products[[0, 1]] / (products[[0, 0]] * products[[1, 1]]).sqrt()
}
