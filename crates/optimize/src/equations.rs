//! Newton's method for systems of equations.

use crate::outcome::{Log, check_point, largest_magnitude, move_along, norm};
use crate::{Outcome, Residuals, Stop};
use didact_core::{Error, Result, Run, parameters};
use didact_math::linalg::pseudo_solve;
use didact_math::numeric::dot;
use ndarray::{Array2, ArrayView1, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Halvings of a step after which no descent is possible in floating point.
const HALVINGS: usize = 40;

/// Newton's method for F(x) = 0: J(x)·Δ = −F(x), x ← x + Δ.
///
/// The step is solved for by least squares, never by an inverse; where J is singular, or there
/// are more or fewer equations than unknowns, it is the shortest step that fits best. Damped, it
/// is halved until ‖F‖ falls. The outcome's value is ½‖F‖², its gradient norm the largest |F|.
///
/// ```
/// use didact_optimize::{NewtonEquations, residuals};
/// use didact_core::Run;
/// use ndarray::array;
/// // x² + y² = 4, x·y = 1.
/// let mut equations = residuals(
///     2,
///     |x: &[f64], f: &mut [f64]| {
///         (f[0], f[1]) = (x[0] * x[0] + x[1] * x[1] - 4.0, x[0] * x[1] - 1.0);
///     },
///     |x, jacobian| jacobian.assign(&array![[2.0 * x[0], 2.0 * x[1]], [x[1], x[0]]]),
/// );
/// let outcome = NewtonEquations::default().solve(&mut equations, &[2.0, 0.5], &Run::new())?;
/// assert!((outcome.x[0] - 1.93185165257814).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewtonEquations {
    /// Whether steps are shortened so that ‖F‖ falls.
    pub damped: bool,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no equation is off by more.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
}

impl Default for NewtonEquations {
    fn default() -> Self {
        NewtonEquations {
            damped: true,
            max_iter: 100,
            tolerance: 1e-12,
        }
    }
}

impl NewtonEquations {
    /// Looks for a root from `start`, telling `run` of every iteration.
    pub fn solve(
        &self,
        equations: &mut dyn Residuals,
        start: &[f64],
        run: &Run,
    ) -> Result<Outcome> {
        parameters::check(self)?;
        check_point(start)?;
        let (m, n) = (equations.len(), start.len());
        let mut log = Log::new(run, self.max_iter);
        let mut x = start.to_vec();
        let (mut f, mut next_f) = (vec![0.0; m], vec![0.0; m]);
        let mut jacobian = Array2::zeros((m, n));
        let mut next = x.clone();
        evaluate(equations, &mut log, &x, &mut f)?;
        if !largest_magnitude(&f).is_finite() {
            return Err(Error::numerical(
                "an equation is not finite at the start; start at a point where all have a value",
            ));
        }
        let stop = loop {
            if largest_magnitude(&f) <= self.tolerance {
                break Stop::Gradient;
            }
            if log.trace.n_iter() == self.max_iter {
                break Stop::IterationLimit;
            }
            log.evaluations.curvatures += 1;
            equations.jacobian(&x, &mut jacobian)?;
            let right = ArrayView1::from(&f).insert_axis(Axis(1));
            let step = pseudo_solve(jacobian.view(), right, None)?
                .solution
                .column(0)
                .mapv(|d| -d);
            let step = step.to_vec();
            let mut length = 1.0;
            let mut halvings = 0;
            let accepted = loop {
                move_along(&x, length, &step, &mut next);
                evaluate(equations, &mut log, &next, &mut next_f)?;
                let is_finite = largest_magnitude(&next_f).is_finite();
                // ‖F‖ must fall by a share of what the linear model promises.
                let falls = norm(&next_f) <= (1.0 - 1e-4 * length) * norm(&f);
                if is_finite && (falls || !self.damped) {
                    break true;
                }
                if !self.damped || halvings == HALVINGS || next == x {
                    break false;
                }
                length *= 0.5;
                halvings += 1;
            };
            if !accepted {
                break if self.damped {
                    Stop::Stalled
                } else {
                    Stop::Diverged
                };
            }
            std::mem::swap(&mut x, &mut next);
            std::mem::swap(&mut f, &mut next_f);
            log.trace.record(0.5 * dot(&f, &f))?;
        };
        Ok(log.finish(x, 0.5 * dot(&f, &f), largest_magnitude(&f), stop))
    }
}

