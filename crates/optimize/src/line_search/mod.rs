//! How far to go along a direction.

mod wolfe;

use crate::Objective;
use crate::descent::Point;
use crate::outcome::{Log, move_along};
use didact_core::{Error, Result};
use didact_math::numeric::dot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wolfe::is_level;
pub(crate) use wolfe::{Conditions, Found, Trial, search};

/// Halvings after which no descent is possible in floating point.
const HALVINGS: usize = 60;

/// How far to go along a direction p from a point x; φ(t) = f(x + t·p).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LineSearch {
    /// Always the same multiple of the direction.
    Fixed {
        /// The multiple t.
        #[schemars(extend("exclusiveMinimum" = 0))]
        step: f64,
    },
    /// Halves the step until φ(t) ≤ φ(0) + c₁·t·φ′(0).
    Armijo {
        /// The share c₁ of the promised fall that must be reached.
        #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
        decrease: f64,
    },
    /// Armijo's condition and |φ′(t)| ≤ c₂·|φ′(0)|.
    Wolfe {
        /// The share c₁ of the promised fall that must be reached.
        #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
        decrease: f64,
        /// The share c₂ of the slope that may be left.
        #[schemars(range(max = 1), extend("exclusiveMinimum" = 0))]
        curvature: f64,
    },
    /// The lowest point of the line: by formula for a quadratic, else down to rounding.
    Exact,
}

impl LineSearch {
    /// Strong Wolfe conditions with the usual constants, 10⁻⁴ and 0.9.
    pub fn wolfe() -> Self {
        LineSearch::Wolfe {
            decrease: 1e-4,
            curvature: 0.9,
        }
    }

    /// Armijo's condition with the usual constant, 10⁻⁴.
    pub fn armijo() -> Self {
        LineSearch::Armijo { decrease: 1e-4 }
    }

    /// Fails where a constant is out of range or two contradict each other.
    pub(crate) fn check(&self) -> Result<()> {
        let share = |name: &str, value: f64| match value > 0.0 && value < 1.0 {
            true => Ok(()),
            false => Err(Error::parameter(name, value, "it must lie between 0 and 1")),
        };
        match *self {
            LineSearch::Fixed { step } if !(step > 0.0 && step.is_finite()) => Err(
                Error::parameter("step", step, "it must be a positive number"),
            ),
            LineSearch::Armijo { decrease } => share("decrease", decrease),
            LineSearch::Wolfe {
                decrease,
                curvature,
            } if decrease < curvature => {
                share("decrease", decrease).and(share("curvature", curvature))
            }
            LineSearch::Wolfe {
                decrease,
                curvature,
            } => Err(Error::parameter(
                "curvature",
                curvature,
                format!("it must be larger than decrease, which is {decrease}"),
            )),
            _ => Ok(()),
        }
    }

    /// Looks for a step along `direction`; leaves the point, value and gradient there in `next`.
    pub(crate) fn find<O: Objective + ?Sized>(
        &self,
        objective: &mut O,
        log: &mut Log<'_>,
        from: &Point,
        direction: &[f64],
        first_step: f64,
        next: &mut Point,
    ) -> Result<Found> {
        let start = Trial {
            step: 0.0,
            value: from.value,
            slope: dot(&from.gradient, direction),
        };
        let exact = match self {
            LineSearch::Exact => objective.exact_step(&from.x, direction)?,
            _ => None,
        };
        let mut evaluate = |step: f64| {
            move_along(&from.x, step, direction, &mut next.x);
            next.value = log.evaluate(objective, &next.x, &mut next.gradient)?;
            let slope = dot(&next.gradient, direction);
            Ok(Trial {
                step,
                value: next.value,
                slope,
            })
        };
        let only = |trial: Trial| Found {
            trial: Some(trial),
            kink: false,
        };
        match *self {
            LineSearch::Fixed { step } => evaluate(step).map(only),
            _ if start.slope.is_nan() || start.slope >= 0.0 => Ok(Found {
                trial: None,
                kink: false,
            }),
            LineSearch::Armijo { decrease } => halve(start, first_step, decrease, &mut evaluate),
            LineSearch::Wolfe {
                decrease,
                curvature,
            } => {
                let conditions = Conditions {
                    decrease,
                    curvature,
                    longest: f64::INFINITY,
                };
                search(start, first_step, &conditions, &mut evaluate)
            }
            LineSearch::Exact => match exact {
                Some(step) => evaluate(step).map(only),
                None => {
                    let conditions = Conditions {
                        decrease: 1e-4,
                        curvature: 1e-8,
                        longest: f64::INFINITY,
                    };
                    search(start, first_step, &conditions, &mut evaluate)
                }
            },
        }
    }
}

/// The first of t, t/2, t/4, … that lowers the value enough.
fn halve(
    start: Trial,
    first_step: f64,
    decrease: f64,
    evaluate: &mut dyn FnMut(f64) -> Result<Trial>,
) -> Result<Found> {
    let mut step = first_step;
    for _ in 0..HALVINGS {
        let trial = evaluate(step)?;
        let is_low = trial.value <= start.value + decrease * step * start.slope;
        if (is_low && trial.slope.is_finite()) || is_level(&start, &trial, decrease) {
            return Ok(Found {
                trial: Some(trial),
                kink: false,
            });
        }
        step *= 0.5;
    }
    Ok(Found {
        trial: None,
        kink: false,
    })
}
