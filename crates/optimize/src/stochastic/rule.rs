//! What a step makes of a gradient.

use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the gradient g of a step becomes a move of the point x; η is the step length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UpdateRule {
    /// x ← x − η·g.
    #[default]
    Plain,
    /// Averaged gradients: Δ ← (1−ε)·Δ + ε·g from Δ = 0; x ← x − η·Δ. Not the heavy ball: the
    /// gradient is weighted by ε, so that the step is 1/ε times shorter.
    AveragedGradient {
        /// The weight ε of the new gradient; one is the plain rule.
        weight: f64,
    },
    /// Heavy ball: u ← m·u − η·g; x ← x + u.
    HeavyBall {
        /// The share m of the last move that is kept; zero is the plain rule.
        momentum: f64,
    },
    /// Nesterov's momentum: the heavy ball with the gradient where the ball would roll, in the
    /// form u ← m·u − η·g; x ← x + m·u − η·g.
    Nesterov {
        /// The share m of the last move that is kept; zero is the plain rule.
        momentum: f64,
    },
    /// AdaGrad: s ← s + g²; x ← x − η·g/(√s + ε), each coordinate for itself.
    AdaGrad {
        /// Keeps the division safe.
        epsilon: f64,
    },
    /// RMSProp: s ← ρ·s + (1−ρ)·g²; x ← x − η·g/(√s + ε).
    RmsProp {
        /// The share ρ of the past in the mean square.
        decay: f64,
        /// Keeps the division safe.
        epsilon: f64,
    },
    /// Adam: means of g and g², both corrected for their start at zero; x ← x − η·m̂/(√v̂ + ε).
    Adam {
        /// The share β₁ of the past in the mean gradient.
        mean_decay: f64,
        /// The share β₂ of the past in the mean square.
        square_decay: f64,
        /// Keeps the division safe.
        epsilon: f64,
    },
}

impl UpdateRule {
    /// Adam with the usual constants, 0.9, 0.999 and 10⁻⁸.
    pub fn adam() -> Self {
        UpdateRule::Adam {
            mean_decay: 0.9,
            square_decay: 0.999,
            epsilon: 1e-8,
        }
    }

    /// RMSProp with the usual constants, 0.99 and 10⁻⁸.
    pub fn rms_prop() -> Self {
        UpdateRule::RmsProp {
            decay: 0.99,
            epsilon: 1e-8,
        }
    }

    /// AdaGrad with the usual constant, 10⁻¹⁰.
    pub fn ada_grad() -> Self {
        UpdateRule::AdaGrad { epsilon: 1e-10 }
    }

    /// Fails with the parameter that is out of range.
    pub(crate) fn check(&self) -> Result<()> {
        let share = |name: &str, value: f64| match (0.0..1.0).contains(&value) {
            true => Ok(()),
            false => Err(Error::parameter(
                name,
                value,
                "it must be at least 0 and below 1",
            )),
        };
        let positive = |name: &str, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::parameter(
                name,
                value,
                "it must be a positive number",
            )),
        };
        match *self {
            UpdateRule::Plain => Ok(()),
            UpdateRule::AveragedGradient { weight } if weight > 0.0 && weight <= 1.0 => Ok(()),
            UpdateRule::AveragedGradient { weight } => Err(Error::parameter(
                "weight",
                weight,
                "it must be above 0 and at most 1",
            )),
            UpdateRule::HeavyBall { momentum } | UpdateRule::Nesterov { momentum } => {
                share("momentum", momentum)
            }
            UpdateRule::AdaGrad { epsilon } => positive("epsilon", epsilon),
            UpdateRule::RmsProp { decay, epsilon } => {
                share("decay", decay).and(positive("epsilon", epsilon))
            }
            UpdateRule::Adam {
                mean_decay,
                square_decay,
                epsilon,
            } => share("mean_decay", mean_decay)
                .and(share("square_decay", square_decay))
                .and(positive("epsilon", epsilon)),
        }
    }
}

