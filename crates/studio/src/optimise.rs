//! Ways to a minimum: down a curve with a fixed step, down a valley with and without conjugate
//! directions, and up a log-likelihood by bounds that touch it.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::Run;
use didact::{Error, Result};
use didact_optimize::{
    ConjugateGradient, GradientDescent, LineSearch, Minimise, Objective, Quadratic, lower_bound,
    posterior,
};
use ndarray::{Array2, array};
use serde::Deserialize;
use serde_json::{Value, json};
use std::f64::consts::PI;

/// Most steps of a way.
const MOST_STEPS: usize = 200;

/// Places at which a curve is told.
const PLACES: usize = 241;

/// Most observations of a mixture.
const MOST_OBSERVATIONS: usize = 400;

/// What is minimised, or maximised.
#[derive(Deserialize)]
#[serde(tag = "view", rename_all = "kebab-case")]
pub(crate) enum Wanted {
    /// x³ − 2x² + 2 by steps x ← x − ε·f′(x).
    Curve {
        start: f64,
        step: f64,
        max_iter: usize,
    },
    /// ½·xᵀQx with curvatures 1 and `ratio` along axes that are turned by an angle.
    Valley {
        start: [f64; 2],
        ratio: f64,
        degrees: f64,
    },
    /// The mean θ of one of two Gaussians, the other of which is known.
    Bound {
        observations: Vec<f64>,
        theta: f64,
        low: f64,
        high: f64,
    },
}

/// Goes the way.
pub(crate) async fn follow(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        match self {
            Wanted::Curve {
                start,
                step,
                max_iter,
            } => curve(*start, *step, *max_iter, run),
            Wanted::Valley {
                start,
                ratio,
                degrees,
            } => valley(*start, *ratio, *degrees, run),
            Wanted::Bound {
                observations,
                theta,
                low,
                high,
            } => bound(observations, *theta, [*low, *high], run),
        }
    }
}

fn cubic(x: f64) -> f64 {
    x * x * (x - 2.0) + 2.0
}

fn cubic_slope(x: f64) -> f64 {
    x * (3.0 * x - 4.0)
}

/// Every place on the way, by the same descent with one step more each time.
fn way(
    method: impl Fn(usize) -> Box<dyn Minimise>,
    objective: &mut dyn Objective,
    start: &[f64],
    max_iter: usize,
    run: &Run,
) -> Result<(Vec<Vec<f64>>, String)> {
    let mut places = vec![start.to_vec()];
    let mut reason = String::new();
    for steps in 1..=max_iter {
        let found = method(steps).minimise(objective, start, &run.quietly())?;
        reason = found.stop.to_string();
        // Nothing more happens where fewer steps were made than allowed.
        if found.iterations() < steps || found.x.iter().any(|value| !value.is_finite()) {
            break;
        }
        places.push(found.x);
    }
    Ok((places, reason))
}

fn curve(start: f64, step: f64, max_iter: usize, run: &Run) -> Result<Value> {
    if !(-10.0..=10.0).contains(&start) {
        return Err(Error::parameter(
            "start",
            start,
            "it must be between −10 and 10",
        ));
    }
    if !(1..=MOST_STEPS).contains(&max_iter) {
        let requirement = format!("it must be between 1 and {MOST_STEPS}");
        return Err(Error::parameter("max_iter", max_iter, requirement));
    }
    let mut objective = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = cubic_slope(x[0]);
        cubic(x[0])
    };
    let method = |max_iter| -> Box<dyn Minimise> {
        Box::new(GradientDescent {
            line_search: LineSearch::Fixed { step },
            max_iter,
            gradient_tolerance: 1e-10,
            ..GradientDescent::default()
        })
    };
    let (places, reason) = way(method, &mut objective, &[start], max_iter, run)?;
    let told = places
        .iter()
        .map(|x| [x[0], cubic(x[0]), cubic_slope(x[0])]);
    Ok(json!({ "path": told.collect::<Vec<_>>(), "reason": reason }))
}

