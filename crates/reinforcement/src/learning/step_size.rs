//! How far an estimate moves towards what was observed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the step depends on the number of visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepRule {
    /// 1/k: the estimate is the plain mean of all targets. Slow for a discount near one, where
    /// the first targets were built on poor estimates and fade slowly.
    Average,
    /// k^−ω with ω between ½ and 1: forgets the first targets and still comes to rest.
    #[default]
    Power,
    /// Always the same: follows changes and never comes to rest.
    Constant,
}

/// The step of an update, estimate ← estimate + step·(target − estimate), at the k-th visit.
///
/// ```
/// use didact_reinforcement::{StepRule, StepSize};
/// let step = StepSize { rule: StepRule::Average, ..StepSize::default() };
/// assert_eq!(step.at(4), 0.25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StepSize {
    /// How the step depends on the number of visits.
    pub rule: StepRule,
    /// The step of the constant rule.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 1.0))]
    pub rate: f64,
    /// The exponent ω of the power rule.
    #[schemars(extend("exclusiveMinimum" = 0.5), range(max = 1.0))]
    pub power: f64,
}

impl Default for StepSize {
    fn default() -> Self {
        StepSize {
            rule: StepRule::Power,
            rate: 0.1,
            power: 0.7,
        }
    }
}

impl StepSize {
    /// A step that is always the same.
    pub fn constant(rate: f64) -> Self {
        StepSize {
            rule: StepRule::Constant,
            rate,
            ..StepSize::default()
        }
    }

    /// 1/k, which makes the estimate a mean.
    pub fn average() -> Self {
        StepSize {
            rule: StepRule::Average,
            ..StepSize::default()
        }
    }

    /// The step at the k-th visit, counted from one.
    pub fn at(&self, visit: u64) -> f64 {
        match self.rule {
            StepRule::Average => 1.0 / visit as f64,
            StepRule::Power => (visit as f64).powf(-self.power),
            StepRule::Constant => self.rate,
        }
    }
}
