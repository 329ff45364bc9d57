//! The descent itself, for one score.

use super::loss::ClassificationLoss;
use super::schedule::Steps;
use crate::online::{BREATH, Passes, Patience, Weights, shuffled};
use crate::rows::RowReader;
use crate::separators::overflow;
use didact_core::{Error, Result, Run, StopReason, Trace};
use serde::{Deserialize, Serialize};

/// Slopes are not taken to be steeper than this: one row must not blow the weights away.
const STEEPEST: f64 = 1e12;

pub(super) const OBJECTIVE: &str = "mean loss";

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
    pub(super) targets: &'a [f64],
    pub(super) counts: &'a [f64],
    /// The rows that only judge, where learning stops early, in rising order; all others teach.
    pub(super) judged: &'a [usize],
}

impl Material<'_> {
    /// The rows that are learned from, in rising order.
    fn taught(&self) -> impl Iterator<Item = usize> {
        let mut judged = self.judged.iter().peekable();
        (0..self.targets.len()).filter(move |row| judged.next_if_eq(&row).is_none())
    }
}

pub(super) struct Found {
    pub(super) weights: Vec<f64>,
    pub(super) intercept: f64,
    /// The mean loss plus penalty.
    pub(super) objective: f64,
    /// The length of its (sub)gradient.
    pub(super) gradient_norm: f64,
    pub(super) trace: Trace,
    pub(super) walk: SgdWalk,
}

/// What a stochastic descent carries from row to row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SgdWalk {
    weights: Weights,
    /// Rows seen.
    t: f64,
    /// What adaptive steps are divided by.
    divisor: f64,
    /// What every weight has been charged for its absolute value, and what each has paid.
    charged: f64,
    paid: Vec<f64>,
    passes: Passes,
}

impl SgdWalk {
    /// The weights and the intercept.
    pub(super) fn found(&self) -> (Vec<f64>, f64) {
        let (coef, intercept) = self.weights.finish();
        (coef.row(0).to_vec(), intercept[0])
    }

    pub(super) fn n_columns(&self) -> usize {
        self.weights.n_features()
    }

    pub(super) fn trace(&self) -> Trace {
        self.passes.trace(OBJECTIVE, self.passes.mean())
    }

    pub(super) fn is_over(&self) -> bool {
        self.passes.stop().is_some()
    }

    /// The same where more rows may come.
    pub(super) fn go_on(self) -> Self {
        SgdWalk {
            passes: self.passes.go_on(),
            ..self
        }
    }

    /// Whether it belongs to a model with this many columns.
    pub(super) fn is_sound(&self, n_columns: usize) -> bool {
        self.weights.is_sound(1, n_columns)
            && (self.paid.is_empty() || self.paid.len() == n_columns)
            && self.t >= 0.0
            && self.divisor >= 1.0
            && self.passes.is_sound()
    }
}

impl Settings {
    /// Weights of zero.
    pub(super) fn start(&self, n_columns: usize) -> SgdWalk {
        self.start_from(Weights::new(1, n_columns))
    }

    /// The first step of a descent from these weights.
    pub(super) fn start_from(&self, weights: Weights) -> SgdWalk {
        let n_columns = weights.n_features();
        let paid = if self.prices.0 > 0.0 { n_columns } else { 0 };
        SgdWalk {
            weights: match self.average {
                true => weights.averaged(),
                false => weights,
            },
            t: 0.0,
            divisor: 1.0,
            charged: 0.0,
            paid: vec![0.0; paid],
            passes: Passes::new(self.patience()),
        }
    }

    fn patience(&self) -> Patience {
        Patience::new(self.tol, self.n_iter_no_change)
    }

    /// Descends pass by pass to the end.
    pub(super) fn descend(
        &self,
        material: &Material<'_>,
        mut walk: SgdWalk,
        run: &Run,
    ) -> Result<Found> {
        let n_taught = material.targets.len() - material.judged.len();
        // Collected, the list would grow by doubling: a filter does not know what it lets through.
        let mut order = Vec::with_capacity(n_taught);
        order.extend(material.taught());
        while !walk.is_over() {
            let pass = walk.passes.n_iter();
            shuffled(&mut order, self.shuffle, self.random_state, pass);
            self.learn(material, &order, &mut walk, run)?;
            let loss = match material.judged.is_empty() {
                true => walk.passes.mean(),
                false => self.judge(material, &walk, run)?,
            };
            self.end_pass(&mut walk, loss)?;
            walk.passes.report(run, OBJECTIVE, self.max_iter)?;
        }
        self.finish(material, walk, run)
    }

