//! The ROC: how many positives a score finds for how many false alarms.

use super::check::{check_finite, check_lengths, check_weights, weight};
use didact_core::{Error, Result};
use serde::Serialize;

/// True against false positive rate for every threshold of a score.
///
/// The positive class is predicted where the score is at least the threshold. Rows of the same
/// score move together; the curve starts at (0, 0), where the threshold is infinite, and ends at
/// (1, 1). The true positive rate divides by the positives, the false positive rate by the
/// negatives.
///
/// ```
/// use didact_evaluate::RocCurve;
/// let curve = RocCurve::new(&[true, false, true, false], &[0.9, 0.8, 0.7, 0.6], None)?;
/// assert_eq!(curve.false_positive_rates, [0.0, 0.0, 0.5, 0.5, 1.0]);
/// assert_eq!(curve.true_positive_rates, [0.0, 0.5, 0.5, 1.0, 1.0]);
/// assert_eq!(curve.area(), 0.75);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RocCurve {
    /// Share of the negatives at or above each threshold.
    pub false_positive_rates: Vec<f64>,
    /// Share of the positives at or above each threshold.
    pub true_positive_rates: Vec<f64>,
    /// The thresholds, from infinity down through every score.
    pub thresholds: Vec<f64>,
    /// Weight of the positive rows.
    pub positives: f64,
    /// Weight of the negative rows.
    pub negatives: f64,
}

impl RocCurve {
    /// Sweeps the threshold over the scores.
    pub fn new(truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let steps = Steps::new(truth, scores, weights)?;
        let (positives, negatives) = steps.totals();
        if positives == 0.0 || negatives == 0.0 {
            let only = if positives == 0.0 {
                "negative"
            } else {
                "positive"
            };
            return Err(Error::data(format!(
                "all rows are {only}; a ROC needs rows of both classes"
            )));
        }
        let rates = |counts: &[f64], total: f64| {
            let shares = counts.iter().map(|count| count / total);
            std::iter::once(0.0).chain(shares).collect()
        };
        Ok(RocCurve {
            false_positive_rates: rates(&steps.false_positives, negatives),
            true_positive_rates: rates(&steps.true_positives, positives),
            thresholds: std::iter::once(f64::INFINITY)
                .chain(steps.thresholds)
                .collect(),
            positives,
            negatives,
        })
    }

    /// Area under the curve: the probability that a positive row scores above a negative one,
    /// ties counting half.
    pub fn area(&self) -> f64 {
        trapezoids(&self.false_positive_rates, &self.true_positive_rates)
    }

    /// Area up to a false positive rate, stretched so that guessing gives ½ and perfection 1.
    pub fn partial_area(&self, most_false_positives: f64) -> Result<f64> {
        if !(most_false_positives > 0.0 && most_false_positives <= 1.0) {
            return Err(Error::parameter(
                "most_false_positives",
                most_false_positives,
                "it must be above 0 and at most 1",
            ));
        }
        let limit = most_false_positives;
        let stop = self
            .false_positive_rates
            .partition_point(|&rate| rate <= limit);
        let mut x = self.false_positive_rates[..stop].to_vec();
        let mut y = self.true_positive_rates[..stop].to_vec();
        if let (Some(&next_x), Some(&next_y)) = (
            self.false_positive_rates.get(stop),
            self.true_positive_rates.get(stop),
        ) {
            let (last_x, last_y) = (x[stop - 1], y[stop - 1]);
            x.push(limit);
            y.push(last_y + (next_y - last_y) * (limit - last_x) / (next_x - last_x));
        }
        let (least, most) = (0.5 * limit * limit, limit);
        match limit == 1.0 {
            true => Ok(self.area()),
            false => Ok(0.5 * (1.0 + (trapezoids(&x, &y) - least) / (most - least))),
        }
    }

    /// The same curve without the points that lie inside a straight piece; the first score stays.
    pub fn corners(&self) -> RocCurve {
        let last = self.thresholds.len() - 1;
        // Counts, not rates: three points are in line exactly when both second differences are 0.
        let counts = |rates: &[f64], total: f64| -> Vec<f64> {
            rates
                .iter()
                .map(|rate| (rate * total * 1e9).round())
                .collect()
        };
        let fp = counts(&self.false_positive_rates, self.negatives);
        let tp = counts(&self.true_positive_rates, self.positives);
        let bends = |c: &[f64], i: usize| c[i + 1] - c[i] != c[i] - c[i - 1];
        let kept: Vec<usize> = (0..=last)
            .filter(|&i| i <= 1 || i == last || bends(&fp, i) || bends(&tp, i))
            .collect();
        let pick = |values: &[f64]| kept.iter().map(|&i| values[i]).collect();
        RocCurve {
            false_positive_rates: pick(&self.false_positive_rates),
            true_positive_rates: pick(&self.true_positive_rates),
            thresholds: pick(&self.thresholds),
            ..*self
        }
    }
}

/// Area under the ROC of a score for the positive class.
pub fn roc_auc(truth: &[bool], scores: &[f64]) -> Result<f64> {
    Ok(RocCurve::new(truth, scores, None)?.area())
}

fn trapezoids(x: &[f64], y: &[f64]) -> f64 {
    x.windows(2)
        .zip(y.windows(2))
        .map(|(x, y)| (x[1] - x[0]) * (y[0] + y[1]) / 2.0)
        .sum()
}

/// Weight of true and false positives at each distinct score, from the highest down.
pub(crate) struct Steps {
    pub(crate) thresholds: Vec<f64>,
    pub(crate) true_positives: Vec<f64>,
    pub(crate) false_positives: Vec<f64>,
}

