//! How many groups the points have, by one of several rules.

use crate::Shared;
use crate::events::stream;
use crate::request::Request;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::{Error, Progress, Run};
use didact::evaluate::folds_for;
use didact::{CountChoice, CountCriterion, choose_count, count_parameter};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Folds of a rule that looks at rows that were held out.
const FOLDS: usize = 5;

/// A method on some points, tried with every number of groups up to `most`.
#[derive(Deserialize)]
pub(crate) struct Wish {
    #[serde(flatten)]
    points: Request,
    criterion: CountCriterion,
    most: usize,
}

/// Tries the numbers; one progress event each.
pub(crate) async fn choose(State(shared): State<Shared>, Json(wish): Json<Wish>) -> Response {
    stream(shared, move |run| Ok(wish.choose(run)?)).into_response()
}

impl Wish {
    fn choose(&self, run: &Run) -> didact::Result<Value> {
        if !(2..=50).contains(&self.most) {
            let requirement = "it must be between 2 and 50";
            return Err(Error::parameter("most", self.most, requirement));
        }
        let learner = self.points.spec.learner()?;
        let points = self.points.training(learner.as_ref())?;
        let data = points.data()?;
        let splits = match self.criterion {
            CountCriterion::HeldOut => folds_for(&data, points.units().clamp(2, FOLDS), 0)?,
            _ => Vec::new(),
        };
        let least = match self.criterion {
            CountCriterion::Silhouette => 2,
            _ => 1,
        };
        let counts: Vec<usize> = (least..=self.most.min(points.len())).collect();
        let mut choice = CountChoice {
            parameter: count_parameter(&self.points.spec)?.to_owned(),
            criterion: self.criterion,
            trials: Vec::new(),
            chosen: None,
        };
        let done = AtomicUsize::new(0);
        let told = || {
            let iteration = done.fetch_add(1, Ordering::Relaxed) + 1;
            // A cancelled run is noticed by the next number.
            let _ = run.report(&Progress {
                iteration,
                limit: Some(counts.len()),
                objective_name: "numbers tried",
                objective: iteration as f64,
            });
        };
        let spec = &self.points.spec;
        choose_count(
            spec,
            &counts,
            &data,
            &splits,
            &mut choice,
            &run.quietly(),
            &told,
        )?;
        Ok(json!({
            "parameter": choice.parameter,
            "counts": counts,
            "values": choice.values(),
            "chosen": choice.chosen,
        }))
    }
}
