//! The network of leaky integrators.

use didact_core::{Error, Result};
use didact_math::numeric::{sigmoid, x_log_x};
use ndarray::{Array1, Array2, ArrayView1};

/// Leaky integrators: units with a potential m that leaks away and a firing rate x.
///
/// τᵢ·dmᵢ/dt = −mᵢ + Σⱼ w_ij·xⱼ + Sᵢ and xᵢ = 1/(1 + e^(−Dᵢ(mᵢ + bᵢ))). Without input a potential decays
/// as e^(−t/τ). A network of them is Hopfield's in continuous time; with symmetric weights its
/// energy never rises.
///
/// ```
/// use didact_neural_classic::{Drive, Integrator, LeakyNetwork};
/// use ndarray::array;
/// let unit = LeakyNetwork::new(array![2.0], array![[0.0]], array![0.0], array![1.0])?;
/// let course = unit.run(&[0.0], &[Drive::Constant(1.0)], 0.01, 200, Integrator::RungeKutta)?;
/// // After one time constant, 1 − 1/e of the way.
/// assert!((course.potentials[[200, 0]] - 0.632_120_56).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LeakyNetwork {
    time_constants: Array1<f64>,
    weights: Array2<f64>,
    biases: Array1<f64>,
    slopes: Array1<f64>,
}

impl LeakyNetwork {
    /// A network of units with time constants τ, weights (a row for each unit that receives),
    /// biases b and slopes D.
    pub fn new(
        time_constants: Array1<f64>,
        weights: Array2<f64>,
        biases: Array1<f64>,
        slopes: Array1<f64>,
    ) -> Result<Self> {
        let n = time_constants.len();
        if n == 0 || weights.dim() != (n, n) || biases.len() != n || slopes.len() != n {
            return Err(Error::data(format!(
                "there are {n} time constants, {}×{} weights, {} biases and {} slopes; give one \
                 value, one row and one column of weights per unit",
                weights.nrows(),
                weights.ncols(),
                biases.len(),
                slopes.len()
            )));
        }
        for (name, values) in [("time_constants", &time_constants), ("slopes", &slopes)] {
            let bad = values.iter().find(|v| !(**v > 0.0 && v.is_finite()));
            if let Some(value) = bad {
                return Err(Error::parameter(name, value, "each must be above 0"));
            }
        }
        if weights
            .iter()
            .chain(&biases)
            .any(|value| !value.is_finite())
        {
            return Err(Error::data(
                "a value of the weights or biases is not finite; give finite values",
            ));
        }
        Ok(LeakyNetwork {
            time_constants,
            weights,
            biases,
            slopes,
        })
    }

    /// Number of units.
    pub fn n_units(&self) -> usize {
        self.biases.len()
    }

    /// The weights, a row for each unit that receives.
    pub fn weights(&self) -> &Array2<f64> {
        &self.weights
    }

    /// The biases.
    pub fn biases(&self) -> &Array1<f64> {
        &self.biases
    }

    /// The slopes.
    pub fn slopes(&self) -> &Array1<f64> {
        &self.slopes
    }

    /// The time constants.
    pub fn time_constants(&self) -> &Array1<f64> {
        &self.time_constants
    }

    /// The firing rates that belong to potentials.
    pub fn rates(&self, potentials: ArrayView1<'_, f64>) -> Array1<f64> {
        let sums = (&potentials + &self.biases) * &self.slopes;
        sums.mapv(sigmoid)
    }

    /// What every unit receives: Σⱼ w_ij·xⱼ + Sᵢ.
    pub fn received(
        &self,
        potentials: ArrayView1<'_, f64>,
        inputs: ArrayView1<'_, f64>,
    ) -> Array1<f64> {
        self.weights.dot(&self.rates(potentials)) + inputs
    }

    /// dm/dt.
    pub fn speed(
        &self,
        potentials: ArrayView1<'_, f64>,
        inputs: ArrayView1<'_, f64>,
    ) -> Array1<f64> {
        (self.received(potentials, inputs) - potentials) / &self.time_constants
    }

    /// The Jacobian diag(1/τ)·(−I + W·diag(D·x·(1 − x))) of the speed.
    pub fn jacobian(&self, potentials: ArrayView1<'_, f64>) -> Array2<f64> {
        let gains = self.gains(potentials);
        Array2::from_shape_fn(self.weights.dim(), |(i, j)| {
            let leak = f64::from(i == j);
            (self.weights[[i, j]] * gains[j] - leak) / self.time_constants[i]
        })
    }

    /// The derivatives D·x·(1 − x) of the rates.
    pub(super) fn gains(&self, potentials: ArrayView1<'_, f64>) -> Array1<f64> {
        let rates = self.rates(potentials);
        &self.slopes * &rates.mapv(|rate| rate * (1.0 - rate))
    }

    /// The energy −½xᵀWx − S·x + Σ[(x·ln x + (1 − x)·ln(1 − x))/D − b·x], which never rises where
    /// the weights are symmetric; an error where they are not.
    pub fn energy(
        &self,
        potentials: ArrayView1<'_, f64>,
        inputs: ArrayView1<'_, f64>,
    ) -> Result<f64> {
        if self.weights != self.weights.t() {
            return Err(Error::unsupported(
                "the weights are not symmetric; only a network with equal weights both ways has \
                 an energy",
            ));
        }
        let rates = self.rates(potentials);
        let quadratic = -0.5 * rates.dot(&self.weights.dot(&rates)) - inputs.dot(&rates);
        let leak: f64 = rates
            .iter()
            .zip(&self.slopes)
            .zip(&self.biases)
            .map(|((&x, slope), bias)| (x_log_x(x) + x_log_x(1.0 - x)) / slope - bias * x)
            .sum();
        Ok(quadratic + leak)
    }

    /// Fails unless there are as many finite values as units.
    pub(super) fn check(&self, what: &str, values: &[f64]) -> Result<()> {
        let n = self.n_units();
        match values.len() == n && values.iter().all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err(Error::data(format!(
                "the {what} must be {n} finite values, one per unit; {} were given, or one is not \
                 finite",
                values.len()
            ))),
        }
    }
}
