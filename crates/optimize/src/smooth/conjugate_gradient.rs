//! Non-linear conjugate gradients.

use crate::descent::{Direction, Limits, Point, descend};
use crate::outcome::{Log, norm};
use crate::{LineSearch, Minimise, Objective, Outcome};
use didact_core::{Result, Run, parameters};
use didact_math::numeric::dot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the share β of the last direction is chosen; g and g′ are the old and the new gradient,
/// y = g′ − g, p the last direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConjugateRule {
    /// ‖g′‖² / ‖g‖².
    FletcherReeves,
    /// max(0, g′·y / ‖g‖²): starts afresh by itself where the steps become too short.
    #[default]
    PolakRibiere,
    /// max(0, g′·y / p·y).
    HestenesStiefel,
}

/// Non-linear conjugate gradients: p ← −∇f + β·p, with a line search for the Wolfe conditions.
///
/// Stores only a few vectors. On a quadratic with exact line search it is the linear method and
/// ends after at most n steps.
///
/// ```
/// use didact_optimize::{ConjugateGradient, Minimise, Quadratic};
/// use didact_core::Run;
/// use ndarray::array;
/// let mut bowl = Quadratic::new(array![[4.0, 1.0], [1.0, 3.0]], array![1.0, 2.0])?;
/// let outcome = ConjugateGradient::default().minimise(&mut bowl, &[0.0, 0.0], &Run::new())?;
/// // The solution of 4x + y = 1, x + 3y = 2.
/// assert!((outcome.x[0] - 1.0 / 11.0).abs() < 1e-8);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConjugateGradient {
    /// How the share of the last direction is chosen.
    pub rule: ConjugateRule,
    /// How far to go along each direction.
    pub line_search: LineSearch,
    /// At most this many iterations.
    pub max_iter: usize,
    /// Converged when no entry of the gradient is larger in magnitude.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when an iteration lowers the value f by at most this much times max(|f|, 1).
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
}

impl Default for ConjugateGradient {
    fn default() -> Self {
        ConjugateGradient {
            rule: ConjugateRule::default(),
            line_search: LineSearch::Wolfe {
                decrease: 1e-4,
                curvature: 0.1,
            },
            max_iter: 10_000,
            gradient_tolerance: 1e-8,
            objective_tolerance: 0.0,
        }
    }
}

impl Minimise for ConjugateGradient {
    fn minimise(&self, objective: &mut dyn Objective, start: &[f64], run: &Run) -> Result<Outcome> {
        parameters::check(self)?;
        let limits = Limits {
            max_iter: self.max_iter,
            gradient: self.gradient_tolerance,
            objective: self.objective_tolerance,
            step: 0.0,
        };
        let mut rule = Conjugate {
            rule: self.rule,
            last: None,
        };
        descend(objective, start, &mut rule, &self.line_search, &limits, run)
    }
}

struct Conjugate {
    rule: ConjugateRule,
    last: Option<Last>,
}

/// What is known of the last step.
struct Last {
    direction: Vec<f64>,
    beta: f64,
    /// The step length times the slope along the last direction.
    fall: f64,
}

impl<O: Objective + ?Sized> Direction<O> for Conjugate {
    fn choose(
        &mut self,
        _objective: &mut O,
        point: &Point,
        _log: &mut Log<'_>,
        direction: &mut [f64],
    ) -> Result<f64> {
        let usual = norm(&point.gradient).recip().min(1.0);
        if let Some(last) = &self.last {
            for i in 0..direction.len() {
                direction[i] = last.beta * last.direction[i] - point.gradient[i];
            }
            let slope = dot(direction, &point.gradient);
            // An inexact search can leave a direction that does not lead down.
            if slope < -1e-12 * norm(direction) * norm(&point.gradient) {
                let step = last.fall / slope;
                return Ok(if step.is_finite() && step > 0.0 {
                    step
                } else {
                    usual
                });
            }
            self.last = None;
        }
        for i in 0..direction.len() {
            direction[i] = -point.gradient[i];
        }
        Ok(usual)
    }

    fn learn(&mut self, from: &Point, to: &Point) {
        let n = from.x.len();
        let step: Vec<f64> = (0..n).map(|i| to.x[i] - from.x[i]).collect();
        let old = dot(&from.gradient, &from.gradient);
        let new = dot(&to.gradient, &to.gradient);
        let gain = new - dot(&to.gradient, &from.gradient);
        let fall = dot(&step, &from.gradient);
        let along = dot(&step, &to.gradient) - fall;
        // The step is a multiple t·p of the last direction, whose length cancels in β·p: with
        // p·g = −‖g‖² + …, t is recovered from the last direction where one is known.
        let length = match &self.last {
            Some(last) => {
                let direction: Vec<f64> = (0..n)
                    .map(|i| last.beta * last.direction[i] - from.gradient[i])
                    .collect();
                norm(&step) / norm(&direction)
            }
            None => norm(&step) / norm(&from.gradient),
        };
        let direction: Vec<f64> = step.iter().map(|step| step / length).collect();
        let beta = match self.rule {
            ConjugateRule::FletcherReeves => new / old,
            ConjugateRule::PolakRibiere => (gain / old).max(0.0),
            ConjugateRule::HestenesStiefel => (gain * length / along).max(0.0),
        };
        let is_sound = beta.is_finite() && direction.iter().all(|value| value.is_finite());
        self.last = is_sound.then_some(Last {
            direction,
            beta,
            fall,
        });
    }

    fn reset(&mut self) -> bool {
        self.last.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{rosenbrock, valley_start};
    use crate::{Quadratic, Stop};
    use didact_testing::random_matrix;
    use ndarray::{Array1, Array2};

    const RULES: [ConjugateRule; 3] = [
        ConjugateRule::FletcherReeves,
        ConjugateRule::PolakRibiere,
        ConjugateRule::HestenesStiefel,
    ];

    // 002b:ES-05
    #[test]
    fn a_quadratic_with_exact_search_takes_as_many_steps_as_it_has_variables() {
        let root = random_matrix(6, 6, 3);
        let matrix: Array2<f64> = root.dot(&root.t()) + Array2::<f64>::eye(6);
        for rule in RULES {
            let mut problem = Quadratic::new(matrix.clone(), Array1::ones(6)).unwrap();
            let method = ConjugateGradient {
                rule,
                line_search: LineSearch::Exact,
                gradient_tolerance: 1e-9,
                ..Default::default()
            };
            let outcome = method
                .minimise(&mut problem, &[0.0; 6], &Run::new())
                .unwrap();
            assert_eq!(outcome.stop, Stop::Gradient, "{rule:?}");
            assert!(
                outcome.iterations() <= 6,
                "{rule:?} {}",
                outcome.iterations()
            );
        }
    }

    // 002b:ES-05
    #[test]
    fn every_rule_follows_the_valley_of_rosenbrock() {
        for rule in RULES {
            let method = ConjugateGradient {
                rule,
                ..Default::default()
            };
            let outcome = method
                .minimise(&mut rosenbrock, &valley_start(4), &Run::new())
                .unwrap();
            assert_eq!(outcome.stop, Stop::Gradient, "{rule:?} {outcome:?}");
            assert!(outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{rule:?}");
        }
    }
}
