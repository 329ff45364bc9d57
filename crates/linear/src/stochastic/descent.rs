//! The descent itself, for one score.

use super::loss::ClassificationLoss;
use super::schedule::Steps;
use crate::online::{BREATH, Weights, shuffled};
use crate::passive_aggressive::Patience;
use crate::rows::RowReader;
use crate::separators::overflow;
use didact_core::{Result, Run, StopReason, TraceWriter};

/// Slopes are not taken to be steeper than this: one row must not blow the weights away.
const STEEPEST: f64 = 1e12;

/// Everything that a descent needs to know besides the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) loss: ClassificationLoss,
    pub(super) epsilon: f64,
    /// The prices of ‖w‖₁ and of ½‖w‖².
    pub(super) prices: (f64, f64),
    pub(super) steps: Steps,
    pub(super) fit_intercept: bool,
    pub(super) max_iter: usize,
    pub(super) tol: f64,
    pub(super) n_iter_no_change: usize,
    pub(super) shuffle: bool,
    pub(super) random_state: u64,
    pub(super) average: bool,
}

/// Rows with a target and how much each counts.
pub(super) struct Material<'a> {
    pub(super) reader: RowReader<'a>,
    pub(super) n_columns: usize,
    pub(super) targets: &'a [f64],
    pub(super) counts: &'a [f64],
    /// The rows that are learned from.
    pub(super) taught: &'a [usize],
    /// The rows that only judge, where learning stops early.
    pub(super) judged: &'a [usize],
}

pub(super) struct Found {
    pub(super) weights: Vec<f64>,
    pub(super) intercept: f64,
    /// The mean loss plus penalty.
    pub(super) objective: f64,
    /// The length of its (sub)gradient.
    pub(super) gradient_norm: f64,
    pub(super) objectives: Vec<f64>,
    pub(super) stop: StopReason,
}

/// What the descent carries from row to row.
struct Walk {
    weights: Weights,
    steps: Steps,
    /// Rows seen.
    t: f64,
    /// What every weight has been charged for its absolute value, and what each has paid.
    charged: f64,
    paid: Vec<f64>,
}

impl Settings {
    pub(super) fn descend(&self, material: &Material<'_>, run: &Run) -> Result<Found> {
        let mut weights = Weights::new(1, material.n_columns);
        if self.average {
            weights = weights.averaged();
        }
        let paid = if self.prices.0 > 0.0 {
            material.n_columns
        } else {
            0
        };
        let mut walk = Walk {
            weights,
            steps: self.steps,
            t: 0.0,
            charged: 0.0,
            paid: vec![0.0; paid],
        };
        let mut trace = TraceWriter::new(run, "mean loss", Some(self.max_iter));
        let mut patience = Patience::new(self.tol, self.n_iter_no_change);
        let mut order = material.taught.to_vec();
        let stop = loop {
            shuffled(&mut order, self.shuffle, self.random_state, trace.n_iter());
            let mut loss = self.pass(material, &order, &mut walk, run)? / order.len() as f64;
            if !material.judged.is_empty() {
                loss = self.judge(material, &walk, run)?;
            }
            if !(walk.weights.is_finite() && loss.is_finite()) {
                return Err(overflow());
            }
            trace.record(loss)?;
            if patience.is_over(loss) {
                if !walk.steps.shorten() {
                    break StopReason::Converged;
                }
                patience = Patience::new(self.tol, self.n_iter_no_change);
                patience.is_over(loss);
            }
            if trace.n_iter() == self.max_iter {
                break StopReason::IterationLimit;
            }
        };
        self.finish(material, &walk, trace.finish(stop), run)
    }

