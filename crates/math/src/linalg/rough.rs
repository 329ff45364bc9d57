//! A Cholesky factor in single precision, to be refined by whoever solves with it.

use super::convert::window_mut;
use super::large::within;
use crate::vectorised::vectorised;
use didact_core::{Result, Run, parallel};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::{Array1, ArrayView1, ArrayView2, Axis, s};

/// Rows that are written down in single precision at a time.
const CHUNK: usize = 4096;

/// Rows of the product that a thread computes at a time.
const STRIPE: usize = 128;

/// The smallest share of a column that those before it may leave unexplained; below it single
/// precision cannot tell the column from a combination of them.
const LEAST_PIVOT: f32 = 1e-4;

/// The factor of XᵀX + λI in single precision, which takes half the time and half the memory: a
/// solution is right to a few digits, and a few corrections by what it misses, computed in double
/// precision, make it right to all.
///
/// ```
/// use didact_core::Run;
/// use didact_math::linalg::RoughFactor;
/// use ndarray::{Array1, array};
/// let x = array![[3.0, 0.0], [4.0, 1.0]];
/// let (gram, b) = (x.t().dot(&x), array![29.0, 5.0]);
/// let diagonal = gram.diag().to_owned();
/// let factor = RoughFactor::new(x.view(), Array1::zeros(2).view(), None, &diagonal, &Run::new())?;
/// let factor = factor.expect("the columns are independent");
/// let mut solution = factor.solve(&b);
/// for _ in 0..2 {
///     solution = &solution + &factor.solve(&(&b - &gram.dot(&solution)));
/// }
/// assert!((solution - array![1.0, 1.0]).iter().all(|wrong| wrong.abs() < 1e-14));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub struct RoughFactor {
    /// Lᵀ in C order, of the matrix with a unit diagonal.
    upper: Vec<f32>,
    /// The roots of the diagonal.
    roots: Array1<f64>,
}

impl RoughFactor {
    /// Factors the sum of w·(x − center)(x − center)ᵀ over the rows, plus whatever makes its
    /// diagonal what it shall be. Nothing where single precision is not enough.
    ///
    /// # Panics
    /// When there is not one number per column, or not one weight per row.
    pub fn new(
        x: ArrayView2<'_, f64>,
        center: ArrayView1<'_, f64>,
        weights: Option<ArrayView1<'_, f64>>,
        diagonal: &Array1<f64>,
        run: &Run,
    ) -> Result<Option<Self>> {
        let d = x.ncols();
        assert!(
            center.len() == d && diagonal.len() == d,
            "one number per column"
        );
        let roots = diagonal.mapv(f64::sqrt);
        let factors = roots.mapv(f64::recip);
        if !factors.iter().all(|factor| factor.is_normal()) {
            return Ok(None);
        }
        let mut upper = vec![0.0; d * d];
        for start in (0..x.nrows()).step_by(CHUNK) {
            let range = start..(start + CHUNK).min(x.nrows());
            let weights = weights.map(|weights| weights.slice_move(s![range.clone()]));
            let some = x.slice(s![range, ..]);
            let unit = in_units(some, center, &factors, weights, run)?;
            let accumulate = match start {
                0 => Accum::Replace,
                _ => Accum::Add,
            };
            add_products(&mut upper, d, &unit, accumulate, run)?;
        }
        upper.iter_mut().step_by(d + 1).for_each(|unit| *unit = 1.0);
        let upper = within(d, run, move |parts| Ok(factored(upper, d, parts)))?;
        Ok(upper.map(|upper| RoughFactor { upper, roots }))
    }

