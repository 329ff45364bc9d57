//! The ways to the axes: each turns rows into eigenvalues and eigenvectors of their scatter.

use super::deflation::leading_eigenpairs;
use super::{Components, Pca, SvdSolver};
use didact_core::random::generator;
use didact_core::{CsrView, Error, Result, Rows, Run, Samples};
use didact_math::linalg::{
    Eigen, Moments, ScatterOperator, TruncatedSvdOptions, Variances, a_times_at, fix_signs,
    leading_eigen, orthonormal_basis, rows_times, rows_times_vector, symmetric_eigen_within,
    thin_svd_within, transposed_rows_times, truncated_svd,
};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};

/// Mean, eigenvalues and axes of the scatter matrix S = Σ w·(x−μ)(x−μ)ᵀ of some rows.
pub(super) struct Spectrum {
    pub(super) n_rows: usize,
    pub(super) weight: f64,
    pub(super) mean: Array1<f64>,
    /// The trace of S, also where not all eigenvalues are known.
    pub(super) total: f64,
    /// The eigenvalues of S that were found, in falling order.
    pub(super) eigenvalues: Array1<f64>,
    /// The axes to keep, one per row.
    pub(super) axes: Array2<f64>,
}

impl Spectrum {
    /// From rows that all count.
    pub(super) fn of_rows(pca: &Pca, samples: &Samples<'_>, run: &Run) -> Result<Self> {
        let (n, d) = (samples.n_rows(), samples.n_columns());
        let wanted = pca.n_components.fixed(n.min(d))?;
        let solver = choose(pca.svd_solver, samples, wanted)?;
        let small_covariance = d <= n && solver == SvdSolver::Deflation;
        if solver == SvdSolver::CovarianceEigh || small_covariance {
            let moments = Moments::summarise(samples.rows(), samples.weights(), run)?;
            return Spectrum::of_moments(pca, moments, n, run);
        }
        let columns = Variances::summarise(samples.rows(), samples.weights(), run)?;
        let total = columns.sum_squares.sum();
        let rows = || Centred::new(samples, columns.mean.view());
        let (eigenvalues, axes) = match solver {
            SvdSolver::Full => by_singular_values(&rows(), pca.n_components, total, run)?,
            SvdSolver::Randomized => {
                let count = wanted.unwrap_or(n.min(d));
                by_random_projection(samples, &columns, count, pca.random_state, run)?
            }
            SvdSolver::Lanczos => {
                let count = wanted.unwrap_or(n.min(d));
                by_products(&rows(), count, pca.random_state, run)?
            }
            _ => by_scalar_products(&rows(), pca, total, run)?,
        };
        Spectrum {
            n_rows: n,
            weight: columns.weight,
            total,
            eigenvalues,
            axes,
            mean: columns.mean,
        }
        .tidied()
    }

    /// From the moments of `n_rows` rows.
    pub(super) fn of_moments(
        pca: &Pca,
        moments: Moments,
        n_rows: usize,
        run: &Run,
    ) -> Result<Self> {
        let limit = n_rows.min(moments.mean.len());
        let total = moments.scatter.diag().sum();
        let wanted = pca.n_components.fixed(limit)?;
        let eigen = decompose(pca.svd_solver, moments.scatter.view(), wanted, limit, run)?;
        let (eigenvalues, vectors) = leading(eigen, pca.n_components, wanted, total)?;
        Spectrum {
            n_rows,
            weight: moments.weight,
            mean: moments.mean,
            total,
            eigenvalues,
            axes: vectors.t().as_standard_layout().into_owned(),
        }
        .tidied()
    }

    /// Settles what the mathematics leaves open (signs) and what rounding leaves behind
    /// (eigenvalues below zero).
    fn tidied(mut self) -> Result<Self> {
        fix_signs(self.axes.view_mut(), None);
        self.eigenvalues.mapv_inplace(|value| value.max(0.0));
        let finite = self.eigenvalues.iter().chain(&self.axes);
        match self.total.is_finite() && finite.into_iter().all(|value| value.is_finite()) {
            true => Ok(self),
            false => Err(Error::numerical(
                "the variance of the rows is too large for floating point; \
                 divide the columns by a power of ten so that their values stay below 1e150",
            )),
        }
    }
}

