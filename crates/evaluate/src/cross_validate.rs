//! Cross-validation: every row is judged by a model that has not seen it.

use crate::metric::Metric;
use crate::score::{Figure, score_by};
use crate::split::Split;
use crate::subset::Subset;
use crate::validation::Spread;
use didact_core::{Data, Learner, Result, Run, parallel};
use serde::Serialize;
use std::time::Instant;

/// What one fold showed.
#[derive(Clone, Debug, Serialize)]
pub struct Fold {
    /// The figures on the rows that were held out.
    pub figures: Vec<Figure>,
    /// The figures on the rows that trained; empty where nobody asked for them.
    pub train_figures: Vec<Figure>,
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
    /// Standard deviation over the folds (divisor k − 1); large where the structure of the data
    /// was not caught.
    pub spread: f64,
    /// The worst or best fold, whichever is smaller.
    pub least: f64,
    /// A quarter of the folds are below.
    pub lower_quartile: f64,
    /// Half of the folds are below.
    pub median: f64,
    /// Three quarters of the folds are below.
    pub upper_quartile: f64,
    /// The largest value of a fold.
    pub largest: f64,
}

/// How each fold is judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scoring {
    /// The figures, the first of which is compared by; those that suit where none is named.
    pub metrics: Vec<Metric>,
    /// Whether models are also judged on the rows that trained them, which is how over-fitting
    /// shows.
    pub on_training: bool,
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
    cross_validate_by(learner, data, splits, &Scoring::default(), run, &|_, _| {
        done()
    })
}

/// [`cross_validate`] that also judges each model on the rows that trained it, which is how
/// over-fitting shows.
pub fn cross_validate_both(
    learner: &dyn Learner,
    data: &Data<'_>,
    splits: &[Split],
    run: &Run,
    done: &(dyn Fn() + Sync),
) -> Result<CrossValidation> {
    let scoring = Scoring {
        on_training: true,
        ..Scoring::default()
    };
    cross_validate_by(learner, data, splits, &scoring, run, &|_, _| done())
}

/// [`cross_validate`] by chosen figures. `done` hears of each finished fold and its number as
/// soon as it is there, so that a run that is cancelled leaves what it has found.
pub fn cross_validate_by(
    learner: &dyn Learner,
    data: &Data<'_>,
    splits: &[Split],
    scoring: &Scoring,
    run: &Run,
    done: &(dyn Fn(usize, &Fold) + Sync),
) -> Result<CrossValidation> {
    let quiet = run.quietly();
    let one = |&number: &usize| {
        let fold = judge(learner, data, &splits[number], scoring, &quiet)?;
        done(number, &fold);
        Ok(fold)
    };
    let numbers: Vec<usize> = (0..splits.len()).collect();
    let folds = run.install(|| parallel::map(&numbers, run, one))?;
    Ok(CrossValidation { folds })
}

fn judge(
    learner: &dyn Learner,
    data: &Data<'_>,
    split: &Split,
    scoring: &Scoring,
    run: &Run,
) -> Result<Fold> {
    let train = Subset::new(data, &split.train)?;
    let test = Subset::new(data, &split.test)?;
    let start = Instant::now();
    let model = learner.fit(train.data()?, run)?;
    let fit_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let figures = score_by(model.as_ref(), &test.data()?, &scoring.metrics)?;
    let score_seconds = start.elapsed().as_secs_f64();
    let train_figures = match scoring.on_training {
        true => score_by(model.as_ref(), &train.data()?, &scoring.metrics)?,
        false => Vec::new(),
    };
    Ok(Fold {
        figures,
        train_figures,
        fit_seconds,
        score_seconds,
    })
}

impl CrossValidation {
    /// Mean and spread of every figure, in the order of [`crate::score()`].
    pub fn summaries(&self) -> Vec<Summary> {
        let Some(first) = self.folds.first() else {
            return Vec::new();
        };
        first
            .figures
            .iter()
            .filter_map(|figure| {
                let spread = Spread::of(&self.values(figure.metric)).ok()?;
                Some(Summary {
                    metric: figure.metric,
                    higher_is_better: figure.higher_is_better,
                    mean: spread.mean,
                    spread: spread.deviation,
                    least: spread.least,
                    lower_quartile: spread.lower_quartile,
                    median: spread.median,
                    upper_quartile: spread.upper_quartile,
                    largest: spread.largest,
                })
            })
            .collect()
    }

    /// The value of a metric in each fold that has it.
    pub fn values(&self, metric: &str) -> Vec<f64> {
        let of_fold = |fold: &Fold| {
            let figure = fold.figures.iter().find(|figure| figure.metric == metric)?;
            Some(figure.value)
        };
        self.folds.iter().filter_map(of_fold).collect()
    }

    /// Mean seconds per fit.
    pub fn fit_seconds(&self) -> f64 {
        self.mean_of(|fold| fold.fit_seconds)
    }

    /// Mean seconds spent predicting and scoring.
    pub fn score_seconds(&self) -> f64 {
        self.mean_of(|fold| fold.score_seconds)
    }

    fn mean_of(&self, seconds: impl Fn(&Fold) -> f64) -> f64 {
        self.folds.iter().map(seconds).sum::<f64>() / self.folds.len().max(1) as f64
    }
}
