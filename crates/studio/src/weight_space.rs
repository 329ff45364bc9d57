//! A linear classifier in two planes: what is believed of its two weights before and after some
//! labelled points, and what that says about other points.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::Run;
use didact::{Error, Result};
use didact_math::numeric::{log_sigmoid, log_softmax_in_place, sigmoid};
use didact_optimize::{Lbfgs, Minimise};
use serde::Deserialize;
use serde_json::{Value, json};

/// Places along each side of the plane of the weights.
const WEIGHTS: usize = 81;

/// Places along each side of the plane of the points.
const PLACES: usize = 51;

/// Shares of the belief below this are left out of sums.
const NOTHING: f64 = 1e-12;

/// Most points that are believed.
const MOST_POINTS: usize = 200;

/// Points with their signs, and the belief before them.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    points: Vec<[f64; 2]>,
    /// −1 or +1 for every point.
    signs: Vec<f64>,
    /// The deviation of both weights before anything is seen.
    deviation: f64,
    /// How far the planes of the weights and of the points reach from zero.
    weight_reach: f64,
    reach: f64,
}

/// Believes the points.
pub(crate) async fn believe(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

/// The places of a square about zero, row by row from the bottom.
fn square(reach: f64, side: usize) -> Vec<[f64; 2]> {
    let at = |index: usize| reach * (2.0 * index as f64 / (side - 1) as f64 - 1.0);
    (0..side * side)
        .map(|cell| [at(cell % side), at(cell / side)])
        .collect()
}

impl Wanted {
    fn check(&self) -> Result<()> {
        if self.points.len() != self.signs.len() || self.points.len() > MOST_POINTS {
            return Err(Error::data(format!(
                "give at most {MOST_POINTS} points, each with a sign"
            )));
        }
        if !self.signs.iter().all(|sign| sign.abs() == 1.0) {
            return Err(Error::data("a sign is neither −1 nor +1"));
        }
        for (name, value) in [
            ("deviation", self.deviation),
            ("weight_reach", self.weight_reach),
            ("reach", self.reach),
        ] {
            if !(value > 0.0 && value <= 1e3) {
                return Err(Error::parameter(
                    name,
                    value,
                    "it must be above 0 and at most 1000",
                ));
            }
        }
        match self.points.iter().flatten().all(|value| value.abs() <= 1e6) {
            true => Ok(()),
            false => Err(Error::data("a point lies too far out")),
        }
    }

    fn answer(&self, run: &Run) -> Result<Value> {
        self.check()?;
        let weights = square(self.weight_reach, WEIGHTS);
        let prior = normalised(weights.iter().map(|w| self.log_prior(*w)).collect());
        let posterior = normalised(weights.iter().map(|w| self.log_posterior(*w)).collect());
        let best = self.most_likely(run)?;
        let places = square(self.reach, PLACES);
        // ∫ σ(w·x)·p(w|D) dw as a sum over the plane of the weights, without those that say nothing.
        let mut believed: Vec<([f64; 2], f64)> = Vec::new();
        for (w, share) in weights.iter().zip(&posterior) {
            if *share > NOTHING {
                believed.push((*w, *share));
            }
        }
        let mut predictive = Vec::with_capacity(places.len());
        for place in &places {
            run.check()?;
            let terms = believed.iter();
            let sum: f64 = terms
                .map(|(w, share)| share * sigmoid(product(*w, *place)))
                .sum();
            predictive.push(sum);
        }
        let single: Vec<f64> = places.iter().map(|x| sigmoid(product(best, *x))).collect();
        Ok(json!({
            "weights": { "side": WEIGHTS, "reach": self.weight_reach, "prior": prior, "posterior": posterior },
            "places": { "side": PLACES, "reach": self.reach, "predictive": predictive, "single": single },
            "best": best,
        }))
    }

    /// The weights of the largest posterior, which is log-concave.
    fn most_likely(&self, run: &Run) -> Result<[f64; 2]> {
        let price = 1.0 / (self.deviation * self.deviation);
        let mut doubt = |w: &[f64], gradient: &mut [f64]| {
            let w = [w[0], w[1]];
            gradient.copy_from_slice(&[price * w[0], price * w[1]]);
            for (x, sign) in self.points.iter().zip(&self.signs) {
                let miss = sigmoid(-sign * product(w, *x));
                gradient[0] -= sign * miss * x[0];
                gradient[1] -= sign * miss * x[1];
            }
            -self.log_posterior(w)
        };
        let found = Lbfgs::default().minimise(&mut doubt, &[0.0, 0.0], &run.quietly())?;
        Ok([found.x[0], found.x[1]])
    }

    fn log_prior(&self, w: [f64; 2]) -> f64 {
        -0.5 * product(w, w) / (self.deviation * self.deviation)
    }

    fn log_posterior(&self, w: [f64; 2]) -> f64 {
        let seen = self.points.iter().zip(&self.signs);
        let likely = seen.map(|(x, sign)| log_sigmoid(sign * product(w, *x)));
        self.log_prior(w) + likely.sum::<f64>()
    }
}

fn product(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Shares that sum to one from logarithms.
fn normalised(mut logs: Vec<f64>) -> Vec<f64> {
    log_softmax_in_place(&mut logs);
    logs.into_iter().map(f64::exp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // 002b:GP-17
    #[test]
    fn without_points_every_place_is_even_and_one_point_tilts_its_side() {
        let mut wanted = Wanted {
            points: vec![],
            signs: vec![],
            deviation: 1.0,
            weight_reach: 5.0,
            reach: 4.0,
        };
        let even = wanted.answer(&Run::new()).unwrap();
        for share in even["places"]["predictive"].as_array().unwrap() {
            assert!((share.as_f64().unwrap() - 0.5).abs() < 1e-8);
        }
        (wanted.points, wanted.signs) = (vec![[2.0, 0.0]], vec![1.0]);
        let tilted = wanted.answer(&Run::new()).unwrap();
        let shares = tilted["places"]["predictive"].as_array().unwrap();
        let middle = PLACES / 2 * PLACES;
        assert!(shares[middle + PLACES - 1].as_f64().unwrap() > 0.6);
        assert!(shares[middle].as_f64().unwrap() < 0.4);
    }
}
