//! Densities of multivariate normal distributions, for many rows at once, and draws from them.

use crate::linalg::{Cholesky, a_times_bt};
use didact_core::random::Generator;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, s};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;

/// How many rows are solved at once; centred, they stay in the cache.
const BLOCK: usize = 128;

/// The log-density of each row under the normal distribution with the given mean and the
/// covariance LLᵀ: −½(d·ln 2π + ln|LLᵀ| + ‖L⁻¹(x−μ)‖²).
///
/// ```
/// use didact_math::{gaussian::log_densities, linalg::Cholesky};
/// use ndarray::{array, Array2};
/// let unit = Cholesky::new(Array2::eye(2).view())?;
/// let density = log_densities(array![[0.0, 0.0]].view(), array![0.0, 0.0].view(), &unit);
/// assert!((density[0] + std::f64::consts::TAU.ln()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
///
/// # Panics
/// When rows, mean and covariance differ in dimension.
pub fn log_densities(
    rows: ArrayView2<'_, f64>,
    mean: ArrayView1<'_, f64>,
    covariance: &Cholesky,
) -> Array1<f64> {
    let constant = rows.ncols() as f64 * TAU.ln() + covariance.log_determinant();
    squared_mahalanobis(rows, mean, covariance).mapv_into(|square| -0.5 * (constant + square))
}

/// The squared Mahalanobis distance ‖L⁻¹(x−μ)‖² of each row from the mean.
///
/// # Panics
/// When rows, mean and covariance differ in dimension.
pub fn squared_mahalanobis(
    rows: ArrayView2<'_, f64>,
    mean: ArrayView1<'_, f64>,
    covariance: &Cholesky,
) -> Array1<f64> {
    assert_eq!(
        mean.len(),
        rows.ncols(),
        "rows and mean differ in dimension"
    );
    let mut squares = Array1::zeros(rows.nrows());
    let mut buffer = Array2::zeros((BLOCK.min(rows.nrows()), rows.ncols()));
    for (rows, mut squares) in rows
        .axis_chunks_iter(Axis(0), BLOCK)
        .zip(squares.axis_chunks_iter_mut(Axis(0), BLOCK))
    {
        let mut centred = buffer.slice_mut(s![..rows.nrows(), ..]);
        centred.assign(&rows);
        centred -= &mean;
        // The rows are the columns of the system, without a copy.
        covariance.half_solve_in_place(centred.view_mut().reversed_axes());
        for (square, row) in squares.iter_mut().zip(centred.rows()) {
            *square = row.dot(&row);
        }
    }
    squares
}

/// The log-density of each row under independent normal columns with the given means and
/// variances: −½Σⱼ(ln 2πσⱼ² + (xⱼ−μⱼ)²/σⱼ²).
///
/// # Panics
/// When rows, means and variances differ in dimension.
pub fn log_densities_diagonal(
    rows: ArrayView2<'_, f64>,
    mean: ArrayView1<'_, f64>,
    variances: ArrayView1<'_, f64>,
) -> Array1<f64> {
    assert!(
        mean.len() == rows.ncols() && variances.len() == rows.ncols(),
        "dimensions differ"
    );
    let constant: f64 = variances.iter().map(|variance| (TAU * variance).ln()).sum();
    let precisions: Vec<f64> = variances.iter().map(|variance| variance.recip()).collect();
    let mean = mean.to_vec();
    let density = |row: ArrayView1<'_, f64>| {
        let terms = row.iter().zip(&mean).zip(&precisions);
        let square: f64 = terms
            .map(|((x, mean), precision)| (x - mean) * (x - mean) * precision)
            .sum();
        -0.5 * (constant + square)
    };
    rows.rows().into_iter().map(density).collect()
}

/// The log-density of each row under the normal distribution with the given mean and the same
/// variance in every direction: −½(d·ln 2πσ² + ‖x−μ‖²/σ²).
///
/// # Panics
/// When rows and mean differ in dimension.
pub fn log_densities_spherical(
    rows: ArrayView2<'_, f64>,
    mean: ArrayView1<'_, f64>,
    variance: f64,
) -> Array1<f64> {
    let variances = Array1::from_elem(rows.ncols(), variance);
    log_densities_diagonal(rows, mean, variances.view())
}

