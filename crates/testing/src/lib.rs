//! What the tests of several crates share; nothing else depends on it.

use didact_core::Csr;
use didact_core::random::generator;
use ndarray::{Array, Array2, Dimension};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// Independent standard normal values.
pub fn random_matrix(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut generator = generator(seed, 0);
    Array2::from_shape_fn((rows, columns), |_| StandardNormal.sample(&mut generator))
}

/// Normal values of which only the given share is not zero.
pub fn random_sparse(rows: usize, columns: usize, share: f64, seed: u64) -> Csr {
    let mut chance = generator(seed, 1);
    let mut dense = random_matrix(rows, columns, seed);
    dense.mapv_inplace(|value| {
        if chance.random::<f64>() < share {
            value
        } else {
            0.0
        }
    });
    Csr::from_dense(dense.view())
}

/// Fails unless the arrays agree relative to the largest magnitude of the expected one.
#[track_caller]
pub fn assert_close<D: Dimension>(found: &Array<f64, D>, expected: &Array<f64, D>, tolerance: f64) {
    assert_eq!(found.shape(), expected.shape());
    let scale = expected
        .iter()
        .fold(f64::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
    let worst = found
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(
        worst <= tolerance * scale,
        "off by {worst:e} of {scale:e}\n{found}\n{expected}"
    );
}
