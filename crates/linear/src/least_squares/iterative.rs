//! Conjugate gradients for sparse rows with too many columns for a d×d matrix.

use super::{Intercept, Solution, Totals};
use crate::rows::CountingMeasured;
use didact_core::{Result, Rows, Run, StopReason, TraceWriter};
use didact_math::linalg::{Variances, rows_times_vector, transposed_rows_times};
use ndarray::{Array1, Array2, ArrayView2, Axis, s};

/// The gradient counts as zero when it is this small beside where it started.
const TOLERANCE: f64 = 1e-12;

/// The design matrix as something to multiply with; the rows stay sparse, whatever their mean.
pub(super) struct Operator<'a> {
    rows: Rows<'a>,
    targets: ArrayView2<'a, f64>,
    roots: Array1<f64>,
    intercept: Intercept,
    mean_x: Array1<f64>,
    mean_y: Array1<f64>,
    squares_y: Array1<f64>,
}

impl<'a> Operator<'a> {
    pub(super) fn new(
        data: &'a CountingMeasured<'_>,
        intercept: Intercept,
        run: &Run,
    ) -> Result<Self> {
        let (rows, weights) = (data.samples.rows(), data.samples.weights());
        let roots = match weights {
            Some(weights) => weights.mapv(f64::sqrt),
            None => Array1::ones(rows.n_rows()),
        };
        let y_totals = Variances::summarise(Rows::Dense(data.targets.view()), weights, run)?;
        let mean_x = Variances::summarise(rows, weights, run)?.mean;
        Ok(Operator {
            rows,
            targets: data.targets.view(),
            roots,
            intercept,
            mean_x,
            mean_y: y_totals.mean,
            squares_y: y_totals.sum_squares,
        })
    }

    pub(super) fn totals(&self) -> Totals<'_> {
        Totals {
            mean_x: self.mean_x.view(),
            mean_y: self.mean_y.view(),
            squares_y: self.squares_y.clone(),
        }
    }

    fn n_columns(&self) -> usize {
        self.rows.n_columns() + usize::from(self.intercept == Intercept::Penalised)
    }

    /// A·v.
    fn times(&self, v: &Array1<f64>, run: &Run) -> Result<Array1<f64>> {
        let d = self.rows.n_columns();
        let direct = v.slice(s![..d]);
        let product = rows_times_vector(self.rows, direct, run)?;
        let shift = match self.intercept {
            Intercept::Absent => 0.0,
            Intercept::Free => -self.mean_x.dot(&direct),
            Intercept::Penalised => v[d],
        };
        Ok((product + shift) * &self.roots)
    }

    /// Aᵀ·u.
    fn transposed_times(&self, u: &Array1<f64>, run: &Run) -> Result<Array1<f64>> {
        let weighted = u * &self.roots;
        let column = weighted.view().insert_axis(Axis(1));
        let product = transposed_rows_times(self.rows, column, run)?.remove_axis(Axis(1));
        let total = weighted.sum();
        Ok(match self.intercept {
            Intercept::Absent => product,
            Intercept::Free => product - &(&self.mean_x * total),
            Intercept::Penalised => {
                ndarray::concatenate![Axis(0), product, ndarray::aview1(&[total])]
            }
        })
    }

    /// Conjugate gradients from zero, which end in the shortest solution.
    pub(super) fn solve(&self, lambda: f64, run: &Run) -> Result<Solution> {
        let columns = self.n_columns();
        let limit = 4 * columns.min(self.rows.n_rows()) + 100;
        let mut trace = TraceWriter::new(run, "half the squared error and penalty", None);
        let mut weights = Array2::zeros((columns, self.targets.ncols()));
        let mut residuals = Array1::zeros(self.targets.ncols());
        let mut stop = StopReason::Converged;
        for target in 0..self.targets.ncols() {
            let mut y = self.targets.column(target).to_owned();
            if self.intercept == Intercept::Free {
                y -= self.mean_y[target];
            }
            y *= &self.roots;
            let (solution, residual, converged) =
                self.solve_one(y, lambda, limit, &mut trace, run)?;
            weights.column_mut(target).assign(&solution);
            residuals[target] = residual;
            if !converged {
                stop = StopReason::IterationLimit;
            }
        }
        Ok(Solution {
            weights,
            rank: columns.min(self.rows.n_rows()),
            singular: None,
            residual: residuals,
            trace: Some(trace.finish(stop)),
        })
    }

    fn solve_one(
        &self,
        y: Array1<f64>,
        lambda: f64,
        limit: usize,
        trace: &mut TraceWriter<'_>,
        run: &Run,
    ) -> Result<(Array1<f64>, f64, bool)> {
        let mut w = Array1::<f64>::zeros(self.n_columns());
        let mut residual = y;
        let mut steepest = self.transposed_times(&residual, run)?;
        let mut direction = steepest.clone();
        let mut squared = steepest.dot(&steepest);
        let enough = TOLERANCE * TOLERANCE * squared;
        let mut steps = 0;
        while squared > enough && steps < limit {
            let image = self.times(&direction, run)?;
            let step = squared / (image.dot(&image) + lambda * direction.dot(&direction));
            w.scaled_add(step, &direction);
            residual.scaled_add(-step, &image);
            steepest = self.transposed_times(&residual, run)?;
            steepest.scaled_add(-lambda, &w);
            let next = steepest.dot(&steepest);
            direction *= next / squared;
            direction += &steepest;
            squared = next;
            steps += 1;
            trace.record(0.5 * (residual.dot(&residual) + lambda * w.dot(&w)))?;
        }
        Ok((w, residual.dot(&residual), squared <= enough))
    }
}
