//! Newton's method without ever seeing the Hessian.

use crate::descent::{Direction, Limits, Point, descend};
use crate::outcome::{Log, add_scaled, norm};
use crate::{Curved, LineSearch, Outcome};
use didact_core::{Result, Run, parameters};
use didact_math::numeric::dot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Truncated Newton: the step solves H·p = −∇f only roughly, by conjugate gradients.
///
/// Needs products of the Hessian and a vector, never the Hessian, so that it serves many
/// variables. The system is solved to a relative residual of min(½, √‖∇f‖): roughly far from the
/// minimum, accurately near it, which gives superlinear convergence. Where a direction of
/// negative curvature turns up, the solve ends with what it has.
///
/// ```
/// use didact_optimize::{Quadratic, TruncatedNewton};
/// use didact_core::Run;
/// use ndarray::array;
/// let mut bowl = Quadratic::new(array![[4.0, 1.0], [1.0, 3.0]], array![1.0, 2.0])?;
/// let outcome = TruncatedNewton::default().minimise(&mut bowl, &[9.0, -9.0], &Run::new())?;
/// assert!((outcome.x[1] - 7.0 / 11.0).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TruncatedNewton {
    /// At most this many iterations.
    pub max_iter: usize,
    /// At most this many products of the Hessian and a vector in each.
    #[schemars(range(min = 1))]
    pub max_products: usize,
    /// Converged when no entry of the gradient is larger in magnitude.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the value f by at most this much times max(|f|, 1).
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
}

impl Default for TruncatedNewton {
    fn default() -> Self {
        TruncatedNewton {
            max_iter: 500,
            max_products: 200,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
        }
    }
}

impl TruncatedNewton {
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
        let n = start.len();
        let mut rule = RoughStep {
            max_products: self.max_products,
            residual: vec![0.0; n],
            conjugate: vec![0.0; n],
            product: vec![0.0; n],
        };
        descend(
            objective,
            start,
            &mut rule,
            &LineSearch::armijo(),
            &limits,
            run,
        )
    }
}

struct RoughStep {
    max_products: usize,
    residual: Vec<f64>,
    conjugate: Vec<f64>,
    product: Vec<f64>,
}

impl Direction<dyn Curved + '_> for RoughStep {
    fn choose(
        &mut self,
        objective: &mut (dyn Curved + '_),
        point: &Point,
        log: &mut Log<'_>,
        direction: &mut [f64],
    ) -> Result<f64> {
        let slope = norm(&point.gradient);
        let goal = slope * slope.sqrt().min(0.5);
        direction.fill(0.0);
        for i in 0..direction.len() {
            self.residual[i] = -point.gradient[i];
        }
        self.conjugate.copy_from_slice(&self.residual);
        let mut squared = dot(&self.residual, &self.residual);
        for round in 0..self.max_products {
            log.run.check()?;
            log.evaluations.curvatures += 1;
            objective.hessian_product(&point.x, &self.conjugate, &mut self.product)?;
            let curvature = dot(&self.conjugate, &self.product);
            if curvature.is_nan() || curvature <= 1e-14 * dot(&self.conjugate, &self.conjugate) {
                if round == 0 {
                    direction.copy_from_slice(&self.residual);
                }
                break;
            }
            let step = squared / curvature;
            add_scaled(direction, step, &self.conjugate);
            add_scaled(&mut self.residual, -step, &self.product);
            let before = std::mem::replace(&mut squared, dot(&self.residual, &self.residual));
            if squared.sqrt() <= goal {
                break;
            }
            for i in 0..direction.len() {
                self.conjugate[i] = self.residual[i] + squared / before * self.conjugate[i];
            }
        }
        Ok(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{rosenbrock, rosenbrock_hessian, valley_start};
    use crate::{Objective, Stop, WithHessian};
    use ndarray::Array2;

    // 002b:ES-06
    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        for n in [2, 10, 60] {
            let mut valley = WithHessian::new(rosenbrock, rosenbrock_hessian);
            let method = TruncatedNewton::default();
            let outcome = method
                .minimise(&mut valley, &valley_start(n), &Run::new())
                .unwrap();
            assert_eq!(outcome.stop, Stop::Gradient);
            assert!(
                outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-6),
                "{outcome:?}"
            );
        }
    }

    /// ½Σ cᵢ(xᵢ − 1)² with a diagonal Hessian that is never written out.
    struct Diagonal(Vec<f64>);

    impl Objective for Diagonal {
        fn evaluate(&mut self, x: &[f64], gradient: &mut [f64]) -> Result<f64> {
            for i in 0..x.len() {
                gradient[i] = self.0[i] * (x[i] - 1.0);
            }
            Ok((0..x.len()).map(|i| 0.5 * gradient[i] * (x[i] - 1.0)).sum())
        }
    }

    impl Curved for Diagonal {
        fn hessian(&mut self, _: &[f64], _: &mut Array2<f64>) -> Result<()> {
            panic!("only products are asked for")
        }

        fn hessian_product(
            &mut self,
            _: &[f64],
            vector: &[f64],
            product: &mut [f64],
        ) -> Result<()> {
            (0..vector.len()).for_each(|i| product[i] = self.0[i] * vector[i]);
            Ok(())
        }
    }

    #[test]
    fn a_hundred_thousand_variables_need_only_products() {
        let mut problem = Diagonal((0..100_000).map(|i| 1.0 + (i % 17) as f64).collect());
        let method = TruncatedNewton::default();
        let outcome = method
            .minimise(&mut problem, &vec![0.0; 100_000], &Run::new())
            .unwrap();
        assert_eq!(outcome.stop, Stop::Gradient);
        assert!(outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-7));
    }
}
