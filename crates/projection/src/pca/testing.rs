//! What the tests of several files share.

use ndarray::{Array, Array2, Dimension};

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

/// Fails unless the arrays agree relative to the largest magnitude of the expected one.
#[track_caller]
pub(crate) fn assert_close<D: Dimension>(
    found: &Array<f64, D>,
    expected: &Array<f64, D>,
    tolerance: f64,
) {
    assert_eq!(found.shape(), expected.shape());
    let scale = expected
        .iter()
        .fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
    let errors = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let worst = errors.fold(0.0, f64::max);
    assert!(worst <= tolerance * scale, "off by {worst:e} of {scale:e}");
}
