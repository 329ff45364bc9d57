//! Scores that rank the labels of a row, several of which may be right.

use crate::mlp::{Fitted, Material, solve};
use crate::network::{Architecture, Judge};
use crate::training::Training;
use crate::{Activation, Head, Network, NetworkLoss, OutputActivation, Pretraining};
use didact_core::random::generator;
use didact_core::{Accepts, Error, FitData, Result, Run, Samples, Trace};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A ranking support vector machine on top of a network of sigmoid layers.
///
/// Minimises Σᵢ[1 + max over wrong labels of f − min over right labels of f]₊ + (λ/2)Σw², where
/// f are the linear outputs of the network: the lowest right label shall be at least one above
/// the highest wrong one. Only that pair of each row receives a slope. Rows without right or
/// without wrong labels count nothing.
///
/// ```
/// use didact_core::{Run, Samples};
/// use didact_neural::DeepRankingSvm;
/// use ndarray::array;
/// let x = array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
/// // Labels 0 and 1 say whether a value is one; label 2 is always right.
/// let right = array![[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
/// let ranker = DeepRankingSvm { max_iter: 500, ..DeepRankingSvm::default() };
/// let model = ranker.fit(Samples::from(&x), &right, &Run::new())?;
/// let scores = model.scores(&x)?;
/// assert!(scores[[1, 1]] > scores[[1, 0]] && scores[[3, 0]] > scores[[3, 2]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DeepRankingSvm {
    /// Number of units of each hidden layer.
    pub hidden_layer_sizes: Vec<usize>,
    /// What hidden units make of their weighted inputs.
    pub activation: Activation,
    /// The price λ of the weights, counted once in a pass over all rows.
    pub lambda: f64,
    /// Passes in which layers of logistic units learn from rows alone first; zero for none.
    pub pretrain_iter: usize,
    /// How many rows share a step.
    pub batch_size: usize,
    /// The length of the steps.
    pub learning_rate_init: f64,
    /// At most this many passes over the rows are made.
    pub max_iter: usize,
    /// Seed of the random start and of the shuffling.
    pub random_state: u64,
}

impl Default for DeepRankingSvm {
    fn default() -> Self {
        DeepRankingSvm {
            hidden_layer_sizes: vec![16],
            activation: Activation::Logistic,
            lambda: 1e-3,
            pretrain_iter: 0,
            batch_size: 32,
            learning_rate_init: 0.01,
            max_iter: 200,
            random_state: 0,
        }
    }
}

/// A network that ranks the labels of rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeepRankingModel {
    fitted: Fitted,
}

impl DeepRankingSvm {
    /// Learns from rows and a matrix of ones for right labels and zeros for wrong ones.
    pub fn fit(
        &self,
        rows: Samples<'_>,
        right: &Array2<f64>,
        run: &Run,
    ) -> Result<DeepRankingModel> {
        rows.check(Accepts::empty())?;
        let rows = rows.dense()?;
        self.check(rows.nrows(), right)?;
        let hidden = self.hidden_layer_sizes.iter().copied();
        let sizes: Vec<usize> = std::iter::once(rows.ncols())
            .chain(hidden)
            .chain([right.ncols()])
            .collect();
        let head = Head::new(OutputActivation::Identity, NetworkLoss::Ranking)?;
        let plan = Architecture::dense(&sizes, self.activation, head, 0.0);
        let start = self.start(&plan, rows, run)?;
        let material = Material {
            rows,
            targets: right.view(),
            head,
            judge: Judge::RSquared,
            taught: (0..rows.nrows()).collect(),
            judged: Vec::new(),
        };
        // A batch of m of n rows carries m/n of the price: λ·(m/n)·½Σw² beside a sum of m losses,
        // so that the price counts once in a pass.
        let batch = self.batch_size.min(rows.nrows());
        let decay = self.lambda * batch as f64 / rows.nrows() as f64;
        let seed = self.random_state;
        let fitted = solve::<f32>(
            plan,
            &material,
            decay,
            seed,
            Some(&start),
            |problem, start| {
                self.training(batch)
                    .descend(problem, start, &material.taught, &[], run)
            },
        )?;
        Ok(DeepRankingModel { fitted })
    }

    fn check(&self, n_rows: usize, right: &Array2<f64>) -> Result<()> {
        if right.nrows() != n_rows || right.ncols() == 0 {
            return Err(Error::data(format!(
                "the labels are {}×{} for {n_rows} rows; give a row of at least one for each",
                right.nrows(),
                right.ncols()
            )));
        }
        if let Some(value) = right.iter().find(|&&value| value != 0.0 && value != 1.0) {
            return Err(Error::data(format!(
                "a label is {value}; right labels are 1 and wrong ones 0"
            )));
        }
        let positive = self.learning_rate_init > 0.0 && self.lambda >= 0.0 && self.batch_size > 0;
        if !positive || self.hidden_layer_sizes.contains(&0) {
            return Err(Error::parameter(
                "learning_rate_init",
                self.learning_rate_init,
                "it must be positive, lambda not negative, and batches and layers at least 1",
            ));
        }
        if self.pretrain_iter > 0 && self.activation != Activation::Logistic {
            return Err(Error::parameter(
                "pretrain_iter",
                self.pretrain_iter,
                "only logistic units learn from rows alone; set activation to logistic",
            ));
        }
        Ok(())
    }

    fn start(
        &self,
        plan: &Architecture,
        rows: ndarray::ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let mut start = plan.random_start(&mut generator(self.random_state, 0));
        if self.pretrain_iter > 0 {
            let pretraining = Pretraining {
                n_iter: self.pretrain_iter,
                seed: self.random_state,
                ..Pretraining::default()
            };
            let layers = pretraining.learn(rows, &self.hidden_layer_sizes, run)?;
            plan.begin_with(&layers, &mut start);
        }
        Ok(start)
    }

    fn training(&self, batch_size: usize) -> Training {
        let (rate, seed) = (self.learning_rate_init, self.random_state);
        Training {
            tol: 1e-5,
            n_iter_no_change: 20,
            ..Training::adam(rate, batch_size, self.max_iter, seed)
        }
    }
}

impl DeepRankingModel {
    /// The network.
    pub fn network(&self) -> &Network {
        &self.fitted.network
    }

    /// The loss after each pass.
    pub fn trace(&self) -> &Trace {
        &self.fitted.learned.trace
    }

    /// The score of every label for rows; more is better.
    pub fn scores(&self, rows: &Array2<f64>) -> Result<Array2<f64>> {
        self.network().outputs(rows.view())
    }
}
