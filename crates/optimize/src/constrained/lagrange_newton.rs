//! Newton's method on the conditions of an equality-constrained problem.

use super::{ConstrainedOutcome, Evaluated, Multipliers, Problem};
use crate::Stop;
use crate::programs::kkt_matrix;
use didact_core::{Error, Result, Run, TraceWriter, parameters};
use didact_math::linalg::{Ldlt, pseudo_solve};
use ndarray::{Array1, Array2, Axis, concatenate, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The Lagrange–Newton method for min f(x) where h(x) = 0.
///
/// Each iteration solves [[∇²L, Jᵀ], [J, 0]]·[δ; λ′] = [−∇f; −h] with the Hessian of the Lagrangian
/// and the Jacobian J of h, and takes the whole step: the error is squared each time near a
/// solution, but far from one nothing holds it; use [`Sqp`](crate::Sqp) there. Without
/// constraints it is Newton's method.
///
/// ```
/// use didact_optimize::{LagrangeNewton, Problem};
/// use didact_core::Run;
/// // min x + y on the circle x² + y² = 2: the point (−1, −1) with λ = ½.
/// let mut problem = Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
///     gradient.fill(1.0);
///     x[0] + x[1]
/// })
/// .equality(|x: &[f64], gradient: &mut [f64]| {
///     (gradient[0], gradient[1]) = (2.0 * x[0], 2.0 * x[1]);
///     x[0] * x[0] + x[1] * x[1] - 2.0
/// })
/// .hessian(|_, multipliers, hessian| {
///     hessian.fill(0.0);
///     hessian.diag_mut().fill(2.0 * multipliers.equality[0]);
/// });
/// let outcome = LagrangeNewton::default().minimise(&mut problem, &[-1.2, -0.8], &Run::new())?;
/// assert!((outcome.x[0] + 1.0).abs() < 1e-8 && (outcome.multipliers.equality[0] - 0.5).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LagrangeNewton {
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when the length of (∇L, h) is at most this.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
}

impl Default for LagrangeNewton {
    fn default() -> Self {
        LagrangeNewton {
            max_iter: 100,
            tolerance: 1e-10,
        }
    }
}

impl LagrangeNewton {
    /// Solves the problem from `start` and the multipliers that fit best there, telling `run` of
    /// every iteration; the trace has ‖(∇L, h)‖ at the start and after each.
    pub fn minimise(
        &self,
        problem: &mut Problem<'_>,
        start: &[f64],
        run: &Run,
    ) -> Result<ConstrainedOutcome> {
        parameters::check(self)?;
        if problem.n_constraints().1 > 0 {
            return Err(Error::unsupported(
                "Lagrange–Newton takes equalities only; use Sqp for inequalities",
            ));
        }
        let n = problem.dimension();
        let mut x = Array1::from(start.to_vec());
        let mut at = problem.evaluate(start)?;
        if !at.is_finite() {
            return Err(Error::numerical(
                "the objective or a constraint is not finite at the start; start elsewhere",
            ));
        }
        let mut multipliers = least_squares_multipliers(&at)?;
        let mut trace = TraceWriter::new(run, "KKT residual", Some(self.max_iter + 1));
        let mut hessian = Array2::zeros((n, n));
        let stop = loop {
            let error = residual(&at, &multipliers);
            trace.record(error)?;
            if error <= self.tolerance {
                break Stop::Gradient;
            }
            if trace.n_iter() > self.max_iter {
                break Stop::IterationLimit;
            }
            if !problem.write_hessian(&x.to_vec(), &multipliers, &mut hessian) {
                return Err(Error::unsupported(
                    "Lagrange–Newton needs the Hessian of the Lagrangian; give it with \
                     Problem::hessian or use Sqp, which approximates it",
                ));
            }
            let system = kkt_matrix(hessian.view(), at.equality_jacobian.view());
            let right: Array1<f64> = at
                .gradient
                .iter()
                .chain(&at.equalities)
                .map(|value| -value)
                .collect();
            let both = match Ldlt::new(system.view())?.solve_vector(right.view()) {
                Ok(both) => both,
                // Dependent constraints: the shortest of the steps that fit best.
                Err(_) => pseudo_solve(system.view(), right.view().insert_axis(Axis(1)), None)?
                    .solution
                    .remove_axis(Axis(1)),
            };
            x += &both.slice(s![..n]);
            multipliers.equality = both.slice(s![n..]).to_vec();
            let next = match x.iter().all(|value| value.is_finite()) {
                true => problem.evaluate(&x.to_vec())?,
                false => break Stop::Diverged,
            };
            if !next.is_finite() {
                break Stop::Diverged;
            }
            at = next;
        };
        Ok(ConstrainedOutcome {
            x: x.to_vec(),
            value: at.value,
            kkt: at.kkt(&multipliers),
            multipliers,
            stop,
            trace: trace.finish(stop.into()),
            warnings: Vec::new(),
        })
    }
}