    /// Learns from rows of the pass under way.
    pub(super) fn learn(
        &self,
        material: &Material<'_>,
        order: &[usize],
        walk: &mut SgdWalk,
        run: &Run,
    ) -> Result<()> {
        if self.prices.0 > 0.0 {
            // The walk may have begun without a price on absolute values.
            walk.paid.resize(walk.n_columns(), 0.0);
        }
        let loss = self.pass(material, order, walk, run)?;
        if !(walk.weights.is_finite() && loss.is_finite()) {
            return Err(overflow());
        }
        walk.passes.add(loss, order.len());
        Ok(())
    }

    /// Ends a pass with this mean loss, and the descent where that is enough.
    pub(super) fn end_pass(&self, walk: &mut SgdWalk, loss: f64) -> Result<()> {
        if !loss.is_finite() {
            return Err(overflow());
        }
        if walk.passes.end(loss) {
            match self.steps.shortened(walk.divisor) {
                Some(divisor) => {
                    walk.divisor = divisor;
                    walk.passes.wait_anew(self.patience());
                }
                None => walk.passes.finish(StopReason::Converged),
            }
        }
        if !walk.is_over() && walk.passes.n_iter() == self.max_iter {
            walk.passes.finish(StopReason::IterationLimit);
        }
        Ok(())
    }

    /// Ends a pass over a stream, whose rows all teach.
    pub(super) fn end_stream_pass(&self, walk: &mut SgdWalk) -> Result<()> {
        match walk.is_over() {
            true => Ok(()),
            false => self.end_pass(walk, walk.passes.mean()),
        }
    }

    /// Learns from every row in turn; the sum of what they cost before they were learned from.
    fn pass(
        &self,
        material: &Material<'_>,
        order: &[usize],
        walk: &mut SgdWalk,
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
            let eta = self.steps.length(walk.t, walk.divisor);
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
    fn judge(&self, material: &Material<'_>, walk: &SgdWalk, run: &Run) -> Result<f64> {
        let (coef, intercept) = walk.found();
        let mut total = 0.0;
        for (turn, &row) in material.judged.iter().enumerate() {
            if turn % BREATH == 0 {
                run.check()?;
            }
            let score = material.reader.row(row).dot(&coef) + intercept;
            let target = material.targets[row];
            total += self.loss.value_and_slope(score, target, self.epsilon).0;
        }
        Ok(total / material.judged.len() as f64)
    }

    /// The weights, with the objective and its gradient there.
    fn finish(&self, material: &Material<'_>, walk: SgdWalk, run: &Run) -> Result<Found> {
        let (weights, intercept) = walk.found();
        let mut gradient = vec![0.0; weights.len()];
        let (mut of_intercept, mut loss, mut total) = (0.0, 0.0, 0.0);
        for (turn, row) in material.taught().enumerate() {
            if turn % BREATH == 0 {
                run.check()?;
            }
            let (x, count) = (material.reader.row(row), material.counts[row]);
            let score = x.dot(&weights) + intercept;
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
            intercept,
            weights,
            trace: walk.trace(),
            // A stream that goes on begins a pass of its own.
            walk: SgdWalk {
                passes: Passes::new(self.patience()),
                ..walk
            },
        };
        let numbers = [found.objective, found.gradient_norm, found.intercept];
        let mut numbers = numbers.iter().chain(&found.weights);
        match numbers.all(|number| number.is_finite()) {
            true => Ok(found),
            false => Err(overflow()),
        }
    }
}

/// Fails where learning would need all rows at once.
pub(super) fn check_stream(early_stopping: bool) -> Result<()> {
    match early_stopping {
        true => Err(Error::parameter(
            "early_stopping",
            "true",
            "the rows that judge are drawn from all rows; to learn chunk by chunk it must be false",
        )),
        false => Ok(()),
    }
}

/// Which rows only judge, in rising order: the given share of each group, drawn at random.
pub(super) fn hold_out(groups: &[usize], share: f64, seed: u64) -> Vec<usize> {
    let n_groups = groups.iter().max().map_or(0, |largest| largest + 1);
    let mut judged: Vec<usize> = (0..groups.len()).collect();
    shuffled(&mut judged, true, seed, usize::MAX);
    let mut sizes = vec![0_usize; n_groups];
    groups.iter().for_each(|&group| sizes[group] += 1);
    // Every group keeps a row to learn from.
    let quota = |size: usize| ((share * size as f64).round() as usize).min(size.saturating_sub(1));
    let mut left: Vec<usize> = sizes.into_iter().map(quota).collect();
    judged.retain(|&row| {
        let left = &mut left[groups[row]];
        let is_drawn = *left > 0;
        *left -= usize::from(is_drawn);
        is_drawn
    });
    judged.shrink_to_fit();
    judged.sort_unstable();
    judged
}
