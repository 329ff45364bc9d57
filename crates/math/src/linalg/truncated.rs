//! The largest singular values of tall or sparse data, by random projection.

use super::{
    Svd, Variances, matmul, orthonormal_basis, rows_times, thin_svd, transposed_rows_times,
};
use didact_core::random::Generator;
use didact_core::{Error, Result, Rows, Run};
use ndarray::{Array2, ArrayView1, Axis, concatenate, s};
use rand_distr::{Distribution, StandardNormal};

/// How [`truncated_svd`] searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruncatedSvdOptions {
    /// How many singular values are wanted.
    pub rank: usize,
    /// How many directions more than wanted are followed; ten is usual.
    pub oversample: usize,
    /// How often the directions are sharpened by a pass back and forth over the data. After q
    /// passes the unwanted ones have shrunk by the Chebyshev polynomial of degree q of
    /// 2·(s_rank/sᵢ)² − 1 at least.
    pub power_iterations: usize,
}

impl TruncatedSvdOptions {
    /// The usual settings for the wanted number of singular values.
    pub fn new(rank: usize) -> Self {
        TruncatedSvdOptions {
            rank,
            oversample: 10,
            power_iterations: 4,
        }
    }
}

/// The `rank` largest singular values of X, or of X less the mean of its columns, and their vectors.
///
/// A random subspace is sharpened by power iteration with orthonormal bases, and the small matrix
/// inside all subspaces on the way is decomposed (Musco and Musco 2015): where singular values
/// fall slowly, all of them together hold much more than the last one. Each is `rank + oversample`
/// columns as long as X.
///
/// The mean is subtracted implicitly, so sparse rows stay sparse and dense ones where they are;
/// only dense rows far from the origin are copied once to be centred, because subtracting
/// afterwards would lose their digits.
///
/// Fewer than `rank` values come back when X has fewer rows or columns.
///
/// # Panics
/// When the columns are not those of X.
pub fn truncated_svd(
    rows: Rows<'_>,
    columns: Option<&Variances>,
    options: TruncatedSvdOptions,
    generator: &mut Generator,
    run: &Run,
) -> Result<Svd> {
    if options.rank == 0 {
        return Err(Error::parameter("rank", 0, "it must be at least 1"));
    }
    if let Some(columns) = columns {
        assert_eq!(
            columns.mean.len(),
            rows.n_columns(),
            "the mean must have one value per column"
        );
    }
    if let (Rows::Dense(dense), Some(columns)) = (rows, columns)
        && !columns.are_near_zero()
    {
        let centred = &dense - &columns.mean;
        return truncated_svd(Rows::Dense(centred.view()), None, options, generator, run);
    }
    let mean = columns.map(|columns| columns.mean.view());
    let data = Centred { rows, mean };
    let (n, d) = (rows.n_rows(), rows.n_columns());
    let width = options
        .rank
        .saturating_add(options.oversample)
        .min(n)
        .min(d);
    let start = Array2::from_shape_fn((d, width), |_| StandardNormal.sample(generator));
    let mut subspaces = vec![orthonormal_basis(data.times(&start, run)?.view())?];
    // All directions together hold everything already.
    let sharpenings = match width == n.min(d) {
        true => 0,
        false => options.power_iterations,
    };
    for sharpened in 0..sharpenings {
        // Without a fresh basis in between, all columns would turn to the first direction.
        let across = orthonormal_basis(data.transposed_times(&subspaces[sharpened], run)?.view())?;
        run.check()?;
        subspaces.push(orthonormal_basis(data.times(&across, run)?.view())?);
    }
    let basis = joined(subspaces, n.min(d))?;
    run.check()?;
    // Xᵀ·Q = V·S·Wᵀ, hence X ≈ Q·Qᵀ·X = (Q·W)·S·Vᵀ.
    let inner = thin_svd(data.transposed_times(&basis, run)?.view())?;
    let rank = options.rank.min(width);
    Ok(Svd {
        u: matmul(basis.view(), inner.vt.slice(s![..rank, ..]).t()),
        singular_values: inner.singular_values.slice_move(s![..rank]),
        vt: inner
            .u
            .slice(s![.., ..rank])
            .t()
            .as_standard_layout()
            .into_owned(),
    })
}

/// A basis of all subspaces together, or of the sharpest ones where they have more than `most` directions.
fn joined(subspaces: Vec<Array2<f64>>, most: usize) -> Result<Array2<f64>> {
    let sharpest_first: Vec<_> = subspaces.iter().rev().map(|one| one.view()).collect();
    let columns = concatenate(Axis(1), &sharpest_first).expect("subspaces of the same rows");
    drop(subspaces);
    let count = columns.ncols().min(most);
    orthonormal_basis(columns.slice(s![.., ..count]))
}

/// Rows from which a mean is subtracted without writing the difference out.
struct Centred<'a, 'b> {
    rows: Rows<'a>,
    mean: Option<ArrayView1<'b, f64>>,
}

impl Centred<'_, '_> {
    /// (X − 1·μᵀ)·B = X·B − 1·(μᵀB).
    fn times(&self, b: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
        let mut product = rows_times(self.rows, b.view(), run)?;
        if let Some(mean) = self.mean {
            product -= &mean.dot(b);
        }
        Ok(product)
    }

