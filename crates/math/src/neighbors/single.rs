//! Products of queries and training rows in single precision, which say which rows may be near.
//!
//! Single precision has twice as many numbers in a register, and a search only needs to know which
//! rows are certainly too far; the others are ranked in double precision. All rows are moved to the
//! mean of the training rows first, which changes no distance but keeps the rounding small.

use crate::numeric::dot;
use crate::vectorised::vectorised;
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use ndarray::{ArrayView2, Axis};

/// With fewer columns the products are too small a part of the search.
const LEAST_COLUMNS: usize = 64;

/// For fewer queries turning the training rows into single precision is not worthwhile.
const LEAST_QUERIES: usize = 24;

/// Lengths between these neither overflow nor vanish when they are squared in single precision.
const LENGTHS: std::ops::Range<f64> = 1e-10..1e15;

/// A doubt of more than this share of what the lengths add up to rules too few rows out.
const LARGEST_DOUBT: f64 = 1e-3;

/// Rows in single precision, and their squared lengths in double.
struct Side {
    values: Vec<f32>,
    squares: Vec<f64>,
    longest: f64,
}

impl Side {
    fn new(rows: ArrayView2<'_, f64>, origin: &[f64]) -> Self {
        let mut side = Side {
            values: vec![0.0; rows.len()],
            squares: Vec::with_capacity(rows.nrows()),
            longest: 0.0,
        };
        side.load(rows, origin);
        side
    }

    /// Takes other rows instead, not more than at first.
    fn load(&mut self, rows: ArrayView2<'_, f64>, origin: &[f64]) {
        let d = origin.len();
        self.squares.clear();
        let mut moved = vec![0.0; d];
        for (row, output) in rows.rows().into_iter().zip(self.values.chunks_exact_mut(d)) {
            let row = row
                .to_slice()
                .expect("dense rows of an index are contiguous");
            vectorised(
                #[inline(always)]
                || {
                    for ((moved, value), origin) in moved.iter_mut().zip(row).zip(origin) {
                        *moved = value - origin;
                    }
                    for (output, moved) in output.iter_mut().zip(&moved) {
                        *output = *moved as f32;
                    }
                },
            );
            self.squares.push(dot(&moved, &moved));
        }
        let largest = self.squares.iter().copied().fold(0.0, f64::max);
        self.longest = largest.sqrt();
    }

    fn matrix(&self, d: usize) -> MatRef<'_, f32> {
        let n = self.squares.len();
        MatRef::from_row_major_slice(&self.values[..n * d], n, d)
    }
}

/// Estimates of squared distances between some queries and some training rows.
pub(super) struct Estimates {
    origin: Vec<f64>,
    queries: Side,
    training: Option<Side>,
    products: Vec<f32>,
}

impl Estimates {
    /// For these queries, or nothing where single precision would not do; `origin` is a point in
    /// the middle of the training rows.
    pub(super) fn new(queries: ArrayView2<'_, f64>, origin: &[f64]) -> Option<Self> {
        let worthwhile = queries.ncols() >= LEAST_COLUMNS && queries.nrows() >= LEAST_QUERIES;
        if !worthwhile || !origin.iter().all(|value| value.is_finite()) {
            return None;
        }
        let queries = Side::new(queries, origin);
        LENGTHS.contains(&queries.longest).then(|| Estimates {
            origin: origin.to_vec(),
            queries,
            training: None,
            products: Vec::new(),
        })
    }

    /// Multiplies the queries with some training rows, not more than at first; false where the
    /// estimates would be of no use.
    pub(super) fn multiply(&mut self, training: ArrayView2<'_, f64>) -> bool {
        let (n, m, d) = (
            self.queries.squares.len(),
            training.nrows(),
            training.ncols(),
        );
        match &mut self.training {
            Some(side) => side.load(training, &self.origin),
            empty => *empty = Some(Side::new(training, &self.origin)),
        }
        let training = self.training.as_ref().expect("just filled");
        let sum = self.queries.longest + training.longest;
        let useful =
            LENGTHS.contains(&training.longest) && self.doubt_of(sum) <= LARGEST_DOUBT * sum * sum;
        if useful {
            self.products.resize(n * m, 0.0);
            let output = MatMut::from_row_major_slice_mut(&mut self.products[..n * m], n, m);
            let transposed = training.matrix(d).transpose();
            let queries = self.queries.matrix(d);
            matmul(output, Accum::Replace, queries, transposed, -2.0, Par::Seq);
        }
        useful
    }

