//! Constraints as prices: the quadratic penalty and the augmented Lagrangian.

use super::{ConstrainedOutcome, Multipliers, Problem};
use crate::{Lbfgs, Minimise, Stop};
use didact_core::{Error, Result, Run, TraceWriter, parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a round of either method found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PenaltyRound {
    /// The price μ of the round.
    pub penalty: f64,
    /// The minimum of the round's objective.
    pub x: Vec<f64>,
    /// The estimate of the multipliers after the round.
    pub multipliers: Multipliers,
}

/// The quadratic penalty method: min f + (μ/2)·(Σhᵢ² + Σmax(gⱼ, 0)²) for growing μ.
///
/// Each round starts where the last one ended. The minimum approaches the solution as μ grows, and
/// μ·h approaches the multipliers, but the problem becomes ever worse conditioned: the augmented
/// Lagrangian needs no large μ.
///
/// ```
/// use didact_optimize::{Problem, QuadraticPenalty};
/// use didact_core::Run;
/// // min x + y where x² + y² = 2.
/// let mut problem = Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
///     gradient.fill(1.0);
///     x[0] + x[1]
/// })
/// .equality(|x: &[f64], gradient: &mut [f64]| {
///     (gradient[0], gradient[1]) = (2.0 * x[0], 2.0 * x[1]);
///     x[0] * x[0] + x[1] * x[1] - 2.0
/// });
/// let (outcome, rounds) =
///     QuadraticPenalty::default().minimise(&mut problem, &[-1.5, -1.4], &Run::new())?;
/// assert!((outcome.x[0] + 1.0).abs() < 1e-6);
/// assert!((rounds[0].x[0] + 1.107159872).abs() < 1e-6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuadraticPenalty {
    /// The first price μ.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub penalty: f64,
    /// The factor by which μ grows from round to round.
    #[schemars(extend("exclusiveMinimum" = 1))]
    pub growth: f64,
    /// At most this many rounds.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Converged when every constraint holds to this.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
}

impl Default for QuadraticPenalty {
    fn default() -> Self {
        QuadraticPenalty {
            penalty: 1.0,
            growth: 10.0,
            max_iter: 12,
            tolerance: 1e-6,
        }
    }
}

impl QuadraticPenalty {
    /// Minimises the problem from `start` with L-BFGS inside, and returns every round as well.
    pub fn minimise(
        &self,
        problem: &mut Problem<'_>,
        start: &[f64],
        run: &Run,
    ) -> Result<(ConstrainedOutcome, Vec<PenaltyRound>)> {
        parameters::check(self)?;
        let plan = Plan {
            penalty: self.penalty,
            growth: self.growth,
            max_iter: self.max_iter,
            tolerance: self.tolerance,
            updates: false,
        };
        plan.follow(problem, start, run)
    }
}

/// The augmented Lagrangian: min over x of f + Σλᵢhᵢ + (μ/2)·Σhᵢ², then λ ← λ + μ·h(x).
///
/// It converges at a fixed μ, because the multipliers do the work that an infinite price would;
/// μ grows only where the constraints do not improve enough. Inequalities g ≤ 0 enter as
/// (μ/2)·max(g + α/μ, 0)² with α ← max(α + μ·g, 0).
///
/// ```
/// use didact_optimize::{AugmentedLagrangian, Problem};
/// use didact_core::Run;
/// let mut problem = Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
///     gradient.fill(1.0);
///     x[0] + x[1]
/// })
/// .equality(|x: &[f64], gradient: &mut [f64]| {
///     (gradient[0], gradient[1]) = (2.0 * x[0], 2.0 * x[1]);
///     x[0] * x[0] + x[1] * x[1] - 2.0
/// });
/// let (outcome, _) =
///     AugmentedLagrangian::default().minimise(&mut problem, &[-1.5, -1.4], &Run::new())?;
/// assert!((outcome.multipliers.equality[0] - 0.5).abs() < 1e-7);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AugmentedLagrangian {
    /// The first price μ.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub penalty: f64,
    /// The factor by which μ grows where a round improves the constraints too little; one keeps
    /// it fixed.
    #[schemars(range(min = 1))]
    pub growth: f64,
    /// At most this many rounds.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Converged when every constraint holds to this and no product of multiplier and
    /// inequality is larger.
    #[schemars(range(min = 0))]
    pub tolerance: f64,
}

impl Default for AugmentedLagrangian {
    fn default() -> Self {
        AugmentedLagrangian {
            penalty: 10.0,
            growth: 10.0,
            max_iter: 100,
            tolerance: 1e-9,
        }
    }
}

