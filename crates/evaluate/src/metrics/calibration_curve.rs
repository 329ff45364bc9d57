//! Whether a predicted probability of 0.8 comes true in eight cases of ten.

use super::check::{check_lengths, check_weights, quantile, weight};
use super::probability::check_probabilities;
use didact_core::{Error, Result};
use serde::Serialize;

/// How probabilities are put into bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binning {
    /// Bins of equal width.
    Uniform,
    /// Bins that hold about equally many rows.
    Quantile,
}

/// One bin of a calibration curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// Mean predicted probability.
    pub predicted: f64,
    /// Share of positive rows.
    pub observed: f64,
    /// Weight of the rows.
    pub weight: f64,
}

/// Observed against predicted frequency; on the diagonal where probabilities can be trusted.
///
/// ```
/// use didact_evaluate::{Binning, CalibrationCurve};
/// let curve = CalibrationCurve::new(&[false, true], &[0.1, 0.9], 2, Binning::Uniform, None)?;
/// assert_eq!(curve.bins[1].observed, 1.0);
/// assert!((curve.expected_error() - 0.1).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationCurve {
    /// The bins that hold rows, in ascending order.
    pub bins: Vec<CalibrationBin>,
}

impl CalibrationCurve {
    /// Bins the rows by their predicted probability of the positive class.
    pub fn new(
        truth: &[bool],
        probabilities: &[f64],
        n_bins: usize,
        binning: Binning,
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        check_lengths(truth.len(), probabilities.len())?;
        check_weights(weights, truth.len())?;
        check_probabilities(probabilities)?;
        if !(1..=1_000_000).contains(&n_bins) {
            return Err(Error::parameter(
                "n_bins",
                n_bins,
                "it must be from 1 to 1000000",
            ));
        }
        let inner = inner_edges(probabilities, n_bins, binning);
        let mut sums = vec![(0.0, 0.0, 0.0); n_bins];
        for (row, (&truth, &p)) in truth.iter().zip(probabilities).enumerate() {
            let weight = weight(weights, row);
            // A value on an edge belongs to the bin below it.
            let bin = &mut sums[inner.partition_point(|&edge| edge < p)];
            bin.0 += weight;
            bin.1 += weight * p;
            bin.2 += if truth { weight } else { 0.0 };
        }
        let bins = sums
            .into_iter()
            .filter(|&(weight, ..)| weight > 0.0)
            .map(|(weight, predicted, observed)| CalibrationBin {
                predicted: predicted / weight,
                observed: observed / weight,
                weight,
            })
            .collect();
        Ok(CalibrationCurve { bins })
    }

    /// Expected calibration error: the mean distance |observed − predicted| of the bins, weighted
    /// by their rows.
    pub fn expected_error(&self) -> f64 {
        let total: f64 = self.bins.iter().map(|bin| bin.weight).sum();
        let distance = |bin: &CalibrationBin| bin.weight * (bin.observed - bin.predicted).abs();
        self.bins.iter().map(distance).sum::<f64>() / total
    }

    /// The largest distance |observed − predicted| of a bin.
    pub fn largest_error(&self) -> f64 {
        let distance = |bin: &CalibrationBin| (bin.observed - bin.predicted).abs();
        self.bins.iter().map(distance).fold(0.0, f64::max)
    }
}

/// The edges between bins.
fn inner_edges(probabilities: &[f64], n_bins: usize, binning: Binning) -> Vec<f64> {
    let step = 1.0 / n_bins as f64;
    let shares = (1..n_bins).map(|edge| edge as f64 * step);
    match binning {
        Binning::Uniform => shares.collect(),
        Binning::Quantile => {
            let mut sorted = probabilities.to_vec();
            sorted.sort_unstable_by(f64::total_cmp);
            shares.map(|share| quantile(&sorted, share)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, units};
    use super::*;

    // Oracle: sklearn.calibration.calibration_curve, n_bins=5, both strategies.
    #[test]
    fn bins_agree_with_the_oracle() {
        let probabilities = units(70, 41);
        let truth: Vec<bool> = units(70, 42)
            .iter()
            .zip(&probabilities)
            .map(|(draw, p)| *draw < p * p)
            .collect();
        for (binning, expected) in [
            (Binning::Uniform, UNIFORM_BINS),
            (Binning::Quantile, QUANTILE_BINS),
        ] {
            let curve = CalibrationCurve::new(&truth, &probabilities, 5, binning, None).unwrap();
            assert_eq!(curve.bins.len(), expected.len());
            for (bin, (observed, predicted)) in curve.bins.iter().zip(expected) {
                assert_near(bin.observed, observed);
                assert_near(bin.predicted, predicted);
            }
        }
    }

    const UNIFORM_BINS: [(f64, f64); 5] = [
        (0.0, 0.10920443895950237),
        (0.05, 0.27852749448502434),
        (0.18181818181818182, 0.511269430375912),
        (0.45454545454545453, 0.6840626367537136),
        (0.9411764705882353, 0.9278768192949322),
    ];
    const QUANTILE_BINS: [(f64, f64); 5] = [
        (0.0, 0.12988857893339759),
        (0.07142857142857142, 0.27098377601110507),
        (0.14285714285714285, 0.4845392487976434),
        (0.5714285714285714, 0.7177643974178604),
        (0.9285714285714286, 0.9464209548896179),
    ];

    #[test]
    fn certain_and_right_is_calibrated_and_empty_bins_vanish() {
        let truth = [false, true, true];
        let curve =
            CalibrationCurve::new(&truth, &[0.0, 1.0, 1.0], 10, Binning::Uniform, None).unwrap();
        assert_eq!(curve.bins.len(), 2);
        assert_eq!(curve.expected_error(), 0.0);
        assert_eq!(curve.largest_error(), 0.0);
        let none = CalibrationCurve::new(&truth, &[0.0; 3], 0, Binning::Uniform, None);
        assert!(none.unwrap_err().to_string().contains("n_bins is 0"));
    }
}
