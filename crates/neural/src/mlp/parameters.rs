//! The parameters of a multi-layer perceptron.

use crate::training::{Rule, Training};
use crate::{Activation, LearningRate, Solver};
use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns classes or real numbers by a network of layers.
///
/// Hidden layers compute a = f(W·a + b) of the layer before; the last layer is linear for real
/// targets and gives probabilities for classes (logistic for two, softmax for more). Minimises
/// the mean of ½‖a − y‖² or of the cross-entropy, plus α/(2m)·Σw² for batches of m rows; biases
/// carry no price. Gradients come from backpropagation.
///
/// Scale the columns first, and for regression the targets as well: steps are equally long for
/// all weights. No start is sure to reach the best minimum; try several values of
/// `random_state`.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_neural::{Activation, Mlp, Solver};
/// use ndarray::array;
/// // One hidden layer solves the exclusive or, which no single neuron can.
/// let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// let labels = Labels::from_names(["no", "yes", "yes", "no"]);
/// let mlp = Mlp {
///     hidden_layer_sizes: vec![4],
///     activation: Activation::Tanh,
///     solver: Solver::Lbfgs,
///     random_state: 1,
///     ..Mlp::default()
/// };
/// let model = mlp.fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&x)?, [0, 1, 1, 0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "MLP")]
pub struct Mlp {
    /// Number of units of each hidden layer; none makes a linear model.
    pub hidden_layer_sizes: Vec<usize>,
    /// Passes over the rows, without their targets, in which each hidden layer learns to tell the
    /// one below again before the network is taught; zero starts from random weights. The units
    /// must be logistic.
    pub pretrain_iter: usize,
    /// What hidden units make of their weighted inputs.
    pub activation: Activation,
    /// How the weights are found.
    pub solver: Solver,
    /// The price α of the weights.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// The share of hidden units that is left out at random for each row while learning.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1))]
    pub dropout: f64,
    /// How many rows share a step; without a number 200, or all where there are fewer.
    #[schemars(range(min = 1))]
    pub batch_size: Option<usize>,
    /// How the length of the steps of sgd changes.
    pub learning_rate: LearningRate,
    /// The length of the first step.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate_init: f64,
    /// The exponent of the inverse scaling schedule.
    #[schemars(range(min = 0.0))]
    pub power_t: f64,
    /// At most this many passes over the rows are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Whether to shuffle the rows before every pass.
    pub shuffle: bool,
    /// Seed of the random start, of the shuffling and of what is left out.
    pub random_state: u64,
    /// A pass improves where it lowers the loss (or raises the score) by more than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// The momentum of sgd.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1))]
    pub momentum: f64,
    /// Whether the momentum looks ahead, as Nesterov proposed.
    pub nesterovs_momentum: bool,
    /// Whether some rows only judge, so that learning stops when they are no longer helped; not
    /// for lbfgs.
    pub early_stopping: bool,
    /// The share of the rows that only judge.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub validation_fraction: f64,
    /// The share of the past in the mean slopes of adam.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1))]
    pub beta_1: f64,
    /// The share of the past in the mean squares of adam.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1))]
    pub beta_2: f64,
    /// Keeps the division of adam safe.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub epsilon: f64,
    /// The learning ends after this many passes in a row without improvement.
    #[schemars(range(min = 1))]
    pub n_iter_no_change: usize,
}

impl Default for Mlp {
    fn default() -> Self {
        Mlp {
            hidden_layer_sizes: vec![100],
            pretrain_iter: 0,
            activation: Activation::Relu,
            solver: Solver::Adam,
            alpha: 1e-4,
            dropout: 0.0,
            batch_size: None,
            learning_rate: LearningRate::Constant,
            learning_rate_init: 1e-3,
            power_t: 0.5,
            max_iter: 200,
            shuffle: true,
            random_state: 0,
            tol: 1e-4,
            momentum: 0.9,
            nesterovs_momentum: true,
            early_stopping: false,
            validation_fraction: 0.1,
            beta_1: 0.9,
            beta_2: 0.999,
            epsilon: 1e-8,
            n_iter_no_change: 10,
        }
    }
}

impl Mlp {
    /// Fails where parameters contradict each other.
    pub(super) fn check(&self) -> Result<()> {
        if self.hidden_layer_sizes.contains(&0) {
            return Err(Error::parameter(
                "hidden_layer_sizes",
                format!("{:?}", self.hidden_layer_sizes),
                "every hidden layer must have at least 1 unit",
            ));
        }
        if self.pretrain_iter > 0 && self.activation != Activation::Logistic {
            return Err(Error::parameter(
                "pretrain_iter",
                self.pretrain_iter,
                "only logistic units learn from rows alone; set activation to logistic, or this \
                 to 0",
            ));
        }
        if self.solver == Solver::Lbfgs && self.dropout > 0.0 {
            return Err(Error::parameter(
                "dropout",
                self.dropout,
                "it needs mini-batches; choose the solver adam or sgd, or set it to 0",
            ));
        }
        Ok(())
    }

    /// The settings of the stochastic descent on so many rows.
    pub(super) fn training(&self, n_rows: usize) -> Training {
        let (rule, learning_rate) = match self.solver {
            Solver::Sgd => {
                let (momentum, nesterov) = (self.momentum, self.nesterovs_momentum);
                (Rule::Momentum { momentum, nesterov }, self.learning_rate)
            }
            _ => {
                let rule = Rule::Adam {
                    beta_1: self.beta_1,
                    beta_2: self.beta_2,
                    epsilon: self.epsilon,
                };
                (rule, LearningRate::Constant)
            }
        };
        Training {
            rule,
            learning_rate,
            learning_rate_init: self.learning_rate_init,
            power_t: self.power_t,
            batch_size: self.batch_size.unwrap_or(200).min(n_rows),
            max_iter: self.max_iter,
            shuffle: self.shuffle,
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            clip: None,
            seed: self.random_state,
        }
    }
}
