//! Functions to be minimised by the tests of several modules.

use ndarray::Array2;

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
