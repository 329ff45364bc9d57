//! Squared distances of all pairs through matrix products, in tiles that stay in the cache.

use super::squared::{squared_euclidean, squared_norms};
use crate::linalg::{mirror, window_mut};
use crate::vectorised::vectorised;
use didact_core::{Result, Rows, Run, parallel};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatRef, Par};
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis, CowArray, Ix2};
use std::ops::Range;

/// Rounding may spoil at most this share of a squared distance; nearer pairs are recomputed.
const SHARE: f64 = 1e-9;

/// Rows prepared for products: moved to a common origin, which changes no distance but keeps
/// the lengths, and with them the rounding errors, as small as the data allow.
pub(crate) struct Side<'a> {
    rows: CowArray<'a, f64, Ix2>,
    /// Nothing where the origin is zero and the rows can be taken as they are.
    moved: Option<Array2<f64>>,
    squares: Vec<f64>,
    /// Lengths times the root of the factor of the rounding bound.
    doubts: Vec<f64>,
}

impl<'a> Side<'a> {
    pub(crate) fn new(rows: ArrayView2<'a, f64>, origin: &Array1<f64>) -> Self {
        let rows = match rows.is_standard_layout() {
            true => CowArray::from(rows),
            false => CowArray::from(rows.as_standard_layout().into_owned()),
        };
        let moved = origin
            .iter()
            .any(|&part| part != 0.0)
            .then(|| &rows - origin);
        let taken = moved.as_ref().map_or(rows.view(), |moved| moved.view());
        let squares = squared_norms(Rows::Dense(taken)).to_vec();
        // As `rounding_bound`, with a unit more for the move, split into a factor per side.
        let factor = 2.0 * (rows.ncols() + 9) as f64 * f64::EPSILON / SHARE;
        let doubts = squares
            .iter()
            .map(|square| (square * factor).sqrt())
            .collect();
        Side {
            rows,
            moved,
            squares,
            doubts,
        }
    }

    /// A good origin for rows: their mean, or zero where a move would hardly shorten them and a
    /// copy of them would be made for little.
    pub(crate) fn origin(rows: ArrayView2<'_, f64>) -> Array1<f64> {
        let zero = Array1::zeros(rows.ncols());
        let Some(mean) = rows.mean_axis(Axis(0)) else {
            return zero;
        };
        // Σ‖x − m‖² is Σ‖x‖² − n·‖m‖².
        let squares = squared_norms(Rows::Dense(rows)).sum();
        let gained = rows.nrows() as f64 * mean.dot(&mean);
        let hardly = squares.is_finite() && gained <= squares / 2.0;
        match !hardly && mean.iter().all(|value| value.is_finite()) {
            true => mean,
            false => zero,
        }
    }

    fn row(&self, index: usize) -> &[f64] {
        let d = self.rows.ncols();
        &self.rows.as_slice().expect("rows are contiguous")[index * d..(index + 1) * d]
    }

    fn matrix(&self, rows: Range<usize>) -> MatRef<'_, f64> {
        let d = self.rows.ncols();
        let values = match &self.moved {
            Some(moved) => moved.as_slice(),
            None => self.rows.as_slice(),
        };
        let values = values.expect("rows are contiguous");
        MatRef::from_row_major_slice(&values[rows.start * d..rows.end * d], rows.len(), d)
    }
}

/// Rows that others are measured from.
pub(crate) struct Prepared<'a> {
    origin: Array1<f64>,
    side: Side<'a>,
}

impl<'a> Prepared<'a> {
    pub(crate) fn new(rows: ArrayView2<'a, f64>) -> Self {
        let origin = Side::origin(rows);
        let side = Side::new(rows, &origin);
        Prepared { origin, side }
    }

    /// Writes finish(‖x−y‖²) for every row of x and every row y here.
    pub(crate) fn squared(
        &self,
        x: ArrayView2<'_, f64>,
        output: ArrayViewMut2<'_, f64>,
        run: &Run,
        finish: impl Fn(&mut [f64]) + Sync,
    ) -> Result<()> {
        let x = Side::new(x, &self.origin);
        fill_squared(&x, &self.side, false, output, run, finish)
    }
}

/// How many rows and columns of the output are computed together, by the numbers of rows and
/// columns of x.
fn tile(n: usize, n_columns: usize) -> (usize, usize) {
    match n_columns < 96 {
        // Little arithmetic: the tile must stay in the second cache to be finished there.
        true => (64, 512),
        // Much arithmetic: larger products are more efficient, as long as all threads have some.
        false => ((n / 8).clamp(64, 512), 1024),
    }
}

/// Rows of a triangle that are computed together up to its diagonal; the fewer, the less is
/// computed beyond it.
const STEP: usize = 64;

/// Writes finish(‖x−y‖²) for every row of x and of y into contiguous memory; `finish` is given
/// stretches of squared distances while they are in the cache.
///
/// With `is_symmetric`, x and y are the same and only one triangle is computed.
pub(crate) fn fill_squared(
    x: &Side<'_>,
    y: &Side<'_>,
    is_symmetric: bool,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
    finish: impl Fn(&mut [f64]) + Sync,
) -> Result<()> {
    let (n, m) = (x.rows.nrows(), y.rows.nrows());
    let (height, width) = tile(n, x.rows.ncols());
    // The tasks of a triangle differ in size; smaller ones are shared out more evenly.
    let height = if is_symmetric {
        height.min(256)
    } else {
        height
    };
    let values = output.as_slice_mut().expect("the output is contiguous");
    parallel::fill(values, m, height, run, |rows, piece| {
        let fill = |rows: Range<usize>, columns: Range<usize>, piece: &mut [f64]| {
            for start in columns.clone().step_by(width) {
                run.check()?;
                let columns = start..(start + width).min(columns.end);
                fill_tile(x, y, rows.clone(), columns, piece, m, &finish);
            }
            Ok(())
        };
        if !is_symmetric {
            return fill(rows, 0..m, piece);
        }
        fill(rows.clone(), 0..rows.start, piece)?;
        for (start, piece) in rows.clone().step_by(STEP).zip(piece.chunks_mut(STEP * m)) {
            let end = (start + STEP).min(rows.end);
            fill(start..end, rows.start..end, piece)?;
        }
        Ok(())
    })?;
    if is_symmetric {
        mirror(output);
    }
    Ok(())
}

