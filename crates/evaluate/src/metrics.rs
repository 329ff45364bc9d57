//! The figures by which models are judged.

use didact_core::{Error, Result};
use ndarray::{ArrayView1, ArrayView2};

fn check_lengths(truth: usize, predicted: usize) -> Result<()> {
    match (truth == predicted, truth) {
        (_, 0) => Err(Error::data("there is nothing to judge: no rows were given")),
        (true, _) => Ok(()),
        (false, _) => Err(Error::data(format!(
            "there are {truth} true values but {predicted} predicted ones"
        ))),
    }
}

/// Share of rows whose class was predicted right; one minus the mean 0–1 loss.
///
/// ```
/// assert_eq!(didact_evaluate::accuracy(&[0, 1, 1, 2], &[0, 1, 2, 2])?, 0.75);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn accuracy(truth: &[usize], predicted: &[usize]) -> Result<f64> {
    check_lengths(truth.len(), predicted.len())?;
    let right = truth
        .iter()
        .zip(predicted)
        .filter(|(truth, predicted)| truth == predicted)
        .count();
    Ok(right as f64 / truth.len() as f64)
}

/// Mean over the classes of the share of each class's rows that was predicted right.
pub fn balanced_accuracy(truth: &[usize], predicted: &[usize]) -> Result<f64> {
    check_lengths(truth.len(), predicted.len())?;
    let classes = truth.iter().max().map_or(0, |largest| largest + 1);
    let (mut rows, mut right) = (vec![0.0; classes], vec![0.0; classes]);
    for (&truth, &predicted) in truth.iter().zip(predicted) {
        rows[truth] += 1.0;
        right[truth] += f64::from(u8::from(truth == predicted));
    }
    let recalls: Vec<f64> = rows
        .iter()
        .zip(&right)
        .filter(|(rows, _)| **rows > 0.0)
        .map(|(rows, right)| right / rows)
        .collect();
    Ok(recalls.iter().sum::<f64>() / recalls.len() as f64)
}

/// Mean negative log-probability of the true class, in nats.
///
/// Probabilities below 1e-15 count as 1e-15, so one confident mistake cannot make it infinite.
pub fn log_loss(truth: &[usize], probabilities: ArrayView2<'_, f64>) -> Result<f64> {
    check_lengths(truth.len(), probabilities.nrows())?;
    let mut total = 0.0;
    for (row, &label) in truth.iter().enumerate() {
        let probability = probabilities.get((row, label)).copied().ok_or_else(|| {
            Error::data(format!(
                "row {row} has class {label} but there are only {} columns of probabilities",
                probabilities.ncols()
            ))
        })?;
        total -= probability.clamp(1e-15, 1.0).ln();
    }
    Ok(total / truth.len() as f64)
}

/// Mean squared error over all rows and targets; no factor ½.
pub fn mean_squared_error(
    truth: ArrayView2<'_, f64>,
    predicted: ArrayView2<'_, f64>,
) -> Result<f64> {
    check_shapes(truth, predicted)?;
    let squares: f64 = truth
        .iter()
        .zip(predicted)
        .map(|(truth, predicted)| (truth - predicted).powi(2))
        .sum();
    Ok(squares / truth.len() as f64)
}

/// Mean absolute error over all rows and targets.
pub fn mean_absolute_error(
    truth: ArrayView2<'_, f64>,
    predicted: ArrayView2<'_, f64>,
) -> Result<f64> {
    check_shapes(truth, predicted)?;
    let total: f64 = truth
        .iter()
        .zip(predicted)
        .map(|(truth, predicted)| (truth - predicted).abs())
        .sum();
    Ok(total / truth.len() as f64)
}

/// Share of the variance explained, 1 − Σ(y − ŷ)²/Σ(y − ȳ)², averaged over the targets.
///
/// It is negative for predictions worse than the mean. A constant target counts one when it is
/// predicted exactly and zero otherwise.
pub fn r2(truth: ArrayView2<'_, f64>, predicted: ArrayView2<'_, f64>) -> Result<f64> {
    check_shapes(truth, predicted)?;
    let scores = truth
        .columns()
        .into_iter()
        .zip(predicted.columns())
        .map(|(truth, predicted)| r2_of_one(truth, predicted));
    Ok(scores.sum::<f64>() / truth.ncols() as f64)
}

