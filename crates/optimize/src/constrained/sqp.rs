//! Sequential quadratic programming.

use super::lagrange_newton::least_squares_multipliers;
use super::{ConstrainedOutcome, Evaluated, Multipliers, Problem};
use crate::Stop;
use crate::programs::{ActiveSet, ProgramSolution, QuadraticProgram, Verdict};
use didact_core::{Error, Result, Run, TraceWriter, parameters};
use didact_math::linalg::symmetric_eigen;
use ndarray::{Array1, Array2, Axis, concatenate, s};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Halvings of a step after which no progress is possible in floating point.
const HALVINGS: usize = 30;

/// How the linearised inequalities enter the quadratic program of each iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InequalityForm {
    /// g + ∇g·p ≤ 0.
    #[default]
    Direct,
    /// g + ∇g·p + z = 0 with slacks z ≥ 0: the same steps, by a larger program.
    Slack,
}

/// Sequential quadratic programming for min f(x) where h(x) = 0 and g(x) ≤ 0.
///
/// Each iteration solves min ½pᵀBp + ∇f·p where h + ∇h·p = 0 and g + ∇g·p ≤ 0 by the active-set
/// method; its multipliers are the new ones. B is the Hessian of the Lagrangian (not of f) where
/// the problem tells it, bent to be positive definite, else a damped quasi-Newton approximation.
/// With the merit search a step is halved until f + ρ·(Σ|h| + Σmax(g, 0)) falls; without it every
/// step is taken whole, which is fast near a solution and unsafe elsewhere.
///
/// ```
/// use didact_optimize::{Problem, Sqp};
/// use didact_core::Run;
/// // min (x − 2)² + (y − 1)² where x² ≤ y and x + y ≤ 2: (1, 1) with both multipliers ⅔.
/// let mut problem = Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
///     (gradient[0], gradient[1]) = (2.0 * (x[0] - 2.0), 2.0 * (x[1] - 1.0));
///     (x[0] - 2.0).powi(2) + (x[1] - 1.0).powi(2)
/// })
/// .inequality(|x: &[f64], gradient: &mut [f64]| {
///     (gradient[0], gradient[1]) = (2.0 * x[0], -1.0);
///     x[0] * x[0] - x[1]
/// })
/// .inequality(|x: &[f64], gradient: &mut [f64]| {
///     gradient.fill(1.0);
///     x[0] + x[1] - 2.0
/// });
/// let outcome = Sqp::default().minimise(&mut problem, &[0.5, 0.5], &Run::new())?;
/// assert!((outcome.x[0] - 1.0).abs() < 1e-7);
/// assert!((outcome.multipliers.inequality[0] - 2.0 / 3.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sqp {
    /// How inequalities enter each quadratic program.
    pub form: InequalityForm,
    /// Whether steps are shortened until a merit function falls.
    pub merit_search: bool,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when each of the four conditions holds to this.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
}

impl Default for Sqp {
    fn default() -> Self {
        Sqp {
            form: InequalityForm::default(),
            merit_search: true,
            max_iter: 200,
            tolerance: 1e-9,
        }
    }
}

impl Sqp {
    /// Minimises the problem from `start`, which need not be feasible, telling `run` of every
    /// iteration.
    pub fn minimise(
        &self,
        problem: &mut Problem<'_>,
        start: &[f64],
        run: &Run,
    ) -> Result<ConstrainedOutcome> {
        parameters::check(self)?;
        let n = problem.dimension();
        let mut x = start.to_vec();
        let mut at = problem.evaluate(&x)?;
        if !at.is_finite() {
            return Err(Error::numerical(
                "the objective or a constraint is not finite at the start; start elsewhere",
            ));
        }
        let mut multipliers = least_squares_multipliers(&at)?;
        let mut trace = TraceWriter::new(run, "KKT residual", Some(self.max_iter));
        let mut curvature = Array2::eye(n);
        let mut price = 1.0;
        let mut warnings = Vec::new();
        let stop = loop {
            if at.kkt(&multipliers).largest() <= self.tolerance {
                break Stop::Gradient;
            }
            if trace.n_iter() == self.max_iter {
                break Stop::IterationLimit;
            }
            if problem.write_hessian(&x, &multipliers, &mut curvature) {
                curvature = bent(&curvature)?;
            }
            let Some(solution) = self.subproblem(&curvature, &at, run)? else {
                warnings.push(CONTRADICTION.to_owned());
                break Stop::Stalled;
            };
            let step = &solution.x[..n];
            let (next, next_at) =
                match self.search(problem, &x, &at, step, &solution.multipliers, &mut price)? {
                    Some(found) => found,
                    None => {
                        // The multipliers may still be better than those at hand.
                        if at.kkt(&solution.multipliers).largest() < at.kkt(&multipliers).largest()
                        {
                            multipliers = solution.multipliers;
                        }
                        let is_done = at.kkt(&multipliers).largest() <= self.tolerance;
                        break if is_done {
                            Stop::Gradient
                        } else {
                            Stop::Stalled
                        };
                    }
                };
            multipliers = solution.multipliers;
            update(&mut curvature, &x, &next, &at, &next_at, &multipliers);
            (x, at) = (next, next_at);
            trace.record(at.kkt(&multipliers).largest())?;
        };
        Ok(ConstrainedOutcome {
            value: at.value,
            kkt: at.kkt(&multipliers),
            x,
            multipliers,
            stop,
            trace: trace.finish(stop.into()),
            warnings,
        })
    }

