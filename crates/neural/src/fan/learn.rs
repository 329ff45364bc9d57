//! Learning a network of branches.

use super::network::{FanNetwork, InputBranch, OutputBranch};
use super::problem::FanProblem;
use crate::training::{Learned, Training};
use crate::{Pretraining, Real};
use didact_core::{Error, Result, Run, Trace};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// A network of several branches in and out that meet in a shared layer, for tasks with several
/// views of the same rows, or several answers: restoring and labelling at once, say.
///
/// Learning has two stages: every branch in may first learn layer by layer from its rows alone,
/// whatever the task; then all weights are taught together by backpropagation of the weighted sum
/// of the losses of all branches out.
///
/// ```
/// use didact_core::Run;
/// use didact_neural::{Head, InputBranch, KFan, OutputBranch};
/// use ndarray::array;
/// // Two views; whether one of them sees it is known to neither alone.
/// let (one, other) = (array![[0.0], [0.0], [1.0], [1.0]], array![[0.0], [1.0], [0.0], [1.0]]);
/// let seen = array![[0.0], [1.0], [1.0], [1.0]];
/// let view = InputBranch { n_columns: 1, hidden_layer_sizes: vec![4] };
/// let label = OutputBranch { n_columns: 1, hidden_layer_sizes: vec![], head: Head::COINS, weight: 1.0 };
/// let fan = KFan { inputs: vec![view.clone(), view], outputs: vec![label], max_iter: 500, learning_rate_init: 0.05, ..KFan::default() };
/// let model = fan.fit(&[one.view(), other.view()], &[seen.view()], &Run::new())?;
/// let answers = model.predict(&[one.view(), other.view()])?;
/// assert!(answers[0][[0, 0]] < 0.5 && answers[0][[1, 0]] > 0.5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KFan {
    /// The branches in.
    pub inputs: Vec<InputBranch>,
    /// The branches out.
    pub outputs: Vec<OutputBranch>,
    /// Number of units of the shared layer.
    pub shared_size: usize,
    /// Passes over the rows of each branch in for each of its layers before the whole is taught.
    pub pretrain_iter: usize,
    /// The price α of the weights: α/(2m)·Σw² for a batch of m rows.
    pub alpha: f64,
    /// How many rows share a step.
    pub batch_size: usize,
    /// The length of the steps.
    pub learning_rate_init: f64,
    /// At most this many passes over the rows are made.
    pub max_iter: usize,
    /// Seed of the random start and of the shuffling.
    pub random_state: u64,
}

impl Default for KFan {
    fn default() -> Self {
        KFan {
            inputs: Vec::new(),
            outputs: Vec::new(),
            shared_size: 16,
            pretrain_iter: 0,
            alpha: 1e-4,
            batch_size: 32,
            learning_rate_init: 0.01,
            max_iter: 200,
            random_state: 0,
        }
    }
}

/// A learned network of branches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KFanModel {
    network: FanNetwork,
    learned: Learned,
}

impl KFan {
    /// The network that learning begins with: random, or pretrained branch by branch. It does
    /// not depend on the targets.
    pub fn start(&self, rows: &[ArrayView2<'_, f64>], run: &Run) -> Result<FanNetwork> {
        let seed = self.random_state;
        let mut network = FanNetwork::random(&self.inputs, self.shared_size, &self.outputs, seed)?;
        network.check_rows(rows, &network.inputs, true)?;
        if self.pretrain_iter > 0 {
            for (branch, range) in network.ranges().into_iter().take(rows.len()).enumerate() {
                let pretraining = Pretraining {
                    n_iter: self.pretrain_iter,
                    seed: seed.wrapping_add(branch as u64),
                    ..Pretraining::default()
                };
                let sizes = &self.inputs[branch].hidden_layer_sizes;
                let layers = pretraining.learn(rows[branch].view(), sizes, run)?;
                network.inputs[branch].begin_with(&layers, &mut network.parameters[range]);
            }
        }
        Ok(network)
    }

    /// Learns from rows, one array per branch in, and targets, one array per branch out.
    pub fn fit(
        &self,
        rows: &[ArrayView2<'_, f64>],
        targets: &[ArrayView2<'_, f64>],
        run: &Run,
    ) -> Result<KFanModel> {
        if self.batch_size == 0 || !(self.learning_rate_init > 0.0 && self.alpha >= 0.0) {
            return Err(Error::parameter(
                "learning_rate_init",
                self.learning_rate_init,
                "it must be positive, alpha not negative, and batches at least 1 row",
            ));
        }
        let mut network = self.start(rows, run)?;
        let n_rows = network.check_rows(targets, &network.outputs, false)?;
        if n_rows != rows[0].nrows() {
            return Err(Error::data(format!(
                "there are {n_rows} targets for {} rows; give one for each",
                rows[0].nrows()
            )));
        }
        let mut parameters: Vec<f32> = network.parameters.iter().map(|&w| w as f32).collect();
        let mut problem = FanProblem::new(&network, rows, targets, self.alpha)?;
        let taught: Vec<usize> = (0..n_rows).collect();
        let learned = self
            .training()
            .descend(&mut problem, &mut parameters, &taught, &[], run)?;
        network.parameters = parameters.into_iter().map(Real::widen).collect();
        Ok(KFanModel { network, learned })
    }

    fn training(&self) -> Training {
        let (rate, seed) = (self.learning_rate_init, self.random_state);
        Training {
            tol: 1e-5,
            n_iter_no_change: 20,
            ..Training::adam(rate, self.batch_size, self.max_iter, seed)
        }
    }
}

impl KFanModel {
    /// The network.
    pub fn network(&self) -> &FanNetwork {
        &self.network
    }

    /// The loss after each pass.
    pub fn trace(&self) -> &Trace {
        &self.learned.trace
    }

    /// The answers for rows, one array per branch out.
    pub fn predict(&self, rows: &[ArrayView2<'_, f64>]) -> Result<Vec<Array2<f64>>> {
        self.network.outputs(rows)
    }

    /// Fails when a model that came from a file contradicts itself.
    pub fn validate(&self) -> Result<()> {
        self.network.validate()?;
        self.learned.validate()
    }
}
