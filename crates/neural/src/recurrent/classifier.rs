//! One class for a whole sequence: the sentiment of a text, say.

use super::labeller::{Settings, one_hot};
use super::network::RecurrentNetwork;
use super::stack::Readout;
use super::{Lstm, Rnn};
use crate::network::first_largest;
use crate::training::Learned;
use didact_core::abilities::check_rows;
use didact_core::{
    Accepts, Classes, Error, Features, FitData, Labels, Result, Run, Sequences, Trace,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Learns the class of whole sequences: a recurrent network reads the items, and a linear
/// classifier looks at its last state, or at the sum of all its states.
///
/// ```
/// use didact_core::{Labels, Run, Sequences};
/// use didact_neural::{Readout, Rnn, SequenceClassifier};
/// use ndarray::array;
/// // Whether a one was among the items.
/// let x = array![[0.0], [1.0], [0.0], [0.0], [0.0], [1.0], [0.0], [0.0]];
/// let sequences = Sequences::new(&x, &[3, 2, 1, 2])?;
/// let labels = Labels::from_names(["yes", "no", "yes", "no"]);
/// let learner = SequenceClassifier::from_rnn(&Rnn { max_iter: 200, ..Rnn::default() }, Readout::Last)?;
/// let model = learner.fit(&sequences, &labels, &Run::new())?;
/// assert_eq!(model.predict(&sequences)?, labels.indices);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SequenceClassifier {
    settings: Settings,
    readout: Readout,
}

impl SequenceClassifier {
    /// With the settings of a simple recurrent network.
    pub fn from_rnn(rnn: &Rnn, readout: Readout) -> Result<Self> {
        didact_core::parameters::check(rnn)?;
        SequenceClassifier::new(rnn.settings(), readout)
    }

    /// With the settings of a network of long short-term memories.
    pub fn from_lstm(lstm: &Lstm, readout: Readout) -> Result<Self> {
        didact_core::parameters::check(lstm)?;
        SequenceClassifier::new(lstm.settings(), readout)
    }

    fn new(settings: Settings, readout: Readout) -> Result<Self> {
        match readout {
            Readout::EveryItem => Err(Error::parameter(
                "readout",
                "every-item",
                "a sequence has one class; read the last state or the sum of all",
            )),
            _ => Ok(SequenceClassifier { settings, readout }),
        }
    }

    /// Learns from sequences with one label each.
    pub fn fit(
        &self,
        sequences: &Sequences<'_>,
        labels: &Labels,
        run: &Run,
    ) -> Result<SequenceClassifierModel> {
        sequences.check(Accepts::empty())?;
        if labels.indices.len() != sequences.lengths.len() {
            return Err(Error::data(format!(
                "there are {} labels for {} sequences; give one for each",
                labels.indices.len(),
                sequences.lengths.len()
            )));
        }
        let targets = one_hot(&labels.indices, labels.classes.len());
        let train = || {
            self.settings
                .train(sequences, targets.view(), self.readout, run)
        };
        let (network, learned) = run.install(train)?;
        Ok(SequenceClassifierModel {
            network,
            classes: labels.classes.clone(),
            learned,
        })
    }
}

/// A recurrent network that tells the class of whole sequences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SequenceClassifierModel {
    network: RecurrentNetwork,
    classes: Classes,
    learned: Learned,
}

impl SequenceClassifierModel {
    /// The network.
    pub fn network(&self) -> &RecurrentNetwork {
        &self.network
    }

    /// The classes in label order.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The loss after each pass.
    pub fn trace(&self) -> &Trace {
        &self.learned.trace
    }

    /// The probability of each class for each sequence.
    pub fn predict_proba(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        check_rows(self, sequences.samples.rows())?;
        self.network.outputs_of(sequences, &Run::new())
    }

    /// The most probable class of each sequence.
    pub fn predict(&self, sequences: &Sequences<'_>) -> Result<Vec<usize>> {
        let probabilities = self.predict_proba(sequences)?;
        let rows = probabilities.rows().into_iter();
        Ok(rows
            .map(|row| first_largest(row.as_slice().expect("rows are contiguous")))
            .collect())
    }
}

impl Features for SequenceClassifierModel {
    fn n_features(&self) -> usize {
        self.network.stack.n_inputs()
    }
}
