//! The hyper-parameters of deep conditional random fields.

use super::model::DeepCrfModel;
use super::stack::Stack;
use super::{likelihood, online};
use crate::crf::Columns;
use didact_core::{Error, Fit, LabelledSequences, Result, Run};
use didact_neural::{Activation, HiddenLayers, Pretraining};
use ndarray::ArrayView2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Labels the items of sequences by a conditional random field on the layers of a network.
///
/// Every item x goes through hidden layers, hₜ = f(W_L·…f(W₁·xₜ + b₁)… + b_L), and labels y score
/// s(h, y) = π(y₁) + Σₜ uₜ(yₜ) + Σₜ₋₁ₜ a(yₜ₋₁, yₜ) + τ(y_T) with uₜ = w·hₜ + b, as in a linear
/// chain ([`crate::Crf`]), which it is without hidden layers. Learning looks for weights θ of the
/// chain and ω of the layers with small
/// J = −Σ ln p(y | h) + (α/2)‖θ‖² + α_n‖ω‖₁, where intercepts and biases carry no price.
///
/// Mixed learning takes one sequence after the other, in random order: it finds the best
/// labelling y* and moves θ by η·∂(s(h, y) − s(h, y*)) where that is wrong, as a structured
/// perceptron does, and ω by −η_n·(∂L/∂ω + α_n·sign ω), where the signal that goes into the
/// layers is a choice. Both gradients are those before either step. The objective has many local
/// optima: another seed may find a better one.
///
/// Columns are shifted and scaled to mean zero and deviation one, which is then written into the
/// weights.
///
/// ```
/// use didact_core::{Decode, Fit, LabelledSequences, Labels, Sequences};
/// use didact_sequence::DeepCrf;
/// use ndarray::Array2;
/// // Exclusive or of two columns: no linear chain can tell.
/// let x = Array2::from_shape_fn((80, 2), |(row, column)| f64::from((row * row / 3 >> column) % 2 == 1));
/// let labels = Labels::from_indices((0..80).map(|row| usize::from(x[[row, 0]] != x[[row, 1]])).collect());
/// let data = LabelledSequences::new(Sequences::new(&x, &[8; 10])?, &labels)?;
/// let model = DeepCrf::default().fit(data.clone())?;
/// assert_eq!(model.decode(&data.sequences)?.0, labels.indices);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(title = "DeepCRF")]
pub struct DeepCrf {
    /// Number of units of each hidden layer; none makes a linear chain.
    pub hidden_layer_sizes: Vec<usize>,
    /// What hidden units make of their weighted inputs.
    pub activation: Activation,
    /// How it learns.
    pub training: DeepCrfTraining,
    /// What mixed learning sends into the layers.
    pub signal: DeepCrfSignal,
    /// What wrong labels score on top while mixed learning looks for the best labelling, so that
    /// the truth has to win by a margin.
    #[schemars(range(min = 0.0))]
    pub margin: f64,
    /// Weight λ of a predictor of single items with weights v and intercepts c of its own, which
    /// adds λ·(v·hₜ + c) to uₜ; zero leaves it out.
    #[schemars(range(min = 0.0))]
    pub independent_weight: f64,
    /// Price α of the weights of the chain.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// Price α_n of the absolute weights of the layers.
    #[schemars(range(min = 0.0))]
    pub network_alpha: f64,
    /// Whether the intercepts of the chain carry the price α too.
    pub penalize_intercept: bool,
    /// Step length η per item for the chain, in mixed learning.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub eta0: f64,
    /// Step length η_n per item for the layers, in mixed learning.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub network_eta0: f64,
    /// Whether mixed learning that still makes mistakes at its end gives the mean of the weights
    /// over the second half of its passes.
    pub average: bool,
    /// Passes over the items that teach the layers from the items alone, by contrastive
    /// divergence, before learning; needs logistic units.
    pub pretrain_iter: usize,
    /// At most this many passes over the sequences, or iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Likelihood learning has converged when no entry of the gradient per item is larger; mixed
    /// learning ends with a pass without a mistake.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Seed of the random layers and of the order of sequences.
    pub random_state: u64,
}

impl Default for DeepCrf {
    fn default() -> Self {
        DeepCrf {
            hidden_layer_sizes: vec![16],
            activation: Activation::Logistic,
            training: DeepCrfTraining::default(),
            signal: DeepCrfSignal::default(),
            margin: 0.0,
            independent_weight: 0.0,
            alpha: 0.01,
            network_alpha: 0.001,
            penalize_intercept: false,
            eta0: 0.5,
            network_eta0: 0.5,
            average: true,
            pretrain_iter: 0,
            max_iter: 200,
            tol: 1e-4,
            random_state: 0,
        }
    }
}

/// How a deep conditional random field learns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeepCrfTraining {
    /// One sequence at a time: a step of the structured perceptron for the chain, and one along
    /// a gradient for the layers.
    #[default]
    Mixed,
    /// Minimises J by L-BFGS with the exact gradient of all sequences; weights of layers may
    /// become exactly zero.
    Likelihood,
}

/// What goes into the layers: w·(…) for each item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeepCrfSignal {
    /// The slope of −ln p(y | h): the posterior of each label minus one at the true label.
    #[default]
    Likelihood,
    /// The slope of the perceptron's loss: one at the best label minus one at the true label.
    Perceptron,
    /// The slope of a softmax of each item by itself: softmax(uₜ) minus one at the true label.
    Independent,
}

impl Fit<LabelledSequences<'_>> for DeepCrf {
    type Model = DeepCrfModel;

    fn learn(&self, data: LabelledSequences<'_>, run: &Run) -> Result<DeepCrfModel> {
        if data.classes.is_empty() {
            return Err(Error::data(
                "there are no classes; every item needs a label",
            ));
        }
        let rows = data.sequences.samples.dense()?;
        let values = rows.as_slice().expect("samples keep dense rows contiguous");
        let columns = Columns::new(values, rows.ncols(), true, 0.0, run)?;
        let scaled = columns.apply(values, run)?;
        let items = ArrayView2::from_shape(rows.dim(), &scaled).expect("one value per entry");
        let mut stack = Stack::new(
            self.start_layers(items, run)?,
            data.classes.len(),
            self.independent_weight,
        );
        let sequences: Vec<_> = data.sequences.ranges().collect();
        let taught = online::Taught {
            items,
            labels: data.labels,
            sequences: &sequences,
        };
        let trace = match self.training {
            DeepCrfTraining::Mixed => online::learn(self, &mut stack, &taught, run)?,
            DeepCrfTraining::Likelihood => likelihood::learn(self, &mut stack, &taught, run)?,
        };
        stack.restore(&columns)?;
        DeepCrfModel::learned(stack, data.classes, trace)
    }
}

impl DeepCrf {
    fn start_layers(&self, items: ArrayView2<'_, f64>, run: &Run) -> Result<HiddenLayers> {
        let sizes = &self.hidden_layer_sizes;
        let layers =
            HiddenLayers::random(items.ncols(), sizes, self.activation, self.random_state)?;
        if self.pretrain_iter == 0 || sizes.is_empty() {
            return Ok(layers);
        }
        if self.activation != Activation::Logistic {
            return Err(Error::parameter(
                "pretrain_iter",
                self.pretrain_iter,
                "layers that are taught from the items alone are logistic; choose 0 or logistic \
                 units",
            ));
        }
        let pretraining = Pretraining {
            n_iter: self.pretrain_iter,
            seed: self.random_state,
            ..Pretraining::default()
        };
        Ok(layers.begun_with(&pretraining.learn(items, sizes, run)?))
    }
}
