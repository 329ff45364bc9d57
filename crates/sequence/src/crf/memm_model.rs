//! The fitted maximum-entropy Markov model.

use super::memm::step_log_probabilities;
use super::rows::item_scores;
use super::weights::ChainWeights;
use crate::hmm::ITEMS_PER_CHECK;
use didact_core::abilities::check_rows;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Decode, Features, Model, Result, Run, Sequences, Trace,
    Value,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A maximum-entropy Markov model: p(y | x) = ∏ₜ p(yₜ | yₜ₋₁, xₜ). It comes from
/// [`crate::Memm`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemmModel {
    weights: ChainWeights,
    classes: Classes,
    trace: Option<Trace>,
}

impl MemmModel {
    pub(crate) fn learned(weights: ChainWeights, classes: &Classes, trace: Trace) -> Result<Self> {
        let model = MemmModel {
            weights,
            classes: classes.clone(),
            trace: Some(trace),
        };
        model.validate()?;
        Ok(model)
    }

    /// The weights; those of the end are zero.
    pub fn weights(&self) -> &ChainWeights {
        &self.weights
    }

    /// Calls `visit` for every item with ln p(j | i, x) in row i, column j of a matrix; at the
    /// first item of a sequence, where no label came before, the matrix has one row.
    fn each_step(
        &self,
        sequences: &Sequences<'_>,
        mut visit: impl FnMut(bool, &[f64]),
    ) -> Result<()> {
        let rows = sequences.samples.rows();
        check_rows(self, rows)?;
        let (k, run) = (self.weights.n_labels(), Run::new());
        let scores = item_scores(&self.weights.laid_out_for(rows), rows, 0, &run)?;
        let mut steps = vec![0.0; k * k];
        for range in sequences.ranges() {
            for row in range.clone() {
                if row % ITEMS_PER_CHECK == 0 {
                    run.check()?;
                }
                let first = row == range.start;
                let height = if first { 1 } else { k };
                for (label, step) in steps.chunks_exact_mut(k).take(height).enumerate() {
                    step.copy_from_slice(&scores[row * k..(row + 1) * k]);
                    step_log_probabilities(&self.weights, (!first).then_some(label), step);
                }
                visit(first, &steps[..height * k]);
            }
        }
        Ok(())
    }
}

impl Features for MemmModel {
    fn n_features(&self) -> usize {
        self.weights.n_features()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Decode for MemmModel {
    fn n_states(&self) -> usize {
        self.weights.n_labels()
    }

    fn state_names(&self) -> Option<&Classes> {
        Some(&self.classes)
    }

    /// The labels y that maximise p(y | x), and ln of that maximum; equally good labellings are
    /// told apart by the lowest label, from the last item backwards.
    fn viterbi(&self, sequences: &Sequences<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
        let k = self.weights.n_labels();
        let mut best = Vec::with_capacity(sequences.samples.n_rows() * k);
        let mut pointers = Vec::with_capacity(best.capacity());
        self.each_step(sequences, |first, steps| {
            let last = best.len().saturating_sub(k);
            for label in 0..k {
                let (mut from, mut score) = (0, f64::NEG_INFINITY);
                for (before, step) in steps.chunks_exact(k).enumerate() {
                    let reached = if first { 0.0 } else { best[last + before] };
                    if reached + step[label] > score {
                        (from, score) = (before, reached + step[label]);
                    }
                }
                best.push(score);
                pointers.push(from);
            }
        })?;
        let mut path = vec![0; best.len() / k];
        let mut log_probabilities = Vec::with_capacity(sequences.lengths.len());
        for range in sequences.ranges() {
            let end = &best[(range.end - 1) * k..range.end * k];
            let mut label = (0..k)
                .rev()
                .fold(0, |top, label| match end[label] >= end[top] {
                    true => label,
                    false => top,
                });
            log_probabilities.push(end[label]);
            for row in range.rev() {
                path[row] = label;
                label = pointers[row * k + label];
            }
        }
        Ok((path, log_probabilities))
    }

    /// p(yₜ = j | x), to which only the items up to the t-th contribute.
    fn state_probabilities(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        let k = self.weights.n_labels();
        let mut probabilities = Vec::with_capacity(sequences.samples.n_rows() * k);
        self.each_step(sequences, |first, steps| {
            let last = probabilities.len().saturating_sub(k);
            for label in 0..k {
                let before = |before: usize| match first {
                    true => 1.0,
                    false => probabilities[last + before],
                };
                let rows = steps.chunks_exact(k).enumerate();
                let sum: f64 = rows
                    .map(|(row, step)| before(row) * step[label].exp())
                    .sum();
                probabilities.push(sum);
            }
        })?;
        let shape = (probabilities.len() / k, k);
        Ok(Array2::from_shape_vec(shape, probabilities).expect("K values per item"))
    }
}

impl Model for MemmModel {
    const ABILITIES: Abilities<Self> = Abilities::none().decode();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The labels of items in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "coef",
            meaning: "Weight of each column (column) for each label (row).",
            get: |model| Value::from(&model.weights.coef),
        },
        Attribute {
            name: "intercept",
            meaning: "What each label scores at every item.",
            get: |model| Value::from(&model.weights.intercept),
        },
        Attribute {
            name: "start",
            meaning: "What each label scores at the first item.",
            get: |model| Value::from(&model.weights.start),
        },
        Attribute {
            name: "transitions",
            meaning: "What each label (column) scores after each label (row).",
            get: |model| Value::from(&model.weights.transitions),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        self.weights.validate(&self.classes)
    }
}
