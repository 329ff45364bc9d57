//! Minimisation with second derivatives.

use crate::descent::{Direction, Limits, Point, descend};
use crate::outcome::Log;
use crate::{Curved, LineSearch, Outcome};
use didact_core::{Error, Result, Run, parameters};
use didact_math::linalg::{Cholesky, pseudo_solve, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayView1, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Newton's method: x ← x − t·H⁻¹∇f with the Hessian H.
///
/// Damped, the step t starts at one and is halved until the value falls, and a Hessian that is
/// not positive definite is mended: the signs of its negative eigenvalues are turned, so that the
/// step always leads down. Undamped, every full step is taken as it is, uphill too; it ends where
/// the gradient is zero, which may be a saddle or a maximum. Systems are solved, nothing is
/// inverted.
///
/// ```
/// use didact_optimize::{Newton, Quadratic};
/// use didact_core::Run;
/// use ndarray::array;
/// let mut bowl = Quadratic::new(array![[4.0, 1.0], [1.0, 3.0]], array![1.0, 2.0])?;
/// let outcome = Newton::default().minimise(&mut bowl, &[9.0, -9.0], &Run::new())?;
/// assert_eq!(outcome.iterations(), 1);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Newton {
    /// Whether steps are shortened and bent so that the value falls.
    pub damped: bool,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of the gradient is larger in magnitude.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the value f by at most this much times max(|f|, 1);
    /// zero leaves the decision to the gradient.
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
}

impl Default for Newton {
    fn default() -> Self {
        Newton {
            damped: true,
            max_iter: 200,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
        }
    }
}

impl Newton {
    /// Minimises `objective` from `start`, telling `run` of every iteration.
    pub fn minimise(
        &self,
        objective: &mut dyn Curved,
        start: &[f64],
        run: &Run,
    ) -> Result<Outcome> {
        parameters::check(self)?;
        let limits = Limits {
            max_iter: self.max_iter,
            gradient: self.gradient_tolerance,
            objective: self.objective_tolerance,
            step: 0.0,
        };
        let line_search = match self.damped {
            true => LineSearch::armijo(),
            false => LineSearch::Fixed { step: 1.0 },
        };
        let n = start.len();
        let mut rule = NewtonStep {
            damped: self.damped,
            hessian: Array2::zeros((n, n)),
        };
        descend(objective, start, &mut rule, &line_search, &limits, run)
    }
}

struct NewtonStep {
    damped: bool,
    hessian: Array2<f64>,
}

impl Direction<dyn Curved + '_> for NewtonStep {
    fn choose(
        &mut self,
        objective: &mut (dyn Curved + '_),
        point: &Point,
        log: &mut Log<'_>,
        direction: &mut [f64],
    ) -> Result<f64> {
        log.run.check()?;
        log.evaluations.curvatures += 1;
        objective.hessian(&point.x, &mut self.hessian)?;
        if let Some(value) = self.hessian.iter().find(|value| !value.is_finite()) {
            return Err(Error::numerical(format!(
                "the Hessian has the value {value} at a point where the objective is {}; \
                 every second derivative must be a finite number",
                point.value
            )));
        }
        let gradient = ArrayView1::from(&point.gradient);
        let step = match Cholesky::new(self.hessian.view()) {
            Ok(factor) => factor.solve_vector(gradient),
            Err(_) if self.damped => bent(&self.hessian, gradient)?,
            Err(_) => {
                let right = gradient.insert_axis(Axis(1));
                pseudo_solve(self.hessian.view(), right, None)?
                    .solution
                    .remove_axis(Axis(1))
            }
        };
        direction
            .iter_mut()
            .zip(&step)
            .for_each(|(to, step)| *to = -step);
        Ok(1.0)
    }
}

