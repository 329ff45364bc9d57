//! Squared Euclidean distances, one by one and through matrix products.

use crate::linalg::{Accumulate, matmul_into};
use crate::numeric::{dot, sum_of_lanes};
use didact_core::Rows;
use ndarray::{Array1, Array2, ArrayView2};

/// Σ(aᵢ−bᵢ)², summed in eight lanes.
///
/// The order of the sum is fixed by the length alone, so equal rows are at equal distances.
///
/// # Panics
/// When the lengths differ.
pub fn squared_euclidean(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "the rows have different lengths");
    let mut lanes = [0.0; 8];
    let (a_blocks, b_blocks) = (a.chunks_exact(8), b.chunks_exact(8));
    let mut tail = 0.0;
    for (x, y) in a_blocks.remainder().iter().zip(b_blocks.remainder()) {
        tail += (x - y) * (x - y);
    }
    for (x, y) in a_blocks.zip(b_blocks) {
        for lane in 0..8 {
            let difference = x[lane] - y[lane];
            lanes[lane] += difference * difference;
        }
    }
    sum_of_lanes(lanes) + tail
}

/// ‖x‖² of each row.
pub fn squared_norms(rows: Rows<'_>) -> Array1<f64> {
    match rows {
        Rows::Dense(dense) => dense
            .rows()
            .into_iter()
            .map(|row| match row.as_slice() {
                Some(row) => dot(row, row),
                None => row.dot(&row),
            })
            .collect(),
        Rows::Sparse(sparse) => (0..sparse.n_rows())
            .map(|row| {
                let (_, values) = sparse.row(row);
                dot(values, values)
            })
            .collect(),
    }
}

/// How far ‖x‖² − 2x·y + ‖y‖² in floating point can be from the directly computed distance.
///
/// Each of the three sums errs by at most d·ε times the product of the lengths, the direct sum by
/// (d+2)·ε times the distance, which is at most (‖x‖+‖y‖)².
pub(crate) fn rounding_bound(n_columns: usize, x_norm: f64, y_norm: f64) -> f64 {
    2.0 * (n_columns + 8) as f64 * f64::EPSILON * (x_norm + y_norm) * (x_norm + y_norm)
}

/// All squared distances between the rows of two dense matrices, one row of output per x, on the
/// calling thread.
///
/// Distances come from one matrix product, ‖x‖² − 2x·y + ‖y‖²; pairs so close that rounding could
/// spoil a millionth of the result are computed directly, so equal rows are at distance zero.
///
/// # Panics
/// When the rows have different lengths or are not contiguous.
pub fn squared_euclidean_matrix(x: ArrayView2<'_, f64>, y: ArrayView2<'_, f64>) -> Array2<f64> {
    let (x, y) = (x.as_standard_layout(), y.as_standard_layout());
    let x_squares = squared_norms(Rows::Dense(x.view()));
    let y_squares = squared_norms(Rows::Dense(y.view()));
    let mut distances = Array2::zeros((x.nrows(), y.nrows()));
    matmul_into(
        distances.view_mut(),
        x.view(),
        y.t(),
        -2.0,
        Accumulate::Replace,
    );
    for (i, mut row) in distances.rows_mut().into_iter().enumerate() {
        let x_row = x.row(i);
        let x_row = x_row.as_slice().expect("standard layout is contiguous");
        for (j, distance) in row.iter_mut().enumerate() {
            *distance += x_squares[i] + y_squares[j];
            let doubt = rounding_bound(x.ncols(), x_squares[i].sqrt(), y_squares[j].sqrt());
            // False for a NaN from overflowing norms, too.
            let is_certain = *distance > 1e6 * doubt;
            if !is_certain {
                let y_row = y.row(j);
                *distance = squared_euclidean(x_row, y_row.as_slice().expect("standard layout"));
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix, random_sparse};

    #[test]
    fn the_matrix_of_distances_agrees_with_the_definition() {
        let (x, y) = (random_matrix(23, 17, 1), random_matrix(11, 17, 2));
        let expected = Array2::from_shape_fn((23, 11), |(i, j)| {
            x.row(i)
                .iter()
                .zip(y.row(j))
                .map(|(a, b)| (a - b) * (a - b))
                .sum()
        });
        assert_close(
            &squared_euclidean_matrix(x.view(), y.view()),
            &expected,
            1e-12,
        );
    }

    #[test]
    fn equal_rows_far_from_the_origin_are_at_distance_zero_and_near_ones_keep_their_digits() {
        let x = random_matrix(6, 5, 3).mapv(|value| (value * 1024.0).round() / 1024.0) + 1e8;
        let mut y = x.clone();
        y[[0, 0]] += 0.5;
        let distances = squared_euclidean_matrix(x.view(), y.view());
        assert_eq!(distances[[0, 0]], 0.25);
        assert!((1..6).all(|i| distances[[i, i]] == 0.0));
        assert!(distances.iter().all(|&distance| distance >= 0.0));
    }

    #[test]
    fn norms_of_dense_and_sparse_rows_agree() {
        let sparse = random_sparse(7, 9, 0.4, 4);
        let dense = sparse.view().to_dense();
        let expected = dense.map_axis(ndarray::Axis(1), |row| row.dot(&row));
        assert_close(&squared_norms(Rows::Dense(dense.view())), &expected, 1e-12);
        assert_close(
            &squared_norms(Rows::Sparse(sparse.view())),
            &expected,
            1e-12,
        );
    }
}
