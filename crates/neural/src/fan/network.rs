//! Branches in, one shared layer, branches out.

use super::problem::FanProblem;
use crate::network::Architecture;
use crate::training::Learnable;
use crate::{Activation, Head, Real};
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{Error, Result, Run};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A branch that rows come in by.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBranch {
    /// Number of columns of its rows.
    pub n_columns: usize,
    /// Number of units of its layers before the shared one.
    pub hidden_layer_sizes: Vec<usize>,
}

/// A branch that answers come out by.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputBranch {
    /// Number of columns of its answers.
    pub n_columns: usize,
    /// Number of units of its layers after the shared one.
    pub hidden_layer_sizes: Vec<usize>,
    /// What the answers mean and what wrong ones cost; independent probabilities or a softmax for
    /// labels.
    pub head: Head,
    /// How much its loss counts beside those of the others.
    pub weight: f64,
}

/// Several branches in, one shared layer h = σ(Σ_b W_b·h_b + b), several branches out; all hidden
/// units are logistic.
///
/// The slope at the shared layer is the sum of those that all branches out send back, and every
/// branch in receives its own part of it. One branch in and one out are a plain network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FanNetwork {
    pub(super) shared: usize,
    pub(super) inputs: Vec<Architecture>,
    pub(super) outputs: Vec<Architecture>,
    /// How much the loss of each branch out counts.
    pub(super) weights: Vec<f64>,
    pub(super) parameters: Vec<f64>,
}

impl FanNetwork {
    /// A network with random weights.
    pub fn random(
        inputs: &[InputBranch],
        shared: usize,
        outputs: &[OutputBranch],
        seed: u64,
    ) -> Result<Self> {
        let sizes = |first: usize, hidden: &[usize], last: usize| -> Vec<usize> {
            std::iter::once(first)
                .chain(hidden.iter().copied())
                .chain([last])
                .collect()
        };
        let ins = inputs
            .iter()
            .map(|b| sizes(b.n_columns, &b.hidden_layer_sizes, shared));
        let outs = outputs
            .iter()
            .map(|b| sizes(shared, &b.hidden_layer_sizes, b.n_columns));
        let all: Vec<Vec<usize>> = ins.chain(outs).collect();
        if inputs.is_empty() || outputs.is_empty() || all.iter().any(|sizes| sizes.contains(&0)) {
            return Err(Error::parameter(
                "branches",
                format!("{all:?}"),
                "give at least one branch in and one out, and every layer at least 1 unit",
            ));
        }
        let logistic = Activation::Logistic;
        let plan = |sizes: &Vec<usize>, head| Architecture::dense(sizes, logistic, head, 0.0);
        let (ins, outs) = all.split_at(inputs.len());
        let mut network = FanNetwork {
            shared,
            inputs: ins
                .iter()
                .map(|sizes| plan(sizes, Head::REGRESSION))
                .collect(),
            outputs: outs
                .iter()
                .zip(outputs)
                .map(|(sizes, out)| plan(sizes, out.head))
                .collect(),
            weights: outputs.iter().map(|out| out.weight).collect(),
            parameters: Vec::new(),
        };
        let mut random = generator(seed, 0);
        let plans = network.inputs.iter().chain(&network.outputs);
        let parameters: Vec<Vec<f64>> = plans.map(|plan| plan.random_start(&mut random)).collect();
        network.parameters = parameters.concat();
        Ok(network)
    }

    /// All weights and biases: branches in, then branches out.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// The same network with other weights and biases.
    pub fn with_parameters(mut self, parameters: Vec<f64>) -> Result<Self> {
        let finite = parameters.iter().all(|value| value.is_finite());
        if parameters.len() != self.parameters.len() || !finite {
            return Err(Error::data(format!(
                "there are {} parameters, all finite: {finite}; give {} finite values",
                parameters.len(),
                self.parameters.len()
            )));
        }
        self.parameters = parameters;
        Ok(self)
    }

    /// Where the parameters of each branch are, branches in first.
    pub(super) fn ranges(&self) -> Vec<Range<usize>> {
        let plans = self.inputs.iter().chain(&self.outputs);
        let ranges = plans.scan(0, |start, plan| {
            let range = *start..*start + plan.n_parameters;
            *start = range.end;
            Some(range)
        });
        ranges.collect()
    }

    /// The same network deaf to a branch in: the weights and biases that lead from it to the
    /// shared layer are zero.
    pub fn without_input(mut self, branch: usize) -> Result<Self> {
        let Some(plan) = self.inputs.get(branch) else {
            return Err(Error::parameter(
                "branch",
                branch,
                format!(
                    "there are {} branches in, counted from 0",
                    self.inputs.len()
                ),
            ));
        };
        let start = self.ranges()[branch].start;
        if let Some((weights, biases)) = plan.layers.last().and_then(|l| l.parameter_ranges()) {
            self.parameters[start + weights.start..start + biases.end].fill(0.0);
        }
        Ok(self)
    }

