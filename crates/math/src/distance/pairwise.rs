//! Distances of all pairs of rows, and row by row.

use super::Metric;
use super::columns::fill_by_columns;
use super::products::{Prepared, Side, fill_squared};
use super::squared::squared_norms;
use crate::linalg::{fill_row_products, mirror, rows_per_task};
use crate::numeric::length;
use crate::vectorised::square_roots;
use didact_core::{CsrView, Error, Result, Rows, Run, parallel};
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, Axis};

/// The distances of every row of x (rows of the answer) and every row of y (columns), in parallel.
///
/// Euclidean and cosine distances come from matrix products. Pairs so close that rounding could
/// spoil more than a billionth of the squared distance are measured directly, so equal rows are
/// at distance zero and none is negative. Costs n·m·d operations; sparse rows cost what they
/// store.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::distance::{Metric, pairwise};
/// use ndarray::array;
/// let (x, y) = (array![[0.0, 0.0], [3.0, 4.0]], array![[0.0, 0.0]]);
/// let distances = pairwise(Rows::Dense(x.view()), Rows::Dense(y.view()), Metric::Euclidean, &Run::new())?;
/// assert_eq!(distances, array![[0.0], [5.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn pairwise(x: Rows<'_>, y: Rows<'_>, metric: Metric, run: &Run) -> Result<Array2<f64>> {
    let mut distances = Array2::zeros((x.n_rows(), y.n_rows()));
    pairwise_into(x, Some(y), metric, distances.view_mut(), run)?;
    Ok(distances)
}

/// Writes the distances of every row of x and every row of y, or of all pairs of x where there
/// is no y, into memory that is there already: the first touch of fresh memory can cost more
/// than the distances.
///
/// The output must have a row per row of x, a column per row of y, and be contiguous in C order.
pub fn pairwise_into(
    x: Rows<'_>,
    y: Option<Rows<'_>>,
    metric: Metric,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let y_rows = y.map_or(x.reborrow(), Rows::reborrow);
    check(x, y_rows, metric)?;
    check_output(&output, x.n_rows(), y_rows.n_rows())?;
    match (x, y) {
        (Rows::Sparse(x), Some(Rows::Sparse(y))) => sparse_pairs(x, y, metric, output, run),
        (Rows::Sparse(x), None) => {
            sparse_pairs(x, x, metric, output.view_mut(), run)?;
            output.diag_mut().fill(0.0);
            mirror(output);
            Ok(())
        }
        (Rows::Dense(x), None) => {
            dense_pairs(x, None, metric, output.view_mut(), run)?;
            // A row of zeros is at cosine distance one from other rows, but not from itself.
            output.diag_mut().fill(0.0);
            Ok(())
        }
        // One of them is written out already, so there is room for the other.
        (x, Some(y)) => {
            let (x, y) = (x.to_dense(), y.to_dense());
            dense_pairs(x.view(), Some(y.view()), metric, output, run)
        }
    }
}

/// Fails unless the output has the shape of the answer and contiguous rows.
pub(crate) fn check_output(output: &ArrayViewMut2<'_, f64>, n: usize, m: usize) -> Result<()> {
    if output.dim() != (n, m) {
        return Err(Error::data(format!(
            "the output has {} rows and {} columns; it must have {n} and {m}",
            output.nrows(),
            output.ncols()
        )));
    }
    match output.is_standard_layout() {
        true => Ok(()),
        false => Err(Error::data("the output must be contiguous in C order")),
    }
}

/// The distances of all pairs of rows of one matrix: exactly symmetric with a diagonal of zeros.
///
/// Only one triangle is computed; otherwise as [`pairwise`].
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::distance::{Metric, pairwise_self};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [4.0]];
/// let distances = pairwise_self(Rows::Dense(x.view()), Metric::Manhattan, &Run::new())?;
/// assert_eq!(distances, array![[0.0, 1.0, 4.0], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn pairwise_self(x: Rows<'_>, metric: Metric, run: &Run) -> Result<Array2<f64>> {
    let mut distances = Array2::zeros((x.n_rows(), x.n_rows()));
    pairwise_into(x, None, metric, distances.view_mut(), run)?;
    Ok(distances)
}

