//! Smoothing: what all measurements say about every step.

use super::belief::{Belief, symmetric};
use super::filter::{Filtered, KalmanFilter};
use didact_core::Result;
use didact_math::linalg::{Cholesky, pseudo_inverse};

impl KalmanFilter {
    /// p(xₙ | all measurements) of each step, by the recursion of Rauch, Tung and Striebel:
    /// with C = P̃ₙ·Fᵀ·Pₙ₊₁⁻¹, the mean moves by C·(smoothed − predicted next mean) and the
    /// covariance by C·(smoothed − predicted next covariance)·Cᵀ.
    pub fn smooth(&self, filtered: &Filtered) -> Result<Vec<Belief>> {
        let n_steps = filtered.updates.len();
        let mut smoothed: Vec<Belief> = Vec::with_capacity(n_steps);
        for step in (0..n_steps).rev() {
            let own = &filtered.updates[step].belief;
            let Some(next) = smoothed.last() else {
                smoothed.push(own.clone());
                continue;
            };
            let predicted = &filtered.predicted[step + 1];
            let moved = self.motion(step + 1)?.transition.dot(&own.covariance);
            // Directions without any uncertainty have nothing to smooth.
            let solved = match Cholesky::new(predicted.covariance.view()) {
                Ok(factor) => factor.solve(moved.view()),
                Err(_) => pseudo_inverse(predicted.covariance.view(), None)?.dot(&moved),
            };
            let gain = solved.reversed_axes();
            let change = &next.covariance - &predicted.covariance;
            smoothed.push(Belief {
                mean: &own.mean + &gain.dot(&(&next.mean - &predicted.mean)),
                covariance: symmetric(&own.covariance + &gain.dot(&change).dot(&gain.t())),
            });
        }
        smoothed.reverse();
        Ok(smoothed)
    }
}
