//! The table of true against predicted classes.

use super::check::{check_lengths, check_weights, weight};
use didact_core::{Error, Result};
use ndarray::Array2;
use serde::Serialize;

/// More classes than this make a table that nobody can read and that fills the memory.
const MOST_CLASSES: usize = 10_000;

/// K×K weights of the rows by true class (row) and predicted class (column).
///
/// ```
/// use didact_evaluate::ConfusionMatrix;
/// let table = ConfusionMatrix::new(&[0, 0, 1], &[0, 1, 1], 2, None)?;
/// assert_eq!(table.counts, ndarray::array![[1.0, 1.0], [0.0, 1.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfusionMatrix {
    /// Weight of the rows of true class i that were predicted as j.
    pub counts: Array2<f64>,
}

/// True and false positives and negatives of one class against all others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BinaryCounts {
    /// Rows of the class that were predicted to be.
    pub true_positives: f64,
    /// Rows of other classes that were predicted to be of this one.
    pub false_positives: f64,
    /// Rows of the class that were predicted to be of another.
    pub false_negatives: f64,
    /// Rows of other classes that were predicted to be of another.
    pub true_negatives: f64,
}

/// How much a disagreement of classes i and j costs in Cohen's κ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KappaWeights {
    /// Every disagreement costs the same.
    Equal,
    /// |i − j|: for classes that have an order.
    Linear,
    /// (i − j)².
    Quadratic,
}

impl ConfusionMatrix {
    /// Counts rows whose labels are below `n_classes`.
    pub fn new(
        truth: &[usize],
        predicted: &[usize],
        n_classes: usize,
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        check_lengths(truth.len(), predicted.len())?;
        check_weights(weights, truth.len())?;
        if n_classes > MOST_CLASSES {
            return Err(Error::parameter(
                "n_classes",
                n_classes,
                format!("a table has at most {MOST_CLASSES} classes; use ClassCounts for more"),
            ));
        }
        let mut counts = Array2::zeros((n_classes, n_classes));
        for (row, (&truth, &predicted)) in truth.iter().zip(predicted).enumerate() {
            let largest = truth.max(predicted);
            if largest >= n_classes {
                return Err(Error::data(format!(
                    "row {row} has label {largest} but there are only {n_classes} classes"
                )));
            }
            counts[[truth, predicted]] += weight(weights, row);
        }
        Ok(ConfusionMatrix { counts })
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.counts.nrows()
    }

    /// The four counts of `class` against all others.
    pub fn of_class(&self, class: usize) -> Result<BinaryCounts> {
        if class >= self.n_classes() {
            return Err(Error::parameter(
                "class",
                class,
                format!("there are only {} classes", self.n_classes()),
            ));
        }
        let true_positives = self.counts[[class, class]];
        let false_negatives = self.counts.row(class).sum() - true_positives;
        let false_positives = self.counts.column(class).sum() - true_positives;
        Ok(BinaryCounts {
            true_positives,
            false_positives,
            false_negatives,
            true_negatives: self.counts.sum() - true_positives - false_positives - false_negatives,
        })
    }

    /// Each row as shares of the true class; a class without rows stays zero.
    pub fn shares_of_truth(&self) -> Array2<f64> {
        let mut shares = self.counts.clone();
        for mut row in shares.rows_mut() {
            let total = row.sum();
            if total > 0.0 {
                row /= total;
            }
        }
        shares
    }

    /// Cohen's κ with disagreements weighted by the distance of the classes:
    /// κ = 1 − Σ wᵢⱼ·nᵢⱼ / Σ wᵢⱼ·eᵢⱼ, with e what chance would give.
    ///
    /// It is not defined where no disagreement is expected.
    pub fn kappa(&self, weights: KappaWeights) -> Result<f64> {
        let total = self.counts.sum();
        let rows = self.counts.sum_axis(ndarray::Axis(1));
        let columns = self.counts.sum_axis(ndarray::Axis(0));
        let (mut found, mut expected) = (0.0, 0.0);
        for ((i, j), count) in self.counts.indexed_iter() {
            let apart = i.abs_diff(j) as f64;
            let cost = match weights {
                KappaWeights::Equal => f64::from(u8::from(i != j)),
                KappaWeights::Linear => apart,
                KappaWeights::Quadratic => apart * apart,
            };
            found += cost * count;
            expected += cost * rows[i] * columns[j] / total;
        }
        match expected > 0.0 {
            true => Ok(1.0 - found / expected),
            false => Err(Error::data(
                "kappa compares with chance, but truth and prediction are one and the same class throughout; at least two classes are needed",
            )),
        }
    }
}

