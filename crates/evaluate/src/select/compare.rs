//! Whether one method is better than another, or only luckier.

use crate::metrics::quantile;
use didact_core::{Error, Result};
use didact_probability::Cumulative;
use didact_probability::laws::StudentT;
use serde::Serialize;

/// A paired comparison of two methods on the same splits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Mean difference, first minus second.
    pub mean: f64,
    /// Median difference.
    pub median: f64,
    /// Corrected standard error of the mean.
    pub standard_error: f64,
    /// The t statistic with one degree of freedom fewer than splits.
    pub statistic: f64,
    /// Probability of a difference at least this large, either way, were there none.
    pub p_value: f64,
    /// The interval that holds the true difference with the given confidence.
    pub interval: (f64, f64),
    /// How many splits the first won, the second won, and were equal.
    pub wins: (usize, usize, usize),
}

/// Student's t test on the differences of two methods over resampled splits, with the correction
/// of Nadeau and Bengio: training parts overlap, so the variance of the mean is
/// (1/k + n_test/n_train)·s² and not s²/k.
///
/// ```
/// use didact_evaluate::compare_paired;
/// let found = compare_paired(&[0.9, 0.8, 0.85], &[0.7, 0.75, 0.7], 1.0 / 9.0, 0.95)?;
/// assert!((found.mean - 0.4 / 3.0).abs() < 1e-12);
/// assert_eq!(found.wins, (3, 0, 0));
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn compare_paired(
    first: &[f64],
    second: &[f64],
    test_to_train: f64,
    confidence: f64,
) -> Result<Comparison> {
    if first.len() != second.len() || first.len() < 2 {
        return Err(Error::data(format!(
            "there are {} and {} figures; give one of each for the same splits, and at least two splits",
            first.len(),
            second.len()
        )));
    }
    if !(test_to_train >= 0.0 && test_to_train.is_finite()) {
        return Err(Error::parameter(
            "test_to_train",
            test_to_train,
            "it must be at least 0",
        ));
    }
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(Error::parameter(
            "confidence",
            confidence,
            "it must be above 0 and below 1",
        ));
    }
    let mut differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    if differences.iter().any(|value| !value.is_finite()) {
        return Err(Error::data("a figure is not finite; it cannot be compared"));
    }
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let squares: f64 = differences.iter().map(|value| (value - mean).powi(2)).sum();
    let variance = squares / (count - 1.0);
    let standard_error = ((1.0 / count + test_to_train) * variance).sqrt();
    let wins = differences.iter().filter(|value| **value > 0.0).count();
    let losses = differences.iter().filter(|value| **value < 0.0).count();
    differences.sort_unstable_by(f64::total_cmp);
    let law = StudentT::new(count - 1.0, 0.0, 1.0)?;
    // Without any spread the difference is certain, or there is none.
    let (statistic, p_value) = match standard_error > 0.0 {
        true => {
            let statistic = mean / standard_error;
            (statistic, (2.0 * law.survival(statistic.abs())).min(1.0))
        }
        false if mean == 0.0 => (0.0, 1.0),
        false => (mean.signum() * f64::INFINITY, 0.0),
    };
    let reach = law.upper_quantile((1.0 - confidence) / 2.0)? * standard_error;
    Ok(Comparison {
        mean,
        median: quantile(&differences, 0.5),
        standard_error,
        statistic,
        p_value,
        interval: (mean - reach, mean + reach),
        wins: (wins, losses, differences.len() - wins - losses),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Oracle: scipy.stats.ttest_rel where the correction is zero; with it, the same statistic
    // times √((1/k)/(1/k + ratio)) and scipy.stats.t.
    #[test]
    fn the_test_agrees_with_the_oracle_and_the_correction_widens_it() {
        let first = [0.91, 0.87, 0.93, 0.88, 0.9, 0.86, 0.92, 0.89, 0.9, 0.94];
        let second = [0.9, 0.85, 0.9, 0.88, 0.87, 0.86, 0.9, 0.9, 0.86, 0.91];
        let plain = compare_paired(&first, &second, 0.0, 0.95).unwrap();
        let corrected = compare_paired(&first, &second, 1.0 / 9.0, 0.95).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-10 * b.abs().max(1.0), "{a} {b}");
        near(plain.statistic, PAIRED[0]);
        near(plain.p_value, PAIRED[1]);
        near(corrected.statistic, PAIRED[2]);
        near(corrected.p_value, PAIRED[3]);
        near(corrected.interval.0, PAIRED[4]);
        near(corrected.interval.1, PAIRED[5]);
        assert_eq!(corrected.wins, (7, 1, 2));
    }

    const PAIRED: [f64; 6] = [
        3.2851987946442374,
        0.009450495703509197,
        2.2610288771519778,
        0.05009229078818854,
        -8.483242376816635e-06,
        0.034008483242376826,
    ];

    #[test]
    fn equal_and_constant_differences_have_defined_answers() {
        let same = compare_paired(&[0.5, 0.6], &[0.5, 0.6], 0.5, 0.9).unwrap();
        assert_eq!((same.p_value, same.interval), (1.0, (0.0, 0.0)));
        let certain = compare_paired(&[0.5, 0.75], &[0.25, 0.5], 0.5, 0.9).unwrap();
        assert_eq!((certain.p_value, certain.mean), (0.0, 0.25));
        assert!(compare_paired(&[0.5], &[0.5], 0.1, 0.9).is_err());
        assert!(compare_paired(&[0.5, f64::NAN], &[0.5, 0.1], 0.1, 0.9).is_err());
        assert!(compare_paired(&[0.5, 0.1], &[0.5, 0.1], 0.1, 1.0).is_err());
    }
}
