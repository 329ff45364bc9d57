//! The activation functions of single neurons, with their derivatives.

use crate::Real;
use didact_math::numeric::log_softmax_in_place;
use ndarray::{Array1, Array2, ArrayView1};

/// What a neuron h(x) = f(wᵀx + b) makes of its weighted input.
///
/// ```
/// use didact_neural::Transfer;
/// let logistic = Transfer::Logistic { slope: 1.0 };
/// assert!((logistic.value(1.0) - 0.7310586).abs() < 1e-7);
/// assert!((logistic.derivative(1.0) - 0.1966119).abs() < 1e-7);
/// // A positive and a negative answer are both possible: tanh(−1) < 0.
/// assert!(Transfer::Tanh.value(-1.0) < 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transfer {
    /// f(z) = z.
    Linear,
    /// 1 where z ≥ 0, else 0.
    Step,
    /// 1 where z ≥ 0, else −1.
    Sign,
    /// max(z, 0), whose slope at zero is taken as zero.
    Relu,
    /// 1 / (1 + e^(−D·z)).
    Logistic {
        /// The slope D.
        slope: f64,
    },
    /// tanh z = 2·logistic(2z) − 1.
    Tanh,
    /// e^(−α·z²).
    Rbf {
        /// The rate α of the fall on both sides of zero.
        rate: f64,
    },
}

impl Transfer {
    /// f(z).
    pub fn value(self, z: f64) -> f64 {
        match self {
            Transfer::Linear => z,
            Transfer::Step => f64::from(z >= 0.0),
            Transfer::Sign if z >= 0.0 => 1.0,
            Transfer::Sign => -1.0,
            Transfer::Relu => z.max(0.0),
            Transfer::Logistic { slope } => (slope * z).sigmoid(),
            Transfer::Tanh => z.hyperbolic_tangent(),
            Transfer::Rbf { rate } => (-rate * z * z).exp(),
        }
    }

    /// f′(z); zero for steps, which have no slope that would teach anything.
    pub fn derivative(self, z: f64) -> f64 {
        let value = self.value(z);
        match self {
            Transfer::Linear => 1.0,
            Transfer::Step | Transfer::Sign => 0.0,
            Transfer::Relu => f64::from(z > 0.0),
            Transfer::Logistic { slope } => slope * value * (1.0 - value),
            Transfer::Tanh => 1.0 - value * value,
            Transfer::Rbf { rate } => -2.0 * rate * z * value,
        }
    }

    /// f″(z); for the logistic function with D = 1 it is s(1−s)(1−2s) = s − 3s² + 2s³.
    pub fn second_derivative(self, z: f64) -> f64 {
        let value = self.value(z);
        match self {
            Transfer::Linear | Transfer::Step | Transfer::Sign | Transfer::Relu => 0.0,
            Transfer::Logistic { slope } => {
                slope * slope * value * (1.0 - value) * (1.0 - 2.0 * value)
            }
            Transfer::Tanh => -2.0 * value * (1.0 - value * value),
            Transfer::Rbf { rate } => (4.0 * rate * rate * z * z - 2.0 * rate) * value,
        }
    }
}

/// The probabilities pₖ = e^(zₖ) / Σⱼ e^(zⱼ), without overflow.
///
/// ```
/// let p = didact_neural::softmax(&[1.0, 2.0, 0.5]);
/// assert!((p[1] - 0.6285317192).abs() < 1e-10);
/// ```
pub fn softmax(scores: &[f64]) -> Array1<f64> {
    let mut logs = scores.to_vec();
    log_softmax_in_place(&mut logs);
    logs.into_iter().map(f64::exp).collect()
}

