//! The quadratic program that all kernel machines share, and its solution.
//!
//! Sequential minimal optimisation: the pair of multipliers that promises most, by second-order
//! information (Fan, Chen and Lin), moves to its best values; then the next pair. The partner
//! changes from step to step; with a partner that is always the same the ascent gets stuck.

mod pass;
mod polish;
mod search;
mod state;

use crate::gram::Gram;
use didact_core::{Error, Result, Run, Trace};

/// min ½βᵀKβ + Σ slope·β over multipliers between their limits, one for each point and side.
///
/// The total β of a point is the sum over its sides. Steps keep the sum of all multipliers, or that
/// of each side where the sides are apart.
pub(crate) struct Program {
    pub(crate) sides: Vec<Side>,
    pub(crate) are_apart: bool,
    pub(crate) goal: Goal,
    pub(crate) effort: Effort,
}

/// The multipliers of one side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    pub(crate) slope: Vec<f64>,
    pub(crate) low: Vec<f64>,
    pub(crate) high: Vec<f64>,
    pub(crate) start: Vec<f64>,
}

/// How the search is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Whether points that will not move are set aside.
    pub(crate) shrinking: bool,
    /// At most this many steps are made; absent, their number grows with that of the points.
    pub(crate) max_iter: Option<usize>,
}

impl Effort {
    /// The most steps for so many points.
    pub(crate) fn limit(&self, n_points: usize) -> usize {
        self.max_iter.unwrap_or(1_000 * n_points.max(100))
    }
}

/// When a solution is good enough, and when there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// No pair promises a steeper descent than this.
    Slope(f64),
    /// No pair promises a steeper descent than this share of the objective; where the objective
    /// falls to the floor there is no solution.
    Share {
        /// The share.
        tol: f64,
        /// The floor.
        floor: f64,
    },
    /// As [`Goal::Slope`]; where −Σ slope·β exceeds so many times √(βᵀKβ) there is no solution.
    Bounded {
        /// The steepest descent that is left.
        tol: f64,
        /// The multiple.
        steepest: f64,
    },
}

/// What was found.
pub(crate) struct Solution {
    /// The multipliers of each side.
    pub(crate) multipliers: Vec<Vec<f64>>,
    /// Kβ at every point.
    pub(crate) scores: Vec<f64>,
    /// For each side, or for all together, what free multipliers have in common: −(Kβ + slope).
    pub(crate) levels: Vec<f64>,
    /// The steepest descent that a pair still promises.
    pub(crate) violation: f64,
    /// The steps that were made.
    pub(crate) steps: usize,
    /// The dual objective on the way.
    pub(crate) trace: Trace,
}

impl Solution {
    /// The total multiplier of each point.
    pub(crate) fn totals(&self) -> Vec<f64> {
        let sum = |point: usize| self.multipliers.iter().map(|side| side[point]).sum();
        (0..self.scores.len()).map(sum).collect()
    }

    /// Multiplies multipliers and scores.
    pub(crate) fn scale(&mut self, factor: f64) {
        let numbers = self.multipliers.iter_mut().flatten();
        numbers
            .chain(&mut self.scores)
            .for_each(|number| *number *= factor);
    }
}

/// The search ended, or showed that there is nothing to be found.
pub(crate) enum Outcome {
    /// This was found.
    Solved(Solution),
    /// The program has no solution, or none that numbers of this precision could tell.
    Impossible,
}

/// Finds the multipliers.
pub(crate) fn solve(program: &Program, gram: &mut Gram<'_>, run: &Run) -> Result<Outcome> {
    search::Search::new(program, gram, run)?.run()
}

/// The sums of the solver overflow: what to do about it.
pub(crate) fn overflow() -> Error {
    Error::numerical(
        "the multipliers of some rows overflow; \
         divide the columns by a power of ten so that their values are near one",
    )
}

impl Side {
    /// Adds a multiplier, which starts at zero.
    pub(crate) fn push(&mut self, slope: f64, low: f64, high: f64) {
        self.slope.push(slope);
        self.low.push(low);
        self.high.push(high);
        self.start.push(0.0);
    }

    /// Raises multipliers from the first on to their upper limits until they have this sum.
    pub(crate) fn start_with_sum(&mut self, sum: f64) {
        let mut rest = sum;
        for (start, &high) in self.start.iter_mut().zip(&self.high) {
            *start = rest.min(high);
            rest -= *start;
        }
    }

    /// Lowers multipliers from the first on to their lower limits until they have minus this sum.
    pub(crate) fn start_with_debt(&mut self, sum: f64) {
        let mut rest = sum;
        for (start, &low) in self.start.iter_mut().zip(&self.low) {
            *start = -rest.min(-low);
            rest += *start;
        }
    }
}
