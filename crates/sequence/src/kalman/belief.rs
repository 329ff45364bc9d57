//! A normal belief about a hidden vector: predicting it and measuring it.

use didact_core::{Error, Result};
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2, ArrayView1, Axis};
use std::f64::consts::TAU;

/// How far a covariance may be from symmetric, in units of its largest entry.
const ASYMMETRY: f64 = 1e-9;

/// What is believed of a hidden vector: a normal distribution.
///
/// Predicting adds uncertainty, measuring joins knowledge:
///
/// ```
/// use didact_sequence::{Belief, Motion, Sensor};
/// use ndarray::array;
/// let belief = Belief::new(array![0.0], array![[1.0]])?;
/// // A step of about one, give or take one: variances add up.
/// let step = Motion::new(array![[1.0]], array![1.0], array![[1.0]])?;
/// let predicted = belief.predict(&step)?;
/// assert_eq!((predicted.mean[0], predicted.covariance[[0, 0]]), (1.0, 2.0));
/// // A measurement as sure as the prediction: halfway, and precisions add up.
/// let sensor = Sensor::new(array![[1.0]], array![[2.0]])?;
/// let measured = predicted.update(array![2.0].view(), &sensor)?.belief;
/// assert_eq!((measured.mean[0], measured.covariance[[0, 0]]), (1.5, 1.0));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Belief {
    /// The mean.
    pub mean: Array1<f64>,
    /// The covariance P.
    pub covariance: Array2<f64>,
}

/// How the hidden vector moves: xₙ = F·xₙ₋₁ + b + ε with ε ~ N(0, Q).
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// F.
    pub transition: Array2<f64>,
    /// b: all that is known of the step, controls already multiplied.
    pub drift: Array1<f64>,
    /// Q.
    pub noise: Array2<f64>,
}

/// How the hidden vector is measured: z = H·x + ε′ with ε′ ~ N(0, R).
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// H, a row per measured value.
    pub observation: Array2<f64>,
    /// R.
    pub noise: Array2<f64>,
}

/// What a measurement makes of a belief.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    /// The belief with the measurement.
    pub belief: Belief,
    /// The gain K = P·Hᵀ·S⁻¹; a column of zeros for a value that is missing.
    pub gain: Array2<f64>,
    /// z − H·x̂; not a number for a value that is missing.
    pub innovation: Array1<f64>,
    /// The covariance S = H·P·Hᵀ + R of the innovation.
    pub innovation_covariance: Array2<f64>,
    /// ln N(z; H·x̂, S) of the values that are there.
    pub log_likelihood: f64,
}

impl Belief {
    /// A belief with the given mean and covariance.
    pub fn new(mean: Array1<f64>, covariance: Array2<f64>) -> Result<Self> {
        check_covariance("the covariance of a belief", &covariance, mean.len())?;
        check_finite("the mean of a belief", mean.iter())?;
        Ok(Belief { mean, covariance })
    }

    /// Number of values of the hidden vector.
    pub fn dimension(&self) -> usize {
        self.mean.len()
    }

    /// The belief after a step: x̂ = F·x + b, P = F·P·Fᵀ + Q.
    pub fn predict(&self, motion: &Motion) -> Result<Belief> {
        check_shape(
            "the transition",
            &motion.transition,
            (self.dimension(), self.dimension()),
        )?;
        let covariance = motion
            .transition
            .dot(&self.covariance)
            .dot(&motion.transition.t());
        Ok(Belief {
            mean: motion.transition.dot(&self.mean) + &motion.drift,
            covariance: symmetric(covariance + &motion.noise),
        })
    }

