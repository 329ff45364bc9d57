//! The last steps of a quasi-Newton method, and the curvature that they tell of.

use crate::outcome::add_scaled;
use didact_math::numeric::dot;
use std::collections::VecDeque;

/// A step and the change of the gradient along it.
#[derive(Clone, Debug)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
    /// 1 / (step·change).
    scale: f64,
}

/// At most so many pairs of steps and changes of the gradient.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    size: usize,
    pairs: VecDeque<Pair>,
    shares: Vec<f64>,
}

impl Memory {
    pub(crate) fn new(size: usize) -> Self {
        Memory {
            size,
            pairs: VecDeque::with_capacity(size),
            shares: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Replaces `vector` by its product with the approximate inverse Hessian, by the two loops.
    pub(crate) fn apply(&mut self, vector: &mut [f64]) {
        self.shares.clear();
        for pair in self.pairs.iter().rev() {
            let share = pair.scale * dot(&pair.step, vector);
            add_scaled(vector, -share, &pair.change);
            self.shares.push(share);
        }
        if let Some(last) = self.pairs.back() {
            let scale = 1.0 / (last.scale * dot(&last.change, &last.change));
            vector.iter_mut().for_each(|value| *value *= scale);
        }
        for (pair, share) in self.pairs.iter().zip(self.shares.iter().rev()) {
            let correction = share - pair.scale * dot(&pair.change, vector);
            add_scaled(vector, correction, &pair.step);
        }
    }

    /// The same within the free coordinates, as if there were no others. `vector` must be zero in
    /// those that are not free.
    pub(crate) fn apply_free(&mut self, vector: &mut [f64], is_free: &[bool]) {
        let free_dot = |a: &[f64], b: &[f64]| -> f64 {
            (0..a.len())
                .filter(|&i| is_free[i])
                .map(|i| a[i] * b[i])
                .sum()
        };
        let add = |target: &mut [f64], factor: f64, values: &[f64]| {
            (0..values.len())
                .filter(|&i| is_free[i])
                .for_each(|i| target[i] += factor * values[i]);
        };
        let kept: Vec<(&Pair, f64, f64)> = self
            .pairs
            .iter()
            .map(|pair| {
                let squared = free_dot(&pair.change, &pair.change);
                (pair, free_dot(&pair.step, &pair.change), squared)
            })
            .filter(|(_, curvature, squared)| *curvature > 1e-10 * squared)
            .collect();
        self.shares.clear();
        for (pair, curvature, _) in kept.iter().rev() {
            let share = free_dot(&pair.step, vector) / curvature;
            add(vector, -share, &pair.change);
            self.shares.push(share);
        }
        if let Some((_, curvature, squared)) = kept.last() {
            vector
                .iter_mut()
                .for_each(|value| *value *= curvature / squared);
        }
        for ((pair, curvature, _), share) in kept.iter().zip(self.shares.iter().rev()) {
            let correction = share - free_dot(&pair.change, vector) / curvature;
            add(vector, correction, &pair.step);
        }
    }

    /// Keeps the last step, unless rounding has left it no positive curvature.
    pub(crate) fn remember(&mut self, from: (&[f64], &[f64]), to: (&[f64], &[f64])) {
        if self.size == 0 {
            return;
        }
        let mut pair = match self.pairs.len() == self.size {
            true => self.pairs.pop_front(),
            false => None,
        }
        .unwrap_or_else(|| Pair {
            step: vec![0.0; from.0.len()],
            change: vec![0.0; from.0.len()],
            scale: 0.0,
        });
        for i in 0..from.0.len() {
            pair.step[i] = to.0[i] - from.0[i];
            pair.change[i] = to.1[i] - from.1[i];
        }
        let curvature = dot(&pair.step, &pair.change);
        if curvature > 1e-3 * f64::EPSILON * dot(&pair.change, &pair.change) {
            pair.scale = curvature.recip();
            self.pairs.push_back(pair);
        }
    }
}
