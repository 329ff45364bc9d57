//! Ways of exploring, tried side by side.

use super::{Exploration, QLearning, RunningMean};
use crate::Environment;
use didact_core::{Error, Fit, Result, Run, parallel};

/// How a way of exploring did.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplorationScore {
    /// The way of exploring.
    pub exploration: Exploration,
    /// The return of each episode, averaged over the repetitions: the learning curve.
    pub curve: Vec<f64>,
    /// The mean return of an episode.
    pub mean_return: f64,
    /// Its standard error over the repetitions, infinite for a single one.
    pub standard_error: f64,
}

impl ExplorationScore {
    /// What was missed, altogether up to each episode, by not earning `best` in every one.
    pub fn regret(&self, best: f64) -> Vec<f64> {
        let mut total = 0.0;
        let missed = self.curve.iter().map(|earned| {
            total += best - earned;
            total
        });
        missed.collect()
    }
}

/// Lets Q-learning try several ways of exploring, each `n_repeats` times with other seeds, and
/// compares what they earned while learning: too little exploration gets stuck, too much costs.
///
/// ```
/// use didact_core::{Decisions, Outcome, Run};
/// use didact_reinforcement::{
///     DecisionProcess, Exploration, QLearning, Simulator, compare_explorations,
/// };
/// let on = |reward| vec![Outcome { state: 1, probability: 1.0, reward }];
/// let world = Decisions::new(vec![vec![on(1.0), on(2.0)], vec![]])?;
/// let process = DecisionProcess::new(&world)?;
/// let learner = QLearning { n_episodes: 100, ..QLearning::default() };
/// let candidates = [Exploration::epsilon(0.0), Exploration::epsilon(0.1)];
/// let start = || Simulator::new(&process, 0);
/// let scores = compare_explorations(&learner, &candidates, start, 20, &Run::new())?;
/// // The greedy one stays with what it tried first.
/// assert!(scores[1].mean_return > scores[0].mean_return);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn compare_explorations<E: Environment>(
    learner: &QLearning,
    candidates: &[Exploration],
    environment: impl Fn() -> Result<E> + Sync + Send,
    n_repeats: usize,
    run: &Run,
) -> Result<Vec<ExplorationScore>> {
    if n_repeats == 0 {
        return Err(Error::parameter(
            "n_repeats",
            n_repeats,
            "it must be at least 1",
        ));
    }
    let quiet = run.quietly();
    let one = |exploration: &Exploration| {
        let mut curves = vec![RunningMean::default(); learner.n_episodes];
        let mut means = RunningMean::default();
        for repeat in 0..n_repeats {
            let learner = QLearning {
                exploration: *exploration,
                random_state: learner.random_state.wrapping_add(repeat as u64),
                ..learner.clone()
            };
            let mut trial = environment()?;
            let trial: &mut dyn Environment = &mut trial;
            let learned = learner.fit_with(trial, &quiet)?;
            let returns = learned.episode_returns();
            means.observe(returns.iter().sum::<f64>() / returns.len() as f64);
            for (mean, &earned) in curves.iter_mut().zip(returns) {
                mean.observe(earned);
            }
        }
        Ok(ExplorationScore {
            exploration: *exploration,
            curve: curves.iter().map(RunningMean::mean).collect(),
            mean_return: means.mean(),
            standard_error: means.standard_error(),
        })
    };
    parallel::map(candidates, run, one)
}
