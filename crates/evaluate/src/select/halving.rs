//! Successive halving: many candidates on few rows, few candidates on many.

use super::search::Search;
use crate::metric::Metric;
use crate::split::Split;
use crate::validation::MakeLearner;
use didact_core::{Data, Error, Result, Run};
use serde::Serialize;
use serde_json::{Map, Value};

/// The rounds of a successive halving.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Halving {
    /// The search of each round; the last has the winner.
    pub rounds: Vec<Search>,
    /// Largest number of training rows in each round.
    pub rows: Vec<usize>,
}

impl Halving {
    /// The parameters that won.
    pub fn best(&self) -> Option<&Map<String, Value>> {
        Some(&self.rounds.last()?.best_trial().parameters)
    }
}

/// Judges all candidates on few training rows, keeps the best 1/`factor` of them, gives those
/// `factor` times the rows, and so on until all rows train.
///
/// Test parts are the same in every round, so figures can be compared.
pub fn successive_halving(
    make: &MakeLearner<'_>,
    candidates: &[Map<String, Value>],
    data: &Data<'_>,
    splits: &[Split],
    factor: usize,
    run: &Run,
) -> Result<Halving> {
    let mut halving = Halving::default();
    halving.judge(make, candidates, data, splits, factor, &[], run, &|| ())?;
    Ok(halving)
}

/// Folds that halving will judge: what a progress bar counts.
pub fn halving_folds(n_candidates: usize, n_splits: usize, factor: usize) -> usize {
    let (mut left, mut folds) = (n_candidates, n_candidates);
    while left > 1 && factor > 1 {
        left = left.div_ceil(factor);
        folds += left;
    }
    folds * n_splits
}

impl Halving {
    /// The rounds of [`successive_halving`] by the first of the metrics, or by what suits where
    /// none is named. A run that is cancelled leaves the rounds that were finished; `done` hears
    /// of each finished fold.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are those of `successive_halving`"
    )]
    pub fn judge(
        &mut self,
        make: &MakeLearner<'_>,
        candidates: &[Map<String, Value>],
        data: &Data<'_>,
        splits: &[Split],
        factor: usize,
        metrics: &[Metric],
        run: &Run,
        done: &(dyn Fn() + Sync),
    ) -> Result<()> {
        self.check(factor, candidates, splits)?;
        let mut n_rounds = 1;
        let mut left = candidates.len();
        while left > 1 {
            left = left.div_ceil(factor);
            n_rounds += 1;
        }
        let mut alive = candidates.to_vec();
        for round in 0..n_rounds {
            let share = (factor as f64).powi(round - n_rounds + 1);
            let shorter: Vec<Split> = splits.iter().map(|split| thinned(split, share)).collect();
            let mut found = Search::new();
            found.judge(make, &alive, data, &shorter, metrics, run, done)?;
            found.settle()?;
            alive = best_of(&found, alive.len().div_ceil(factor));
            let rows = shorter.iter().map(|split| split.train.len()).max();
            self.rows.push(rows.unwrap_or(0));
            self.rounds.push(found);
        }
        Ok(())
    }

    fn check(
        &self,
        factor: usize,
        candidates: &[Map<String, Value>],
        splits: &[Split],
    ) -> Result<()> {
        if factor < 2 {
            return Err(Error::parameter("factor", factor, "it must be at least 2"));
        }
        match candidates.is_empty() || splits.is_empty() {
            true => Err(Error::data(
                "halving needs at least one candidate and one split",
            )),
            false => Ok(()),
        }
    }
}

/// A share of the training rows, evenly spaced.
fn thinned(split: &Split, share: f64) -> Split {
    let keep = ((split.train.len() as f64 * share).round() as usize).clamp(1, split.train.len());
    let row = |place: usize| split.train[place * split.train.len() / keep];
    Split {
        train: (0..keep).map(row).collect(),
        test: split.test.clone(),
    }
}

fn best_of(found: &Search, keep: usize) -> Vec<Map<String, Value>> {
    let judged = |place: &usize| found.trials[*place].test.is_ok();
    let places = found.ranking().into_iter().filter(judged).take(keep);
    places
        .map(|place| found.trials[place].parameters.clone())
        .collect()
}
