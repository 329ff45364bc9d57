//! Mini-batch gradient descent.

use super::{Schedule, UpdateRule, Updater};
use crate::outcome::{Log, check_point, check_start, has_settled, largest_magnitude};
use crate::{Outcome, Stop};
use didact_core::random::generator;
use didact_core::{Error, Result, Run, parameters};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mean of terms, one for each sample: f(x) = (1/n)·Σᵢ fᵢ(x).
pub trait FiniteSum {
    /// The number n of terms.
    fn len(&self) -> usize;

    /// Whether there are no terms.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds the gradients of the named terms to `gradient` and returns the sum of their values.
    fn add_terms(&mut self, terms: &[usize], x: &[f64], gradient: &mut [f64]) -> Result<f64>;
}

/// Mini-batch gradient descent on a mean of terms.
///
/// Each epoch visits every term once, in an order drawn anew (without replacement), in batches of
/// `batch_size`; a batch B moves the point by the rule applied to (1/|B|)·Σ ∇fᵢ. The last batch
/// may be shorter and is divided by its own size. With batches as large as the data this is
/// gradient descent; with batches of one it learns sample by sample.
///
/// The value reported for an epoch is the mean of the terms as they were met on the way.
///
/// ```
/// use didact_optimize::{FiniteSum, Schedule, StochasticDescent, UpdateRule};
/// use didact_core::{Result, Run};
/// /// ½(x − tᵢ)² for each tᵢ: the mean of t is best.
/// struct Mean(Vec<f64>);
/// impl FiniteSum for Mean {
///     fn len(&self) -> usize {
///         self.0.len()
///     }
///     fn add_terms(&mut self, terms: &[usize], x: &[f64], gradient: &mut [f64]) -> Result<f64> {
///         let errors = terms.iter().map(|&i| x[0] - self.0[i]);
///         Ok(errors.map(|error| { gradient[0] += error; 0.5 * error * error }).sum())
///     }
/// }
/// let method = StochasticDescent {
///     schedule: Schedule::Harmonic,
///     rate: 1.0,
///     batch_size: 1,
///     ..StochasticDescent::default()
/// };
/// let outcome = method.minimise(&mut Mean(vec![1.0, 2.0, 6.0]), &[0.0], &Run::new())?;
/// assert!((outcome.x[0] - 3.0).abs() < 1e-9);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StochasticDescent {
    /// How a gradient becomes a move.
    pub rule: UpdateRule,
    /// How the step length changes from step to step.
    pub schedule: Schedule,
    /// The first step length.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rate: f64,
    /// How many terms share a step.
    #[schemars(range(min = 1))]
    pub batch_size: usize,
    /// At most this many passes over all terms.
    pub epochs: usize,
    /// Whether each pass takes the terms in a new order.
    pub shuffle: bool,
    /// Governs the order of the terms.
    pub random_state: u64,
    /// Converged when no entry of the full gradient is larger in magnitude; looked at after each
    /// pass only where it is not zero, because it costs a pass of its own.
    #[schemars(range(min = 0))]
    pub gradient_tolerance: f64,
    /// Converged when a pass changes the mean value f by at most this much times max(|f|, 1).
    #[schemars(range(min = 0))]
    pub objective_tolerance: f64,
}

impl Default for StochasticDescent {
    fn default() -> Self {
        StochasticDescent {
            rule: UpdateRule::default(),
            schedule: Schedule::default(),
            rate: 0.01,
            batch_size: 32,
            epochs: 100,
            shuffle: true,
            random_state: 0,
            gradient_tolerance: 0.0,
            objective_tolerance: 0.0,
        }
    }
}