/// |H|⁻¹g with the eigenvalues of H turned positive and kept away from zero.
fn bent(hessian: &Array2<f64>, gradient: ArrayView1<'_, f64>) -> Result<Array1<f64>> {
    let eigen = symmetric_eigen(hessian.view())?;
    let largest = eigen
        .values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let least = (1e-8 * largest).max(f64::MIN_POSITIVE.sqrt());
    let mut shares = eigen.vectors.t().dot(&gradient);
    for (share, value) in shares.iter_mut().zip(&eigen.values) {
        *share /= value.abs().max(least);
    }
    Ok(eigen.vectors.dot(&shares))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{rosenbrock, rosenbrock_hessian};
    use crate::{Quadratic, Stop, WithHessian};
    use didact_testing::random_matrix;

    /// √(1 + x²): full Newton steps diverge from |x| > 1, damped ones do not.
    fn hyperbola() -> impl Curved {
        WithHessian::new(
            |x: &[f64], gradient: &mut [f64]| {
                gradient[0] = x[0] / x[0].hypot(1.0);
                x[0].hypot(1.0)
            },
            |x: &[f64], hessian: &mut Array2<f64>| hessian[[0, 0]] = x[0].hypot(1.0).powi(-3),
        )
    }

    // 000a:SUP-38 000b:Q21
    #[test]
    fn a_quadratic_takes_one_step() {
        let root = random_matrix(6, 9, 1);
        for damped in [true, false] {
            let mut problem = Quadratic::new(
                root.dot(&root.t()),
                random_matrix(1, 6, 2).row(0).to_owned(),
            )
            .unwrap();
            let method = Newton {
                damped,
                ..Default::default()
            };
            let outcome = method
                .minimise(&mut problem, &[0.0; 6], &Run::new())
                .unwrap();
            assert_eq!((outcome.stop, outcome.iterations()), (Stop::Gradient, 1));
        }
    }

    // 000b:TV-18 000b:Q21
    #[test]
    fn undamped_steps_on_rosenbrock_rise_once_as_published_and_damped_ones_never() {
        // Starting at f = 24.2.
        let published = [4.731884325, 1411.845179, 0.05596551683, 0.3131890761];
        let mut valley = WithHessian::new(rosenbrock, rosenbrock_hessian);
        let method = Newton {
            damped: false,
            ..Default::default()
        };
        let outcome = method
            .minimise(&mut valley, &[-1.2, 1.0], &Run::new())
            .unwrap();
        for (found, expected) in outcome.trace.objectives.iter().zip(published) {
            assert!(
                (found - expected).abs() <= 1e-9 * expected,
                "{found} {expected}"
            );
        }
        let rest = &outcome.trace.objectives[4..];
        assert!(
            (rest[0] - 1.85e-11).abs() < 0.005e-11 && rest[1] < 1e-19,
            "{rest:?}"
        );
        let damped = Newton::default()
            .minimise(&mut valley, &[-1.2, 1.0], &Run::new())
            .unwrap();
        assert_eq!(damped.stop, Stop::Gradient);
        assert!(
            damped
                .trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] <= pair[0])
        );
        assert!(damped.x.iter().all(|x| (x - 1.0).abs() < 1e-6));
    }

    // 002b:ES-06
    #[test]
    fn the_number_of_digits_doubles_with_every_step() {
        let mut valley = WithHessian::new(rosenbrock, rosenbrock_hessian);
        let errors: Vec<f64> = (1..=4)
            .map(|max_iter| {
                let method = Newton {
                    max_iter,
                    ..Default::default()
                };
                let outcome = method
                    .minimise(&mut valley, &[1.1, 1.2], &Run::new())
                    .unwrap();
                (outcome.x[0] - 1.0).hypot(outcome.x[1] - 1.0)
            })
            .collect();
        for pair in errors.windows(2).filter(|pair| pair[1] > 1e-15) {
            assert!(pair[1] <= 20.0 * pair[0] * pair[0], "{errors:?}");
        }
    }

    // 000a:SUP-38
    #[test]
    fn damping_converges_where_full_steps_diverge() {
        let outcome = Newton::default()
            .minimise(&mut hyperbola(), &[5.0], &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Gradient);
        assert!(outcome.x[0].abs() < 1e-8);
        let method = Newton {
            damped: false,
            ..Default::default()
        };
        let outcome = method.minimise(&mut hyperbola(), &[5.0], &Run::new());
        assert!(outcome.is_err() || !outcome.unwrap().is_converged());
    }

    // 000a:SUP-38
    #[test]
    fn a_hessian_that_is_not_positive_definite_still_leads_down() {
        // x⁴ − x²: a maximum at zero, minima at ±1/√2.
        let mut wells = WithHessian::new(
            |x: &[f64], gradient: &mut [f64]| {
                gradient[0] = 4.0 * x[0].powi(3) - 2.0 * x[0];
                x[0].powi(4) - x[0] * x[0]
            },
            |x: &[f64], hessian: &mut Array2<f64>| hessian[[0, 0]] = 12.0 * x[0] * x[0] - 2.0,
        );
        let outcome = Newton::default()
            .minimise(&mut wells, &[0.01], &Run::new())
            .unwrap();
        assert!((outcome.x[0] - 0.5_f64.sqrt()).abs() < 1e-8, "{outcome:?}");
        // Undamped it climbs to the maximum.
        let method = Newton {
            damped: false,
            ..Default::default()
        };
        let outcome = method.minimise(&mut wells, &[0.01], &Run::new()).unwrap();
        assert!(outcome.x[0].abs() < 0.011);
    }
}
