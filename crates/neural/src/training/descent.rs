//! The passes of a stochastic descent.

use super::{Learned, Optimizer, Rule};
use crate::Real;
use didact_core::random::generator;
use didact_core::{Error, Result, Run, StopReason, TraceWriter};
use rand::seq::SliceRandom;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Mini-batches with steps that adapt to each weight.
    #[default]
    Adam,
    /// Mini-batches with momentum.
    Sgd,
    /// All rows at once with a memory of the curvature, in double precision: for few rows.
    Lbfgs,
}

/// How the length of the steps of `sgd` changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LearningRate {
    /// Not at all.
    #[default]
    Constant,
    /// learning_rate_init / tᵖ after t rows, with the power p = power_t.
    Invscaling,
    /// A fifth of it whenever the loss stops falling.
    Adaptive,
}

/// Something whose mean loss over items can be descended.
pub(crate) trait Learnable<T> {
    /// Writes the gradient of the mean loss over the items and returns that loss. `step` numbers
    /// the batches, for those that draw random numbers.
    fn gradient(
        &mut self,
        parameters: &[T],
        items: &[usize],
        step: u64,
        gradient: &mut [T],
        run: &Run,
    ) -> Result<f64>;

    /// How good the parameters are for items that were held out; more is better.
    fn score(&mut self, parameters: &[T], items: &[usize], run: &Run) -> Result<f64>;
}

/// The settings of a stochastic descent.
#[derive(Clone, Debug)]
pub(crate) struct Training {
    pub(crate) rule: Rule,
    pub(crate) learning_rate: LearningRate,
    pub(crate) learning_rate_init: f64,
    pub(crate) power_t: f64,
    pub(crate) batch_size: usize,
    pub(crate) max_iter: usize,
    pub(crate) shuffle: bool,
    pub(crate) tol: f64,
    pub(crate) n_iter_no_change: usize,
    /// Gradients longer than this are shortened to it.
    pub(crate) clip: Option<f64>,
    pub(crate) seed: u64,
}

impl Training {
    /// Adam with steps of one length, over items in an order that is drawn anew for every pass.
    pub(crate) fn adam(
        learning_rate_init: f64,
        batch_size: usize,
        max_iter: usize,
        seed: u64,
    ) -> Self {
        Training {
            rule: Rule::ADAM,
            learning_rate: LearningRate::Constant,
            learning_rate_init,
            power_t: 0.5,
            batch_size,
            max_iter,
            shuffle: true,
            tol: 1e-4,
            n_iter_no_change: 10,
            clip: None,
            seed,
        }
    }

    /// Descends from the given parameters on the items `taught`; where some are `judged`, the
    /// parameters that they like best are kept.
    pub(crate) fn descend<T: Real>(
        &self,
        problem: &mut dyn Learnable<T>,
        parameters: &mut Vec<T>,
        taught: &[usize],
        judged: &[usize],
        run: &Run,
    ) -> Result<Learned> {
        let mut walk = Walk {
            training: self,
            optimizer: Optimizer::new(self.rule, parameters.len()),
            gradient: vec![T::zero(); parameters.len()],
            order: taught.to_vec(),
            rate: self.learning_rate_init,
            steps: 0,
            seen: 0,
        };
        let mut trace = TraceWriter::new(run, "loss", Some(self.max_iter));
        let mut scores = Vec::new();
        let mut best = parameters.clone();
        // More is better for both: a score, or minus a loss.
        let (mut highest, mut idle) = (f64::NEG_INFINITY, 0);
        let mut stop = StopReason::IterationLimit;
        while trace.n_iter() < self.max_iter {
            let loss = walk.pass(problem, parameters, trace.n_iter() as u64, run)?;
            trace.record(loss)?;
            let merit = match judged.is_empty() {
                true => -loss,
                false => problem.score(parameters, judged, run)?,
            };
            if !judged.is_empty() {
                scores.push(merit);
                if merit > highest {
                    best.copy_from_slice(parameters);
                }
            }
            idle = if merit < highest + self.tol {
                idle + 1
            } else {
                0
            };
            highest = highest.max(merit);
            if idle > self.n_iter_no_change && !walk.slows_down() {
                stop = StopReason::Converged;
                break;
            } else if idle > self.n_iter_no_change {
                idle = 0;
            }
        }
        if !judged.is_empty() {
            *parameters = best;
        }
        self.check_end(parameters)?;
        Ok(Learned::new(trace.finish(stop), scores))
    }

    /// Fails where a parameter ran away in the very last step.
    fn check_end<T: Real>(&self, parameters: &[T]) -> Result<()> {
        match parameters.iter().all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err(self.ran_away()),
        }
    }

    fn ran_away(&self) -> Error {
        Error::parameter(
            "learning_rate_init",
            self.learning_rate_init,
            "it makes the loss grow without bound; choose a smaller one, or scale the columns \
             and targets first",
        )
    }
}

/// A descent under way.
struct Walk<'a, T> {
    training: &'a Training,
    optimizer: Optimizer<T>,
    gradient: Vec<T>,
    order: Vec<usize>,
    rate: f64,
    steps: u64,
    seen: usize,
}

impl<T: Real> Walk<'_, T> {
    /// One pass over the items; the mean of the losses that were met on the way.
    fn pass(
        &mut self,
        problem: &mut dyn Learnable<T>,
        parameters: &mut [T],
        pass: u64,
        run: &Run,
    ) -> Result<f64> {
        if self.training.shuffle {
            // Far from the streams that noise and dropout draw from.
            let mut random = generator(self.training.seed, (1 << 62) + pass);
            self.order.shuffle(&mut random);
        }
        let mut total = 0.0;
        for batch in self.order.chunks(self.training.batch_size.max(1)) {
            run.check()?;
            let gradient = &mut self.gradient;
            let loss = problem.gradient(parameters, batch, self.steps, gradient, run)?;
            if !loss.is_finite() {
                return Err(self.training.ran_away());
            }
            total += loss * batch.len() as f64;
            if let Some(limit) = self.training.clip {
                clip(gradient, limit);
            }
            self.optimizer.step(parameters, gradient, self.rate);
            self.steps += 1;
        }
        self.seen += self.order.len();
        if self.training.learning_rate == LearningRate::Invscaling {
            let age = (self.seen + 1) as f64;
            self.rate = self.training.learning_rate_init / age.powf(self.training.power_t);
        }
        Ok(total / self.order.len() as f64)
    }

    /// Shortens the steps where the schedule has shorter ones in store.
    fn slows_down(&mut self) -> bool {
        let adapts = self.training.learning_rate == LearningRate::Adaptive && self.rate > 1e-6;
        if adapts {
            self.rate /= 5.0;
        }
        adapts
    }
}

/// Shortens a gradient to the given length where it is longer.
pub(crate) fn clip<T: Real>(gradient: &mut [T], limit: f64) {
    let square: f64 = gradient.iter().map(|g| g.widen() * g.widen()).sum();
    let length = square.sqrt();
    if length > limit {
        let factor = T::of(limit / length);
        gradient.iter_mut().for_each(|g| *g *= factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 000b:D58: the remedy for gradients that explode.
    #[test]
    fn long_gradients_are_shortened_and_short_ones_stay() {
        let mut gradient = [3.0, 4.0];
        clip(&mut gradient, 1.0);
        assert!((gradient[0] - 0.6_f64).abs() < 1e-15 && (gradient[1] - 0.8).abs() < 1e-15);
        clip(&mut gradient, 2.0);
        assert!((gradient[0] - 0.6).abs() < 1e-15);
    }
}