fn evaluate(
    equations: &mut dyn Residuals,
    log: &mut Log<'_>,
    x: &[f64],
    f: &mut [f64],
) -> Result<()> {
    log.run.check()?;
    log.evaluations.values += 1;
    equations.residuals(x, f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::residuals;
    use ndarray::array;

    fn circle_and_hyperbola() -> impl Residuals {
        residuals(
            2,
            |x: &[f64], f: &mut [f64]| {
                (f[0], f[1]) = (x[0] * x[0] + x[1] * x[1] - 4.0, x[0] * x[1] - 1.0);
            },
            |x: &[f64], jacobian: &mut Array2<f64>| {
                jacobian.assign(&array![[2.0 * x[0], 2.0 * x[1]], [x[1], x[0]]]);
            },
        )
    }

    // 000b:TV-18 000b:Q19
    #[test]
    fn the_iterates_are_the_published_ones() {
        let published = [
            [1.933_333_333_333_333, 0.516_666_666_666_667],
            [1.931_852_741_096_44, 0.517_637_054_821_929],
            [1.931_851_652_578_93, 0.517_638_090_204_244],
        ];
        for damped in [true, false] {
            for (max_iter, expected) in (1..).zip(published) {
                let method = NewtonEquations {
                    damped,
                    max_iter,
                    ..Default::default()
                };
                let outcome = method
                    .solve(&mut circle_and_hyperbola(), &[2.0, 0.5], &Run::new())
                    .unwrap();
                for i in 0..2 {
                    assert!(
                        (outcome.x[i] - expected[i]).abs() < 1e-14,
                        "{:?}",
                        outcome.x
                    );
                }
            }
        }
        let method = NewtonEquations::default();
        let end = method
            .solve(&mut circle_and_hyperbola(), &[2.0, 0.5], &Run::new())
            .unwrap();
        assert_eq!(end.stop, Stop::Gradient);
        assert!((end.x[0] - 1.931_851_652_578_14).abs() < 1e-13);
        assert!((end.x[1] - 0.517_638_090_205_042).abs() < 1e-13);
    }

    // 000b:Q20 000b:Q19
    #[test]
    fn a_singular_jacobian_takes_the_least_squares_step() {
        // Twice the same equation: J has rank one everywhere, the nearest root is wanted.
        let mut equations = residuals(
            2,
            |x: &[f64], f: &mut [f64]| f.fill(x[0] + x[1] - 2.0),
            |_: &[f64], jacobian: &mut Array2<f64>| jacobian.fill(1.0),
        );
        let outcome = NewtonEquations::default()
            .solve(&mut equations, &[0.0, 0.0], &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Gradient);
        assert!(outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-12));
    }

    #[test]
    fn damping_finds_the_root_where_full_steps_run_away() {
        // atan x = 0 from 2: full steps alternate and grow.
        let problem = || {
            residuals(
                1,
                |x: &[f64], f: &mut [f64]| f[0] = x[0].atan(),
                |x: &[f64], jacobian: &mut Array2<f64>| {
                    jacobian[[0, 0]] = 1.0 / (1.0 + x[0] * x[0]);
                },
            )
        };
        let damped = NewtonEquations::default();
        let outcome = damped.solve(&mut problem(), &[2.0], &Run::new()).unwrap();
        assert!(outcome.stop == Stop::Gradient && outcome.x[0].abs() < 1e-12);
        let full = NewtonEquations {
            damped: false,
            max_iter: 5,
            ..damped
        };
        let outcome = full.solve(&mut problem(), &[2.0], &Run::new());
        assert!(outcome.map_or(true, |outcome| outcome.gradient_norm > 1.0));
    }

    #[test]
    fn equations_without_root_end_as_stalled_and_a_bad_start_is_an_error() {
        let mut none = residuals(
            1,
            |x: &[f64], f: &mut [f64]| f[0] = x[0] * x[0] + 1.0,
            |x: &[f64], jacobian: &mut Array2<f64>| jacobian[[0, 0]] = 2.0 * x[0],
        );
        let outcome = NewtonEquations::default()
            .solve(&mut none, &[1.0], &Run::new())
            .unwrap();
        assert!(!outcome.is_converged());
        let mut nan = residuals(
            1,
            |_: &[f64], f: &mut [f64]| f[0] = f64::NAN,
            |_: &[f64], _: &mut Array2<f64>| {},
        );
        assert!(
            NewtonEquations::default()
                .solve(&mut nan, &[1.0], &Run::new())
                .is_err()
        );
    }
}