impl BinaryCounts {
    /// TP/(TP+FN), zero where there is no positive row.
    pub fn true_positive_rate(&self) -> f64 {
        share(self.true_positives, self.false_negatives)
    }

    /// FP/(FP+TN): a share of the negative rows, zero where there is none.
    pub fn false_positive_rate(&self) -> f64 {
        share(self.false_positives, self.true_negatives)
    }

    /// TN/(TN+FP), zero where there is no negative row.
    pub fn specificity(&self) -> f64 {
        share(self.true_negatives, self.false_positives)
    }
}

fn share(part: f64, rest: f64) -> f64 {
    match part + rest > 0.0 {
        true => part / (part + rest),
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, labels, noisy, units};
    use super::*;

    // 002a:BP16, 002a:PM01, 002a:PM03: a missed positive is a false negative, a negative taken as
    // positive a false positive; the four add up to the number of rows.
    #[test]
    fn the_four_counts_are_told_apart_and_add_up() {
        // Positive class 1: one found, two missed, one false alarm, three rightly left alone.
        let truth = [1, 1, 1, 0, 0, 0, 0];
        let predicted = [1, 0, 0, 1, 0, 0, 0];
        let table = ConfusionMatrix::new(&truth, &predicted, 2, None).unwrap();
        let counts = table.of_class(1).unwrap();
        assert_eq!(counts.true_positives, 1.0);
        assert_eq!(counts.false_negatives, 2.0);
        assert_eq!(counts.false_positives, 1.0);
        assert_eq!(counts.true_negatives, 3.0);
        assert_near(counts.false_positive_rate(), 0.25);
        assert_near(counts.true_positive_rate(), 1.0 / 3.0);
        assert_near(counts.specificity(), 0.75);
        assert_eq!(table.counts.sum(), 7.0);
        assert!(table.of_class(2).is_err());
    }

    // Oracle: sklearn.metrics.cohen_kappa_score with weights=None, "linear", "quadratic" and
    // sample_weight.
    #[test]
    fn weighted_kappa_agrees_with_the_oracle() {
        let truth = labels(80, 4, 3);
        let predicted = noisy(&truth, 4, 0.5, 4);
        let weights = units(80, 5);
        let table = ConfusionMatrix::new(&truth, &predicted, 4, Some(&weights)).unwrap();
        let kinds = [
            KappaWeights::Equal,
            KappaWeights::Linear,
            KappaWeights::Quadratic,
        ];
        for (kind, expected) in kinds.into_iter().zip(KAPPAS) {
            assert_near(table.kappa(kind).unwrap(), expected);
        }
    }

    const KAPPAS: [f64; 3] = [0.3542763639951997, 0.29588659798631944, 0.23958530140705847];

    #[test]
    fn shares_of_an_empty_class_stay_zero_and_wrong_labels_are_named() {
        let table = ConfusionMatrix::new(&[0, 0, 0, 0], &[0, 1, 0, 0], 2, None).unwrap();
        assert_eq!(
            table.shares_of_truth(),
            ndarray::array![[0.75, 0.25], [0.0, 0.0]]
        );
        let message = ConfusionMatrix::new(&[0, 5], &[0, 1], 2, None).unwrap_err();
        assert!(message.to_string().contains("row 1 has label 5"));
        assert!(ConfusionMatrix::new(&[0], &[0], 1 << 40, None).is_err());
        let alone = ConfusionMatrix::new(&[1], &[1], 2, None).unwrap();
        assert!(alone.kappa(KappaWeights::Linear).is_err());
    }
}
