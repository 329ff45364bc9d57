//! Functions drawn from a process.

use crate::factor::Factored;
use didact_core::random::generator;
use didact_core::{Result, Run};
use didact_math::linalg::matmul;
use ndarray::{Array2, ArrayViewMut2};
use rand_distr::{Distribution, StandardNormal};

/// Functions drawn from a process, at the rows that were asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Draws {
    /// The values: a row for each row, a column for each draw.
    pub values: Array2<f64>,
    /// What was added to the diagonal of the covariance matrix to factor it; zero where it was
    /// positive definite by itself.
    pub jitter: f64,
}

/// Draws from N(mean, covariance), for each column of the mean in turn.
pub(crate) fn draw(
    mean: &Array2<f64>,
    covariance: Array2<f64>,
    n_draws: usize,
    seed: u64,
    run: &Run,
) -> Result<Draws> {
    let n = covariance.nrows();
    let Factored { factor, jitter } = Factored::of(&covariance, run)?;
    let mut values = Array2::zeros((n, n_draws * mean.ncols()));
    for (stream, column) in mean.columns().into_iter().enumerate() {
        let mut generator = generator(seed, stream as u64);
        let standard =
            Array2::from_shape_fn((n_draws, n), |_| StandardNormal.sample(&mut generator));
        let drawn = matmul(factor.lower(), standard.t());
        let places = stream * n_draws..(stream + 1) * n_draws;
        let mut part: ArrayViewMut2<'_, f64> = values.slice_mut(ndarray::s![.., places]);
        part.assign(&drawn);
        part += &column.insert_axis(ndarray::Axis(1));
    }
    Ok(Draws { values, jitter })
}
