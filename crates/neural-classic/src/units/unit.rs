//! Units after McCulloch and Pitts, and radial ones.

use super::Transfer;
use didact_core::{Error, Result};
use didact_math::numeric::dot;

/// A unit y = f(w₀ + Σ wᵢ·xᵢ). The bias w₀ is the weight of a constant input of one, usually
/// negative: less the threshold.
///
/// ```
/// use didact_neural_classic::Gate;
/// let and = Gate::And.unit(2);
/// assert_eq!(and.output(&[1.0, 1.0])?, 1.0);
/// assert_eq!(and.output(&[1.0, 0.0])?, 0.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// The bias w₀.
    pub bias: f64,
    /// The weights of the inputs.
    pub weights: Vec<f64>,
    /// What is made of the sum.
    pub transfer: Transfer,
}

impl Unit {
    /// The output for an input.
    pub fn output(&self, input: &[f64]) -> Result<f64> {
        if input.len() != self.weights.len() {
            return Err(Error::data(format!(
                "the input has {} values; the unit needs {}",
                input.len(),
                self.weights.len()
            )));
        }
        let output = self.transfer.of(self.bias + dot(&self.weights, input));
        match output.is_nan() {
            false => Ok(output),
            true => Err(Error::data(
                "the output is not a number; give finite weights and values",
            )),
        }
    }
}

/// Logic gates that one threshold unit computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// All inputs are one.
    And,
    /// At least one input is one.
    Or,
    /// Not all inputs are one.
    Nand,
    /// No input is one.
    Nor,
}

impl Gate {
    /// The threshold unit that computes the gate for that many inputs of 0 and 1.
    pub fn unit(self, n_inputs: usize) -> Unit {
        let (weight, bias) = match self {
            Gate::And => (1.0, 0.5 - n_inputs as f64),
            Gate::Or => (1.0, -0.5),
            Gate::Nand => (-1.0, n_inputs as f64 - 0.5),
            Gate::Nor => (-1.0, 0.5),
        };
        Unit {
            bias,
            weights: vec![weight; n_inputs],
            transfer: Transfer::Step,
        }
    }
}

/// The outputs of the last of several layers of units, each fed by the one before.
///
/// ```
/// use didact_neural_classic::{Gate, Transfer, Unit, layers_output};
/// // Exclusive or: at least one, but not both.
/// let hidden = vec![Gate::Or.unit(2), Gate::Nand.unit(2)];
/// let xor = [hidden, vec![Gate::And.unit(2)]];
/// assert_eq!(layers_output(&xor, &[1.0, 0.0])?, [1.0]);
/// assert_eq!(layers_output(&xor, &[1.0, 1.0])?, [0.0]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn layers_output(layers: &[Vec<Unit>], input: &[f64]) -> Result<Vec<f64>> {
    let mut values = input.to_vec();
    for layer in layers {
        values = layer
            .iter()
            .map(|unit| unit.output(&values))
            .collect::<Result<_>>()?;
    }
    Ok(values)
}
