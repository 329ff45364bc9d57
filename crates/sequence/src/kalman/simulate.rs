//! Drawing hidden vectors and their measurements.

use super::filter::KalmanFilter;
use didact_core::Result;
use didact_core::random::{Generator, generator};
use didact_math::linalg::symmetric_power;
use ndarray::{Array1, Array2};
use rand_distr::{Distribution, StandardNormal};

/// Drawn hidden vectors and what was measured of them, one of each per step.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The hidden vectors.
    pub states: Vec<Array1<f64>>,
    /// The measurements.
    pub measurements: Vec<Array1<f64>>,
}

impl KalmanFilter {
    /// Hidden vectors and their measurements for so many steps; the same seed draws the same.
    pub fn simulate(&self, n_steps: usize, seed: u64) -> Result<Simulated> {
        let random = &mut generator(seed, 0);
        let mut state = &self.start.mean + &noise(&self.start.covariance, random)?;
        let (mut states, mut measurements) = (Vec::new(), Vec::new());
        for step in 0..n_steps {
            let (motion, sensor) = (self.motion(step)?, self.sensor(step)?);
            state = motion.transition.dot(&state) + &motion.drift + noise(&motion.noise, random)?;
            measurements.push(sensor.observation.dot(&state) + noise(&sensor.noise, random)?);
            states.push(state.clone());
        }
        Ok(Simulated {
            states,
            measurements,
        })
    }
}

/// A draw from N(0, covariance), by the symmetric root, which singular covariances have too.
fn noise(covariance: &Array2<f64>, random: &mut Generator) -> Result<Array1<f64>> {
    let root = symmetric_power(covariance.view(), 0.5)?;
    let draws: Array1<f64> =
        Array1::from_shape_fn(covariance.nrows(), |_| StandardNormal.sample(random));
    Ok(root.dot(&draws))
}
