//! Several classes as contests of one against the rest.

use crate::known::Known;
use didact_core::Classes;
use didact_math::numeric::argmax;
use ndarray::{Array2, ArrayView1};

/// For each contest the sign of every row whose class is known: one contest of the second against
/// the first of two classes, else one of each class against the rest. There is none about a class
/// without rows.
pub(super) fn contests(known: &Known<'_>) -> Vec<Option<Vec<Option<f64>>>> {
    let counts = known.counts();
    let contest = |class: usize| {
        let sign =
            |label: &Option<usize>| label.map(|label| if label == class { 1.0 } else { -1.0 });
        (counts[class] > 0).then(|| known.labels.iter().map(sign).collect())
    };
    match known.n_classes {
        2 => vec![contest(1)],
        classes => (0..classes).map(contest).collect(),
    }
}

/// The number of contests between so many classes.
pub(super) fn n_contests(classes: &Classes) -> usize {
    match classes.len() {
        2 => 1,
        more => more,
    }
}

/// Puts the scores of contests side by side; a class that was in none is below all others.
pub(super) fn side_by_side(n_rows: usize, columns: Vec<Option<Vec<f64>>>) -> Array2<f64> {
    let mut scores = Array2::zeros((n_rows, columns.len()));
    for row in 0..n_rows {
        let present = columns.iter().flatten().map(|column| column[row]);
        let lowest = present.fold(f64::INFINITY, f64::min) - 1.0;
        for (class, column) in columns.iter().enumerate() {
            scores[[row, class]] = column.as_ref().map_or(lowest, |column| column[row]);
        }
    }
    scores
}

/// The class of some scores: the sign of one decides between two, else the largest wins.
pub(super) fn best(scores: ArrayView1<'_, f64>) -> usize {
    match scores.len() {
        1 => usize::from(scores[0] >= 0.0),
        _ => argmax(scores.iter().copied()).unwrap_or(0),
    }
}

/// The known class of each row, or the best one of its scores.
pub(super) fn completed(labels: &[Option<usize>], scores: &Array2<f64>) -> Vec<usize> {
    let rows = scores.rows().into_iter().zip(labels);
    rows.map(|(scores, label)| label.unwrap_or_else(|| best(scores)))
        .collect()
}

/// How many of so many rows are positive: at least one of each sign, where there are two rows.
pub(super) fn positives_of(share: f64, rows: usize) -> usize {
    let count = (share * rows as f64).round() as usize;
    match rows {
        ..2 => count.min(rows),
        _ => count.clamp(1, rows - 1),
    }
}