impl StochasticDescent {
    /// Minimises the mean of the terms from `start`, telling `run` of every pass.
    pub fn minimise(
        &self,
        objective: &mut dyn FiniteSum,
        start: &[f64],
        run: &Run,
    ) -> Result<Outcome> {
        parameters::check(self)?;
        self.schedule.check()?;
        check_point(start)?;
        if objective.is_empty() {
            return Err(Error::data("there are no terms to minimise the mean of"));
        }
        let mut pass = Pass {
            updater: Updater::new(self.rule, start.len())?,
            order: (0..objective.len()).collect(),
            gradient: vec![0.0; start.len()],
            steps: 0,
            method: self,
        };
        let mut log = Log::new(run, self.epochs);
        let mut x = start.to_vec();
        let (mut value, mut norm) = pass.measure(objective, &x, &mut log)?;
        check_start(value, &pass.gradient)?;
        let stop = loop {
            if self.gradient_tolerance > 0.0 && norm <= self.gradient_tolerance {
                break Stop::Gradient;
            }
            let epoch = log.trace.n_iter();
            if epoch == self.epochs {
                break Stop::IterationLimit;
            }
            let before =
                std::mem::replace(&mut value, pass.walk(objective, &mut x, epoch, &mut log)?);
            if !value.is_finite() || x.iter().any(|x| !x.is_finite()) {
                return Err(Error::parameter(
                    "rate",
                    self.rate,
                    format!(
                        "it makes the objective grow without bound in pass {}; choose a smaller one",
                        epoch + 1
                    ),
                ));
            }
            log.trace.record(value)?;
            if self.gradient_tolerance > 0.0 {
                norm = pass.measure(objective, &x, &mut log)?.1;
            }
            if epoch > 0
                && has_settled(
                    before.max(value),
                    before.min(value),
                    self.objective_tolerance,
                )
            {
                break Stop::Objective;
            }
            let left = self.schedule.reach_from(self.rate, pass.steps);
            if left * largest_magnitude(&pass.gradient).max(1.0)
                <= FROZEN * largest_magnitude(&x).max(1.0)
            {
                break Stop::Frozen;
            }
        };
        let (value, norm) = pass.measure(objective, &x, &mut log)?;
        if stop == Stop::Frozen && norm > 1e-3 {
            log.warnings.push(format!(
                "the step lengths shrank to nothing while the gradient is still {norm:e}: \
                 use a schedule that shrinks more slowly"
            ));
        }
        Ok(log.finish(x, value, norm, stop))
    }
}

/// Steps that together move less than this share of the point are none.
const FROZEN: f64 = 1e-14;

/// What a pass over the terms needs besides the point.
struct Pass<'a> {
    method: &'a StochasticDescent,
    updater: Updater,
    order: Vec<usize>,
    gradient: Vec<f64>,
    steps: usize,
}

