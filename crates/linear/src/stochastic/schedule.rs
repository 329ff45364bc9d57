//! How long the steps are.

use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the length η of a step changes with the number t of rows seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LearningRate {
    /// 1/(α·(t₀ + t)), with t₀ chosen so that the first steps suit weights of the size 1/α^¼.
    Optimal,
    /// `eta0`.
    Constant,
    /// `eta0`/t^`power_t`.
    Invscaling,
    /// `eta0`, a fifth of it whenever passes no longer improve, and so on.
    Adaptive,
}

/// The schedule of a fit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    kind: LearningRate,
    eta: f64,
    power: f64,
    alpha: f64,
    first: f64,
}

impl Steps {
    pub(super) fn new(kind: LearningRate, eta: f64, power: f64, alpha: f64) -> Result<Self> {
        let mut first = 0.0;
        if kind == LearningRate::Optimal {
            if alpha <= 0.0 {
                return Err(Error::parameter(
                    "alpha",
                    alpha,
                    "with the learning_rate optimal it must be above 0",
                ));
            }
            let typical = alpha.sqrt().sqrt().recip();
            first = (typical * alpha).recip();
        }
        Ok(Steps {
            kind,
            eta,
            power,
            alpha,
            first,
        })
    }

    /// The length of the step after t rows, the present one included, divided by `divisor`.
    #[inline]
    pub(super) fn length(&self, t: f64, divisor: f64) -> f64 {
        match self.kind {
            LearningRate::Optimal => (self.alpha * (self.first + t - 1.0)).recip(),
            LearningRate::Constant => self.eta,
            LearningRate::Adaptive => self.eta / divisor,
            LearningRate::Invscaling => self.eta / t.powf(self.power),
        }
    }

    /// What steps are divided by after passes that did not improve, where the schedule does that.
    pub(super) fn shortened(&self, divisor: f64) -> Option<f64> {
        let can = self.kind == LearningRate::Adaptive && self.eta / divisor > 1e-6;
        can.then_some(5.0 * divisor)
    }
}
