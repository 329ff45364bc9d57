//! The search for a graph of high score by small steps.

use super::FamilyScores;
use super::walk::{Move, Walk};
use didact_core::random::generator;
use didact_core::{Result, Run, StopReason, Trace, TraceWriter};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most random changes before a restart: enough to leave a summit, few enough to be repaired soon.
const CHANGES: usize = 16;

/// Changes of the score that are nothing but rounding, relative to the score.
const ROUNDING: f64 = 1e-10;

/// Adds, deletes or turns one arrow after the other, always the one that raises the BIC score most.
///
/// On a summit it goes on for a few steps, down if need be, without touching the arrows it has
/// just changed (a tabu list), and may restart from the best graph after random changes. The best
/// graph seen is the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HillClimb {
    /// Most parents of a node; none for no limit but the score.
    pub max_parents: Option<usize>,
    /// Most steps.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// How many steps without a better graph are made before giving up, and for how many steps a
    /// pair of nodes is left alone once its arrow was changed.
    pub tabu_length: usize,
    /// How often to start again from the best graph after random changes.
    pub n_restarts: usize,
    /// Seed of the random changes.
    pub random_state: u64,
}

impl Default for HillClimb {
    fn default() -> Self {
        HillClimb {
            max_parents: None,
            max_iter: 10_000,
            tabu_length: 10,
            n_restarts: 20,
            random_state: 0,
        }
    }
}

/// A search in progress.
struct Search<'a, 'b> {
    parameters: &'a HillClimb,
    scores: &'a FamilyScores<'b>,
    run: &'a Run,
    best: Vec<Vec<usize>>,
    best_score: f64,
    trace: TraceWriter<'a>,
}

impl HillClimb {
    /// The parents of each node in the best graph found, and the best score after every step.
    pub fn search(&self, scores: &FamilyScores<'_>, run: &Run) -> Result<(Vec<Vec<usize>>, Trace)> {
        didact_core::parameters::check(self)?;
        let start = Walk::new(
            scores,
            vec![Vec::new(); scores.n_nodes()],
            self.limit(),
            run,
        )?;
        let mut search = Search {
            parameters: self,
            scores,
            run,
            best: start.parents.clone(),
            best_score: start.score,
            trace: TraceWriter::new(run, "BIC score", Some(self.max_iter)),
        };
        let mut stop = search.climb(start)?;
        for restart in 0..self.n_restarts {
            if stop == StopReason::IterationLimit {
                break;
            }
            let shaken = search.shaken(restart as u64)?;
            stop = search.climb(shaken)?;
        }
        Ok((search.best, search.trace.finish(stop)))
    }

    fn limit(&self) -> usize {
        self.max_parents.unwrap_or(usize::MAX)
    }
}

impl Search<'_, '_> {
    /// Climbs from a graph until no better one has been found for a while.
    fn climb(&mut self, mut walk: Walk) -> Result<StopReason> {
        let patience = self.parameters.tabu_length;
        let mut recent: Vec<(usize, usize)> = Vec::new();
        let mut stale = 0;
        loop {
            let Some(step) = self.next(&walk, &recent) else {
                return Ok(StopReason::Converged);
            };
            let rises = step.gain > self.rounding();
            if !rises && stale >= patience {
                return Ok(StopReason::Converged);
            }
            if self.trace.n_iter() >= self.parameters.max_iter {
                return Ok(StopReason::IterationLimit);
            }
            walk.apply(self.scores, step, self.run)?;
            recent.push(pair(&step));
            if recent.len() > patience {
                recent.remove(0);
            }
            stale += 1;
            if walk.score > self.best_score + self.rounding() {
                self.best.clone_from(&walk.parents);
                self.best_score = walk.score;
                stale = 0;
            }
            self.trace.record(self.best_score)?;
        }
    }

    /// The change of highest gain among those that are not tabu; a tabu is lifted for what would
    /// be better than everything so far.
    fn next(&self, walk: &Walk, recent: &[(usize, usize)]) -> Option<Move> {
        let bar = self.best_score + self.rounding();
        let mut best: Option<Move> = None;
        walk.for_each_move(|step| {
            let is_free = walk.score + step.gain > bar || !recent.contains(&pair(&step));
            if is_free && best.is_none_or(|best| step.gain > best.gain) {
                best = Some(step);
            }
        });
        best
    }

    /// The best graph after as many random changes as it has nodes, within a limit.
    fn shaken(&self, restart: u64) -> Result<Walk> {
        let mut generator = generator(self.parameters.random_state, restart);
        let limit = self.parameters.limit();
        let mut walk = Walk::new(self.scores, self.best.clone(), limit, self.run)?;
        for _ in 0..walk.parents.len().min(CHANGES) {
            let mut steps = Vec::new();
            walk.for_each_move(|step| steps.push(step));
            if steps.is_empty() {
                break;
            }
            let chosen = steps[generator.random_range(0..steps.len())];
            walk.apply(self.scores, chosen, self.run)?;
        }
        Ok(walk)
    }

    fn rounding(&self) -> f64 {
        ROUNDING * (1.0 + self.best_score.abs())
    }
}

fn pair(step: &Move) -> (usize, usize) {
    (step.parent.min(step.child), step.parent.max(step.child))
}
