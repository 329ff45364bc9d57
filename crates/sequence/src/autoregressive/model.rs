//! The fitted autoregressive model.

use didact_core::random::generator;
use didact_core::{Error, Result};
use didact_math::linalg::general_eigen;
use ndarray::{Array1, Array2};
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// xₙ = c + Σₘ wₘ·xₙ₋ₘ + ε with ε ~ N(0, σ²).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AutoregressiveModel {
    weights: Array1<f64>,
    intercept: f64,
    variance: f64,
}

impl AutoregressiveModel {
    /// A model with the given weights of the values before, nearest first, constant and variance.
    pub fn new(weights: Array1<f64>, intercept: f64, variance: f64) -> Result<Self> {
        let finite = weights.iter().all(|value| value.is_finite()) && intercept.is_finite();
        match finite && (0.0..f64::INFINITY).contains(&variance) && !weights.is_empty() {
            true => Ok(AutoregressiveModel {
                weights,
                intercept,
                variance,
            }),
            false => Err(Error::data(
                "the weights are not finite, there are none, or the variance is negative; values \
                 that are too large overflow, so scale the series",
            )),
        }
    }

    /// The weights w of the values before, nearest first.
    pub fn weights(&self) -> &Array1<f64> {
        &self.weights
    }

    /// The constant c.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The variance σ² of what the values before do not explain.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The order p.
    pub fn order(&self) -> usize {
        self.weights.len()
    }

    /// The matrix that moves the last p values on by a step, nearest first: stacked values are a
    /// Markov process although single ones are not.
    pub fn companion(&self) -> Array2<f64> {
        let p = self.order();
        let mut companion = Array2::zeros((p, p));
        companion.row_mut(0).assign(&self.weights);
        for place in 1..p {
            companion[[place, place - 1]] = 1.0;
        }
        companion
    }

    /// The largest magnitude of an eigenvalue of the companion matrix.
    pub fn spectral_radius(&self) -> Result<f64> {
        let eigen = general_eigen(self.companion().view())?;
        let magnitudes = eigen.values.iter().map(|value| value.re.hypot(value.im));
        Ok(magnitudes.fold(0.0, f64::max))
    }

    /// Whether what happens once dies away: all eigenvalues lie inside the unit circle.
    pub fn is_stable(&self) -> Result<bool> {
        Ok(self.spectral_radius()? < 1.0)
    }

    /// The mean of each of so many values after the given ones, and its standard deviation.
    ///
    /// After k steps the variance is σ²·Σ_{j<k} ψⱼ², where ψ is the answer to a single shock.
    pub fn forecast(&self, history: &[f64], n_steps: usize) -> Result<(Vec<f64>, Vec<f64>)> {
        let mut values = self.recent(history)?;
        let (mut shock, mut total) = (vec![1.0], 0.0);
        let (mut means, mut deviations) = (Vec::new(), Vec::new());
        for _ in 0..n_steps {
            let next = self.intercept + self.weighted(&values);
            values.push(next);
            means.push(next);
            total += shock[shock.len() - 1] * shock[shock.len() - 1];
            deviations.push((self.variance * total).sqrt());
            shock.push(self.weighted(&shock));
        }
        Ok((means, deviations))
    }

    /// Draws so many values after the given ones.
    pub fn sample(&self, history: &[f64], n_steps: usize, seed: u64) -> Result<Vec<f64>> {
        let mut values = self.recent(history)?;
        let (known, random) = (values.len(), &mut generator(seed, 0));
        for _ in 0..n_steps {
            let noise: f64 = StandardNormal.sample(random);
            let next = self.intercept + self.weighted(&values) + self.variance.sqrt() * noise;
            values.push(next);
        }
        Ok(values.split_off(known))
    }

    /// Σₘ wₘ·xₙ₋ₘ of as many values as there are.
    fn weighted(&self, values: &[f64]) -> f64 {
        let pairs = self.weights.iter().zip(values.iter().rev());
        pairs.map(|(weight, value)| weight * value).sum()
    }

    fn recent(&self, history: &[f64]) -> Result<Vec<f64>> {
        match history.len() >= self.order() && history.iter().all(|value| value.is_finite()) {
            true => Ok(history[history.len() - self.order()..].to_vec()),
            false => Err(Error::data(format!(
                "there are {} values before; give at least {} finite ones",
                history.len(),
                self.order()
            ))),
        }
    }
}
