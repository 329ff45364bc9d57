//! Counts per class, and everything that follows from them.

use super::check::{check_lengths, check_weights, weight};
use didact_core::{Error, Result};
use serde::Serialize;

/// How often each class was true, was predicted, and was both.
///
/// Everything here takes time in rows plus classes, also for very many classes; the whole table
/// of true against predicted classes is a [`ConfusionMatrix`](super::ConfusionMatrix).
///
/// Precision is TP/(TP+FP), recall TP/(TP+FN), Fβ = (1+β²)TP / ((1+β²)TP + β²FN + FP); each is
/// zero where its denominator is.
///
/// ```
/// use didact_evaluate::{Average, ClassCounts};
/// let counts = ClassCounts::new(&[0, 1, 2, 2], &[0, 2, 2, 2], None)?;
/// assert_eq!(counts.accuracy(), 0.75);
/// assert_eq!(counts.scores(1.0)[2].recall, 1.0);
/// assert_eq!(counts.averaged(1.0, Average::Micro).f_measure, 0.75);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassCounts {
    /// The labels that are true or predicted somewhere, in ascending order.
    pub labels: Vec<usize>,
    /// Weight of the rows of each label that were predicted right.
    pub true_positives: Vec<f64>,
    /// Weight of the rows that have each label.
    pub actual: Vec<f64>,
    /// Weight of the rows that were predicted to have each label.
    pub predicted: Vec<f64>,
}

/// How the figures of several classes or labels become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Average {
    /// From the counts of all classes together.
    Micro,
    /// The plain mean over the classes.
    Macro,
    /// The mean over the classes, each counting as many times as it is true.
    Weighted,
}

/// The figures of one class, or of an average.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClassScores {
    /// Share of the rows predicted to be of the class that are.
    pub precision: f64,
    /// Share of the rows of the class that were predicted to be.
    pub recall: f64,
    /// Weighted harmonic mean of precision and recall.
    pub f_measure: f64,
    /// TP/(TP+FP+FN): what is both, as a share of what is either.
    pub jaccard: f64,
    /// Weight of the rows of the class.
    pub support: f64,
}

/// The figures of every class and their averages, as a report prints them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassReport {
    /// The label and the figures of each class.
    pub classes: Vec<(usize, ClassScores)>,
    /// Share of rows predicted right.
    pub accuracy: f64,
    /// Plain mean over the classes.
    pub macro_average: ClassScores,
    /// Mean over the classes weighted by their support.
    pub weighted_average: ClassScores,
}

impl ClassCounts {
    /// Counts true and predicted labels.
    pub fn new(truth: &[usize], predicted: &[usize], weights: Option<&[f64]>) -> Result<Self> {
        check_lengths(truth.len(), predicted.len())?;
        check_weights(weights, truth.len())?;
        let (labels, place) = occurring(truth, predicted);
        let zeros = vec![0.0; labels.len()];
        let mut counts = ClassCounts {
            labels,
            true_positives: zeros.clone(),
            actual: zeros.clone(),
            predicted: zeros,
        };
        for (row, (&truth, &predicted)) in truth.iter().zip(predicted).enumerate() {
            let weight = weight(weights, row);
            let actual = place.of(truth);
            counts.actual[actual] += weight;
            match truth == predicted {
                true => {
                    counts.predicted[actual] += weight;
                    counts.true_positives[actual] += weight;
                }
                false => counts.predicted[place.of(predicted)] += weight,
            }
        }
        Ok(counts)
    }

    /// The counts of the chosen classes alone, in that order; a class that does not occur counts
    /// nothing.
    pub fn only(&self, labels: &[usize]) -> ClassCounts {
        let places: Vec<Option<usize>> = labels
            .iter()
            .map(|label| self.labels.binary_search(label).ok())
            .collect();
        let pick = |counts: &[f64]| {
            let count = |place: &Option<usize>| place.map_or(0.0, |place| counts[place]);
            places.iter().map(count).collect()
        };
        ClassCounts {
            labels: labels.to_vec(),
            true_positives: pick(&self.true_positives),
            actual: pick(&self.actual),
            predicted: pick(&self.predicted),
        }
    }

    /// Total weight of the rows.
    pub fn total(&self) -> f64 {
        self.actual.iter().sum()
    }

    /// Share of rows predicted right.
    pub fn accuracy(&self) -> f64 {
        self.true_positives.iter().sum::<f64>() / self.total()
    }

