//! What a step makes of a gradient, for numbers of either kind.

use crate::Real;
use didact_math::vectorised::vectorised;

/// How the gradient g of a step of length η becomes a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rule {
    /// u ← m·u − η·g, x ← x + u; with `nesterov` x ← x + m·u − η·g.
    Momentum { momentum: f64, nesterov: bool },
    /// Means of g and g², corrected for their start at zero; x ← x − η·m̂/(√v̂ + ε).
    Adam {
        beta_1: f64,
        beta_2: f64,
        epsilon: f64,
    },
}

impl Rule {
    /// Adam with the usual constants.
    pub(crate) const ADAM: Rule = Rule::Adam {
        beta_1: 0.9,
        beta_2: 0.999,
        epsilon: 1e-8,
    };
}

/// A rule at work: what it remembers between steps.
#[derive(Clone, Debug)]
pub(crate) struct Optimizer<T> {
    rule: Rule,
    steps: u64,
    first: Vec<T>,
    second: Vec<T>,
}

impl<T: Real> Optimizer<T> {
    pub(crate) fn new(rule: Rule, n_parameters: usize) -> Self {
        let second = match rule {
            Rule::Momentum { .. } => 0,
            Rule::Adam { .. } => n_parameters,
        };
        Optimizer {
            rule,
            steps: 0,
            first: vec![T::zero(); n_parameters],
            second: vec![T::zero(); second],
        }
    }

    /// Moves the parameters by one step of length `rate`.
    pub(crate) fn step(&mut self, parameters: &mut [T], gradient: &[T], rate: f64) {
        self.steps += 1;
        match self.rule {
            Rule::Momentum { momentum, nesterov } => {
                let (m, rate) = (T::of(momentum), T::of(rate));
                let ahead = if nesterov { m } else { T::one() };
                let fall = if nesterov { rate } else { T::zero() };
                let first = &mut self.first;
                vectorised(
                    #[inline(always)]
                    || {
                        for ((x, &g), u) in parameters.iter_mut().zip(gradient).zip(first) {
                            *u = m * *u - rate * g;
                            *x += ahead * *u - fall * g;
                        }
                    },
                );
            }
            Rule::Adam {
                beta_1,
                beta_2,
                epsilon,
            } => {
                let age = self.steps as f64;
                let c = T::of;
                let (b1, b2, epsilon) = (c(beta_1), c(beta_2), c(epsilon));
                let rate = c(rate / (1.0 - beta_1.powf(age)));
                let share = c(1.0 / (1.0 - beta_2.powf(age)));
                // Squares of larger slopes overflow in single precision.
                let limit = c(1e18);
                let (first, second) = (&mut self.first, &mut self.second);
                vectorised(
                    #[inline(always)]
                    || {
                        let moments = first.iter_mut().zip(second);
                        for ((x, &g), (m, v)) in parameters.iter_mut().zip(gradient).zip(moments) {
                            let g = g.max(-limit).min(limit);
                            *m = b1 * *m + (T::one() - b1) * g;
                            *v = b2 * *v + (T::one() - b2) * g * g;
                            *x -= rate * *m / ((*v * share).sqrt() + epsilon);
                        }
                    },
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_optimize::{UpdateRule, Updater};

    #[test]
    fn steps_are_those_of_the_rules_for_single_functions() {
        let adam = Rule::Adam {
            beta_1: 0.9,
            beta_2: 0.999,
            epsilon: 1e-8,
        };
        let ball = |nesterov| Rule::Momentum {
            momentum: 0.9,
            nesterov,
        };
        let pairs = [
            (adam, UpdateRule::adam()),
            (ball(false), UpdateRule::HeavyBall { momentum: 0.9 }),
            (ball(true), UpdateRule::Nesterov { momentum: 0.9 }),
        ];
        for (rule, expected) in pairs {
            let mut ours = Optimizer::<f64>::new(rule, 2);
            let mut theirs = Updater::new(expected, 2).unwrap();
            let (mut x, mut y) = ([1.0, -3.0], [1.0, -3.0]);
            for _ in 0..50 {
                let gradient = [x[0] * 2.0, x[1] - 0.5];
                ours.step(&mut x, &gradient, 0.05);
                theirs.update(&mut y, &gradient, 0.05);
                assert!(
                    (x[0] - y[0]).abs() < 1e-12 && (x[1] - y[1]).abs() < 1e-12,
                    "{rule:?}"
                );
            }
        }
    }

    #[test]
    fn the_steepest_slope_gives_a_finite_step() {
        let adam = Rule::Adam {
            beta_1: 0.9,
            beta_2: 0.999,
            epsilon: 1e-8,
        };
        let mut optimizer = Optimizer::<f32>::new(adam, 1);
        let mut x = [1.0_f32];
        optimizer.step(&mut x, &[1e30], 0.1);
        assert!((x[0] - 0.9).abs() < 1e-5);
    }
}
