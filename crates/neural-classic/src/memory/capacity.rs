//! How many patterns a network can hold: an experiment.

use super::hopfield::{Hopfield, StorageRule};
use didact_core::random::{Generator, generator};
use didact_core::{Error, Fit, Result, Run, Samples, parallel};
use ndarray::Array2;
use rand::RngExt;

/// About this many random patterns per unit can be stored by the Hebbian rule before recall
/// breaks down.
pub const HEBBIAN_CAPACITY: f64 = 0.138;

/// Stores random patterns in a network and recalls from each of them: the overlap that is left
/// falls off a cliff near 0.138 patterns per unit for the Hebbian rule, and sooner for patterns
/// that are alike.
///
/// ```
/// use didact_core::Run;
/// use didact_neural_classic::CapacityExperiment;
/// let experiment = CapacityExperiment { n_units: 60, n_trials: 2, ..CapacityExperiment::default() };
/// let curve = experiment.run(&[2, 30], &Run::new())?;
/// assert!(curve[0].overlap > 0.99 && curve[1].overlap < 0.9);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CapacityExperiment {
    /// Units K of the network.
    pub n_units: usize,
    /// How patterns become weights, and how they are recalled.
    pub network: Hopfield,
    /// The mean of each unit over the patterns, from −1 to 1: zero makes independent patterns,
    /// other values patterns that are alike, with the overlap `bias`² on average.
    pub bias: f64,
    /// How many networks to try for each number of patterns.
    pub n_trials: usize,
    /// Seed of the patterns.
    pub random_state: u64,
}

/// What became of so many patterns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CapacityPoint {
    /// Patterns N in the network.
    pub n_patterns: usize,
    /// Patterns per unit, N/K.
    pub load: f64,
    /// The mean overlap of patterns with what was recalled from them; one is perfect.
    pub overlap: f64,
    /// The share of patterns that were recalled without an error.
    pub perfect: f64,
}

impl Default for CapacityExperiment {
    fn default() -> Self {
        CapacityExperiment {
            n_units: 100,
            network: Hopfield::default(),
            bias: 0.0,
            n_trials: 10,
            random_state: 0,
        }
    }
}

impl CapacityExperiment {
    /// The same experiment with patterns stored by another rule.
    pub fn with_rule(mut self, rule: StorageRule) -> Self {
        self.network.rule = rule;
        self
    }

    /// Runs the experiment for each number of patterns.
    pub fn run(&self, n_patterns: &[usize], run: &Run) -> Result<Vec<CapacityPoint>> {
        if self.n_units == 0 || self.n_trials == 0 || n_patterns.contains(&0) {
            return Err(Error::parameter(
                "n_units, n_trials or n_patterns",
                0,
                "each must be at least 1",
            ));
        }
        if !(-1.0..=1.0).contains(&self.bias) {
            return Err(Error::parameter(
                "bias",
                self.bias,
                "it must lie between -1 and 1",
            ));
        }
        let trials: Vec<(usize, usize)> = n_patterns
            .iter()
            .flat_map(|&count| (0..self.n_trials).map(move |trial| (count, trial)))
            .collect();
        let found = parallel::map(&trials, run, |&(count, trial)| {
            self.trial(count, &mut generator(self.random_state, trial as u64), run)
        })?;
        let points = n_patterns.iter().zip(found.chunks(self.n_trials));
        Ok(points
            .map(|(&count, trials)| self.point(count, trials))
            .collect())
    }

    /// The sum of the overlaps and the number of perfect recalls of one network.
    fn trial(&self, count: usize, generator: &mut Generator, run: &Run) -> Result<(f64, usize)> {
        let likely = (1.0 + self.bias) / 2.0;
        let patterns = Array2::from_shape_fn((count, self.n_units), |_| {
            if generator.random::<f64>() < likely {
                1.0
            } else {
                -1.0
            }
        });
        let memory = self.network.fit_with(Samples::from(&patterns), run)?;
        let (mut total, mut perfect) = (0.0, 0);
        for pattern in patterns.rows() {
            run.check()?;
            let cue = pattern.as_slice().expect("patterns are contiguous");
            let overlap = memory.recall(cue)?.state.dot(&pattern) / self.n_units as f64;
            total += overlap;
            perfect += usize::from(overlap == 1.0);
        }
        Ok((total, perfect))
    }

    fn point(&self, count: usize, trials: &[(f64, usize)]) -> CapacityPoint {
        let recalls = (count * trials.len()) as f64;
        CapacityPoint {
            n_patterns: count,
            load: count as f64 / self.n_units as f64,
            overlap: trials.iter().map(|(total, _)| total).sum::<f64>() / recalls,
            perfect: trials.iter().map(|(_, perfect)| perfect).sum::<usize>() as f64 / recalls,
        }
    }
}