    /// Mean recall of the classes that are true somewhere.
    pub fn balanced_accuracy(&self) -> f64 {
        let recalls: Vec<f64> = (0..self.labels.len())
            .filter(|&class| self.actual[class] > 0.0)
            .map(|class| self.true_positives[class] / self.actual[class])
            .collect();
        recalls.iter().sum::<f64>() / recalls.len() as f64
    }

    /// Balanced accuracy stretched so that guessing gives zero and perfection one.
    pub fn adjusted_balanced_accuracy(&self) -> Result<f64> {
        let classes = self.actual.iter().filter(|&&weight| weight > 0.0).count();
        if classes < 2 {
            return Err(Error::data(
                "all rows have the same class, so guessing is always right; at least two classes are needed",
            ));
        }
        let chance = 1.0 / classes as f64;
        Ok((self.balanced_accuracy() - chance) / (1.0 - chance))
    }

    /// Matthews's correlation of true and predicted classes, from −1 to 1, for any number of
    /// classes; zero where one side is constant.
    pub fn matthews_correlation(&self) -> f64 {
        // Rounding of weights must not pass for a correlation with a constant.
        let is_constant = |side: &[f64]| side.iter().filter(|&&weight| weight > 0.0).count() < 2;
        if is_constant(&self.actual) || is_constant(&self.predicted) {
            return 0.0;
        }
        let total = self.total();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let right: f64 = self.true_positives.iter().sum();
        let covariance = right * total - product(&self.actual, &self.predicted);
        let actual = total * total - product(&self.actual, &self.actual);
        let predicted = total * total - product(&self.predicted, &self.predicted);
        match actual * predicted > 0.0 {
            true => covariance / (actual * predicted).sqrt(),
            false => 0.0,
        }
    }

    /// Cohen's κ = (p − pₑ)/(1 − pₑ): agreement p beyond the pₑ of chance.
    ///
    /// It is not defined where truth and prediction are one and the same class throughout.
    pub fn kappa(&self) -> Result<f64> {
        let total = self.total();
        let chance: f64 = self
            .actual
            .iter()
            .zip(&self.predicted)
            .map(|(actual, predicted)| (actual / total) * (predicted / total))
            .sum();
        match 1.0 - chance > 0.0 {
            true => Ok(1.0 - (1.0 - self.accuracy()) / (1.0 - chance)),
            false => Err(Error::data(
                "kappa compares with chance, but truth and prediction are one and the same class throughout; at least two classes are needed",
            )),
        }
    }

    /// The figures of each class, in the order of `labels`.
    pub fn scores(&self, beta: f64) -> Vec<ClassScores> {
        (0..self.labels.len())
            .map(|class| {
                let counts = (
                    self.true_positives[class],
                    self.actual[class],
                    self.predicted[class],
                );
                ClassScores::from_counts(counts, beta)
            })
            .collect()
    }

    /// The figures of all classes as one.
    pub fn averaged(&self, beta: f64, average: Average) -> ClassScores {
        let counts = (
            self.true_positives.iter().sum(),
            self.actual.iter().sum(),
            self.predicted.iter().sum(),
        );
        let together = ClassScores::from_counts(counts, beta);
        match average {
            Average::Micro => together,
            Average::Macro => mean_scores(&self.scores(beta), |_| 1.0),
            Average::Weighted => mean_scores(&self.scores(beta), |class| class.support),
        }
    }

    /// Every class and the averages, for F₁.
    pub fn report(&self) -> ClassReport {
        ClassReport {
            classes: self.labels.iter().copied().zip(self.scores(1.0)).collect(),
            accuracy: self.accuracy(),
            macro_average: self.averaged(1.0, Average::Macro),
            weighted_average: self.averaged(1.0, Average::Weighted),
        }
    }
}

impl ClassScores {
    /// From true positives, actual and predicted positives.
    pub(crate) fn from_counts(
        (true_positives, actual, predicted): (f64, f64, f64),
        beta: f64,
    ) -> Self {
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let square = beta * beta;
        // With β infinite the F-measure is the recall.
        let f_measure = match square.is_finite() {
            true => share((1.0 + square) * true_positives, square * actual + predicted),
            false => share(true_positives, actual),
        };
        ClassScores {
            precision: share(true_positives, predicted),
            recall: share(true_positives, actual),
            f_measure,
            jaccard: share(true_positives, actual + predicted - true_positives),
            support: actual,
        }
    }
}

