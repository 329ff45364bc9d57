//! Rows of the Gaussian kernel, many points at a time.

use super::row::Stored;
use didact_math::vectorised::{exponential, vectorised};
use ndarray::{ArrayView2, Axis};

/// Points that are measured side by side: their sums fill enough registers to hide how long one
/// addition takes.
pub(super) const LANES: usize = 16;

/// By how much rounding may change a kernel value at most, in shares of it.
const ROUNDING: f64 = 1e-12;

/// exp(−γ‖x−y‖²), and how the distances of the points at hand are best computed.
pub(super) struct Gaussian {
    gamma: f64,
    /// What is subtracted from every point.
    origin: Vec<f64>,
    /// Whether ‖x‖² − 2x·y + ‖y‖² is accurate enough; otherwise differences are squared.
    by_products: bool,
}

/// A point about the origin, and its squared length.
pub(super) struct Point {
    values: Vec<f64>,
    square: f64,
}

/// Points packed side by side, column by column.
pub(super) struct Panels {
    n_columns: usize,
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl Gaussian {
    pub(super) fn new(gamma: f64, x: ArrayView2<'_, f64>) -> Self {
        let mean = x.mean_axis(Axis(0)).unwrap_or_default();
        let mut farthest = vec![0.0_f64; x.ncols()];
        for row in x.rows() {
            for ((most, value), mean) in farthest.iter_mut().zip(row).zip(&mean) {
                *most = most.max((value - mean).abs());
            }
        }
        // No point is longer. Each of the three sums errs by d·ε/2 times this square at most, one of
        // them twice.
        let square: f64 = farthest.iter().map(|most| most * most).sum();
        let error = gamma * 2.0 * (x.ncols() + 4) as f64 * f64::EPSILON * square;
        match error <= ROUNDING {
            true => Gaussian {
                gamma,
                origin: mean.to_vec(),
                by_products: true,
            },
            // Differences of the points themselves are exact where they are near.
            false => Gaussian {
                gamma,
                origin: vec![0.0; x.ncols()],
                by_products: false,
            },
        }
    }

    /// Packs rows; the places that remain in the last panel hold zeros.
    pub(super) fn pack<'a>(&self, rows: impl ExactSizeIterator<Item = &'a [f64]>) -> Panels {
        let n_columns = self.origin.len();
        let panels = rows.len().div_ceil(LANES);
        let mut values = vec![0.0; panels * LANES * n_columns];
        for (index, row) in rows.enumerate() {
            let first = first_value(index, n_columns);
            for (column, (value, origin)) in row.iter().zip(&self.origin).enumerate() {
                values[first + column * LANES] = value - origin;
            }
        }
        let mut squares = vec![0.0; panels * LANES];
        vectorised(
            #[inline(always)]
            || sum_squares(n_columns, &values, &mut squares),
        );
        Panels {
            n_columns,
            values,
            squares,
        }
    }

    /// Writes exp(−γ‖x−y‖²) for the points y from `first` on, which begins a panel.
    ///
    /// All sums run column by column, so equal points are exactly one and the value of a pair does
    /// not depend on where the two stand.
    pub(super) fn fill<T: Stored>(&self, x: &Point, panels: &Panels, first: usize, out: &mut [T]) {
        let values = &panels.values[first * panels.n_columns..];
        let squares = &panels.squares[first..];
        vectorised(
            #[inline(always)]
            || match self.by_products {
                true => fill::<T, true>(x, self.gamma, values, squares, out),
                false => fill::<T, false>(x, self.gamma, values, squares, out),
            },
        );
    }
}

impl Panels {
    /// One of the points.
    pub(super) fn point(&self, index: usize) -> Point {
        let values = self.values[first_value(index, self.n_columns)..].iter();
        Point {
            values: values
                .step_by(LANES)
                .take(self.n_columns)
                .copied()
                .collect(),
            square: self.squares[index],
        }
    }
}

/// Where the first column of a point is; those after it follow at a distance of [`LANES`].
fn first_value(index: usize, n_columns: usize) -> usize {
    index / LANES * LANES * n_columns + index % LANES
}

/// Σv² of each packed point, in the order of [`distances_by_products`].
#[inline(always)]
fn sum_squares(n_columns: usize, values: &[f64], squares: &mut [f64]) {
    let panels = values.chunks_exact((LANES * n_columns).max(1));
    for (panel, squares) in panels.zip(squares.as_chunks_mut::<LANES>().0) {
        for values in panel.as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                squares[lane] = values[lane].mul_add(values[lane], squares[lane]);
            }
        }
    }
}

