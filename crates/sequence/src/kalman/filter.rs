//! The Kalman filter over a whole series of measurements.

use super::belief::{Belief, Motion, Sensor, Update};
use didact_core::{Error, Result, Run};
use ndarray::Array1;

/// Follows a hidden vector through noisy motion by noisy measurements.
///
/// The hidden vector starts at x₀, of which `start` is believed. Step n moves it by the n-th
/// motion and measures it by the n-th sensor; one motion or sensor serves all steps. The filter
/// predicts and updates in turn, always from the updated belief, which gives p(xₙ | z₁…zₙ)
/// exactly.
///
/// ```
/// use didact_sequence::{Belief, KalmanFilter, Motion, Sensor};
/// use ndarray::array;
/// // A walk of unknown speed whose position is measured.
/// let filter = KalmanFilter::new(
///     Belief::new(array![0.0, 0.0], array![[10.0, 0.0], [0.0, 10.0]])?,
///     Motion::new(array![[1.0, 1.0], [0.0, 1.0]], array![0.0, 0.0], array![[0.0, 0.0], [0.0, 0.01]])?,
///     Sensor::new(array![[1.0, 0.0]], array![[0.1]])?,
/// )?;
/// let positions: Vec<_> = (1..20).map(|step| array![2.0 * step as f64]).collect();
/// let filtered = filter.filter(&positions)?;
/// assert!((filtered.last().mean[1] - 2.0).abs() < 0.01);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KalmanFilter {
    pub(super) start: Belief,
    motions: Vec<Motion>,
    sensors: Vec<Sensor>,
}

/// What is believed at each step.
#[derive(Clone, Debug, PartialEq)]
pub struct Filtered {
    /// The belief before the measurement of each step.
    pub predicted: Vec<Belief>,
    /// What the measurement of each step made of it.
    pub updates: Vec<Update>,
    /// ln p(z₁…z_n) of all measurements.
    pub log_likelihood: f64,
    start: Belief,
}

impl Filtered {
    /// The belief after the last measurement.
    pub fn last(&self) -> &Belief {
        match self.updates.last() {
            Some(update) => &update.belief,
            None => &self.start,
        }
    }
}

impl KalmanFilter {
    /// A filter in which every step moves and measures alike.
    pub fn new(start: Belief, motion: Motion, sensor: Sensor) -> Result<Self> {
        KalmanFilter::time_varying(start, vec![motion], vec![sensor])
    }

    /// A filter whose steps have motions and sensors of their own; a single one serves all.
    pub fn time_varying(start: Belief, motions: Vec<Motion>, sensors: Vec<Sensor>) -> Result<Self> {
        if motions.is_empty() || sensors.is_empty() {
            return Err(Error::data(
                "there is no motion or no sensor; give one for all steps or one for each",
            ));
        }
        let d = start.dimension();
        let odd_motion = motions.iter().any(|motion| motion.drift.len() != d);
        let odd_sensor = sensors.iter().any(|sensor| sensor.observation.ncols() != d);
        match odd_motion || odd_sensor {
            false => Ok(KalmanFilter {
                start,
                motions,
                sensors,
            }),
            true => Err(Error::data(format!(
                "a motion or a sensor is not for the {d} hidden values that the start has"
            ))),
        }
    }

    /// The motion of a step, counted from zero.
    pub fn motion(&self, step: usize) -> Result<&Motion> {
        of_step("motions", &self.motions, step)
    }

    /// The sensor of a step, counted from zero.
    pub fn sensor(&self, step: usize) -> Result<&Sensor> {
        of_step("sensors", &self.sensors, step)
    }

    /// Follows the measurements of all steps; values that are not numbers are missing.
    pub fn filter(&self, measurements: &[Array1<f64>]) -> Result<Filtered> {
        self.filter_with(measurements, &Run::new())
    }

    /// The same, stopped where the run is cancelled.
    pub fn filter_with(&self, measurements: &[Array1<f64>], run: &Run) -> Result<Filtered> {
        let mut filtered = Filtered {
            predicted: Vec::with_capacity(measurements.len()),
            updates: Vec::with_capacity(measurements.len()),
            log_likelihood: 0.0,
            start: self.start.clone(),
        };
        for (step, measurement) in measurements.iter().enumerate() {
            run.check()?;
            let predicted = filtered.last().predict(self.motion(step)?)?;
            let update = predicted.update(measurement.view(), self.sensor(step)?)?;
            filtered.log_likelihood += update.log_likelihood;
            filtered.predicted.push(predicted);
            filtered.updates.push(update);
        }
        Ok(filtered)
    }

    /// What is believed of so many steps after the last measurement.
    pub fn forecast(&self, filtered: &Filtered, n_steps: usize) -> Result<Vec<Belief>> {
        let first = filtered.updates.len();
        let mut beliefs: Vec<Belief> = Vec::with_capacity(n_steps);
        for step in first..first + n_steps {
            let now = beliefs.last().unwrap_or(filtered.last());
            beliefs.push(now.predict(self.motion(step)?)?);
        }
        Ok(beliefs)
    }
}

fn of_step<'a, T>(what: &str, all: &'a [T], step: usize) -> Result<&'a T> {
    match all {
        [one] => Ok(one),
        all => all.get(step).ok_or_else(|| {
            Error::data(format!(
                "there are {} {what} but step {step} is asked for; give one for each step",
                all.len()
            ))
        }),
    }
}
