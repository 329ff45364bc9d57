//! Labels ranked by a score: how far the true ones are from the top.
//!
//! Scores become a set by a threshold ([`labels_above`]), zero by default for scores that are
//! centred there, ½ for probabilities; the ranking itself needs none.

use super::check::{check_finite, check_lengths, check_weights, weighted_mean};
use super::precision_recall::PrecisionRecallCurve;
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView1, ArrayView2};

/// The labels whose score is above the threshold; a score of exactly the threshold is on.
///
/// ```
/// use ndarray::array;
/// let sets = didact_evaluate::labels_above(array![[0.3, -1.0, 0.0]].view(), 0.0);
/// assert_eq!(sets, array![[true, false, true]]);
/// ```
pub fn labels_above(scores: ArrayView2<'_, f64>, threshold: f64) -> Array2<bool> {
    scores.mapv(|score| score >= threshold)
}

/// The threshold of [`labels_above`] with the highest F₁ over all labels together.
///
/// Choose it on validation rows: on the rows that trained the scores it is too confident.
pub fn best_label_threshold(
    truth: ArrayView2<'_, bool>,
    scores: ArrayView2<'_, f64>,
) -> Result<f64> {
    let (truth, scores): (Vec<bool>, Vec<f64>) = truth.iter().zip(&scores).unzip();
    let curve = PrecisionRecallCurve::new(&truth, &scores, None)?;
    let f1 = (0..curve.thresholds.len()).map(|place| {
        let (precision, recall) = (curve.precisions[place], curve.recalls[place]);
        match precision + recall > 0.0 {
            true => 2.0 * precision * recall / (precision + recall),
            false => 0.0,
        }
    });
    let best = didact_math::numeric::argmax(f1);
    best.map(|place| curve.thresholds[place])
        .ok_or_else(|| Error::data("there is nothing to judge: no rows were given"))
}

/// Mean share of pairs of a true and a false label that are ordered wrongly; a tie is wrong.
///
/// Rows with no true or no false label count zero.
pub fn label_ranking_loss(
    truth: ArrayView2<'_, bool>,
    scores: ArrayView2<'_, f64>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    mean_over_rows(truth, scores, weights, |truth, scores, order| {
        let positives = truth.iter().filter(|&&on| on).count();
        let pairs = positives * (truth.len() - positives);
        if pairs == 0 {
            return 0.0;
        }
        // From the highest score down: a true label is below every false one seen so far, and
        // level with those of its own score.
        let (mut false_above, mut wrong) = (0, 0);
        for level in levels(scores, order) {
            false_above += level.iter().filter(|&&label| !truth[label]).count();
            wrong += false_above * level.iter().filter(|&&label| truth[label]).count();
        }
        wrong as f64 / pairs as f64
    })
}

/// Mean number of labels one must take from the top to have every true one.
pub fn coverage_error(
    truth: ArrayView2<'_, bool>,
    scores: ArrayView2<'_, f64>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    mean_over_rows(truth, scores, weights, |truth, scores, order| {
        let (mut taken, mut needed) = (0, 0);
        for level in levels(scores, order) {
            taken += level.len();
            if level.iter().any(|&label| truth[label]) {
                needed = taken;
            }
        }
        needed as f64
    })
}

/// Share of rows whose highest-scored label is not a true one; of equal scores the first label is
/// taken.
pub fn one_error(
    truth: ArrayView2<'_, bool>,
    scores: ArrayView2<'_, f64>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    mean_over_rows(truth, scores, weights, |truth, scores, _| {
        let best = didact_math::numeric::argmax(scores.iter().copied()).unwrap_or(0);
        f64::from(u8::from(!truth[best]))
    })
}

/// Mean over the true labels of the share of true ones among those ranked as high or higher.
///
/// Rows where all labels or none are true count one.
pub fn label_ranking_average_precision(
    truth: ArrayView2<'_, bool>,
    scores: ArrayView2<'_, f64>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    mean_over_rows(truth, scores, weights, |truth, scores, order| {
        let positives = truth.iter().filter(|&&on| on).count();
        if positives == 0 || positives == truth.len() {
            return 1.0;
        }
        let (mut seen, mut found, mut total) = (0, 0, 0.0);
        for level in levels(scores, order) {
            let here = level.iter().filter(|&&label| truth[label]).count();
            seen += level.len();
            found += here;
            total += here as f64 * found as f64 / seen as f64;
        }
        total / positives as f64
    })
}

