//! What a model says about data with known answers, each thing asked once.

use crate::metric::Metric;
use crate::score::relabel;
use didact_core::abilities::check_rows;
use didact_core::model::AnyModel;
use didact_core::{Data, Error, Result, Rows, Sequences};
use ndarray::{Array2, ArrayView2, Axis};
use std::cell::OnceCell;

/// A model and the data that it is judged on.
pub(crate) struct Outcome<'a, 'd> {
    model: &'a dyn AnyModel,
    data: &'a Data<'d>,
    truth: OnceCell<Vec<usize>>,
    predicted: OnceCell<Vec<usize>>,
    probabilities: OnceCell<Array2<f64>>,
    scores: OnceCell<Array2<f64>>,
    values: OnceCell<Array2<f64>>,
    groups: OnceCell<Vec<usize>>,
    /// Measured targets and true classes of these rows, where they are not those of the data.
    targets: OnceCell<Array2<f64>>,
    labels: OnceCell<Vec<usize>>,
    /// Log-likelihood of each row, or of each sequence.
    likelihoods: OnceCell<Vec<f64>>,
    n_rows: usize,
}

impl<'a, 'd> Outcome<'a, 'd> {
    pub(crate) fn new(model: &'a dyn AnyModel, data: &'a Data<'d>) -> Result<Self> {
        let rows = rows_of(data)?;
        if rows.n_rows() == 0 {
            return Err(Error::data("there is nothing to judge: no rows were given"));
        }
        check_rows(model, rows)?;
        Ok(Outcome {
            model,
            data,
            truth: OnceCell::new(),
            predicted: OnceCell::new(),
            probabilities: OnceCell::new(),
            scores: OnceCell::new(),
            values: OnceCell::new(),
            groups: OnceCell::new(),
            targets: OnceCell::new(),
            labels: OnceCell::new(),
            likelihoods: OnceCell::new(),
            n_rows: rows.n_rows(),
        })
    }

    /// The same outcome on some of its rows, any of them several times. What the model has said
    /// already is not asked again.
    pub(crate) fn resampled(&self, rows: &[usize]) -> Self {
        let words = |cell: &OnceCell<Vec<usize>>| match cell.get() {
            Some(values) => OnceCell::from(pick(values, rows)),
            None => OnceCell::new(),
        };
        let numbers = |cell: &OnceCell<Array2<f64>>| match cell.get() {
            Some(values) => OnceCell::from(values.select(Axis(0), rows)),
            None => OnceCell::new(),
        };
        let labels = match self.data {
            Data::Labelled(data) => OnceCell::from(pick(data.labels, rows)),
            _ => OnceCell::new(),
        };
        let targets = match self.data {
            Data::Measured(data) => OnceCell::from(data.targets.select(Axis(0), rows)),
            _ => OnceCell::new(),
        };
        let likelihoods = match self.likelihoods.get() {
            Some(values) => OnceCell::from(rows.iter().map(|&row| values[row]).collect::<Vec<_>>()),
            None => OnceCell::new(),
        };
        Outcome {
            model: self.model,
            data: self.data,
            truth: words(&self.truth),
            predicted: words(&self.predicted),
            probabilities: numbers(&self.probabilities),
            scores: numbers(&self.scores),
            values: numbers(&self.values),
            groups: words(&self.groups),
            targets,
            labels,
            likelihoods,
            n_rows: rows.len(),
        }
    }