    /// The solution of (XᵀX + λI)·w = b, right to a few digits.
    ///
    /// # Panics
    /// When b has not one number per column.
    pub fn solve(&self, b: &Array1<f64>) -> Array1<f64> {
        let d = self.roots.len();
        let scaled = b / &self.roots;
        let largest = scaled
            .iter()
            .fold(0.0, |most: f64, value| most.max(value.abs()));
        if largest == 0.0 {
            return Array1::zeros(d);
        }
        let mut values: Vec<f32> = scaled
            .iter()
            .map(|value| (value / largest) as f32)
            .collect();
        let lower = MatRef::from_column_major_slice(&self.upper, d, d);
        let mut column = MatMut::from_column_major_slice_mut(&mut values, d, 1);
        solve_lower_triangular_in_place(lower, column.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(lower.transpose(), column, Par::Seq);
        let solution: Array1<f64> = values.iter().map(|&value| f64::from(value)).collect();
        solution * largest / &self.roots
    }

    /// The length of w with every weight times the root of its entry in the diagonal: what it
    /// amounts to in the units of the columns.
    pub fn length(&self, weights: &Array1<f64>) -> f64 {
        (weights * &self.roots).pow2().sum().sqrt()
    }
}

/// The rows less their center, each column times its factor, each row times the root of its weight.
fn in_units(
    x: ArrayView2<'_, f64>,
    center: ArrayView1<'_, f64>,
    factors: &Array1<f64>,
    weights: Option<ArrayView1<'_, f64>>,
    run: &Run,
) -> Result<Vec<f32>> {
    let mut unit = vec![0.0; x.len()];
    parallel::fill(&mut unit, x.ncols(), 64, run, |rows, output| {
        let some = x.slice(s![rows.clone(), ..]);
        let some = some.as_standard_layout();
        let lines = output
            .chunks_exact_mut(x.ncols())
            .zip(some.axis_iter(Axis(0)));
        for (row, (output, line)) in rows.zip(lines) {
            let root = weights.map_or(1.0, |weights| weights[row].sqrt());
            let line = line.to_slice().expect("standard layout is contiguous");
            vectorised(
                #[inline(always)]
                || {
                    let columns = line.iter().zip(center).zip(factors);
                    for (output, ((value, center), factor)) in output.iter_mut().zip(columns) {
                        *output = ((value - center) * factor * root) as f32;
                    }
                },
            );
        }
        Ok(())
    })?;
    Ok(unit)
}

/// Adds the upper triangle of ZᵀZ, stripe by stripe.
fn add_products(
    upper: &mut [f32],
    d: usize,
    z: &[f32],
    accumulate: Accum,
    run: &Run,
) -> Result<()> {
    let z = MatRef::from_row_major_slice(z, z.len() / d, d);
    parallel::fill(upper, d, STRIPE, run, |rows, output| {
        let width = d - rows.start;
        let output = window_mut(&mut output[rows.start..], rows.len(), width, d);
        let own = z.subcols(rows.start, rows.len());
        let others = z.subcols(rows.start, width);
        matmul(output, accumulate, own.transpose(), others, 1.0, Par::Seq);
        Ok(())
    })
}

/// The factor in place of the matrix, or nothing where a pivot is too small.
fn factored(mut upper: Vec<f32>, d: usize, parts: Par) -> Option<Vec<f32>> {
    let lower = MatMut::from_column_major_slice_mut(&mut upper, d, d);
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f32>(
        d,
        parts,
        Default::default(),
    ));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(lower, Default::default(), parts, stack, Default::default()).ok()?;
    let mut pivots = upper.iter().step_by(d + 1);
    pivots
        .all(|pivot| pivot * pivot >= LEAST_PIVOT)
        .then_some(upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Variances, at_times_b};
    use didact_core::Rows;
    use didact_testing::random_matrix;

    // More rows than a chunk, more columns than a stripe, columns of very different sizes far
    // from zero.
    #[test]
    fn a_solution_is_right_to_a_few_digits() {
        let mut x = random_matrix(4200, 150, 1);
        for (place, mut column) in x.columns_mut().into_iter().enumerate() {
            let size = 10f64.powi(place as i32 - 75);
            column.mapv_inplace(|value| (value + 100.0) * size);
        }
        let weights = random_matrix(4200, 1, 2)
            .column(0)
            .mapv(|value| value * value);
        for weights in [None, Some(weights.view())] {
            let columns =
                Variances::summarise(Rows::Dense(x.view()), weights, &Run::new()).unwrap();
            let diagonal = &columns.sum_squares * 1.5;
            let factor = RoughFactor::new(
                x.view(),
                columns.mean.view(),
                weights,
                &diagonal,
                &Run::new(),
            );
            let factor = factor.unwrap().unwrap();
            let expected: Array1<f64> = factor.roots.mapv(f64::recip);
            let centred = &x - &columns.mean;
            let weighted = match weights {
                Some(weights) => &centred * &weights.insert_axis(Axis(1)),
                None => centred.clone(),
            };
            // Units first, or the entries leave the range of numbers.
            let unit = &centred / &factor.roots;
            let weighted = &weighted / &factor.roots;
            let mut gram = at_times_b(weighted.view(), unit.view());
            gram.diag_mut().fill(1.0);
            let b = gram.sum_axis(Axis(1)) * &factor.roots;
            let found = factor.solve(&b);
            let wrong = &found / &expected - 1.0;
            assert!(wrong.iter().all(|wrong| wrong.abs() < 1e-4), "{wrong}");
        }
    }

    #[test]
    fn columns_that_depend_on_each_other_or_are_constant_have_no_factor() {
        let mut x = random_matrix(50, 3, 3);
        let of = |x: &ndarray::Array2<f64>| {
            let columns = Variances::summarise(Rows::Dense(x.view()), None, &Run::new()).unwrap();
            let mean = columns.mean.view();
            RoughFactor::new(x.view(), mean, None, &columns.sum_squares, &Run::new()).unwrap()
        };
        assert!(of(&x).is_some());
        let sum = &x.column(0) + &x.column(1);
        x.column_mut(2).assign(&sum);
        assert!(of(&x).is_none());
        x.column_mut(2).fill(2.0);
        assert!(of(&x).is_none());
    }
}
