//! Predicted probabilities: how surprised, how far off.

use super::check::{check_lengths, check_weights, weighted_mean};
use didact_core::{Error, Result};
use ndarray::ArrayView2;

/// Mean negative log-probability of the true class, in nats.
///
/// Probabilities are kept a machine precision (2.2e-16) away from zero and one, so one confident
/// mistake cannot make it infinite.
///
/// ```
/// let chances = ndarray::array![[0.5, 0.5], [0.25, 0.75]];
/// let loss = didact_evaluate::log_loss(&[0, 0], chances.view())?;
/// assert!((loss - 1.5 * 2.0_f64.ln()).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn log_loss(truth: &[usize], probabilities: ArrayView2<'_, f64>) -> Result<f64> {
    weighted_log_loss(truth, probabilities, None)
}

/// [`log_loss`] of weighted rows.
pub fn weighted_log_loss(
    truth: &[usize],
    probabilities: ArrayView2<'_, f64>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_table(truth, probabilities)?;
    check_weights(weights, truth.len())?;
    let surprise = |(row, &label): (usize, &usize)| {
        -probabilities[[row, label]]
            .clamp(f64::EPSILON, 1.0 - f64::EPSILON)
            .ln()
    };
    Ok(weighted_mean(
        truth.iter().enumerate().map(surprise),
        weights,
    ))
}

/// Mean squared distance (p − y)² of the probability of the positive class from the truth.
pub fn brier(truth: &[bool], probabilities: &[f64]) -> Result<f64> {
    weighted_brier(truth, probabilities, None)
}

/// [`brier`] of weighted rows.
pub fn weighted_brier(
    truth: &[bool],
    probabilities: &[f64],
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_lengths(truth.len(), probabilities.len())?;
    check_weights(weights, truth.len())?;
    check_probabilities(probabilities)?;
    let distance = |(&truth, p): (&bool, &f64)| (p - f64::from(u8::from(truth))).powi(2);
    Ok(weighted_mean(
        truth.iter().zip(probabilities).map(distance),
        weights,
    ))
}

/// Mean over the rows of Σₖ(pₖ − yₖ)²: from 0 to 2, twice [`brier`] for two classes.
pub fn brier_multiclass(truth: &[usize], probabilities: ArrayView2<'_, f64>) -> Result<f64> {
    weighted_brier_multiclass(truth, probabilities, None)
}

/// [`brier_multiclass`] of weighted rows.
pub fn weighted_brier_multiclass(
    truth: &[usize],
    probabilities: ArrayView2<'_, f64>,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_table(truth, probabilities)?;
    check_weights(weights, truth.len())?;
    let distance = |(row, &label): (usize, &usize)| {
        let row = probabilities.row(row);
        let entry = |(class, p): (usize, &f64)| (p - f64::from(u8::from(class == label))).powi(2);
        row.iter().enumerate().map(entry).sum::<f64>()
    };
    Ok(weighted_mean(
        truth.iter().enumerate().map(distance),
        weights,
    ))
}

fn check_table(truth: &[usize], probabilities: ArrayView2<'_, f64>) -> Result<()> {
    check_lengths(truth.len(), probabilities.nrows())?;
    let classes = probabilities.ncols();
    if let Some(row) = truth.iter().position(|&label| label >= classes) {
        return Err(Error::data(format!(
            "row {row} has class {} but there are only {classes} columns of probabilities",
            truth[row]
        )));
    }
    check_probabilities(probabilities.iter())
}

/// Fails at the first value outside of 0 to 1.
pub(crate) fn check_probabilities<'a>(values: impl IntoIterator<Item = &'a f64>) -> Result<()> {
    // Products and normalisation may leave one a rounding above one.
    let fault = |value: &f64| !(-1e-9..=1.0 + 1e-9).contains(value);
    match values
        .into_iter()
        .enumerate()
        .find(|(_, value)| fault(value))
    {
        None => Ok(()),
        Some((place, value)) => Err(Error::data(format!(
            "probability {place} is {value}; probabilities must be from 0 to 1"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, labels, unit, units};
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn log_loss_is_the_mean_surprise() {
        let probabilities = array![[0.5, 0.5], [0.1, 0.9]];
        let expected = -(0.5f64.ln() + 0.9f64.ln()) / 2.0;
        assert!((log_loss(&[0, 1], probabilities.view()).unwrap() - expected).abs() < 1e-15);
        assert!(
            log_loss(&[1, 1], array![[1.0, 0.0], [0.0, 1.0]].view())
                .unwrap()
                .is_finite()
        );
        assert!(log_loss(&[2, 1], probabilities.view()).is_err());
        assert!(log_loss(&[0], array![[f64::NAN, 1.0]].view()).is_err());
    }

    // Oracle: scikit-learn's log_loss and brier_score_loss with sample_weight; one row gives its
    // class the probability zero.
    #[test]
    fn figures_of_probabilities_agree_with_the_oracle() {
        let truth = labels(60, 3, 31);
        let mut chances = Array2::from_shape_fn((60, 3), |(i, j)| unit(3 * i + j, 32) + 1e-3);
        chances[[7, truth[7]]] = 0.0;
        for mut row in chances.rows_mut() {
            let total = row.sum();
            row /= total;
        }
        let weights = units(60, 33);
        let positive: Vec<bool> = truth.iter().map(|&label| label == 1).collect();
        let second = chances.column(1).to_vec();
        let found = [
            log_loss(&truth, chances.view()).unwrap(),
            weighted_log_loss(&truth, chances.view(), Some(&weights)).unwrap(),
            weighted_brier(&positive, &second, Some(&weights)).unwrap(),
            weighted_brier_multiclass(&truth, chances.view(), Some(&weights)).unwrap(),
        ];
        for (found, expected) in found.into_iter().zip(PROBABILITY) {
            assert_near(found, expected);
        }
    }

    const PROBABILITY: [f64; 4] = [
        1.7810998392823902,
        1.337590279944841,
        0.21591398268891412,
        0.6985786671502178,
    ];

    #[test]
    fn two_classes_double_the_binary_brier_score() {
        let chances = array![[0.8, 0.2], [0.4, 0.6]];
        let both = brier_multiclass(&[0, 0], chances.view()).unwrap();
        let one = brier(&[false, false], &[0.2, 0.6]).unwrap();
        assert_near(both, 2.0 * one);
        assert!(
            brier(&[true], &[1.5])
                .unwrap_err()
                .to_string()
                .contains("from 0 to 1")
        );
    }
}