fn valley(start: [f64; 2], ratio: f64, degrees: f64, run: &Run) -> Result<Value> {
    if !((1.0..=1e4).contains(&ratio) && degrees.abs() <= 360.0) {
        return Err(Error::data(
            "the ratio of the curvatures must be between 1 and 10000, and the angle within a turn",
        ));
    }
    if !start.iter().all(|value| value.abs() <= 1e3) {
        return Err(Error::data("the start lies too far out"));
    }
    let (sin, cos) = (degrees * PI / 180.0).sin_cos();
    let turn = array![[cos, -sin], [sin, cos]];
    let matrix = turn.dot(&array![[1.0, 0.0], [0.0, ratio]]).dot(&turn.t());
    let mut bowl = Quadratic::new(matrix.clone(), array![0.0, 0.0])?;
    let steepest = |max_iter| -> Box<dyn Minimise> {
        Box::new(GradientDescent {
            line_search: LineSearch::Exact,
            max_iter,
            gradient_tolerance: 1e-6,
            ..GradientDescent::default()
        })
    };
    let conjugate = |max_iter| -> Box<dyn Minimise> {
        Box::new(ConjugateGradient {
            line_search: LineSearch::Exact,
            max_iter,
            gradient_tolerance: 1e-6,
            ..ConjugateGradient::default()
        })
    };
    let (zigzag, _) = way(steepest, &mut bowl, &start, MOST_STEPS, run)?;
    let (short, _) = way(conjugate, &mut bowl, &start, MOST_STEPS, run)?;
    Ok(json!({
        "matrix": [matrix[[0, 0]], matrix[[0, 1]], matrix[[1, 1]]],
        "steepest": zigzag,
        "conjugate": short,
    }))
}

/// ln P(xᵢ, z) for a fair choice between N(θ, 1) and N(0, 1).
fn log_joint(observations: &[f64], theta: f64) -> Array2<f64> {
    Array2::from_shape_fn((observations.len(), 2), |(row, which)| {
        let mean = if which == 0 { theta } else { 0.0 };
        0.5_f64.ln() - 0.5 * (2.0 * PI).ln() - 0.5 * (observations[row] - mean).powi(2)
    })
}

fn bound(observations: &[f64], theta: f64, [low, high]: [f64; 2], run: &Run) -> Result<Value> {
    let many = (1..=MOST_OBSERVATIONS).contains(&observations.len());
    if !many || !observations.iter().all(|value| value.abs() <= 1e3) {
        return Err(Error::data(format!(
            "give between 1 and {MOST_OBSERVATIONS} observations, each of at most a thousand"
        )));
    }
    if !(theta.abs() <= 1e3 && low < high && low >= -1e3 && high <= 1e3) {
        return Err(Error::data(
            "θ and the axis must be numbers of at most a thousand",
        ));
    }
    let q = posterior(log_joint(observations, theta).view());
    let mut curves = Vec::with_capacity(PLACES);
    for place in 0..PLACES {
        run.check()?;
        let at = low + (high - low) * place as f64 / (PLACES - 1) as f64;
        let found = lower_bound(log_joint(observations, at).view(), q.view())?;
        curves.push([at, found.log_likelihood, found.bound, found.gap]);
    }
    // The M-step: the mean of the observations, each by its share.
    let shares = q.column(0);
    let total = shares.sum();
    let weighted: f64 = shares
        .iter()
        .zip(observations)
        .map(|(share, x)| share * x)
        .sum();
    let next = weighted / total;
    let at = |theta: f64| lower_bound(log_joint(observations, theta).view(), q.view());
    let (touching, reached) = (at(theta)?, at(next)?);
    Ok(json!({
        "curves": curves,
        "theta": theta,
        "value": touching.log_likelihood,
        "touching": touching.bound,
        "next": next,
        "next_bound": reached.bound,
        "next_value": reached.log_likelihood,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    // 002b:ES-04 002b:ES-05
    #[test]
    fn a_valley_takes_two_conjugate_steps_and_many_steep_ones() {
        let found = valley([10.0, 1.0], 10.0, 30.0, &Run::new()).unwrap();
        assert_eq!(found["conjugate"].as_array().unwrap().len(), 3);
        assert!(found["steepest"].as_array().unwrap().len() > 10);
    }

    // 004:M34
    #[test]
    fn the_bound_touches_where_it_was_made_and_its_top_is_the_next_place() {
        let found = bound(&[-0.3, 0.4, 2.9, 3.3], 1.0, [-2.0, 5.0], &Run::new()).unwrap();
        let number = |name: &str| found[name].as_f64().unwrap();
        assert!((number("value") - number("touching")).abs() < 1e-12);
        assert!(number("next_value") > number("value"));
        for place in found["curves"].as_array().unwrap() {
            assert!(place[2].as_f64().unwrap() <= number("next_bound") + 1e-9);
            let gap = place[1].as_f64().unwrap() - place[2].as_f64().unwrap();
            assert!((gap - place[3].as_f64().unwrap()).abs() < 1e-9);
        }
    }
}
