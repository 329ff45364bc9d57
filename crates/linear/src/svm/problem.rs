//! The problem that all linear support vector machines share.

use crate::rows::RowReader;
use crate::separators::overflow;
use didact_core::{Result, Rows, Run, StopReason, parallel};
use didact_math::numeric::dot;

/// min ½‖w‖² + Σ Cᵢ·loss(tᵢ − w·xᵢ), where the loss charges what exceeds ε in the given
/// directions, linearly or squared.
pub(super) struct Problem<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) reader: RowReader<'a>,
    /// The constant feature of every row; zero where there is no intercept.
    pub(super) constant: f64,
    /// The targets t: ±1 for classes.
    pub(super) targets: Vec<f64>,
    /// The prices C.
    pub(super) prices: Vec<f64>,
    pub(super) epsilon: f64,
    pub(super) is_squared: bool,
    /// Whether a residual counts only where its sign is that of its target: a class may score as
    /// high as it likes on its own side.
    pub(super) is_one_sided: bool,
}

/// The weights, the intercept's last, with what proves how good they are.
pub(super) struct Found {
    pub(super) weights: Vec<f64>,
    pub(super) objective: f64,
    /// By how much the objective may be above the least one at most.
    pub(super) gap: f64,
    pub(super) objectives: Vec<f64>,
    pub(super) stop: StopReason,
}

impl Problem<'_> {
    pub(super) fn n_rows(&self) -> usize {
        self.targets.len()
    }

    /// Number of weights, the intercept's included.
    pub(super) fn n_weights(&self) -> usize {
        self.rows.n_columns() + 1
    }

    /// w·x, the constant feature included.
    #[inline]
    pub(super) fn score(&self, row: usize, weights: &[f64]) -> f64 {
        let (intercept, w) = weights.split_last().expect("there is a weight at least");
        self.reader.row(row).dot(w) + self.constant * intercept
    }

    /// w += step·x, the constant feature included.
    #[inline]
    pub(super) fn add(&self, row: usize, step: f64, weights: &mut [f64]) {
        let (intercept, w) = weights
            .split_last_mut()
            .expect("there is a weight at least");
        self.reader.row(row).add_to(w, step);
        *intercept += step * self.constant;
    }

    /// By how much a residual t − s exceeds what is free, with its sign.
    ///
    /// Without branches: which rows are free looks random, and a wrong guess costs more than all
    /// of the arithmetic.
    #[inline]
    pub(super) fn excess(&self, row: usize, residual: f64) -> f64 {
        let is_on_its_side = self.is_one_sided & (residual * self.targets[row] <= 0.0);
        let over = residual.abs() - self.epsilon;
        if (over > 0.0) & !is_on_its_side {
            over.copysign(residual)
        } else {
            0.0
        }
    }

    /// What an excess costs.
    #[inline]
    pub(super) fn cost(&self, row: usize, excess: f64) -> f64 {
        self.prices[row]
            * match self.is_squared {
                true => excess * excess,
                false => excess.abs(),
            }
    }

    /// The squared length of every row, the constant feature included.
    pub(super) fn squared_lengths(&self, run: &Run) -> Result<Vec<f64>> {
        let mut lengths = vec![0.0; self.n_rows()];
        parallel::fill(&mut lengths, 1, 4096, run, |range, piece| {
            for (row, length) in range.zip(piece) {
                *length = self.reader.row(row).squared_length() + self.constant * self.constant;
            }
            Ok(())
        })?;
        match lengths.iter().all(|length| length.is_finite()) {
            true => Ok(lengths),
            false => Err(overflow()),
        }
    }

    /// The scores of all rows.
    pub(super) fn scores(&self, weights: &[f64], run: &Run) -> Result<Vec<f64>> {
        let mut scores = vec![0.0; self.n_rows()];
        parallel::fill(&mut scores, 1, 4096, run, |range, piece| {
            for (row, score) in range.zip(piece) {
                *score = self.score(row, weights);
            }
            Ok(())
        })?;
        match scores.iter().all(|score| score.is_finite()) {
            true => Ok(scores),
            false => Err(overflow()),
        }
    }

    /// The objective at weights whose scores are known.
    pub(super) fn objective(&self, weights: &[f64], scores: &[f64]) -> f64 {
        let costs = scores.iter().enumerate().map(|(row, score)| {
            let excess = self.excess(row, self.targets[row] - score);
            self.cost(row, excess)
        });
        0.5 * dot(weights, weights) + costs.sum::<f64>()
    }

    /// By how much the objective is above the least one at most, given the dual objective.
    pub(super) fn gap(objective: f64, dual: f64) -> Result<f64> {
        match objective.is_finite() && dual.is_finite() {
            true => Ok((objective - dual).max(0.0)),
            false => Err(overflow()),
        }
    }

    /// The dual objective of multipliers β that make up the weights w = Σ β·x.
    pub(super) fn dual_objective(&self, weights: &[f64], multipliers: &[f64]) -> f64 {
        let terms = multipliers.iter().enumerate().map(|(row, beta)| {
            let bend = match self.is_squared {
                true => 0.25 * beta * beta / self.prices[row],
                false => 0.0,
            };
            self.targets[row] * beta - self.epsilon * beta.abs() - bend
        });
        terms.sum::<f64>() - 0.5 * dot(weights, weights)
    }
}
