//! Judging a model of any type on data of any kind.

use crate::metric::Metric;
use crate::outcome::Outcome;
use didact_core::model::AnyModel;
use didact_core::{Classes, Data, Error, Labelled, Result};
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

/// All figures that suit the model and the data; the first is the one to compare by.
///
/// Classes: accuracy, balanced accuracy, log-loss. Real targets: R², root mean squared and mean
/// absolute error. Groups against known classes: adjusted Rand index. Densities: mean
/// log-likelihood per row. Sequences: accuracy of the decoded states and log-likelihood per item.
pub fn score(model: &dyn AnyModel, data: &Data<'_>) -> Result<Vec<Figure>> {
    score_by(model, data, &[])
}

/// The named figures in the order given, or all that suit where none is named.
///
/// Of partly labelled rows those are judged whose class is known.
pub fn score_by(model: &dyn AnyModel, data: &Data<'_>, metrics: &[Metric]) -> Result<Vec<Figure>> {
    if let Data::PartlyLabelled(partly) = data {
        let known = |row: &usize| partly.labels[*row].is_some();
        let rows: Vec<usize> = (0..partly.labels.len()).filter(known).collect();
        let labels: Vec<usize> = partly.labels.iter().flatten().copied().collect();
        let chosen = partly.samples.select(&rows);
        let labelled = Labelled::from_parts(chosen.view(), &labels, partly.classes)?;
        return score_by(model, &Data::Labelled(labelled), metrics);
    }
    let outcome = Outcome::new(model, data)?;
    Ok(figures_of(&outcome, model, data, metrics)?.0)
}

/// The figures, and the metrics that they are.
pub(crate) fn figures_of(
    outcome: &Outcome<'_, '_>,
    model: &dyn AnyModel,
    data: &Data<'_>,
    metrics: &[Metric],
) -> Result<(Vec<Figure>, Vec<Metric>)> {
    let metrics = match metrics.is_empty() {
        true => outcome.suitable()?,
        false => metrics.to_vec(),
    };
    if metrics.is_empty() {
        return Err(Error::unsupported(format!(
            "a model that can {} cannot be scored on {}; give the target column",
            model.ability_names().join(", "),
            data.kind()
        )));
    }
    let figure = |&metric: &Metric| {
        Ok(Figure {
            metric: outcome.title(metric),
            value: metric.measure(outcome)?,
            higher_is_better: metric.higher_is_better(),
        })
    };
    let figures = metrics.iter().map(figure).collect::<Result<_>>()?;
    Ok((figures, metrics))
}

/// Labels in terms of other classes; a class that is unknown there gets a label of its own,
/// which no prediction can equal.
pub(crate) fn relabel(labels: &[usize], from: &Classes, to: &Classes) -> Vec<usize> {
    let table: Vec<usize> = from
        .names()
        .iter()
        .map(|name| to.label(name).unwrap_or(to.len()))
        .collect();
    labels.iter().map(|&label| table[label]).collect()
}
