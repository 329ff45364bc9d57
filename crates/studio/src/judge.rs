//! Judging several methods on the same folds.

use crate::Shared;
use crate::events::stream;
use crate::request::{Points, Request};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::Spec;
use didact::core::{Data, Error, Progress, Run};
use didact::evaluate::{Split, cross_validate, folds_for, split_for};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Several methods on the same points.
#[derive(Deserialize)]
pub(crate) struct Contest {
    #[serde(flatten)]
    points: Request,
    /// The methods; the one in `points` counts as well.
    #[serde(default)]
    others: Vec<Spec>,
    /// How often the points are cut into those to learn from and those to judge by.
    folds: usize,
    /// The share to learn from where each cut is drawn by chance; else every point is judged once.
    #[serde(default)]
    share: Option<f64>,
    /// Where two sets were stored: the first so many points are learned from, the others judged.
    #[serde(default)]
    learned: Option<usize>,
    #[serde(default)]
    seed: u64,
}

/// Cross-validates the methods; one progress event per finished fold.
pub(crate) async fn judge(State(shared): State<Shared>, Json(contest): Json<Contest>) -> Response {
    stream(shared, move |run| Ok(contest.hold(run)?)).into_response()
}

impl Contest {
    fn hold(&self, run: &Run) -> didact::Result<Value> {
        let least = if self.learned.is_some() { 1 } else { 2 };
        if !(least..=100).contains(&self.folds) {
            let requirement = format!("it must be between {least} and 100");
            return Err(Error::parameter("folds", self.folds, requirement));
        }
        let specs: Vec<&Spec> = std::iter::once(&self.points.spec)
            .chain(&self.others)
            .collect();
        let limit = Some(specs.len() * self.folds);
        let done = AtomicUsize::new(0);
        let mut results = Vec::new();
        for spec in specs {
            let told = || {
                let iteration = done.fetch_add(1, Ordering::Relaxed) + 1;
                // A cancelled run is noticed by the next fold.
                let _ = run.report(&Progress {
                    iteration,
                    limit,
                    objective_name: "folds",
                    objective: iteration as f64,
                });
            };
            results.push(match self.one(spec, run, &told) {
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => json!({ "spec": spec.to_string(), "error": error.to_string() }),
                Ok(result) => result,
            });
        }
        Ok(json!({ "methods": results }))
    }

    fn one(&self, spec: &Spec, run: &Run, told: &(dyn Fn() + Sync)) -> didact::Result<Value> {
        let learner = spec.learner()?;
        let points = self.points.training(learner.as_ref())?;
        let data = points.data()?;
        let splits = self.splits(&data, &points)?;
        let result = cross_validate(learner.as_ref(), &data, &splits, &run.quietly(), told)?;
        Ok(json!({
            "spec": spec.to_string(),
            "folds": result.folds,
            "summaries": result.summaries(),
        }))
    }

    fn splits(&self, data: &Data<'_>, points: &Points) -> didact::Result<Vec<Split>> {
        match (self.learned, self.share) {
            (Some(learned), _) => {
                let (train, test): (Vec<usize>, Vec<usize>) =
                    (0..points.len()).partition(|&row| points.places[row] < learned);
                match train.is_empty() || test.is_empty() {
                    true => Err(Error::data("both sets need points that the method can use")),
                    false => Ok(vec![Split { train, test }]),
                }
            }
            (None, Some(share)) => (0..self.folds as u64)
                .map(|cut| split_for(data, share, self.seed + cut))
                .collect(),
            (None, None) => folds_for(data, self.folds, self.seed),
        }
    }
}
