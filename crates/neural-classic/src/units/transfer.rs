//! What a unit makes of its weighted sum.

use didact_math::numeric::sigmoid;

/// What a unit makes of its weighted sum.
///
/// ```
/// use didact_neural_classic::Transfer;
/// assert_eq!(Transfer::Step.of(0.0), 1.0);
/// assert_eq!(Transfer::Logistic { slope: 2.0 }.derivative(0.0), 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transfer {
    /// The sum itself.
    Linear,
    /// 1 where the sum is zero or more, else 0.
    Step,
    /// tanh s, between −1 and 1.
    Tanh,
    /// 1/(1 + e^(−D·s)), between 0 and 1.
    Logistic {
        /// The slope D.
        slope: f64,
    },
    /// e^(−α·s²): active near zero only.
    Radial {
        /// How fast it falls; it must suit the scale of the inputs.
        alpha: f64,
    },
}

impl Transfer {
    /// The value at a sum.
    pub fn of(self, sum: f64) -> f64 {
        match self {
            Transfer::Linear => sum,
            Transfer::Step => f64::from(sum >= 0.0),
            Transfer::Tanh => sum.tanh(),
            Transfer::Logistic { slope } => sigmoid(slope * sum),
            Transfer::Radial { alpha } => (-alpha * sum * sum).exp(),
        }
    }

    /// The derivative at a sum; that of the step is zero, also at the jump.
    pub fn derivative(self, sum: f64) -> f64 {
        match self {
            Transfer::Linear => 1.0,
            Transfer::Step => 0.0,
            Transfer::Tanh => {
                let value = sum.tanh();
                1.0 - value * value
            }
            Transfer::Logistic { slope } => {
                let value = sigmoid(slope * sum);
                slope * value * (1.0 - value)
            }
            Transfer::Radial { alpha } => -2.0 * alpha * sum * self.of(sum),
        }
    }
}
