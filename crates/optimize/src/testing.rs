//! What the tests of several modules share.

use didact_core::random::generator;
use ndarray::{Array, Array2, Dimension};
use rand_distr::{Distribution, StandardNormal};

/// Independent standard normal values.
pub(crate) fn random_matrix(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
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

/// Σ 100(xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)², least at (1, …, 1).
pub(crate) fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() - 1 {
        let (valley, slope) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * valley * valley + slope * slope;
        gradient[i] += -400.0 * valley * x[i] - 2.0 * slope;
        gradient[i + 1] += 200.0 * valley;
    }
    value
}

/// The second derivatives of [`rosenbrock`].
pub(crate) fn rosenbrock_hessian(x: &[f64], hessian: &mut Array2<f64>) {
    hessian.fill(0.0);
    for i in 0..x.len() - 1 {
        hessian[[i, i]] += 1200.0 * x[i] * x[i] - 400.0 * x[i + 1] + 2.0;
        hessian[[i + 1, i + 1]] += 200.0;
        hessian[[i, i + 1]] -= 400.0 * x[i];
        hessian[[i + 1, i]] -= 400.0 * x[i];
    }
}

/// The usual start of [`rosenbrock`]: −1.2, 1, −1.2, 1, …
pub(crate) fn valley_start(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| if i % 2 == 0 { -1.2 } else { 1.0 })
        .collect()
}
