//! Gauss–Newton and Levenberg–Marquardt.

use super::weights::Whitening;
use super::{Residuals, Weights};
use crate::outcome::{Log, check_point, largest_magnitude, move_along};
use crate::{Outcome, Stop};
use didact_core::{Error, Result, Run, parameters};
use didact_math::linalg::{at_times_b, pseudo_solve, symmetric_eigen};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, ArrayViewMut1, Axis, concatenate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Trials of one step after which no descent is possible in floating point.
const TRIALS: usize = 60;

/// How a step is kept short where the linear model of F cannot be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Damping {
    /// Full steps, whatever they do: exact on linear problems, local on others.
    None,
    /// Full steps, halved until the sum of squares falls.
    Halving,
    /// Levenberg–Marquardt: (JᵀΣ⁻¹J + μ·D)·Δ = −JᵀΣ⁻¹F, D the diagonal of JᵀΣ⁻¹J; μ grows where
    /// a step fails and shrinks where it succeeds. Never fails on a Jacobian of low rank.
    #[default]
    LevenbergMarquardt,
}

/// Weighted non-linear least squares: min over x of ½·F(x)ᵀΣ⁻¹F(x), F the model minus the target.
///
/// The step is Δ = −(JᵀΣ⁻¹J)⁻¹JᵀΣ⁻¹F, Newton's with the second derivatives of F left out. F and J
/// are whitened by the Cholesky factor of Σ and the step found by least squares on J itself, so
/// that nothing is squared or inverted. A model that is linear in x takes one step.
///
/// ```
/// use didact_optimize::{GaussNewton, residuals};
/// use didact_core::Run;
/// // y = a·exp(b·t) through four points of 2·exp(−t/2).
/// let t = [0.0, 1.0, 2.0, 3.0];
/// let y = t.map(|t: f64| 2.0 * (-0.5 * t).exp());
/// let mut curve = residuals(
///     4,
///     |x: &[f64], f: &mut [f64]| (0..4).for_each(|i| f[i] = x[0] * (x[1] * t[i]).exp() - y[i]),
///     |x, jacobian| {
///         for i in 0..4 {
///             jacobian[[i, 0]] = (x[1] * t[i]).exp();
///             jacobian[[i, 1]] = x[0] * t[i] * (x[1] * t[i]).exp();
///         }
///     },
/// );
/// let fitted = GaussNewton::default().minimise(&mut curve, &[1.0, 0.0], &Run::new())?;
/// assert!((fitted.outcome.x[0] - 2.0).abs() < 1e-8 && (fitted.outcome.x[1] + 0.5).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussNewton {
    /// How steps are kept short.
    pub damping: Damping,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of JᵀΣ⁻¹F is larger in magnitude.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when no coordinate x moves by more than this much times max(‖x‖, 1).
    #[schemars(range(min = 0))]
    pub step_tolerance: f64,
}

impl Default for GaussNewton {
    fn default() -> Self {
        GaussNewton {
            damping: Damping::default(),
            max_iter: 500,
            gradient_tolerance: 1e-10,
            step_tolerance: 1e-14,
        }
    }
}

/// A least-squares fit: where it ended and how sure the parameters are.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Point, value ½FᵀΣ⁻¹F, gradient and trace.
    pub outcome: Outcome,
    /// (JᵀΣ⁻¹J)⁺ at the end: the covariance of the parameters where Σ is that of the errors.
    pub covariance: Array2<f64>,
    /// The rank of J at the end; parameters are not determined where it is less than their number.
    pub rank: usize,
}

impl GaussNewton {
    /// Minimises ½‖F‖² from `start`, telling `run` of every iteration.
    pub fn minimise(
        &self,
        residuals: &mut dyn Residuals,
        start: &[f64],
        run: &Run,
    ) -> Result<Fitted> {
        self.minimise_weighted(residuals, &Weights::Equal, start, run)
    }

