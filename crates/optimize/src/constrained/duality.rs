//! The dual function and the gap to the primal value.

use super::{Multipliers, Problem};
use crate::{Minimise, Stop};
use didact_core::{Error, Result, Run};
use serde::{Deserialize, Serialize};

/// A primal value p, a dual value d and what lies between.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Duality {
    /// f at a feasible point.
    pub primal: f64,
    /// inf over x of the Lagrangian.
    pub dual: f64,
}

impl Duality {
    /// p − d: never negative, zero where the dual solves the primal.
    pub fn gap(&self) -> f64 {
        self.primal - self.dual
    }
}

/// The dual function l(λ, α) = inf over x of the Lagrangian, found by `method` from `start`; minus
/// infinity where the Lagrangian has no lower bound.
///
/// It is exact where the Lagrangian is convex in x; elsewhere a local minimum is only an upper
/// bound on it.
///
/// ```
/// use didact_optimize::{Lbfgs, Multipliers, Problem, dual_value};
/// use didact_core::Run;
/// // min x² where 1 − x ≤ 0: l(α) = α − α²/4.
/// let mut problem = Problem::new(1, |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 2.0 * x[0];
///     x[0] * x[0]
/// })
/// .inequality(|x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = -1.0;
///     1.0 - x[0]
/// });
/// let alpha = Multipliers { equality: vec![], inequality: vec![1.0] };
/// let dual = dual_value(&mut problem, &alpha, &Lbfgs::default(), &[0.0], &Run::new())?;
/// assert!((dual - 0.75).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn dual_value(
    problem: &mut Problem<'_>,
    multipliers: &Multipliers,
    method: &dyn Minimise,
    start: &[f64],
    run: &Run,
) -> Result<f64> {
    problem.check_multipliers(multipliers)?;
    problem.check_point(start)?;
    if let Some(negative) = multipliers
        .inequality
        .iter()
        .find(|a| a.is_nan() || **a < 0.0)
    {
        return Err(Error::parameter(
            "multipliers.inequality",
            negative,
            "no multiplier of an inequality may be negative",
        ));
    }
    let mut lagrangian = |x: &[f64], gradient: &mut [f64]| -> Result<f64> {
        let at = problem.evaluate(x)?;
        gradient.copy_from_slice(&at.lagrangian_gradient(multipliers).to_vec());
        let shares = multipliers.equality.iter().zip(&at.equalities);
        let others = multipliers.inequality.iter().zip(&at.inequalities);
        Ok(at.value
            + shares
                .chain(others)
                .map(|(share, value)| share * value)
                .sum::<f64>())
    };
    let outcome = method.minimise(&mut lagrangian, start, run)?;
    Ok(match outcome.stop {
        Stop::Diverged => f64::NEG_INFINITY,
        _ => outcome.value,
    })
}

/// Primal value at a feasible `x` and dual value at the multipliers: weak duality says that the
/// gap is never negative, and a zero gap proves both optimal.
pub fn duality_gap(
    problem: &mut Problem<'_>,
    x: &[f64],
    multipliers: &Multipliers,
    method: &dyn Minimise,
    run: &Run,
) -> Result<Duality> {
    let primal = problem.primal_value(x, 1e-8)?;
    let dual = dual_value(problem, multipliers, method, x, run)?;
    Ok(Duality { primal, dual })
}

/// A problem over finitely many points, where minima are found by looking at all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct FiniteDomain {
    /// f at each point.
    pub objective: Vec<f64>,
    /// For each point the values of all constraints g ≤ 0.
    pub inequalities: Vec<Vec<f64>>,
}

impl FiniteDomain {
    /// The least objective among the feasible points; infinity where there is none.
    pub fn primal(&self) -> f64 {
        let feasible = |g: &&Vec<f64>| g.iter().all(|g| *g <= 0.0);
        let pairs = self.objective.iter().zip(&self.inequalities);
        pairs
            .filter(|(_, g)| feasible(g))
            .map(|(f, _)| *f)
            .fold(f64::INFINITY, f64::min)
    }

