//! Many columns that are far from depending on each other: a factor of the normal equations in
//! single precision, and corrections of the solution in double precision.

use super::{Intercept, Solution, Totals};
use crate::centred::{ROWS, add_slopes, centred_dots};
use crate::rows::CountingMeasured;
use didact_core::{Result, Rows, Run, parallel};
use didact_math::linalg::{RoughFactor, Variances};
use didact_math::vectorised::vectorised;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, s};
use std::ops::Range;

/// With fewer columns the factor costs little in any precision.
const LEAST_COLUMNS: usize = 512;

/// Every target is corrected on its own, with a pass over the rows each time.
const MOST_TARGETS: usize = 4;

/// Rows that are summed up together.
const CHUNK: usize = 128;

/// A correction is at most this large beside the one before, or the factor is not worth much.
const WORST_RATIO: f64 = 0.1;

/// Beside the solution, a correction of this size is rounding.
const ROUNDING: f64 = 1e-12;

/// More corrections than this would take as long as a factor in double precision.
const MOST_CORRECTIONS: usize = 14;

/// The rows and targets of a problem, less their center.
pub(super) struct Refined<'a> {
    x: ArrayView2<'a, f64>,
    y: ArrayView2<'a, f64>,
    weights: Option<ArrayView1<'a, f64>>,
    /// What is taken from every row: the means, or nothing without an intercept.
    center_x: Array1<f64>,
    center_y: Array1<f64>,
    columns: Variances,
    targets: Variances,
}

/// What rows add up to at some weights.
struct Sums {
    /// Σ w·e·(x − center) of the errors e.
    gradient: Vec<f64>,
    /// Σ w·e².
    squares: f64,
}

impl<'a> Refined<'a> {
    /// Nothing where this route is not the shortest one.
    pub(super) fn new(
        data: &'a CountingMeasured<'_>,
        intercept: Intercept,
        lambda: f64,
        run: &Run,
    ) -> Result<Option<Self>> {
        let Rows::Dense(x) = data.samples.rows() else {
            return Ok(None);
        };
        let (n, d) = x.dim();
        // Nearly as many columns as rows depend on each other, unless there is a price on weights.
        let enough_rows = match lambda > 0.0 {
            true => n >= d,
            false => 4 * n >= 5 * d,
        };
        let few_targets = data.targets.ncols() <= MOST_TARGETS;
        let is_penalised = intercept == Intercept::Penalised;
        let is_fit = enough_rows && few_targets && !is_penalised && x.is_standard_layout();
        if d < LEAST_COLUMNS || !is_fit {
            return Ok(None);
        }
        let (weights, y) = (data.samples.weights(), data.targets.view());
        let columns = Variances::summarise(Rows::Dense(x), weights, run)?;
        let targets = Variances::summarise(Rows::Dense(y), weights, run)?;
        let center = |of: &Variances| match intercept {
            Intercept::Free => of.mean.clone(),
            _ => Array1::zeros(of.mean.len()),
        };
        Ok(Some(Refined {
            x,
            y,
            weights,
            center_x: center(&columns),
            center_y: center(&targets),
            columns,
            targets,
        }))
    }

