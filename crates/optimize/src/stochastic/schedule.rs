//! How the step length changes with the number of steps.

use didact_core::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The step length η_k as a multiple of the first one; k counts from zero.
///
/// ```
/// use didact_optimize::Schedule;
/// let schedule = Schedule::Geometric { factor: 0.9 };
/// // After ten reductions from one.
/// assert!((schedule.rate(1.0, 10) - 0.3486784401).abs() < 1e-12);
/// // All steps together go at most ten times as far as the first.
/// assert!((schedule.reach(1.0) - 10.0).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// η_k = η₀.
    #[default]
    Constant,
    /// η_k = η₀·factorᵏ. All steps together go a bounded way, so that it can freeze before the
    /// minimum.
    Geometric {
        /// The factor between zero and one.
        factor: f64,
    },
    /// η_k = η₀ / (1 + decay·k).
    InverseTime {
        /// How fast the steps shorten.
        decay: f64,
    },
    /// η_k = η₀ / (k + 1).
    Harmonic,
    /// η_k = η₀ / √(k + 1).
    InverseRoot,
    /// η_k = η₀·factor^⌊k / every⌋.
    Stairs {
        /// The factor between zero and one.
        factor: f64,
        /// How many steps share a length.
        every: usize,
    },
}

impl Schedule {
    /// The length η_k of step number k (from zero).
    pub fn rate(&self, first: f64, step: usize) -> f64 {
        let k = step as f64;
        first
            * match *self {
                Schedule::Constant => 1.0,
                Schedule::Geometric { factor } => factor.powf(k),
                Schedule::InverseTime { decay } => 1.0 / (1.0 + decay * k),
                Schedule::Harmonic => 1.0 / (k + 1.0),
                Schedule::InverseRoot => 1.0 / (k + 1.0).sqrt(),
                Schedule::Stairs { factor, every } => factor.powf((step / every) as f64),
            }
    }

    /// The sum of all step lengths: finite only where the schedule can freeze.
    pub fn reach(&self, first: f64) -> f64 {
        match *self {
            Schedule::Geometric { factor } if factor < 1.0 => first / (1.0 - factor),
            Schedule::Stairs { factor, every } if factor < 1.0 => {
                first * every as f64 / (1.0 - factor)
            }
            _ => f64::INFINITY,
        }
    }

    /// The sum of the step lengths from step number k on.
    pub fn reach_from(&self, first: f64, step: usize) -> f64 {
        match *self {
            Schedule::Geometric { .. } | Schedule::Stairs { .. } => {
                self.reach(self.rate(first, step))
            }
            _ => f64::INFINITY,
        }
    }

    /// Fails with the parameter that is out of range.
    pub(crate) fn check(&self) -> Result<()> {
        match *self {
            Schedule::Geometric { factor } | Schedule::Stairs { factor, .. }
                if !(factor > 0.0 && factor <= 1.0) =>
            {
                Err(Error::parameter(
                    "factor",
                    factor,
                    "it must be above 0 and at most 1",
                ))
            }
            Schedule::Stairs { every: 0, .. } => {
                Err(Error::parameter("every", 0, "it must be at least 1"))
            }
            Schedule::InverseTime { decay } if !(decay >= 0.0 && decay.is_finite()) => Err(
                Error::parameter("decay", decay, "it must be a number of at least 0"),
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // 001:REG-13 001:T-05
    #[test]
    fn the_geometric_schedule_travels_ten_times_its_first_step() {
        let schedule = Schedule::Geometric { factor: 0.9 };
        assert!((schedule.rate(1.0, 10) - 0.348_678_440_1).abs() < 1e-12);
        let sum: f64 = (0..1000).map(|k| schedule.rate(0.5, k)).sum();
        assert!((sum - schedule.reach(0.5)).abs() < 1e-12 && (sum - 5.0).abs() < 1e-12);
        let rest: f64 = (7..1000).map(|k| schedule.rate(0.5, k)).sum();
        assert!((rest - schedule.reach_from(0.5, 7)).abs() < 1e-12);
    }

    // 001:REG-13
    #[test]
    fn the_other_schedules_follow_their_formulas() {
        assert_eq!(Schedule::Constant.rate(0.3, 99), 0.3);
        assert_eq!(Schedule::Harmonic.rate(1.0, 3), 0.25);
        assert_eq!(Schedule::InverseRoot.rate(1.0, 3), 0.5);
        assert_eq!(Schedule::InverseTime { decay: 0.5 }.rate(1.0, 2), 0.5);
        let stairs = Schedule::Stairs {
            factor: 0.5,
            every: 3,
        };
        let rates: Vec<f64> = (0..7).map(|k| stairs.rate(1.0, k)).collect();
        assert_eq!(rates, [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.25]);
        assert_eq!(Schedule::Harmonic.reach(1.0), f64::INFINITY);
        assert_eq!(stairs.reach(1.0), 6.0);
    }

    #[test]
    fn parameters_outside_their_limits_are_named() {
        let message = |schedule: Schedule| schedule.check().unwrap_err().to_string();
        assert!(message(Schedule::Geometric { factor: 1.5 }).contains("factor is 1.5"));
        assert!(
            message(Schedule::Stairs {
                factor: 0.5,
                every: 0
            })
            .contains("every is 0")
        );
        assert!(message(Schedule::InverseTime { decay: f64::NAN }).contains("decay is NaN"));
    }
}