/// The distance of the first row of x to the first of y, of the second to the second, and so on.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::distance::{Metric, paired};
/// use ndarray::array;
/// let (x, y) = (array![[0.0], [1.0]], array![[2.0], [1.0]]);
/// let distances = paired(Rows::Dense(x.view()), Rows::Dense(y.view()), Metric::Euclidean, &Run::new())?;
/// assert_eq!(distances, array![2.0, 0.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn paired(x: Rows<'_>, y: Rows<'_>, metric: Metric, run: &Run) -> Result<Array1<f64>> {
    check(x, y, metric)?;
    if x.n_rows() != y.n_rows() {
        return Err(Error::data(format!(
            "x has {} rows and y has {}; distances row by row need as many of both",
            x.n_rows(),
            y.n_rows()
        )));
    }
    let mut distances = vec![0.0; x.n_rows()];
    let chunk = rows_per_task(x.n_columns());
    match (x, y) {
        (Rows::Sparse(x), Rows::Sparse(y)) => {
            parallel::fill(&mut distances, 1, chunk, run, |rows, piece| {
                for (row, distance) in rows.zip(piece) {
                    *distance = metric.between_sparse(x.row(row), y.row(row));
                }
                Ok(())
            })?;
        }
        _ => {
            let (x, y) = (x.to_dense(), y.to_dense());
            let (x, y) = (x.as_standard_layout(), y.as_standard_layout());
            parallel::fill(&mut distances, 1, chunk, run, |rows, piece| {
                for (row, distance) in rows.zip(piece) {
                    let contiguous = "standard layout is contiguous";
                    let (a, b) = (x.row(row), y.row(row));
                    *distance = metric.between(
                        a.as_slice().expect(contiguous),
                        b.as_slice().expect(contiguous),
                    );
                }
                Ok(())
            })?;
        }
    }
    Ok(Array1::from(distances))
}

fn check(x: Rows<'_>, y: Rows<'_>, metric: Metric) -> Result<()> {
    metric.check()?;
    if x.n_columns() != y.n_columns() {
        return Err(Error::data(format!(
            "x has {} columns and y has {}; distances need as many of both",
            x.n_columns(),
            y.n_columns()
        )));
    }
    metric.check_rows(x)?;
    metric.check_rows(y)
}

/// All pairs of x and y, or of x alone.
fn dense_pairs(
    x: ArrayView2<'_, f64>,
    y: Option<ArrayView2<'_, f64>>,
    metric: Metric,
    output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    match metric {
        Metric::Euclidean => squared_pairs(x, y, output, run, square_roots),
        Metric::SquaredEuclidean => squared_pairs(x, y, output, run, |_| ()),
        Metric::Cosine => cosine_pairs(x, y, output, run),
        _ => fill_by_columns(x, y.unwrap_or(x), metric, output, run),
    }
}

/// finish(‖x−y‖²) of all pairs.
pub(crate) fn squared_pairs(
    x: ArrayView2<'_, f64>,
    y: Option<ArrayView2<'_, f64>>,
    output: ArrayViewMut2<'_, f64>,
    run: &Run,
    finish: impl Fn(&mut [f64]) + Sync,
) -> Result<()> {
    match y {
        None => {
            let side = Side::new(x, &Side::origin(x));
            fill_squared(&side, &side, true, output, run, finish)
        }
        Some(y) => Prepared::new(y).squared(x, output, run, finish),
    }
}

/// Half the squared distance of the rows scaled to length one.
fn cosine_pairs(
    x: ArrayView2<'_, f64>,
    y: Option<ArrayView2<'_, f64>>,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let (x, x_zeros) = directions(x);
    let y = y.map(directions);
    let y_view = y.as_ref().map(|y| y.0.view());
    squared_pairs(x.view(), y_view, output.view_mut(), run, |values| {
        values.iter_mut().for_each(|value| *value /= 2.0);
    })?;
    for &row in &x_zeros {
        output.row_mut(row).fill(1.0);
    }
    for &column in y.as_ref().map_or(&x_zeros, |y| &y.1) {
        output.column_mut(column).fill(1.0);
    }
    Ok(())
}

/// The rows scaled to length one, and which of them are zero and cannot be.
pub(crate) fn directions(rows: ArrayView2<'_, f64>) -> (Array2<f64>, Vec<usize>) {
    let mut scaled = rows.as_standard_layout().into_owned();
    let mut zeros = Vec::new();
    for (index, mut row) in scaled.axis_iter_mut(Axis(0)).enumerate() {
        match length(row.as_slice().expect("a fresh matrix is contiguous")) {
            0.0 => zeros.push(index),
            length => row.mapv_inplace(|value| value / length),
        }
    }
    (scaled, zeros)
}

