//! Minimisation with second derivatives.

use super::{Outcome, check_start, has_settled, largest_magnitude};
use didact_core::{Result, StopReason};
use didact_math::numeric::dot;

/// The value must fall by this share of what the slope promises.
const ARMIJO: f64 = 1e-4;
/// Halvings of the step after which no descent is possible in floating point.
const HALVINGS: usize = 50;

/// A function that [`newton`] can minimise.
pub trait NewtonProblem {
    /// The value at a point.
    fn value(&mut self, x: &[f64]) -> Result<f64>;

    /// Writes the gradient g and the Newton step −H⁻¹g at a point, and returns the value there.
    ///
    /// The step must point downhill; a Hessian that is not positive definite needs a ridge.
    fn step(&mut self, x: &[f64], gradient: &mut [f64], step: &mut [f64]) -> Result<f64>;
}

/// When [`newton`] stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of the gradient is larger in magnitude.
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the value f by at most this much times max(|f|, 1);
    /// zero leaves the decision to the gradient.
    pub objective_tolerance: f64,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions {
            max_iter: 100,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
        }
    }
}

/// Minimises a function by Newton's method, halving steps that do not lower the value enough.
///
/// `on_iteration` is told the value after each iteration and may stop everything with an error.
///
/// ```
/// use didact_optimize::{newton, NewtonOptions, NewtonProblem};
/// /// eˣ − 2x, least at ln 2.
/// struct Curve;
/// impl NewtonProblem for Curve {
///     fn value(&mut self, x: &[f64]) -> didact_core::Result<f64> {
///         Ok(x[0].exp() - 2.0 * x[0])
///     }
///     fn step(&mut self, x: &[f64], gradient: &mut [f64], step: &mut [f64]) -> didact_core::Result<f64> {
///         gradient[0] = x[0].exp() - 2.0;
///         step[0] = -gradient[0] / x[0].exp();
///         self.value(x)
///     }
/// }
/// let outcome = newton(&mut Curve, vec![0.0], &NewtonOptions::default(), |_| Ok(()))?;
/// assert!((outcome.x[0] - 2.0_f64.ln()).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn newton(
    problem: &mut impl NewtonProblem,
    start: Vec<f64>,
    options: &NewtonOptions,
    mut on_iteration: impl FnMut(f64) -> Result<()>,
) -> Result<Outcome> {
    let n = start.len();
    let mut x = start;
    let (mut gradient, mut step, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut value = problem.step(&x, &mut gradient, &mut step)?;
    check_start(value, &gradient)?;
    let mut iterations = 0;
    let stop = loop {
        if largest_magnitude(&gradient) <= options.gradient_tolerance {
            break StopReason::Converged;
        }
        if iterations == options.max_iter {
            break StopReason::IterationLimit;
        }
        let Some(lower) = backtrack(problem, &x, value, dot(&gradient, &step), &step, &mut next)?
        else {
            break StopReason::Stalled;
        };
        std::mem::swap(&mut x, &mut next);
        let before = std::mem::replace(&mut value, lower);
        iterations += 1;
        on_iteration(value)?;
        problem.step(&x, &mut gradient, &mut step)?;
        if has_settled(before, value, options.objective_tolerance) {
            break StopReason::Converged;
        }
    };
    Ok(Outcome {
        gradient_norm: largest_magnitude(&gradient),
        x,
        value,
        iterations,
        stop,
    })
}

/// Leaves in `next` the first of x + step, x + step/2, … that lowers the value enough, and
/// returns the value there; none where none does.
fn backtrack(
    problem: &mut impl NewtonProblem,
    x: &[f64],
    value: f64,
    slope: f64,
    step: &[f64],
    next: &mut [f64],
) -> Result<Option<f64>> {
    if slope.is_nan() || slope >= 0.0 {
        return Ok(None);
    }
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        for i in 0..x.len() {
            next[i] = x[i] + length * step[i];
        }
        if next == x {
            return Ok(None);
        }
        let lower = problem.value(next)?;
        if lower <= value + ARMIJO * length * slope {
            return Ok(Some(lower));
        }
        length *= 0.5;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, random_matrix};
    use didact_core::Error;
    use didact_math::linalg::Cholesky;
    use ndarray::{Array1, Array2, ArrayView1};

    /// ½xᵀAx − bᵀx.
    struct Quadratic {
        matrix: Array2<f64>,
        target: Array1<f64>,
    }

    impl NewtonProblem for Quadratic {
        fn value(&mut self, x: &[f64]) -> Result<f64> {
            let x = ArrayView1::from(x);
            Ok(0.5 * x.dot(&self.matrix.dot(&x)) - self.target.dot(&x))
        }

        fn step(&mut self, x: &[f64], gradient: &mut [f64], step: &mut [f64]) -> Result<f64> {
            let slope = self.matrix.dot(&ArrayView1::from(x)) - &self.target;
            let solution = Cholesky::new(self.matrix.view())?.solve_vector(slope.view());
            for i in 0..x.len() {
                (gradient[i], step[i]) = (slope[i], -solution[i]);
            }
            self.value(x)
        }
    }

    /// √(1 + x²): full Newton steps diverge from |x| > 1, damped ones do not.
    struct Hyperbola;

    impl NewtonProblem for Hyperbola {
        fn value(&mut self, x: &[f64]) -> Result<f64> {
            Ok(x[0].hypot(1.0))
        }

        fn step(&mut self, x: &[f64], gradient: &mut [f64], step: &mut [f64]) -> Result<f64> {
            let root = x[0].hypot(1.0);
            gradient[0] = x[0] / root;
            step[0] = -gradient[0] * root.powi(3);
            self.value(x)
        }
    }

    #[test]
    fn a_quadratic_takes_one_step() {
        let root = random_matrix(6, 9, 1);
        let mut problem = Quadratic {
            matrix: root.dot(&root.t()),
            target: random_matrix(1, 6, 2).row(0).to_owned(),
        };
        let outcome = newton(
            &mut problem,
            vec![0.0; 6],
            &NewtonOptions::default(),
            |_| Ok(()),
        )
        .unwrap();
        assert_eq!(
            (outcome.stop, outcome.iterations),
            (StopReason::Converged, 1)
        );
        assert_close(
            &problem.matrix.dot(&Array1::from(outcome.x)),
            &problem.target,
            1e-9,
        );
    }

    #[test]
    fn damping_converges_where_full_steps_diverge() {
        let outcome = newton(&mut Hyperbola, vec![5.0], &NewtonOptions::default(), |_| {
            Ok(())
        })
        .unwrap();
        assert_eq!(outcome.stop, StopReason::Converged);
        assert!(outcome.x[0].abs() < 1e-8);
    }

    #[test]
    fn the_reason_to_stop_is_told_honestly() {
        let limit = NewtonOptions {
            max_iter: 1,
            ..Default::default()
        };
        let outcome = newton(&mut Hyperbola, vec![5.0], &limit, |_| Ok(())).unwrap();
        assert_eq!(outcome.stop, StopReason::IterationLimit);
        struct Uphill;
        impl NewtonProblem for Uphill {
            fn value(&mut self, x: &[f64]) -> Result<f64> {
                Ok(x[0])
            }
            fn step(&mut self, x: &[f64], gradient: &mut [f64], step: &mut [f64]) -> Result<f64> {
                (gradient[0], step[0]) = (1.0, 1.0);
                self.value(x)
            }
        }
        let outcome = newton(
            &mut Uphill,
            vec![0.0],
            &NewtonOptions::default(),
            |_| Ok(()),
        )
        .unwrap();
        assert_eq!(outcome.stop, StopReason::Stalled);
        let stopped = newton(&mut Hyperbola, vec![5.0], &NewtonOptions::default(), |_| {
            Err(Error::Cancelled)
        });
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }
}