impl AugmentedLagrangian {
    /// Minimises the problem from `start` with L-BFGS inside, and returns every round as well.
    pub fn minimise(
        &self,
        problem: &mut Problem<'_>,
        start: &[f64],
        run: &Run,
    ) -> Result<(ConstrainedOutcome, Vec<PenaltyRound>)> {
        parameters::check(self)?;
        let plan = Plan {
            penalty: self.penalty,
            growth: self.growth,
            max_iter: self.max_iter,
            tolerance: self.tolerance,
            updates: true,
        };
        plan.follow(problem, start, run)
    }
}

/// What both methods share; they differ in whether multipliers are carried along.
struct Plan {
    penalty: f64,
    growth: f64,
    max_iter: usize,
    tolerance: f64,
    updates: bool,
}

impl Plan {
    fn follow(
        &self,
        problem: &mut Problem<'_>,
        start: &[f64],
        run: &Run,
    ) -> Result<(ConstrainedOutcome, Vec<PenaltyRound>)> {
        problem.check_point(start)?;
        let mut trace = TraceWriter::new(run, "KKT residual", Some(self.max_iter));
        let mut carried = problem.zero_multipliers();
        let mut penalty = self.penalty;
        let mut x = start.to_vec();
        let mut rounds: Vec<PenaltyRound> = Vec::new();
        let mut worst_before = f64::INFINITY;
        let mut warnings = Vec::new();
        let stop = loop {
            if rounds.len() == self.max_iter {
                break Stop::IterationLimit;
            }
            let inner = Lbfgs {
                gradient_tolerance: 0.1 * self.tolerance.min(1e-8),
                ..Lbfgs::default()
            };
            let mut priced = |x: &[f64], gradient: &mut [f64]| {
                priced_value(problem, x, gradient, &carried, penalty)
            };
            let outcome = inner.minimise(&mut priced, &x, &run.quietly())?;
            if outcome.stop == Stop::Diverged {
                return Err(Error::parameter(
                    "penalty",
                    penalty,
                    "the objective falls without end at this price; choose a larger one",
                ));
            }
            x = outcome.x;
            let at = problem.evaluate(&x)?;
            let estimate = Multipliers {
                equality: carried
                    .equality
                    .iter()
                    .zip(&at.equalities)
                    .map(|(l, h)| l + penalty * h)
                    .collect(),
                inequality: carried
                    .inequality
                    .iter()
                    .zip(&at.inequalities)
                    .map(|(a, g)| (a + penalty * g).max(0.0))
                    .collect(),
            };
            let report = at.kkt(&estimate);
            trace.record(report.largest())?;
            rounds.push(PenaltyRound {
                penalty,
                x: x.clone(),
                multipliers: estimate.clone(),
            });
            let worst = report.feasibility.max(report.complementarity);
            if worst <= self.tolerance {
                break Stop::Gradient;
            }
            if self.updates {
                carried = estimate;
            }
            if !self.updates || worst > 0.25 * worst_before {
                penalty *= self.growth;
            }
            if penalty > 1e14 {
                warnings.push(format!(
                    "the price grew to {penalty:e} while a constraint still fails by {worst:e}; \
                     the problem may have no feasible point"
                ));
                break Stop::Stalled;
            }
            worst_before = worst;
        };
        let at = problem.evaluate(&x)?;
        let multipliers = rounds
            .last()
            .map(|round| round.multipliers.clone())
            .unwrap_or_default();
        let outcome = ConstrainedOutcome {
            value: at.value,
            kkt: at.kkt(&multipliers),
            x,
            multipliers,
            stop,
            trace: trace.finish(stop.into()),
            warnings,
        };
        Ok((outcome, rounds))
    }
}

