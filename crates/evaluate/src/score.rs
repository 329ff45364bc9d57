//! Judging a model of any type on data of any kind.

use crate::metrics::*;
use didact_core::abilities::check_rows;
use didact_core::model::AnyModel;
use didact_core::{Classes, Data, Error, Result};
use serde::Serialize;

/// One figure of merit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The name of the metric.
    pub metric: &'static str,
    /// Its value.
    pub value: f64,
    /// Whether larger is better.
    pub higher_is_better: bool,
}

fn up(metric: &'static str, value: f64) -> Figure {
    Figure {
        metric,
        value,
        higher_is_better: true,
    }
}

fn down(metric: &'static str, value: f64) -> Figure {
    Figure {
        metric,
        value,
        higher_is_better: false,
    }
}

/// All figures that suit the model and the data; the first is the one to compare by.
///
/// Classes: accuracy, balanced accuracy, log-loss. Real targets: R², root mean squared and mean
/// absolute error. Groups against known classes: adjusted Rand index. Densities: mean
/// log-likelihood per row. Sequences: accuracy of the decoded states and log-likelihood per item.
pub fn score(model: &dyn AnyModel, data: &Data<'_>) -> Result<Vec<Figure>> {
    let samples = data
        .samples()
        .ok_or_else(|| Error::unsupported("ratings have no rows to score"))?;
    let rows = samples.rows();
    if rows.n_rows() == 0 {
        return Err(Error::data("there is nothing to judge: no rows were given"));
    }
    check_rows(model, rows)?;
    let mut figures = Vec::new();
    if let (Some(classify), Data::Labelled(data)) = (model.as_classify(), data) {
        let truth = relabel(data.labels, data.classes, classify.classes());
        let predicted = classify.classify(rows)?;
        figures.push(up("accuracy", accuracy(&truth, &predicted)?));
        figures.push(up(
            "balanced accuracy",
            balanced_accuracy(&truth, &predicted)?,
        ));
        let known = truth.iter().all(|&label| label < classify.classes().len());
        if let (Some(probabilities), true) = (model.as_probabilities(), known) {
            figures.push(down(
                "log-loss",
                log_loss(&truth, probabilities.probabilities(rows)?.view())?,
            ));
        }
    }
    if let (Some(regress), Data::Measured(data)) = (model.as_regress(), data) {
        let predicted = regress.regress(rows)?;
        figures.push(up("R²", r2(data.targets, predicted.view())?));
        figures.push(down(
            "RMSE",
            mean_squared_error(data.targets, predicted.view())?.sqrt(),
        ));
        figures.push(down(
            "MAE",
            mean_absolute_error(data.targets, predicted.view())?,
        ));
    }
    if let (Some(assign), Data::Labelled(data)) = (model.as_assign(), data) {
        // Noise is one more group of its own.
        let noise = data.labels.len();
        let clusters: Vec<usize> = assign
            .assign(rows)?
            .into_iter()
            .map(|cluster| cluster.unwrap_or(noise))
            .collect();
        figures.push(up(
            "adjusted Rand",
            adjusted_rand(data.labels, &compact(&clusters))?,
        ));
    }
    if let (Some(decode), Data::LabelledSequences(data)) = (model.as_decode(), data) {
        let (states, _) = decode.viterbi(&data.sequences)?;
        match decode.state_names() {
            Some(names) => {
                let truth = relabel(data.labels, data.classes, names);
                figures.push(up("accuracy", accuracy(&truth, &states)?));
            }
            None => figures.push(up("adjusted Rand", adjusted_rand(data.labels, &states)?)),
        }
    }
    if let (Some(decode), Some(sequences)) = (model.as_decode(), sequences(data)) {
        let total: f64 = decode.log_likelihoods(sequences)?.iter().sum();
        figures.push(up("log-likelihood per item", total / rows.n_rows() as f64));
    } else if let Some(density) = model.as_log_density() {
        let mean = density.log_density(rows)?.sum() / rows.n_rows() as f64;
        figures.push(up("log-likelihood per row", mean));
    }
    match figures.is_empty() {
        true => Err(Error::unsupported(format!(
            "a model that can {} cannot be scored on {}; give the target column",
            model.ability_names().join(", "),
            data.kind()
        ))),
        false => Ok(figures),
    }
}

fn sequences<'b, 'a>(data: &'b Data<'a>) -> Option<&'b didact_core::Sequences<'a>> {
    match data {
        Data::Sequences(sequences) => Some(sequences),
        Data::LabelledSequences(data) => Some(&data.sequences),
        _ => None,
    }
}

/// Labels in terms of other classes; a class that is unknown there gets a label of its own,
/// which no prediction can equal.
fn relabel(labels: &[usize], from: &Classes, to: &Classes) -> Vec<usize> {
    let table: Vec<usize> = from
        .names()
        .iter()
        .map(|name| to.label(name).unwrap_or(to.len()))
        .collect();
    labels.iter().map(|&label| table[label]).collect()
}

/// Labels renumbered 0, 1, 2, … in order of appearance, so that tables of them stay small.
fn compact(labels: &[usize]) -> Vec<usize> {
    let mut seen = std::collections::HashMap::new();
    labels
        .iter()
        .map(|label| {
            let next = seen.len();
            *seen.entry(*label).or_insert(next)
        })
        .collect()
}
