//! The fitted linear chain.

use super::likelihood::{Items, log_likelihood};
use super::rows::item_scores;
use super::weights::ChainWeights;
use crate::hmm::{LEAST_ROWS, Lattice, groups};
use didact_core::abilities::check_rows;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Error, Features, Model, Result, Rows, Run, Samples,
    Sequences, Trace, Value,
};
use serde::{Deserialize, Serialize};

/// A linear-chain conditional random field: p(y | x) = exp(s(x, y)) / Z(x) for labels y.
///
/// Models come from [`crate::Crf`], [`crate::StructuredPerceptron`] or
/// [`crate::ItemClassifier`], or are written down:
///
/// ```
/// use didact_core::{Classes, Decode, Sequences};
/// use didact_sequence::{ChainWeights, CrfModel};
/// use ndarray::array;
/// let weights = ChainWeights {
///     coef: array![[1.0, 0.3], [-0.5, 0.8]],
///     intercept: array![0.1, -0.2],
///     start: array![0.2, 0.0],
///     end: array![0.0, 0.4],
///     transitions: array![[0.5, -0.3], [-0.6, 0.7]],
/// };
/// let model = CrfModel::new(weights, Classes::new(["noun", "verb"]))?;
/// let items = array![[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]];
/// let sequences = Sequences::new(&items, &[3])?;
/// assert_eq!(model.decode(&sequences)?.0, [0, 0, 1]);
/// assert!((model.log_partitions(&sequences)?[0] - 4.391189786139327).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrfModel {
    weights: ChainWeights,
    classes: Classes,
    trace: Option<Trace>,
}

impl CrfModel {
    /// A model with given weights, a class for each label.
    pub fn new(weights: ChainWeights, classes: Classes) -> Result<Self> {
        // Attributes and products rely on rows one after another.
        let model = CrfModel {
            weights: weights.row_after_row(),
            classes,
            trace: None,
        };
        model.validate().map_err(|_| {
            Error::data(
                "the weights do not belong together or are not finite; for K classes give K rows \
                 of weights of columns, K intercepts, starts and ends, and K×K transitions",
            )
        })?;
        Ok(model)
    }

    pub(crate) fn learned(weights: ChainWeights, classes: &Classes, trace: Trace) -> Result<Self> {
        let model = CrfModel {
            weights,
            classes: classes.clone(),
            trace: Some(trace),
        };
        model.validate()?;
        Ok(model)
    }

    /// The weights.
    pub fn weights(&self) -> &ChainWeights {
        &self.weights
    }

    /// The classes in label order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The score s(x, y) of each sequence x with its labels y, one label for each item.
    pub fn scores(&self, sequences: &Sequences<'_>, labels: &[usize]) -> Result<Vec<f64>> {
        self.check_labels(sequences, labels)?;
        let scores = self.item_scores(sequences.samples.rows())?;
        let k = self.weights.n_labels();
        let one = |range: std::ops::Range<usize>| {
            let items = &scores[range.start * k..range.end * k];
            self.weights.score_labels(items, &labels[range])
        };
        Ok(sequences.ranges().map(one).collect())
    }

    /// ln p(y | x) of each sequence x with its labels y, one label for each item.
    pub fn log_probabilities(
        &self,
        sequences: &Sequences<'_>,
        labels: &[usize],
    ) -> Result<Vec<f64>> {
        let mut scores = self.scores(sequences, labels)?;
        for (score, partition) in scores.iter_mut().zip(self.log_partitions(sequences)?) {
            *score -= partition;
        }
        Ok(scores)
    }

    /// The gradient of Σ ln p(y | x) with respect to the weights, one label for each item.
    ///
    /// ∂/∂a(i, j) counts the steps from i to j minus those expected, Σₜ ξₜ(i, j), and so on.
    pub fn gradient(&self, sequences: &Sequences<'_>, labels: &[usize]) -> Result<ChainWeights> {
        self.check_labels(sequences, labels)?;
        let rows = sequences.samples.rows();
        check_rows(self, rows)?;
        let weights = self.weights.laid_out_for(rows);
        let groups = groups(sequences, LEAST_ROWS);
        let items = Items::new(rows, labels);
        let (_, gradient) = log_likelihood(&weights, items, &groups, &Run::new())?;
        Ok(gradient.row_after_row())
    }

    /// The forward and backward variables of one sequence: sums of potentials where a hidden
    /// Markov model has probabilities. Its log-likelihood is ln Z(x).
    pub fn lattice<'a>(&self, items: impl Into<Samples<'a>>) -> Result<Lattice> {
        let items = items.into();
        if items.n_rows() == 0 {
            return Err(Error::data("the sequence has no items; give at least one"));
        }
        let scores = self.item_scores(items.rows())?;
        Lattice::new(self.weights.chain(), scores)
    }

    fn item_scores(&self, rows: Rows<'_>) -> Result<Vec<f64>> {
        check_rows(self, rows)?;
        item_scores(&self.weights.laid_out_for(rows), rows, 0, &Run::new())
    }

    fn check_labels(&self, sequences: &Sequences<'_>, labels: &[usize]) -> Result<()> {
        let (n_rows, k) = (sequences.samples.n_rows(), self.weights.n_labels());
        if labels.len() != n_rows {
            return Err(Error::data(format!(
                "there are {} labels but {n_rows} items; give one label for each item",
                labels.len()
            )));
        }
        match labels.iter().find(|&&label| label >= k) {
            None => Ok(()),
            Some(label) => Err(Error::data(format!(
                "there is a label {label} but the model has {k} classes; \
                 labels are the numbers below that"
            ))),
        }
    }
}

impl Features for CrfModel {
    fn n_features(&self) -> usize {
        self.weights.n_features()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Model for CrfModel {
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
            name: "end",
            meaning: "What each label scores at the last item.",
            get: |model| Value::from(&model.weights.end),
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

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, Array2};

    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let refused = |damage: &dyn Fn(&mut CrfModel)| {
            let weights = ChainWeights::zeros(2, 3);
            let mut model = CrfModel::new(weights, Classes::new(["a", "b"])).unwrap();
            damage(&mut model);
            matches!(model.validate(), Err(Error::ModelFile(_)))
        };
        assert!(!refused(&|_| {}));
        assert!(refused(&|model| model.weights.coef = Array2::zeros((3, 2))));
        assert!(refused(&|model| model.weights.coef = Array2::zeros((2, 0))));
        assert!(refused(&|model| model.weights.start = Array1::zeros(3)));
        assert!(refused(&|model| model.weights.end[1] = f64::NAN));
        assert!(refused(
            &|model| model.weights.transitions = Array2::zeros((2, 3))
        ));
        assert!(refused(&|model| model.classes = Classes::new(["a"])));
    }
}
