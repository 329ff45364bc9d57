//! Where to put the threshold.

use crate::metrics::RocCurve;
use didact_core::{Error, Result};
use didact_probability::decision::LossMatrix;
use serde::Serialize;

/// The probability above which "positive" is the cheaper answer: L_FP/(L_FP + L_FN).
///
/// On the odds p/(1−p) the threshold is L_FP/L_FN; equal costs give ½.
///
/// ```
/// // A miss costs nine times a false alarm.
/// assert_eq!(didact_evaluate::cost_threshold(1.0, 9.0)?, 0.1);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn cost_threshold(false_positive: f64, false_negative: f64) -> Result<f64> {
    check_cost("false_positive", false_positive)?;
    check_cost("false_negative", false_negative)?;
    match false_positive + false_negative > 0.0 {
        true => Ok(false_positive / (false_positive + false_negative)),
        false => Err(Error::parameter(
            "false_positive + false_negative",
            0.0,
            "at least one mistake must cost something",
        )),
    }
}

/// The cheapest class of each row: argmin over the classes of Σ_k p_k·loss[k, class].
pub fn decide(
    probabilities: ndarray::ArrayView2<'_, f64>,
    losses: &LossMatrix,
) -> Result<Vec<usize>> {
    let one = |row: ndarray::ArrayView1<'_, f64>| {
        let risks = losses.risks(&row.to_vec())?;
        Ok(didact_math::numeric::argmin(risks.iter().copied()).unwrap_or(0))
    };
    probabilities.rows().into_iter().map(one).collect()
}

/// One point of a ROC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OperatingPoint {
    /// Positive where the score is at least this; infinite means never.
    pub threshold: f64,
    /// Share of the positives that are found.
    pub true_positive_rate: f64,
    /// Share of the negatives that raise a false alarm.
    pub false_positive_rate: f64,
}

impl RocCurve {
    fn point(&self, place: usize) -> OperatingPoint {
        OperatingPoint {
            threshold: self.thresholds[place],
            true_positive_rate: self.true_positive_rates[place],
            false_positive_rate: self.false_positive_rates[place],
        }
    }

    /// The point of least cost per row, given what a false alarm and a miss cost.
    pub fn cheapest(&self, false_positive: f64, false_negative: f64) -> Result<OperatingPoint> {
        check_cost("false_positive", false_positive)?;
        check_cost("false_negative", false_negative)?;
        let cost = |place: usize| {
            false_positive * self.false_positive_rates[place] * self.negatives
                + false_negative * (1.0 - self.true_positive_rates[place]) * self.positives
        };
        let place = didact_math::numeric::argmin((0..self.thresholds.len()).map(cost));
        Ok(self.point(place.unwrap_or(0)))
    }

    /// The most positives found with at most this share of false alarms: zero for an identity
    /// check, which accepts misses but no false positive.
    pub fn with_false_positives(&self, most: f64) -> Result<OperatingPoint> {
        if !(0.0..=1.0).contains(&most) {
            return Err(Error::parameter("most", most, "it must be from 0 to 1"));
        }
        let last = self
            .false_positive_rates
            .partition_point(|&rate| rate <= most);
        // Of the points allowed, the first that finds as many as the last.
        let found = self.true_positive_rates[last - 1];
        let place = self
            .true_positive_rates
            .partition_point(|&rate| rate < found);
        Ok(self.point(place))
    }

    /// The point farthest above the diagonal: the largest TPR − FPR.
    pub fn most_informed(&self) -> OperatingPoint {
        let height =
            |place: usize| self.true_positive_rates[place] - self.false_positive_rates[place];
        let place = didact_math::numeric::argmax((0..self.thresholds.len()).map(height));
        self.point(place.unwrap_or(0))
    }
}

fn check_cost(name: &str, cost: f64) -> Result<()> {
    match cost >= 0.0 && cost.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            name,
            cost,
            "a cost must be finite and not negative",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // 003:P55: the ratio of the costs is a threshold on the odds, not on the probability.
    #[test]
    fn the_ratio_of_costs_cuts_the_odds() {
        assert_eq!(cost_threshold(1.0, 1.0).unwrap(), 0.5);
        let (fp, fn_cost) = (3.0, 2.0);
        let threshold = cost_threshold(fp, fn_cost).unwrap();
        assert!((threshold / (1.0 - threshold) - fp / fn_cost).abs() < 1e-12);
        assert!(cost_threshold(0.0, 0.0).is_err());
        assert!(cost_threshold(-1.0, 1.0).is_err());
    }

    proptest! {
        // 003:P55: the same decisions as the loss matrix [[0, L_FP], [L_FN, 0]].
        #[test]
        fn thresholds_and_losses_decide_alike(
            p in 0.0..1.0_f64, fp in 0.1..9.0_f64, miss in 0.1..9.0_f64
        ) {
            let threshold = cost_threshold(fp, miss).unwrap();
            prop_assume!((p - threshold).abs() > 1e-9);
            let losses = LossMatrix::binary(fp, miss).unwrap();
            let decided = decide(ndarray::array![[1.0 - p, p]].view(), &losses).unwrap();
            prop_assert_eq!(decided[0] == 1, p > threshold);
        }
    }

    // 002a:BP16: the operating point depends on what mistakes cost.
    #[test]
    fn costly_false_alarms_move_the_point_to_the_left() {
        let truth = [true, true, false, true, false, false];
        let scores = [0.9, 0.8, 0.7, 0.6, 0.3, 0.1];
        let curve = RocCurve::new(&truth, &scores, None).unwrap();
        let strict = curve.cheapest(10.0, 1.0).unwrap();
        assert_eq!((strict.threshold, strict.false_positive_rate), (0.8, 0.0));
        let lenient = curve.cheapest(1.0, 10.0).unwrap();
        assert_eq!((lenient.threshold, lenient.true_positive_rate), (0.6, 1.0));
        assert_eq!(curve.with_false_positives(0.0).unwrap().threshold, 0.8);
        assert_eq!(curve.with_false_positives(0.5).unwrap().threshold, 0.6);
        // (0, 2/3) and (1/3, 1) are equally far above the diagonal.
        let informed = curve.most_informed();
        let height = informed.true_positive_rate - informed.false_positive_rate;
        assert!((height - 2.0 / 3.0).abs() < 1e-12);
        assert!(curve.with_false_positives(1.5).is_err());
    }
}