/// f + Σλᵢhᵢ + (μ/2)Σhᵢ² + Σ(max(α + μg, 0)² − α²)/(2μ), and its gradient.
fn priced_value(
    problem: &mut Problem<'_>,
    x: &[f64],
    gradient: &mut [f64],
    carried: &Multipliers,
    penalty: f64,
) -> Result<f64> {
    let at = problem.evaluate(x)?;
    let mut value = at.value;
    let mut shares = Multipliers::default();
    for (lambda, h) in carried.equality.iter().zip(&at.equalities) {
        value += lambda * h + 0.5 * penalty * h * h;
        shares.equality.push(lambda + penalty * h);
    }
    for (alpha, g) in carried.inequality.iter().zip(&at.inequalities) {
        let share = (alpha + penalty * g).max(0.0);
        value += (share * share - alpha * alpha) / (2.0 * penalty);
        shares.inequality.push(share);
    }
    gradient.copy_from_slice(&at.lagrangian_gradient(&shares).to_vec());
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_gradient;

    /// min x + y where x² + y² = 2: (−1, −1), λ = ½.
    fn circle() -> Problem<'static> {
        Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
            gradient.fill(1.0);
            x[0] + x[1]
        })
        .equality(|x: &[f64], gradient: &mut [f64]| {
            (gradient[0], gradient[1]) = (2.0 * x[0], 2.0 * x[1]);
            x[0] * x[0] + x[1] * x[1] - 2.0
        })
    }

    // 000b:TV-17 000b:Q16
    #[test]
    fn penalties_approach_the_solution_as_published() {
        let method = QuadraticPenalty {
            max_iter: 4,
            ..Default::default()
        };
        let (_, rounds) = method
            .minimise(&mut circle(), &[-1.5, -1.4], &Run::new())
            .unwrap();
        let points = [-1.107159872, -1.012273131, -1.001247664, -1.000124977];
        let multipliers = [0.4516, 0.49394, 0.49938, 0.49994];
        for ((round, x), lambda) in rounds.iter().zip(points).zip(multipliers) {
            assert!(
                round.x.iter().all(|found| (found - x).abs() < 1e-8),
                "{round:?}"
            );
            assert!(
                (round.multipliers.equality[0] - lambda).abs() < 1e-5,
                "{round:?}"
            );
        }
        assert_eq!(
            rounds.iter().map(|round| round.penalty).collect::<Vec<_>>(),
            [1.0, 10.0, 100.0, 1000.0]
        );
    }

    // 000b:TV-17 000b:Q17
    #[test]
    fn the_augmented_lagrangian_converges_at_a_fixed_price_as_published() {
        let method = AugmentedLagrangian {
            growth: 1.0,
            ..Default::default()
        };
        let (outcome, rounds) = method
            .minimise(&mut circle(), &[-1.5, -1.4], &Run::new())
            .unwrap();
        let points = [-1.01227313103, -1.00014967227, -1.00000184753];
        let multipliers = [0.493937836214, 0.499925175064, 0.499999076238];
        for ((round, x), lambda) in rounds.iter().zip(points).zip(multipliers) {
            assert!(
                round.x.iter().all(|found| (found - x).abs() < 1e-8),
                "{round:?}"
            );
            // λ + μh, not λ − μh, and not λ + h.
            assert!(
                (round.multipliers.equality[0] - lambda).abs() < 1e-7,
                "{round:?}"
            );
        }
        assert_eq!(outcome.stop, Stop::Gradient);
        assert!(rounds.iter().all(|round| round.penalty == 10.0));
        assert!(outcome.x.iter().all(|x| (x + 1.0).abs() < 1e-8));
        assert!(outcome.kkt.largest() < 1e-7);
    }

    // 000b:Q17
    #[test]
    fn inequalities_are_held_where_they_bind_and_free_elsewhere() {
        // min (x − 2)² + (y − 1)² where x² ≤ y and x + y ≤ 2; and y ≤ 9, which does not bind.
        let mut problem = Problem::new(2, |x: &[f64], gradient: &mut [f64]| {
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
        })
        .inequality(|x: &[f64], gradient: &mut [f64]| {
            (gradient[0], gradient[1]) = (0.0, 1.0);
            x[1] - 9.0
        });
        let method = AugmentedLagrangian::default();
        let (outcome, _) = method
            .minimise(&mut problem, &[0.0, 0.0], &Run::new())
            .unwrap();
        assert!(
            outcome.x.iter().all(|x| (x - 1.0).abs() < 1e-7),
            "{outcome:?}"
        );
        let alpha = &outcome.multipliers.inequality;
        assert!((alpha[0] - 2.0 / 3.0).abs() < 1e-6 && (alpha[1] - 2.0 / 3.0).abs() < 1e-6);
        assert_eq!(alpha[2], 0.0);
        let carried = Multipliers {
            equality: vec![],
            inequality: vec![0.3, 0.1, 0.0],
        };
        let mut priced = |x: &[f64], gradient: &mut [f64]| {
            priced_value(&mut problem, x, gradient, &carried, 7.0)
        };
        assert!(check_gradient(&mut priced, &[1.4, 0.9]).unwrap().passes());
    }

    #[test]
    fn impossible_constraints_and_bad_prices_are_reported() {
        let mut impossible = Problem::new(1, |x: &[f64], gradient: &mut [f64]| {
            gradient[0] = x[0];
            0.5 * x[0] * x[0]
        })
        .equality(|x: &[f64], gradient: &mut [f64]| {
            gradient[0] = 2.0 * x[0];
            x[0] * x[0] + 1.0
        });
        let (outcome, _) = AugmentedLagrangian::default()
            .minimise(&mut impossible, &[1.0], &Run::new())
            .unwrap();
        assert!(!outcome.stop.is_converged() && outcome.kkt.feasibility > 0.9);
        let method = QuadraticPenalty {
            penalty: 0.0,
            ..Default::default()
        };
        let error = method
            .minimise(&mut circle(), &[1.0, 1.0], &Run::new())
            .unwrap_err();
        assert!(error.to_string().contains("penalty is 0"), "{error}");
    }
}