    /// Learns from every row in turn; the sum of what they cost before they were learned from.
    fn pass(
        &self,
        material: &Material<'_>,
        order: &[usize],
        walk: &mut Walk,
        run: &Run,
    ) -> Result<f64> {
        let mut total = 0.0;
        for (turn, &row) in order.iter().enumerate() {
            if turn % BREATH == 0 {
                run.check()?;
            }
            let x = material.reader.row(row);
            let score = walk.weights.score(0, x);
            let target = material.targets[row];
            let (loss, slope) = self.loss.value_and_slope(score, target, self.epsilon);
            total += loss;
            walk.t += 1.0;
            let eta = walk.steps.length(walk.t);
            let step = -eta * slope.clamp(-STEEPEST, STEEPEST) * material.counts[row];
            if self.prices.1 > 0.0 {
                walk.weights.shrink((1.0 - eta * self.prices.1).max(0.0));
            }
            if step != 0.0 {
                walk.weights.add(0, step, x);
                if self.fit_intercept {
                    walk.weights.intercept[0] += step;
                }
            }
            if self.prices.0 > 0.0 {
                // Each weight pays what has been charged since it was last looked at, but never
                // crosses zero: so weights become exactly zero.
                walk.charged += eta * self.prices.0;
                walk.weights.charge(x, walk.charged, &mut walk.paid);
            }
            walk.weights.settle();
        }
        Ok(total)
    }

    /// The mean loss of the rows that only judge.
    fn judge(&self, material: &Material<'_>, walk: &Walk, run: &Run) -> Result<f64> {
        let (coef, intercept) = walk.weights.finish();
        let coef = coef.row(0).to_vec();
        let mut total = 0.0;
        for (turn, &row) in material.judged.iter().enumerate() {
            if turn % BREATH == 0 {
                run.check()?;
            }
            let score = material.reader.row(row).dot(&coef) + intercept[0];
            let target = material.targets[row];
            total += self.loss.value_and_slope(score, target, self.epsilon).0;
        }
        Ok(total / material.judged.len() as f64)
    }

    /// The weights, with the objective and its gradient there.
    fn finish(
        &self,
        material: &Material<'_>,
        walk: &Walk,
        trace: didact_core::Trace,
        run: &Run,
    ) -> Result<Found> {
        let (coef, intercept) = walk.weights.finish();
        let weights = coef.row(0).to_vec();
        let mut gradient = vec![0.0; weights.len()];
        let (mut of_intercept, mut loss, mut total) = (0.0, 0.0, 0.0);
        for (turn, &row) in material.taught.iter().enumerate() {
            if turn % BREATH == 0 {
                run.check()?;
            }
            let (x, count) = (material.reader.row(row), material.counts[row]);
            let score = x.dot(&weights) + intercept[0];
            let (cost, slope) =
                self.loss
                    .value_and_slope(score, material.targets[row], self.epsilon);
            loss += count * cost;
            total += count;
            of_intercept += count * slope;
            x.add_to(&mut gradient, count * slope);
        }
        let (absolute, squared) = self.prices;
        let mut square = match self.fit_intercept {
            true => (of_intercept / total).powi(2),
            false => 0.0,
        };
        let mut penalty = 0.0;
        for (slope, &w) in gradient.iter().zip(&weights) {
            let smooth = slope / total + squared * w;
            let own = match w == 0.0 {
                true => (smooth.abs() - absolute).max(0.0),
                false => smooth + absolute.copysign(w),
            };
            square += own * own;
            penalty += absolute * w.abs() + 0.5 * squared * w * w;
        }
        let found = Found {
            objective: loss / total + penalty,
            gradient_norm: square.sqrt(),
            intercept: intercept[0],
            weights,
            objectives: trace.objectives,
            stop: trace.stop,
        };
        let numbers = [found.objective, found.gradient_norm, found.intercept];
        let mut numbers = numbers.iter().chain(&found.weights);
        match numbers.all(|number| number.is_finite()) {
            true => Ok(found),
            false => Err(overflow()),
        }
    }
}

/// Which rows are learned from and which only judge: the given share of each group, drawn at
/// random.
pub(super) fn hold_out(groups: &[usize], share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let n_groups = groups.iter().max().map_or(0, |largest| largest + 1);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    shuffled(&mut order, true, seed, usize::MAX);
    let mut sizes = vec![0_usize; n_groups];
    groups.iter().for_each(|&group| sizes[group] += 1);
    // Every group keeps a row to learn from.
    let quota = |size: usize| ((share * size as f64).round() as usize).min(size.saturating_sub(1));
    let mut left: Vec<usize> = sizes.into_iter().map(quota).collect();
    let (mut taught, mut judged) = (Vec::new(), Vec::new());
    for row in order {
        match left[groups[row]] > 0 {
            true => {
                left[groups[row]] -= 1;
                judged.push(row);
            }
            false => taught.push(row),
        }
    }
    taught.sort_unstable();
    judged.sort_unstable();
    (taught, judged)
}
