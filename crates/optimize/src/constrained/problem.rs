//! A problem with constraints, its Lagrangian and what solvers return.

use super::KktReport;
use crate::{Objective, Stop};
use didact_core::{Error, Result, Trace};
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One multiplier for each constraint: λ of any sign for equalities, α ≥ 0 for inequalities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Multipliers {
    /// λ, for h = 0.
    pub equality: Vec<f64>,
    /// α, for g ≤ 0.
    pub inequality: Vec<f64>,
}

type Hessian<'a> = Box<dyn FnMut(&[f64], &Multipliers, &mut Array2<f64>) + 'a>;

/// min f(x) where hᵢ(x) = 0 and gⱼ(x) ≤ 0.
///
/// Objective and constraints are [`Objective`]s each: a closure that writes the gradient and
/// returns the value will do. A constraint g ≥ 0 is entered as −g.
///
/// ```
/// use didact_optimize::{Problem, Sqp};
/// use didact_core::Run;
/// // The point of x + y = 1 that is nearest to the origin.
/// let mut problem = Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
///     (gradient[0], gradient[1]) = (2.0 * x[0], 2.0 * x[1]);
///     x[0] * x[0] + x[1] * x[1]
/// })
/// .equality(|x: &[f64], gradient: &mut [f64]| {
///     gradient.fill(1.0);
///     x[0] + x[1] - 1.0
/// });
/// let outcome = Sqp::default().minimise(&mut problem, &[3.0, -1.0], &Run::new())?;
/// assert!((outcome.x[0] - 0.5).abs() < 1e-7 && (outcome.multipliers.equality[0] + 1.0).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub struct Problem<'a> {
    dimension: usize,
    objective: Box<dyn Objective + 'a>,
    equalities: Vec<Box<dyn Objective + 'a>>,
    inequalities: Vec<Box<dyn Objective + 'a>>,
    hessian: Option<Hessian<'a>>,
}

impl fmt::Debug for Problem<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Problem")
            .field("dimension", &self.dimension)
            .field("equalities", &self.equalities.len())
            .field("inequalities", &self.inequalities.len())
            .field("has_hessian", &self.hessian.is_some())
            .finish()
    }
}

/// Objective and constraints at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluated {
    /// f.
    pub value: f64,
    /// ∇f.
    pub gradient: Array1<f64>,
    /// h.
    pub equalities: Vec<f64>,
    /// The gradients of h as rows.
    pub equality_jacobian: Array2<f64>,
    /// g.
    pub inequalities: Vec<f64>,
    /// The gradients of g as rows.
    pub inequality_jacobian: Array2<f64>,
}

impl Evaluated {
    /// How far the point fails the four conditions with these multipliers.
    pub fn kkt(&self, multipliers: &Multipliers) -> KktReport {
        KktReport::new(
            self.gradient.view(),
            (&self.equalities, self.equality_jacobian.view()),
            (&self.inequalities, self.inequality_jacobian.view()),
            &multipliers.equality,
            &multipliers.inequality,
        )
    }

    /// ∇f + Σλᵢ∇hᵢ + Σαⱼ∇gⱼ.
    pub fn lagrangian_gradient(&self, multipliers: &Multipliers) -> Array1<f64> {
        &self.gradient
            + &self
                .equality_jacobian
                .t()
                .dot(&ArrayView1::from(&multipliers.equality))
            + self
                .inequality_jacobian
                .t()
                .dot(&ArrayView1::from(&multipliers.inequality))
    }

    /// Σ|hᵢ| + Σmax(gⱼ, 0).
    pub fn violation(&self) -> f64 {
        self.equalities.iter().map(|h| h.abs()).sum::<f64>()
            + self.inequalities.iter().map(|g| g.max(0.0)).sum::<f64>()
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.value.is_finite()
            && self.gradient.iter().all(|value| value.is_finite())
            && self
                .equalities
                .iter()
                .chain(&self.inequalities)
                .all(|value| value.is_finite())
            && self.equality_jacobian.iter().all(|value| value.is_finite())
            && self
                .inequality_jacobian
                .iter()
                .all(|value| value.is_finite())
    }
}

impl<'a> Problem<'a> {
    /// The problem of `dimension` variables without constraints.
    pub fn new(dimension: usize, objective: impl Objective + 'a) -> Self {
        Problem {
            dimension,
            objective: Box::new(objective),
            equalities: Vec::new(),
            inequalities: Vec::new(),
            hessian: None,
        }
    }

    /// Adds a constraint h = 0.
    pub fn equality(mut self, constraint: impl Objective + 'a) -> Self {
        self.equalities.push(Box::new(constraint));
        self
    }

    /// Adds a constraint g ≤ 0.
    pub fn inequality(mut self, constraint: impl Objective + 'a) -> Self {
        self.inequalities.push(Box::new(constraint));
        self
    }

    /// Says how to write the Hessian of the Lagrangian, ∇²f + Σλᵢ∇²hᵢ + Σαⱼ∇²gⱼ.
    pub fn hessian(
        mut self,
        hessian: impl FnMut(&[f64], &Multipliers, &mut Array2<f64>) + 'a,
    ) -> Self {
        self.hessian = Some(Box::new(hessian));
        self
    }

