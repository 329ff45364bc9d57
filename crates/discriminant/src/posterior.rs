//! From the joint log-densities of classes and row to labels and class probabilities.

use didact_math::numeric::{argmax, log_softmax_in_place, log_sum_exp};
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
        if row.iter().any(|&score| score == f64::INFINITY) {
            // Certain classes share what there is.
            row.mapv_inplace(|score| f64::from(u8::from(score == f64::INFINITY)));
            let total = row.sum();
            row /= total;
            continue;
        }
        let scores = row.as_slice_mut();
        log_softmax_in_place(scores.expect("rows of a new array are contiguous"));
        row.mapv_inplace(f64::exp);
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
