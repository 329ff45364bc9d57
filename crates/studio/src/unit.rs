//! A single unit: its transfer function, what it answers to two inputs, and what it can learn.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::Run;
use didact::neural_classic::{Transfer, Unit};
use didact::{Error, Result};
use didact_optimize::{Lbfgs, Minimise};
use serde::Deserialize;
use serde_json::{Value, json};

/// Places at which the transfer function is told, over sums from −5 to 5.
const PLACES: usize = 201;
const REACH: f64 = 5.0;

/// Places along each side of the plane of the two inputs, from −½ to 1½.
const SIDE: usize = 61;

/// The corners of the plane in the order of a truth table.
const CORNERS: [[f64; 2]; 4] = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];

/// A transfer function, as the page names it.
#[derive(Clone, Copy, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
enum Named {
    Linear,
    Step,
    Tanh,
    Logistic { slope: f64 },
    Radial { alpha: f64 },
}

impl Named {
    fn transfer(self) -> Result<Transfer> {
        let positive = |name: &str, value: f64| match value > 0.0 && value <= 1e3 {
            true => Ok(value),
            false => Err(Error::parameter(
                name,
                value,
                "it must be above 0 and at most 1000",
            )),
        };
        Ok(match self {
            Named::Linear => Transfer::Linear,
            Named::Step => Transfer::Step,
            Named::Tanh => Transfer::Tanh,
            Named::Logistic { slope } => Transfer::Logistic {
                slope: positive("slope", slope)?,
            },
            Named::Radial { alpha } => Transfer::Radial {
                alpha: positive("alpha", alpha)?,
            },
        })
    }
}

/// A unit with a bias and two weights, and what it should answer to the corners.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    transfer: Named,
    /// The bias w₀ and the weights w₁ and w₂.
    weights: [f64; 3],
    /// The wanted answers to 00, 01, 10 and 11.
    targets: [f64; 4],
    /// Whether to look for the weights with the least error.
    #[serde(default)]
    learn: bool,
}

/// Answers with the curve of the transfer function and the answers of the unit.
pub(crate) async fn answer(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        let transfer = self.transfer.transfer()?;
        if !self
            .weights
            .iter()
            .chain(&self.targets)
            .all(|value| value.abs() <= 1e6)
        {
            return Err(Error::data(
                "weights and targets must be numbers of at most a million",
            ));
        }
        let weights = match self.learn {
            true => learned(transfer, self.targets, run)?,
            false => self.weights,
        };
        let unit = made(transfer, weights);
        let outputs = CORNERS.map(|corner| unit.output(&corner));
        let outputs: Vec<f64> = outputs.into_iter().collect::<Result<_>>()?;
        let wrong = outputs.iter().zip(&self.targets).map(|(y, z)| z - y);
        Ok(json!({
            "weights": weights,
            "outputs": outputs,
            "error": 0.5 * wrong.map(|e| e * e).sum::<f64>(),
            "curve": curve(transfer),
            "map": map(&unit)?,
        }))
    }
}

fn made(transfer: Transfer, [bias, first, second]: [f64; 3]) -> Unit {
    Unit {
        bias,
        weights: vec![first, second],
        transfer,
    }
}

/// For every sum the value and the derivative.
fn curve(transfer: Transfer) -> Vec<[f64; 3]> {
    let sums = (0..PLACES).map(|place| REACH * (2.0 * place as f64 / (PLACES - 1) as f64 - 1.0));
    sums.map(|sum| [sum, transfer.of(sum), transfer.derivative(sum)])
        .collect()
}

/// The answers over the plane, row by row from the bottom.
fn map(unit: &Unit) -> Result<Value> {
    let place = |index: usize| 2.0 * index as f64 / (SIDE - 1) as f64 - 0.5;
    let values: Vec<f64> = (0..SIDE * SIDE)
        .map(|cell| unit.output(&[place(cell % SIDE), place(cell / SIDE)]))
        .collect::<Result<_>>()?;
    Ok(json!({ "side": SIDE, "low": -0.5, "high": 1.5, "values": values }))
}

/// The weights of least squared error over the corners, by descent from several starts.
fn learned(transfer: Transfer, targets: [f64; 4], run: &Run) -> Result<[f64; 3]> {
    if transfer == Transfer::Step {
        return Err(Error::data(
            "a step has no slope to learn along; choose another transfer function",
        ));
    }
    let mut error = |weights: &[f64], gradient: &mut [f64]| {
        gradient.fill(0.0);
        let mut total = 0.0;
        for ([first, second], target) in CORNERS.iter().zip(targets) {
            let sum = weights[0] + weights[1] * first + weights[2] * second;
            let miss = transfer.of(sum) - target;
            total += 0.5 * miss * miss;
            let slope = miss * transfer.derivative(sum);
            for (entry, input) in gradient.iter_mut().zip([1.0, *first, *second]) {
                *entry += slope * input;
            }
        }
        total
    };
    // A unit that saturates learns for ever; its weights need not grow beyond all bounds.
    let search = Lbfgs {
        max_iter: 300,
        ..Lbfgs::default()
    };
    let starts = [
        [-0.5, 1.0, 1.0],
        [0.5, -1.0, -1.0],
        [-0.4, 0.9, 1.1],
        [0.2, 0.7, -0.6],
        [-0.2, -0.6, 0.7],
    ];
    let mut best: Option<(f64, [f64; 3])> = None;
    for start in starts {
        let found = search.minimise(&mut error, &start, &run.quietly())?;
        if best.is_none_or(|(value, _)| found.value < value - 1e-9) {
            best = Some((found.value, [found.x[0], found.x[1], found.x[2]]));
        }
    }
    best.map(|(_, weights)| weights)
        .ok_or_else(|| Error::data("no start led anywhere"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // 002b:F7-2
    #[test]
    fn exclusive_or_is_beyond_a_logistic_unit_and_within_a_radial_one() {
        let exclusive = [0.0, 1.0, 1.0, 0.0];
        let wanted = |transfer| Wanted {
            transfer,
            weights: [0.0; 3],
            targets: exclusive,
            learn: true,
        };
        let logistic = wanted(Named::Logistic { slope: 1.0 })
            .answer(&Run::new())
            .unwrap();
        assert!((logistic["error"].as_f64().unwrap() - 0.5).abs() < 1e-6);
        let radial = wanted(Named::Radial { alpha: 5.0 })
            .answer(&Run::new())
            .unwrap();
        assert!(radial["error"].as_f64().unwrap() < 1e-3);
    }
}
