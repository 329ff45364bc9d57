//! Smooth losses with absolute prices on the weights: minima with exact zeros.
//!
//! A proximal Newton method: the losses are replaced by their second-order model, the model plus
//! the prices is minimised coordinate by coordinate, where each coordinate has its best value in
//! closed form, and a line search on the true objective says how far to go. With few columns the
//! model is a small matrix of second derivatives; with many, columns are read one by one.

mod columns;
mod model;

pub(crate) use columns::Columns;

use crate::separators::overflow;
use didact_core::{Result, Run, StopReason, TraceWriter};
use didact_math::numeric::softplus;

/// The share of the promised decrease that a step must keep.
const HONESTY: f64 = 0.01;

/// What sums of losses lose to rounding.
const ROUNDING: f64 = 1e-14;

/// Gaps above this share of the objective are no matter of rounding.
pub(crate) const FLAT: f64 = 1e-7;

/// How many steps in a row may fail to halve the gap.
const PATIENCE: usize = 12;

/// Counts the steps since the gap was last halved.
#[derive(Default)]
pub(crate) struct Progress {
    best: Option<f64>,
    idle: usize,
}

impl Progress {
    /// Takes note of a gap; whether rounding is all that is left to fight.
    pub(crate) fn is_over(&mut self, gap: f64) -> bool {
        match self.best {
            Some(best) if gap > 0.5 * best => self.idle += 1,
            _ => {
                self.best = Some(gap);
                self.idle = 0;
            }
        }
        self.idle >= PATIENCE
    }
}

/// What a row costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointLoss {
    /// ln(1 + e⁻ᶻ).
    Logistic,
    /// max(1 − z, 0)².
    SquaredHinge,
}

/// min Σ c·loss(y·(w·x − offset)) + p‖w‖₁ + q/2‖w‖², with a price of its own for the intercept,
/// which is the weight of the constant feature and comes last.
pub(crate) struct SparseProblem<'a, 'b> {
    pub(crate) columns: &'a Columns<'b>,
    /// The constant feature of every row; zero where there is no intercept.
    pub(crate) constant: f64,
    pub(crate) loss: PointLoss,
    /// The class of each row, and which of them is y = +1; the others are −1.
    pub(crate) places: &'a [usize],
    pub(crate) positive: usize,
    /// How much each row costs.
    pub(crate) counts: &'a [f64],
    /// What is taken from each score.
    pub(crate) offsets: Option<Vec<f64>>,
    pub(crate) absolute: f64,
    pub(crate) absolute_of_intercept: f64,
    pub(crate) squared: f64,
}

/// Where the search stands.
pub(crate) struct State {
    pub(crate) weights: Vec<f64>,
    /// w·x of every row, without the offset.
    pub(crate) scores: Vec<f64>,
    pub(crate) objective: f64,
}

pub(crate) struct Solution {
    pub(crate) weights: Vec<f64>,
    pub(crate) objective: f64,
    pub(crate) gap: f64,
    pub(crate) objectives: Vec<f64>,
    pub(crate) stop: StopReason,
}

/// The derivatives of the losses by the scores, and by the weights.
struct Slopes {
    of_scores: Vec<f64>,
    bends: Vec<f64>,
    of_weights: Vec<f64>,
}

impl SparseProblem<'_, '_> {
    /// Solves the problem until the duality gap is below `tol` times the objective.
    pub(crate) fn solve(
        &self,
        start: Vec<f64>,
        tol: f64,
        max_iter: usize,
        run: &Run,
    ) -> Result<Solution> {
        let mut trace = TraceWriter::new(run, "penalised loss", Some(max_iter));
        let mut state = self.state(start, run)?;
        let mut progress = Progress::default();
        let (stop, gap) = loop {
            let slopes = self.slopes(&state, run)?;
            let gap = self.gap(&state, &slopes);
            if gap <= tol * state.objective.abs().max(f64::MIN_POSITIVE) {
                break (StopReason::Converged, gap);
            }
            if trace.n_iter() == max_iter {
                break (StopReason::IterationLimit, gap);
            }
            let is_flat = gap <= FLAT * state.objective.abs() && progress.is_over(gap);
            if is_flat || !self.improve(&mut state, &slopes, run)? {
                break (StopReason::Stalled, gap);
            }
            trace.record(state.objective)?;
        };
        Ok(Solution {
            weights: state.weights,
            objective: state.objective,
            gap,
            objectives: trace.finish(stop).objectives,
            stop,
        })
    }

