//! What the test files share.

use didact_core::random::generator;
use ndarray::{Array, Array2, Dimension};
use rand_distr::{Distribution, StandardNormal};

/// Independent standard normal values.
pub(crate) fn normal(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut generator))
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
    assert!(
        worst <= tolerance * scale,
        "off by {worst:e} of {scale:e}\n{found}\n{expected}"
    );
}