/// Euclidean distances through products, the others pair by pair.
fn sparse_pairs(
    x: CsrView<'_>,
    y: CsrView<'_>,
    metric: Metric,
    mut output: ArrayViewMut2<'_, f64>,
    run: &Run,
) -> Result<()> {
    let m = y.n_rows();
    let by_products = matches!(metric, Metric::Euclidean | Metric::SquaredEuclidean);
    if by_products {
        fill_row_products(
            Rows::Sparse(x),
            Some(Rows::Sparse(y)),
            output.view_mut(),
            run,
        )?;
    }
    let values = output.as_slice_mut().expect("the output is contiguous");
    let (x_squares, y_squares) = (
        squared_norms(Rows::Sparse(x)),
        squared_norms(Rows::Sparse(y)),
    );
    let chunk = rows_per_task(y.n_stored() + m).min(64);
    parallel::fill(values, m, chunk, run, |rows, piece| {
        for (row, output) in rows.zip(piece.chunks_mut(m.max(1))) {
            run.check()?;
            let stored = x.row(row);
            for (j, output) in output.iter_mut().enumerate() {
                let other = y.row(j);
                let square = x_squares[row] - 2.0 * *output + y_squares[j];
                let terms = (stored.1.len() + other.1.len() + 8) as f64;
                let doubt = 4.0 * terms * f64::EPSILON * (x_squares[row] + y_squares[j]);
                // False for a NaN from overflow, too.
                let is_certain = by_products && square > 1e9 * doubt && square < f64::INFINITY;
                *output = match is_certain {
                    true => metric.distance_of(square),
                    false => metric.between_sparse(stored, other),
                };
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::super::metric::tests::ALL;
    use super::*;
    use didact_core::{Cancel, Csr};
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use ndarray::array;
    use proptest::prelude::*;

    fn naive(x: &Array2<f64>, y: &Array2<f64>, metric: Metric) -> Array2<f64> {
        Array2::from_shape_fn((x.nrows(), y.nrows()), |(i, j)| {
            metric.between(x.row(i).to_slice().unwrap(), y.row(j).to_slice().unwrap())
        })
    }

    #[test]
    fn every_metric_dense_sparse_or_mixed_agrees_with_its_definition() {
        for (n, m, d) in [(1, 1, 1), (7, 600, 3), (70, 33, 20), (20, 20, 130)] {
            let sparse = |rows, seed| random_sparse(rows, d, 0.6, seed).view().to_dense();
            let (x, y) = (sparse(n, 1).mapv(f64::abs), sparse(m, 2).mapv(f64::abs));
            let (x_sparse, y_sparse) = (Csr::from_dense(x.view()), Csr::from_dense(y.view()));
            for metric in ALL {
                let expected = naive(&x, &y, metric);
                for x_rows in [Rows::Dense(x.view()), Rows::Sparse(x_sparse.view())] {
                    for y_rows in [Rows::Dense(y.view()), Rows::Sparse(y_sparse.view())] {
                        let found = pairwise(x_rows, y_rows, metric, &Run::new()).unwrap();
                        assert_close(&found, &expected, 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn a_matrix_against_itself_is_symmetric_with_a_diagonal_of_zeros() {
        // 001:CLU-13: D is symmetric with diagonal 0; a row of zeros included.
        let mut x = random_matrix(90, 4, 3).mapv(f64::abs);
        x.row_mut(5).fill(0.0);
        let sparse = Csr::from_dense(x.view());
        for metric in ALL {
            for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
                let found = pairwise_self(rows, metric, &Run::new()).unwrap();
                assert_eq!(found, found.t(), "{metric}");
                assert!(found.diag().iter().all(|&value| value == 0.0), "{metric}");
                let mut expected = naive(&x, &x, metric);
                expected.diag_mut().fill(0.0);
                assert_close(&found, &expected, 1e-12);
            }
        }
    }

    #[test]
    fn distances_row_by_row_are_the_diagonal_of_all_pairs() {
        let (x, y) = (
            random_matrix(40, 6, 4).mapv(f64::abs),
            random_matrix(40, 6, 5).mapv(f64::abs),
        );
        let (x_sparse, y_sparse) = (Csr::from_dense(x.view()), Csr::from_dense(y.view()));
        for metric in ALL {
            let expected = naive(&x, &y, metric).diag().to_owned();
            let dense = paired(
                Rows::Dense(x.view()),
                Rows::Dense(y.view()),
                metric,
                &Run::new(),
            );
            assert_close(&dense.unwrap(), &expected, 1e-12);
            let sparse = paired(
                Rows::Sparse(x_sparse.view()),
                Rows::Sparse(y_sparse.view()),
                metric,
                &Run::new(),
            );
            assert_close(&sparse.unwrap(), &expected, 1e-12);
        }
    }

    #[test]
    fn old_values_of_the_output_are_forgotten_and_its_shape_is_checked() {
        let x = random_matrix(30, 4, 6).mapv(f64::abs);
        let sparse = Csr::from_dense(x.view());
        for metric in ALL {
            for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
                for y in [None, Some(rows)] {
                    let mut output = Array2::from_elem((30, 30), f64::NAN);
                    pairwise_into(rows, y, metric, output.view_mut(), &Run::new()).unwrap();
                    let expected = pairwise_self(rows, metric, &Run::new()).unwrap();
                    assert_close(&output, &expected, 1e-12);
                }
            }
        }
        let rows = Rows::Dense(x.view());
        let into = |output: ArrayViewMut2<'_, f64>| {
            let result = pairwise_into(rows, None, Metric::Euclidean, output, &Run::new());
            result.unwrap_err().to_string()
        };
        let error = into(Array2::zeros((30, 29)).view_mut());
        assert_eq!(
            error,
            "the output has 30 rows and 29 columns; it must have 30 and 30"
        );
        assert!(into(Array2::zeros((30, 30)).view_mut().reversed_axes()).contains("contiguous"));
    }

    #[test]
    fn near_duplicates_far_from_the_origin_keep_their_distance() {
        let mut x = array![[1e8, 1e8], [1e8, 1e8], [1e8, -1e8]];
        x[[1, 0]] += 0.5;
        let sparse = Csr::from_dense(x.view());
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            let found = pairwise(rows, rows, Metric::Euclidean, &Run::new()).unwrap();
            assert_eq!(
                (found[[0, 1]], found[[1, 0]], found[[1, 1]]),
                (0.5, 0.5, 0.0)
            );
        }
    }

    #[test]
    fn shapes_and_values_that_do_not_fit_are_refused_with_the_reason() {
        let (x, y) = (array![[1.0, 2.0]], array![[1.0], [2.0]]);
        let run = Run::new();
        let (x, y) = (Rows::Dense(x.view()), Rows::Dense(y.view()));
        let error = pairwise(x, y, Metric::Euclidean, &run)
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "x has 2 columns and y has 1; distances need as many of both"
        );
        let broken = array![[0.0, f64::NAN]];
        let error = pairwise(x, Rows::Dense(broken.view()), Metric::Euclidean, &run);
        assert!(matches!(
            error,
            Err(Error::NotFinite {
                row: 0,
                column: 1,
                ..
            })
        ));
        let error = pairwise(x, x, Metric::Minkowski { p: 0.5 }, &run).unwrap_err();
        assert_eq!(
            error.to_string(),
            "p is 0.5; it must be at least 1 and finite"
        );
        let two = array![[1.0, 2.0], [3.0, 4.0]];
        assert!(paired(x, Rows::Dense(two.view()), Metric::Euclidean, &run).is_err());
        let cancel = Cancel::new();
        cancel.cancel();
        let cancelled = Run::new().cancelled_by(&cancel);
        assert!(matches!(
            pairwise(x, x, Metric::Manhattan, &cancelled),
            Err(Error::Cancelled)
        ));
        let empty = Array2::<f64>::zeros((0, 2));
        let none = pairwise(Rows::Dense(empty.view()), x, Metric::Euclidean, &run).unwrap();
        assert_eq!(none.dim(), (0, 1));
        let none = pairwise(x, Rows::Dense(empty.view()), Metric::Manhattan, &run).unwrap();
        assert_eq!(none.dim(), (1, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn metrics_obey_their_axioms_on_random_points(d in 1usize..6, p in 1.0..9.0_f64, seed: u64) {
            // 001:CLU-06 002a:MET01 003:P45; rounding may cost a last digit.
            let x = random_matrix(7, d, seed).mapv(f64::abs);
            let metrics = [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev,
                Metric::Minkowski { p }, Metric::Hamming, Metric::Jaccard];
            for metric in metrics {
                let distances = pairwise_self(Rows::Dense(x.view()), metric, &Run::new()).unwrap();
                for i in 0..7 {
                    for j in 0..7 {
                        prop_assert!(distances[[i, j]] >= 0.0);
                        for k in 0..7 {
                            let around = distances[[i, k]] + distances[[k, j]];
                            prop_assert!(distances[[i, j]] <= around * (1.0 + 1e-9) + 1e-12, "{}", metric);
                        }
                    }
                }
            }
        }
    }
}
