//! Precision against recall for every threshold.

use super::roc::Steps;
use didact_core::Result;
use serde::Serialize;

/// Precision and recall of "positive where the score is at least the threshold".
///
/// Points are in ascending order of the threshold, and one point more, precision one at recall
/// zero, ends the curve. Without a positive row recall counts as one throughout.
///
/// ```
/// use didact_evaluate::PrecisionRecallCurve;
/// let curve = PrecisionRecallCurve::new(&[false, true], &[0.2, 0.7], None)?;
/// assert_eq!(curve.precisions, [0.5, 1.0, 1.0]);
/// assert_eq!(curve.recalls, [1.0, 1.0, 0.0]);
/// assert_eq!(curve.average_precision(), 1.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PrecisionRecallCurve {
    /// Share of positives among the rows at or above each threshold.
    pub precisions: Vec<f64>,
    /// Share of the positives that are at or above each threshold.
    pub recalls: Vec<f64>,
    /// The thresholds, ascending; one fewer than points.
    pub thresholds: Vec<f64>,
}

impl PrecisionRecallCurve {
    /// Sweeps the threshold over the scores.
    pub fn new(truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        let mut steps = Steps::new(truth, scores, weights)?;
        let (positives, _) = steps.totals();
        let mut precisions = vec![1.0];
        let mut recalls = vec![0.0];
        for (found, alarms) in steps.true_positives.iter().zip(&steps.false_positives) {
            precisions.push(found / (found + alarms));
            recalls.push(if positives > 0.0 {
                found / positives
            } else {
                1.0
            });
        }
        precisions.reverse();
        recalls.reverse();
        steps.thresholds.reverse();
        Ok(PrecisionRecallCurve {
            precisions,
            recalls,
            thresholds: steps.thresholds,
        })
    }

    /// Σ (Rᵢ − Rᵢ₊₁)·Pᵢ: precision averaged over the gain in recall, without interpolation.
    pub fn average_precision(&self) -> f64 {
        let gain = |(recalls, precision): (&[f64], &f64)| (recalls[0] - recalls[1]) * precision;
        self.recalls
            .windows(2)
            .zip(&self.precisions)
            .map(gain)
            .sum::<f64>()
            .max(0.0)
    }
}

/// Average precision of a score for the positive class.
pub fn average_precision(truth: &[bool], scores: &[f64]) -> Result<f64> {
    Ok(PrecisionRecallCurve::new(truth, scores, None)?.average_precision())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, units};
    use super::*;

    // Oracle: scikit-learn's average_precision_score and precision_recall_curve (with
    // sample_weight); scores are rounded so that some tie.
    #[test]
    fn the_curve_agrees_with_the_oracle() {
        let truth: Vec<bool> = units(60, 71).iter().map(|&draw| draw < 0.3).collect();
        let round = |score: f64| (score * 10.0).round() / 10.0;
        let scores: Vec<f64> = units(60, 72).into_iter().map(round).collect();
        let weights = units(60, 73);
        let plain = PrecisionRecallCurve::new(&truth, &scores, None).unwrap();
        let heavy = PrecisionRecallCurve::new(&truth, &scores, Some(&weights)).unwrap();
        assert_near(plain.average_precision(), AVERAGE_PRECISIONS[0]);
        assert_near(heavy.average_precision(), AVERAGE_PRECISIONS[1]);
        assert_eq!(plain.precisions.len(), PRECISIONS.len());
        for (found, expected) in plain.precisions.iter().zip(PRECISIONS) {
            assert_near(*found, expected);
        }
        for (found, expected) in heavy.recalls.iter().zip(RECALLS) {
            assert_near(*found, expected);
        }
    }

    const AVERAGE_PRECISIONS: [f64; 2] = [0.5351402792478307, 0.5053398570849296];
    const PRECISIONS: [f64; 12] = [
        0.36666666666666664,
        0.3508771929824561,
        0.35185185185185186,
        0.34782608695652173,
        0.4,
        0.46153846153846156,
        0.5,
        0.6153846153846154,
        0.7777777777777778,
        0.8571428571428571,
        0.75,
        1.0,
    ];
    const RECALLS: [f64; 12] = [
        1.0,
        0.9371433637087857,
        0.8958271723710015,
        0.8202941954022704,
        0.7418401353367833,
        0.6252049809543889,
        0.5430709219940142,
        0.37764892764573466,
        0.2935127866025206,
        0.21702421500306934,
        0.10593007458061382,
        0.0,
    ];

    #[test]
    fn without_positives_recall_is_one_and_precision_zero() {
        let curve = PrecisionRecallCurve::new(&[false, false], &[0.1, 0.2], None).unwrap();
        assert_eq!(curve.recalls, [1.0, 1.0, 0.0]);
        assert_eq!(curve.precisions, [0.0, 0.0, 1.0]);
        assert_eq!(
            average_precision(&[false, false], &[0.1, 0.2]).unwrap(),
            0.0
        );
        assert_eq!(average_precision(&[true, true], &[0.1, 0.2]).unwrap(), 1.0);
    }
}