    /// (X − 1·μᵀ)ᵀ·B = XᵀB − μ·(1ᵀB).
    fn transposed_times(&self, b: &Array2<f64>, run: &Run) -> Result<Array2<f64>> {
        let mut product = transposed_rows_times(self.rows, b.view(), run)?;
        if let Some(mean) = self.mean {
            let sums = b.sum_axis(Axis(0)).insert_axis(Axis(0));
            product -= &matmul(mean.insert_axis(Axis(1)), sums.view());
        }
        Ok(product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::at_times_b;
    use didact_core::random::generator;
    use didact_testing::{assert_close, random_matrix, random_sparse};
    use ndarray::Array1;

    fn columns(x: &Array2<f64>) -> Variances {
        Variances::summarise(Rows::Dense(x.view()), None, &Run::new()).unwrap()
    }

    fn truncated(rows: Rows<'_>, columns: Option<&Variances>, rank: usize) -> Svd {
        let mut generator = generator(0, 0);
        truncated_svd(
            rows,
            columns,
            TruncatedSvdOptions::new(rank),
            &mut generator,
            &Run::new(),
        )
        .unwrap()
    }

    /// Data of low rank plus a little noise, as truncation expects.
    fn low_rank() -> Array2<f64> {
        let signal = matmul(
            random_matrix(200, 4, 1).view(),
            random_matrix(4, 30, 2).view(),
        );
        signal + random_matrix(200, 30, 3) * 0.01
    }

    #[test]
    fn it_agrees_with_the_full_decomposition() {
        let x = low_rank();
        let full = thin_svd(x.view()).unwrap();
        let part = truncated(Rows::Dense(x.view()), None, 4);
        assert_close(
            &part.singular_values,
            &full.singular_values.slice(s![..4]).to_owned(),
            1e-9,
        );
        let overlap = matmul(part.vt.view(), full.vt.slice(s![..4, ..]).t()).mapv(f64::abs);
        assert_close(&overlap, &Array2::eye(4), 1e-6);
        assert_close(
            &at_times_b(part.u.view(), part.u.view()),
            &Array2::eye(4),
            1e-12,
        );
    }

    // A matrix of noise has singular values that fall slowly: power iteration alone, seven times
    // back and forth, keeps 0.981 to 0.984 of what the first ten hold (NumPy, four such matrices).
    #[test]
    fn slowly_falling_values_are_nearly_all_found() {
        let x = random_matrix(300, 700, 6);
        let full = thin_svd(x.view()).unwrap().singular_values;
        let part = truncated(Rows::Dense(x.view()), None, 10).singular_values;
        let squares = |values: ArrayView1<'_, f64>| values.dot(&values);
        let share = squares(part.view()) / squares(full.slice(s![..10]));
        assert!((0.99..=1.0).contains(&share), "{share}");
        assert!(part.iter().zip(&full).all(|(part, full)| part < full));
    }

    #[test]
    fn steeply_falling_values_keep_their_digits() {
        let turned = |size, seed| orthonormal_basis(random_matrix(size, 40, seed).view()).unwrap();
        let values = Array1::from_shape_fn(40, |i| 10f64.powf(-0.2 * i as f64));
        let x = matmul((&turned(150, 7) * &values).view(), turned(90, 8).t());
        let part = truncated(Rows::Dense(x.view()), None, 20);
        let expected = values.slice(s![..20]).to_owned();
        for (found, expected) in part.singular_values.iter().zip(&expected) {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        }
    }

    // Five subspaces of 26 directions are more than there are columns.
    #[test]
    fn subspaces_are_never_larger_than_the_data() {
        for (n, d) in [(90, 40), (40, 90)] {
            let x = random_matrix(n, d, 9);
            let full = thin_svd(x.view()).unwrap().singular_values;
            let part = truncated(Rows::Dense(x.view()), None, 16).singular_values;
            assert_close(&part, &full.slice(s![..16]).to_owned(), 1e-12);
        }
    }

    #[test]
    fn with_all_directions_it_is_exact_and_never_returns_more_than_there_are() {
        let sparse = random_sparse(40, 6, 0.5, 4);
        let x = sparse.view().to_dense();
        let full = thin_svd(x.view()).unwrap();
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            let part = truncated(rows, None, 9);
            assert_close(&part.singular_values, &full.singular_values, 1e-12);
            let restored = matmul((&part.u * &part.singular_values).view(), part.vt.view());
            assert_close(&restored, &x, 1e-12);
        }
    }

    #[test]
    fn rows_are_centred_without_being_written_out() {
        let sparse = random_sparse(300, 12, 0.3, 5);
        let x = sparse.view().to_dense();
        let columns = columns(&x);
        assert!(columns.are_near_zero());
        let expected = thin_svd((&x - &columns.mean).view()).unwrap();
        let expected = expected.singular_values;
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            assert_close(
                &truncated(rows, Some(&columns), 12).singular_values,
                &expected,
                1e-12,
            );
        }
    }

    #[test]
    fn centring_far_from_the_origin_keeps_the_digits_of_dense_rows() {
        let x = low_rank();
        let expected = thin_svd((&x - &x.mean_axis(Axis(0)).unwrap()).view())
            .unwrap()
            .singular_values;
        let far = &x + 1e8;
        let columns = columns(&far);
        let found = truncated(Rows::Dense(far.view()), Some(&columns), 3).singular_values;
        // The shifted values themselves are rounded to 1e-8.
        assert_close(&found, &expected.slice(s![..3]).to_owned(), 1e-7);
    }

    #[test]
    fn rank_zero_is_refused() {
        let x = low_rank();
        let options = TruncatedSvdOptions::new(0);
        let result = truncated_svd(
            Rows::Dense(x.view()),
            None,
            options,
            &mut generator(0, 0),
            &Run::new(),
        );
        assert_eq!(
            result.unwrap_err().to_string(),
            "rank is 0; it must be at least 1"
        );
    }
}