fn r2_of_one(truth: ArrayView1<'_, f64>, predicted: ArrayView1<'_, f64>) -> f64 {
    let mean = truth.sum() / truth.len() as f64;
    let around_mean: f64 = truth.iter().map(|value| (value - mean).powi(2)).sum();
    let unexplained: f64 = truth
        .iter()
        .zip(predicted)
        .map(|(truth, predicted)| (truth - predicted).powi(2))
        .sum();
    match (unexplained == 0.0, around_mean == 0.0) {
        (true, _) => 1.0,
        (false, true) => 0.0,
        (false, false) => 1.0 - unexplained / around_mean,
    }
}

fn check_shapes(truth: ArrayView2<'_, f64>, predicted: ArrayView2<'_, f64>) -> Result<()> {
    check_lengths(truth.nrows(), predicted.nrows())?;
    match truth.ncols() == predicted.ncols() {
        true => Ok(()),
        false => Err(Error::data(format!(
            "there are {} true targets per row but {} predicted ones",
            truth.ncols(),
            predicted.ncols()
        ))),
    }
}

/// Agreement of two groupings, corrected for chance: one for the same grouping under other
/// names, about zero for unrelated ones.
pub fn adjusted_rand(truth: &[usize], predicted: &[usize]) -> Result<f64> {
    check_lengths(truth.len(), predicted.len())?;
    let size = |labels: &[usize]| labels.iter().max().map_or(0, |largest| largest + 1);
    let mut table = ndarray::Array2::<f64>::zeros((size(truth), size(predicted)));
    for (&truth, &predicted) in truth.iter().zip(predicted) {
        table[[truth, predicted]] += 1.0;
    }
    let pairs = |count: f64| count * (count - 1.0) / 2.0;
    let together: f64 = table.iter().map(|&count| pairs(count)).sum();
    let rows: f64 = table.rows().into_iter().map(|row| pairs(row.sum())).sum();
    let columns: f64 = table
        .columns()
        .into_iter()
        .map(|column| pairs(column.sum()))
        .sum();
    let expected = rows * columns / pairs(truth.len() as f64).max(1.0);
    let largest = (rows + columns) / 2.0;
    Ok(match largest == expected {
        true => 1.0,
        false => (together - expected) / (largest - expected),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    // 000a:GEN-07, 001:CLS-03: the 0–1 loss is one minus the accuracy.
    #[test]
    fn accuracy_counts_equal_labels() {
        assert_eq!(accuracy(&[0, 0, 1, 1], &[0, 1, 1, 1]).unwrap(), 0.75);
        assert_eq!(
            balanced_accuracy(&[0, 0, 0, 2], &[0, 0, 1, 2]).unwrap(),
            (2.0 / 3.0 + 1.0) / 2.0
        );
        assert!(accuracy(&[], &[]).is_err());
        assert!(accuracy(&[1], &[1, 0]).is_err());
    }

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
    }

    // 001:REG-03: reported errors have no ½; 000a:SUP-34: R² may be negative off-sample.
    #[test]
    fn regression_figures_follow_their_definitions() {
        let truth = array![[1.0], [2.0], [3.0]];
        let predicted = array![[1.0], [2.0], [5.0]];
        assert!(
            (mean_squared_error(truth.view(), predicted.view()).unwrap() - 4.0 / 3.0).abs() < 1e-15
        );
        assert!(
            (mean_absolute_error(truth.view(), predicted.view()).unwrap() - 2.0 / 3.0).abs()
                < 1e-15
        );
        assert!((r2(truth.view(), predicted.view()).unwrap() - (1.0 - 4.0 / 2.0)).abs() < 1e-15);
        let constant = array![[2.0], [2.0]];
        assert_eq!(r2(constant.view(), constant.view()).unwrap(), 1.0);
        assert_eq!(
            r2(constant.view(), array![[2.0], [3.0]].view()).unwrap(),
            0.0
        );
    }

    // Hand computation: table [[2, 0], [1, 1]], pairs 1, rows 1+1, columns 3+0 of 6:
    // (1 − 2·3/6) / ((2+3)/2 − 2·3/6) = 0.
    #[test]
    fn adjusted_rand_ignores_names_and_chance() {
        assert_eq!(adjusted_rand(&[0, 0, 1, 1], &[5, 5, 2, 2]).unwrap(), 1.0);
        assert!(adjusted_rand(&[0, 0, 1, 1], &[0, 0, 0, 1]).unwrap().abs() < 1e-15);
        assert_eq!(adjusted_rand(&[0, 0], &[0, 0]).unwrap(), 1.0);
    }
}
