//! All classes in one machine, after Crammer and Singer.
//!
//! min ½Σₖ‖wₖ‖² + Σᵢ Cᵢ·max(0, 1 + maxₖ wₖ·xᵢ − wᵧ·xᵢ) over the wrong classes k. The multipliers
//! αᵢₖ of a row add up to zero, at most Cᵢ for its own class and at most zero for the others, and
//! wₖ = Σᵢ αᵢₖ·xᵢ. A pass gives each row in turn its best multipliers, which has a closed form.

use crate::online::{BREATH, Examples, shuffled};
use crate::rows::Row;
use crate::separators::overflow;
use didact_core::{Result, Run, StopReason, TraceWriter};

/// A machine to be found.
pub(super) struct Machine<'a, 'b> {
    pub(super) examples: &'a Examples<'b>,
    /// The constant feature of every row; zero where there is no intercept.
    pub(super) constant: f64,
    /// What each row costs.
    pub(super) prices: Vec<f64>,
    pub(super) tol: f64,
    pub(super) max_iter: usize,
    pub(super) random_state: u64,
}

/// The weights of each class, the constant feature last, and how good they are.
pub(super) struct Solution {
    pub(super) weights: Vec<Vec<f64>>,
    pub(super) objective: f64,
    pub(super) gap: f64,
    pub(super) trace: didact_core::Trace,
}

struct Search {
    weights: Vec<Vec<f64>>,
    /// The multipliers of all classes, row after row.
    multipliers: Vec<f64>,
}

impl Machine<'_, '_> {
    pub(super) fn solve(&self, run: &Run) -> Result<Solution> {
        let (n, k) = (self.examples.n_rows(), self.examples.present.len());
        let mut search = Search {
            weights: vec![vec![0.0; self.examples.n_columns() + 1]; k],
            multipliers: vec![0.0; n * k],
        };
        let mut trace = TraceWriter::new(run, "regularised risk", Some(self.max_iter));
        let mut order: Vec<usize> = (0..n).collect();
        let (stop, objective, gap) = loop {
            shuffled(&mut order, true, self.random_state, trace.n_iter());
            let moved = self.pass(&order, &mut search, run)?;
            let (objective, gap) = self.certify(&search, run)?;
            trace.record(objective)?;
            if gap <= self.tol * objective {
                break (StopReason::Converged, objective, gap);
            }
            if !moved {
                break (StopReason::Stalled, objective, gap);
            }
            if trace.n_iter() == self.max_iter {
                break (StopReason::IterationLimit, objective, gap);
            }
        };
        Ok(Solution {
            weights: search.weights,
            objective,
            gap,
            trace: trace.finish(stop),
        })
    }

    fn score(&self, weights: &[f64], row: Row<'_>) -> f64 {
        let d = self.examples.n_columns();
        row.dot(&weights[..d]) + self.constant * weights[d]
    }

    /// Gives every row its best multipliers; whether any changed.
    fn pass(&self, order: &[usize], search: &mut Search, run: &Run) -> Result<bool> {
        let (d, k) = (self.examples.n_columns(), search.weights.len());
        let reader = self.examples.reader();
        let (mut pulls, mut best) = (vec![0.0; k], vec![0.0; k]);
        let mut moved = false;
        for (turn, &row) in order.iter().enumerate() {
            if turn % BREATH == 0 {
                run.check()?;
            }
            let (x, own, price) = (reader.row(row), self.examples.places[row], self.prices[row]);
            let length = x.squared_length() + self.constant * self.constant;
            let multipliers = &mut search.multipliers[row * k..(row + 1) * k];
            if length == 0.0 {
                // The row costs its price whatever the weights are, and the dual says so too.
                multipliers.fill(0.0);
                multipliers[own] = price;
                multipliers[usize::from(own == 0)] = -price;
                continue;
            }
            for (class, pull) in pulls.iter_mut().enumerate() {
                let wrong = f64::from(u8::from(class != own));
                let score = self.score(&search.weights[class], x);
                *pull = score + wrong - length * multipliers[class];
            }
            best_multipliers(&pulls, own, length, price, &mut best);
            for class in 0..k {
                let change = best[class] - multipliers[class];
                if change.abs() <= f64::EPSILON * price {
                    continue;
                }
                moved = true;
                multipliers[class] = best[class];
                let weights = &mut search.weights[class];
                x.add_to(&mut weights[..d], change);
                weights[d] += change * self.constant;
            }
        }
        Ok(moved)
    }

    /// The objective, and by how much it is above the least one at most.
    fn certify(&self, search: &Search, run: &Run) -> Result<(f64, f64)> {
        let k = search.weights.len();
        let reader = self.examples.reader();
        let squares: f64 = search.weights.iter().flatten().map(|w| w * w).sum();
        let (mut losses, mut own_multipliers) = (0.0, 0.0);
        for row in 0..self.examples.n_rows() {
            if row % BREATH == 0 {
                run.check()?;
            }
            let (x, own) = (reader.row(row), self.examples.places[row]);
            let right = self.score(&search.weights[own], x);
            let wrong = (0..k).filter(|&class| class != own);
            let wrong = wrong.map(|class| self.score(&search.weights[class], x));
            let rival = wrong.fold(f64::NEG_INFINITY, f64::max);
            losses += self.prices[row] * (1.0 + rival - right).max(0.0);
            own_multipliers += search.multipliers[row * k + own];
        }
        let objective = 0.5 * squares + losses;
        let gap = (squares + losses - own_multipliers).max(0.0);
        match objective.is_finite() && gap.is_finite() {
            true => Ok((objective, gap)),
            false => Err(overflow()),
        }
    }
}

/// The multipliers αₖ that minimise ½A·Σα² + Σ Bₖαₖ, add up to zero and stay at or below C for the
/// own class and zero for the others: αₖ = min(limit, (β − Bₖ)/A) with the β that makes it so.
fn best_multipliers(pulls: &[f64], own: usize, length: f64, price: f64, best: &mut [f64]) {
    best.copy_from_slice(pulls);
    best[own] += length * price;
    best.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut beta = best[0] - length * price;
    let mut taken = 1;
    while taken < best.len() && beta < taken as f64 * best[taken] {
        beta += best[taken];
        taken += 1;
    }
    beta /= taken as f64;
    for (class, multiplier) in best.iter_mut().enumerate() {
        let limit = if class == own { price } else { 0.0 };
        *multiplier = ((beta - pulls[class]) / length).min(limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multipliers_of_a_row_add_up_to_zero_within_their_limits() {
        let mut best = [0.0; 3];
        for (pulls, own) in [
            ([0.3, -1.0, 2.0], 0),
            ([5.0, 5.0, 5.0], 1),
            ([-9.0, 0.0, 0.1], 2),
        ] {
            best_multipliers(&pulls, own, 0.7, 1.5, &mut best);
            assert!(best.iter().sum::<f64>().abs() < 1e-12, "{best:?}");
            for (class, &multiplier) in best.iter().enumerate() {
                let limit = if class == own { 1.5 } else { 0.0 };
                assert!(multiplier <= limit);
            }
        }
    }
}