impl Pass<'_> {
    /// Moves the point once for each batch and returns the mean of the values met.
    fn walk(
        &mut self,
        objective: &mut dyn FiniteSum,
        x: &mut [f64],
        epoch: usize,
        log: &mut Log<'_>,
    ) -> Result<f64> {
        if self.method.shuffle {
            // Each pass has a stream of its own, so that it can be repeated alone.
            let mut generator = generator(self.method.random_state, epoch as u64);
            self.order
                .iter_mut()
                .enumerate()
                .for_each(|(i, place)| *place = i);
            for i in (1..self.order.len()).rev() {
                self.order.swap(i, generator.random_range(0..=i));
            }
        }
        let mut total = 0.0;
        for batch in self.order.chunks(self.method.batch_size) {
            log.run.check()?;
            log.evaluations.gradients += 1;
            self.gradient.fill(0.0);
            total += objective.add_terms(batch, x, &mut self.gradient)?;
            let share = 1.0 / batch.len() as f64;
            self.gradient.iter_mut().for_each(|value| *value *= share);
            let rate = self.method.schedule.rate(self.method.rate, self.steps);
            self.updater.update(x, &self.gradient, rate);
            self.steps += 1;
        }
        Ok(total / self.order.len() as f64)
    }

    /// The mean of all terms at a point and the largest entry of its gradient.
    fn measure(
        &mut self,
        objective: &mut dyn FiniteSum,
        x: &[f64],
        log: &mut Log<'_>,
    ) -> Result<(f64, f64)> {
        log.run.check()?;
        log.evaluations.values += 1;
        self.gradient.fill(0.0);
        let total = objective.add_terms(&self.order, x, &mut self.gradient)?;
        let share = 1.0 / self.order.len() as f64;
        self.gradient.iter_mut().for_each(|value| *value *= share);
        Ok((total * share, largest_magnitude(&self.gradient)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GradientDescent, LineSearch, Minimise};
    use didact_testing::random_matrix;
    use ndarray::{Array1, Array2, ArrayView1};

    /// ½(xᵢ·w − yᵢ)² for each row.
    #[derive(Clone)]
    struct Squares {
        x: Array2<f64>,
        y: Array1<f64>,
        batches: Vec<Vec<usize>>,
    }

    impl Squares {
        fn new(rows: usize, columns: usize) -> Self {
            let x = random_matrix(rows, columns, 1);
            let y = x.dot(&Array1::ones(columns))
                + random_matrix(rows, 1, 2).column(0).mapv(|e| 0.1 * e);
            Squares {
                x,
                y,
                batches: Vec::new(),
            }
        }
    }

    impl FiniteSum for Squares {
        fn len(&self) -> usize {
            self.x.nrows()
        }

        fn add_terms(&mut self, terms: &[usize], w: &[f64], gradient: &mut [f64]) -> Result<f64> {
            self.batches.push(terms.to_vec());
            let mut value = 0.0;
            for &i in terms {
                let row = self.x.row(i);
                let error = row.dot(&ArrayView1::from(w)) - self.y[i];
                value += 0.5 * error * error;
                gradient
                    .iter_mut()
                    .zip(row)
                    .for_each(|(g, x)| *g += error * x);
            }
            Ok(value)
        }
    }

    fn method(batch_size: usize, rate: f64, epochs: usize) -> StochasticDescent {
        StochasticDescent {
            batch_size,
            rate,
            epochs,
            ..Default::default()
        }
    }

    // 001:REG-12 000b:D29 000a:GEN-12 002b:NN-15
    #[test]
    fn one_batch_of_everything_is_gradient_descent() {
        let mut sum = Squares::new(20, 3);
        let outcome = method(20, 0.1, 7)
            .minimise(&mut sum, &[0.0; 3], &Run::new())
            .unwrap();
        let mut whole = |w: &[f64], gradient: &mut [f64]| {
            gradient.fill(0.0);
            let all: Vec<usize> = (0..20).collect();
            let value = sum.add_terms(&all, w, gradient).unwrap();
            gradient.iter_mut().for_each(|g| *g /= 20.0);
            value / 20.0
        };
        let descent = GradientDescent {
            line_search: LineSearch::Fixed { step: 0.1 },
            max_iter: 7,
            ..Default::default()
        };
        let expected = descent
            .minimise(&mut whole, &[0.0; 3], &Run::new())
            .unwrap();
        for (a, b) in outcome.x.iter().zip(&expected.x) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    // 001:REG-12 000b:D28 000b:D29
    #[test]
    fn an_epoch_visits_every_term_once_and_the_short_batch_is_divided_by_its_own_size() {
        let mut sum = Squares::new(7, 2);
        let outcome = method(3, 0.05, 1)
            .minimise(&mut sum, &[0.0; 2], &Run::new())
            .unwrap();
        let batches = sum.batches[1..4].to_vec();
        assert_eq!(batches.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3, 1]);
        let mut seen = batches.concat();
        assert_ne!(seen, (0..7).collect::<Vec<_>>());
        seen.sort_unstable();
        assert_eq!(seen, (0..7).collect::<Vec<_>>());
        // By hand with the same batches.
        let mut w = vec![0.0; 2];
        for batch in &batches {
            let mut gradient = vec![0.0; 2];
            sum.add_terms(batch, &w, &mut gradient).unwrap();
            for i in 0..2 {
                w[i] -= 0.05 * gradient[i] / batch.len() as f64;
            }
        }
        for (a, b) in outcome.x.iter().zip(&w) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    // 001:REG-12 004:M67
    #[test]
    fn the_gradients_of_an_epoch_average_to_the_full_gradient() {
        let mut sum = Squares::new(12, 3);
        let w = [0.3, -0.2, 0.9];
        let mut full = [0.0; 3];
        sum.add_terms(&(0..12).collect::<Vec<_>>(), &w, &mut full)
            .unwrap();
        // The sum over single terms is the batch gradient.
        let mut online = [0.0; 3];
        for i in 0..12 {
            sum.add_terms(&[i], &w, &mut online).unwrap();
        }
        let mut average = [0.0; 3];
        for batch in (0..12).collect::<Vec<_>>().chunks(4) {
            let mut gradient = [0.0; 3];
            sum.add_terms(batch, &w, &mut gradient).unwrap();
            (0..3).for_each(|i| average[i] += gradient[i] / 4.0 / 3.0);
        }
        for i in 0..3 {
            assert!((online[i] - full[i]).abs() < 1e-12 * full[i].abs().max(1.0));
            assert!((average[i] - full[i] / 12.0).abs() < 1e-12);
        }
    }

    // 000b:D37 004:M67
    #[test]
    fn every_rule_ends_near_the_minimum_with_shrinking_steps() {
        let sum = Squares::new(50, 2);
        let exact = {
            let mut all = sum.clone();
            let method = StochasticDescent {
                batch_size: 50,
                rate: 0.3,
                epochs: 2000,
                ..Default::default()
            };
            method.minimise(&mut all, &[0.0; 2], &Run::new()).unwrap().x
        };
        for (rule, rate) in [
            (UpdateRule::Plain, 0.2),
            (UpdateRule::AveragedGradient { weight: 0.3 }, 0.2),
            (UpdateRule::HeavyBall { momentum: 0.5 }, 0.1),
            (UpdateRule::Nesterov { momentum: 0.5 }, 0.1),
            (UpdateRule::ada_grad(), 0.5),
            (UpdateRule::rms_prop(), 0.05),
            (UpdateRule::adam(), 0.1),
        ] {
            let method = StochasticDescent {
                rule,
                rate,
                schedule: Schedule::InverseTime { decay: 0.01 },
                batch_size: 10,
                epochs: 400,
                ..Default::default()
            };
            let outcome = method
                .minimise(&mut sum.clone(), &[0.0; 2], &Run::new())
                .unwrap();
            for (a, b) in outcome.x.iter().zip(&exact) {
                assert!((a - b).abs() < 5e-3, "{rule:?} {a} {b}");
            }
            let first = outcome.trace.objectives[0];
            assert!(*outcome.trace.objectives.last().unwrap() < first);
        }
    }

    // 001:REG-13
    #[test]
    fn a_geometric_schedule_freezes_before_a_far_minimum_and_says_so() {
        let mut sum = Squares::new(20, 1);
        let method = StochasticDescent {
            schedule: Schedule::Geometric { factor: 0.5 },
            batch_size: 20,
            rate: 0.01,
            epochs: 1000,
            ..Default::default()
        };
        let outcome = method.minimise(&mut sum, &[100.0], &Run::new()).unwrap();
        assert_eq!(outcome.stop, Stop::Frozen);
        assert!(outcome.x[0] > 50.0 && outcome.warnings[0].contains("shrank to nothing"));
    }

    // 000a:GEN-12
    #[test]
    fn the_seed_decides_the_order() {
        let run = |random_state| {
            let method = StochasticDescent {
                random_state,
                ..method(5, 0.05, 3)
            };
            method
                .minimise(&mut Squares::new(20, 2), &[0.0; 2], &Run::new())
                .unwrap()
                .x
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn a_rate_that_is_too_long_and_data_without_rows_are_errors() {
        let error =
            method(20, 1e3, 1000).minimise(&mut Squares::new(20, 2), &[0.0; 2], &Run::new());
        assert!(error.unwrap_err().to_string().contains("rate is 1000"));
        let empty = method(20, 0.1, 1).minimise(&mut Squares::new(0, 2), &[0.0; 2], &Run::new());
        assert!(empty.is_err());
    }
}
