//! Weight, mean and centred squares of each column, in pieces that can be merged.

use super::gram::check_weights;
use super::moments::{dense_offset, origin, overflow};
use super::sparse_scatter::SparseColumns;
use didact_core::{Result, Rows, Run, parallel};
use ndarray::{Array1, ArrayView1, Zip, s};
use serde::{Deserialize, Serialize};

/// The weight W, the means μ and the sums Σ w·(x−μ)² of the columns of some rows: the diagonal
/// of [`Moments`](super::Moments), in time and memory linear in the columns.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::linalg::Variances;
/// use ndarray::array;
/// let x = array![[1.0, 5.0], [3.0, 5.0]];
/// let variances = Variances::summarise(Rows::Dense(x.view()), None, &Run::new())?;
/// assert_eq!(variances.variance(), array![1.0, 0.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variances {
    /// The sum of the weights, the number of rows where they are not weighted.
    pub weight: f64,
    /// The mean of each column.
    pub mean: Array1<f64>,
    /// The centred sum of squares of each column.
    pub sum_squares: Array1<f64>,
}

impl Variances {
    /// The variances of no rows.
    pub fn empty(n_columns: usize) -> Self {
        Variances {
            weight: 0.0,
            mean: Array1::zeros(n_columns),
            sum_squares: Array1::zeros(n_columns),
        }
    }

    /// Sums up the rows, each as often as its weight says.
    ///
    /// # Panics
    /// When there is not one weight per row.
    pub fn summarise(
        rows: Rows<'_>,
        weights: Option<ArrayView1<'_, f64>>,
        run: &Run,
    ) -> Result<Self> {
        check_weights(rows, weights);
        let d = rows.n_columns();
        let origin = origin(rows, None, weights);
        let chunk = match rows {
            Rows::Dense(_) => ((1 << 18) / d.max(1)).clamp(64, 4096),
            // A summary has as many numbers as there are columns: the rows of a chunk should
            // store several times as many.
            Rows::Sparse(sparse) => {
                let stored = sparse.n_stored().div_ceil(sparse.n_rows().max(1));
                (8 * d / stored.max(1)).clamp(64, 1 << 16)
            }
        };
        let variances = parallel::reduce(
            rows.n_rows(),
            chunk,
            run,
            &|range| {
                let weights = weights.map(|weights| weights.slice_move(s![range.clone()]));
                Ok(summarise_piece(rows.slice(range), weights, origin.view()))
            },
            &Variances::merge,
        )?;
        let mut variances = variances.unwrap_or_else(|| Variances::empty(d));
        if variances.weight > 0.0 {
            variances.mean += &origin;
        }
        let mut values = variances.mean.iter().chain(&variances.sum_squares);
        match variances.weight.is_finite() && values.all(|value| value.is_finite()) {
            true => Ok(variances),
            false => Err(overflow()),
        }
    }

    /// What two sets of rows amount to together.
    ///
    /// # Panics
    /// When they have different numbers of columns.
    pub fn merge(mut self, other: Self) -> Self {
        if self.weight == 0.0 {
            return other;
        }
        if other.weight == 0.0 {
            return self;
        }
        let weight = self.weight + other.weight;
        let share = other.weight / weight;
        let factor = self.weight * share;
        Zip::from(&mut self.mean)
            .and(&mut self.sum_squares)
            .and(&other.mean)
            .and(&other.sum_squares)
            .for_each(|mean, squares, other_mean, other_squares| {
                let shift = other_mean - *mean;
                *mean += shift * share;
                *squares += other_squares + factor * (shift * shift);
            });
        Variances { weight, ..self }
    }

    /// Whether no mean is larger than its column varies: then products of the rows as they are, less
    /// those of the means, lose no more than a bit or two.
    pub fn are_near_zero(&self) -> bool {
        let mut columns = self.mean.iter().zip(&self.sum_squares);
        columns.all(|(mean, squares)| self.weight * mean * mean <= *squares)
    }

    /// Whether means and squares have the same columns, which a summary from elsewhere may not.
    pub fn is_consistent(&self) -> bool {
        self.mean.len() == self.sum_squares.len()
    }

