//! What drives a unit from outside over time.

/// An input S(t) of a unit.
///
/// ```
/// use didact_neural_classic::Drive;
/// let pulse = Drive::Pulse { from: 1.0, to: 2.0, height: 3.0 };
/// assert_eq!([0.5, 1.5, 2.0].map(|time| pulse.at(time)), [0.0, 3.0, 0.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Drive {
    /// The same at all times.
    Constant(f64),
    /// Nothing before a time, then constant.
    Step {
        /// When it begins.
        from: f64,
        /// Its height.
        height: f64,
    },
    /// Constant between two times.
    Pulse {
        /// When it begins.
        from: f64,
        /// When it has ended.
        to: f64,
        /// Its height.
        height: f64,
    },
    /// Nothing before a time, then rising steadily.
    Ramp {
        /// When it begins.
        from: f64,
        /// Its rise per time.
        slope: f64,
    },
    /// A recording with a value per step from time zero, constant in between and after the end.
    Trace {
        /// The time between two values.
        step: f64,
        /// The values.
        values: Vec<f64>,
    },
}

impl Drive {
    /// The input at a time.
    pub fn at(&self, time: f64) -> f64 {
        match self {
            Drive::Constant(value) => *value,
            Drive::Step { from, height } => height * f64::from(time >= *from),
            Drive::Pulse { from, to, height } => height * f64::from(time >= *from && time < *to),
            Drive::Ramp { from, slope } => slope * (time - from).max(0.0),
            Drive::Trace { step, values } => {
                let place = (time / step).floor().max(0.0) as usize;
                let last = values.len().saturating_sub(1);
                values.get(place.min(last)).copied().unwrap_or(0.0)
            }
        }
    }
}
