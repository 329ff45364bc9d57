//! The linear network of Lai and Fyfe.

use didact_core::{Error, Result};
use didact_math::numeric::dot;
use ndarray::{Array1, ArrayView1, ArrayView2};

/// Two linear units y₁ = w₁·x₁ and y₂ = w₂·x₂ that learn to agree, each with variance one.
///
/// They climb E[y₁y₂ + ½λ₁(1 − y₁²) + ½λ₂(1 − y₂²)]:
/// Δw₁ = η·x₁·(y₂ − λ₁y₁) and Δλ₁ = −η₀·(1 − y₁²), so that a multiplier rises while its output
/// varies too much; likewise for the second. They come to the first canonical pair, where
/// λ₁ = λ₂ is the correlation. Inputs must have mean zero.
///
/// ```
/// use didact_neural_classic::CcaNetwork;
/// let mut network = CcaNetwork::new(vec![0.1, 0.0], vec![0.1])?;
/// let (y1, y2) = network.learn(&[1.0, 0.5], &[2.0], 0.1, 0.1)?;
/// assert_eq!((y1, y2), (0.1, 0.2));
/// assert!((network.first()[0] - 0.12).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CcaNetwork {
    first: Vec<f64>,
    second: Vec<f64>,
    multipliers: [f64; 2],
}

impl CcaNetwork {
    /// A network with these first weights, which must not be zeros, and multipliers of zero.
    pub fn new(first: Vec<f64>, second: Vec<f64>) -> Result<Self> {
        for (name, weights) in [("first", &first), ("second", &second)] {
            check_start(name, weights)?;
        }
        Ok(CcaNetwork {
            first,
            second,
            multipliers: [0.0; 2],
        })
    }

    /// The weights w₁ of the first view.
    pub fn first(&self) -> &[f64] {
        &self.first
    }

    /// The weights w₂ of the second view.
    pub fn second(&self) -> &[f64] {
        &self.second
    }

    /// The multipliers λ₁ and λ₂, which come to the canonical correlation.
    pub fn multipliers(&self) -> [f64; 2] {
        self.multipliers
    }

    /// The outputs for two views of one thing.
    pub fn outputs(&self, x1: &[f64], x2: &[f64]) -> Result<(f64, f64)> {
        check_views(x1, x2, self.first.len(), self.second.len())?;
        Ok((dot(&self.first, x1), dot(&self.second, x2)))
    }

    /// Learns from two views of one thing with the rates η and η₀; gives the outputs before.
    pub fn learn(&mut self, x1: &[f64], x2: &[f64], eta: f64, eta0: f64) -> Result<(f64, f64)> {
        let (y1, y2) = self.outputs(x1, x2)?;
        let [lambda1, lambda2] = self.multipliers;
        follow(&mut self.first, x1, eta * (y2 - lambda1 * y1));
        follow(&mut self.second, x2, eta * (y1 - lambda2 * y2));
        self.multipliers[0] -= eta0 * (1.0 - y1 * y1);
        self.multipliers[1] -= eta0 * (1.0 - y2 * y2);
        self.check_weights()?;
        Ok((y1, y2))
    }

    /// One step of what the rule does on average, for views with the covariances C₁₁, C₂₂ and C₁₂.
    pub fn learn_average(
        &mut self,
        c11: ArrayView2<'_, f64>,
        c22: ArrayView2<'_, f64>,
        c12: ArrayView2<'_, f64>,
        eta: f64,
        eta0: f64,
    ) -> Result<()> {
        let (n1, n2) = (self.first.len(), self.second.len());
        if c11.dim() != (n1, n1) || c22.dim() != (n2, n2) || c12.dim() != (n1, n2) {
            return Err(Error::data(format!(
                "the covariances must be {n1}×{n1}, {n2}×{n2} and {n1}×{n2}, one row or column \
                 per weight; they have other shapes"
            )));
        }
        let (w1, w2) = (
            ArrayView1::from(&self.first).to_owned(),
            ArrayView1::from(&self.second).to_owned(),
        );
        let (c1, c2): (Array1<f64>, Array1<f64>) = (c11.dot(&w1), c22.dot(&w2));
        let step1 = c12.dot(&w2) - &c1 * self.multipliers[0];
        let step2 = c12.t().dot(&w1) - &c2 * self.multipliers[1];
        follow(&mut self.first, step1.as_slice().expect("contiguous"), eta);
        follow(&mut self.second, step2.as_slice().expect("contiguous"), eta);
        self.multipliers[0] -= eta0 * (1.0 - w1.dot(&c1));
        self.multipliers[1] -= eta0 * (1.0 - w2.dot(&c2));
        self.check_weights()
    }

    fn check_weights(&self) -> Result<()> {
        check_weights(
            self.first
                .iter()
                .chain(&self.second)
                .chain(&self.multipliers),
        )
    }
}

/// w ← w + step·x.
pub(super) fn follow(weights: &mut [f64], input: &[f64], step: f64) {
    for (weight, value) in weights.iter_mut().zip(input) {
        *weight += step * value;
    }
}

pub(super) fn check_start(name: &str, weights: &[f64]) -> Result<()> {
    let alive = weights.iter().any(|&weight| weight != 0.0);
    match alive && weights.iter().all(|weight| weight.is_finite()) {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the {name} weights are empty, zeros or not finite; nothing can grow from them, so \
             give small random ones"
        ))),
    }
}

pub(super) fn check_views(x1: &[f64], x2: &[f64], n1: usize, n2: usize) -> Result<()> {
    for (expected, found) in [(n1, x1.len()), (n2, x2.len())] {
        if expected != found {
            return Err(Error::Columns { expected, found });
        }
    }
    Ok(())
}

pub(super) fn check_weights<'a>(mut weights: impl Iterator<Item = &'a f64>) -> Result<()> {
    match weights.all(|weight| weight.is_finite()) {
        true => Ok(()),
        false => Err(Error::numerical(
            "the weights have run away; choose smaller rates, or scale the columns to variance one",
        )),
    }
}