    /// The metrics that suit the model and the data; the first is the one to compare by.
    pub(crate) fn suitable(&self) -> Result<Vec<Metric>> {
        let (model, mut metrics) = (self.model, Vec::new());
        match self.data {
            Data::Labelled(_) if model.as_classify().is_some() => {
                metrics.extend([Metric::Accuracy, Metric::BalancedAccuracy]);
                let known = self.known_truth(Metric::LogLoss).is_ok();
                if model.as_probabilities().is_some() && known {
                    metrics.push(Metric::LogLoss);
                }
            }
            Data::Measured(_) if model.as_regress().is_some() => {
                metrics.extend([Metric::R2, Metric::Rmse, Metric::Mae]);
            }
            _ => {}
        }
        if let (Some(_), Data::Labelled(_)) = (model.as_assign(), self.data) {
            metrics.push(Metric::AdjustedRand);
        }
        if let (Some(decode), Data::LabelledSequences(_)) = (model.as_decode(), self.data) {
            metrics.push(match decode.state_names() {
                Some(_) => Metric::Accuracy,
                None => Metric::AdjustedRand,
            });
        }
        let weighs = model.as_sequence_likelihood().is_some() && sequences(self.data).is_some();
        if weighs || model.as_log_density().is_some() {
            metrics.push(Metric::LogLikelihood);
        }
        Ok(metrics)
    }

