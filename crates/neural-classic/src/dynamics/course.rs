//! The course of potentials over time.

use super::{Drive, LeakyNetwork};
use didact_core::{Error, Result};
use ndarray::{Array1, Array2};

/// How time is cut into steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Straight on for a step: the error falls with the step, which must be well below τ.
    Euler,
    /// Four looks per step (Runge and Kutta): the error falls with the fourth power of the step.
    #[default]
    RungeKutta,
    /// The leak exactly, with what is received constant within a step: exact where it is.
    ExponentialEuler,
}

/// Potentials over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The times.
    pub times: Vec<f64>,
    /// The potentials at each time, one time per row and one unit per column.
    pub potentials: Array2<f64>,
    /// The firing rates that belong to them.
    pub rates: Array2<f64>,
}

/// The potential m(t) = (m₀ − S)·e^(−t/τ) + S of a unit without connections under a constant input.
///
/// ```
/// let potential = didact_neural_classic::step_response(0.0, 1.0, 2.0, 4.0);
/// assert!((potential - 0.864_664_7).abs() < 1e-7);
/// ```
pub fn step_response(start: f64, input: f64, time_constant: f64, time: f64) -> f64 {
    (start - input) * (-time / time_constant).exp() + input
}

impl LeakyNetwork {
    /// Follows the potentials from a start under inputs, one drive per unit, for a number of steps.
    pub fn run(
        &self,
        start: &[f64],
        drives: &[Drive],
        step: f64,
        n_steps: usize,
        integrator: Integrator,
    ) -> Result<Course> {
        self.check("start", start)?;
        if drives.len() != self.n_units() {
            return Err(Error::data(format!(
                "there are {} drives for {} units; give the values of one per unit",
                drives.len(),
                self.n_units()
            )));
        }
        if !(step > 0.0 && step.is_finite()) {
            return Err(Error::parameter("step", step, "it must be above 0"));
        }
        let inputs =
            |time: f64| -> Array1<f64> { drives.iter().map(|drive| drive.at(time)).collect() };
        let mut potentials = Array2::zeros((n_steps + 1, start.len()));
        let mut now = Array1::from(start.to_vec());
        potentials.row_mut(0).assign(&now);
        for index in 1..=n_steps {
            let time = (index - 1) as f64 * step;
            now = self.after(&now, &inputs, time, step, integrator);
            if now.iter().any(|value| !value.is_finite()) {
                return Err(Error::numerical(
                    "the potentials have grown beyond numbers; choose a step well below every \
                     value of the time constants",
                ));
            }
            potentials.row_mut(index).assign(&now);
        }
        let mut rates = potentials.clone();
        for mut row in rates.rows_mut() {
            let value = self.rates(row.view());
            row.assign(&value);
        }
        Ok(Course {
            times: (0..=n_steps).map(|index| index as f64 * step).collect(),
            potentials,
            rates,
        })
    }

    /// The potentials one step later.
    fn after(
        &self,
        now: &Array1<f64>,
        inputs: &impl Fn(f64) -> Array1<f64>,
        time: f64,
        step: f64,
        integrator: Integrator,
    ) -> Array1<f64> {
        let speed = |potentials: &Array1<f64>, time: f64| {
            self.speed(potentials.view(), inputs(time).view())
        };
        match integrator {
            Integrator::Euler => now + &(speed(now, time) * step),
            Integrator::RungeKutta => {
                let middle = time + step / 2.0;
                let first = speed(now, time);
                let second = speed(&(now + &first * (step / 2.0)), middle);
                let third = speed(&(now + &second * (step / 2.0)), middle);
                let fourth = speed(&(now + &third * step), time + step);
                now + &((first + &second * 2.0 + &third * 2.0 + fourth) * (step / 6.0))
            }
            Integrator::ExponentialEuler => {
                let goal = self.received(now.view(), inputs(time).view());
                let left = self.time_constants().mapv(|tau| (-step / tau).exp());
                (now - &goal) * left + &goal
            }
        }
    }
}
