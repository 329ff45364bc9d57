//! The classes that have rows, and scores where some have none.

use didact_core::{Classes, Error, Labelled, Result, present_classes};
use didact_math::numeric::argmax;
use ndarray::{Array2, ArrayView2};

/// The classes that have rows, at least two.
pub(crate) fn taught_classes(data: &Labelled<'_>) -> Result<Vec<usize>> {
    present_classes(data.classes, &data.class_weights())
}

/// The class of each row of scores, one column per class; ties go to the lowest.
pub(crate) fn best_classes(scores: ArrayView2<'_, f64>) -> Vec<usize> {
    let best = |row: ndarray::ArrayView1<'_, f64>| argmax(row.iter().copied()).unwrap_or(0);
    scores.rows().into_iter().map(best).collect()
}

/// Scores as they are shown: one column for two classes, else one per class, where a class that had
/// no rows is below all others.
pub(crate) fn shown(mut scores: Array2<f64>, taught: &[usize]) -> Array2<f64> {
    if scores.ncols() == 2 {
        let difference = &scores.column(1) - &scores.column(0);
        return difference.insert_axis(ndarray::Axis(1));
    }
    bury(&mut scores, taught);
    scores
}

/// Puts classes without rows below all others.
pub(crate) fn bury(scores: &mut Array2<f64>, taught: &[usize]) {
    if taught.len() == scores.ncols() {
        return;
    }
    for mut row in scores.rows_mut() {
        let least = taught
            .iter()
            .map(|&class| row[class])
            .fold(f64::INFINITY, f64::min);
        for class in (0..row.len()).filter(|class| !taught.contains(class)) {
            row[class] = least - 1.0;
        }
    }
}

/// Whether the classes that had rows are some of all classes, in rising order.
pub(crate) fn are_sound(taught: &[usize], classes: &Classes) -> bool {
    taught.len() >= 2
        && taught.windows(2).all(|pair| pair[0] < pair[1])
        && taught.iter().all(|&class| class < classes.len())
}

/// Fails with advice where the weights of a class cannot be divided by.
pub(crate) fn ensure_positive(total: f64) -> Result<()> {
    match total > 0.0 && total.is_finite() {
        true => Ok(()),
        false => Err(Error::data(
            "the weights of a class do not add up to a positive number; give its rows larger ones",
        )),
    }
}
