//! Trying candidates and keeping the best.

use crate::cross_validate::{CrossValidation, Scoring, cross_validate_by};
use crate::metric::Metric;
use crate::split::Split;
use crate::validation::{MakeLearner, Spread};
use didact_core::{AnyModel, Data, Error, Result, Run};
use serde::Serialize;
use serde_json::{Map, Value};

/// One candidate and how it did.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// The parameters that were set.
    pub parameters: Map<String, Value>,
    /// The figure on the held-out rows of each split, or why the candidate could not be judged.
    pub test: Result<Spread, String>,
    /// The figure on the rows that trained.
    pub train: Option<Spread>,
    /// Mean seconds per fit.
    pub fit_seconds: f64,
}

/// What a search found.
#[derive(Clone, Debug, Serialize)]
pub struct Search {
    /// The metric, the first that suits model and data.
    pub metric: &'static str,
    /// Whether larger is better.
    pub higher_is_better: bool,
    /// Every candidate in the order given.
    pub trials: Vec<Trial>,
    /// The place of the best; the first of equals.
    pub best: usize,
}

impl Default for Search {
    fn default() -> Self {
        Search::new()
    }
}

/// Judges every candidate on the same splits and picks the best mean test figure.
///
/// One split gives the cheap search on a validation set, several give cross-validation. A
/// candidate that fails is kept with its message; only where all fail the search does.
pub fn search(
    make: &MakeLearner<'_>,
    candidates: &[Map<String, Value>],
    data: &Data<'_>,
    splits: &[Split],
    run: &Run,
    done: &(dyn Fn() + Sync),
) -> Result<Search> {
    let mut found = Search::new();
    found.judge(make, candidates, data, splits, &[], run, done)?;
    found.settle()?;
    Ok(found)
}

impl Search {
    /// A search that has tried nothing yet.
    pub fn new() -> Self {
        Search {
            metric: "",
            higher_is_better: true,
            trials: Vec::new(),
            best: 0,
        }
    }

    /// Judges more candidates by the first of the metrics, or by what suits where none is named.
    ///
    /// A run that is cancelled leaves the trials that were finished; [`Search::settle`] then
    /// finds the best of those. `done` hears of each finished fold.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are those of `search` and the metrics"
    )]
    pub fn judge(
        &mut self,
        make: &MakeLearner<'_>,
        candidates: &[Map<String, Value>],
        data: &Data<'_>,
        splits: &[Split],
        metrics: &[Metric],
        run: &Run,
        done: &(dyn Fn() + Sync),
    ) -> Result<()> {
        let scoring = Scoring {
            metrics: metrics.to_vec(),
            on_training: true,
        };
        for parameters in candidates {
            run.check()?;
            let judged = make(parameters).and_then(|learner| {
                let learner = learner.as_ref();
                cross_validate_by(learner, data, splits, &scoring, run, &|_, _| done())
            });
            match judged {
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => self.trials.push(Trial {
                    parameters: parameters.clone(),
                    test: Err(error.to_string()),
                    train: None,
                    fit_seconds: 0.0,
                }),
                Ok(judged) => self.keep(parameters.clone(), &judged)?,
            }
        }
        Ok(())
    }

    /// Finds the best of the trials.
    pub fn settle(&mut self) -> Result<()> {
        self.best = self.best_place()?;
        Ok(())
    }

    /// The places of the trials, best first; those that failed are last.
    pub fn ranking(&self) -> Vec<usize> {
        let sign = if self.higher_is_better { 1.0 } else { -1.0 };
        let value = |place: &usize| match &self.trials[*place].test {
            Ok(spread) => sign * spread.mean,
            Err(_) => f64::NEG_INFINITY,
        };
        let mut places: Vec<usize> = (0..self.trials.len()).collect();
        places.sort_by(|left, right| value(right).total_cmp(&value(left)));
        places
    }

    /// The best candidate.
    pub fn best_trial(&self) -> &Trial {
        &self.trials[self.best]
    }

    /// Fits the best candidate on all the data.
    pub fn refit(
        &self,
        make: &MakeLearner<'_>,
        data: Data<'_>,
        run: &Run,
    ) -> Result<Box<dyn AnyModel>> {
        make(&self.best_trial().parameters)?.fit(data, run)
    }

    fn keep(&mut self, parameters: Map<String, Value>, judged: &CrossValidation) -> Result<()> {
        let Some(figure) = judged.folds.first().and_then(|fold| fold.figures.first()) else {
            return Err(Error::data(
                "there are no splits to judge by; give at least one",
            ));
        };
        self.metric = figure.metric;
        self.higher_is_better = figure.higher_is_better;
        let train: Vec<f64> = judged
            .folds
            .iter()
            .filter_map(|fold| fold.train_figures.first().map(|figure| figure.value))
            .collect();
        self.trials.push(Trial {
            parameters,
            test: Spread::of(&judged.values(figure.metric)).map_err(|error| error.to_string()),
            train: Spread::of(&train).ok(),
            fit_seconds: judged.fit_seconds(),
        });
        Ok(())
    }

    fn best_place(&self) -> Result<usize> {
        let sign = if self.higher_is_better { 1.0 } else { -1.0 };
        let scores = self.trials.iter().map(|trial| match &trial.test {
            Ok(spread) => sign * spread.mean,
            Err(_) => f64::NAN,
        });
        didact_math::numeric::argmax(scores).ok_or_else(|| {
            let first = self
                .trials
                .first()
                .and_then(|trial| trial.test.as_ref().err());
            let reason = first.map_or("there are none", String::as_str);
            Error::data(format!("no candidate could be judged: {reason}"))
        })
    }
}