    /// One step; false where floating point allows none.
    pub(crate) fn step(&self, state: &mut State, run: &Run) -> Result<bool> {
        let slopes = self.slopes(state, run)?;
        self.improve(state, &slopes, run)
    }

    pub(crate) fn state(&self, weights: Vec<f64>, run: &Run) -> Result<State> {
        let scores = self.columns.scores(&weights, self.constant, run)?;
        let objective = self.value(scores.iter().copied(), &weights);
        if !objective.is_finite() {
            return Err(overflow());
        }
        Ok(State {
            weights,
            scores,
            objective,
        })
    }

    /// The price of each weight for its absolute value.
    #[inline]
    fn price(&self, j: usize) -> f64 {
        match j == self.columns.n_columns() {
            true => self.absolute_of_intercept,
            false => self.absolute,
        }
    }

    /// The price of each weight for half its square.
    #[inline]
    fn squared_price(&self, j: usize) -> f64 {
        match j == self.columns.n_columns() {
            true => 0.0,
            false => self.squared,
        }
    }

    #[inline]
    fn sign(&self, row: usize) -> f64 {
        match self.places[row] == self.positive {
            true => 1.0,
            false => -1.0,
        }
    }

    fn margin(&self, row: usize, score: f64) -> f64 {
        let offset = self.offsets.as_ref().map_or(0.0, |offsets| offsets[row]);
        self.sign(row) * (score - offset)
    }

    fn penalty(&self, weights: &[f64]) -> f64 {
        let each = weights.iter().enumerate();
        each.map(|(j, w)| self.price(j) * w.abs() + 0.5 * self.squared_price(j) * w * w)
            .sum()
    }

    pub(crate) fn value(&self, scores: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
        let costs = scores.enumerate().map(|(row, score)| {
            let margin = self.margin(row, score);
            self.counts[row]
                * match self.loss {
                    PointLoss::Logistic => softplus(-margin),
                    PointLoss::SquaredHinge => (1.0 - margin).max(0.0).powi(2),
                }
        });
        costs.sum::<f64>() + self.penalty(weights)
    }

    fn slopes(&self, state: &State, run: &Run) -> Result<Slopes> {
        let n = state.scores.len();
        let (mut of_scores, mut bends) = (vec![0.0; n], vec![0.0; n]);
        for (row, &score) in state.scores.iter().enumerate() {
            let (margin, count) = (self.margin(row, score), self.counts[row]);
            let (slope, bend) = match self.loss {
                PointLoss::Logistic => {
                    let small = (-margin.abs()).exp();
                    let wrong = if margin >= 0.0 { small } else { 1.0 } / (1.0 + small);
                    (-wrong, small / ((1.0 + small) * (1.0 + small)))
                }
                PointLoss::SquaredHinge => {
                    let excess = (1.0 - margin).max(0.0);
                    (-2.0 * excess, if excess > 0.0 { 2.0 } else { 0.0 })
                }
            };
            of_scores[row] = self.sign(row) * count * slope;
            bends[row] = count * bend;
        }
        let mut of_weights = self.columns.combination(&of_scores, self.constant, run)?;
        for (j, slope) in of_weights.iter_mut().enumerate() {
            *slope += self.squared_price(j) * state.weights[j];
        }
        Ok(Slopes {
            of_scores,
            bends,
            of_weights,
        })
    }

