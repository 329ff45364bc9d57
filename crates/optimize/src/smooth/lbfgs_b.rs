//! L-BFGS within a box.

use super::Memory;
use crate::descent::Point;
use crate::outcome::{Log, check_point, check_start, has_settled, largest_magnitude, norm};
use crate::{BoxSet, Objective, Outcome, Penalty, Stop};
use didact_core::{Error, Result, Run, parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shortenings of a step after which no descent is possible in floating point.
const SHORTENINGS: usize = 50;
/// Steps in a row that may lower the value by nothing but rounding.
const LEVEL: usize = 10;

/// L-BFGS with a lower and an upper bound on each variable.
///
/// Variables at a bound towards which the slope pushes them stay there; the others take a
/// quasi-Newton step among themselves, and the step is bent back into the box: the path
/// P(x + t·p) is searched for a sufficient fall. Converged when the projected gradient
/// P(x − ∇f) − x vanishes.
///
/// ```
/// use didact_optimize::{BoxSet, LbfgsB};
/// use didact_core::Run;
/// // (x − 3)² + (y + 1)² within 0 ≤ x ≤ 2 and any y: (2, −1).
/// let mut bowl = |x: &[f64], gradient: &mut [f64]| {
///     (gradient[0], gradient[1]) = (2.0 * (x[0] - 3.0), 2.0 * (x[1] + 1.0));
///     (x[0] - 3.0).powi(2) + (x[1] + 1.0).powi(2)
/// };
/// let bounds = BoxSet::new(vec![0.0, f64::NEG_INFINITY], vec![2.0, f64::INFINITY])?;
/// let outcome = LbfgsB::default().minimise(&mut bowl, &bounds, &[1.0, 1.0], &Run::new())?;
/// assert!(outcome.x[0] == 2.0 && (outcome.x[1] + 1.0).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LbfgsB {
    /// How many of the last steps describe the curvature.
    #[schemars(range(min = 1))]
    pub memory: usize,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of the projected gradient is larger in magnitude.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the value f by at most this much times max(|f|, 1);
    /// zero leaves the decision to the gradient.
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
}

impl Default for LbfgsB {
    fn default() -> Self {
        LbfgsB {
            memory: 10,
            max_iter: 15_000,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
        }
    }
}

impl LbfgsB {
    /// Minimises `objective` within `bounds` from `start` (moved into the box where it lies
    /// outside), telling `run` of every iteration.
    pub fn minimise(
        &self,
        objective: &mut dyn Objective,
        bounds: &BoxSet,
        start: &[f64],
        run: &Run,
    ) -> Result<Outcome> {
        parameters::check(self)?;
        check_point(start)?;
        if bounds.lower().len() != start.len() {
            return Err(Error::parameter(
                "bounds",
                format!("for {} variables", bounds.lower().len()),
                format!("there must be one pair for each of the {}", start.len()),
            ));
        }
        let mut log = Log::new(run, self.max_iter);
        let mut point = Point::new(start);
        bounds.step(&mut point.x, 1.0);
        point.value = log.evaluate(objective, &point.x, &mut point.gradient)?;
        check_start(point.value, &point.gradient)?;
        let mut next = point.clone();
        let mut search = Search {
            bounds,
            memory: Memory::new(self.memory),
            direction: vec![0.0; start.len()],
            is_free: vec![true; start.len()],
        };
        let mut level = 0;
        let stop = loop {
            let slope = search.projected_gradient(&point);
            if slope <= self.gradient_tolerance {
                break Stop::Gradient;
            }
            if log.trace.n_iter() == self.max_iter {
                break Stop::IterationLimit;
            }
            search.choose(&point, slope);
            let found = search.bend(objective, &mut log, &point, &mut next)?;
            level = if found && next.value < point.value {
                0
            } else {
                level + 1
            };
            if !found || level > LEVEL {
                // What was learned may describe a curvature that is gone.
                if search.memory.is_empty() || level > LEVEL {
                    break Stop::Stalled;
                }
                search.memory.clear();
                continue;
            }
            search
                .memory
                .remember((&point.x, &point.gradient), (&next.x, &next.gradient));
            std::mem::swap(&mut point, &mut next);
            log.trace.record(point.value)?;
            if point.value == f64::NEG_INFINITY {
                break Stop::Diverged;
            }
            if has_settled(next.value, point.value, self.objective_tolerance) {
                break Stop::Objective;
            }
        };
        let slope = search.projected_gradient(&point);
        Ok(log.finish(point.x, point.value, slope, stop))
    }
}

