//! The delta rule on centred rows.

use super::{Adaline, AdalineTraining, Units};
use crate::scale::{in_unit, unit_of};
use didact_core::random::generator;
use didact_core::{Error, Result, Rows, Run, StopReason, Trace, TraceWriter};
use didact_math::linalg::{
    a_times_bt, matmul, rows_times, symmetric_eigenvalues, transposed_rows_times,
};
use didact_math::numeric::{dot, length};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;

/// An error that has grown so much shows that the rate is too large.
const RUNAWAY: f64 = 1e3;

/// Row by row the rate falls with this power of the number of passes: fast enough to settle and
/// slowly enough to get everywhere.
const FALL: f64 = 0.75;

/// Row by row the error goes up and down; so many passes without a new best one are the end.
const PATIENCE: usize = 10;

/// Centred rows and targets, the rows in a unit in which their squares are numbers.
pub(super) struct Problem {
    rows: Array2<f64>,
    targets: Array2<f64>,
    mean_row: Array1<f64>,
    mean_target: Array1<f64>,
    unit: f64,
}

impl Problem {
    pub(super) fn new(
        adaline: &Adaline,
        rows: ArrayView2<'_, f64>,
        targets: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Self> {
        run.check()?;
        let unit = unit_of(rows);
        let rows = in_unit(rows, unit).into_owned();
        let targets = targets.as_standard_layout().into_owned();
        let mean = |values: &Array2<f64>| match adaline.fit_intercept {
            // Means of shares cannot overflow.
            true => (values / values.nrows() as f64).sum_axis(Axis(0)),
            false => Array1::zeros(values.ncols()),
        };
        let (mean_row, mean_target) = (mean(&rows), mean(&targets));
        let (rows, targets) = (rows - &mean_row, targets - &mean_target);
        let sum: f64 = targets.iter().map(|value| value * value).sum();
        match sum.is_finite() {
            true => Ok(Problem {
                rows,
                targets,
                mean_row,
                mean_target,
                unit,
            }),
            false => Err(Error::numerical(
                "the squares of the targets are too large for numbers; scale the targets down",
            )),
        }
    }

    /// The units that the rule comes to.
    pub(super) fn solve(&self, adaline: &Adaline, run: &Run) -> Result<(Units, Trace)> {
        let (weights, trace) = match adaline.training {
            AdalineTraining::Batch => self.all_at_once(adaline, run)?,
            AdalineTraining::Online => self.row_by_row(adaline, run)?,
        };
        let intercept = &self.mean_target - &weights.dot(&self.mean_row);
        Ok((Units::new(weights / self.unit, intercept)?, trace))
    }

    /// The rate that was set, in the unit of the rows.
    fn given_rate(&self, adaline: &Adaline) -> Option<f64> {
        adaline
            .learning_rate
            .map(|rate| rate * self.unit * self.unit)
    }

    /// w ← w + γ·Xᵀ(z − Xw) through the smaller of XᵀX and XXᵀ: from weights of zero w stays in the
    /// span of the rows, w = Xᵀa with a ← a + γ·(z − XXᵀa).
    fn all_at_once(&self, adaline: &Adaline, run: &Run) -> Result<(Array2<f64>, Trace)> {
        let rows = Rows::Dense(self.rows.view());
        let is_tall = self.rows.nrows() >= self.rows.ncols();
        let (products, goal) = match is_tall {
            true => (
                transposed_rows_times(rows, self.rows.view(), run)?,
                transposed_rows_times(rows, self.targets.view(), run)?,
            ),
            false => (rows_times(rows, self.rows.t(), run)?, self.targets.clone()),
        };
        let size = products
            .iter()
            .map(|value| value * value)
            .sum::<f64>()
            .sqrt();
        // No eigenvalue is larger than the size, so this is at most half of the largest stable rate.
        let rate = self
            .given_rate(adaline)
            .unwrap_or(if size > 0.0 { size.recip() } else { 0.0 });
        let mut state = Array2::zeros(goal.dim());
        let mut trace = TraceWriter::new(run, "squared error", Some(adaline.max_iter));
        let start = 0.5 * self.targets.iter().map(|z| z * z).sum::<f64>();
        let (mut first, mut stop) = (None, StopReason::IterationLimit);
        for _ in 0..adaline.max_iter {
            let residual = &goal - &matmul(products.view(), state.view());
            let error = self.error(is_tall, &state, &goal, &residual, start);
            if has_run_away(error, start) {
                return Err(self.too_fast(adaline, &products));
            }
            trace.record(error)?;
            let gradient = match is_tall {
                true => norm(&residual),
                false => (&residual * &matmul(products.view(), residual.view()))
                    .sum()
                    .max(0.0)
                    .sqrt(),
            };
            if gradient <= adaline.tol * *first.get_or_insert(gradient) {
                stop = StopReason::Converged;
                break;
            }
            state.scaled_add(rate, &residual);
        }
        let weights = match is_tall {
            true => state,
            false => transposed_rows_times(rows, state.view(), run)?,
        };
        Ok((
            weights.t().as_standard_layout().into_owned(),
            trace.finish(stop),
        ))
    }

    /// ½Σ(z − y)²: of the residual itself, or ½(z·z − w·(Xᵀz) − w·(Xᵀ(z − Xw))) from the products.
    fn error(
        &self,
        is_tall: bool,
        state: &Array2<f64>,
        goal: &Array2<f64>,
        residual: &Array2<f64>,
        start: f64,
    ) -> f64 {
        match is_tall {
            true => {
                let explained = (state * &(goal + residual)).sum();
                let error = start - 0.5 * explained;
                // Rounding may leave less than nothing of an exact fit.
                if error < 0.0 { 0.0 } else { error }
            }
            false => 0.5 * residual.iter().map(|r| r * r).sum::<f64>(),
        }
    }

    fn too_fast(&self, adaline: &Adaline, products: &Array2<f64>) -> Error {
        let largest = symmetric_eigenvalues(products.view()).map(|values| values[0]);
        let limit = largest.map_or(f64::NAN, |value| 2.0 / (value * self.unit * self.unit));
        Error::parameter(
            "learning_rate",
            adaline
                .learning_rate
                .map_or("null".to_owned(), |rate| rate.to_string()),
            format!("the weights run away; it must be below {limit:.3e} for these rows"),
        )
    }

    /// w ← w + γ·(z − w·x)·x after every row, with a rate that falls from pass to pass; the weights
    /// of the best pass.
    fn row_by_row(&self, adaline: &Adaline, run: &Run) -> Result<(Array2<f64>, Trace)> {
        let (n, d) = self.rows.dim();
        let longest = self
            .rows
            .rows()
            .into_iter()
            .map(|row| length(row.as_slice().expect("rows are contiguous")))
            .fold(0.0_f64, f64::max);
        let stable = if longest > 0.0 {
            (longest * longest).recip()
        } else {
            0.0
        };
        let first_rate = self.given_rate(adaline).unwrap_or(stable / 2.0);
        let mut weights = Array2::zeros((self.targets.ncols(), d));
        let mut best_weights = weights.clone();
        let mut trace = TraceWriter::new(run, "squared error", Some(adaline.max_iter));
        let start = 0.5 * self.targets.iter().map(|z| z * z).sum::<f64>();
        let mut order: Vec<usize> = (0..n).collect();
        let breath = ((1 << 18) / weights.len().max(1)).max(1);
        let (mut best, mut waited) = (f64::INFINITY, 0);
        let mut stop = StopReason::IterationLimit;
        for epoch in 0..adaline.max_iter {
            order.shuffle(&mut generator(adaline.random_state, epoch as u64));
            for (place, &row) in order.iter().enumerate() {
                if place % breath == 0 {
                    run.check()?;
                }
                let rate = first_rate * (1.0 + epoch as f64).powf(-FALL);
                self.correct(&mut weights, row, rate);
            }
            let misses = &self.targets - &a_times_bt(self.rows.view(), weights.view());
            let error = 0.5 * misses.iter().map(|miss| miss * miss).sum::<f64>();
            if has_run_away(error, start) {
                let products = a_times_bt(self.rows.t(), self.rows.t());
                return Err(self.too_fast(adaline, &products));
            }
            trace.record(error)?;
            waited = match best - error > adaline.tol * error {
                true => 0,
                false => waited + 1,
            };
            if error < best {
                best = error;
                best_weights.assign(&weights);
            }
            if waited == PATIENCE {
                stop = StopReason::Converged;
                break;
            }
        }
        Ok((best_weights, trace.finish(stop)))
    }

    /// The correction of all units by one row.
    fn correct(&self, weights: &mut Array2<f64>, row: usize, rate: f64) {
        let input = self.rows.row(row);
        let input = input.as_slice().expect("rows are contiguous");
        for (mut unit, target) in weights.rows_mut().into_iter().zip(self.targets.row(row)) {
            let unit = unit.as_slice_mut().expect("weights are contiguous");
            let step = rate * (target - dot(unit, input));
            for (weight, value) in unit.iter_mut().zip(input) {
                *weight += step * value;
            }
        }
    }
}

fn has_run_away(error: f64, start: f64) -> bool {
    error.is_nan() || error > RUNAWAY * start.max(f64::MIN_POSITIVE)
}

fn norm(values: &Array2<f64>) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
