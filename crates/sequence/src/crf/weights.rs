//! The weights of a linear chain: what scores a labelling of a sequence.

use crate::hmm::Chain;
use didact_core::model::ensure_consistent;
use didact_core::{Classes, Result, Rows};
use ndarray::{Array1, Array2, ShapeBuilder};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The weights of a linear chain over K labels and d columns, or a gradient with respect to them.
///
/// They give labels y of items x the score
/// s(x, y) = π(y₁) + Σₜ (w(yₜ)·xₜ + b(yₜ)) + Σₜ₋₁ₜ a(yₜ₋₁, yₜ) + τ(y_T).
/// All are logarithms of potentials: any real numbers, not probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainWeights {
    /// w: a row of weights of the columns for each label.
    pub coef: Array2<f64>,
    /// b: what each label scores at every item.
    pub intercept: Array1<f64>,
    /// π: what each label scores at the first item.
    pub start: Array1<f64>,
    /// τ: what each label scores at the last item.
    pub end: Array1<f64>,
    /// a: what each label (column) scores after each label (row).
    pub transitions: Array2<f64>,
}

impl ChainWeights {
    /// Weights of zero: every labelling is as good as any other.
    pub fn zeros(n_labels: usize, n_features: usize) -> Self {
        ChainWeights {
            coef: Array2::zeros((n_labels, n_features)),
            intercept: Array1::zeros(n_labels),
            start: Array1::zeros(n_labels),
            end: Array1::zeros(n_labels),
            transitions: Array2::zeros((n_labels, n_labels)),
        }
    }

    /// Weights of zero, laid out in memory as such rows read them.
    pub(crate) fn zeros_for(n_labels: usize, rows: Rows<'_>) -> Self {
        ChainWeights::zeros(n_labels, 0).with_columns_of(rows)
    }

    /// The same chain with weights of zero for the columns of such rows.
    ///
    /// A stored value of a sparse row meets the weights of its column for all labels, which
    /// therefore lie side by side.
    pub(crate) fn with_columns_of(self, rows: Rows<'_>) -> Self {
        let shape = (self.n_labels(), rows.n_columns());
        ChainWeights {
            coef: Array2::zeros(shape.set_f(rows.is_sparse())),
            ..self
        }
    }

    /// The weights laid out for such rows, which is worth a copy where their values are many.
    pub(crate) fn laid_out_for(&self, rows: Rows<'_>) -> Cow<'_, Self> {
        match rows {
            Rows::Sparse(sparse) if sparse.n_stored() >= self.n_features() => {
                let mut weights = ChainWeights::zeros_for(self.n_labels(), rows);
                weights.add(1.0, self);
                Cow::Owned(weights)
            }
            _ => Cow::Borrowed(self),
        }
    }

    /// The weights with their matrices row after row, as models keep them.
    pub(crate) fn row_after_row(self) -> Self {
        ChainWeights {
            coef: self.coef.as_standard_layout().into_owned(),
            transitions: self.transitions.as_standard_layout().into_owned(),
            ..self
        }
    }

    /// The weights one after another: w, b, π, τ, a.
    pub fn to_vec(&self) -> Vec<f64> {
        self.values().copied().collect()
    }

    pub(crate) fn n_labels(&self) -> usize {
        self.intercept.len()
    }

    pub(crate) fn n_features(&self) -> usize {
        self.coef.ncols()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &f64> {
        let coef = self.coef.rows().into_iter().flatten();
        let ends = self.start.iter().chain(&self.end);
        coef.chain(&self.intercept)
            .chain(ends)
            .chain(&self.transitions)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let ends = self.start.iter_mut().chain(&mut self.end);
        let coef = self.coef.rows_mut().into_iter().flatten();
        let items = coef.chain(&mut self.intercept);
        items.chain(ends).chain(&mut self.transitions)
    }

    /// Takes the values in the order of [`ChainWeights::to_vec`].
    pub(crate) fn set(&mut self, values: &[f64]) {
        for (own, value) in self.values_mut().zip(values) {
            *own = *value;
        }
    }

    /// Adds factor·other.
    pub(crate) fn add(&mut self, factor: f64, other: &ChainWeights) {
        for (own, value) in self.values_mut().zip(other.values()) {
            *own += factor * value;
        }
    }

    /// Fails unless the weights are finite, belong together and to the classes.
    pub(crate) fn validate(&self, classes: &Classes) -> Result<()> {
        let k = self.n_labels();
        ensure_consistent(k > 0 && k == classes.len())?;
        ensure_consistent(self.coef.nrows() == k && self.coef.ncols() > 0)?;
        ensure_consistent(self.coef.is_standard_layout())?;
        ensure_consistent(self.start.len() == k && self.end.len() == k)?;
        ensure_consistent(self.transitions.dim() == (k, k))?;
        ensure_consistent(self.values().all(|value| value.is_finite()))
    }

    /// The chain of the labels as logarithms of potentials.
    pub(crate) fn chain(&self) -> Chain {
        Chain::of_log_potentials(
            self.start.to_vec(),
            self.transitions.iter().copied().collect(),
            self.end.to_vec(),
        )
    }

    /// The chain with its largest start, step and end at zero, which keeps exponentials within
    /// range, and those three.
    pub(crate) fn shifted_chain(&self) -> (Chain, Shift) {
        let shift = Shift {
            start: largest(self.start.iter()),
            step: largest(self.transitions.iter()),
            end: largest(self.end.iter()),
        };
        let chain = Chain::of_log_potentials(
            self.start.iter().map(|score| score - shift.start).collect(),
            self.transitions
                .iter()
                .map(|score| score - shift.step)
                .collect(),
            self.end.iter().map(|score| score - shift.end).collect(),
        );
        (chain, shift)
    }

    /// The score of labels, given the scores of items.
    pub(crate) fn score_labels(&self, items: &[f64], labels: &[usize]) -> f64 {
        let k = self.n_labels();
        let unary: f64 = items
            .chunks_exact(k)
            .zip(labels)
            .map(|(scores, &label)| scores[label])
            .sum();
        let steps: f64 = labels
            .windows(2)
            .map(|pair| self.transitions[[pair[0], pair[1]]])
            .sum();
        self.start[labels[0]] + unary + steps + self.end[labels[labels.len() - 1]]
    }

    /// Adds factor·∂s/∂weights of labels, except for `coef` and `intercept`.
    pub(crate) fn add_chain_counts(&mut self, factor: f64, labels: &[usize]) {
        self.start[labels[0]] += factor;
        self.end[labels[labels.len() - 1]] += factor;
        for pair in labels.windows(2) {
            self.transitions[[pair[0], pair[1]]] += factor;
        }
    }
}

/// What a shifted chain leaves out of the score of a sequence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shift {
    start: f64,
    step: f64,
    end: f64,
}

impl Shift {
    /// The score left out of a sequence of so many items.
    pub(crate) fn of(&self, n_items: usize) -> f64 {
        self.start + (n_items - 1) as f64 * self.step + self.end
    }
}

fn largest<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.copied().fold(f64::NEG_INFINITY, f64::max)
}
