//! What is known of the classes of some rows.

use didact_core::{Classes, Error, PartlyLabelled, Result};
use ndarray::Array2;

/// Labels of which some are unknown, checked: each is below the number of classes, and there is
/// one at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) labels: &'a [Option<usize>],
    pub(crate) n_classes: usize,
}

impl<'a> Known<'a> {
    pub(crate) fn new(labels: &'a [Option<usize>], n_classes: usize) -> Result<Self> {
        let is_wrong = |label: &Option<usize>| label.is_some_and(|label| label >= n_classes);
        if let Some(row) = labels.iter().position(is_wrong) {
            return Err(Error::data(format!(
                "the label of row {row} is {} but there are only {n_classes} classes; \
                 labels count from 0",
                labels[row].unwrap_or_default()
            )));
        }
        if labels.iter().all(Option::is_none) {
            return Err(Error::data(
                "no row has a class; give the class of at least one row of each",
            ));
        }
        Ok(Known { labels, n_classes })
    }

    pub(crate) fn of(data: &'a PartlyLabelled<'_>) -> Result<Self> {
        Known::new(data.labels, data.classes.len())
    }

    /// How many rows of each class are known.
    pub(crate) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.n_classes];
        for &label in self.labels.iter().flatten() {
            counts[label] += 1;
        }
        counts
    }

    /// The share of each class among the rows whose class is known.
    pub(crate) fn shares(&self) -> Vec<f64> {
        let counts = self.counts();
        let total = counts.iter().sum::<usize>() as f64;
        counts.iter().map(|&count| count as f64 / total).collect()
    }

    /// A row for each row, with a one in the column of its class where that is known.
    pub(crate) fn one_hot(&self) -> Array2<f64> {
        let mut codes = Array2::zeros((self.labels.len(), self.n_classes));
        for (row, label) in self.labels.iter().enumerate() {
            if let Some(label) = *label {
                codes[[row, label]] = 1.0;
            }
        }
        codes
    }
}

/// Labels that are all known, as labels of which some could be unknown.
pub(crate) fn all_known(labels: &[usize]) -> Vec<Option<usize>> {
    labels.iter().copied().map(Some).collect()
}

/// Whether labels and classes of a saved model belong together.
pub(crate) fn fits(labels: &[usize], n_rows: usize, classes: &Classes) -> bool {
    labels.len() == n_rows && labels.iter().all(|&label| label < classes.len())
}
