//! SAGA: single rows, each with the memory of its last slope.
//!
//! A step at row i goes against θᵢ·(s − sᵢ)·xᵢ + g, where s is the slope of the loss at the row
//! now, sᵢ the one found when the row was last looked at, g the mean of all that are remembered
//! and θᵢ = 1/(n·pᵢ) makes up for how often the row is drawn. The expectation is the gradient, and
//! its variance vanishes at the minimum, so that steps need not become shorter. The prices are
//! then charged exactly, by their proximal map, which makes weights exactly zero.
//!
//! [`pace`] is the step of a single weight and many of them at once, [`walk`] what goes from step
//! to step, [`gap`] how far the objective is from the least one at most.

mod gap;
mod pace;
mod walk;

use super::evaluation::{Examples, Weights};
use super::frame::Frame;
use super::learn::OBJECTIVE;
use super::{LogisticModel, LogisticRegression};
use crate::online;
use crate::rows::CountingLabelled;
use crate::separators::overflow;
use didact_core::{Labelled, Result, Run, StopReason, TraceWriter};
use walk::Walk;

/// After so many epochs in which neither the objective falls nor the slopes become smaller there
/// is nothing but rounding.
const PATIENCE: usize = 50;
/// Differences of the objective below this share of it are rounding.
const ROUNDING: f64 = 1e-14;

/// The whole objective at the end of an epoch.
struct Look {
    objective: f64,
    /// The largest slope that the prices do not hold, in units of the features.
    slope: f64,
    smallest_margin: f64,
}

impl LogisticRegression {
    /// Learns from rows drawn one by one.
    pub(super) fn learn_saga(
        &self,
        start: Option<&LogisticModel>,
        data: Labelled<'_>,
        run: &Run,
    ) -> Result<LogisticModel> {
        let counting = CountingLabelled::new(data.clone());
        let frame = Frame::new(self, self.survey(&counting, data.classes, run)?)?;
        let examples = Examples::new(counting, &frame)?;
        let rows = online::Examples::new(data, &self.class_weight)?;
        let start = match start {
            Some(start) => {
                start.check_start(&frame.classes, &frame.present, frame.center.len())?;
                self.start_of(&frame, start)
            }
            None => frame.weights(&vec![0.0; frame.size()]),
        };
        let mut walk = Walk::new(self, &frame, &rows, start, run)?;
        let mut trace = TraceWriter::new(run, OBJECTIVE, Some(self.max_iter));
        let mut progress = Progress::default();
        let mut look = self.look(&frame, &examples, walk.weights(), run)?;
        let stop = loop {
            if let Some(stop) = self.is_over(&look, trace.n_iter(), &mut progress) {
                break stop;
            }
            walk.epoch(trace.n_iter(), run)?;
            look = self.look(&frame, &examples, walk.weights(), run)?;
            trace.record(look.objective)?;
        };
        self.finish_saga(&frame, &examples, &rows, walk, trace.finish(stop), run)
    }

    /// The weights of a model, without what all scores have in common where it costs nothing.
    fn start_of(&self, frame: &Frame, start: &LogisticModel) -> Weights {
        let mut weights = match self.prices() {
            (0.0, _) => frame.weights(&frame.point(&start.coef, &start.intercept)),
            _ => Weights {
                offsets: (&start.intercept + &start.coef.dot(&frame.center)).to_vec(),
                coef: start.coef.clone(),
            },
        };
        if !self.fit_intercept {
            weights.offsets.fill(0.0);
        }
        weights
    }

    fn look(
        &self,
        frame: &Frame,
        examples: &Examples<'_>,
        weights: &Weights,
        run: &Run,
    ) -> Result<Look> {
        let evaluation = examples.evaluate(frame, weights, run)?;
        let (objective, slope) = frame.certificate(weights, &evaluation, self.prices());
        match objective.is_finite() && slope.is_finite() {
            true => Ok(Look {
                objective,
                slope,
                smallest_margin: evaluation.smallest_margin,
            }),
            false => Err(overflow()),
        }
    }

    fn is_over(&self, look: &Look, n_iter: usize, progress: &mut Progress) -> Option<StopReason> {
        let unbounded = self.prices() == (0.0, 0.0);
        if unbounded && look.smallest_margin > 0.0 {
            return Some(StopReason::Separable);
        }
        if look.slope <= self.tol {
            return Some(StopReason::Converged);
        }
        if n_iter == self.max_iter {
            return Some(StopReason::IterationLimit);
        }
        progress.is_over(look).then_some(StopReason::Stalled)
    }

    fn finish_saga(
        &self,
        frame: &Frame,
        examples: &Examples<'_>,
        rows: &online::Examples<'_>,
        walk: Walk<'_>,
        trace: didact_core::Trace,
        run: &Run,
    ) -> Result<LogisticModel> {
        let weights = walk.into_weights();
        let dual_gap = self.duality_gap(frame, examples, rows, &weights, run)?;
        let mut intercept = frame.intercepts(&weights);
        if intercept.len() > 1 {
            // Adding the same to all scores changes nothing.
            intercept -= intercept.sum() / intercept.len() as f64;
        }
        let coef = weights.coef;
        let mut numbers = coef.iter().chain(&intercept);
        if !numbers.all(|number| number.is_finite()) {
            return Err(overflow());
        }
        let (mut inference, mut contrasts) = (None, None);
        if trace.stop == StopReason::Converged && self.prices() == (0.0, 0.0) {
            let point = frame.point(&coef, &intercept);
            inference = self.inference(frame, examples, &point, run)?;
            contrasts = self.contrasts(frame, examples, &point, run)?;
        }
        Ok(LogisticModel {
            classes: frame.classes.clone(),
            present: frame.present.clone(),
            coef,
            intercept,
            trace,
            dual_gap,
            inference,
            contrasts,
        })
    }
}

/// The least objective and slope so far, and the epochs since one of them became smaller.
struct Progress {
    objective: f64,
    slope: f64,
    waited: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Progress {
            objective: f64::INFINITY,
            slope: f64::INFINITY,
            waited: 0,
        }
    }
}

impl Progress {
    fn is_over(&mut self, look: &Look) -> bool {
        let falls = look.objective < self.objective - ROUNDING * self.objective.abs();
        let better = falls || look.slope < self.slope || self.objective.is_infinite();
        self.waited = if better { 0 } else { self.waited + 1 };
        self.objective = self.objective.min(look.objective);
        self.slope = self.slope.min(look.slope);
        self.waited >= PATIENCE
    }
}
