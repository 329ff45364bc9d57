//! What Hebbian learning does on average: differential equations of the weights.

use didact_core::{Error, Result};
use didact_math::linalg::{Eigen, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};

/// What holds the weights of a unit back while they grow by C·w.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Constraint {
    /// Nothing: dw/dt = C·w grows for ever along the first eigenvector.
    #[default]
    None,
    /// Decay: dw/dt = α·C·w − w. Settles only where α·λ_max is exactly one.
    Decay {
        /// The rate α.
        rate: f64,
    },
    /// In proportion to the weights: dw/dt = C·w − (wᵀCw)·w, which keeps the length at one and
    /// ends at the first eigenvector.
    Multiplicative,
    /// The same from every weight: dw/dt = C·w − γ·n with n = (1, …, 1) and γ = nᵀCw/nᵀn, which
    /// keeps the sum; weights stay between 0 and w_max and end there.
    Subtractive {
        /// The upper bound of a weight.
        w_max: f64,
    },
}

/// The average course of the weights of a linear unit whose inputs have the second moments
/// C = E[x·xᵀ].
///
/// ```
/// use didact_neural_classic::{Constraint, HebbianFlow};
/// use ndarray::array;
/// let flow = HebbianFlow::new(array![[1.0, 0.6], [0.6, 0.5]].view())?;
/// let course = flow.course(array![1.0, 0.0].view(), Constraint::Multiplicative, 0.05, 600)?;
/// assert!((course.row(600)[0] - 0.83205).abs() < 1e-5);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct HebbianFlow {
    moments: Array2<f64>,
    eigen: Eigen,
}

impl HebbianFlow {
    /// The flow for inputs with these second moments, a symmetric matrix.
    pub fn new(moments: ArrayView2<'_, f64>) -> Result<Self> {
        let scale = moments.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let symmetric = moments.is_square()
            && !moments.is_empty()
            && (&moments - &moments.t())
                .iter()
                .all(|difference| difference.abs() <= 1e-9 * scale);
        if !symmetric {
            return Err(Error::data(
                "the second moments are not a symmetric matrix of finite values; give E[x·xᵀ], \
                 with one row and one column per input",
            ));
        }
        Ok(HebbianFlow {
            eigen: symmetric_eigen(moments)?,
            moments: moments.to_owned(),
        })
    }

    /// The weights e^(C·t)·w₀ of the unbounded rule after a time.
    pub fn unbounded(&self, start: ArrayView1<'_, f64>, time: f64) -> Result<Array1<f64>> {
        self.grown(start, |value| (value * time).exp())
    }

    /// The weights e^((α·C − I)·t)·w₀ of the rule with decay after a time.
    pub fn decaying(
        &self,
        start: ArrayView1<'_, f64>,
        rate: f64,
        time: f64,
    ) -> Result<Array1<f64>> {
        self.grown(start, |value| ((rate * value - 1.0) * time).exp())
    }

    /// Each component along an eigenvector multiplied by what its eigenvalue makes.
    fn grown(
        &self,
        start: ArrayView1<'_, f64>,
        growth: impl Fn(f64) -> f64,
    ) -> Result<Array1<f64>> {
        self.check(start)?;
        let components = self.eigen.vectors.t().dot(&start) * &self.eigen.values.mapv(growth);
        let weights = self.eigen.vectors.dot(&components);
        finite(weights)
    }

    /// The course of the weights under a constraint, by the method of Runge and Kutta: the start
    /// and the weights after every step, one per row.
    pub fn course(
        &self,
        start: ArrayView1<'_, f64>,
        constraint: Constraint,
        step: f64,
        n_steps: usize,
    ) -> Result<Array2<f64>> {
        self.check(start)?;
        if !(step > 0.0 && step.is_finite()) {
            return Err(Error::parameter("step", step, "it must be above 0"));
        }
        let mut course = Array2::zeros((n_steps + 1, start.len()));
        let mut weights = start.to_owned();
        course.row_mut(0).assign(&weights);
        for index in 1..=n_steps {
            weights = self.step(&weights, constraint, step)?;
            course.row_mut(index).assign(&weights);
        }
        Ok(course)
    }

    fn step(
        &self,
        weights: &Array1<f64>,
        constraint: Constraint,
        step: f64,
    ) -> Result<Array1<f64>> {
        let speed = |weights: &Array1<f64>| self.speed(weights, constraint);
        let first = speed(weights);
        let second = speed(&(weights + &first * (step / 2.0)));
        let third = speed(&(weights + &second * (step / 2.0)));
        let fourth = speed(&(weights + &third * step));
        let mut next = weights + &((first + &second * 2.0 + &third * 2.0 + fourth) * (step / 6.0));
        if let Constraint::Subtractive { w_max } = constraint {
            next.mapv_inplace(|weight| weight.max(0.0).min(w_max));
        }
        finite(next)
    }

    /// dw/dt.
    pub fn speed(&self, weights: &Array1<f64>, constraint: Constraint) -> Array1<f64> {
        let growth = self.moments.dot(weights);
        match constraint {
            Constraint::None => growth,
            Constraint::Decay { rate } => growth * rate - weights,
            Constraint::Multiplicative => {
                let gamma = weights.dot(&growth);
                growth - weights * gamma
            }
            Constraint::Subtractive { .. } => {
                let gamma = growth.mean().unwrap_or(0.0);
                growth - gamma
            }
        }
    }

    /// The variance of the output per squared length of the weights, wᵀCw/wᵀw: largest along the
    /// first eigenvector. Nothing for weights of zeros.
    pub fn rayleigh_quotient(&self, weights: ArrayView1<'_, f64>) -> Result<Option<f64>> {
        self.check(weights)?;
        let square = weights.dot(&weights);
        Ok((square > 0.0).then(|| weights.dot(&self.moments.dot(&weights)) / square))
    }

    /// The angle between the weights and the first eigenvector, from 0 to π/2; the sign of the
    /// weights does not matter. Nothing for weights of zeros.
    pub fn angle_to_first(&self, weights: ArrayView1<'_, f64>) -> Result<Option<f64>> {
        self.check(weights)?;
        let axis = self.eigen.vectors.column(0);
        let along = axis.dot(&weights);
        // The part across, not √(‖w‖² − along²), which would lose the digits of small angles.
        let across = &weights - &(&axis * along);
        let is_zero = weights.iter().all(|&weight| weight == 0.0);
        Ok((!is_zero).then(|| across.dot(&across).sqrt().atan2(along.abs())))
    }

    fn check(&self, weights: ArrayView1<'_, f64>) -> Result<()> {
        let inputs = self.moments.nrows();
        match weights.len() == inputs && weights.iter().all(|weight| weight.is_finite()) {
            true => Ok(()),
            false => Err(Error::data(format!(
                "the weights must be {inputs} finite values; {} were given, or one is not finite",
                weights.len()
            ))),
        }
    }
}

fn finite(weights: Array1<f64>) -> Result<Array1<f64>> {
    match weights.iter().all(|weight| weight.is_finite()) {
        true => Ok(weights),
        false => Err(Error::numerical(
            "the weights have grown beyond numbers; take a shorter time or a constraint",
        )),
    }
}