impl Steps {
    pub(crate) fn new(truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        check_lengths(truth.len(), scores.len())?;
        check_weights(weights, truth.len())?;
        check_finite("score", scores)?;
        let mut rows: Vec<(f64, f64)> = truth
            .iter()
            .zip(scores)
            .enumerate()
            .map(|(row, (&truth, &score))| {
                let weight = weight(weights, row);
                // The sign carries the class, so that a row is two numbers while sorting; adding
                // zero makes −0 and 0 one score.
                (score + 0.0, if truth { weight } else { -weight })
            })
            .filter(|(_, weight)| *weight != 0.0)
            .collect();
        rows.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let mut steps = Steps {
            thresholds: Vec::new(),
            true_positives: Vec::new(),
            false_positives: Vec::new(),
        };
        let (mut true_positives, mut false_positives) = (0.0, 0.0);
        for (place, &(score, weight)) in rows.iter().enumerate() {
            match weight > 0.0 {
                true => true_positives += weight,
                false => false_positives -= weight,
            }
            if rows.get(place + 1).is_none_or(|next| next.0 != score) {
                steps.thresholds.push(score);
                steps.true_positives.push(true_positives);
                steps.false_positives.push(false_positives);
            }
        }
        Ok(steps)
    }

    /// Weight of all positive and of all negative rows.
    pub(crate) fn totals(&self) -> (f64, f64) {
        let last = |values: &[f64]| values.last().copied().unwrap_or(0.0);
        (last(&self.true_positives), last(&self.false_positives))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, unit, units};
    use super::*;
    use proptest::prelude::*;

    fn fixture() -> (Vec<bool>, Vec<f64>, Vec<f64>) {
        let truth: Vec<bool> = units(90, 51).iter().map(|&draw| draw < 0.4).collect();
        let lift = |place: usize| if truth[place] { 0.25 } else { 0.0 };
        // Rounded, so that some scores tie.
        let scores = (0..90)
            .map(|place| ((unit(place, 52) + lift(place)) * 20.0).round() / 20.0)
            .collect();
        (truth, scores, units(90, 53))
    }

    // 002a:PM02, 002a:EX28: the false positive rate divides by the negatives.
    #[test]
    fn four_scores_give_five_points_and_three_quarters() {
        let curve =
            RocCurve::new(&[true, false, true, false], &[0.9, 0.8, 0.7, 0.6], None).unwrap();
        let points: Vec<(f64, f64)> = curve
            .false_positive_rates
            .iter()
            .copied()
            .zip(curve.true_positive_rates.iter().copied())
            .collect();
        assert_eq!(
            points,
            [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]
        );
        assert_eq!(curve.area(), 0.75);
    }

    // Oracle: scikit-learn's roc_auc_score (plain, weighted, max_fpr=0.3) and the number of points
    // of roc_curve with and without drop_intermediate.
    #[test]
    fn the_curve_agrees_with_the_oracle() {
        let (truth, scores, weights) = fixture();
        let plain = RocCurve::new(&truth, &scores, None).unwrap();
        let heavy = RocCurve::new(&truth, &scores, Some(&weights)).unwrap();
        assert_near(plain.area(), AREAS[0]);
        assert_near(heavy.area(), AREAS[1]);
        assert_near(plain.partial_area(0.3).unwrap(), AREAS[2]);
        assert_near(heavy.partial_area(0.3).unwrap(), AREAS[3]);
        assert_eq!(plain.thresholds.len(), POINTS[0]);
        assert_eq!(plain.corners().thresholds.len(), POINTS[1]);
        assert_near(plain.corners().area(), AREAS[0]);
    }

    const AREAS: [f64; 4] = [
        0.7315,
        0.6866940247590935,
        0.6354575163398692,
        0.6039818732426265,
    ];
    const POINTS: [usize; 2] = [26, 23];

    #[test]
    fn one_class_alone_has_no_curve() {
        let message = RocCurve::new(&[true, true], &[0.1, 0.2], None).unwrap_err();
        assert!(message.to_string().contains("all rows are positive"));
        assert!(roc_auc(&[true, false], &[0.1, f64::NAN]).is_err());
        let unseen = RocCurve::new(&[true, false], &[0.1, 0.2], Some(&[1.0, 0.0]));
        assert!(unseen.is_err());
    }

    proptest! {
        // 003:P56: the area is the Mann–Whitney statistic; ties move as one step.
        #[test]
        fn the_area_is_the_share_of_pairs_in_order(
            rows in prop::collection::vec((any::<bool>(), 0u8..6), 2..40)
        ) {
            let truth: Vec<bool> = rows.iter().map(|row| row.0).collect();
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            prop_assume!(truth.contains(&true) && truth.contains(&false));
            let (mut wins, mut pairs) = (0.0, 0.0);
            for (i, &positive) in truth.iter().enumerate() {
                for (j, &other) in truth.iter().enumerate() {
                    if positive && !other {
                        pairs += 1.0;
                        wins += match scores[i].total_cmp(&scores[j]) {
                            std::cmp::Ordering::Greater => 1.0,
                            std::cmp::Ordering::Equal => 0.5,
                            std::cmp::Ordering::Less => 0.0,
                        };
                    }
                }
            }
            let curve = RocCurve::new(&truth, &scores, None).unwrap();
            prop_assert!((curve.area() - wins / pairs).abs() < 1e-12);
            prop_assert_eq!(curve.true_positive_rates.last(), Some(&1.0));
            prop_assert_eq!(curve.false_positive_rates.last(), Some(&1.0));
        }
    }
}