    /// Number of variables.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Numbers of equalities and inequalities.
    pub fn n_constraints(&self) -> (usize, usize) {
        (self.equalities.len(), self.inequalities.len())
    }

    /// Objective and constraints at a point.
    pub fn evaluate(&mut self, x: &[f64]) -> Result<Evaluated> {
        self.check_point(x)?;
        let n = self.dimension;
        let mut gradient = Array1::zeros(n);
        let value = {
            let mut buffer = vec![0.0; n];
            let value = self.objective.evaluate(x, &mut buffer)?;
            gradient.assign(&ArrayView1::from(&buffer));
            value
        };
        let (equalities, equality_jacobian) = rows(&mut self.equalities, x)?;
        let (inequalities, inequality_jacobian) = rows(&mut self.inequalities, x)?;
        Ok(Evaluated {
            value,
            gradient,
            equalities,
            equality_jacobian,
            inequalities,
            inequality_jacobian,
        })
    }

    /// The Lagrangian L = f + Σλᵢhᵢ + Σαⱼgⱼ; without multipliers it is the objective.
    pub fn lagrangian(&mut self, x: &[f64], multipliers: &Multipliers) -> Result<f64> {
        self.check_multipliers(multipliers)?;
        let at = self.evaluate(x)?;
        let shares = multipliers.equality.iter().zip(&at.equalities);
        let others = multipliers.inequality.iter().zip(&at.inequalities);
        Ok(at.value
            + shares
                .chain(others)
                .map(|(share, value)| share * value)
                .sum::<f64>())
    }

    /// What an opponent who chooses λ and α ≥ 0 can make of the Lagrangian at x: the objective
    /// where x fulfils the constraints (within the tolerance), infinity elsewhere.
    pub fn primal_value(&mut self, x: &[f64], tolerance: f64) -> Result<f64> {
        let at = self.evaluate(x)?;
        let is_feasible = at.equalities.iter().all(|h| h.abs() <= tolerance)
            && at.inequalities.iter().all(|g| *g <= tolerance);
        Ok(if is_feasible { at.value } else { f64::INFINITY })
    }

    /// How far x with these multipliers fails the four conditions.
    pub fn kkt(&mut self, x: &[f64], multipliers: &Multipliers) -> Result<KktReport> {
        self.check_multipliers(multipliers)?;
        Ok(self.evaluate(x)?.kkt(multipliers))
    }

    /// Writes the Hessian of the Lagrangian; false where the problem does not tell it.
    pub(crate) fn write_hessian(
        &mut self,
        x: &[f64],
        multipliers: &Multipliers,
        hessian: &mut Array2<f64>,
    ) -> bool {
        match &mut self.hessian {
            Some(write) => {
                write(x, multipliers, hessian);
                true
            }
            None => false,
        }
    }

    pub(crate) fn check_point(&self, x: &[f64]) -> Result<()> {
        if x.len() != self.dimension {
            return Err(Error::parameter(
                "x",
                format!("of length {}", x.len()),
                format!("it must have {} coordinates", self.dimension),
            ));
        }
        crate::outcome::check_point(x)
    }

    pub(crate) fn check_multipliers(&self, multipliers: &Multipliers) -> Result<()> {
        let found = (multipliers.equality.len(), multipliers.inequality.len());
        match found == self.n_constraints() {
            true => Ok(()),
            false => Err(Error::parameter(
                "multipliers",
                format!("{} and {}", found.0, found.1),
                format!(
                    "there must be one for each of {} equalities and {} inequalities",
                    self.equalities.len(),
                    self.inequalities.len()
                ),
            )),
        }
    }

    /// Multipliers of zero.
    pub fn zero_multipliers(&self) -> Multipliers {
        Multipliers {
            equality: vec![0.0; self.equalities.len()],
            inequality: vec![0.0; self.inequalities.len()],
        }
    }
}