    /// How far an estimate can be from the squared distance of rows whose lengths add up to s.
    ///
    /// With the unit u of single precision: turning the rows into it moves each by u times its
    /// length, which changes the squared distance by 2u·s² at most; twice the product errs by
    /// 2·d·u times the product of the lengths, which is at most s²/4. What double precision adds,
    /// also to the rank that is compared with, is a millionth of that.
    fn doubt_of(&self, sum: f64) -> f64 {
        let unit = f64::from(f32::EPSILON) / 2.0;
        1.1 * (0.5 * self.origin.len() as f64 + 4.0) * unit * sum * sum
    }

    /// How far the estimates of a query can be from the squared distances.
    pub(super) fn doubt(&self, query: usize) -> f64 {
        let training = self.training.as_ref().map_or(0.0, |side| side.longest);
        self.doubt_of(self.queries.squares[query].sqrt() + training)
    }

    /// Lists the training rows, counted from the first of those that were multiplied last, whose
    /// estimate for the query is not above the limit, with the estimate.
    pub(super) fn within(&self, query: usize, limit: f64, found: &mut Vec<(usize, f64)>) {
        const GROUP: usize = 8;
        found.clear();
        let squares = &self.training.as_ref().expect("multiplied before").squares;
        let products = &self.products[query * squares.len()..(query + 1) * squares.len()];
        let own = self.queries.squares[query];
        let limit = limit - own;
        let is_within = |square: f64, product: f32| square + f64::from(product) <= limit;
        vectorised(
            #[inline(always)]
            || {
                let groups = squares.chunks(GROUP).zip(products.chunks(GROUP));
                for (group, (squares, products)) in groups.enumerate() {
                    let pairs = || squares.iter().zip(products);
                    let count: u32 = pairs()
                        .map(|(&square, &product)| u32::from(is_within(square, product)))
                        .sum();
                    if count > 0 {
                        for (place, (&square, &product)) in pairs().enumerate() {
                            if is_within(square, product) {
                                let estimate = own + (square + f64::from(product));
                                found.push((group * GROUP + place, estimate));
                            }
                        }
                    }
                }
            },
        );
    }
}

/// A point in the middle of some rows: the mean of at most some hundred of them.
pub(super) fn middle(rows: ArrayView2<'_, f64>) -> Vec<f64> {
    let step = (rows.nrows() / 256).max(1);
    let some: Vec<usize> = (0..rows.nrows()).step_by(step).collect();
    let mut sums = vec![0.0; rows.ncols()];
    for &row in &some {
        for (sum, value) in sums.iter_mut().zip(rows.index_axis(Axis(0), row)) {
            *sum += value;
        }
    }
    let count = some.len().max(1) as f64;
    sums.iter_mut().for_each(|sum| *sum /= count);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::Metric;
    use didact_testing::random_matrix;

    #[test]
    fn no_estimate_is_further_from_the_distance_than_its_doubt() {
        for (scale, shift) in [(1.0, 0.0), (1e6, 1e7), (1e-4, 1.0)] {
            let training = random_matrix(90, 300, 1).mapv(|x| scale * x + shift);
            let queries = random_matrix(30, 300, 2).mapv(|x| scale * x + shift);
            let mut estimates = Estimates::new(queries.view(), &middle(training.view())).unwrap();
            assert!(estimates.multiply(training.view()));
            for (i, query) in queries.rows().into_iter().enumerate() {
                let doubt = estimates.doubt(i);
                let mut found = Vec::new();
                for (j, row) in training.rows().into_iter().enumerate() {
                    let rank = Metric::Euclidean
                        .ranking(query.to_slice().unwrap(), row.to_slice().unwrap());
                    assert!(doubt < 1e-3 * rank);
                    estimates.within(i, rank + doubt, &mut found);
                    assert!(found.iter().any(|&(row, _)| row == j));
                    estimates.within(i, rank - doubt, &mut found);
                    assert!(found.iter().all(|&(row, _)| row != j));
                }
            }
        }
    }

    #[test]
    fn rows_beyond_single_precision_are_left_to_double() {
        let far = random_matrix(30, 80, 1).mapv(|x| x * 1e30);
        assert!(Estimates::new(far.view(), &middle(far.view())).is_none());
        let equal = ndarray::Array2::ones((30, 80));
        assert!(Estimates::new(equal.view(), &middle(equal.view())).is_none());
    }
}