/// Runs of equal scores, from the highest down.
fn levels<'a>(
    scores: &'a ArrayView1<'_, f64>,
    order: &'a [usize],
) -> impl Iterator<Item = &'a [usize]> {
    order.chunk_by(|&left, &right| scores[left] == scores[right])
}

fn mean_over_rows(
    truth: ArrayView2<'_, bool>,
    scores: ArrayView2<'_, f64>,
    weights: Option<&[f64]>,
    figure: impl Fn(ArrayView1<'_, bool>, &ArrayView1<'_, f64>, &[usize]) -> f64,
) -> Result<f64> {
    check_lengths(truth.nrows(), scores.nrows())?;
    check_weights(weights, truth.nrows())?;
    check_finite("score", scores.iter())?;
    if truth.ncols() != scores.ncols() || truth.ncols() == 0 {
        return Err(Error::data(format!(
            "there are {} labels per row but {} scores; give as many of each, and at least one",
            truth.ncols(),
            scores.ncols()
        )));
    }
    let mut order: Vec<usize> = (0..truth.ncols()).collect();
    let values = (0..truth.nrows()).map(|row| {
        let scores = scores.row(row);
        order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        figure(truth.row(row), &scores, &order)
    });
    Ok(weighted_mean(values, weights))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, unit, units};
    use super::*;
    use ndarray::array;

    // Oracle: scikit-learn's label_ranking_loss, coverage_error,
    // label_ranking_average_precision_score with sample_weight, scores rounded so that some tie.
    // One-error by its definition. 000a:SUP-28
    #[test]
    fn ranking_figures_agree_with_the_oracle() {
        let truth = Array2::from_shape_fn((50, 6), |(i, j)| unit(6 * i + j, 21) < 0.35);
        let scores = Array2::from_shape_fn((50, 6), |(i, j)| {
            let lift = if truth[[i, j]] { 0.3 } else { 0.0 };
            ((unit(6 * i + j, 22) + lift) * 8.0).round() / 8.0
        });
        let weights = units(50, 23);
        let (truth, scores) = (truth.view(), scores.view());
        let weights = Some(weights.as_slice());
        let found = [
            label_ranking_loss(truth, scores, weights).unwrap(),
            coverage_error(truth, scores, weights).unwrap(),
            label_ranking_average_precision(truth, scores, weights).unwrap(),
            one_error(truth, scores, weights).unwrap(),
        ];
        for (found, expected) in found.into_iter().zip(RANKING) {
            assert_near(found, expected);
        }
    }

    const RANKING: [f64; 4] = [
        0.33234256359054526,
        3.72548535199889,
        0.6863546418700464,
        0.45718234946080555,
    ];

    // 000a:SUP-28: threshold zero, or one that was validated.
    #[test]
    fn a_validated_threshold_separates_what_can_be_separated() {
        let truth = array![[true, false, true], [false, true, false]];
        let scores = array![[3.0, 1.0, 2.5], [0.5, 2.0, -1.0]];
        let threshold = best_label_threshold(truth.view(), scores.view()).unwrap();
        assert_eq!(threshold, 2.0);
        assert_eq!(labels_above(scores.view(), threshold), truth);
        assert_ne!(labels_above(scores.view(), 0.0), truth);
    }

    #[test]
    fn a_perfect_ranking_has_no_loss_and_rows_without_choice_do_not_matter() {
        let truth = array![[true, false, false], [true, true, true]];
        let scores = array![[3.0, 1.0, 2.0], [0.0, 5.0, 1.0]];
        let (truth, scores) = (truth.view(), scores.view());
        assert_eq!(label_ranking_loss(truth, scores, None).unwrap(), 0.0);
        assert_eq!(
            label_ranking_average_precision(truth, scores, None).unwrap(),
            1.0
        );
        assert_eq!(coverage_error(truth, scores, None).unwrap(), 2.0);
        assert_eq!(one_error(truth, scores, None).unwrap(), 0.0);
        assert!(one_error(truth, array![[1.0], [f64::NAN]].view(), None).is_err());
    }
}
