//! Predicted sets of labels, several of which may be on at once.

use super::check::{check_lengths, check_weights, weight, weighted_mean};
use super::class_counts::{Average, ClassScores, mean_scores};
use didact_core::{Error, Result};
use ndarray::ArrayView2;

/// True and predicted label sets: one row per sample, one column per label.
///
/// ```
/// use didact_evaluate::LabelSets;
/// use ndarray::array;
/// let truth = array![[true, false, true], [false, true, false]];
/// let predicted = array![[true, false, false], [false, true, false]];
/// let sets = LabelSets::new(truth.view(), predicted.view(), None)?;
/// assert_eq!(sets.subset_accuracy(), 0.5);
/// assert!((sets.hamming_loss() - 1.0 / 6.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LabelSets<'a> {
    truth: ArrayView2<'a, bool>,
    predicted: ArrayView2<'a, bool>,
    weights: Option<&'a [f64]>,
}

impl<'a> LabelSets<'a> {
    /// Puts true and predicted sets side by side.
    pub fn new(
        truth: ArrayView2<'a, bool>,
        predicted: ArrayView2<'a, bool>,
        weights: Option<&'a [f64]>,
    ) -> Result<Self> {
        check_lengths(truth.nrows(), predicted.nrows())?;
        check_weights(weights, truth.nrows())?;
        if truth.ncols() != predicted.ncols() || truth.ncols() == 0 {
            return Err(Error::data(format!(
                "there are {} true labels per row but {} predicted ones; give as many of each, and at least one",
                truth.ncols(),
                predicted.ncols()
            )));
        }
        Ok(LabelSets {
            truth,
            predicted,
            weights,
        })
    }

    /// Share of rows whose whole set was predicted right.
    pub fn subset_accuracy(&self) -> f64 {
        self.mean_over_rows(|truth, predicted, _| f64::from(u8::from(truth + predicted == 0)))
    }

    /// Share of labels that are wrongly on or off.
    pub fn hamming_loss(&self) -> f64 {
        let labels = self.truth.ncols() as f64;
        self.mean_over_rows(|missed, surplus, _| (missed + surplus) as f64 / labels)
    }

    /// The figures of each label.
    pub fn scores(&self, beta: f64) -> Vec<ClassScores> {
        let counts = self.counts();
        counts
            .into_iter()
            .map(|counts| ClassScores::from_counts(counts, beta))
            .collect()
    }

    /// The figures of all labels as one.
    pub fn averaged(&self, beta: f64, average: Average) -> ClassScores {
        match average {
            Average::Micro => {
                let sum =
                    |a: (f64, f64, f64), b: (f64, f64, f64)| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
                let counts = self.counts().into_iter().fold((0.0, 0.0, 0.0), sum);
                ClassScores::from_counts(counts, beta)
            }
            Average::Macro => mean_scores(&self.scores(beta), |_| 1.0),
            Average::Weighted => mean_scores(&self.scores(beta), |label| label.support),
        }
    }

    /// The mean over the rows of the figures of each row's set.
    pub fn averaged_over_rows(&self, beta: f64) -> ClassScores {
        let rows: Vec<ClassScores> = (0..self.truth.nrows())
            .map(|row| {
                let (missed, surplus, both) = self.row(row);
                let counts = (both as f64, (both + missed) as f64, (both + surplus) as f64);
                ClassScores::from_counts(counts, beta)
            })
            .collect();
        let mean =
            |figure: fn(&ClassScores) -> f64| weighted_mean(rows.iter().map(figure), self.weights);
        ClassScores {
            precision: mean(|scores| scores.precision),
            recall: mean(|scores| scores.recall),
            f_measure: mean(|scores| scores.f_measure),
            jaccard: mean(|scores| scores.jaccard),
            support: rows.iter().map(|scores| scores.support).sum(),
        }
    }

    /// True positives, actual and predicted weight of each label.
    fn counts(&self) -> Vec<(f64, f64, f64)> {
        let mut counts = vec![(0.0, 0.0, 0.0); self.truth.ncols()];
        for row in 0..self.truth.nrows() {
            let weight = weight(self.weights, row);
            let sides = self.truth.row(row).into_iter().zip(self.predicted.row(row));
            for (count, (&truth, &predicted)) in counts.iter_mut().zip(sides) {
                let on = |side: bool| if side { weight } else { 0.0 };
                count.0 += on(truth && predicted);
                count.1 += on(truth);
                count.2 += on(predicted);
            }
        }
        counts
    }

    /// How many labels of a row were missed, were surplus, and were found.
    fn row(&self, row: usize) -> (usize, usize, usize) {
        let (mut missed, mut surplus, mut both) = (0, 0, 0);
        for (&truth, &predicted) in self.truth.row(row).iter().zip(self.predicted.row(row)) {
            missed += usize::from(truth && !predicted);
            surplus += usize::from(predicted && !truth);
            both += usize::from(truth && predicted);
        }
        (missed, surplus, both)
    }

    fn mean_over_rows(&self, figure: impl Fn(usize, usize, usize) -> f64) -> f64 {
        let values = (0..self.truth.nrows()).map(|row| {
            let (missed, surplus, both) = self.row(row);
            figure(missed, surplus, both)
        });
        weighted_mean(values, self.weights)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_near, unit, units};
    use super::*;
    use ndarray::Array2;

    // Oracle: scikit-learn's accuracy_score, hamming_loss, precision_recall_fscore_support and
    // jaccard_score on indicator matrices with sample_weight. 000a:SUP-28
    #[test]
    fn figures_of_label_sets_agree_with_the_oracle() {
        let truth = Array2::from_shape_fn((40, 5), |(i, j)| unit(5 * i + j, 11) < 0.3);
        let predicted = Array2::from_shape_fn((40, 5), |(i, j)| {
            truth[[i, j]] ^ (unit(5 * i + j, 12) < 0.2)
        });
        let weights = units(40, 13);
        let sets = LabelSets::new(truth.view(), predicted.view(), Some(&weights)).unwrap();
        let micro = sets.averaged(2.0, Average::Micro);
        let plain = sets.averaged(1.0, Average::Macro);
        let heavy = sets.averaged(1.0, Average::Weighted);
        let rows = sets.averaged_over_rows(1.0);
        let found = [
            sets.subset_accuracy(),
            sets.hamming_loss(),
            micro.precision,
            micro.f_measure,
            plain.recall,
            plain.jaccard,
            heavy.f_measure,
            rows.precision,
            rows.recall,
            rows.f_measure,
            rows.jaccard,
        ];
        for (found, expected) in found.into_iter().zip(LABEL_SETS) {
            assert_near(found, expected);
        }
    }

    const LABEL_SETS: [f64; 11] = [
        0.28316740936542517,
        0.21515761686247478,
        0.5545725853897954,
        0.7657977355292443,
        0.8419798519823327,
        0.4962274187287684,
        0.6787521659342464,
        0.4903074877788699,
        0.6136157103577883,
        0.5274081093360957,
        0.45803875310140363,
    ];

    #[test]
    fn sets_of_different_width_are_refused() {
        let (two, three) = (
            Array2::from_elem((1, 2), true),
            Array2::from_elem((1, 3), true),
        );
        let message = LabelSets::new(two.view(), three.view(), None).unwrap_err();
        assert!(message.to_string().contains("2 true labels per row but 3"));
        let none = Array2::from_elem((1, 0), true);
        assert!(LabelSets::new(none.view(), none.view(), None).is_err());
    }
}
