//! The point losses as functions of a score and a target.

use crate::losses;
use didact_math::numeric::{sigmoid, softplus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a row of a classifier costs, with z = y·f(x) and y = ±1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClassificationLoss {
    /// max(1 − z, 0): a linear support vector machine.
    #[default]
    Hinge,
    /// ln(1 + e⁻ᶻ): logistic regression.
    LogLoss,
    /// max(1 − z, 0)² down to z = −1, and −4z below: smooth, and mild with outliers.
    ModifiedHuber,
    /// max(1 − z, 0)².
    SquaredHinge,
    /// max(−z, 0).
    Perceptron,
    /// ½(y − f(x))².
    SquaredError,
    /// ½(y − f(x))² for residuals up to ε, and linear beyond.
    Huber,
    /// What |y − f(x)| exceeds ε by.
    EpsilonInsensitive,
    /// The square of what |y − f(x)| exceeds ε by.
    SquaredEpsilonInsensitive,
}

/// What a row of a regression costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RegressionLoss {
    /// ½(y − f(x))².
    #[default]
    SquaredError,
    /// ½(y − f(x))² for residuals up to ε, and linear beyond.
    Huber,
    /// What |y − f(x)| exceeds ε by.
    EpsilonInsensitive,
    /// The square of what |y − f(x)| exceeds ε by.
    SquaredEpsilonInsensitive,
}

impl From<RegressionLoss> for ClassificationLoss {
    fn from(loss: RegressionLoss) -> Self {
        match loss {
            RegressionLoss::SquaredError => ClassificationLoss::SquaredError,
            RegressionLoss::Huber => ClassificationLoss::Huber,
            RegressionLoss::EpsilonInsensitive => ClassificationLoss::EpsilonInsensitive,
            RegressionLoss::SquaredEpsilonInsensitive => {
                ClassificationLoss::SquaredEpsilonInsensitive
            }
        }
    }
}

impl ClassificationLoss {
    /// What a score costs, and the slope of that cost by the score.
    #[inline]
    pub(super) fn value_and_slope(self, score: f64, target: f64, epsilon: f64) -> (f64, f64) {
        let (z, r) = (score * target, target - score);
        match self {
            ClassificationLoss::Hinge => (losses::hinge(z), if z <= 1.0 { -target } else { 0.0 }),
            ClassificationLoss::LogLoss => (softplus(-z), -target * sigmoid(-z)),
            ClassificationLoss::ModifiedHuber => match z {
                _ if z >= 1.0 => (0.0, 0.0),
                _ if z >= -1.0 => ((1.0 - z) * (1.0 - z), -2.0 * (1.0 - z) * target),
                _ => (-4.0 * z, -4.0 * target),
            },
            ClassificationLoss::SquaredHinge => {
                let excess = losses::hinge(z);
                (excess * excess, -2.0 * excess * target)
            }
            ClassificationLoss::Perceptron => {
                (losses::perceptron(z), if z <= 0.0 { -target } else { 0.0 })
            }
            ClassificationLoss::SquaredError => (losses::squared(r), -r),
            ClassificationLoss::Huber => match r.abs() <= epsilon {
                true => (losses::squared(r), -r),
                false => (
                    epsilon * r.abs() - 0.5 * epsilon * epsilon,
                    -epsilon.copysign(r),
                ),
            },
            ClassificationLoss::EpsilonInsensitive => {
                let cost = losses::epsilon_insensitive(r, epsilon);
                (
                    cost,
                    if r.abs() > epsilon {
                        -1.0_f64.copysign(r)
                    } else {
                        0.0
                    },
                )
            }
            ClassificationLoss::SquaredEpsilonInsensitive => {
                let cost = losses::epsilon_insensitive(r, epsilon);
                (cost * cost, -2.0 * cost.copysign(r))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [ClassificationLoss; 9] = [
        ClassificationLoss::Hinge,
        ClassificationLoss::LogLoss,
        ClassificationLoss::ModifiedHuber,
        ClassificationLoss::SquaredHinge,
        ClassificationLoss::Perceptron,
        ClassificationLoss::SquaredError,
        ClassificationLoss::Huber,
        ClassificationLoss::EpsilonInsensitive,
        ClassificationLoss::SquaredEpsilonInsensitive,
    ];

    proptest! {
        #[test]
        fn every_slope_is_the_finite_difference_of_its_loss(score in -4.0f64..4.0, positive: bool) {
            let target = if positive { 1.0 } else { -1.0 };
            let z: f64 = score * target;
            let r: f64 = target - score;
            // Away from the kinks at z = 0 and 1 and at residuals of ±ε.
            prop_assume!(z.abs() > 1e-3 && (z - 1.0).abs() > 1e-3 && (r.abs() - 0.3).abs() > 1e-3);
            for loss in ALL {
                let at = |score: f64| loss.value_and_slope(score, target, 0.3);
                let difference = (at(score + 1e-6).0 - at(score - 1e-6).0) / 2e-6;
                prop_assert!((at(score).1 - difference).abs() < 1e-5, "{:?}", loss);
            }
        }
    }
}
