//! Cross-validation: every row is judged by a model that has not seen it.

use crate::score::{Figure, score};
use crate::split::Split;
use crate::subset::Subset;
use didact_core::{Data, Learner, Result, Run, parallel};
use serde::Serialize;
use std::time::Instant;

/// What one fold showed.
#[derive(Clone, Debug, Serialize)]
pub struct Fold {
    /// The figures on the rows that were held out.
    pub figures: Vec<Figure>,
    /// Seconds spent fitting.
    pub fit_seconds: f64,
    /// Seconds spent predicting and scoring.
    pub score_seconds: f64,
}

/// What all folds showed.
#[derive(Clone, Debug, Serialize)]
pub struct CrossValidation {
    /// One entry per fold.
    pub folds: Vec<Fold>,
}

/// Mean and spread of a figure over the folds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The name of the metric.
    pub metric: &'static str,
    /// Whether larger is better.
    pub higher_is_better: bool,
    /// Mean over the folds.
    pub mean: f64,
    /// Standard deviation over the folds (divisor k − 1).
    pub spread: f64,
}

/// Fits and scores the learner once per split. Everything the learner does, preprocessing steps
/// included, is fitted anew on each training part, so nothing leaks from the test part.
///
/// Folds run in parallel; `done` hears of each finished one.
pub fn cross_validate(
    learner: &dyn Learner,
    data: &Data<'_>,
    splits: &[Split],
    run: &Run,
    done: &(dyn Fn() + Sync),
) -> Result<CrossValidation> {
    let quiet = run.quietly();
    let one = |split: &Split| {
        let fold = judge(learner, data, split, &quiet)?;
        done();
        Ok(fold)
    };
    let folds = run.install(|| parallel::map(splits, run, one))?;
    Ok(CrossValidation { folds })
}

fn judge(learner: &dyn Learner, data: &Data<'_>, split: &Split, run: &Run) -> Result<Fold> {
    let train = Subset::new(data, &split.train)?;
    let test = Subset::new(data, &split.test)?;
    let start = Instant::now();
    let model = learner.fit(train.data()?, run)?;
    let fit_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let figures = score(model.as_ref(), &test.data()?)?;
    Ok(Fold {
        figures,
        fit_seconds,
        score_seconds: start.elapsed().as_secs_f64(),
    })
}

impl CrossValidation {
    /// Mean and spread of every figure, in the order of [`score`].
    pub fn summaries(&self) -> Vec<Summary> {
        let Some(first) = self.folds.first() else {
            return Vec::new();
        };
        first
            .figures
            .iter()
            .map(|figure| {
                let values: Vec<f64> = self
                    .folds
                    .iter()
                    .filter_map(|fold| {
                        fold.figures
                            .iter()
                            .find(|other| other.metric == figure.metric)
                    })
                    .map(|figure| figure.value)
                    .collect();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                Summary {
                    metric: figure.metric,
                    higher_is_better: figure.higher_is_better,
                    mean,
                    spread: (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt(),
                }
            })
            .collect()
    }

    /// Mean seconds per fit.
    pub fn fit_seconds(&self) -> f64 {
        self.folds.iter().map(|fold| fold.fit_seconds).sum::<f64>() / self.folds.len().max(1) as f64
    }
}