/// ‖(∇L, h)‖₂.
fn residual(at: &Evaluated, multipliers: &Multipliers) -> f64 {
    let slope = at.lagrangian_gradient(multipliers);
    let all = concatenate![Axis(0), slope, Array1::from(at.equalities.clone())];
    crate::outcome::norm(&all.to_vec())
}

/// The multipliers for which ∇f + Σλᵢ∇hᵢ is shortest.
pub(super) fn least_squares_multipliers(at: &Evaluated) -> Result<Multipliers> {
    let m = at.equalities.len();
    if m == 0 {
        return Ok(Multipliers {
            equality: vec![],
            inequality: vec![0.0; at.inequalities.len()],
        });
    }
    let right = at.gradient.mapv(|g| -g).insert_axis(Axis(1));
    let solved = pseudo_solve(at.equality_jacobian.t(), right.view(), None)?;
    Ok(Multipliers {
        equality: solved.solution.column(0).to_vec(),
        inequality: vec![0.0; at.inequalities.len()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{rosenbrock, rosenbrock_hessian};
    use crate::{Newton, WithHessian};

    /// exp(x₁x₂x₃x₄x₅) − ½(x₁³ + x₂³ + 1)² where Σx² = 10, x₂x₃ = 5x₄x₅, x₁³ + x₂³ = −1.
    fn published() -> Problem<'static> {
        Problem::new(5, |x: &[f64], gradient: &mut [f64]| {
            let product = x.iter().product::<f64>().exp();
            let cubes = x[0].powi(3) + x[1].powi(3) + 1.0;
            for i in 0..5 {
                let others: f64 = (0..5).filter(|&j| j != i).map(|j| x[j]).product();
                gradient[i] = product * others;
            }
            gradient[0] -= 3.0 * x[0] * x[0] * cubes;
            gradient[1] -= 3.0 * x[1] * x[1] * cubes;
            product - 0.5 * cubes * cubes
        })
        .equality(|x: &[f64], gradient: &mut [f64]| {
            (0..5).for_each(|i| gradient[i] = 2.0 * x[i]);
            x.iter().map(|x| x * x).sum::<f64>() - 10.0
        })
        .equality(|x: &[f64], gradient: &mut [f64]| {
            gradient.copy_from_slice(&[0.0, x[2], x[1], -5.0 * x[4], -5.0 * x[3]]);
            x[1] * x[2] - 5.0 * x[3] * x[4]
        })
        .equality(|x: &[f64], gradient: &mut [f64]| {
            gradient.copy_from_slice(&[3.0 * x[0] * x[0], 3.0 * x[1] * x[1], 0.0, 0.0, 0.0]);
            x[0].powi(3) + x[1].powi(3) + 1.0
        })
        .hessian(|x, multipliers, hessian| {
            let all: f64 = x.iter().product();
            let product = all.exp();
            let cubes = x[0].powi(3) + x[1].powi(3) + 1.0;
            let without = |i: usize, j: usize| -> f64 {
                (0..5).filter(|&k| k != i && k != j).map(|k| x[k]).product()
            };
            let lambda = &multipliers.equality;
            for i in 0..5 {
                for j in 0..5 {
                    let pair = without(i, i) * without(j, j);
                    let mixed = if i == j { 0.0 } else { without(i, j) };
                    hessian[[i, j]] = product * (pair + mixed);
                }
                hessian[[i, i]] += 2.0 * lambda[0];
            }
            for i in 0..2 {
                hessian[[i, i]] += 6.0 * x[i] * (lambda[2] - cubes);
                for j in 0..2 {
                    hessian[[i, j]] -= 9.0 * x[i] * x[i] * x[j] * x[j];
                }
            }
            hessian[[1, 2]] += lambda[1];
            hessian[[2, 1]] += lambda[1];
            hessian[[3, 4]] -= 5.0 * lambda[1];
            hessian[[4, 3]] -= 5.0 * lambda[1];
        })
    }

    const START: [f64; 5] = [-1.8, 1.7, 1.9, -0.8, -0.8];

    // 000b:TV-16 000b:Q12
    #[test]
    fn the_residuals_fall_as_published() {
        let mut problem = published();
        let at = problem.evaluate(&START).unwrap();
        let first = least_squares_multipliers(&at).unwrap().equality;
        let expected = [0.020_796_193_13, -0.019_798_867_65, 0.083_439_124_15];
        for (found, expected) in first.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-10, "{first:?}");
        }
        let outcome = LagrangeNewton::default()
            .minimise(&mut problem, &START, &Run::new())
            .unwrap();
        let residuals = &outcome.trace.objectives;
        for (found, expected) in residuals
            .iter()
            .zip([1.0237, 0.21623, 0.0038528, 5.6298e-6])
        {
            assert!((found - expected).abs() < 1e-4 * expected, "{residuals:?}");
        }
        assert!(residuals[4] < 1e-11 && outcome.stop == Stop::Gradient);
        let solution = [
            -1.717_143_570_39,
            1.595_709_690_18,
            1.827_245_752_93,
            -0.763_643_078_184,
            -0.763_643_078_184,
        ];
        for (found, expected) in outcome.x.iter().zip(solution) {
            assert!((found - expected).abs() < 1e-10);
        }
        let lambda = [0.040_162_744_65, -0.037_957_774_4, 0.005_222_643_331];
        for (found, expected) in outcome.multipliers.equality.iter().zip(lambda) {
            assert!((found - expected).abs() < 1e-10);
        }
        assert!((outcome.value - 0.053_949_847_770_3).abs() < 1e-12);
    }

    // 000b:Q12
    #[test]
    fn without_constraints_it_is_newtons_method() {
        let mut problem =
            Problem::new(2, rosenbrock).hessian(|x, _, hessian| rosenbrock_hessian(x, hessian));
        let method = LagrangeNewton {
            max_iter: 3,
            tolerance: 0.0,
        };
        let outcome = method
            .minimise(&mut problem, &[-1.2, 1.0], &Run::new())
            .unwrap();
        let newton = Newton {
            damped: false,
            max_iter: 3,
            ..Default::default()
        };
        let mut valley = WithHessian::new(rosenbrock, rosenbrock_hessian);
        let expected = newton
            .minimise(&mut valley, &[-1.2, 1.0], &Run::new())
            .unwrap();
        for (found, expected) in outcome.x.iter().zip(&expected.x) {
            assert!((found - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn what_it_cannot_do_is_said() {
        let mut problem = published().inequality(|x: &[f64], gradient: &mut [f64]| {
            gradient.fill(0.0);
            gradient[0] = 1.0;
            x[0]
        });
        let error = LagrangeNewton::default()
            .minimise(&mut problem, &START, &Run::new())
            .unwrap_err();
        assert!(error.to_string().contains("equalities only"));
        let mut plain = Problem::new(2, rosenbrock);
        let error = LagrangeNewton::default().minimise(&mut plain, &[0.0, 0.0], &Run::new());
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("Hessian of the Lagrangian")
        );
    }
}