fn fill_tile(
    x: &Side<'_>,
    y: &Side<'_>,
    rows: Range<usize>,
    columns: Range<usize>,
    piece: &mut [f64],
    stride: usize,
    finish: &impl Fn(&mut [f64]),
) {
    let window = &mut piece[columns.start..];
    let output = window_mut(window, rows.len(), columns.len(), stride);
    let transposed = y.matrix(columns.clone()).transpose();
    matmul(
        output,
        Accum::Replace,
        x.matrix(rows.clone()),
        transposed,
        -2.0,
        Par::Seq,
    );
    let (squares, doubts) = (&y.squares[columns.clone()], &y.doubts[columns.clone()]);
    for (index, i) in rows.enumerate() {
        let first = index * stride;
        let values = &mut window[first..first + columns.len()];
        let (square, doubt) = (x.squares[i], x.doubts[i]);
        let doubtful = vectorised(
            #[inline(always)]
            || complete(values, squares, doubts, square, doubt),
        );
        if doubtful > 0 {
            for (value, (j, y_doubt)) in values.iter_mut().zip(columns.clone().zip(doubts)) {
                if is_doubtful(*value, doubt + y_doubt) {
                    *value = squared_euclidean(x.row(i), y.row(j));
                }
            }
        }
        finish(values);
    }
}

/// Completes −2x·y to ‖x‖² − 2x·y + ‖y‖² and counts the values that rounding may have spoilt.
#[inline(always)]
fn complete(values: &mut [f64], squares: &[f64], doubts: &[f64], square: f64, doubt: f64) -> u64 {
    let mut doubtful = 0;
    for ((value, y_square), y_doubt) in values.iter_mut().zip(squares).zip(doubts) {
        *value += square + y_square;
        doubtful += u64::from(is_doubtful(*value, doubt + y_doubt));
    }
    doubtful
}

/// True also for a NaN from overflow.
#[inline(always)]
fn is_doubtful(value: f64, doubt: f64) -> bool {
    let is_certain = value > doubt * doubt && value < f64::INFINITY;
    !is_certain
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;

    fn squared(x: &Array2<f64>, y: &Array2<f64>, is_symmetric: bool) -> Array2<f64> {
        let origin = Side::origin(y.view());
        let (x, y) = (Side::new(x.view(), &origin), Side::new(y.view(), &origin));
        let mut output = Array2::zeros((x.rows.nrows(), y.rows.nrows()));
        fill_squared(&x, &y, is_symmetric, output.view_mut(), &Run::new(), |_| ()).unwrap();
        output
    }

    #[test]
    fn every_pair_keeps_nine_digits_however_near_or_far() {
        // Groups a millionth wide, a thousand apart, a hundred million from zero.
        for d in [1, 2, 10, 100, 300] {
            let mut x = random_matrix(150, d, 1) * 1e-3;
            for (i, mut row) in x.rows_mut().into_iter().enumerate() {
                row += (i % 5) as f64 * 1e3 + 1e5;
            }
            let y = x.clone() + random_matrix(150, d, 2) * 1e-7;
            let found = squared(&x, &y, false);
            for i in 0..150 {
                for j in 0..150 {
                    let expected = squared_euclidean(
                        x.row(i).to_slice().unwrap(),
                        y.row(j).to_slice().unwrap(),
                    );
                    let error = (found[[i, j]] - expected).abs();
                    assert!(
                        error <= SHARE * expected,
                        "{d}: {i} {j} {error:e} {expected:e}"
                    );
                }
            }
        }
    }

    #[test]
    fn rows_are_moved_only_where_that_shortens_them_much() {
        let around_zero = random_matrix(50, 4, 1);
        assert_eq!(Side::origin(around_zero.view()), Array1::<f64>::zeros(4));
        let far = &around_zero + 100.0;
        assert_eq!(Side::origin(far.view()), far.mean_axis(Axis(0)).unwrap());
        // Squares that overflow say nothing; the mean is still there.
        let farther = &around_zero + 1e200;
        assert!(
            Side::origin(farther.view())
                .iter()
                .all(|&part| part > 1e199)
        );
    }

    #[test]
    fn one_triangle_gives_the_same_as_both() {
        let x = random_matrix(700, 5, 3);
        let (half, whole) = (squared(&x, &x, true), squared(&x, &x, false));
        assert_eq!(half, half.t());
        assert!(half.diag().iter().all(|&value| value == 0.0));
        didact_testing::assert_close(&half, &whole, 1e-13);
    }

    #[test]
    fn values_that_overflow_are_infinitely_far_and_not_nan() {
        let x = ndarray::array![[1e200, 0.0], [-1e200, 0.0], [1e200, 0.0], [3.0, 4.0]];
        let found = squared(&x, &x, false);
        assert_eq!((found[[0, 1]], found[[0, 2]]), (f64::INFINITY, 0.0));
        assert!(found.iter().all(|value| !value.is_nan()));
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let x = random_matrix(300, 120, 4);
        let found = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| squared(&x, &x, true))
        };
        assert_eq!(found(1), found(2));
    }
}