/// The weighted mean of figures; all zero where nothing has weight.
pub(crate) fn mean_scores(
    scores: &[ClassScores],
    weight: impl Fn(&ClassScores) -> f64,
) -> ClassScores {
    let total: f64 = scores.iter().map(&weight).sum();
    let mean = |figure: fn(&ClassScores) -> f64| match total > 0.0 {
        true => {
            scores
                .iter()
                .map(|one| weight(one) * figure(one))
                .sum::<f64>()
                / total
        }
        false => 0.0,
    };
    ClassScores {
        precision: mean(|scores| scores.precision),
        recall: mean(|scores| scores.recall),
        f_measure: mean(|scores| scores.f_measure),
        jaccard: mean(|scores| scores.jaccard),
        support: scores.iter().map(|scores| scores.support).sum(),
    }
}

/// Where a label is in the list of those that occur.
pub(crate) enum Places {
    Table(Vec<usize>),
    Sorted(Vec<usize>),
}

impl Places {
    pub(crate) fn of(&self, label: usize) -> usize {
        match self {
            Places::Table(table) => table[label],
            Places::Sorted(labels) => labels
                .binary_search(&label)
                .expect("the list was made of these labels"),
        }
    }
}

/// The labels that occur on either side, ascending, and how to find one among them.
pub(crate) fn occurring(left: &[usize], right: &[usize]) -> (Vec<usize>, Places) {
    let largest = left.iter().chain(right).copied().max().unwrap_or(0);
    // A label may be any number; a table is only made where it is no longer than the rows.
    if largest <= 1024 + 2 * left.len() {
        let mut seen = vec![false; largest + 1];
        left.iter()
            .chain(right)
            .for_each(|&label| seen[label] = true);
        let labels: Vec<usize> = (0..=largest).filter(|&label| seen[label]).collect();
        let mut table = vec![0; largest + 1];
        for (place, &label) in labels.iter().enumerate() {
            table[label] = place;
        }
        return (labels, Places::Table(table));
    }
    let mut labels = [left, right].concat();
    labels.sort_unstable();
    labels.dedup();
    (labels.clone(), Places::Sorted(labels))
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

/// Share of rows whose class was predicted wrong: 1 − [`accuracy`].
pub fn zero_one_loss(truth: &[usize], predicted: &[usize]) -> Result<f64> {
    Ok(1.0 - accuracy(truth, predicted)?)
}

/// Mean over the classes of the share of each class's rows that was predicted right.
pub fn balanced_accuracy(truth: &[usize], predicted: &[usize]) -> Result<f64> {
    Ok(ClassCounts::new(truth, predicted, None)?.balanced_accuracy())
}

/// The F₁-measure averaged over the classes.
pub fn f_measure(truth: &[usize], predicted: &[usize], average: Average) -> Result<f64> {
    let counts = ClassCounts::new(truth, predicted, None)?;
    Ok(counts.averaged(1.0, average).f_measure)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, labels, noisy, unit, units};
    use super::*;

    #[test]
    fn a_constant_prediction_has_no_correlation_whatever_the_weights() {
        let truth: Vec<usize> = (0..60).map(|row| row % 3).collect();
        let weights: Vec<f64> = (0..60).map(|row| unit(row, 5) + 0.01).collect();
        let counts = ClassCounts::new(&truth, &[2; 60], Some(&weights)).unwrap();
        assert_eq!(counts.matthews_correlation(), 0.0);
    }

    #[test]
    fn chosen_classes_are_counted_in_their_order() {
        // Class 2 is true once and predicted twice, one of them right; class 5 does not occur.
        let counts = ClassCounts::new(&[0, 1, 1, 2], &[0, 1, 2, 2], None).unwrap();
        let only = counts.only(&[2, 5]);
        assert_eq!(only.true_positives, [1.0, 0.0]);
        assert_eq!((only.actual[0], only.predicted[0]), (1.0, 2.0));
        assert_eq!(only.averaged(1.0, Average::Micro).precision, 0.5);
        assert_eq!(only.averaged(1.0, Average::Macro).recall, 0.5);
    }

    // 000a:GEN-07, 001:CLS-03: the 0–1 loss is one minus the accuracy, never a score of ±1.
    #[test]
    fn accuracy_counts_equal_labels() {
        assert_eq!(accuracy(&[0, 0, 1, 1], &[0, 1, 1, 1]).unwrap(), 0.75);
        assert_eq!(zero_one_loss(&[0, 0, 1, 1], &[0, 1, 1, 1]).unwrap(), 0.25);
        assert_eq!(
            balanced_accuracy(&[0, 0, 0, 2], &[0, 0, 1, 2]).unwrap(),
            (2.0 / 3.0 + 1.0) / 2.0
        );
        assert!(accuracy(&[], &[]).is_err());
        assert!(accuracy(&[1], &[1, 0]).is_err());
    }

    // Oracle: scikit-learn 1.9 on the numbers of `testing`, with and without sample_weight.
    // 002a:PM04: precision, recall and F of classes.
    #[test]
    fn figures_of_classes_agree_with_the_oracle() {
        let truth = labels(97, 4, 1);
        let predicted = noisy(&truth, 5, 0.6, 2);
        let weights = units(97, 9);
        let plain = ClassCounts::new(&truth, &predicted, None).unwrap();
        let heavy = ClassCounts::new(&truth, &predicted, Some(&weights)).unwrap();
        for (counts, expected) in [(&plain, PLAIN), (&heavy, HEAVY)] {
            let half = counts.averaged(0.5, Average::Macro);
            let micro = counts.averaged(2.0, Average::Micro);
            let weighted = counts.averaged(1.0, Average::Weighted);
            let found = [
                counts.accuracy(),
                counts.balanced_accuracy(),
                counts.adjusted_balanced_accuracy().unwrap(),
                counts.matthews_correlation(),
                counts.kappa().unwrap(),
                half.precision,
                half.recall,
                half.f_measure,
                micro.f_measure,
                weighted.precision,
                weighted.recall,
                weighted.f_measure,
                half.jaccard,
                micro.jaccard,
                weighted.jaccard,
            ];
            for (found, expected) in found.into_iter().zip(expected) {
                assert_near(found, expected);
            }
        }
        let each: Vec<f64> = heavy.scores(1.0).iter().map(|one| one.f_measure).collect();
        for (found, expected) in each.into_iter().zip(EACH) {
            assert_near(found, expected);
        }
    }

    const PLAIN: [f64; 15] = [
        0.6597938144329897,
        0.6708039446185998,
        0.5610719261581331,
        0.5831502871714387,
        0.5671399594320486,
        0.6216822961068486,
        0.5366431556948799,
        0.596937933067964,
        0.6597938144329897,
        0.7984241657218693,
        0.6597938144329897,
        0.713151354038341,
        0.4426406926406926,
        0.49230769230769234,
        0.5560092828134066,
    ];
    const HEAVY: [f64; 15] = [
        0.666279209110704,
        0.6736255056544207,
        0.5648340075392276,
        0.5850789842025083,
        0.5708985557009592,
        0.6092533931918893,
        0.5389004045235366,
        0.5887465055739739,
        0.666279209110704,
        0.7957423536567134,
        0.666279209110704,
        0.7171146628326742,
        0.4386877493680538,
        0.49956423687932733,
        0.5612311268464528,
    ];
    const EACH: [f64; 5] = [
        0.771899844459787,
        0.6276670336737786,
        0.698097229385051,
        0.7271862308810928,
        0.0,
    ];

    #[test]
    fn classes_without_rows_count_zero_and_absent_labels_do_not_count() {
        // Class 1 is predicted but never true; label 7 is in neither list.
        let counts = ClassCounts::new(&[0, 0, 9], &[0, 1, 9], None).unwrap();
        assert_eq!(counts.labels, [0, 1, 9]);
        assert_eq!(counts.scores(1.0)[1].recall, 0.0);
        assert_near(counts.averaged(1.0, Average::Macro).recall, 0.5);
        assert_near(counts.balanced_accuracy(), 0.75);
        let huge = ClassCounts::new(&[0, usize::MAX], &[0, usize::MAX], None).unwrap();
        assert_eq!(huge.accuracy(), 1.0);
    }

    #[test]
    fn one_class_alone_has_no_kappa_but_a_correlation_of_zero() {
        let counts = ClassCounts::new(&[3, 3], &[3, 3], None).unwrap();
        assert_eq!(counts.matthews_correlation(), 0.0);
        assert!(
            counts
                .kappa()
                .unwrap_err()
                .to_string()
                .contains("at least two classes")
        );
        assert!(counts.adjusted_balanced_accuracy().is_err());
    }

    #[test]
    fn the_report_lists_every_class_and_both_averages() {
        let report = ClassCounts::new(&[0, 0, 1], &[0, 1, 1], None)
            .unwrap()
            .report();
        assert_eq!(report.classes.len(), 2);
        assert_near(report.accuracy, 2.0 / 3.0);
        // F of class 0: 2·1/(2+1), of class 1: 2·1/(1+2).
        assert_near(report.macro_average.f_measure, 2.0 / 3.0);
        assert_near(report.weighted_average.precision, (2.0 + 0.5) / 3.0);
    }
}
