//! The largest singular values of tall or sparse data, by random projection.

use super::{
    Svd, Variances, matmul, orthonormal_basis, rows_times, thin_svd, transposed_rows_times,
};
use didact_core::random::Generator;
use didact_core::{Error, Result, Rows, Run};
use ndarray::{Array2, ArrayView1, Axis, s};
use rand_distr::{Distribution, StandardNormal};

/// How [`truncated_svd`] searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TruncatedSvdOptions {
    /// How many singular values are wanted.
    pub rank: usize,
    /// How many directions more than wanted are followed; ten is usual.
    pub oversample: usize,
    /// How often the directions are sharpened by a pass back and forth over the data; each pass
    /// shrinks the share of the unwanted directions by (sᵢ/s_rank)².
    pub power_iterations: usize,
}

impl TruncatedSvdOptions {
    /// The usual settings for the wanted number of singular values.
    pub fn new(rank: usize) -> Self {
        TruncatedSvdOptions {
            rank,
            oversample: 10,
            power_iterations: 7,
        }
    }
}

/// The `rank` largest singular values of X, or of X less the mean of its columns, and their vectors.
///
/// A random subspace is sharpened by power iteration with orthonormal bases, then the small
/// matrix inside it is decomposed (Halko, Martinsson and Tropp 2011). The mean is
/// subtracted implicitly, so sparse rows stay sparse and dense ones where they are; only dense rows
/// far from the origin are copied once to be centred, because subtracting afterwards would lose
/// their digits.
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
    let mut basis = orthonormal_basis(data.times(&start, run)?.view())?;
    for _ in 0..options.power_iterations {
        // Without a fresh basis in between, all columns would turn to the first direction.
        let across = orthonormal_basis(data.transposed_times(&basis, run)?.view())?;
        run.check()?;
        basis = orthonormal_basis(data.times(&across, run)?.view())?;
    }
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