    /// The belief with a measurement; values that are not numbers are missing and say nothing.
    ///
    /// The covariance is (I − K·H)·P·(I − K·H)ᵀ + K·R·Kᵀ (Joseph's form), which rounding cannot
    /// make negative, as it can the shorter P − K·H·P.
    pub fn update(&self, measurement: ArrayView1<'_, f64>, sensor: &Sensor) -> Result<Update> {
        let n_values = measurement.len();
        check_shape(
            "the observation",
            &sensor.observation,
            (n_values, self.dimension()),
        )?;
        if let Some(value) = measurement.iter().find(|value| value.is_infinite()) {
            return Err(Error::data(format!(
                "a measurement is {value}; give finite numbers, or NaN where it is missing"
            )));
        }
        let there: Vec<usize> = (0..n_values)
            .filter(|&at| !measurement[at].is_nan())
            .collect();
        let h = sensor.observation.select(Axis(0), &there);
        let r = sensor.noise.select(Axis(0), &there).select(Axis(1), &there);
        let cross = self.covariance.dot(&h.t());
        let spread = symmetric(h.dot(&cross) + &r);
        let difference = measurement.select(Axis(0), &there) - h.dot(&self.mean);
        let mut update = Update {
            belief: self.clone(),
            gain: Array2::zeros((self.dimension(), n_values)),
            innovation: &measurement - &sensor.observation.dot(&self.mean),
            innovation_covariance: symmetric(
                sensor
                    .observation
                    .dot(&self.covariance)
                    .dot(&sensor.observation.t())
                    + &sensor.noise,
            ),
            log_likelihood: 0.0,
        };
        if there.is_empty() {
            return Ok(update);
        }
        let factor = Cholesky::new(spread.view()).map_err(|_| {
            Error::numerical(
                "a measurement is certain already, so that it could only repeat or contradict \
                 what is known; give the sensor some noise",
            )
        })?;
        // K = P·Hᵀ·S⁻¹ as the transpose of S⁻¹·(H·P).
        let gain = factor.solve(cross.t()).reversed_axes();
        let mean = &self.mean + &gain.dot(&difference);
        let rest = Array2::eye(self.dimension()) - gain.dot(&h);
        let covariance = rest.dot(&self.covariance).dot(&rest.t()) + gain.dot(&r).dot(&gain.t());
        update.belief = Belief {
            mean,
            covariance: symmetric(covariance),
        };
        for (column, &at) in there.iter().enumerate() {
            update.gain.column_mut(at).assign(&gain.column(column));
        }
        let distance = difference.dot(&factor.solve_vector(difference.view()));
        let constant = there.len() as f64 * TAU.ln() + factor.log_determinant();
        update.log_likelihood = -0.5 * (constant + distance);
        Ok(update)
    }
}

impl Motion {
    /// A step with the given transition F, drift b and covariance Q of its noise.
    pub fn new(transition: Array2<f64>, drift: Array1<f64>, noise: Array2<f64>) -> Result<Self> {
        check_shape("the transition", &transition, (drift.len(), drift.len()))?;
        check_finite("the motion", transition.iter().chain(&drift))?;
        check_covariance("the noise of a motion", &noise, drift.len())?;
        Ok(Motion {
            transition,
            drift,
            noise,
        })
    }
}

impl Sensor {
    /// A sensor with the given observation H and covariance R of its noise.
    pub fn new(observation: Array2<f64>, noise: Array2<f64>) -> Result<Self> {
        check_finite("the observation", observation.iter())?;
        check_covariance("the noise of a sensor", &noise, observation.nrows())?;
        Ok(Sensor { observation, noise })
    }
}

/// The mean of a matrix and its transpose: what rounding made of a symmetric matrix.
pub(super) fn symmetric(matrix: Array2<f64>) -> Array2<f64> {
    0.5 * (&matrix + &matrix.t())
}

pub(super) fn check_shape(what: &str, matrix: &Array2<f64>, shape: (usize, usize)) -> Result<()> {
    match matrix.dim() == shape {
        true => Ok(()),
        false => Err(Error::data(format!(
            "{what} is {}×{} where {}×{} is needed",
            matrix.nrows(),
            matrix.ncols(),
            shape.0,
            shape.1
        ))),
    }
}

fn check_finite<'a>(what: &str, mut values: impl Iterator<Item = &'a f64>) -> Result<()> {
    match values.find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(Error::data(format!(
            "{what} has an entry {value}; give finite numbers"
        ))),
    }
}

fn check_covariance(what: &str, matrix: &Array2<f64>, n: usize) -> Result<()> {
    check_shape(what, matrix, (n, n))?;
    check_finite(what, matrix.iter())?;
    let largest = matrix
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let differs = |(at, value): ((usize, usize), &f64)| {
        (value - matrix[[at.1, at.0]]).abs() > ASYMMETRY * largest
    };
    let negative = matrix.diag().iter().any(|&variance| variance < 0.0);
    match matrix.indexed_iter().any(differs) || negative {
        false => Ok(()),
        true => Err(Error::data(format!(
            "{what} is not symmetric or has a negative variance; give a covariance matrix"
        ))),
    }
}
