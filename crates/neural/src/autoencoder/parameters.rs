//! The parameters of an autoencoder.

use crate::network::Architecture;
use crate::training::{Rule, Training};
use crate::{Activation, Head, Noise, Solver};
use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a wrong reconstruction costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReconstructionLoss {
    /// ½‖v − v̂‖², with linear outputs.
    #[default]
    SquaredError,
    /// −Σ[v·ln v̂ + (1−v)·ln(1−v̂)] for values between 0 and 1, with logistic outputs.
    CrossEntropy,
}

/// Learns short or sparse codes from which rows can be told again.
///
/// Transforming gives the code of a row, the inverse transformation its reconstruction.
/// The encoder has layers of the given sizes, of which the last is the code h = s(W·v + b); the
/// decoder has the same sizes in reverse, v̂ = W′·h + b′. With `tied` weights W′ = Wᵀ, while the
/// biases stay free. With linear units and squared error the codes span the same space as as many
/// principal components.
///
/// With `noise` the encoder sees spoiled rows and the decoder is asked for the clean ones. With a
/// `sparsity_weight` β the mean activations ρ̂ of the code units over a batch are priced
/// β·Σⱼ KL(ρ‖ρ̂ⱼ), which keeps most of them silent for most rows.
///
/// Scale the columns first, to values between 0 and 1 for the cross-entropy.
///
/// ```
/// use didact_core::{Fit, Invert, Transform};
/// use didact_neural::Autoencoder;
/// let iris = didact_datasets::iris();
/// let learner = Autoencoder { hidden_layer_sizes: vec![8, 2], ..Autoencoder::default() };
/// let model = learner.fit(iris.samples())?;
/// let codes = model.transform(iris.samples())?.into_dense();
/// assert_eq!(codes.ncols(), 2);
/// let again = model.inverse_transform(&codes)?;
/// assert_eq!(again.dim(), (150, 4));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Autoencoder {
    /// Number of units of each layer of the encoder; the last is the code.
    pub hidden_layer_sizes: Vec<usize>,
    /// What the units of encoder, code and decoder make of their weighted inputs.
    pub activation: Activation,
    /// What a wrong reconstruction costs.
    pub loss: ReconstructionLoss,
    /// Whether the decoder uses the weights of the encoder, transposed.
    pub tied: bool,
    /// Passes over the rows in which each layer of the encoder learns to tell the one below again
    /// before the whole is taught; the decoder begins as its mirror. Zero starts from random
    /// weights. The units must be logistic.
    pub pretrain_iter: usize,
    /// How rows are spoiled while learning.
    pub noise: Noise,
    /// Standard deviation of the noise, or share of the values that are masked.
    #[schemars(range(min = 0.0))]
    pub noise_level: f64,
    /// The price β of codes that are not sparse; zero asks for nothing.
    #[schemars(range(min = 0.0))]
    pub sparsity_weight: f64,
    /// The wanted mean activation ρ of code units, which must be logistic.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub sparsity_target: f64,
    /// How the weights are found.
    pub solver: Solver,
    /// The price α of the weights: α/(2m)·Σw² for a batch of m rows.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// How many rows share a step; without a number 200, or all where there are fewer.
    #[schemars(range(min = 1))]
    pub batch_size: Option<usize>,
    /// The length of the steps.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub learning_rate_init: f64,
    /// At most this many passes over the rows are made.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// A pass improves where it lowers the loss by more than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// The learning ends after this many passes in a row without improvement.
    #[schemars(range(min = 1))]
    pub n_iter_no_change: usize,
    /// Seed of the random start, of the shuffling and of the noise.
    pub random_state: u64,
}

impl Default for Autoencoder {
    fn default() -> Self {
        Autoencoder {
            hidden_layer_sizes: vec![2],
            activation: Activation::Tanh,
            loss: ReconstructionLoss::SquaredError,
            tied: false,
            pretrain_iter: 0,
            noise: Noise::None,
            noise_level: 0.1,
            sparsity_weight: 0.0,
            sparsity_target: 0.05,
            solver: Solver::Adam,
            alpha: 1e-4,
            batch_size: None,
            learning_rate_init: 1e-2,
            max_iter: 200,
            tol: 1e-4,
            n_iter_no_change: 10,
            random_state: 0,
        }
    }
}

impl Autoencoder {
    /// Fails where parameters contradict each other.
    pub(super) fn check(&self) -> Result<()> {
        if self.hidden_layer_sizes.is_empty() || self.hidden_layer_sizes.contains(&0) {
            return Err(Error::parameter(
                "hidden_layer_sizes",
                format!("{:?}", self.hidden_layer_sizes),
                "give at least one layer, the code, and every layer at least 1 unit",
            ));
        }
        if self.sparsity_weight > 0.0 && self.activation != Activation::Logistic {
            return Err(Error::parameter(
                "activation",
                format!("{:?}", self.activation).to_lowercase(),
                "sparse codes need units between 0 and 1; choose logistic, or set \
                 sparsity_weight to 0",
            ));
        }
        if self.pretrain_iter > 0 && self.activation != Activation::Logistic {
            return Err(Error::parameter(
                "pretrain_iter",
                self.pretrain_iter,
                "only logistic units learn layer by layer; set activation to logistic, or this to 0",
            ));
        }
        if self.noise == Noise::Mask && self.noise_level > 1.0 {
            return Err(Error::parameter(
                "noise_level",
                self.noise_level,
                "the share of masked values must be at most 1",
            ));
        }
        if self.solver == Solver::Lbfgs && self.noise != Noise::None {
            return Err(Error::parameter(
                "noise",
                format!("{:?}", self.noise).to_lowercase(),
                "it needs mini-batches; choose the solver adam or sgd, or no noise",
            ));
        }
        Ok(())
    }

    /// The plan for rows of so many columns; the code is layer number `hidden_layer_sizes.len()`.
    pub(super) fn plan(&self, n_columns: usize) -> Architecture {
        let head = match self.loss {
            ReconstructionLoss::SquaredError => Head::REGRESSION,
            ReconstructionLoss::CrossEntropy => Head::COINS,
        };
        let mut plan = Architecture::new(head);
        let mut inputs = n_columns;
        let mut below = Vec::new();
        for &outputs in &self.hidden_layer_sizes {
            below.push((plan.add_dense(inputs, outputs, self.activation), inputs));
            inputs = outputs;
        }
        for (place, (encoder, outputs)) in below.into_iter().enumerate().rev() {
            let activation = match place {
                0 => Activation::Identity,
                _ => self.activation,
            };
            match self.tied {
                true => plan.add_tied(encoder, activation),
                false => {
                    plan.add_dense(inputs, outputs, activation);
                }
            }
            inputs = outputs;
        }
        plan
    }

    /// The settings of the stochastic descent on so many rows.
    pub(super) fn training(&self, n_rows: usize) -> Training {
        let rule = match self.solver {
            Solver::Sgd => Rule::Momentum {
                momentum: 0.9,
                nesterov: true,
            },
            _ => Rule::ADAM,
        };
        let batch_size = self.batch_size.unwrap_or(200).min(n_rows);
        let (rate, seed) = (self.learning_rate_init, self.random_state);
        Training {
            rule,
            tol: self.tol,
            n_iter_no_change: self.n_iter_no_change,
            ..Training::adam(rate, batch_size, self.max_iter, seed)
        }
    }
}