    /// The shared layer for rows, one array per branch in.
    pub fn shared(&self, rows: &[ArrayView2<'_, f64>]) -> Result<Array2<f64>> {
        let n_rows = self.check_rows(rows, &self.inputs, true)?;
        let mut joint = vec![0.0; n_rows * self.shared];
        for ((rows, plan), range) in rows.iter().zip(&self.inputs).zip(self.ranges()) {
            let values = plan.answer(&self.parameters[range], rows.iter().copied().collect());
            joint
                .iter_mut()
                .zip(values)
                .for_each(|(sum, value)| *sum += value);
        }
        Activation::Logistic.apply(&mut joint);
        Ok(Array2::from_shape_vec((n_rows, self.shared), joint).expect("one value per entry"))
    }

    /// The answers for rows, one array per branch out.
    pub fn outputs(&self, rows: &[ArrayView2<'_, f64>]) -> Result<Vec<Array2<f64>>> {
        let joint = self.shared(rows)?;
        let ranges = self.ranges().split_off(self.inputs.len());
        let plans = self.outputs.iter().zip(ranges);
        plans
            .map(|(plan, range)| {
                let joint = joint.as_slice().expect("the shared layer is contiguous");
                let values = plan.outputs_of(&self.parameters[range], joint)?;
                let shape = (rows[0].nrows(), plan.outputs());
                Ok(Array2::from_shape_vec(shape, values).expect("one value per entry"))
            })
            .collect()
    }

    /// The mean over rows of the weighted losses of all branches out plus (λ/2)Σw², and its
    /// gradient.
    pub fn loss_and_gradient(
        &self,
        rows: &[ArrayView2<'_, f64>],
        targets: &[ArrayView2<'_, f64>],
        lambda: f64,
    ) -> Result<(f64, Vec<f64>)> {
        let n_rows = self.check_rows(rows, &self.inputs, true)?;
        if self.check_rows(targets, &self.outputs, false)? != n_rows {
            return Err(Error::data(
                "rows and targets differ in number; give one target row for each row",
            ));
        }
        let mut problem = FanProblem::<f64>::new(self, rows, targets, lambda * n_rows as f64)?;
        let items: Vec<usize> = (0..n_rows).collect();
        let mut gradient = vec![0.0; self.parameters.len()];
        let loss = problem.gradient(&self.parameters, &items, 0, &mut gradient, &Run::new())?;
        Ok((loss, gradient))
    }

    /// Fails unless there is an array of the right width per branch, all of one length.
    pub(super) fn check_rows(
        &self,
        arrays: &[ArrayView2<'_, f64>],
        plans: &[Architecture],
        are_inputs: bool,
    ) -> Result<usize> {
        let width = |plan: &Architecture| {
            if are_inputs {
                plan.inputs()
            } else {
                plan.outputs()
            }
        };
        let expected: Vec<usize> = plans.iter().map(width).collect();
        let found: Vec<usize> = arrays.iter().map(|array| array.ncols()).collect();
        let n_rows = arrays.first().map_or(0, |array| array.nrows());
        let finite = arrays
            .iter()
            .all(|array| array.iter().all(|value| value.is_finite()));
        let equal = arrays.iter().all(|array| array.nrows() == n_rows);
        match found == expected && equal && finite && n_rows > 0 {
            true => Ok(n_rows),
            false => Err(Error::data(format!(
                "the branches have {found:?} columns; give finite rows of {expected:?} columns, \
                 equally many and at least one for each branch"
            ))),
        }
    }

    pub(super) fn half_squares<T: Real>(&self, parameters: &[T]) -> f64 {
        let plans = self.inputs.iter().chain(&self.outputs).zip(self.ranges());
        plans
            .map(|(plan, range)| plan.half_squares(&parameters[range]))
            .sum()
    }

    /// Fails when a network that came from a file contradicts itself.
    pub(super) fn validate(&self) -> Result<()> {
        ensure_consistent(self.weights.len() == self.outputs.len() && !self.inputs.is_empty())?;
        let end = self.ranges().last().map_or(0, |range| range.end);
        ensure_consistent(end == self.parameters.len())?;
        let plans = self.inputs.iter().chain(&self.outputs).zip(self.ranges());
        for (place, (plan, range)) in plans.enumerate() {
            plan.validate(&self.parameters[range])?;
            let side = if place < self.inputs.len() {
                plan.outputs()
            } else {
                plan.inputs()
            };
            ensure_consistent(side == self.shared)?;
        }
        Ok(())
    }
}
