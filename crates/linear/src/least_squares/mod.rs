//! The one problem behind least squares and ridge: min ‖Xw + b − y‖² + λ‖w‖².
//!
//! The route depends on the shape of the data, the answer does not:
//!
//! | rows | route |
//! |---|---|
//! | n ≥ d, many columns, far from dependent | a factor in single precision, [`refined`] |
//! | n ≥ d | normal equations of the centred moments, [`normal`] |
//! | n < d | the n×n dual system, [`dense`] |
//! | ill-conditioned or of low rank | orthogonal reduction and singular values, [`dense`] |
//! | sparse with very many columns | conjugate gradients, [`iterative`] |

mod dense;
mod iterative;
mod normal;
mod refined;

pub(crate) use normal::System;

use crate::rows::CountingMeasured;
use crate::{Inference, LinearModel};
use didact_core::{Error, Measured, Result, Rows, Run, Trace};
use didact_math::linalg::CrossMoments;
use ndarray::{Array1, Array2, ArrayView1, s};

/// Sparse rows with more columns than this are solved without a d×d matrix.
const MOST_GRAM_COLUMNS: usize = 2000;

/// A d×d matrix of more columns than this does not fit into a usual memory.
const MOST_PIECE_COLUMNS: usize = 20_000;

/// How the model may be shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intercept {
    /// Not at all: the hyperplane goes through the origin.
    Absent,
    /// Freely, without a price.
    Free,
    /// As the weight of a constant column, with the price of the other weights.
    Penalised,
}

/// Least squares with a price on the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Problem {
    /// The price α of the weights.
    pub(crate) alpha: f64,
    /// Whether the price is per unit of weight of the data, so that λ = n·α.
    pub(crate) mean: bool,
    /// How the model may be shifted.
    pub(crate) intercept: Intercept,
    /// Whether the errors of the weights are wanted.
    pub(crate) inference: bool,
}

/// What a route finds, in the coordinates of its design matrix.
pub(crate) struct Solution {
    /// A row for each column of the design and a column for each target.
    weights: Array2<f64>,
    rank: usize,
    singular: Option<Array1<f64>>,
    /// ‖y − Aw‖² of each target.
    residual: Array1<f64>,
    trace: Option<Trace>,
}

/// The means and squares that every route ends with.
struct Totals<'a> {
    mean_x: ArrayView1<'a, f64>,
    mean_y: ArrayView1<'a, f64>,
    squares_y: Array1<f64>,
}

impl Problem {
    /// Learns from data in memory.
    pub(crate) fn fit(&self, data: Measured<'_>, run: &Run) -> Result<LinearModel> {
        let data = CountingMeasured::new(data);
        let rows = data.samples.rows();
        let (n, d) = (rows.n_rows(), rows.n_columns());
        let small = n.saturating_mul(d) <= 1 << 24 && n.min(d) <= MOST_GRAM_COLUMNS;
        if rows.is_sparse() && d > MOST_GRAM_COLUMNS && !small {
            return self.fit_sparse(&data, run);
        }
        if let Some(model) = self.fit_refined(&data, run)? {
            return Ok(model);
        }
        // Moving the rows to their mean leaves one direction fewer than there are rows.
        if n < d + usize::from(self.intercept == Intercept::Free) {
            return self.fit_dense(&data, run);
        }
        let weights = data.samples.weights();
        let moments = CrossMoments::summarise(rows, data.targets.view(), weights, run)?;
        let lambda = self.lambda(moments.weight())?;
        let system = System::new(&moments, self.intercept);
        match system.solve(lambda, run)? {
            Some(solution) if !self.has_underflow(rows, &moments) => {
                let model = self.model(solution, &Totals::of(&moments))?;
                Ok(self.with_inference(model, &system, &moments))
            }
            _ => self.fit_dense(&data, run),
        }
    }

    /// Learns from moments alone, after the rows are gone.
    pub(crate) fn fit_moments(&self, moments: &CrossMoments, run: &Run) -> Result<LinearModel> {
        if moments.weight() == 0.0 {
            return Err(Error::data(
                "no row counts; give at least one a weight above zero",
            ));
        }
        let lambda = self.lambda(moments.weight())?;
        let system = System::new(moments, self.intercept);
        let solution = match system.solve(lambda, run)? {
            Some(solution) => solution,
            None => system.solve_any_rank(lambda, run)?,
        };
        let model = self.model(solution, &Totals::of(moments))?;
        Ok(self.with_inference(model, &system, moments))
    }

    fn with_inference(
        &self,
        mut model: LinearModel,
        system: &System<'_>,
        moments: &CrossMoments,
    ) -> LinearModel {
        if self.inference && model.rank == model.coef.ncols() {
            model.inference = Inference::new(
                system,
                moments,
                self.intercept,
                &model.coef,
                &model.residual_sum_of_squares,
            );
        }
        model
    }

