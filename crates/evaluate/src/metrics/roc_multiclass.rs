//! Areas under the ROC for more than two classes.

use super::check::{check_lengths, check_weights};
use super::class_counts::Average;
use super::roc::{RocCurve, roc_auc};
use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView2};

/// The area of each column against its scores, averaged; columns are labels that may be on at
/// once, or classes.
pub fn roc_auc_columns(
    truth: ArrayView2<'_, bool>,
    scores: ArrayView2<'_, f64>,
    average: Average,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_lengths(truth.nrows(), scores.nrows())?;
    check_weights(weights, truth.nrows())?;
    check_width(truth.ncols(), scores.ncols())?;
    if average == Average::Micro {
        let repeated: Option<Vec<f64>> = weights.map(|weights| {
            let repeat = |weight: &f64| std::iter::repeat_n(*weight, truth.ncols());
            weights.iter().flat_map(repeat).collect()
        });
        let (truth, scores): (Vec<bool>, Vec<f64>) = truth.iter().zip(&scores).unzip();
        return Ok(RocCurve::new(&truth, &scores, repeated.as_deref())?.area());
    }
    let (mut sum, mut total) = (0.0, 0.0);
    for (column, (truth, scores)) in truth
        .columns()
        .into_iter()
        .zip(scores.columns())
        .enumerate()
    {
        let truth = truth.to_vec();
        // A column without positive rows has no share in a mean weighted by positives.
        if average == Average::Weighted && !truth.contains(&true) {
            continue;
        }
        let curve = RocCurve::new(&truth, &scores.to_vec(), weights)
            .map_err(|error| Error::data(format!("column {column}: {error}")))?;
        let share = match average {
            Average::Weighted => curve.positives,
            _ => 1.0,
        };
        sum += share * curve.area();
        total += share;
    }
    match total > 0.0 {
        true => Ok(sum / total),
        false => Err(Error::data(
            "no column has a positive row; a ROC needs rows of both classes",
        )),
    }
}

/// The area of each class against all others, averaged.
///
/// ```
/// use didact_evaluate::{Average, roc_auc_one_vs_rest};
/// let scores = ndarray::array![[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.3, 0.6]];
/// assert_eq!(roc_auc_one_vs_rest(&[0, 1, 2], scores.view(), Average::Macro, None)?, 1.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn roc_auc_one_vs_rest(
    truth: &[usize],
    scores: ArrayView2<'_, f64>,
    average: Average,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_lengths(truth.len(), scores.nrows())?;
    check_labels(truth, scores.ncols())?;
    let columns = Array2::from_shape_fn(scores.dim(), |(row, class)| truth[row] == class);
    roc_auc_columns(columns.view(), scores, average, weights)
}

/// The mean over all pairs of classes of the area between the two, each seen from both sides.
///
/// [`Average::Macro`] counts every pair once, [`Average::Weighted`] by its share of the rows.
pub fn roc_auc_one_vs_one(
    truth: &[usize],
    scores: ArrayView2<'_, f64>,
    average: Average,
) -> Result<f64> {
    check_lengths(truth.len(), scores.nrows())?;
    check_labels(truth, scores.ncols())?;
    if average == Average::Micro {
        return Err(Error::unsupported(
            "areas between pairs of classes have no micro average; take macro or weighted",
        ));
    }
    let mut rows_of = vec![Vec::new(); scores.ncols()];
    for (row, &label) in truth.iter().enumerate() {
        rows_of[label].push(row);
    }
    let (mut sum, mut total) = (0.0, 0.0);
    for first in 0..scores.ncols() {
        for second in first + 1..scores.ncols() {
            let rows = [rows_of[first].as_slice(), &rows_of[second]].concat();
            let side = |class: usize| -> Result<f64> {
                let is_class: Vec<bool> = rows.iter().map(|&row| truth[row] == class).collect();
                let score: Vec<f64> = rows.iter().map(|&row| scores[[row, class]]).collect();
                roc_auc(&is_class, &score)
            };
            let area = (side(first)? + side(second)?) / 2.0;
            let share = match average {
                Average::Weighted => rows.len() as f64,
                _ => 1.0,
            };
            sum += share * area;
            total += share;
        }
    }
    Ok(sum / total)
}