/// A square matrix of this side takes three gigabytes and its decomposition an hour.
const LARGEST_SIDE: usize = 20_000;

/// Settles `Auto` and refuses what a way cannot do.
fn choose(solver: SvdSolver, samples: &Samples<'_>, wanted: Option<usize>) -> Result<SvdSolver> {
    let (n, d, sparse) = (
        samples.n_rows(),
        samples.n_columns(),
        samples.rows().is_sparse(),
    );
    let weighted_sparse = sparse && samples.weights().is_some();
    let solver = match solver {
        SvdSolver::Auto => automatic(n, d, wanted, sparse),
        other => other,
    };
    let side = match solver {
        SvdSolver::CovarianceEigh => d,
        SvdSolver::Gram => n,
        SvdSolver::Deflation => n.min(d),
        _ => 0,
    };
    if side > LARGEST_SIDE {
        return Err(Error::data(format!(
            "an exact decomposition would need a matrix of {side} rows and columns, more than \
             {LARGEST_SIDE}; ask for few axes with n_components and svd_solver = lanczos"
        )));
    }
    match solver {
        SvdSolver::Full if sparse => Err(Error::parameter(
            "svd_solver",
            "full",
            "it needs dense rows; sparse rows take auto, covariance-eigh, gram, randomized, \
             deflation or lanczos",
        )),
        SvdSolver::Randomized if weighted_sparse => Err(Error::parameter(
            "svd_solver",
            "randomized",
            "it does not take sparse rows with weights; they take auto, covariance-eigh, gram \
             or deflation",
        )),
        SvdSolver::Randomized | SvdSolver::Lanczos if wanted.is_none() => Err(Error::parameter(
            "svd_solver",
            if solver == SvdSolver::Lanczos {
                "lanczos"
            } else {
                "randomized"
            },
            "a share of the variance needs all eigenvalues; give n_components as a whole number \
             or use auto",
        )),
        other => Ok(other),
    }
}

/// The cheapest exact way for the shape, or random projection where it costs far less than any.
fn automatic(n: usize, d: usize, wanted: Option<usize>, sparse: bool) -> SvdSolver {
    let (small, size) = (n.min(d) as f64, n as f64 * d as f64);
    let exact = size * small / 2.0 + 10.0 * small.powi(3);
    // Four passes back and forth over the data with ten more directions than wanted, and a half
    // with all five subspaces; the answer is approximate, so it has to be three times cheaper.
    let random = wanted.map_or(f64::INFINITY, |count| {
        3.0 * 14.0 * size * (count + 10) as f64
    });
    match () {
        () if n.max(d) <= 500 && !sparse => SvdSolver::Full,
        () if sparse
            && small > 500.0
            && wanted.is_some_and(|count| 5 * (count + 10) < n.min(d)) =>
        {
            SvdSolver::Lanczos
        }
        () if !sparse && small > 500.0 && random < exact => SvdSolver::Randomized,
        () if d <= n => SvdSolver::CovarianceEigh,
        () => SvdSolver::Gram,
    }
}

/// The eigenvalues of a scatter or Gram matrix, at most `limit` of which are not zero.
fn decompose(
    solver: SvdSolver,
    matrix: ArrayView2<'_, f64>,
    wanted: Option<usize>,
    limit: usize,
    run: &Run,
) -> Result<Eigen> {
    if solver == SvdSolver::Deflation {
        return leading_eigenpairs(matrix, wanted.unwrap_or(limit), run);
    }
    // The scalar products of many rows with few columns have few eigenvalues besides zero, and a
    // Krylov space reaches each of them in as many steps: limit²·n² instead of n³.
    if limit * limit <= matrix.nrows() {
        return leading_eigenpairs(matrix, limit, run);
    }
    let mut eigen = symmetric_eigen_within(matrix, run)?;
    eigen.values = eigen.values.slice_move(s![..limit]);
    Ok(eigen)
}

