//! The parameters of recurrent labellers.

use super::cell::{Cell, LstmVariant};
use super::labeller::{RecurrentModel, Settings};
use didact_core::{Fit, LabelledSequences, Result, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Labels the items of sequences by a simple recurrent network.
///
/// hₜ = tanh(W_x·xₜ + W_h·hₜ₋₁ + b) from h₀ = 0, with the same weights at every step, and the
/// probabilities softmax(W_z·hₜ + b_z). Minimises the mean cross-entropy of the labels plus
/// α/(2m)·Σw² for batches of m items by backpropagation through time; gradients longer than
/// `clip` are shortened, because they may explode. Several layers are stacked: the states of one
/// are the items of the next.
///
/// ```
/// use didact_core::{Decode, Fit, LabelledSequences, Labels, Sequences};
/// use didact_neural::Rnn;
/// use ndarray::Array2;
/// // Whether the item before was positive: nothing that the item itself could tell.
/// let x = Array2::from_shape_fn((200, 1), |(row, _)| if row * row % 7 < 3 { 1.0 } else { -1.0 });
/// let labels = Labels::from_indices((0..200).map(|row| usize::from(row % 20 > 0 && x[[row - 1, 0]] > 0.0)).collect());
/// let data = LabelledSequences::new(Sequences::new(&x, &[20; 10])?, &labels)?;
/// let model = Rnn::default().fit(data.clone())?;
/// let (found, _) = model.decode(&data.sequences)?;
/// let right = found.iter().zip(&labels.indices).filter(|(a, b)| a == b).count();
/// assert!(right > 190);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "RNN")]
pub struct Rnn {
    /// Number of units of each recurrent layer.
    pub hidden_layer_sizes: Vec<usize>,
    /// Whether the units have biases.
    pub bias: bool,
    /// The price α of the weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Gradients longer than this are shortened to it.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub clip: f64,
    /// How many sequences share a step.
    #[schemars(range(min = 1))]
    pub batch_size: usize,
    /// The length of the steps.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate_init: f64,
    /// At most this many passes over the sequences are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// A pass improves where it lowers the loss by more than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// The learning ends after this many passes in a row without improvement.
    #[schemars(range(min = 1))]
    pub n_iter_no_change: usize,
    /// Seed of the random start and of the shuffling.
    pub random_state: u64,
}

impl Default for Rnn {
    fn default() -> Self {
        Rnn {
            hidden_layer_sizes: vec![16],
            bias: true,
            alpha: 1e-4,
            clip: 1.0,
            batch_size: 16,
            learning_rate_init: 0.01,
            max_iter: 100,
            tol: 1e-4,
            n_iter_no_change: 10,
            random_state: 0,
        }
    }
}

impl Rnn {
    pub(super) fn settings(&self) -> Settings {
        Settings {
            hidden: self.hidden_layer_sizes.clone(),
            cell: Cell::Elman { bias: self.bias },
            alpha: self.alpha,
            clip: self.clip,
            batch_size: self.batch_size,
            learning_rate_init: self.learning_rate_init,
            max_iter: self.max_iter,
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            seed: self.random_state,
        }
    }
}

impl Fit<LabelledSequences<'_>> for Rnn {
    type Model = RecurrentModel;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<RecurrentModel> {
        self.settings().learn_labels(data, run)
    }
}

/// Labels the items of sequences by long short-term memories.
///
/// Gates decide what a memory c forgets, takes in and shows: f, i, o = σ(W·[x; h] + b), candidate
/// g = tanh(W·[x; h] + b), c ← f⊙c + i⊙g, h = o⊙tanh c, and the probabilities softmax(W_z·h +
/// b_z). Because the memory is carried on by a sum, errors reach further back than in a simple
/// recurrent network. Minimises the mean cross-entropy of the labels plus α/(2m)·Σw² for batches
/// of m items by backpropagation through time. Older forms of the cell are variants.
///
/// ```
/// use didact_core::{Decode, Fit, LabelledSequences, Labels, Sequences};
/// use didact_neural::Lstm;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((200, 1), |(row, _)| if row * row % 7 < 3 { 1.0 } else { -1.0 });
/// let labels = Labels::from_indices((0..200).map(|row| usize::from(row % 20 > 0 && x[[row - 1, 0]] > 0.0)).collect());
/// let data = LabelledSequences::new(Sequences::new(&x, &[20; 10])?, &labels)?;
/// let model = Lstm::default().fit(data.clone())?;
/// let (found, _) = model.decode(&data.sequences)?;
/// let right = found.iter().zip(&labels.indices).filter(|(a, b)| a == b).count();
/// assert!(right > 190);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LSTM")]
pub struct Lstm {
    /// Number of units of each recurrent layer.
    pub hidden_layer_sizes: Vec<usize>,
    /// Which cell.
    pub variant: LstmVariant,
    /// The price α of the weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Gradients longer than this are shortened to it.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub clip: f64,
    /// How many sequences share a step.
    #[schemars(range(min = 1))]
    pub batch_size: usize,
    /// The length of the steps.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate_init: f64,
    /// At most this many passes over the sequences are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// A pass improves where it lowers the loss by more than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// The learning ends after this many passes in a row without improvement.
    #[schemars(range(min = 1))]
    pub n_iter_no_change: usize,
    /// Seed of the random start and of the shuffling.
    pub random_state: u64,
}

impl Default for Lstm {
    fn default() -> Self {
        Lstm {
            hidden_layer_sizes: vec![16],
            variant: LstmVariant::Standard,
            alpha: 1e-4,
            clip: 1.0,
            batch_size: 16,
            learning_rate_init: 0.02,
            max_iter: 100,
            tol: 1e-4,
            n_iter_no_change: 10,
            random_state: 0,
        }
    }
}

impl Lstm {
    pub(super) fn settings(&self) -> Settings {
        Settings {
            hidden: self.hidden_layer_sizes.clone(),
            cell: Cell::Lstm(self.variant),
            alpha: self.alpha,
            clip: self.clip,
            batch_size: self.batch_size,
            learning_rate_init: self.learning_rate_init,
            max_iter: self.max_iter,
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            seed: self.random_state,
        }
    }
}

impl Fit<LabelledSequences<'_>> for Lstm {
    type Model = RecurrentModel;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<RecurrentModel> {
        self.settings().learn_labels(data, run)
    }
}