#[inline(always)]
fn fill<T: Stored, const BY_PRODUCTS: bool>(
    x: &Point,
    gamma: f64,
    values: &[f64],
    squares: &[f64],
    output: &mut [T],
) {
    let panels = values.chunks_exact(LANES * x.values.len());
    let panels = panels.zip(squares.as_chunks::<LANES>().0);
    for ((panel, squares), output) in panels.zip(output.chunks_mut(LANES)) {
        let distances = match BY_PRODUCTS {
            true => distances_by_products(x, panel, squares),
            false => distances_by_differences(x, panel),
        };
        match output.as_chunks_mut::<LANES>() {
            ([whole], _) => {
                for lane in 0..LANES {
                    whole[lane] = T::rounded(exponential(-gamma * distances[lane]));
                }
            }
            (_, part) => {
                for (value, distance) in part.iter_mut().zip(distances) {
                    *value = T::rounded(exponential(-gamma * distance));
                }
            }
        }
    }
}

#[inline(always)]
fn distances_by_products(x: &Point, panel: &[f64], squares: &[f64; LANES]) -> [f64; LANES] {
    let mut products = [0.0; LANES];
    for (&value, others) in x.values.iter().zip(panel.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            products[lane] = value.mul_add(others[lane], products[lane]);
        }
    }
    let mut distances = [0.0; LANES];
    for lane in 0..LANES {
        let distance = (-2.0_f64).mul_add(products[lane], x.square + squares[lane]);
        distances[lane] = if distance > 0.0 { distance } else { 0.0 };
    }
    distances
}

#[inline(always)]
fn distances_by_differences(x: &Point, panel: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (&value, others) in x.values.iter().zip(panel.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            let difference: f64 = value - others[lane];
            sums[lane] = difference.mul_add(difference, sums[lane]);
        }
    }
    sums
}

/// A row of checked samples.
pub(super) fn row_of(x: ArrayView2<'_, f64>, point: usize) -> &[f64] {
    let row = x.index_axis_move(Axis(0), point);
    row.to_slice().expect("checked rows are contiguous")
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::random_matrix;

    fn row(gaussian: &Gaussian, x: ArrayView2<'_, f64>, point: usize) -> Vec<f64> {
        let panels = gaussian.pack((0..x.nrows()).map(|row| row_of(x, row)));
        let mut row = vec![0.0; x.nrows()];
        gaussian.fill(&panels.point(point), &panels, 0, &mut row);
        row
    }

    #[test]
    fn values_are_those_of_the_definition_near_the_origin_and_far_away() {
        for (offset, by_products) in [(0.0, true), (1e6, true), (1e-3, false)] {
            let mut x = random_matrix(37, 5, 1) + offset;
            if !by_products {
                // One point far away leaves products too few digits.
                x.row_mut(0).fill(1e6);
            }
            let gaussian = Gaussian::new(0.3, x.view());
            assert_eq!(gaussian.by_products, by_products);
            for point in 0..37 {
                for (other, found) in row(&gaussian, x.view(), point).into_iter().enumerate() {
                    let differences = &x.row(point) - &x.row(other);
                    let expected = (-0.3 * differences.dot(&differences)).exp();
                    assert!((found - expected).abs() <= 2e-12, "{found} {expected}");
                }
            }
        }
    }

    #[test]
    fn equal_points_are_exactly_one_and_pairs_exactly_symmetric() {
        let mut x = random_matrix(40, 7, 2) + 100.0;
        let again = x.row(3).to_owned();
        x.row_mut(21).assign(&again);
        let gaussian = Gaussian::new(0.2, x.view());
        let rows: Vec<Vec<f64>> = (0..40).map(|p| row(&gaussian, x.view(), p)).collect();
        assert_eq!((rows[3][21], rows[21][3]), (1.0, 1.0));
        for a in 0..40 {
            assert_eq!(rows[a][a], 1.0);
            assert!((0..40).all(|b| rows[a][b] == rows[b][a]));
        }
    }

    #[test]
    fn overflowing_distances_are_no_likeness() {
        let x = ndarray::array![[1e200], [-1e200], [0.0]];
        let gaussian = Gaussian::new(1.0, x.view());
        assert_eq!(row(&gaussian, x.view(), 0), [1.0, 0.0, 0.0]);
    }
}
