//! A layer in which every unit listens to every input.

use crate::product::{Matrix, add_product, multiply};
use crate::{Activation, Real};
use didact_math::numeric::dot;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// a = f(W·x + b), with the weights W as one row per unit.
///
/// A tied layer borrows the weights of another one and reads them transposed; its biases are its
/// own. Weights and biases are places in the one list of all parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Dense {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) activation: Activation,
    pub(crate) weights: usize,
    pub(crate) biases: usize,
    pub(crate) tied: bool,
}

impl Dense {
    pub(crate) fn weight_range(&self) -> Range<usize> {
        self.weights..self.weights + self.inputs * self.outputs
    }

    pub(crate) fn bias_range(&self) -> Range<usize> {
        self.biases..self.biases + self.outputs
    }

    /// W with one row per unit, whichever way it is stored.
    fn matrix<'a, T: Real>(&self, parameters: &'a [T]) -> Matrix<'a, T> {
        let values = &parameters[self.weight_range()];
        match self.tied {
            true => Matrix::new(values, self.outputs).t(),
            false => Matrix::new(values, self.inputs),
        }
    }

    /// Z = X·Wᵀ + b, then f.
    pub(crate) fn forward<T: Real>(&self, parameters: &[T], input: &[T], output: &mut [T]) {
        let biases = &parameters[self.bias_range()];
        for row in output.chunks_exact_mut(self.outputs) {
            row.copy_from_slice(biases);
        }
        let input = Matrix::new(input, self.inputs);
        add_product(output, input, self.matrix(parameters).t());
        self.activation.apply(output);
    }

    /// From ∂L/∂a: δ = ∂L/∂a ⊙ f′(z), ∂L/∂W += δᵀ·X, ∂L/∂b += Σδ, ∂L/∂x = δ·W.
    pub(crate) fn backward<T: Real>(
        &self,
        parameters: &[T],
        input: &[T],
        output: &[T],
        slopes: &mut [T],
        input_slopes: Option<&mut [T]>,
        gradient: &mut [T],
    ) {
        self.activation.scale_slopes(output, slopes);
        let x = Matrix::new(input, self.inputs);
        let delta = Matrix::new(slopes, self.outputs);
        let weights = &mut gradient[self.weight_range()];
        match self.tied {
            true => add_product(weights, x.t(), delta),
            false => add_product(weights, delta.t(), x),
        }
        let biases = &mut gradient[self.bias_range()];
        for row in slopes.chunks_exact(self.outputs) {
            for (bias, &slope) in biases.iter_mut().zip(row) {
                *bias += slope;
            }
        }
        if let Some(input_slopes) = input_slopes {
            multiply(input_slopes, delta, self.matrix(parameters));
        }
    }

    /// The outputs of rows one by one, so that a row alone gives the same bits as among others.
    pub(crate) fn answer(&self, parameters: &[f64], input: &[f64], output: &mut [f64]) {
        let weights = &parameters[self.weight_range()];
        let biases = &parameters[self.bias_range()];
        let rows = input.chunks_exact(self.inputs);
        for (x, a) in rows.zip(output.chunks_exact_mut(self.outputs)) {
            match self.tied {
                // Columns of the stored matrix are the weights of a unit: add up its rows.
                true => {
                    a.copy_from_slice(biases);
                    for (&x, weights) in x.iter().zip(weights.chunks_exact(self.outputs)) {
                        a.iter_mut().zip(weights).for_each(|(a, w)| *a += x * w);
                    }
                }
                false => {
                    for (unit, weights) in weights.chunks_exact(self.inputs).enumerate() {
                        a[unit] = biases[unit] + dot(x, weights);
                    }
                }
            }
        }
        self.activation.apply(output);
    }
}