    /// The step and its multipliers; none where the linearised constraints contradict each other.
    fn subproblem(
        &self,
        curvature: &Array2<f64>,
        at: &Evaluated,
        run: &Run,
    ) -> Result<Option<ProgramSolution>> {
        let n = curvature.nrows();
        let (m, k) = (at.equalities.len(), at.inequalities.len());
        let equality_target: Array1<f64> = at.equalities.iter().map(|h| -h).collect();
        let bound: Array1<f64> = at.inequalities.iter().map(|g| -g).collect();
        let program = match self.form {
            InequalityForm::Direct => {
                QuadraticProgram::new(curvature.clone(), at.gradient.mapv(|g| -g))?
                    .equalities(at.equality_jacobian.clone(), equality_target)?
                    .inequalities(at.inequality_jacobian.clone(), bound)?
            }
            InequalityForm::Slack => {
                let mut hessian = Array2::zeros((n + k, n + k));
                hessian.slice_mut(s![..n, ..n]).assign(curvature);
                let mut linear = Array1::zeros(n + k);
                linear.slice_mut(s![..n]).assign(&at.gradient.mapv(|g| -g));
                let mut rows = Array2::zeros((m + k, n + k));
                rows.slice_mut(s![..m, ..n]).assign(&at.equality_jacobian);
                rows.slice_mut(s![m.., ..n]).assign(&at.inequality_jacobian);
                rows.slice_mut(s![m.., n..]).assign(&Array2::eye(k));
                let target = concatenate![Axis(0), equality_target, bound];
                let mut signs = Array2::zeros((k, n + k));
                signs.slice_mut(s![.., n..]).assign(&-Array2::<f64>::eye(k));
                QuadraticProgram::new(hessian, linear)?
                    .equalities(rows, target)?
                    .inequalities(signs, Array1::zeros(k))?
            }
        };
        let Verdict::Optimal(mut solution) =
            ActiveSet::default().solve(&program, &run.quietly())?
        else {
            return Ok(None);
        };
        if self.form == InequalityForm::Slack {
            // The multiplier of g + ∇g·p + z = 0 is that of the inequality.
            solution.multipliers.inequality = solution.multipliers.equality.split_off(m);
        }
        Ok(Some(solution))
    }

    /// The next point along a step; none where the merit does not fall.
    fn search(
        &self,
        problem: &mut Problem<'_>,
        x: &[f64],
        at: &Evaluated,
        step: &[f64],
        multipliers: &Multipliers,
        price: &mut f64,
    ) -> Result<Option<(Vec<f64>, Evaluated)>> {
        let all: Vec<f64> = multipliers
            .equality
            .iter()
            .chain(&multipliers.inequality)
            .copied()
            .collect();
        // A price above every multiplier makes the solution a minimum of the merit.
        *price = price.max(1.1 * crate::outcome::largest_magnitude(&all));
        let merit = |at: &Evaluated| at.value + *price * at.violation();
        let slope = at
            .gradient
            .iter()
            .zip(step)
            .map(|(g, p)| g * p)
            .sum::<f64>()
            - *price * at.violation();
        let mut length = 1.0;
        let mut next = x.to_vec();
        for _ in 0..HALVINGS {
            crate::outcome::move_along(x, length, step, &mut next);
            let there = problem.evaluate(&next)?;
            let now = merit(at);
            let falls = merit(&there) <= now + 1e-4 * length * slope.min(0.0);
            // At the bottom the merit is rounding; the conditions decide there.
            let is_level = (merit(&there) - now).abs() <= 1e-14 * now.abs().max(1.0)
                && there.kkt(multipliers).largest() < at.kkt(multipliers).largest();
            if there.is_finite() && (falls || is_level || !self.merit_search) {
                return Ok((next != x).then_some((next, there)));
            }
            if !self.merit_search {
                return Ok(None);
            }
            length *= 0.5;
        }
        Ok(None)
    }
}