/// All eigenvalues and as many eigenvectors, as columns, as are to be kept.
fn leading(
    eigen: Eigen,
    components: Components,
    wanted: Option<usize>,
    total: f64,
) -> Result<(Array1<f64>, Array2<f64>)> {
    let count = match wanted {
        Some(count) => count,
        None => components.choose(eigen.values.view(), total)?,
    };
    Ok((eigen.values, eigen.vectors.slice_move(s![.., ..count])))
}

/// The rows A = √w·(x−μ): written out where they are dense, implicit where they are sparse.
enum Centred<'a> {
    Dense(Array2<f64>),
    Sparse {
        rows: CsrView<'a>,
        mean: ArrayView1<'a, f64>,
        roots: Option<Array1<f64>>,
    },
}

impl<'a> Centred<'a> {
    fn new(samples: &'a Samples<'_>, mean: ArrayView1<'a, f64>) -> Self {
        let roots = samples.weights().map(|weights| weights.mapv(f64::sqrt));
        match samples.rows() {
            Rows::Sparse(rows) => Centred::Sparse { rows, mean, roots },
            Rows::Dense(rows) => {
                let mut centred = &rows - &mean;
                if let Some(roots) = roots {
                    centred *= &roots.insert_axis(Axis(1));
                }
                Centred::Dense(centred)
            }
        }
    }

    /// A·Aᵀ.
    fn scalar_products(&self, run: &Run) -> Result<Array2<f64>> {
        match self {
            Centred::Dense(rows) => a_times_at(rows.view(), run),
            Centred::Sparse { rows, mean, roots } => {
                sparse_scalar_products(*rows, *mean, roots.as_ref(), run)
            }
        }
    }

    /// Aᵀ·B.
    fn transposed_times(&self, b: ArrayView2<'_, f64>, run: &Run) -> Result<Array2<f64>> {
        match self {
            Centred::Dense(rows) => transposed_rows_times(Rows::Dense(rows.view()), b, run),
            Centred::Sparse { rows, mean, roots } => {
                let mut b = b.to_owned();
                if let Some(roots) = roots {
                    b *= &roots.view().insert_axis(Axis(1));
                }
                let mut product = transposed_rows_times(Rows::Sparse(*rows), b.view(), run)?;
                let sums = b.sum_axis(Axis(0));
                for (mut row, &mean) in product.rows_mut().into_iter().zip(mean) {
                    row.scaled_add(-mean, &sums);
                }
                Ok(product)
            }
        }
    }
}

/// √w·√w′·(x−μ)·(x′−μ) for all pairs of sparse rows, of which few at a time are written out.
fn sparse_scalar_products(
    rows: CsrView<'_>,
    mean: ArrayView1<'_, f64>,
    roots: Option<&Array1<f64>>,
    run: &Run,
) -> Result<Array2<f64>> {
    let n = rows.n_rows();
    let block = ((1 << 22) / rows.n_columns().max(1)).clamp(1, 256);
    let to_mean = rows_times_vector(Rows::Sparse(rows), mean, run)?;
    let mean_square = mean.dot(&mean);
    let mut products = Array2::zeros((n, n));
    for start in (0..n).step_by(block) {
        let end = (start + block).min(n);
        let written = rows.slice(start..end).to_dense();
        let part = rows_times(Rows::Sparse(rows), written.t(), run)?;
        products.slice_mut(s![.., start..end]).assign(&part);
    }
    for i in 0..n {
        for j in 0..n {
            let scale = roots.map_or(1.0, |roots| roots[i] * roots[j]);
            let centred = products[[i, j]] - (to_mean[i] + to_mean[j]) + mean_square;
            products[[i, j]] = scale * centred;
        }
    }
    Ok(products)
}