    /// The dual function l(α) = min over the points of f + Σαⱼgⱼ, concave in α.
    pub fn dual(&self, alpha: &[f64]) -> f64 {
        let pairs = self.objective.iter().zip(&self.inequalities);
        let lagrangian =
            pairs.map(|(f, g)| f + g.iter().zip(alpha).map(|(g, a)| g * a).sum::<f64>());
        lagrangian.fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lbfgs;

    fn above_one() -> Problem<'static> {
        Problem::new(1, |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 2.0 * x[0];
            x[0] * x[0]
        })
        .inequality(|x: &[f64], gradient: &mut [f64]| {
            gradient[0] = -1.0;
            1.0 - x[0]
        })
    }

    fn dual_of(alpha: f64) -> f64 {
        let multipliers = Multipliers {
            equality: vec![],
            inequality: vec![alpha],
        };
        dual_value(
            &mut above_one(),
            &multipliers,
            &Lbfgs::default(),
            &[3.0],
            &Run::new(),
        )
        .unwrap()
    }

    // 001:T-09 001:LAG-03
    #[test]
    fn the_dual_function_is_the_published_parabola_and_concave() {
        for alpha in [0.0, 0.5, 1.0, 2.0, 3.5] {
            assert!((dual_of(alpha) - (alpha - alpha * alpha / 4.0)).abs() < 1e-12);
        }
        assert!(dual_of(1.5) >= 0.5 * (dual_of(1.0) + dual_of(2.0)));
        // Largest at α = 2.
        assert!(dual_of(2.0) > dual_of(1.9) && dual_of(2.0) > dual_of(2.1));
    }

    // 001:T-09 001:LAG-04
    #[test]
    fn the_gap_is_zero_at_the_solution_and_positive_elsewhere() {
        let gap = |x: f64, alpha: f64| {
            let multipliers = Multipliers {
                equality: vec![],
                inequality: vec![alpha],
            };
            duality_gap(
                &mut above_one(),
                &[x],
                &multipliers,
                &Lbfgs::default(),
                &Run::new(),
            )
            .unwrap()
        };
        let best = gap(1.0, 2.0);
        assert!((best.primal - 1.0).abs() < 1e-12 && best.gap().abs() < 1e-9);
        assert!(gap(1.5, 1.0).gap() > 1.0);
        assert!(gap(0.5, 2.0).primal.is_infinite());
    }

    // 001:T-09 001:LAG-04
    #[test]
    fn a_discrete_domain_leaves_a_gap_of_one() {
        // min −2x for x ∈ {0, 1} where x − ½ ≤ 0.
        let domain = FiniteDomain {
            objective: vec![0.0, -2.0],
            inequalities: vec![vec![-0.5], vec![0.5]],
        };
        for alpha in [0.0, 1.0, 2.0, 5.0] {
            let expected = f64::min(-alpha / 2.0, -2.0 + alpha / 2.0);
            assert_eq!(domain.dual(&[alpha]), expected);
        }
        let best = (0..100)
            .map(|i| domain.dual(&[f64::from(i) * 0.1]))
            .fold(f64::MIN, f64::max);
        assert_eq!((domain.primal(), best), (0.0, -1.0));
        assert_eq!(domain.dual(&[2.0]), -1.0);
    }

    #[test]
    fn an_unbounded_lagrangian_has_the_dual_value_minus_infinity() {
        let mut problem = Problem::new(1, |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 1.0;
            x[0]
        });
        let none = Multipliers::default();
        let dual = dual_value(&mut problem, &none, &Lbfgs::default(), &[0.0], &Run::new()).unwrap();
        assert_eq!(dual, f64::NEG_INFINITY);
        let negative = Multipliers {
            equality: vec![],
            inequality: vec![-1.0],
        };
        let error = dual_value(
            &mut above_one(),
            &negative,
            &Lbfgs::default(),
            &[0.0],
            &Run::new(),
        );
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("multipliers.inequality is -1")
        );
    }
}
