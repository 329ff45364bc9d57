//! Rows that a density finds improbable, and how many rows learning needs at all.

use super::check::{check_finite, quantile};
use didact_core::{Error, Result};
use serde::Serialize;

/// −ln p(x): the less probable a row, the higher its score. From the log-densities of any model
/// that has them.
pub fn outlier_scores(log_densities: &[f64]) -> Vec<f64> {
    log_densities.iter().map(|value| -value).collect()
}

/// The score that the given share of the rows exceeds.
pub fn outlier_threshold(scores: &[f64], share: f64) -> Result<f64> {
    if !(0.0..=0.5).contains(&share) {
        return Err(Error::parameter("share", share, "it must be from 0 to 0.5"));
    }
    if scores.is_empty() {
        return Err(Error::data("there is nothing to judge: no rows were given"));
    }
    check_finite("score", scores)?;
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(quantile(&sorted, 1.0 - share))
}

/// The rows whose score is above the threshold.
///
/// ```
/// use didact_evaluate::{outlier_scores, outlier_threshold, outliers};
/// let scores = outlier_scores(&[-1.0, -1.1, -9.0, -0.9]);
/// let threshold = outlier_threshold(&scores, 0.25)?;
/// assert_eq!(outliers(&scores, threshold), [2]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn outliers(scores: &[f64], threshold: f64) -> Vec<usize> {
    (0..scores.len())
        .filter(|&row| scores[row] > threshold)
        .collect()
}

/// What is assumed about the best rule of a finite class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PacBound {
    /// Some rule of the class makes no mistake.
    Realizable,
    /// Nothing: the bound is on the distance from the best rule.
    Agnostic,
}

/// How many rows suffice so that, with probability 1 − δ, a rule chosen by its training error has
/// an error of at most ε (beyond the best).
///
/// Realizable: (ln|H| + ln(1/δ))/ε. Agnostic: 2·ln(2|H|/δ)/ε², twice the uniform deviation ε/2.
pub fn pac_sample_size(bound: PacBound, log_rules: f64, epsilon: f64, delta: f64) -> Result<f64> {
    check_open("epsilon", epsilon)?;
    check_open("delta", delta)?;
    check_rules(log_rules)?;
    Ok(match bound {
        PacBound::Realizable => (log_rules - delta.ln()) / epsilon,
        PacBound::Agnostic => 2.0 * (log_rules + (2.0 / delta).ln()) / (epsilon * epsilon),
    }
    .ceil())
}

/// The ε that `n_rows` rows guarantee with probability 1 − δ: [`pac_sample_size`] the other way.
pub fn pac_error_bound(bound: PacBound, log_rules: f64, n_rows: usize, delta: f64) -> Result<f64> {
    check_open("delta", delta)?;
    check_rules(log_rules)?;
    if n_rows == 0 {
        return Err(Error::parameter("n_rows", n_rows, "it must be at least 1"));
    }
    let n = n_rows as f64;
    Ok(match bound {
        PacBound::Realizable => (log_rules - delta.ln()) / n,
        PacBound::Agnostic => (2.0 * (log_rules + (2.0 / delta).ln()) / n).sqrt(),
    })
}

fn check_open(name: &str, value: f64) -> Result<()> {
    match value > 0.0 && value < 1.0 {
        true => Ok(()),
        false => Err(Error::parameter(
            name,
            value,
            "it must be above 0 and below 1",
        )),
    }
}

fn check_rules(log_rules: f64) -> Result<()> {
    match log_rules >= 0.0 && log_rules.is_finite() {
        true => Ok(()),
        false => Err(Error::parameter(
            "log_rules",
            log_rules,
            "it must be the natural logarithm of a number of rules of at least 1",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::assert_near;
    use super::*;

    // 000a:GEN-14, 002a:PPCA02: low density is a high score.
    #[test]
    fn the_least_probable_rows_are_outliers() {
        let scores = outlier_scores(&[-1.0, -30.0, -2.0, -3.0, -2.5]);
        assert_eq!(
            outliers(&scores, outlier_threshold(&scores, 0.2).unwrap()),
            [1]
        );
        assert_eq!(
            outliers(&scores, outlier_threshold(&scores, 0.0).unwrap()),
            Vec::<usize>::new()
        );
        assert!(outlier_threshold(&scores, 0.7).is_err());
    }

    // 000a:GEN-14: |H| = 1000, ε = 0.1, δ = 0.05: (ln 1000 + ln 20)/0.1 = 99.03…
    #[test]
    fn finite_classes_need_few_rows_and_the_bounds_invert_each_other() {
        let rules = 1000.0_f64.ln();
        let rows = pac_sample_size(PacBound::Realizable, rules, 0.1, 0.05).unwrap();
        assert_eq!(rows, 100.0);
        // 2·ln(40000)/0.01 = 2119.3…
        let rows = pac_sample_size(PacBound::Agnostic, rules, 0.1, 0.05).unwrap();
        assert_eq!(rows, 2120.0);
        let epsilon = pac_error_bound(PacBound::Agnostic, rules, 2120, 0.05).unwrap();
        assert!(epsilon <= 0.1);
        let fewer = pac_error_bound(PacBound::Agnostic, rules, 2119, 0.05).unwrap();
        assert!(fewer > 0.1);
        let realizable = pac_error_bound(PacBound::Realizable, rules, 50, 0.05).unwrap();
        assert_near(realizable, (rules + 20.0_f64.ln()) / 50.0);
        assert!(pac_sample_size(PacBound::Agnostic, rules, 0.0, 0.1).is_err());
        assert!(pac_error_bound(PacBound::Agnostic, -1.0, 5, 0.1).is_err());
    }
}
