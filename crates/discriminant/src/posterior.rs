//! From the joint log-densities of classes and row to labels and class probabilities.

use didact_math::numeric::{argmax, log_sum_exp};
use ndarray::{Array1, Array2, ArrayView1};

/// Whether a row is so far from every class that all densities, logarithms included, are out of
/// range; nothing is left to say then but the class probabilities.
fn is_beyond(joint: ArrayView1<'_, f64>) -> bool {
    joint.iter().all(|&score| score == f64::NEG_INFINITY)
}

/// The most probable class of each row, the lowest where several are equally probable.
pub(crate) fn labels(joint: &Array2<f64>, class_prior: &Array1<f64>) -> Vec<usize> {
    let favourite = argmax(class_prior.iter().copied()).unwrap_or(0);
    let best = |row: ArrayView1<'_, f64>| match is_beyond(row) {
        true => favourite,
        false => argmax(row.iter().copied()).unwrap_or(favourite),
    };
    joint.rows().into_iter().map(best).collect()
}

/// The probability of each class given the row.
pub(crate) fn probabilities(mut joint: Array2<f64>, class_prior: &Array1<f64>) -> Array2<f64> {
    for mut row in joint.rows_mut() {
        if is_beyond(row.view()) {
            row.assign(class_prior);
            continue;
        }
        // Relative to the largest, because near 10⁹ a logarithm of the sum has lost its digits.
        let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.mapv_inplace(|score| match score == largest {
            // Certain classes share what there is: ∞ − ∞ would be NaN.
            true => 1.0,
            false => (score - largest).exp(),
        });
        let total = row.sum();
        row /= total;
    }
    joint
}

/// ln p(x) = ln Σ_c p(x, c).
pub(crate) fn log_densities(joint: &Array2<f64>) -> Array1<f64> {
    let row = |row: ArrayView1<'_, f64>| match row.as_slice() {
        Some(scores) => log_sum_exp(scores),
        None => log_sum_exp(&row.to_vec()),
    };
    joint.rows().into_iter().map(row).collect()
}
