//! Labelling the items of sequences by a recurrent network.

use super::cell::Cell;
use super::network::RecurrentNetwork;
use super::problem::SequenceProblem;
use super::stack::Readout;
use crate::Head;
use crate::network::first_largest;
use crate::rows::to_real;
use crate::training::{Learned, Training};
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Decode, Error, Features, LabelledSequences, Model, Result, Run,
    Sequences, Trace, Value,
};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What simple recurrent networks and memories have in common.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) hidden: Vec<usize>,
    pub(super) cell: Cell,
    pub(super) alpha: f64,
    pub(super) clip: f64,
    pub(super) batch_size: usize,
    pub(super) learning_rate_init: f64,
    pub(super) max_iter: usize,
    pub(super) tol: f64,
    pub(super) n_iter_no_change: usize,
    pub(super) seed: u64,
}

impl Settings {
    fn training(&self) -> Training {
        let (rate, seed) = (self.learning_rate_init, self.seed);
        Training {
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            clip: Some(self.clip),
            ..Training::adam(rate, self.batch_size, self.max_iter, seed)
        }
    }

    /// Learns a network whose targets are a row for each answer.
    pub(super) fn train(
        &self,
        sequences: &Sequences<'_>,
        targets: ArrayView2<'_, f64>,
        readout: Readout,
        run: &Run,
    ) -> Result<(RecurrentNetwork, Learned)> {
        let rows = sequences.samples.dense()?;
        let mut network = RecurrentNetwork::random(
            rows.ncols(),
            &self.hidden,
            self.cell,
            readout,
            targets.ncols(),
            Head::CLASSES,
            self.seed,
        )?;
        let items: Vec<f32> = to_real(rows, "column")?;
        let targets: Vec<f32> = to_real(targets, "target")?;
        let ranges: Vec<Range<usize>> = sequences.ranges().collect();
        let mut problem =
            SequenceProblem::new(&network.stack, &items, &ranges, &targets, self.alpha);
        let mut parameters: Vec<f32> = network.parameters.iter().map(|&w| w as f32).collect();
        let taught: Vec<usize> = (0..ranges.len()).collect();
        let learned = self
            .training()
            .descend(&mut problem, &mut parameters, &taught, &[], run)?;
        network.parameters = parameters.into_iter().map(f64::from).collect();
        Ok((network, learned))
    }

    pub(super) fn learn_labels(
        &self,
        data: LabelledSequences<'_>,
        run: &Run,
    ) -> Result<RecurrentModel> {
        if data.classes.is_empty() {
            return Err(Error::data(
                "there are no classes; every item needs a label",
            ));
        }
        let targets = one_hot(data.labels, data.classes.len());
        let (network, learned) =
            self.train(&data.sequences, targets.view(), Readout::EveryItem, run)?;
        Ok(RecurrentModel {
            network,
            classes: data.classes.clone(),
            learned,
        })
    }
}

/// A column per class, one where the label is.
pub(super) fn one_hot(labels: &[usize], n_classes: usize) -> Array2<f64> {
    Array2::from_shape_fn((labels.len(), n_classes), |(row, class)| {
        f64::from(labels[row] == class)
    })
}

/// A recurrent network that labels the items of sequences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecurrentModel {
    network: RecurrentNetwork,
    classes: Classes,
    learned: Learned,
}

impl RecurrentModel {
    /// The network.
    pub fn network(&self) -> &RecurrentNetwork {
        &self.network
    }

    /// The loss of the last pass.
    pub fn loss(&self) -> f64 {
        self.learned.loss
    }
}

impl Features for RecurrentModel {
    fn n_features(&self) -> usize {
        self.network.stack.n_inputs()
    }
}

impl Decode for RecurrentModel {
    fn n_states(&self) -> usize {
        self.classes.len()
    }

    fn state_names(&self) -> Option<&Classes> {
        Some(&self.classes)
    }

    /// The most probable label of each item, and the log-probability of all labels of a sequence
    /// given its items: given the items, labels are independent in this model.
    fn viterbi(&self, sequences: &Sequences<'_>) -> Result<(Vec<usize>, Vec<f64>)> {
        let probabilities = self.state_probabilities(sequences)?;
        let mut path = Vec::with_capacity(probabilities.nrows());
        let mut logs = Vec::with_capacity(sequences.lengths.len());
        for range in sequences.ranges() {
            let mut log = 0.0;
            for row in range {
                let row = probabilities.row(row);
                let best = first_largest(row.as_slice().expect("rows are contiguous"));
                log += row[best].ln();
                path.push(best);
            }
            logs.push(log);
        }
        Ok((path, logs))
    }

    fn state_probabilities(&self, sequences: &Sequences<'_>) -> Result<Array2<f64>> {
        check_rows(self, sequences.samples.rows())?;
        self.network.outputs_of(sequences, &Run::new())
    }
}

impl Model for RecurrentModel {
    const ABILITIES: Abilities<Self> = Abilities::none().decode();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The labels of items in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "loss",
            meaning: "The loss of the last pass.",
            get: |model| Value::from(model.learned.loss),
        },
        Attribute {
            name: "best_loss",
            meaning: "The least loss of all passes.",
            get: |model| Value::from(model.learned.best_loss),
        },
        Attribute {
            name: "n_parameters",
            meaning: "Number of weights and biases.",
            get: |model| Value::from(model.network.n_parameters()),
        },
        Attribute {
            name: "state_weights",
            meaning: "Weights from the states of the first layer to its next states, a row per gate and unit.",
            get: |model| Value::from(model.network.state_weights(0).map(|w| w.to_owned())),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.learned.trace)
    }

    fn validate(&self) -> Result<()> {
        self.network.validate()?;
        self.learned.validate()?;
        ensure_consistent(self.network.stack.readout == Readout::EveryItem)?;
        ensure_consistent(self.network.stack.n_outputs() == self.classes.len())
    }
}