/// Draws rows from the normal distribution with the given mean and the covariance LLᵀ, as
/// μ + L·z with z standard normal.
///
/// # Panics
/// When mean and covariance differ in dimension.
pub fn sample(
    mean: ArrayView1<'_, f64>,
    covariance: &Cholesky,
    n_rows: usize,
    generator: &mut Generator,
) -> Array2<f64> {
    let noise = Array2::from_shape_fn((n_rows, mean.len()), |_| StandardNormal.sample(generator));
    a_times_bt(noise.view(), covariance.lower()) + mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Moments;
    use didact_core::random::generator;
    use didact_core::{Rows, Run};
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;

    fn covariance(d: usize, seed: u64) -> Array2<f64> {
        let root = random_matrix(d, d + 3, seed);
        a_times_bt(root.view(), root.view())
    }

    #[test]
    fn the_density_in_one_and_two_dimensions_is_the_one_found_by_hand() {
        // N(1, 4) at 3: −½(ln 2π + ln 4 + 1).
        let factor = Cholesky::new(array![[4.0]].view()).unwrap();
        let expected = -0.5 * (TAU.ln() + 4.0_f64.ln() + 1.0);
        let found = log_densities(array![[3.0]].view(), array![1.0].view(), &factor);
        assert!((found[0] - expected).abs() < 1e-12);
        // Σ = [[2, 1], [1, 2]], |Σ| = 3, (1, 0)Σ⁻¹(1, 0)ᵀ = 2/3.
        let factor = Cholesky::new(array![[2.0, 1.0], [1.0, 2.0]].view()).unwrap();
        let found = log_densities(array![[1.0, 0.0]].view(), array![0.0, 0.0].view(), &factor);
        let expected = -0.5 * (2.0 * TAU.ln() + 3.0_f64.ln() + 2.0 / 3.0);
        assert!((found[0] - expected).abs() < 1e-12);
    }

    #[test]
    fn blocks_of_rows_agree_with_solving_row_by_row() {
        let (rows, mean) = (
            random_matrix(300, 6, 1),
            random_matrix(1, 6, 2).row(0).to_owned(),
        );
        let factor = Cholesky::new(covariance(6, 3).view()).unwrap();
        let expected: Array1<f64> = rows
            .rows()
            .into_iter()
            .map(|row| {
                let difference = &row - &mean;
                difference.dot(&factor.solve_vector(difference.view()))
            })
            .collect();
        assert_close(
            &squared_mahalanobis(rows.view(), mean.view(), &factor),
            &expected,
            1e-12,
        );
        assert_eq!(
            squared_mahalanobis(rows.slice(s![..0, ..]), mean.view(), &factor).len(),
            0
        );
    }

    #[test]
    fn diagonal_and_spherical_are_special_cases_of_the_full_covariance() {
        let (rows, mean) = (random_matrix(40, 3, 4), array![0.5, -1.0, 2.0]);
        let variances = array![0.3, 2.0, 5.0];
        let factor = Cholesky::new(Array2::from_diag(&variances).view()).unwrap();
        let full = log_densities(rows.view(), mean.view(), &factor);
        assert_close(
            &log_densities_diagonal(rows.view(), mean.view(), variances.view()),
            &full,
            1e-12,
        );
        let factor = Cholesky::new((Array2::eye(3) * 0.7).view()).unwrap();
        let full = log_densities(rows.view(), mean.view(), &factor);
        assert_close(
            &log_densities_spherical(rows.view(), mean.view(), 0.7),
            &full,
            1e-12,
        );
    }

    #[test]
    fn drawn_rows_have_the_mean_and_covariance_asked_for() {
        let n = 40_000;
        let (mean, target) = (array![1.0, -2.0, 3.0], covariance(3, 5));
        let factor = Cholesky::new(target.view()).unwrap();
        let rows = sample(mean.view(), &factor, n, &mut generator(6, 0));
        let moments = Moments::summarise(Rows::Dense(rows.view()), None, &Run::new()).unwrap();
        for i in 0..3 {
            // Five standard errors: √(σ²/n) of a mean, √((σᵢ²σⱼ² + σᵢⱼ²)/n) of a covariance.
            let allowed = 5.0 * (target[[i, i]] / n as f64).sqrt();
            assert!((moments.mean[i] - mean[i]).abs() < allowed);
            for j in 0..3 {
                let spread = target[[i, i]] * target[[j, j]] + target[[i, j]].powi(2);
                let found = moments.scatter[[i, j]] / n as f64;
                assert!((found - target[[i, j]]).abs() < 5.0 * (spread / n as f64).sqrt());
            }
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_rows() {
        let factor = Cholesky::new(Array2::eye(2).view()).unwrap();
        let draw = |seed| sample(array![0.0, 0.0].view(), &factor, 5, &mut generator(seed, 0));
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