    /// Minimises ½·FᵀΣ⁻¹F from `start`, telling `run` of every iteration.
    pub fn minimise_weighted(
        &self,
        residuals: &mut dyn Residuals,
        weights: &Weights,
        start: &[f64],
        run: &Run,
    ) -> Result<Fitted> {
        parameters::check(self)?;
        check_point(start)?;
        let m = residuals.len();
        let mut frame = Frame {
            whitening: weights.prepare(m)?,
            residuals,
            f: Array1::zeros(m),
            jacobian: Array2::zeros((m, start.len())),
        };
        let mut log = Log::new(run, self.max_iter);
        let mut x = start.to_vec();
        let mut value = frame.value(&x, &mut log)?;
        if !value.is_finite() {
            return Err(Error::numerical(
                "a residual is not finite at the start; start at a point where all have a value",
            ));
        }
        let mut price = None;
        let mut gradient;
        let mut next = x.clone();
        let stop = loop {
            frame.linearise(&x, &mut log)?;
            gradient = frame.jacobian.t().dot(&frame.f).to_vec();
            if largest_magnitude(&gradient) <= self.gradient_tolerance {
                break Stop::Gradient;
            }
            if log.trace.n_iter() == self.max_iter {
                break Stop::IterationLimit;
            }
            let linear = (frame.f.clone(), frame.jacobian.clone());
            let Some((lower, moved)) = self.step(
                &mut frame, &linear, &x, value, &gradient, &mut price, &mut next, &mut log,
            )?
            else {
                break if self.damping == Damping::None {
                    Stop::Diverged
                } else {
                    Stop::Stalled
                };
            };
            std::mem::swap(&mut x, &mut next);
            value = lower;
            log.trace.record(value)?;
            if moved <= self.step_tolerance * largest_magnitude(&x).max(1.0) {
                frame.linearise(&x, &mut log)?;
                gradient = frame.jacobian.t().dot(&frame.f).to_vec();
                break Stop::Step;
            }
        };
        let (covariance, rank) = covariance(&frame.jacobian)?;
        let norm = largest_magnitude(&gradient);
        Ok(Fitted {
            outcome: log.finish(x, value, norm, stop),
            covariance,
            rank,
        })
    }

    /// Tries steps until one lowers the value; the value and the largest move, or none.
    #[allow(clippy::too_many_arguments)]
    fn step(
        &self,
        frame: &mut Frame<'_>,
        (f, jacobian): &(Array1<f64>, Array2<f64>),
        x: &[f64],
        value: f64,
        gradient: &[f64],
        price: &mut Option<f64>,
        next: &mut [f64],
        log: &mut Log<'_>,
    ) -> Result<Option<(f64, f64)>> {
        let is_marquardt = self.damping == Damping::LevenbergMarquardt;
        let mut length = 1.0;
        let mut step = Vec::new();
        for trial in 0..TRIALS {
            if is_marquardt || trial == 0 {
                let mu = if is_marquardt {
                    *price.get_or_insert(1e-3)
                } else {
                    0.0
                };
                step = damped_step(f, jacobian, mu)?;
            }
            move_along(x, length, &step, next);
            let lower = frame.value(next, log)?;
            let moved = length * largest_magnitude(&step);
            let promised = -length * dot(gradient, &step);
            if lower <= value - 1e-4 * promised || lower < value || next == x {
                // A good linear model deserves longer steps.
                *price = price.map(|mu| (0.1 * mu).max(1e-15));
                return Ok((lower <= value).then_some((lower, moved)));
            }
            match self.damping {
                Damping::None if lower.is_finite() => return Ok(Some((lower, moved))),
                Damping::None => return Ok(None),
                Damping::Halving => length *= 0.5,
                Damping::LevenbergMarquardt => *price = price.map(|mu| 4.0 * mu),
            }
        }
        Ok(None)
    }
}

/// Whitened residuals and Jacobian at a point.
struct Frame<'a> {
    residuals: &'a mut dyn Residuals,
    whitening: Whitening,
    f: Array1<f64>,
    jacobian: Array2<f64>,
}