    /// What the figure of a metric is called: a likelihood says what it is a mean over.
    pub(crate) fn title(&self, metric: Metric) -> &'static str {
        match (metric, sequences(self.data).is_some()) {
            (Metric::LogLikelihood, true) => "log-likelihood per item",
            (Metric::LogLikelihood, false) => "log-likelihood per row",
            _ => metric.title(),
        }
    }

    fn refuse<T>(&self, metric: Metric) -> Result<T> {
        Err(Error::unsupported(format!(
            "{metric} does not suit: a model that can {} was given {}",
            self.model.ability_names().join(", "),
            self.data.kind()
        )))
    }

    /// True classes as the model numbers them; a class that it does not know has a number of its
    /// own, which no prediction can equal.
    pub(crate) fn truth(&self, metric: Metric) -> Result<&[usize]> {
        let (labels, classes, known) = match self.data {
            Data::Labelled(data) => (
                data.labels,
                data.classes,
                self.model.as_classify().map(|model| model.classes()),
            ),
            Data::LabelledSequences(data) => (
                data.labels,
                data.classes,
                self.model.as_decode().and_then(|model| model.state_names()),
            ),
            _ => return self.refuse(metric),
        };
        let Some(known) = known else {
            return self.refuse(metric);
        };
        Ok(self.truth.get_or_init(|| relabel(labels, classes, known)))
    }

    /// True classes, all of which the model knows.
    pub(crate) fn known_truth(&self, metric: Metric) -> Result<&[usize]> {
        let truth = self.truth(metric)?;
        match truth.iter().all(|&label| label < self.n_classes()) {
            true => Ok(truth),
            false => Err(Error::data(format!(
                "{metric} needs classes that the model knows; the data have others"
            ))),
        }
    }

    pub(crate) fn n_classes(&self) -> usize {
        let classes = self.model.as_classify().map(|model| model.classes().len());
        classes.unwrap_or_else(|| self.model.as_decode().map_or(0, |model| model.n_states()))
    }

    pub(crate) fn predicted(&self, metric: Metric) -> Result<&[usize]> {
        let labels = once(&self.predicted, || {
            let rows = rows_of(self.data)?;
            match (
                self.model.as_classify(),
                self.model.as_decode(),
                sequences(self.data),
            ) {
                (Some(classify), ..) => classify.classify(rows),
                (_, Some(decode), Some(sequences)) => Ok(decode.viterbi(sequences)?.0),
                _ => self.refuse(metric),
            }
        })?;
        Ok(labels)
    }

    pub(crate) fn probabilities(&self, metric: Metric) -> Result<&Array2<f64>> {
        once(&self.probabilities, || {
            match (self.model.as_probabilities(), self.model.as_classify()) {
                (Some(model), Some(_)) => model.probabilities(rows_of(self.data)?),
                _ => self.refuse(metric),
            }
        })
    }

    /// How much each class is preferred: probabilities, or else decision scores.
    pub(crate) fn preferences(&self, metric: Metric) -> Result<&Array2<f64>> {
        if self.model.as_probabilities().is_some() {
            return self.probabilities(metric);
        }
        once(&self.scores, || {
            let scores = match self.model.as_scores() {
                Some(model) => model.scores(rows_of(self.data)?)?,
                None => return self.refuse(metric),
            };
            match scores.ncols() == self.n_classes() || self.n_classes() == 2 {
                true => Ok(scores),
                false => self.refuse(metric),
            }
        })
    }

    /// Measured and predicted targets.
    pub(crate) fn values(&self, metric: Metric) -> Result<(ArrayView2<'_, f64>, &Array2<f64>)> {
        let (Data::Measured(data), Some(model)) = (self.data, self.model.as_regress()) else {
            return self.refuse(metric);
        };
        let predicted = once(&self.values, || model.regress(data.samples.rows()))?;
        let truth = self
            .targets
            .get()
            .map_or(data.targets, |targets| targets.view());
        Ok((truth, predicted))
    }

    /// True classes beside which groups, whatever their numbers, can be put.
    pub(crate) fn groups_truth(&self, metric: Metric) -> Result<&[usize]> {
        if let Some(labels) = self.labels.get() {
            return Ok(labels);
        }
        match self.data {
            Data::Labelled(data) => Ok(data.labels),
            Data::LabelledSequences(data) => Ok(data.labels),
            _ => self.refuse(metric),
        }
    }

    /// The group of each row; noise is one more group of its own.
    pub(crate) fn groups(&self, metric: Metric) -> Result<&[usize]> {
        let groups = once(&self.groups, || {
            let rows = rows_of(self.data)?;
            let noise = rows.n_rows();
            match (
                self.model.as_assign(),
                self.model.as_decode(),
                sequences(self.data),
            ) {
                (Some(model), ..) => {
                    let groups = model.assign(rows)?.into_iter();
                    Ok(compact(groups.map(|group| group.unwrap_or(noise))))
                }
                (_, Some(model), Some(sequences)) => {
                    Ok(compact(model.viterbi(sequences)?.0.into_iter()))
                }
                _ => self.refuse(metric),
            }
        })?;
        Ok(groups)
    }

    /// Mean log-likelihood of a row.
    pub(crate) fn log_likelihood(&self, metric: Metric) -> Result<f64> {
        let parts = once(&self.likelihoods, || {
            match (
                self.model.as_sequence_likelihood(),
                sequences(self.data),
                self.model.as_log_density(),
            ) {
                (Some(model), Some(sequences), _) => model.log_likelihoods(sequences),
                (_, _, Some(model)) => Ok(model.log_density(rows_of(self.data)?)?.to_vec()),
                _ => self.refuse(metric),
            }
        })?;
        Ok(parts.iter().sum::<f64>() / self.n_rows as f64)
    }
}

fn pick(values: &[usize], rows: &[usize]) -> Vec<usize> {
    rows.iter().map(|&row| values[row]).collect()
}

fn rows_of<'b>(data: &'b Data<'_>) -> Result<Rows<'b>> {
    match data.samples() {
        Some(samples) => Ok(samples.rows()),
        None => Err(Error::unsupported("ratings have no rows to score")),
    }
}

/// The value of a cell, computed where it is empty.
fn once<T>(cell: &OnceCell<T>, compute: impl FnOnce() -> Result<T>) -> Result<&T> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = compute()?;
    Ok(cell.get_or_init(|| value))
}

fn sequences<'b, 'a>(data: &'b Data<'a>) -> Option<&'b Sequences<'a>> {
    match data {
        Data::Sequences(sequences) => Some(sequences),
        Data::LabelledSequences(data) => Some(&data.sequences),
        _ => None,
    }
}

/// Labels renumbered 0, 1, 2, … in order of appearance, so that tables of them stay small.
fn compact(labels: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut seen = std::collections::HashMap::new();
    labels
        .map(|label| {
            let next = seen.len();
            *seen.entry(label).or_insert(next)
        })
        .collect()
}
