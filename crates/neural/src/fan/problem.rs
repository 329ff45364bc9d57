//! The loss of a network of branches and its gradient.

use super::network::FanNetwork;
use crate::network::{Architecture, Examples, Piece};
use crate::rows::to_real;
use crate::training::Learnable;
use crate::{Activation, Real};
use didact_core::{Result, Run};
use ndarray::ArrayView2;
use std::ops::Range;

/// What a network of branches learns from.
pub(super) struct FanProblem<'a, T> {
    network: &'a FanNetwork,
    inputs: Vec<Vec<T>>,
    targets: Vec<Vec<T>>,
    decay: f64,
    ranges: Vec<Range<usize>>,
    pieces: Vec<Piece<T>>,
    capacity: usize,
}

impl<'a, T: Real> FanProblem<'a, T> {
    pub(super) fn new(
        network: &'a FanNetwork,
        inputs: &[ArrayView2<'_, f64>],
        targets: &[ArrayView2<'_, f64>],
        decay: f64,
    ) -> Result<Self> {
        let inputs = inputs.iter().map(|rows| to_real(rows.view(), "column"));
        let targets = targets.iter().map(|rows| to_real(rows.view(), "target"));
        Ok(FanProblem {
            network,
            inputs: inputs.collect::<Result<_>>()?,
            targets: targets.collect::<Result<_>>()?,
            decay,
            ranges: network.ranges(),
            pieces: Vec::new(),
            capacity: 0,
        })
    }

    fn plans(&self) -> impl Iterator<Item = &'a Architecture> {
        self.network.inputs.iter().chain(&self.network.outputs)
    }

    fn make_room(&mut self, rows: usize) {
        if rows > self.capacity {
            self.pieces = self.plans().map(|plan| Piece::new(plan, rows)).collect();
            self.capacity = rows;
        }
    }

    /// Sends rows up all branches in; the shared layer.
    fn rise(&mut self, parameters: &[T], items: &[usize]) -> Vec<T> {
        let mut joint = vec![T::zero(); items.len() * self.network.shared];
        for (branch, plan) in self.network.inputs.iter().enumerate() {
            let piece = &mut self.pieces[branch];
            let examples = Examples {
                inputs: &self.inputs[branch],
                targets: &[],
                n_inputs: plan.inputs(),
                n_outputs: 0,
            };
            piece.gather(&examples, items);
            piece.forward(plan, &parameters[self.ranges[branch].clone()], None);
            joint
                .iter_mut()
                .zip(piece.scores(plan))
                .for_each(|(sum, &z)| *sum += z);
        }
        Activation::Logistic.apply(&mut joint);
        joint
    }
}

impl<T: Real> Learnable<T> for FanProblem<'_, T> {
    fn gradient(
        &mut self,
        parameters: &[T],
        items: &[usize],
        _step: u64,
        gradient: &mut [T],
        _run: &Run,
    ) -> Result<f64> {
        self.make_room(items.len());
        let joint = self.rise(parameters, items);
        let n_inputs = self.network.inputs.len();
        let mut joint_slopes = vec![T::zero(); joint.len()];
        let mut loss = 0.0;
        for (branch, plan) in self.network.outputs.iter().enumerate() {
            let range = self.ranges[n_inputs + branch].clone();
            let piece = &mut self.pieces[n_inputs + branch];
            piece.take(&joint, &self.targets[branch], plan.outputs(), items);
            piece.forward(plan, &parameters[range.clone()], None);
            let weight = self.network.weights[branch];
            let slopes = piece.charge_to_inputs(plan, &parameters[range.clone()]);
            for (sum, &slope) in joint_slopes.iter_mut().zip(slopes) {
                *sum += T::of(weight) * slope;
            }
            loss += weight * piece.loss;
            for (to, &slope) in gradient[range].iter_mut().zip(&piece.gradient) {
                *to = T::of(weight) * slope;
            }
        }
        Activation::Logistic.scale_slopes(&joint, &mut joint_slopes);
        for (branch, plan) in self.network.inputs.iter().enumerate() {
            let range = self.ranges[branch].clone();
            let piece = &mut self.pieces[branch];
            piece.pull_back(plan, &parameters[range.clone()], &joint_slopes);
            gradient[range].copy_from_slice(&piece.gradient);
        }
        for (plan, range) in self.plans().zip(&self.ranges) {
            let own = &parameters[range.clone()];
            plan.add_decay(own, self.decay, &mut gradient[range.clone()]);
        }
        let share = 1.0 / items.len() as f64;
        gradient.iter_mut().for_each(|slope| *slope *= T::of(share));
        Ok((loss + self.decay * self.network.half_squares(parameters)) * share)
    }

    fn score(&mut self, parameters: &[T], items: &[usize], run: &Run) -> Result<f64> {
        let mut unused = vec![T::zero(); parameters.len()];
        Ok(-self.gradient(parameters, items, 0, &mut unused, run)?)
    }
}