/// Singular vectors of the centred rows: A = U·s·Vᵀ has S = V·s²·Vᵀ.
fn by_singular_values(
    rows: &Centred<'_>,
    components: Components,
    total: f64,
    run: &Run,
) -> Result<(Array1<f64>, Array2<f64>)> {
    let Centred::Dense(rows) = rows else {
        return Err(Error::unsupported("a full decomposition needs dense rows"));
    };
    let svd = thin_svd_within(rows.view(), run)?;
    let eigenvalues = svd.singular_values.mapv(|value| value * value);
    let count = components.choose(eigenvalues.view(), total)?;
    Ok((eigenvalues, svd.vt.slice_move(s![..count, ..])))
}

/// The Gram trick: A·Aᵀ·u = λ·u gives S·(Aᵀu) = λ·(Aᵀu), so that an n×n problem is enough.
fn by_scalar_products(
    rows: &Centred<'_>,
    pca: &Pca,
    total: f64,
    run: &Run,
) -> Result<(Array1<f64>, Array2<f64>)> {
    let products = rows.scalar_products(run)?;
    let limit = match rows {
        Centred::Dense(rows) => rows.nrows().min(rows.ncols()),
        Centred::Sparse { rows, .. } => rows.n_rows().min(rows.n_columns()),
    };
    let wanted = pca.n_components.fixed(limit)?;
    let eigen = decompose(pca.svd_solver, products.view(), wanted, limit, run)?;
    let (eigenvalues, vectors) = leading(eigen, pca.n_components, wanted, total)?;
    // The length of Aᵀu is √λ. Orthonormalising instead of dividing by it keeps the axes of tiny
    // eigenvalues orthogonal and gives those of zero eigenvalues some direction of their own.
    let axes = orthonormal_basis(rows.transposed_times(vectors.view(), run)?.view())?;
    Ok((eigenvalues, axes.t().as_standard_layout().into_owned()))
}

/// The leading eigenvectors of S = AᵀA, found by products of A with vectors.
fn by_products(
    rows: &Centred<'_>,
    count: usize,
    seed: u64,
    run: &Run,
) -> Result<(Array1<f64>, Array2<f64>)> {
    let d = match rows {
        Centred::Dense(rows) => rows.ncols(),
        Centred::Sparse { rows, .. } => rows.n_columns(),
    };
    let weights = match rows {
        Centred::Sparse { roots, .. } => roots.as_ref().map(|roots| roots * roots),
        Centred::Dense(_) => None,
    };
    let generator = &mut generator(seed, 0);
    let eigen = match rows {
        Centred::Sparse { rows, mean, .. } => {
            let weights = weights.as_ref().map(|weights| weights.view());
            let scatter = ScatterOperator::new(*rows, *mean, weights);
            let apply = |v: ArrayView2<'_, f64>| scatter.times_rows(v, run);
            leading_eigen(d, apply, count, 1e-10, generator, run)?
        }
        Centred::Dense(dense) => {
            let apply = |v: ArrayView2<'_, f64>| {
                let scores = rows_times(Rows::Dense(dense.view()), v.t(), run)?;
                let product = transposed_rows_times(Rows::Dense(dense.view()), scores.view(), run)?;
                Ok(product.t().as_standard_layout().into_owned())
            };
            leading_eigen(d, apply, count, 1e-10, generator, run)?
        }
    };
    Ok((
        eigen.values,
        eigen.vectors.t().as_standard_layout().into_owned(),
    ))
}