    /// The variance of each column, Σ w·(x−μ)² / W; zero for no rows.
    pub fn variance(&self) -> Array1<f64> {
        match self.weight > 0.0 {
            true => &self.sum_squares / self.weight,
            false => self.sum_squares.clone(),
        }
    }
}

/// The variances of a piece, with the mean less the origin.
fn summarise_piece(
    rows: Rows<'_>,
    weights: Option<ArrayView1<'_, f64>>,
    origin: ArrayView1<'_, f64>,
) -> Variances {
    match rows {
        Rows::Sparse(sparse) => {
            let found = SparseColumns::new(sparse, weights, origin);
            Variances {
                weight: found.weight,
                sum_squares: found.sum_squares(sparse, weights),
                mean: found.offset,
            }
        }
        Rows::Dense(dense) => {
            let (weight, offset) = dense_offset(dense, weights, origin);
            let mean = &offset + &origin;
            let mut sum_squares = Array1::<f64>::zeros(dense.ncols());
            for (index, row) in dense.rows().into_iter().enumerate() {
                let w = weights.map_or(1.0, |weights| weights[index]);
                Zip::from(&mut sum_squares)
                    .and(&row)
                    .and(&mean)
                    .for_each(|sum, value, mean| {
                        let difference = value - mean;
                        *sum += w * difference * difference;
                    });
            }
            Variances {
                weight,
                mean: offset,
                sum_squares,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Moments;
    use didact_core::Csr;
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use proptest::prelude::*;

    #[test]
    fn they_are_the_diagonal_of_the_moments() {
        // Positive values: a mean of zero would have no digits to compare.
        let x = random_sparse(9000, 4, 0.5, 1)
            .view()
            .to_dense()
            .mapv(f64::abs);
        let sparse = Csr::from_dense(x.view());
        let weights = random_matrix(9000, 1, 2).column(0).mapv(f64::abs);
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            for weights in [None, Some(weights.view())] {
                let moments = Moments::summarise(rows, weights, &Run::new()).unwrap();
                let variances = Variances::summarise(rows, weights, &Run::new()).unwrap();
                assert_close(&variances.mean, &moments.mean, 1e-12);
                assert_close(
                    &variances.sum_squares,
                    &moments.scatter.diag().to_owned(),
                    1e-12,
                );
            }
        }
    }

    #[test]
    fn data_shifted_by_a_hundred_million_keep_their_variance_and_constants_have_none() {
        let mut x = random_matrix(5000, 2, 3).mapv(|value| (value * 1024.0).round() / 1024.0);
        let near = Variances::summarise(Rows::Dense(x.view()), None, &Run::new()).unwrap();
        x += 1e8;
        x.column_mut(1).fill(0.1);
        let sparse = Csr::from_dense(x.view());
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            let far = Variances::summarise(rows, None, &Run::new()).unwrap();
            assert!((far.variance()[0] / near.variance()[0] - 1.0).abs() < 1e-12);
            assert_eq!((far.mean[1], far.variance()[1]), (0.1, 0.0));
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let x = random_matrix(20_000, 3, 4);
        let summary = |threads: usize| {
            let run = Run::new().threads(threads);
            run.install(|| Variances::summarise(Rows::Dense(x.view()), None, &run))
                .unwrap()
        };
        assert_eq!(summary(1), summary(3));
    }

    proptest! {
        #[test]
        fn merging_any_cut_gives_the_whole(n in 2usize..60, cut in 0.0..1.0, seed: u64) {
            let x = random_matrix(n, 3, seed);
            let rows = Rows::Dense(x.view());
            let cut = (cut * n as f64) as usize;
            let part = |range| Variances::summarise(rows.slice(range), None, &Run::new()).unwrap();
            let merged = part(0..cut).merge(part(cut..n));
            assert_close(&merged.sum_squares, &part(0..n).sum_squares, 1e-12);
            assert_close(&merged.mean, &part(0..n).mean, 1e-12);
        }
    }
}
