//! Activation functions of whole layers.

use crate::Real;
use didact_math::vectorised::vectorised;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the units of a hidden layer make of their weighted inputs z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// z itself: the layers then amount to one linear map.
    Identity,
    /// 1 / (1 + e⁻ᶻ).
    Logistic,
    /// tanh z.
    Tanh,
    /// max(z, 0).
    #[default]
    Relu,
}

impl Activation {
    /// Replaces every z by f(z).
    pub(crate) fn apply<T: Real>(self, values: &mut [T]) {
        match self {
            Activation::Identity => {}
            Activation::Logistic => replace(values, T::sigmoid),
            Activation::Tanh => replace(values, T::hyperbolic_tangent),
            Activation::Relu => replace(
                values,
                #[inline(always)]
                |z| z.max(T::zero()),
            ),
        }
    }

    /// Multiplies every slope by f′(z), which all these functions tell from f(z) alone.
    pub(crate) fn scale_slopes<T: Real>(self, outputs: &[T], slopes: &mut [T]) {
        match self {
            Activation::Identity => {}
            Activation::Logistic => scale(
                outputs,
                slopes,
                #[inline(always)]
                |a| a * (T::one() - a),
            ),
            Activation::Tanh => scale(
                outputs,
                slopes,
                #[inline(always)]
                |a| T::one() - a * a,
            ),
            Activation::Relu => scale(
                outputs,
                slopes,
                #[inline(always)]
                |a| if a > T::zero() { T::one() } else { T::zero() },
            ),
        }
    }

    /// The numerator of the variance of random weights that keeps signals alive: 6 in general,
    /// 2 for logistic units, whose slope at zero is a quarter.
    pub(crate) fn start_factor(self) -> f64 {
        match self {
            Activation::Logistic => 2.0,
            _ => 6.0,
        }
    }
}

#[inline(always)]
fn replace<T: Real>(values: &mut [T], function: impl Fn(T) -> T) {
    vectorised(
        #[inline(always)]
        || {
            values
                .iter_mut()
                .for_each(|value| *value = function(*value))
        },
    );
}

#[inline(always)]
fn scale<T: Real>(outputs: &[T], slopes: &mut [T], function: impl Fn(T) -> T) {
    vectorised(
        #[inline(always)]
        || {
            for (slope, &output) in slopes.iter_mut().zip(outputs) {
                *slope *= function(output);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transfer;

    // 000b:D38 001:NN-02
    #[test]
    fn layers_apply_the_functions_of_single_neurons() {
        let pairs = [
            (Activation::Identity, Transfer::Linear),
            (Activation::Logistic, Transfer::Logistic { slope: 1.0 }),
            (Activation::Tanh, Transfer::Tanh),
            (Activation::Relu, Transfer::Relu),
        ];
        let z = [-2.0, -0.3, 0.0, 0.4, 3.0];
        for (activation, transfer) in pairs {
            let mut outputs = z;
            activation.apply(&mut outputs);
            let mut slopes = [2.0; 5];
            activation.scale_slopes(&outputs, &mut slopes);
            for place in 0..5 {
                assert!((outputs[place] - transfer.value(z[place])).abs() < 1e-15);
                assert!((slopes[place] - 2.0 * transfer.derivative(z[place])).abs() < 1e-14);
            }
        }
    }
}