/// A rule at work: what it remembers between steps.
///
/// ```
/// use didact_optimize::{UpdateRule, Updater};
/// let mut updater = Updater::new(UpdateRule::HeavyBall { momentum: 0.5 }, 1)?;
/// let mut x = [1.0];
/// updater.update(&mut x, &[1.0], 0.1);
/// updater.update(&mut x, &[1.0], 0.1);
/// // 1 − 0.1, then − (0.05 + 0.1).
/// assert!((x[0] - 0.75).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Updater {
    rule: UpdateRule,
    steps: usize,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Updater {
    /// The rule before its first step, for points with so many coordinates.
    pub fn new(rule: UpdateRule, dimension: usize) -> Result<Self> {
        rule.check()?;
        let size = |is_needed: bool| if is_needed { dimension } else { 0 };
        let first = !matches!(
            rule,
            UpdateRule::Plain | UpdateRule::AdaGrad { .. } | UpdateRule::RmsProp { .. }
        );
        let second = matches!(
            rule,
            UpdateRule::AdaGrad { .. } | UpdateRule::RmsProp { .. } | UpdateRule::Adam { .. }
        );
        Ok(Updater {
            rule,
            steps: 0,
            first: vec![0.0; size(first)],
            second: vec![0.0; size(second)],
        })
    }

    /// What the rule remembers of past gradients: the average Δ, the move u, Adam's mean.
    pub fn memory(&self) -> &[f64] {
        &self.first
    }

    /// Moves the point by one step of length `rate` along `gradient`.
    ///
    /// # Panics
    /// When the lengths are not the dimension that the updater was made for.
    pub fn update(&mut self, x: &mut [f64], gradient: &[f64], rate: f64) {
        self.steps += 1;
        let n = x.len();
        match self.rule {
            UpdateRule::Plain => (0..n).for_each(|i| x[i] -= rate * gradient[i]),
            UpdateRule::AveragedGradient { weight } => {
                for i in 0..n {
                    self.first[i] = (1.0 - weight) * self.first[i] + weight * gradient[i];
                    x[i] -= rate * self.first[i];
                }
            }
            UpdateRule::HeavyBall { momentum } => {
                for i in 0..n {
                    self.first[i] = momentum * self.first[i] - rate * gradient[i];
                    x[i] += self.first[i];
                }
            }
            UpdateRule::Nesterov { momentum } => {
                for i in 0..n {
                    self.first[i] = momentum * self.first[i] - rate * gradient[i];
                    x[i] += momentum * self.first[i] - rate * gradient[i];
                }
            }
            UpdateRule::AdaGrad { epsilon } => {
                for i in 0..n {
                    self.second[i] += gradient[i] * gradient[i];
                    x[i] -= rate * gradient[i] / (self.second[i].sqrt() + epsilon);
                }
            }
            UpdateRule::RmsProp { decay, epsilon } => {
                for i in 0..n {
                    self.second[i] =
                        decay * self.second[i] + (1.0 - decay) * gradient[i] * gradient[i];
                    x[i] -= rate * gradient[i] / (self.second[i].sqrt() + epsilon);
                }
            }
            UpdateRule::Adam {
                mean_decay,
                square_decay,
                epsilon,
            } => {
                let age = self.steps as f64;
                let mean_share = 1.0 - mean_decay.powf(age);
                let square_share = 1.0 - square_decay.powf(age);
                for i in 0..n {
                    let g = gradient[i];
                    self.first[i] = mean_decay * self.first[i] + (1.0 - mean_decay) * g;
                    self.second[i] = square_decay * self.second[i] + (1.0 - square_decay) * g * g;
                    let spread = (self.second[i] / square_share).sqrt();
                    x[i] -= rate * (self.first[i] / mean_share) / (spread + epsilon);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The points visited on ½θ² from one, whose gradient is θ.
    fn path(rule: UpdateRule, rate: f64, steps: usize) -> Vec<f64> {
        let mut updater = Updater::new(rule, 1).unwrap();
        let mut x = [1.0];
        (0..steps)
            .map(|_| {
                let gradient = [x[0]];
                updater.update(&mut x, &gradient, rate);
                x[0]
            })
            .collect()
    }

    fn assert_path(rule: UpdateRule, rate: f64, expected: &[f64]) {
        for (found, expected) in path(rule, rate, expected.len()).iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-12,
                "{rule:?} {found} {expected}"
            );
        }
    }

    // 001:T-05 001:REG-14
    #[test]
    fn averaged_gradients_take_the_published_path() {
        let rule = UpdateRule::AveragedGradient { weight: 0.5 };
        assert_path(rule, 0.1, &[0.95, 0.8775]);
        let mut updater = Updater::new(rule, 1).unwrap();
        let mut x = [1.0];
        updater.update(&mut x, &[1.0], 0.1);
        updater.update(&mut x, &[0.95], 0.1);
        assert!((updater.memory()[0] - 0.725).abs() < 1e-15);
        let plain = UpdateRule::AveragedGradient { weight: 1.0 };
        assert_path(plain, 0.1, &[0.9, 0.81]);
        assert_path(UpdateRule::Plain, 0.1, &[0.9, 0.81]);
    }

    // 001:REG-14 000b:D08
    #[test]
    fn the_heavy_ball_is_another_rule_and_goes_further() {
        // u₁ = −0.1, u₂ = 0.5·(−0.1) − 0.09.
        assert_path(UpdateRule::HeavyBall { momentum: 0.5 }, 0.1, &[0.9, 0.76]);
        assert_path(UpdateRule::HeavyBall { momentum: 0.0 }, 0.1, &[0.9, 0.81]);
        // Under a constant gradient the heavy ball ends ten times as fast as the average.
        let speed = |rule| {
            let mut updater = Updater::new(rule, 1).unwrap();
            let mut x = [0.0];
            for _ in 0..500 {
                updater.update(&mut x, &[1.0], 0.1);
            }
            let before = x[0];
            updater.update(&mut x, &[1.0], 0.1);
            before - x[0]
        };
        let average = speed(UpdateRule::AveragedGradient { weight: 0.1 });
        let ball = speed(UpdateRule::HeavyBall { momentum: 0.9 });
        assert!((ball / average - 10.0).abs() < 1e-9);
    }

    // torch.optim on ½θ², θ = 1, three steps: the same recursions in plain NumPy.
    #[test]
    fn the_other_rules_take_the_steps_of_their_formulas() {
        // u₁ = −0.1: 1 − 0.05 − 0.1 = 0.85; u₂ = −0.05 − 0.085 = −0.135: 0.85 − 0.0675 − 0.085.
        assert_path(UpdateRule::Nesterov { momentum: 0.5 }, 0.1, &[0.85, 0.6975]);
        // s₁ = 1: 0.9; s₂ = 1.81: 0.9 − 0.1·0.9/√1.81.
        let second = 0.9 - 0.09 / 1.81_f64.sqrt();
        assert_path(UpdateRule::AdaGrad { epsilon: 1e-300 }, 0.1, &[0.9, second]);
        // s₁ = 0.1: 1 − 0.1/√0.1.
        let first = 1.0 - 0.1 / 0.1_f64.sqrt();
        let second = first - 0.1 * first / (0.09 + 0.1 * first * first).sqrt();
        assert_path(
            UpdateRule::RmsProp {
                decay: 0.9,
                epsilon: 1e-300,
            },
            0.1,
            &[first, second],
        );
        // Adam's first step has the length of the rate whatever the gradient.
        let adam = UpdateRule::Adam {
            mean_decay: 0.9,
            square_decay: 0.999,
            epsilon: 1e-300,
        };
        let mean = (0.9 * 0.1 + 0.1 * 0.9) / 0.19;
        let square = (0.999 * 0.001 + 0.001 * 0.81) / (1.0 - 0.999_f64.powi(2));
        assert_path(adam, 0.1, &[0.9, 0.9 - 0.1 * mean / square.sqrt()]);
    }

    #[test]
    fn parameters_outside_their_limits_are_named() {
        let message = |rule| Updater::new(rule, 1).unwrap_err().to_string();
        assert!(message(UpdateRule::HeavyBall { momentum: 1.0 }).contains("momentum is 1"));
        assert!(message(UpdateRule::AveragedGradient { weight: 0.0 }).contains("weight is 0"));
        assert!(message(UpdateRule::AdaGrad { epsilon: -1.0 }).contains("epsilon is -1"));
        let adam = UpdateRule::Adam {
            mean_decay: 0.9,
            square_decay: 2.0,
            epsilon: 1e-8,
        };
        assert!(message(adam).contains("square_decay is 2"));
    }
}