impl Frame<'_> {
    /// ½FᵀΣ⁻¹F at a point.
    fn value(&mut self, x: &[f64], log: &mut Log<'_>) -> Result<f64> {
        log.run.check()?;
        log.evaluations.values += 1;
        let mut f = vec![0.0; self.residuals.len()];
        self.residuals.residuals(x, &mut f)?;
        self.whitening
            .apply(ArrayViewMut1::from(&mut f).insert_axis(Axis(1)));
        self.f = Array1::from(f);
        Ok(0.5 * self.f.dot(&self.f))
    }

    /// Residuals and Jacobian at a point.
    fn linearise(&mut self, x: &[f64], log: &mut Log<'_>) -> Result<()> {
        self.value(x, log)?;
        log.evaluations.curvatures += 1;
        self.residuals.jacobian(x, &mut self.jacobian)?;
        self.whitening.apply(self.jacobian.view_mut());
        Ok(())
    }
}

/// The step of least ‖F + J·Δ‖² + μ·Δᵀ·D·Δ, by least squares on J stacked over √(μD).
fn damped_step(f: &Array1<f64>, jacobian: &Array2<f64>, mu: f64) -> Result<Vec<f64>> {
    let n = jacobian.ncols();
    let solution = match mu > 0.0 {
        false => pseudo_solve(jacobian.view(), f.view().insert_axis(Axis(1)), None)?,
        true => {
            let scale: Vec<f64> = jacobian
                .columns()
                .into_iter()
                .map(|column| column.dot(&column))
                .collect();
            // A column of zeros has no scale of its own.
            let largest = largest_magnitude(&scale).max(f64::MIN_POSITIVE);
            let diagonal = Array2::from_diag(&Array1::from_shape_fn(n, |i| {
                (mu * scale[i].max(1e-12 * largest)).sqrt()
            }));
            let stacked = concatenate![Axis(0), jacobian.view(), diagonal.view()];
            let right = concatenate![Axis(0), f.view(), Array1::<f64>::zeros(n).view()];
            pseudo_solve(stacked.view(), right.view().insert_axis(Axis(1)), None)?
        }
    };
    Ok(solution
        .solution
        .column(0)
        .iter()
        .map(|value| -value)
        .collect())
}

