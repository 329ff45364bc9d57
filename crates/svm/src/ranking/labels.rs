//! Rows that may have several labels, and orders of labels.

use didact_core::{Error, Result};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// Which labels each row has: a row for each row, a column for each label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSets(Array2<bool>);

impl LabelSets {
    /// Labels written out.
    pub fn new(has: Array2<bool>) -> Self {
        LabelSets(has)
    }

    /// Whether each row has each label.
    pub fn view(&self) -> ArrayView2<'_, bool> {
        self.0.view()
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.0.nrows()
    }

    /// Number of labels.
    pub fn n_labels(&self) -> usize {
        self.0.ncols()
    }

    /// The labels that a row has, and those that it has not.
    pub fn sides(&self, row: usize) -> (Vec<usize>, Vec<usize>) {
        let own = self.0.row(row);
        (0..own.len()).partition(|&label| own[label])
    }

    /// The number of pairs of a label that a row has and one that it has not.
    pub(super) fn n_pairs(&self, row: usize) -> usize {
        let own = self.0.row(row).iter().filter(|has| **has).count();
        own * (self.n_labels() - own)
    }

    pub(super) fn select(&self, rows: &[usize]) -> LabelSets {
        LabelSets(self.0.select(Axis(0), rows))
    }

    pub(super) fn check_rows(&self, n_rows: usize) -> Result<()> {
        match self.n_rows() == n_rows {
            true => Ok(()),
            false => Err(Error::data(format!(
                "there are labels for {} rows but {n_rows} rows; give labels for each row",
                self.n_rows()
            ))),
        }
    }
}

/// The slack max(0, 1 − fᵣ + fₛ) of every pair of a label r that a row has and a label s that it has
/// not, as (r, s, slack).
///
/// ```
/// use didact_svm::ranking_slacks;
/// use ndarray::array;
/// let scores = array![2.0, 0.5, 1.0, 0.8];
/// let slacks = ranking_slacks(scores.view(), array![true, false, true, false].view());
/// let total: f64 = slacks.iter().map(|(_, _, slack)| slack).sum();
/// assert!((total - 1.3).abs() < 1e-12);
/// ```
///
/// # Panics
/// When there is not one score per label.
pub fn ranking_slacks(
    scores: ArrayView1<'_, f64>,
    has: ArrayView1<'_, bool>,
) -> Vec<(usize, usize, f64)> {
    assert_eq!(scores.len(), has.len(), "one score per label");
    let (own, others): (Vec<usize>, Vec<usize>) = (0..has.len()).partition(|&label| has[label]);
    let pairs = own
        .iter()
        .flat_map(|&r| others.iter().map(move |&s| (r, s)));
    pairs
        .map(|(r, s)| (r, s, (1.0 - scores[r] + scores[s]).max(0.0)))
        .collect()
}

/// The mean over the rows of the share of pairs of labels in the wrong order; equal scores are wrong,
/// and rows with all labels or none are right.
///
/// # Panics
/// When there is not one score per row and label.
pub fn ranking_loss(scores: ArrayView2<'_, f64>, labels: &LabelSets) -> f64 {
    assert_eq!(scores.dim(), labels.0.dim(), "one score per row and label");
    let share = |(scores, has): (ArrayView1<'_, f64>, ArrayView1<'_, bool>)| {
        let pairs = ranking_slacks(scores, has);
        let wrong = pairs.iter().filter(|&&(r, s, _)| scores[r] <= scores[s]);
        wrong.count() as f64 / pairs.len().max(1) as f64
    };
    let rows = scores.rows().into_iter().zip(labels.0.rows());
    rows.map(share).sum::<f64>() / scores.nrows().max(1) as f64
}