/// The derivative ∂pᵢ/∂zⱼ = pᵢ(δᵢⱼ − pⱼ) of the softmax, diag(p) − p·pᵀ.
pub fn softmax_jacobian(probabilities: ArrayView1<'_, f64>) -> Array2<f64> {
    let n = probabilities.len();
    Array2::from_shape_fn((n, n), |(i, j)| {
        probabilities[i] * (f64::from(i == j) - probabilities[j])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_optimize::{finite_difference_gradient, finite_difference_jacobian};
    use didact_testing::assert_close;

    const ALL: [Transfer; 9] = [
        Transfer::Linear,
        Transfer::Step,
        Transfer::Sign,
        Transfer::Relu,
        Transfer::Logistic { slope: 1.0 },
        Transfer::Logistic { slope: 2.5 },
        Transfer::Tanh,
        Transfer::Rbf { rate: 1.0 },
        Transfer::Rbf { rate: 0.3 },
    ];

    // 000b:D38 000b:D55 001:NN-02 003:P97 002b:NN-05 004:M27
    #[test]
    fn derivatives_of_both_orders_agree_with_finite_differences() {
        for transfer in ALL {
            for z in [-3.0, -0.7, -0.1, 0.2, 1.0, 2.9] {
                let slope = |f: &dyn Fn(f64) -> f64| {
                    finite_difference_gradient(|x| Ok(f(x[0])), &[z]).unwrap()[0]
                };
                let first = slope(&|z| transfer.value(z));
                assert!(
                    (transfer.derivative(z) - first).abs() < 1e-9,
                    "{transfer:?} {z}"
                );
                let second = slope(&|z| transfer.derivative(z));
                assert!(
                    (transfer.second_derivative(z) - second).abs() < 1e-9,
                    "{transfer:?} {z}"
                );
            }
        }
    }

    // 004:M27: the printed s″ = s − 2s² + s³ gives 0.0528771 at z = 1.
    #[test]
    fn the_second_derivative_of_the_sigmoid_is_the_corrected_one() {
        let logistic = Transfer::Logistic { slope: 1.0 };
        let s = logistic.value(1.0);
        assert!((s - 0.731_058_6).abs() < 1e-7);
        assert!((logistic.derivative(1.0) - 0.196_611_9).abs() < 1e-7);
        assert!((logistic.second_derivative(1.0) + 0.090_857_7).abs() < 1e-7);
        let printed = s - 2.0 * s * s + s * s * s;
        assert!((printed - 0.052_877_1).abs() < 1e-7);
    }

    // 002b:NN-05 001:NN-02 001:NN-01: steps count zero as above, the kink has no slope.
    #[test]
    fn conventions_at_zero() {
        assert_eq!(Transfer::Step.value(0.0), 1.0);
        assert_eq!(Transfer::Sign.value(0.0), 1.0);
        assert_eq!(Transfer::Relu.derivative(0.0), 0.0);
        for z in [-2.0, 0.3, 5.0] {
            let doubled = 2.0 * Transfer::Logistic { slope: 1.0 }.value(2.0 * z) - 1.0;
            assert!((Transfer::Tanh.value(z) - doubled).abs() < 1e-15);
        }
    }

    // 000b:D55: saturates to zero.
    #[test]
    fn the_tangent_saturates() {
        assert_eq!(Transfer::Tanh.derivative(40.0), 0.0);
        assert!(Transfer::Tanh.derivative(4.0) < 2e-3);
    }

    // 000b:D38
    #[test]
    fn the_softmax_jacobian_agrees_with_finite_differences() {
        let z = [1.0, 2.0, 0.5];
        let jacobian = softmax_jacobian(softmax(&z).view());
        let expected = finite_difference_jacobian(|z| Ok(softmax(z).to_vec()), &z).unwrap();
        assert_close(&jacobian, &expected, 1e-9);
    }

    // 002b:NN-05 (exercise): one radial unit solves XOR, one step unit cannot.
    #[test]
    fn one_radial_unit_solves_the_exclusive_or() {
        let unit = Transfer::Rbf { rate: 1.0 };
        for (x, y, answer) in [
            (0.0, 0.0, false),
            (0.0, 1.0, true),
            (1.0, 0.0, true),
            (1.0, 1.0, false),
        ] {
            assert_eq!(unit.value(x + y - 1.0) > 0.7, answer);
        }
    }
}
