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

    /// The length of the step after t rows, the present one included.
    #[inline]
    pub(super) fn length(&self, t: f64) -> f64 {
        match self.kind {
            LearningRate::Optimal => (self.alpha * (self.first + t - 1.0)).recip(),
            LearningRate::Constant | LearningRate::Adaptive => self.eta,
            LearningRate::Invscaling => self.eta / t.powf(self.power),
        }
    }

    /// Shortens the steps after passes that did not improve; whether the schedule does that.
    pub(super) fn shorten(&mut self) -> bool {
        let can = self.kind == LearningRate::Adaptive && self.eta > 1e-6;
        if can {
            self.eta /= 5.0;
        }
        can
    }
}