struct Search<'a> {
    bounds: &'a BoxSet,
    memory: Memory,
    direction: Vec<f64>,
    is_free: Vec<bool>,
}

impl Search<'_> {
    /// The largest entry of P(x − ∇f) − x.
    fn projected_gradient(&self, point: &Point) -> f64 {
        let mut moved: Vec<f64> = point
            .x
            .iter()
            .zip(&point.gradient)
            .map(|(x, g)| x - g)
            .collect();
        self.bounds.step(&mut moved, 1.0);
        moved
            .iter_mut()
            .zip(&point.x)
            .for_each(|(moved, x)| *moved -= x);
        largest_magnitude(&moved)
    }

    /// Chooses the free variables and a direction that leads down along the path bent into the
    /// box.
    fn choose(&mut self, point: &Point, slope: f64) {
        // Variables this near to a bound that they are pushed to count as bound; the margin
        // vanishes at the solution.
        let margin = slope.min(1e-8);
        for i in 0..point.x.len() {
            let (x, g) = (point.x[i], point.gradient[i]);
            let is_held = (x <= self.bounds.lower()[i] + margin && g > 0.0)
                || (x >= self.bounds.upper()[i] - margin && g < 0.0);
            self.is_free[i] = !is_held;
            self.direction[i] = if is_held { 0.0 } else { -g };
        }
        self.memory.apply_free(&mut self.direction, &self.is_free);
        let promise: f64 = self
            .direction
            .iter()
            .zip(&point.gradient)
            .map(|(p, g)| p * g)
            .sum();
        let is_downhill = promise < 0.0 && self.direction.iter().all(|p| p.is_finite());
        for i in 0..point.x.len() {
            if !is_downhill || !self.is_free[i] {
                self.direction[i] = -point.gradient[i];
            }
        }
        if !is_downhill {
            self.memory.clear();
        }
    }

    /// Looks for a point on P(x + t·p) that is low enough; leaves it in `next`.
    fn bend(
        &mut self,
        objective: &mut dyn Objective,
        log: &mut Log<'_>,
        point: &Point,
        next: &mut Point,
    ) -> Result<bool> {
        let mut t = match self.memory.is_empty() {
            true => norm(&self.direction).recip().min(1.0),
            false => 1.0,
        };
        for _ in 0..SHORTENINGS {
            for i in 0..point.x.len() {
                next.x[i] = point.x[i] + t * self.direction[i];
            }
            self.bounds.step(&mut next.x, 1.0);
            if next.x == point.x {
                return Ok(false);
            }
            next.value = log.evaluate(objective, &next.x, &mut next.gradient)?;
            let promise: f64 = (0..point.x.len())
                .map(|i| point.gradient[i] * (next.x[i] - point.x[i]))
                .sum();
            let is_sound = largest_magnitude(&next.gradient).is_finite() && !next.value.is_nan();
            let is_low = next.value <= point.value + 1e-4 * promise;
            // Near the bottom the fall drowns in the rounding of the values.
            let is_level = (next.value - point.value).abs()
                <= 8.0 * f64::EPSILON * point.value.abs()
                && self.projected_gradient(next) < self.projected_gradient(point);
            if is_sound && promise < 0.0 && (is_low || is_level) {
                return Ok(true);
            }
            // The minimum of the parabola through both values and the first slope.
            let fall = next.value - point.value - promise;
            let best = -0.5 * promise / fall;
            t *= if is_sound && best.is_finite() {
                best.clamp(0.1, 0.5)
            } else {
                0.1
            };
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{rosenbrock, valley_start};
    use crate::{ActiveSet, Quadratic, QuadraticProgram};
    use didact_testing::random_matrix;
    use ndarray::Array2;

    const SCIPY: [f64; 6] = [
        0.8,
        0.819953384655,
        0.780959556902,
        0.678048349778,
        0.507630370369,
        0.3,
    ];
    const SCIPY_VALUE: f64 = 5.757708429624597;

    // 000b:Q22
    // SciPy 1.17.1: minimize(method="L-BFGS-B", bounds=…, ftol=0, gtol=1e-10) from 0.5 in all
    // coordinates; there is a second minimum with x₁ ≈ −0.94.
    #[test]
    fn rosenbrock_in_a_box_ends_where_scipys_does() {
        let bounds = BoxSet::new([-2.0, 0.3].repeat(3), [0.8, 2.0].repeat(3)).unwrap();
        let method = LbfgsB {
            gradient_tolerance: 1e-9,
            ..Default::default()
        };
        let outcome = method
            .minimise(&mut rosenbrock, &bounds, &[0.5; 6], &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Gradient, "{outcome:?}");
        for (found, expected) in outcome.x.iter().zip(SCIPY) {
            assert!((found - expected).abs() < 1e-6, "{:?}", outcome.x);
        }
        assert!((outcome.value - SCIPY_VALUE).abs() < 1e-9 * SCIPY_VALUE);
        assert!(
            outcome
                .trace
                .objectives
                .windows(2)
                .all(|pair| pair[1] <= pair[0] * (1.0 + 8.0 * f64::EPSILON))
        );
    }

    // 000b:Q22
    #[test]
    fn quadratics_in_boxes_agree_with_the_active_set_method() {
        for seed in 0..20 {
            let n = 6;
            let root = random_matrix(n, n, seed);
            let hessian = root.dot(&root.t()) + Array2::<f64>::eye(n) * 0.1;
            let linear = random_matrix(1, n, seed ^ 99).row(0).to_owned() * 5.0;
            let (lower, upper) = (vec![-0.5; n], vec![1.0; n]);
            let program = QuadraticProgram::new(hessian.clone(), linear.clone())
                .unwrap()
                .bounds(&lower, &upper)
                .unwrap();
            let exact = ActiveSet::default()
                .solve(&program, &Run::new())
                .unwrap()
                .optimal()
                .unwrap();
            let bounds = BoxSet::new(lower, upper).unwrap();
            let mut objective = Quadratic::new(hessian, linear).unwrap();
            let outcome = LbfgsB::default()
                .minimise(&mut objective, &bounds, &vec![9.0; n], &Run::new())
                .unwrap();
            assert_eq!(outcome.stop, Stop::Gradient, "{seed} {outcome:?}");
            for (found, expected) in outcome.x.iter().zip(&exact.x) {
                assert!((found - expected).abs() < 1e-6, "{seed}");
            }
        }
    }

    #[test]
    fn without_bounds_it_follows_the_valley_and_with_equal_bounds_nothing_moves() {
        let open = BoxSet::new(vec![f64::NEG_INFINITY; 10], vec![f64::INFINITY; 10]).unwrap();
        let outcome = LbfgsB::default()
            .minimise(&mut rosenbrock, &open, &valley_start(10), &Run::new())
            .unwrap();
        assert!(
            outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-6),
            "{outcome:?}"
        );
        let fixed = BoxSet::new(vec![0.5, 0.5], vec![0.5, 0.5]).unwrap();
        let outcome = LbfgsB::default()
            .minimise(&mut rosenbrock, &fixed, &[3.0, 3.0], &Run::new())
            .unwrap();
        assert_eq!((outcome.x, outcome.stop), (vec![0.5, 0.5], Stop::Gradient));
        let error = LbfgsB::default().minimise(&mut rosenbrock, &fixed, &[0.0; 3], &Run::new());
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("bounds is for 2 variables")
        );
    }
}
