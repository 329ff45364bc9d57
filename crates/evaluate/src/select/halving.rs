//! Successive halving: many candidates on few rows, few candidates on many.

use super::search::{Search, search};
use crate::split::Split;
use crate::validation::MakeLearner;
use didact_core::{Data, Error, Result, Run};
use serde::Serialize;
use serde_json::{Map, Value};

/// The rounds of a successive halving.
#[derive(Clone, Debug, Serialize)]
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
    if factor < 2 {
        return Err(Error::parameter("factor", factor, "it must be at least 2"));
    }
    if candidates.is_empty() || splits.is_empty() {
        return Err(Error::data(
            "halving needs at least one candidate and one split",
        ));
    }
    let mut n_rounds = 1;
    let mut left = candidates.len();
    while left > 1 {
        left = left.div_ceil(factor);
        n_rounds += 1;
    }
    let mut halving = Halving {
        rounds: Vec::new(),
        rows: Vec::new(),
    };
    let mut alive = candidates.to_vec();
    for round in 0..n_rounds {
        let share = (factor as f64).powi(round - n_rounds + 1);
        let shorter: Vec<Split> = splits.iter().map(|split| thinned(split, share)).collect();
        let found = search(make, &alive, data, &shorter, run, &|| ())?;
        alive = best_of(&found, alive.len().div_ceil(factor));
        halving.rows.push(
            shorter
                .iter()
                .map(|split| split.train.len())
                .max()
                .unwrap_or(0),
        );
        halving.rounds.push(found);
    }
    Ok(halving)
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
    let sign = if found.higher_is_better { 1.0 } else { -1.0 };
    let mut judged: Vec<(f64, usize)> = found
        .trials
        .iter()
        .enumerate()
        .filter_map(|(place, trial)| Some((sign * trial.test.as_ref().ok()?.mean, place)))
        .collect();
    judged.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    judged.truncate(keep);
    judged
        .iter()
        .map(|&(_, place)| found.trials[place].parameters.clone())
        .collect()
}
