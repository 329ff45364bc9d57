//! A network of classes that loses its weights share by share: what is left of its accuracy, and
//! what its map becomes.

use crate::Shared;
use crate::events::stream;
use crate::map::shades;
use crate::request::{Points, Request};
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use didact::core::{AnyModel, DataKind, OwnedRows, Run};
use didact::neural::{MlpClassifierModel, Network};
use didact::{Error, PipelineModel, Result};
use didact_math::numeric::argmax;
use ndarray::Array2;
use serde::Deserialize;
use serde_json::{Value, json};

/// Steps from the whole network to one without weights.
const STEPS: usize = 20;

/// Most networks that are damaged by chance for each share.
const MOST_REPEATS: u64 = 100;

/// A method on some points, and how its network is damaged.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    #[serde(flatten)]
    request: Request,
    /// How many networks are damaged by chance for each share.
    #[serde(default = "usual_repeats")]
    repeats: u64,
    /// Seed of the first of them, which is the one that is shown.
    #[serde(default)]
    seed: u64,
}

fn usual_repeats() -> u64 {
    20
}

/// Fits the network and damages it.
pub(crate) async fn damage(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        if !(1..=MOST_REPEATS).contains(&self.repeats) {
            let requirement = format!("it must be between 1 and {MOST_REPEATS}");
            return Err(Error::parameter("repeats", self.repeats, requirement));
        }
        let learner = self.request.spec.learner()?;
        let points = self.request.training(learner.as_ref())?;
        let model = learner.fit(points.data()?, run)?;
        let patient = Patient::new(model.as_ref(), &points)?;
        // Points that were held back say what the network knows; else its own have to.
        let held = match self.request.train.is_some() {
            true => Some(self.request.testing(learner.as_ref())?).filter(|held| held.len() > 0),
            false => None,
        };
        let judged = held.as_ref().unwrap_or(&points);
        let rows = patient.prepared(&judged.rows)?;
        let places = match &self.request.grid {
            Some(grid) => Some(patient.prepared(&grid.places(model.n_features())?)?),
            None => None,
        };
        let steps = (0..=STEPS).map(|step| {
            let share = step as f64 / STEPS as f64;
            let mut scores = Vec::new();
            for repeat in 0..self.repeats {
                run.check()?;
                let damaged = patient
                    .network
                    .lesioned(share, self.seed.wrapping_add(repeat))?;
                let probabilities = patient.probabilities(&damaged, &rows)?;
                scores.push(accuracy(&probabilities, judged.labels()));
            }
            let shown = patient.network.lesioned(share, self.seed)?;
            let map = match &places {
                Some(places) => {
                    Some(STANDARD.encode(shades(&patient.probabilities(&shown, places)?)))
                }
                None => None,
            };
            Ok(json!({
                "share": share,
                "removed": removed(patient.network, &shown),
                "scores": scores,
                "map": map,
            }))
        });
        Ok(json!({
            "steps": steps.collect::<Result<Vec<Value>>>()?,
            "weights": removed(patient.network, &patient.network.lesioned(1.0, 0)?),
            "chance": majority(judged),
            "held": held.is_some(),
            "judged": judged.len(),
            "cells": self.request.grid.as_ref().map(|grid| grid.cells()),
            "count": points.n_classes(),
        }))
    }
}

/// A fitted network with the steps before it.
struct Patient<'a> {
    before: Vec<&'a dyn AnyModel>,
    network: &'a Network,
    /// The classes that had points; the network knows only these.
    present: Vec<usize>,
    n_classes: usize,
}

impl<'a> Patient<'a> {
    fn new(model: &'a dyn AnyModel, points: &Points) -> Result<Self> {
        let mut before: Vec<&dyn AnyModel> = match model.as_any().downcast_ref::<PipelineModel>() {
            Some(pipeline) => pipeline.steps().collect(),
            None => vec![model],
        };
        let last = before.pop().and_then(|last| last.as_any().downcast_ref());
        let (Some(last), DataKind::Labelled) = (last, points.kind()) else {
            return Err(Error::unsupported(
                "only a network that tells classes apart is damaged here; choose mlp for \
                 classification",
            ));
        };
        let mut present = points.labels().to_vec();
        present.sort_unstable();
        present.dedup();
        Ok(Patient {
            before,
            network: MlpClassifierModel::network(last),
            present,
            n_classes: points.n_classes(),
        })
    }

    /// The rows as the network sees them.
    fn prepared(&self, rows: &Array2<f64>) -> Result<Array2<f64>> {
        let mut current = OwnedRows::Dense(rows.clone());
        for step in &self.before {
            let transform = step
                .as_transform()
                .ok_or_else(|| Error::unsupported("a step before the network gives no rows"))?;
            current = transform.transform_rows(current.view())?;
        }
        Ok(current.into_dense())
    }

    /// How probable each class is to a network; one output tells two classes apart.
    fn probabilities(&self, network: &Network, rows: &Array2<f64>) -> Result<Array2<f64>> {
        let outputs = network.outputs(rows.view())?;
        let mut all = Array2::zeros((rows.nrows(), self.n_classes));
        for (output, mut row) in outputs.rows().into_iter().zip(all.rows_mut()) {
            match self.present[..] {
                [first, second] => {
                    row[first] = 1.0 - output[0];
                    row[second] = output[0];
                }
                _ => {
                    for (&class, &probability) in self.present.iter().zip(output) {
                        row[class] = probability;
                    }
                }
            }
        }
        Ok(all)
    }
}

/// The share of the rows whose class is the most probable, the first of equals.
fn accuracy(probabilities: &Array2<f64>, labels: &[usize]) -> f64 {
    let rows = probabilities.rows().into_iter().zip(labels);
    let right = rows.filter(|(row, label)| argmax(row.iter().copied()) == Some(**label));
    right.count() as f64 / labels.len().max(1) as f64
}

/// How many weights one network has and the other lacks.
fn removed(whole: &Network, damaged: &Network) -> usize {
    let both = whole.parameters().iter().zip(damaged.parameters());
    both.filter(|(whole, damaged)| whole != damaged).count()
}

/// The accuracy of saying the most frequent class.
fn majority(points: &Points) -> f64 {
    let mut counts = vec![0_usize; points.n_classes()];
    points.labels().iter().for_each(|&label| counts[label] += 1);
    counts.into_iter().max().unwrap_or(0) as f64 / points.len().max(1) as f64
}