/// Values and gradients of constraints, the gradients as rows.
fn rows(constraints: &mut [Box<dyn Objective + '_>], x: &[f64]) -> Result<(Vec<f64>, Array2<f64>)> {
    let mut jacobian = Array2::zeros((constraints.len(), x.len()));
    let mut values = Vec::with_capacity(constraints.len());
    let mut gradient = vec![0.0; x.len()];
    for (constraint, mut row) in constraints.iter_mut().zip(jacobian.rows_mut()) {
        values.push(constraint.evaluate(x, &mut gradient)?);
        row.assign(&ArrayView1::from(&gradient));
    }
    Ok((values, jacobian))
}

/// Where a constrained minimisation ended and why.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstrainedOutcome {
    /// The point.
    pub x: Vec<f64>,
    /// The objective there.
    pub value: f64,
    /// The multipliers there.
    pub multipliers: Multipliers,
    /// How far point and multipliers fail the four conditions.
    pub kkt: KktReport,
    /// Which test ended the search.
    pub stop: Stop,
    /// The worst of the four conditions after each iteration.
    pub trace: Trace,
    /// What the user should know.
    pub warnings: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ½‖w‖² where yᵢ(w·xᵢ + b) ≥ 1 for the points (1, 1) of class + and (−1, −1) of class −:
    /// w = (½, ½), b = 0, both multipliers ¼.
    fn margin() -> Problem<'static> {
        let constraint = |sign: f64| {
            move |x: &[f64], gradient: &mut [f64]| {
                gradient.copy_from_slice(&[-1.0, -1.0, -sign]);
                1.0 - (x[0] + x[1] + sign * x[2])
            }
        };
        Problem::new(3, |x: &[f64], gradient: &mut [f64]| {
            gradient.copy_from_slice(&[x[0], x[1], 0.0]);
            0.5 * (x[0] * x[0] + x[1] * x[1])
        })
        .inequality(constraint(1.0))
        .inequality(constraint(-1.0))
    }

    // 000a:SUP-14 000b:Q02 001:LAG-06
    #[test]
    fn all_four_residuals_vanish_at_the_largest_margin_and_each_shows_its_own_fault() {
        let alpha = |a: f64, b: f64| Multipliers {
            equality: vec![],
            inequality: vec![a, b],
        };
        let mut problem = margin();
        let mut report = |x: [f64; 3], a: f64, b: f64| problem.kkt(&x, &alpha(a, b)).unwrap();
        let best = [0.5, 0.5, 0.0];
        assert_eq!(report(best, 0.25, 0.25).largest(), 0.0);
        // Stationarity is w = Σαᵢyᵢxᵢ and Σαᵢyᵢ = 0.
        assert_eq!(report(best, 0.25, 0.5).stationarity, 0.25);
        assert_eq!(report([0.0; 3], 0.0, 0.0).feasibility, 1.0);
        assert_eq!(report(best, -0.25, 0.25).dual_feasibility, 0.25);
        // Inactive constraints must have no multiplier.
        assert_eq!(report([1.0, 1.0, 0.0], 0.5, 0.5).complementarity, 0.5);
    }

    // 000a:SUP-14 001:LAG-02
    #[test]
    fn the_opponent_makes_the_objective_of_a_feasible_point_and_infinity_of_others() {
        let mut problem = margin();
        assert_eq!(problem.primal_value(&[0.5, 0.5, 0.0], 0.0).unwrap(), 0.25);
        assert_eq!(
            problem.primal_value(&[0.4, 0.5, 0.0], 0.0).unwrap(),
            f64::INFINITY
        );
        // With α ≥ 0 no choice lifts a feasible Lagrangian above the objective; a negative α would.
        let lagrangian = |problem: &mut Problem<'_>, a: f64| {
            let multipliers = Multipliers {
                equality: vec![],
                inequality: vec![a, 0.0],
            };
            problem.lagrangian(&[1.0, 1.0, 0.0], &multipliers).unwrap()
        };
        assert!(lagrangian(&mut problem, 3.0) <= 1.0 && lagrangian(&mut problem, -3.0) > 1.0);
    }

    // 000b:Q01 001:LAG-01
    #[test]
    fn the_lagrangian_without_multipliers_is_the_objective_and_has_a_saddle_at_the_solution() {
        let mut problem = margin();
        let zero = problem.zero_multipliers();
        assert_eq!(problem.lagrangian(&[0.3, 0.1, 2.0], &zero).unwrap(), 0.05);
        let at = |problem: &mut Problem<'_>, x: [f64; 3], a: [f64; 2]| {
            let multipliers = Multipliers {
                equality: vec![],
                inequality: a.to_vec(),
            };
            problem.lagrangian(&x, &multipliers).unwrap()
        };
        let (best, alpha) = ([0.5, 0.5, 0.0], [0.25, 0.25]);
        let saddle = at(&mut problem, best, alpha);
        for change in [-0.2, 0.3] {
            let moved = [best[0] + change, best[1], best[2] + change];
            assert!(at(&mut problem, moved, alpha) >= saddle - 1e-15);
            assert!(at(&mut problem, best, [alpha[0] + change, alpha[1]]) <= saddle + 1e-15);
        }
        // The gradient of the Lagrangian, against differences.
        let multipliers = Multipliers {
            equality: vec![],
            inequality: vec![0.3, 0.8],
        };
        let x = [0.2, -0.7, 0.4];
        let gradient = problem
            .evaluate(&x)
            .unwrap()
            .lagrangian_gradient(&multipliers);
        let expected =
            crate::finite_difference_gradient(|x| problem.lagrangian(x, &multipliers), &x).unwrap();
        for (found, expected) in gradient.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-8);
        }
    }

    #[test]
    fn points_and_multipliers_of_the_wrong_size_are_named() {
        let mut problem = margin();
        let error = problem.evaluate(&[0.0]).unwrap_err().to_string();
        assert!(
            error.contains("x is of length 1; it must have 3"),
            "{error}"
        );
        let error = problem
            .kkt(&[0.0; 3], &Multipliers::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("multipliers is 0 and 0"), "{error}");
    }
}
