//! What classification and regression have in common.

use super::Mlp;
use crate::network::{Architecture, Examples, FeedForward, Judge};
use crate::rows::to_real;
use crate::training::{Learned, minimise_whole};
use crate::{Head, Network, Pretraining, Real, Solver};
use didact_core::random::generator;
use didact_core::{Error, Result, Run};
use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

/// A network and how it was learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Fitted {
    pub(crate) network: Network,
    pub(crate) learned: Learned,
}

/// What a perceptron learns from: rows, targets, and who learns and who judges.
pub(crate) struct Material<'a> {
    pub(crate) rows: ArrayView2<'a, f64>,
    pub(crate) targets: ArrayView2<'a, f64>,
    pub(crate) head: Head,
    pub(crate) judge: Judge,
    pub(crate) taught: Vec<usize>,
    pub(crate) judged: Vec<usize>,
}

impl Mlp {
    /// Learns from random weights, or from those of an earlier network of the same plan.
    pub(super) fn train(
        &self,
        material: &Material<'_>,
        start: Option<&Fitted>,
        run: &Run,
    ) -> Result<Fitted> {
        self.check()?;
        let inputs = material.rows.ncols();
        let outputs = material.targets.ncols();
        let hidden = self.hidden_layer_sizes.iter().copied();
        let sizes: Vec<usize> = std::iter::once(inputs)
            .chain(hidden)
            .chain([outputs])
            .collect();
        let plan = Architecture::dense(&sizes, self.activation, material.head, self.dropout);
        if let Some(start) = start.filter(|start| start.network.plan != plan) {
            return Err(Error::data(format!(
                "the model to start from has layers of sizes {:?} with the columns first; these \
                 rows and parameters ask for {sizes:?}",
                start.network.sizes()
            )));
        }
        let start = match start {
            Some(fitted) => Some(fitted.network.parameters.clone()),
            None if self.pretrain_iter > 0 => Some(self.pretrain(&plan, material.rows, run)?),
            None => None,
        };
        let start = start.as_deref();
        match self.solver {
            Solver::Lbfgs => solve::<f64>(
                plan,
                material,
                self.alpha,
                self.random_state,
                start,
                |problem, parameters| {
                    let (limit, tol) = (self.max_iter, self.tol);
                    minimise_whole(problem, parameters, material.rows.nrows(), limit, tol, run)
                },
            ),
            _ => solve::<f32>(
                plan,
                material,
                self.alpha,
                self.random_state,
                start,
                |problem, parameters| {
                    let (taught, judged) = (&material.taught, &material.judged);
                    let training = self.training(taught.len());
                    training.descend(problem, parameters, taught, judged, run)
                },
            ),
        }
    }
}

impl Mlp {
    /// Parameters whose hidden layers were learned from the rows alone.
    fn pretrain(
        &self,
        plan: &Architecture,
        rows: ArrayView2<'_, f64>,
        run: &Run,
    ) -> Result<Vec<f64>> {
        let pretraining = Pretraining {
            n_iter: self.pretrain_iter,
            seed: self.random_state,
            ..Pretraining::default()
        };
        let layers = pretraining.learn(rows, &self.hidden_layer_sizes, run)?;
        let mut parameters: Vec<f64> = plan.random_start(&mut generator(self.random_state, 0));
        plan.begin_with(&layers, &mut parameters);
        Ok(parameters)
    }
}

/// Learns a network of a plan with a solver, from random parameters or the given ones.
pub(crate) fn solve<T: Real>(
    plan: Architecture,
    material: &Material<'_>,
    decay: f64,
    seed: u64,
    start: Option<&[f64]>,
    solver: impl FnOnce(&mut FeedForward<'_, T>, &mut Vec<T>) -> Result<Learned>,
) -> Result<Fitted> {
    let inputs: Vec<T> = to_real(material.rows, "column")?;
    let targets: Vec<T> = to_real(material.targets, "target")?;
    let examples = Examples {
        inputs: &inputs,
        targets: &targets,
        n_inputs: plan.inputs(),
        n_outputs: plan.outputs(),
    };
    let mut problem = FeedForward::new(&plan, examples, decay, material.judge, seed);
    let mut parameters: Vec<T> = match start {
        Some(start) => start.iter().map(|&value| T::of(value)).collect(),
        None => plan.random_start(&mut generator(seed, 0)),
    };
    let learned = solver(&mut problem, &mut parameters)?;
    let parameters = parameters.into_iter().map(Real::widen).collect();
    Ok(Fitted {
        network: Network { plan, parameters },
        learned,
    })
}

impl Fitted {
    /// Fails when a model that came from a file contradicts itself.
    pub(crate) fn validate(&self) -> Result<()> {
        self.network.validate()?;
        self.learned.validate()
    }
}
