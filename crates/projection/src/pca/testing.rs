//! What the tests of several files share.

use ndarray::Array2;

/// Rows that look random, with clearly different variances along every direction and a mean far
/// from zero.
pub(crate) fn rows_with_spectrum(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    use rand_distr::{Distribution, StandardNormal};
    let mut generator = didact_core::random::generator(seed, 0);
    let scores = Array2::from_shape_fn((rows, columns), |(_, j)| {
        let value: f64 = StandardNormal.sample(&mut generator);
        value * 5.0 / (1.0 + j as f64)
    });
    let turn = Array2::from_shape_fn((columns, columns), |_| {
        StandardNormal.sample(&mut generator)
    });
    let turn = didact_math::linalg::orthonormal_basis(turn.view()).unwrap();
    scores.dot(&turn) + 3.0
}