fn check_width(truth: usize, scores: usize) -> Result<()> {
    match truth == scores && truth > 0 {
        true => Ok(()),
        false => Err(Error::data(format!(
            "there are {truth} columns of truth but {scores} columns of scores; give as many of each, and at least one"
        ))),
    }
}

fn check_labels(truth: &[usize], classes: usize) -> Result<()> {
    if classes < 2 {
        return Err(Error::data(format!(
            "there are {classes} columns of scores; give one per class, and at least two"
        )));
    }
    let mut seen = vec![false; classes];
    for (row, &label) in truth.iter().enumerate() {
        if label >= classes {
            return Err(Error::data(format!(
                "row {row} has class {label} but there are only {classes} columns of scores"
            )));
        }
        seen[label] = true;
    }
    match seen.iter().position(|&seen| !seen) {
        None => Ok(()),
        Some(class) => Err(Error::data(format!(
            "class {class} has no rows, so its area is not defined; every class needs at least one"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, labels, unit, units};
    use super::*;

    #[test]
    fn columns_without_positive_rows_have_no_share_in_a_weighted_mean() {
        let truth = ndarray::array![[true, false], [false, false], [true, false]];
        let scores = ndarray::array![[0.9, 0.1], [0.2, 0.4], [0.1, 0.3]];
        let area = roc_auc_columns(truth.view(), scores.view(), Average::Weighted, None);
        assert_eq!(area.unwrap(), 0.5);
        assert!(roc_auc_columns(truth.view(), scores.view(), Average::Macro, None).is_err());
    }

    // Oracle: scikit-learn's roc_auc_score with multi_class="ovr" (macro, weighted, micro, and
    // weighted by sample_weight) and "ovo" (macro, weighted).
    #[test]
    fn areas_of_many_classes_agree_with_the_oracle() {
        let truth = labels(80, 4, 61);
        let mut scores = Array2::from_shape_fn((80, 4), |(row, class)| {
            unit(4 * row + class, 62) + if truth[row] == class { 0.3 } else { 0.01 }
        });
        for mut row in scores.rows_mut() {
            let total = row.sum();
            row /= total;
        }
        let weights = units(80, 63);
        let scores = scores.view();
        let found = [
            roc_auc_one_vs_rest(&truth, scores, Average::Macro, None).unwrap(),
            roc_auc_one_vs_rest(&truth, scores, Average::Weighted, None).unwrap(),
            roc_auc_one_vs_rest(&truth, scores, Average::Micro, None).unwrap(),
            roc_auc_one_vs_rest(&truth, scores, Average::Weighted, Some(&weights)).unwrap(),
            roc_auc_one_vs_one(&truth, scores, Average::Macro).unwrap(),
            roc_auc_one_vs_one(&truth, scores, Average::Weighted).unwrap(),
        ];
        for (found, expected) in found.into_iter().zip(MULTICLASS) {
            assert_near(found, expected);
        }
    }

    const MULTICLASS: [f64; 6] = [
        0.829983242192614,
        0.8277859099469269,
        0.8309895833333334,
        0.8416732405391844,
        0.8289059153072994,
        0.8289239028944912,
    ];

    #[test]
    fn a_class_without_rows_has_no_area() {
        let scores = Array2::from_elem((2, 3), 1.0 / 3.0);
        let error = roc_auc_one_vs_rest(&[0, 1], scores.view(), Average::Macro, None);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("class 2 has no rows")
        );
        assert!(roc_auc_one_vs_one(&[0, 5], scores.view(), Average::Macro).is_err());
    }
}