    pub(super) fn totals(&self) -> Totals<'_> {
        Totals {
            mean_x: self.columns.mean.view(),
            mean_y: self.targets.mean.view(),
            squares_y: self.targets.sum_squares.clone(),
        }
    }

    /// Nothing where columns come so close to depending on each other that corrections do not
    /// become smaller soon.
    pub(super) fn solve(&self, lambda: f64, run: &Run) -> Result<Option<Solution>> {
        let shift = &self.columns.mean - &self.center_x;
        let squares = &self.columns.sum_squares + &(shift.pow2() * self.columns.weight);
        let diagonal = squares + lambda;
        let center = self.center_x.view();
        let factor = RoughFactor::new(self.x, center, self.weights, &diagonal, run)?;
        let Some(factor) = factor else {
            return Ok(None);
        };
        let (d, targets) = (self.x.ncols(), self.y.ncols());
        let mut weights = Array2::zeros((d, targets));
        let mut residual = Array1::zeros(targets);
        for target in 0..targets {
            let Some((w, squares)) = self.refine(&factor, target, lambda, run)? else {
                return Ok(None);
            };
            weights.column_mut(target).assign(&w);
            residual[target] = squares;
        }
        Ok(Some(Solution {
            weights,
            rank: d,
            singular: None,
            residual,
            trace: None,
        }))
    }

    /// Corrects w by (G + λI)⁻¹·(Aᵀe − λw), e = y − Aw, until nothing is left to correct; the
    /// solution and ‖e‖².
    fn refine(
        &self,
        factor: &RoughFactor,
        target: usize,
        lambda: f64,
        run: &Run,
    ) -> Result<Option<(Array1<f64>, f64)>> {
        let mut w = Array1::<f64>::zeros(self.x.ncols());
        let mut before = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            let sums = self.sums(target, &w, run)?;
            let slope = Array1::from(sums.gradient);
            let mut missed = slope.clone();
            missed.scaled_add(-lambda, &w);
            let step = factor.solve(&missed);
            w += &step;
            let (size, whole) = (factor.length(&step), factor.length(&w));
            let ratio = match before.is_finite() {
                true => size / before,
                false => WORST_RATIO,
            };
            // Corrections shrink alike, so the next one would be of this size.
            if size * ratio <= f64::EPSILON * whole || size <= ROUNDING * whole {
                // ‖e − As‖² = ‖e‖² − 2s·Aᵀe + s·Gs, and Gs is what was missed, less λs.
                let last = 2.0 * step.dot(&slope) - step.dot(&missed) + lambda * step.dot(&step);
                return Ok(Some((w, (sums.squares - last).max(0.0))));
            }
            if size.is_nan() || ratio > WORST_RATIO {
                return Ok(None);
            }
            before = size;
        }
        Ok(None)
    }

    fn sums(&self, target: usize, w: &Array1<f64>, run: &Run) -> Result<Sums> {
        let sums = parallel::reduce(
            self.x.nrows(),
            CHUNK,
            run,
            &|range| {
                Ok(vectorised(
                    #[inline(always)]
                    || self.sums_of(range, target, w),
                ))
            },
            &|mut left: Sums, right| {
                let pairs = left.gradient.iter_mut().zip(right.gradient);
                pairs.for_each(|(left, right)| *left += right);
                left.squares += right.squares;
                left
            },
        )?;
        Ok(sums.expect("there are rows"))
    }

    /// Every row is read twice while it is in the nearest cache.
    #[inline(always)]
    fn sums_of(&self, range: Range<usize>, target: usize, w: &Array1<f64>) -> Sums {
        let d = self.x.ncols();
        let x = self.x.slice(s![range.clone(), ..]);
        let values = x.to_slice().expect("rows are contiguous");
        let center = self.center_x.as_slice().expect("a vector is contiguous");
        let w = w.as_slice().expect("a vector is contiguous");
        let mut sums = Sums {
            gradient: vec![0.0; d],
            squares: 0.0,
        };
        let (blocks, rest) = values.split_at(range.len() / ROWS * ROWS * d);
        let mut row = range.start;
        for block in blocks.chunks_exact(ROWS * d) {
            let rows = [0, 1, 2, 3].map(|place| &block[place * d..][..d]);
            let explained = centred_dots(rows, center, w);
            let slopes = self.slopes(row, target, explained, &mut sums.squares);
            add_slopes(rows, slopes, center, &mut sums.gradient);
            row += ROWS;
        }
        for line in rest.chunks_exact(d) {
            let explained = centred_dots([line], center, w);
            let slopes = self.slopes(row, target, explained, &mut sums.squares);
            add_slopes([line], slopes, center, &mut sums.gradient);
            row += 1;
        }
        sums
    }

    /// The weighted errors of some rows, of which the weighted squares are added up.
    #[inline(always)]
    fn slopes<const R: usize>(
        &self,
        first: usize,
        target: usize,
        explained: [f64; R],
        squares: &mut f64,
    ) -> [f64; R] {
        let mut slopes = explained;
        for (place, slope) in slopes.iter_mut().enumerate() {
            let row = first + place;
            let error = self.y[[row, target]] - self.center_y[target] - *slope;
            let weight = self.weights.map_or(1.0, |weights| weights[row]);
            *squares += weight * error * error;
            *slope = weight * error;
        }
        slopes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LinearModel;
    use crate::least_squares::Problem;
    use didact_core::{Measured, Samples};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::Axis;

    fn problem(intercept: Intercept, alpha: f64) -> Problem {
        Problem {
            alpha,
            mean: false,
            intercept,
            inference: false,
        }
    }

    fn assert_same(found: &Array2<f64>, expected: &Array2<f64>) {
        let ratio = found / expected;
        assert_close(&ratio, &Array2::ones(ratio.dim()), 1e-9);
    }

    // Two targets, rows away from zero, weights, rows that do not fill a block.
    #[test]
    fn corrections_end_where_orthogonal_methods_do() {
        let (x, y) = (
            random_matrix(701, 520, 1) + 3.0,
            random_matrix(701, 2, 2) + 5.0,
        );
        let weights: Vec<f64> = (0..701).map(|row| 0.5 + (row % 3) as f64).collect();
        let plain = Samples::from(&x);
        let weighted = plain.clone().weighted(&weights).unwrap();
        for samples in [plain, weighted] {
            let data = CountingMeasured::new(Measured::many(samples, y.view()).unwrap());
            for (intercept, lambda) in [
                (Intercept::Free, 0.0),
                (Intercept::Free, 2.0),
                (Intercept::Absent, 0.0),
                (Intercept::Absent, 2.0),
            ] {
                let problem = problem(intercept, lambda);
                let found = problem.fit_refined(&data, &Run::new()).unwrap();
                let found = found.expect("the columns are far from dependent");
                let expected = problem.fit_dense(&data, &Run::new()).unwrap();
                assert_same(&found.coef, &expected.coef);
                let squares =
                    |model: LinearModel| model.residual_sum_of_squares.insert_axis(Axis(0));
                assert_close(&found.intercept, &expected.intercept, 1e-9);
                assert_same(&squares(found), &squares(expected));
            }
        }
    }

    #[test]
    fn units_of_columns_cost_no_digit() {
        let (x, y) = (random_matrix(700, 520, 6), random_matrix(700, 1, 7));
        let units: Array1<f64> = (0..520)
            .map(|column| 10f64.powi(column % 21 - 10))
            .collect();
        let weights = |x: &Array2<f64>| {
            let data = CountingMeasured::new(Measured::many(x, y.view()).unwrap());
            let model = problem(Intercept::Free, 0.0).fit_refined(&data, &Run::new());
            model.unwrap().unwrap().coef
        };
        assert_same(&(weights(&(&x * &units)) * &units), &weights(&x));
    }

    #[test]
    fn nearly_dependent_columns_and_few_rows_are_left_to_other_routes() {
        let mut x = random_matrix(700, 520, 3);
        let y = random_matrix(700, 1, 4);
        let refined = |x: &Array2<f64>, rows: usize, alpha: f64| {
            let (x, y) = (x.slice(s![..rows, ..]), y.slice(s![..rows, ..]));
            let data = CountingMeasured::new(Measured::many(x, y).unwrap());
            let problem = problem(Intercept::Free, alpha);
            problem.fit_refined(&data, &Run::new()).unwrap()
        };
        assert!(refined(&x, 700, 0.0).is_some());
        assert!(refined(&x, 540, 0.0).is_none());
        assert!(refined(&x, 540, 1.0).is_some());
        let near = &x.column(0) + &(&x.column(1) * 1e-3);
        x.column_mut(519).assign(&near);
        assert!(refined(&x, 700, 0.0).is_none());
    }

    #[test]
    fn a_constant_target_has_no_weights() {
        let (x, y) = (random_matrix(700, 520, 5), Array2::from_elem((700, 1), 7.0));
        let data = CountingMeasured::new(Measured::many(&x, y.view()).unwrap());
        let model = problem(Intercept::Free, 0.0).fit_refined(&data, &Run::new());
        let model = model.unwrap().unwrap();
        assert!(model.coef.iter().all(|&weight| weight == 0.0));
        assert_eq!(
            (model.intercept[0], model.residual_sum_of_squares[0]),
            (7.0, 0.0)
        );
    }
}
