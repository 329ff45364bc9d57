//! The line of the search over sparse rows.
//!
//! Scores are linear in the point: those along a direction, one pass over the rows, tell the slope
//! everywhere on its line at the cost of some numbers for each row. So the step is settled before
//! the gradient is asked for, and every gradient is one that the search can use.

use super::evaluation::{Evaluation, Examples};
use super::frame::Frame;
use super::search::{Method, Search};
use super::sparse_rows::SparseExamples;
use didact_core::{Result, Rows, Run};

/// Share of the first slope that a step may leave.
const FLAT: f64 = 0.1;

/// Slopes that are asked for on a line at most; the search can do with any step.
const MOST_SLOPES: usize = 10;

/// A step is at most so many times as long as the one before.
const LONGER: f64 = 4.0;

/// The scores of the rows on the present line.
pub(super) struct Line<'a, 'b> {
    examples: SparseExamples<'a, 'b>,
    /// At the best point.
    base: Vec<f64>,
    /// Of the direction.
    along: Vec<f64>,
    /// The last step that was tried.
    step: f64,
}

impl<'a, 'b> Line<'a, 'b> {
    /// The line of no direction yet; nothing for dense rows, of which one pass finds scores and
    /// gradient together, and for scores that would take more memory than the rows.
    pub(super) fn new(
        examples: &'a Examples<'b>,
        frame: &Frame,
        search: &Search,
        run: &Run,
    ) -> Result<Option<Self>> {
        let Rows::Sparse(rows) = examples.rows() else {
            return Ok(None);
        };
        let n_scores = rows.n_rows() * frame.n_outputs();
        if n_scores > rows.n_stored() {
            return Ok(None);
        }
        let examples = SparseExamples { examples, rows };
        let at_zero = search.best().iter().all(|part| *part == 0.0);
        let base = match at_zero {
            true => vec![0.0; n_scores],
            false => examples.scores(frame, &frame.weights(search.best()), run)?,
        };
        Ok(Some(Line {
            examples,
            base,
            along: vec![0.0; n_scores],
            step: 0.0,
        }))
    }

    /// Loss and gradient after the step of the search.
    pub(super) fn evaluate(
        &mut self,
        frame: &Frame,
        search: &Search,
        run: &Run,
    ) -> Result<Evaluation> {
        self.step = search.step();
        let outputs = frame.n_outputs();
        let score = |rows: std::ops::Range<usize>, scores: &mut [f64]| {
            let places = rows.start * outputs..rows.end * outputs;
            let known = self.base[places.clone()].iter().zip(&self.along[places]);
            for (score, (base, along)) in scores.iter_mut().zip(known) {
                *score = base + self.step * along;
            }
        };
        self.examples.evaluate_by(frame, &score, run)
    }

    /// Follows a search that has just set out from the last step in a new direction, and tells it
    /// the step that flattens the slope.
    pub(super) fn follow(&mut self, frame: &Frame, search: &mut Search, run: &Run) -> Result<()> {
        for (base, along) in self.base.iter_mut().zip(&self.along) {
            *base += self.step * along;
        }
        let direction = frame.weights(search.direction());
        self.along = self.examples.scores(frame, &direction, run)?;
        // Newton's steps have a length of their own, and without a price a line may go down forever.
        if search.method() == Method::Lbfgs && !frame.is_unpenalised() {
            let price = frame.price_along(search.best(), search.direction());
            let step = self.flat_step(search.slope(), price, run)?;
            search.aim(step);
        }
        Ok(())
    }

    /// A step that leaves little of the slope, by secants between steps at which it still falls
    /// and at which it rises: the slope of a convex function only ever grows.
    fn flat_step(&self, first: f64, (level, growth): (f64, f64), run: &Run) -> Result<f64> {
        let (mut low, mut high) = ((0.0, first), None);
        let mut step = 1.0;
        for _ in 0..MOST_SLOPES {
            let (base, along) = (&self.base, &self.along);
            let loss = self.examples.slope_along(base, along, step, run)?;
            let slope = loss + level + step * growth;
            if slope.abs() <= FLAT * first.abs() {
                break;
            }
            let before = low;
            match slope < 0.0 {
                true => low = (step, slope),
                false => high = Some((step, slope)),
            }
            let next = match high {
                Some(high) => zero_of_secant(low, high),
                None => zero_of_secant(before, low).min(LONGER * step),
            };
            // Where rounding leaves no zero between them, any step that falls will do.
            if !(next.is_finite() && next > low.0) {
                break;
            }
            step = next;
        }
        Ok(step)
    }
}

/// Where the straight line through two points (step, slope) is zero.
fn zero_of_secant(left: (f64, f64), right: (f64, f64)) -> f64 {
    let rise = right.1 - left.1;
    match rise > 0.0 {
        true => right.0 - right.1 * (right.0 - left.0) / rise,
        false => f64::INFINITY,
    }
}
