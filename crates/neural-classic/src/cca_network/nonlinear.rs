//! The non-linear network of Lai and Fyfe: a bent axis per column.

use super::linear::{check_start, check_views, check_weights, follow};
use didact_core::{Error, Result};
use didact_math::numeric::dot;

/// One side of the network: y = Σⱼ wⱼ·tanh(vⱼ·xⱼ).
#[derive(Clone, Debug, PartialEq)]
struct Side {
    weights: Vec<f64>,
    gains: Vec<f64>,
    /// tanh(vⱼ·xⱼ) of the last input.
    bent: Vec<f64>,
}

impl Side {
    fn new(name: &str, weights: Vec<f64>, gains: Vec<f64>) -> Result<Self> {
        check_start(name, &weights)?;
        check_start(name, &gains)?;
        if weights.len() != gains.len() {
            return Err(Error::data(format!(
                "there are {} {name} weights and {} gains; give one of each per column",
                weights.len(),
                gains.len()
            )));
        }
        Ok(Side {
            bent: vec![0.0; weights.len()],
            weights,
            gains,
        })
    }

    fn output(&mut self, input: &[f64]) -> f64 {
        for ((bent, gain), value) in self.bent.iter_mut().zip(&self.gains).zip(input) {
            *bent = (gain * value).tanh();
        }
        dot(&self.weights, &self.bent)
    }

    /// Δw = η·f·e and Δv = η·w⊙x⊙(1 − f²)·e, with the weights w from before.
    fn learn(&mut self, input: &[f64], step: f64) {
        let sides = self.gains.iter_mut().zip(&self.weights).zip(&self.bent);
        for (((gain, weight), bent), value) in sides.zip(input) {
            *gain += step * weight * value * (1.0 - bent * bent);
        }
        follow(&mut self.weights, &self.bent, step);
    }
}

/// Two units y = Σⱼ wⱼ·tanh(vⱼ·xⱼ), one gain v per column, that learn to agree: a correlation
/// that no weighted sums of the columns have.
///
/// With e₁ = y₂ − λ₁y₁ the rule is Δw₁ = η·f₁·e₁, Δv₁ = η·w₁⊙x₁⊙(1 − f₁²)·e₁ with the weights from
/// before, and Δλ₁ = −η₀·(1 − y₁²); likewise for the second. For small gains it is the linear
/// network. The tanh of inputs of mean zero need not have mean zero, so judge the outputs by their
/// correlation coefficient.
///
/// ```
/// use didact_neural_classic::NonlinearCcaNetwork;
/// let mut network = NonlinearCcaNetwork::new([vec![0.1], vec![0.1]], [vec![1.0], vec![1.0]])?;
/// let (y1, y2) = network.learn(&[0.5], &[0.5], 0.1, 0.1)?;
/// assert_eq!(y1, y2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NonlinearCcaNetwork {
    first: Side,
    second: Side,
    multipliers: [f64; 2],
}

impl NonlinearCcaNetwork {
    /// A network with these first weights and gains for both views, none of them all zeros;
    /// gains of 0.2 to 1 suit columns of variance one.
    pub fn new(weights: [Vec<f64>; 2], gains: [Vec<f64>; 2]) -> Result<Self> {
        let [w1, w2] = weights;
        let [v1, v2] = gains;
        Ok(NonlinearCcaNetwork {
            first: Side::new("first", w1, v1)?,
            second: Side::new("second", w2, v2)?,
            multipliers: [0.0; 2],
        })
    }

    /// The weights w of both views.
    pub fn weights(&self) -> [&[f64]; 2] {
        [&self.first.weights, &self.second.weights]
    }

    /// The gains v of both views.
    pub fn gains(&self) -> [&[f64]; 2] {
        [&self.first.gains, &self.second.gains]
    }

    /// The multipliers λ₁ and λ₂.
    pub fn multipliers(&self) -> [f64; 2] {
        self.multipliers
    }

    /// The outputs for two views of one thing.
    pub fn outputs(&mut self, x1: &[f64], x2: &[f64]) -> Result<(f64, f64)> {
        let (n1, n2) = (self.first.weights.len(), self.second.weights.len());
        check_views(x1, x2, n1, n2)?;
        Ok((self.first.output(x1), self.second.output(x2)))
    }

    /// Learns from two views of one thing with the rates η and η₀; gives the outputs before.
    pub fn learn(&mut self, x1: &[f64], x2: &[f64], eta: f64, eta0: f64) -> Result<(f64, f64)> {
        let (y1, y2) = self.outputs(x1, x2)?;
        let [lambda1, lambda2] = self.multipliers;
        self.first.learn(x1, eta * (y2 - lambda1 * y1));
        self.second.learn(x2, eta * (y1 - lambda2 * y2));
        self.multipliers[0] -= eta0 * (1.0 - y1 * y1);
        self.multipliers[1] -= eta0 * (1.0 - y2 * y2);
        let sides = [&self.first, &self.second];
        let values = sides
            .iter()
            .flat_map(|side| side.weights.iter().chain(&side.gains));
        check_weights(values.chain(&self.multipliers))?;
        Ok((y1, y2))
    }
}
