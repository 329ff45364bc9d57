//! The structured perceptron: move the weights from the best labelling to the true one.

use super::model::CrfModel;
use super::rows::{add_row, contiguous, item_scores};
use super::weights::ChainWeights;
use crate::hmm::{Evaluated, viterbi};
use didact_core::random::generator;
use didact_core::{
    Accepts, Error, Fit, LabelledSequences, Result, Rows, Run, StopReason, TraceWriter,
};
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Values beyond this would overflow once they are weights and multiplied by values again.
const LARGEST_VALUE: f64 = 1e90;

/// Labels the items of sequences by a linear chain that learns from its mistakes.
///
/// The score s(x, y) is that of [`crate::Crf`]. For one sequence after another, the labels
/// y* = argmax s(x, y) are found; where they are not the true labels y, the weights move by
/// η·∂(s(x, y) − s(x, y*)): the counts of the truth minus those of the prediction. A pass without
/// a mistake ends learning; it comes after finitely many updates wherever some weights label all
/// sequences right. Averaged weights, after Collins, label new sequences better.
///
/// The probabilities of the model are those of a random field with these weights, which were not
/// learned to be probabilities: trust the labels.
///
/// ```
/// use didact_core::{Decode, Fit, LabelledSequences, Labels, Sequences};
/// use didact_sequence::StructuredPerceptron;
/// use ndarray::array;
/// let items = array![[0.0], [1.0], [0.0], [0.0], [1.0], [1.0], [0.0], [0.0]];
/// let labels = Labels::from_names(["a", "b", "a", "c", "b", "b", "a", "c"]);
/// let sequences = Sequences::new(&items, &[4, 4])?;
/// let data = LabelledSequences::new(sequences.clone(), &labels)?;
/// let perceptron = StructuredPerceptron { average: false, ..StructuredPerceptron::default() };
/// let model = perceptron.fit(data)?;
/// assert_eq!(model.decode(&sequences)?.0, labels.indices);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StructuredPerceptron {
    /// Step length η; as learning starts at zero it only scales the weights.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eta0: f64,
    /// Whether the model has the mean of the weights after each sequence instead of the last.
    pub average: bool,
    /// Whether each pass takes the sequences in another order.
    pub shuffle: bool,
    /// At most this many passes over the sequences.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Seed of the order of sequences.
    pub random_state: u64,
}

impl Default for StructuredPerceptron {
    fn default() -> Self {
        StructuredPerceptron {
            eta0: 1.0,
            average: true,
            shuffle: true,
            max_iter: 50,
            random_state: 0,
        }
    }
}

impl Fit<LabelledSequences<'_>> for StructuredPerceptron {
    type Model = CrfModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<CrfModel> {
        let rows = data.sequences.samples.rows();
        if data.classes.is_empty() {
            return Err(Error::data(
                "there are no classes; every item needs a label",
            ));
        }
        check_values(rows)?;
        let mut ranges: Vec<_> = data.sequences.ranges().collect();
        let mut random = generator(self.random_state, 0);
        let mut walk = Walk::new(data.classes.len(), rows, self.eta0);
        let mut trace = TraceWriter::new(run, "wrong labels", Some(self.max_iter));
        let mut stop = StopReason::IterationLimit;
        while trace.n_iter() < self.max_iter {
            if self.shuffle {
                ranges.shuffle(&mut random);
            }
            let mut wrong = 0;
            for range in &ranges {
                let items = rows.slice(range.clone());
                wrong += walk.visit(items, &data.labels[range.clone()], range.start, run)?;
            }
            trace.record(wrong as f64)?;
            if wrong == 0 {
                stop = StopReason::Converged;
                break;
            }
        }
        let weights = match self.average {
            true => walk.average(),
            false => walk.weights,
        };
        let weights = weights.row_after_row();
        CrfModel::learned(weights, data.classes, trace.finish(stop))
    }
}

/// Fails where a value is too large to learn from.
fn check_values(rows: Rows<'_>) -> Result<()> {
    for row in 0..rows.n_rows() {
        let (columns, values) = match rows {
            Rows::Dense(_) => (None, contiguous(rows.slice(row..row + 1).dense()?)),
            Rows::Sparse(sparse) => (Some(sparse.row(row).0), sparse.row(row).1),
        };
        if let Some(place) = values.iter().position(|value| value.abs() > LARGEST_VALUE) {
            let column = columns.map_or(place, |columns| columns[place] as usize);
            return Err(Error::data(format!(
                "row {row}, column {column} is {}; the perceptron needs values below \
                 {LARGEST_VALUE:e}, so scale the column first",
                values[place]
            )));
        }
    }
    Ok(())
}

/// The weights on their way through the sequences.
struct Walk {
    eta: f64,
    weights: ChainWeights,
    /// Every update times the number of sequences visited before it.
    late: ChainWeights,
    n_visited: usize,
}

impl Walk {
    fn new(n_labels: usize, rows: Rows<'_>, eta: f64) -> Self {
        Walk {
            eta,
            weights: ChainWeights::zeros_for(n_labels, rows),
            late: ChainWeights::zeros_for(n_labels, rows),
            n_visited: 0,
        }
    }

    /// Labels one sequence and learns from it; returns how many labels were wrong.
    fn visit(
        &mut self,
        rows: Rows<'_>,
        truth: &[usize],
        first_row: usize,
        run: &Run,
    ) -> Result<usize> {
        run.check()?;
        let scores = item_scores(&self.weights, rows, first_row, run)?;
        let evaluated = Evaluated::from_logarithms(self.weights.n_labels(), scores);
        let mut best = vec![0; truth.len()];
        viterbi(
            &self.weights.chain(),
            &evaluated,
            0..truth.len(),
            &mut best,
            run,
        )?;
        let wrong = truth.iter().zip(&best).filter(|(a, b)| a != b).count();
        if wrong > 0 {
            let late = self.eta * self.n_visited as f64;
            add_count_difference(&mut self.weights, self.eta, rows, truth, &best);
            add_count_difference(&mut self.late, late, rows, truth, &best);
        }
        self.n_visited += 1;
        Ok(wrong)
    }

    /// The mean of the weights after each visit: an update made before n of N visits counts in
    /// N − n of them.
    fn average(self) -> ChainWeights {
        let mut mean = self.weights;
        mean.add(-(self.n_visited as f64).recip(), &self.late);
        mean
    }
}

/// Adds factor·∂(s(x, truth) − s(x, other)) with respect to the weights.
///
/// Only items whose labels differ are looked at: the others add nothing.
pub(crate) fn add_count_difference(
    weights: &mut ChainWeights,
    factor: f64,
    rows: Rows<'_>,
    truth: &[usize],
    other: &[usize],
) {
    weights.add_chain_counts(factor, truth);
    weights.add_chain_counts(-factor, other);
    for (row, (&truth, &other)) in truth.iter().zip(other).enumerate() {
        if truth != other {
            weights.intercept[truth] += factor;
            weights.intercept[other] -= factor;
            add_row(weights, truth, factor, rows, row);
            add_row(weights, other, -factor, rows, row);
        }
    }
}