    /// By how much the objective is above the least one at most, up to what the slope of an
    /// intercept without a price still misses.
    fn gap(&self, state: &State, slopes: &Slopes) -> f64 {
        // Xᵀθ for the multipliers θ, which are minus the slopes by the scores.
        let push =
            |j: usize| (slopes.of_weights[j] - self.squared_price(j) * state.weights[j]).abs();
        let mut share = 1.0_f64;
        for j in 0..slopes.of_weights.len() {
            if self.squared_price(j) == 0.0 && self.price(j) > 0.0 && push(j) > self.price(j) {
                share = share.min(self.price(j) / push(j));
            }
        }
        let mut dual = 0.0;
        for (row, slope) in slopes.of_scores.iter().enumerate() {
            let count = self.counts[row];
            let theta = share * slope.abs();
            let offset = self.offsets.as_ref().map_or(0.0, |offsets| offsets[row]);
            dual -= share * slope * offset;
            dual += match self.loss {
                PointLoss::Logistic => {
                    let a = (theta / count).min(1.0);
                    let term = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
                    -count * (term(a) + term(1.0 - a))
                }
                PointLoss::SquaredHinge => theta - 0.25 * theta * theta / count,
            };
        }
        let mut missed = 0.0;
        for j in 0..slopes.of_weights.len() {
            let (price, bend) = (self.price(j), self.squared_price(j));
            let over = (share * push(j) - price).max(0.0);
            if bend > 0.0 {
                dual -= 0.5 * over * over / bend;
            } else if price == 0.0 {
                missed += over * state.weights[j].abs();
            }
        }
        match dual.is_finite() {
            true => (state.objective - dual).max(0.0) + missed,
            // Nothing is known: the search goes on.
            false => f64::INFINITY,
        }
    }

    /// The change of the linear model and of the prices when a weight changes. Slope and price
    /// nearly cancel at a minimum, so they are added before they are multiplied.
    fn promise(&self, j: usize, weight: f64, change: f64, slope: f64) -> f64 {
        let (price, moved) = (self.price(j), weight + change);
        let bent = 0.5 * self.squared_price(j) * change * change;
        bent + match weight * moved >= 0.0 {
            true if weight != 0.0 => change * (slope + price.copysign(weight)),
            true => change * (slope + price.copysign(moved)),
            false => change * slope + price * (moved.abs() - weight.abs()),
        }
    }

    /// Minimises the model and goes as far along as the true objective falls.
    fn improve(&self, state: &mut State, slopes: &Slopes, run: &Run) -> Result<bool> {
        let (change, ahead) = model::minimise(self, state, slopes, run)?;
        let moved: Vec<f64> = state
            .weights
            .iter()
            .zip(&change)
            .map(|(w, c)| w + c)
            .collect();
        let promise: f64 = (0..change.len())
            .map(|j| self.promise(j, state.weights[j], change[j], slopes.of_weights[j]))
            .sum();
        if promise >= 0.0 || promise.is_nan() {
            return Ok(false);
        }
        let mut length = 1.0;
        let mut weights = moved;
        for _ in 0..40 {
            for (j, w) in weights.iter_mut().enumerate() {
                *w = match length == 1.0 {
                    true => *w,
                    false => state.weights[j] + length * change[j],
                };
            }
            let scores = state.scores.iter().zip(&ahead);
            let scores = scores.map(|(score, ahead)| score + length * ahead);
            let value = self.value(scores, &weights);
            // Near the minimum the decrease drowns in rounding long before the slopes do.
            let rounding = ROUNDING * state.objective.abs();
            if value <= state.objective + HONESTY * length * promise + rounding {
                for (score, ahead) in state.scores.iter_mut().zip(&ahead) {
                    *score += length * ahead;
                }
                (state.weights, state.objective) = (weights, value);
                return Ok(true);
            }
            run.check()?;
            length *= 0.5;
        }
        Ok(false)
    }
}
