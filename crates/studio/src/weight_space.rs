//! A linear classifier in two planes: what is believed of its two weights before and after some
//! labelled points, and what that says about other points.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::Run;
use didact::{Error, Result};
use serde::Deserialize;
use serde_json::{Value, json};

/// Places along each side of the plane of the weights.
const WEIGHTS: usize = 81;

/// Places along each side of the plane of the points.
const PLACES: usize = 51;

/// Shares of the belief below this are left out of sums.
const NOTHING: f64 = 1e-12;

/// Steps to the most likely weights.
const NEWTON_STEPS: usize = 40;

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

/// σ(z) without overflow.
fn logistic(z: f64) -> f64 {
    match z >= 0.0 {
        true => 1.0 / (1.0 + (-z).exp()),
        false => z.exp() / (1.0 + z.exp()),
    }
}

/// ln σ(z) without overflow.
fn log_logistic(z: f64) -> f64 {
    z.min(0.0) - (-z.abs()).exp().ln_1p()
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
        let best = self.most_likely();
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
                .map(|(w, share)| share * logistic(product(*w, *place)))
                .sum();
            predictive.push(sum);
        }
        let single: Vec<f64> = places.iter().map(|x| logistic(product(best, *x))).collect();
        Ok(json!({
            "weights": { "side": WEIGHTS, "reach": self.weight_reach, "prior": prior, "posterior": posterior },
            "places": { "side": PLACES, "reach": self.reach, "predictive": predictive, "single": single },
            "best": best,
        }))
    }

    /// The weights of the largest posterior, by Newton's method: it is log-concave, with the curvature
    /// of the prior everywhere.
    fn most_likely(&self) -> [f64; 2] {
        let mut w = [0.0, 0.0];
        for _ in 0..NEWTON_STEPS {
            let price = 1.0 / (self.deviation * self.deviation);
            let mut gradient = [-price * w[0], -price * w[1]];
            let [mut a, mut b, mut c] = [price, 0.0, price];
            for (x, sign) in self.points.iter().zip(&self.signs) {
                let miss = logistic(-sign * product(w, *x));
                gradient[0] += sign * miss * x[0];
                gradient[1] += sign * miss * x[1];
                let curvature = miss * (1.0 - miss);
                a += curvature * x[0] * x[0];
                b += curvature * x[0] * x[1];
                c += curvature * x[1] * x[1];
            }
            let determinant = a * c - b * b;
            // Points so far out that the prior is lost in rounding leave nothing to go by.
            if determinant.is_nan() || determinant <= 0.0 {
                break;
            }
            let step = [
                (c * gradient[0] - b * gradient[1]) / determinant,
                (a * gradient[1] - b * gradient[0]) / determinant,
            ];
            // Halved until the posterior rises, so that far points do not throw it out.
            let mut share = 1.0;
            let before = self.log_posterior(w);
            let moved = |share: f64| [w[0] + share * step[0], w[1] + share * step[1]];
            while share > 1e-9 && self.log_posterior(moved(share)) < before {
                share /= 2.0;
            }
            w = moved(share);
        }
        w
    }

    fn log_prior(&self, w: [f64; 2]) -> f64 {
        -0.5 * product(w, w) / (self.deviation * self.deviation)
    }

    fn log_posterior(&self, w: [f64; 2]) -> f64 {
        let seen = self.points.iter().zip(&self.signs);
        let likely = seen.map(|(x, sign)| log_logistic(sign * product(w, *x)));
        self.log_prior(w) + likely.sum::<f64>()
    }
}

fn product(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Shares that sum to one from logarithms.
fn normalised(logs: Vec<f64>) -> Vec<f64> {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
    let total: f64 = shares.iter().sum();
    shares.iter().map(|share| share / total).collect()
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