/// The leading singular vectors, found in a random subspace.
fn by_random_projection(
    samples: &Samples<'_>,
    columns: &Variances,
    count: usize,
    seed: u64,
    run: &Run,
) -> Result<(Array1<f64>, Array2<f64>)> {
    let options = TruncatedSvdOptions::new(count);
    let mut generator = generator(seed, 0);
    let centred = samples
        .weights()
        .map(|_| Centred::new(samples, columns.mean.view()));
    let svd = match &centred {
        Some(Centred::Dense(rows)) => {
            truncated_svd(Rows::Dense(rows.view()), None, options, &mut generator, run)?
        }
        _ => truncated_svd(samples.rows(), Some(columns), options, &mut generator, run)?,
    };
    Ok((svd.singular_values.mapv(|value| value * value), svd.vt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pca::testing::rows_with_spectrum;
    use didact_core::{Csr, Fit, Transform};
    use didact_math::linalg::thin_svd;
    use didact_testing::assert_close;

    const EXACT: [SvdSolver; 5] = [
        SvdSolver::Lanczos,
        SvdSolver::CovarianceEigh,
        SvdSolver::Full,
        SvdSolver::Gram,
        SvdSolver::Deflation,
    ];

    fn with(svd_solver: SvdSolver, n_components: Components) -> Pca {
        Pca {
            n_components,
            svd_solver,
            ..Pca::default()
        }
    }

    // 002a:PCA03 PCA04 PCA05, 003:P58 P59, 004:M22 M57: covariance, SVD, deflation and Gram
    // matrix lead to the same axes; λ = s²/n, with the 1/n that one text forgets.
    #[test]
    fn all_exact_ways_agree_for_tall_and_wide_rows() {
        for (n, d) in [(40, 7), (7, 40), (12, 12)] {
            let x = rows_with_spectrum(n, d, 1);
            let rank = (n - 1).min(d);
            let reference = with(SvdSolver::Full, Components::Count(rank))
                .fit(Samples::from(&x))
                .unwrap();
            let centred = &x - reference.mean();
            let singular = thin_svd(centred.view()).unwrap().singular_values;
            let expected = singular.mapv(|s| s * s / n as f64);
            for solver in EXACT {
                let model = with(solver, Components::Count(rank))
                    .fit(Samples::from(&x))
                    .unwrap();
                let kept = expected.slice(s![..rank]).to_owned();
                assert_close(model.explained_variance(), &kept, 1e-12);
                assert_close(model.components(), reference.components(), 1e-9);
            }
        }
    }

    // 004:M58: among orthonormal W the trace of WᵀCW is largest for the leading eigenvectors.
    #[test]
    fn no_other_orthonormal_axes_keep_more_variance() {
        let x = rows_with_spectrum(60, 6, 2);
        let model = with(SvdSolver::Auto, Components::Count(2))
            .fit(Samples::from(&x))
            .unwrap();
        let moments = Moments::summarise(Rows::Dense(x.view()), None, &Run::new()).unwrap();
        let covariance = moments.scatter / 60.0;
        let kept = |axes: &Array2<f64>| axes.dot(&covariance).dot(&axes.t()).diag().sum();
        let best = kept(model.components());
        assert!((best - model.explained_variance().sum()).abs() < 1e-12 * best);
        for seed in 0..20 {
            let other = rows_with_spectrum(6, 2, 100 + seed);
            let other = orthonormal_basis(other.view()).unwrap();
            assert!(kept(&other.t().to_owned()) <= best * (1.0 + 1e-12));
        }
    }

    // 002a:PCA04 EX01: 37 pictures of 320×240×3 values, through a 37×37 matrix.
    #[test]
    fn pictures_with_230400_values_need_no_square_matrix_of_that_size() {
        let x = Array2::from_shape_fn((37, 320 * 240 * 3), |(i, j)| {
            ((i + 1) as f64 * 0.37 + j as f64 * 1e-3).sin() + ((i * 7919 + j) % 97) as f64 * 1e-3
        });
        let model = with(SvdSolver::Auto, Components::Count(2))
            .fit(Samples::from(&x))
            .unwrap();
        assert_eq!(model.components().dim(), (2, 230_400));
        // Two scores stand for a picture: more than 99 % of its numbers are saved.
        let scores = model.transform(&x).unwrap().into_dense();
        assert_eq!(scores.nrows(), 37);
        let saved = 1.0 - scores.ncols() as f64 / x.ncols() as f64;
        assert!(saved > 0.99);
        let product = model.components().dot(&model.components().t());
        assert_close(&product, &Array2::eye(2), 1e-12);
    }

    #[test]
    fn sparse_rows_have_the_axes_of_the_same_rows_written_out() {
        for (n, d) in [(40, 7), (7, 40)] {
            let dense = rows_with_spectrum(n, d, 3).mapv(|x| if x > 0.5 { x } else { 0.0 });
            let sparse = Csr::from_dense(dense.view());
            let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
            for weights in [None, Some(&weights)] {
                for solver in [SvdSolver::CovarianceEigh, SvdSolver::Gram, SvdSolver::Auto] {
                    let fit = |samples: Samples<'_>| {
                        with(solver, Components::Count(3)).fit(samples).unwrap()
                    };
                    let (a, b) = match weights {
                        None => (fit(Samples::from(&dense)), fit(Samples::from(&sparse))),
                        Some(weights) => (
                            fit(Samples::from(&dense).weighted(weights).unwrap()),
                            fit(Samples::from(&sparse).weighted(weights).unwrap()),
                        ),
                    };
                    assert_close(a.explained_variance(), b.explained_variance(), 1e-12);
                    assert_close(a.components(), b.components(), 1e-9);
                }
            }
        }
    }

    #[test]
    fn random_projection_and_products_find_the_leading_axes_of_dense_and_sparse_rows() {
        let x = rows_with_spectrum(80, 60, 4);
        let sparse = Csr::from_dense(x.view());
        let exact = with(SvdSolver::Full, Components::Count(4))
            .fit(Samples::from(&x))
            .unwrap();
        for solver in [SvdSolver::Randomized, SvdSolver::Lanczos] {
            for samples in [Samples::from(&x), Samples::from(&sparse)] {
                let model = with(solver, Components::Count(4)).fit(samples).unwrap();
                assert_close(model.explained_variance(), exact.explained_variance(), 1e-9);
                assert_close(model.components(), exact.components(), 1e-6);
                assert!((model.noise_variance() / exact.noise_variance() - 1.0).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn what_a_way_cannot_do_is_said() {
        let x = rows_with_spectrum(9, 4, 5);
        let sparse = Csr::from_dense(x.view());
        let full = with(SvdSolver::Full, Components::All).fit(Samples::from(&sparse));
        assert!(
            full.unwrap_err()
                .to_string()
                .starts_with("svd_solver is full; it needs dense")
        );
        let share = with(SvdSolver::Randomized, Components::Share(0.5)).fit(Samples::from(&x));
        assert!(
            share
                .unwrap_err()
                .to_string()
                .starts_with("svd_solver is randomized; a share")
        );
        let weights = [1.0; 9];
        let weighted = Samples::from(&sparse).weighted(&weights).unwrap();
        assert!(
            with(SvdSolver::Randomized, Components::All)
                .fit(weighted)
                .is_err()
        );
    }

    #[test]
    fn the_way_is_chosen_by_shape() {
        let few = Some(10);
        assert_eq!(automatic(150, 4, few, false), SvdSolver::Full);
        assert_eq!(
            automatic(50_000, 100, few, false),
            SvdSolver::CovarianceEigh
        );
        assert_eq!(automatic(37, 230_400, few, false), SvdSolver::Gram);
        assert_eq!(
            automatic(2000, 5000, Some(20), false),
            SvdSolver::Randomized
        );
        assert_eq!(automatic(2000, 5000, None, false), SvdSolver::Gram);
        assert_eq!(automatic(150, 4, few, true), SvdSolver::CovarianceEigh);
        assert_eq!(automatic(20_000, 2000, few, true), SvdSolver::Lanczos);
        assert_eq!(
            automatic(20_000, 2000, None, true),
            SvdSolver::CovarianceEigh
        );
    }
}
