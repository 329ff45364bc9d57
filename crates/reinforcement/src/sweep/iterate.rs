//! Sweeps until the values are known well enough.

use super::{Change, Rule, SweepOrder, check_scale, compare, gauss_seidel, synchronous};
use crate::DecisionProcess;
use didact_core::{Result, Run, StopReason, Trace, TraceWriter};

/// When and how to sweep.
pub(crate) struct Sweeping {
    pub(crate) discount: f64,
    pub(crate) tol: f64,
    pub(crate) max_iter: usize,
    pub(crate) order: SweepOrder,
    /// Stop by the spread of the changes instead of the largest one.
    pub(crate) by_span: bool,
}

/// Where the sweeps have led.
pub(crate) struct Swept {
    pub(crate) values: Vec<f64>,
    /// The values of the sweep before.
    pub(crate) previous: Vec<f64>,
    pub(crate) change: Change,
    /// How far the values may be from the solution; `None` without discounting.
    pub(crate) error_bound: Option<f64>,
    pub(crate) trace: Trace,
}

/// How far values can be from the fixed point after a change: γ/(1 − γ)·change.
pub(crate) fn guaranteed_error(discount: f64, change: f64) -> Option<f64> {
    (discount < 1.0).then(|| discount / (1.0 - discount) * change)
}

/// Says when a contraction by `discount` has been applied often enough.
pub(crate) struct StopTest {
    discount: f64,
    threshold: f64,
    max_iter: usize,
}

impl StopTest {
    /// Stops at a change of tol·(1 − γ)/γ, which leaves an error of at most `tol`. Without
    /// discounting nothing is guaranteed, and the change itself is compared with `tol`.
    pub(crate) fn new(discount: f64, tol: f64, max_iter: usize) -> Self {
        let threshold = match discount {
            1.0 => tol,
            _ => tol * (1.0 - discount) / discount,
        };
        StopTest {
            discount,
            threshold,
            max_iter,
        }
    }

    /// Whether to stop after `n_iter` sweeps of which the last changed the values, now of at most
    /// that magnitude, by `size`; and how far they may then be from the fixed point.
    pub(crate) fn verdict(
        &self,
        size: f64,
        magnitude: f64,
        n_iter: usize,
    ) -> Option<(StopReason, Option<f64>)> {
        let rounding = 4.0 * f64::EPSILON * magnitude;
        let stop = if size <= self.threshold {
            StopReason::Converged
        } else if size <= rounding {
            StopReason::Stalled
        } else if n_iter >= self.max_iter {
            StopReason::IterationLimit
        } else {
            return None;
        };
        Some((stop, guaranteed_error(self.discount, size.max(rounding))))
    }
}

impl Sweeping {
    /// Sweeps from values of zero.
    pub(crate) fn iterate(
        &self,
        process: &DecisionProcess,
        rule: Rule<'_>,
        run: &Run,
    ) -> Result<Swept> {
        check_scale(process, self.discount)?;
        let test = StopTest::new(self.discount, self.tol, self.max_iter);
        let name = match self.by_span {
            true => "spread of changes",
            false => "largest change",
        };
        let mut trace = TraceWriter::new(run, name, Some(self.max_iter));
        let mut previous = vec![0.0; process.n_states()];
        let mut values = vec![0.0; process.n_states()];
        loop {
            std::mem::swap(&mut previous, &mut values);
            self.sweep(process, rule, &previous, &mut values, trace.n_iter(), run)?;
            let change = compare(&previous, &values, run)?;
            // Half the spread, because the values are moved to its middle in the end.
            let (objective, size) = match self.by_span {
                true => (change.span(), change.span() / 2.0),
                false => (change.size(), change.size()),
            };
            trace.record(objective)?;
            let verdict = test.verdict(size, change.magnitude, trace.n_iter());
            if let Some((stop, error_bound)) = verdict {
                return Ok(Swept {
                    error_bound,
                    trace: trace.finish(stop),
                    values,
                    previous,
                    change,
                });
            }
        }
    }

    fn sweep(
        &self,
        process: &DecisionProcess,
        rule: Rule<'_>,
        old: &[f64],
        new: &mut [f64],
        number: usize,
        run: &Run,
    ) -> Result<()> {
        match self.order {
            SweepOrder::Synchronous => synchronous(process, rule, self.discount, old, new, run),
            SweepOrder::GaussSeidel => {
                let forwards = number.is_multiple_of(2);
                gauss_seidel(process, rule, self.discount, old, new, forwards, run)
            }
        }
    }
}