/// (JᵀJ)⁺ and the rank of J.
fn covariance(jacobian: &Array2<f64>) -> Result<(Array2<f64>, usize)> {
    let eigen = symmetric_eigen(at_times_b(jacobian.view(), jacobian.view()).view())?;
    let largest = eigen.values.first().copied().unwrap_or(0.0);
    let least = largest * f64::EPSILON * jacobian.nrows().max(jacobian.ncols()) as f64;
    let rank = eigen.values.iter().filter(|&&value| value > least).count();
    let mut scaled = eigen.vectors.clone();
    for (mut column, value) in scaled.columns_mut().into_iter().zip(&eigen.values) {
        column *= if *value > least { value.recip() } else { 0.0 };
    }
    Ok((scaled.dot(&eigen.vectors.t()), rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_squares::{SumOfSquares, residuals};
    use crate::{GradientDescent, Lbfgs, Minimise, Newton, check_gradient};
    use didact_math::linalg::Cholesky;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;

    /// F(x) = A·x − b as residuals: the linear frame that every model reduces to.
    fn linear(a: Array2<f64>, b: Array1<f64>) -> impl Residuals {
        let slope = a.clone();
        residuals(
            a.nrows(),
            move |x: &[f64], f: &mut [f64]| {
                let values = a.dot(&ndarray::ArrayView1::from(x)) - &b;
                f.copy_from_slice(&values.to_vec());
            },
            move |_: &[f64], jacobian: &mut Array2<f64>| jacobian.assign(&slope),
        )
    }

    const ALL: [Damping; 3] = [Damping::None, Damping::Halving, Damping::LevenbergMarquardt];

    fn covariance_of(m: usize) -> Array2<f64> {
        let root = random_matrix(m, m + 2, 9);
        root.dot(&root.t()) + Array2::<f64>::eye(m)
    }

    // 004:M26
    #[test]
    fn a_linear_model_takes_one_step_to_generalised_least_squares() {
        let (a, b) = (
            random_matrix(8, 3, 1),
            random_matrix(8, 1, 2).column(0).to_owned(),
        );
        let sigma = covariance_of(8);
        // (AᵀΣ⁻¹A)x = AᵀΣ⁻¹b.
        let factor = Cholesky::new(sigma.view()).unwrap();
        let normal = a.t().dot(&factor.solve(a.view()));
        let right = a.t().dot(&factor.solve_vector(b.view()));
        let inverse = Cholesky::new(normal.view()).unwrap();
        let expected = inverse.solve_vector(right.view());
        let method = GaussNewton {
            damping: Damping::None,
            gradient_tolerance: 1e-9,
            ..Default::default()
        };
        let weights = Weights::Covariance(sigma);
        let fitted = method
            .minimise_weighted(&mut linear(a, b), &weights, &[5.0, -5.0, 5.0], &Run::new())
            .unwrap();
        assert_eq!(fitted.outcome.iterations(), 1);
        assert_close(&Array1::from(fitted.outcome.x), &expected, 1e-12);
        assert_close(
            &fitted.covariance,
            &inverse.solve(Array2::eye(3).view()),
            1e-9,
        );
    }

    /// y = x₀·exp(x₁·t) + noise at eight times.
    fn decay() -> (Vec<f64>, Vec<f64>, impl Residuals) {
        let t: Vec<f64> = (0..8).map(|i| 0.5 * f64::from(i)).collect();
        let y: Vec<f64> = t
            .iter()
            .enumerate()
            .map(|(i, t)| 2.5 * (-0.7 * t).exp() + 0.05 * (i as f64 * 1.7).sin())
            .collect();
        let (times, targets, again) = (t.clone(), y.clone(), t.clone());
        let model = residuals(
            8,
            move |x: &[f64], f: &mut [f64]| {
                (0..8).for_each(|i| f[i] = x[0] * (x[1] * times[i]).exp() - targets[i]);
            },
            move |x: &[f64], jacobian: &mut Array2<f64>| {
                for i in 0..8 {
                    jacobian[[i, 0]] = (x[1] * again[i]).exp();
                    jacobian[[i, 1]] = x[0] * again[i] * (x[1] * again[i]).exp();
                }
            },
        );
        (t, y, model)
    }

    // 004:M26
    // scipy 1.17.1: curve_fit(lambda t, a, b: a*exp(b*t), t, y, p0=(1, 0), sigma=0.05 + 0.1*t,
    // absolute_sigma=True, xtol=ftol=gtol=1e-15): parameters and covariance.
    #[test]
    fn a_weighted_curve_fit_agrees_with_scipy() {
        let (t, _, mut model) = decay();
        let weights = Weights::Deviations(t.iter().map(|t| 0.05 + 0.1 * t).collect());
        for damping in [Damping::Halving, Damping::LevenbergMarquardt] {
            let method = GaussNewton {
                damping,
                ..Default::default()
            };
            let fitted = method
                .minimise_weighted(&mut model, &weights, &[1.0, 0.0], &Run::new())
                .unwrap();
            assert!(fitted.outcome.is_converged(), "{fitted:?}");
            let expected = [SCIPY_A, SCIPY_B];
            for i in 0..2 {
                assert!(
                    (fitted.outcome.x[i] - expected[i]).abs() < 1e-6,
                    "{:?}",
                    fitted.outcome.x
                );
            }
            let expected = array![[SCIPY_AA, SCIPY_AB], [SCIPY_AB, SCIPY_BB]];
            assert_close(&fitted.covariance, &expected, 1e-5);
            assert_eq!(fitted.rank, 2);
        }
    }

    const SCIPY_A: f64 = 2.5040937305634428;
    const SCIPY_B: f64 = -0.6906626258652249;
    const SCIPY_AA: f64 = 0.002408864098804071;
    const SCIPY_AB: f64 = -0.0011013327754624525;
    const SCIPY_BB: f64 = 0.004614566938017195;

    // 004:M14
    #[test]
    fn one_model_and_four_solvers_give_one_answer() {
        let (_, _, mut model) = decay();
        let run = Run::new();
        let expected = GaussNewton::default()
            .minimise(&mut model, &[1.0, 0.0], &run)
            .unwrap()
            .outcome;
        let mut objective = SumOfSquares::new(&mut model, 2);
        assert!(
            check_gradient(&mut objective, &[1.3, -0.2])
                .unwrap()
                .passes()
        );
        let descent = GradientDescent {
            max_iter: 100_000,
            ..Default::default()
        };
        let others = [
            descent.minimise(&mut objective, &[1.0, 0.0], &run).unwrap(),
            Lbfgs::default()
                .minimise(&mut objective, &[1.0, 0.0], &run)
                .unwrap(),
            Newton::default()
                .minimise(&mut objective, &[1.0, 0.0], &run)
                .unwrap(),
        ];
        for outcome in others {
            assert!(outcome.is_converged(), "{outcome:?}");
            assert!((outcome.value - expected.value).abs() < 1e-9);
            for i in 0..2 {
                assert!(
                    (outcome.x[i] - expected.x[i]).abs() < 1e-6,
                    "{:?}",
                    outcome.x
                );
            }
        }
    }

    // 004:M26
    #[test]
    fn a_jacobian_of_low_rank_is_no_obstacle() {
        // Both parameters enter by their sum only.
        let a = array![[1.0, 1.0], [2.0, 2.0], [0.5, 0.5]];
        for damping in ALL {
            let method = GaussNewton {
                damping,
                ..Default::default()
            };
            let fitted = method
                .minimise(
                    &mut linear(a.clone(), array![2.0, 4.0, 1.0]),
                    &[0.0, 0.0],
                    &Run::new(),
                )
                .unwrap();
            assert!(fitted.outcome.is_converged(), "{damping:?} {fitted:?}");
            assert!((fitted.outcome.x[0] + fitted.outcome.x[1] - 2.0).abs() < 1e-6);
            assert_eq!(fitted.rank, 1);
        }
    }

    #[test]
    fn marquardt_reaches_the_bottom_of_rosenbrocks_valley() {
        let mut valley = residuals(
            2,
            |x: &[f64], f: &mut [f64]| (f[0], f[1]) = (10.0 * (x[1] - x[0] * x[0]), 1.0 - x[0]),
            |x: &[f64], jacobian: &mut Array2<f64>| {
                jacobian.assign(&array![[-20.0 * x[0], 10.0], [-1.0, 0.0]]);
            },
        );
        let fitted = GaussNewton::default()
            .minimise(&mut valley, &[-1.2, 1.0], &Run::new())
            .unwrap();
        assert!(
            fitted.outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-6),
            "{fitted:?}"
        );
    }

    #[test]
    fn weights_that_do_not_fit_are_named() {
        let fit = |weights: Weights| {
            GaussNewton::default()
                .minimise_weighted(
                    &mut linear(array![[1.0], [1.0]], array![1.0, 2.0]),
                    &weights,
                    &[0.0],
                    &Run::new(),
                )
                .unwrap_err()
                .to_string()
        };
        assert!(fit(Weights::Deviations(vec![1.0])).contains("deviations is of size 1"));
        assert!(fit(Weights::Deviations(vec![1.0, 0.0])).contains("deviations is 0"));
        assert!(
            fit(Weights::Covariance(array![[1.0, 2.0], [2.0, 1.0]]))
                .contains("covariance is not positive")
        );
        assert!(fit(Weights::Covariance(array![[1.0]])).contains("covariance is of size 1"));
    }
}