const CONTRADICTION: &str = "the linearised constraints contradict each other where the search \
                             ended; start elsewhere, or the problem has no feasible point";

/// The matrix with negative and vanishing eigenvalues turned positive.
fn bent(matrix: &Array2<f64>) -> Result<Array2<f64>> {
    let eigen = symmetric_eigen(matrix.view())?;
    let largest = eigen
        .values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    if eigen.values.iter().all(|&value| value >= 0.0) {
        return Ok(matrix.clone());
    }
    let least = (1e-8 * largest).max(1e-12);
    let mut scaled = eigen.vectors.clone();
    for (mut column, value) in scaled.columns_mut().into_iter().zip(&eigen.values) {
        column *= value.abs().max(least);
    }
    let restored = scaled.dot(&eigen.vectors.t());
    Ok(0.5 * (&restored + &restored.t()))
}

/// Powell's damped update of the approximate Hessian of the Lagrangian.
fn update(
    curvature: &mut Array2<f64>,
    x: &[f64],
    next: &[f64],
    at: &Evaluated,
    next_at: &Evaluated,
    multipliers: &Multipliers,
) {
    let step: Array1<f64> = next.iter().zip(x).map(|(next, x)| next - x).collect();
    let change = next_at.lagrangian_gradient(multipliers) - at.lagrangian_gradient(multipliers);
    let image = curvature.dot(&step);
    let (bent, straight) = (step.dot(&image), step.dot(&change));
    if bent.is_nan() || bent <= 0.0 {
        return;
    }
    // Mixed with the image so that the curvature along the step stays positive.
    let share = if straight >= 0.2 * bent {
        1.0
    } else {
        0.8 * bent / (bent - straight)
    };
    let mixed = share * &change + (1.0 - share) * &image;
    let along = step.dot(&mixed);
    let n = step.len();
    for i in 0..n {
        for j in 0..n {
            curvature[[i, j]] += mixed[i] * mixed[j] / along - image[i] * image[j] / bent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// (x − 2)² + (y − 1)² where x² ≤ y and x + y ≤ 2.
    fn published(with_hessian: bool) -> Problem<'static> {
        let problem = Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
            (gradient[0], gradient[1]) = (2.0 * (x[0] - 2.0), 2.0 * (x[1] - 1.0));
            (x[0] - 2.0).powi(2) + (x[1] - 1.0).powi(2)
        })
        .inequality(|x: &[f64], gradient: &mut [f64]| {
            (gradient[0], gradient[1]) = (2.0 * x[0], -1.0);
            x[0] * x[0] - x[1]
        })
        .inequality(|x: &[f64], gradient: &mut [f64]| {
            gradient.fill(1.0);
            x[0] + x[1] - 2.0
        });
        match with_hessian {
            false => problem,
            true => problem.hessian(|_, multipliers, hessian| {
                hessian.fill(0.0);
                hessian[[0, 0]] = 2.0 + 2.0 * multipliers.inequality[0];
                hessian[[1, 1]] = 2.0;
            }),
        }
    }

    // 000b:Q13 000b:Q11 000b:Q15
    #[test]
    fn the_published_solution_is_found_with_and_without_hessian_and_search() {
        for (with_hessian, merit_search) in
            [(true, true), (true, false), (false, true), (false, false)]
        {
            let method = Sqp {
                merit_search,
                ..Default::default()
            };
            let outcome = method
                .minimise(&mut published(with_hessian), &[0.5, 0.5], &Run::new())
                .unwrap();
            assert_eq!(outcome.stop, Stop::Gradient, "{outcome:?}");
            assert!(
                outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-8),
                "{outcome:?}"
            );
            let alpha = &outcome.multipliers.inequality;
            assert!(
                alpha.iter().all(|a| (a - 2.0 / 3.0).abs() < 1e-6),
                "{alpha:?}"
            );
            assert!((outcome.value - 1.0).abs() < 1e-9);
        }
    }

    // 000b:Q14
    #[test]
    fn slacks_give_the_same_iterates() {
        let path = |form: InequalityForm| {
            (1..6)
                .map(|max_iter| {
                    let method = Sqp {
                        form,
                        max_iter,
                        ..Default::default()
                    };
                    method
                        .minimise(&mut published(true), &[0.0, 3.0], &Run::new())
                        .unwrap()
                        .x
                })
                .collect::<Vec<_>>()
        };
        for (direct, slack) in path(InequalityForm::Direct)
            .iter()
            .zip(path(InequalityForm::Slack))
        {
            for (a, b) in direct.iter().zip(&slack) {
                assert!((a - b).abs() < 1e-9, "{direct:?} {slack:?}");
            }
        }
    }

    // 000b:Q11
    #[test]
    fn a_quadratic_program_takes_one_step() {
        // min ½‖x‖² − (1, 1)·x where x + y = 1, x ≤ 0.2.
        let mut problem = Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
            (gradient[0], gradient[1]) = (x[0] - 1.0, x[1] - 1.0);
            0.5 * (x[0] * x[0] + x[1] * x[1]) - x[0] - x[1]
        })
        .equality(|x: &[f64], gradient: &mut [f64]| {
            gradient.fill(1.0);
            x[0] + x[1] - 1.0
        })
        .inequality(|x: &[f64], gradient: &mut [f64]| {
            (gradient[0], gradient[1]) = (1.0, 0.0);
            x[0] - 0.2
        })
        .hessian(|_, _, hessian| hessian.assign(&Array2::eye(2)));
        let outcome = Sqp::default()
            .minimise(&mut problem, &[7.0, -3.0], &Run::new())
            .unwrap();
        assert_eq!((outcome.stop, outcome.trace.n_iter()), (Stop::Gradient, 1));
        let expected = array![0.2, 0.8];
        assert!(
            outcome
                .x
                .iter()
                .zip(&expected)
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }

    // 000b:Q13
    // SciPy 1.17.1: minimize(method="SLSQP", ftol=1e-15) on the same problem from the same start
    // ends at x = (1, 4.742999637, 3.821149984, 1.379408293), f = 17.0140172891.
    #[test]
    fn a_problem_of_four_variables_agrees_with_slsqp() {
        let bound = |i: usize, sign: f64, limit: f64| {
            move |x: &[f64], gradient: &mut [f64]| {
                gradient.fill(0.0);
                gradient[i] = sign;
                sign * (x[i] - limit)
            }
        };
        let mut problem = Problem::new(4, |x: &[f64], gradient: &mut [f64]| {
            let sum = x[0] + x[1] + x[2];
            gradient[0] = x[3] * (sum + x[0]);
            gradient[1] = x[0] * x[3];
            gradient[2] = x[0] * x[3] + 1.0;
            gradient[3] = x[0] * sum;
            x[0] * x[3] * sum + x[2]
        })
        .equality(|x: &[f64], gradient: &mut [f64]| {
            (0..4).for_each(|i| gradient[i] = 2.0 * x[i]);
            x.iter().map(|x| x * x).sum::<f64>() - 40.0
        })
        .inequality(|x: &[f64], gradient: &mut [f64]| {
            let all: f64 = x.iter().product();
            (0..4).for_each(|i| gradient[i] = -all / x[i]);
            25.0 - all
        });
        for i in 0..4 {
            problem = problem
                .inequality(bound(i, -1.0, 1.0))
                .inequality(bound(i, 1.0, 5.0));
        }
        let outcome = Sqp::default()
            .minimise(&mut problem, &[1.0, 5.0, 5.0, 1.0], &Run::new())
            .unwrap();
        assert!(outcome.kkt.largest() < 1e-7, "{outcome:?}");
        let expected = [1.0, 4.742_999_637, 3.821_149_984, 1.379_408_293];
        for (found, expected) in outcome.x.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{:?}", outcome.x);
        }
        assert!((outcome.value - 17.014_017_289_1).abs() < 1e-8);
    }

    #[test]
    fn contradictory_constraints_are_reported() {
        let mut problem = Problem::new(1, |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 2.0 * x[0];
            x[0] * x[0]
        })
        .inequality(|x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0;
            x[0] + 1.0
        })
        .inequality(|x: &[f64], gradient: &mut [f64]| {
            gradient[0] = -1.0;
            1.0 - x[0]
        });
        let outcome = Sqp::default()
            .minimise(&mut problem, &[0.0], &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Stalled);
        assert!(outcome.warnings[0].contains("contradict"));
    }
}