    /// Sums up a chunk of the data.
    pub(crate) fn summarise(data: Measured<'_>, run: &Run) -> Result<CrossMoments> {
        let d = data.samples.n_columns();
        if d > MOST_PIECE_COLUMNS {
            return Err(Error::unsupported(format!(
                "learning in pieces keeps a matrix of {d}×{d} values; \
                 reduce the columns to at most {MOST_PIECE_COLUMNS} or fit in memory"
            )));
        }
        let data = CountingMeasured::new(data);
        let (rows, weights) = (data.samples.rows(), data.samples.weights());
        CrossMoments::summarise(rows, data.targets.view(), weights, run)
    }

    /// Joins what two chunks amount to.
    pub(crate) fn merge(left: CrossMoments, right: CrossMoments) -> Result<CrossMoments> {
        let shape = |moments: &CrossMoments| (moments.mean_x().len(), moments.mean_y().len());
        match shape(&left) == shape(&right) {
            true => Ok(left.merge(right)),
            false => Err(Error::data(format!(
                "one chunk has {} columns and {} targets but another has {} and {}",
                shape(&left).0,
                shape(&left).1,
                shape(&right).0,
                shape(&right).1
            ))),
        }
    }

    /// Whether the squares of a column vanish although its values are not all equal.
    fn has_underflow(&self, rows: Rows<'_>, moments: &CrossMoments) -> bool {
        let squares = moments.scatter_xx();
        let Rows::Dense(x) = rows else {
            return false;
        };
        (0..x.ncols())
            .filter(|&j| squares[[j, j]] < f64::MIN_POSITIVE)
            .any(|j| {
                let column = x.column(j);
                column.iter().any(|value| *value != column[0])
            })
    }

    fn lambda(&self, weight: f64) -> Result<f64> {
        let lambda = if self.mean {
            self.alpha * weight
        } else {
            self.alpha
        };
        match lambda.is_finite() {
            true => Ok(lambda),
            false => Err(Error::parameter(
                "alpha",
                self.alpha,
                "times the weight of the rows it overflows; it must be smaller",
            )),
        }
    }

    fn fit_refined(&self, data: &CountingMeasured<'_>, run: &Run) -> Result<Option<LinearModel>> {
        let lambda = self.lambda(data.samples.total_weight())?;
        let Some(refined) = refined::Refined::new(data, self.intercept, lambda, run)? else {
            return Ok(None);
        };
        let solution = refined.solve(lambda, run)?;
        solution
            .map(|solution| self.model(solution, &refined.totals()))
            .transpose()
    }

    fn fit_dense(&self, data: &CountingMeasured<'_>, run: &Run) -> Result<LinearModel> {
        let lambda = self.lambda(data.samples.total_weight())?;
        let design = dense::Design::new(data, self.intercept, run)?;
        let solution = design.solve(lambda, run)?;
        self.model(solution, &design.totals())
    }

    fn fit_sparse(&self, data: &CountingMeasured<'_>, run: &Run) -> Result<LinearModel> {
        let lambda = self.lambda(data.samples.total_weight())?;
        let operator = iterative::Operator::new(data, self.intercept, run)?;
        let solution = operator.solve(lambda, run)?;
        self.model(solution, &operator.totals())
    }

    /// Turns the solution of a route into a model of the original columns.
    fn model(&self, solution: Solution, totals: &Totals<'_>) -> Result<LinearModel> {
        let d = totals.mean_x.len();
        let coef = solution
            .weights
            .slice(s![..d, ..])
            .t()
            .as_standard_layout()
            .into_owned();
        let intercept = match self.intercept {
            Intercept::Absent => Array1::zeros(coef.nrows()),
            Intercept::Free => &totals.mean_y - &coef.dot(&totals.mean_x),
            Intercept::Penalised => solution.weights.row(d).to_owned(),
        };
        let mut numbers = coef.iter().chain(&intercept).chain(&solution.residual);
        if numbers.any(|number| !number.is_finite()) {
            return Err(Error::numerical(
                "the weights overflow because some columns are tiny beside the targets; \
                 multiply those columns by a power of ten",
            ));
        }
        Ok(LinearModel {
            coef,
            intercept,
            rank: solution.rank,
            singular: solution.singular,
            residual_sum_of_squares: solution.residual,
            total_sum_of_squares: totals.squares_y.clone(),
            trace: solution.trace,
            inference: None,
        })
    }
}

impl<'a> Totals<'a> {
    fn of(moments: &'a CrossMoments) -> Self {
        Totals {
            mean_x: moments.mean_x(),
            mean_y: moments.mean_y(),
            squares_y: moments.scatter_yy().diag().to_owned(),
        }
    }
}
