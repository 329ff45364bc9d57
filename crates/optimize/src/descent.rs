//! The loop that all line-search methods share: direction, step, test.

use crate::line_search::LineSearch;
use crate::outcome::{Log, check_point, check_start, has_settled, largest_magnitude};
use crate::{Objective, Outcome, Stop};
use didact_core::{Result, Run};
use didact_math::numeric::dot;

/// Rises of the value in a row that prove a fixed step too long.
const RISES: usize = 20;
/// Steps in a row that may lower neither the value nor the gradient, for both are rounded.
const LEVEL: usize = 10;
/// A value this many times below the start (in units of its magnitude, at least one) shows that
/// the objective has no lower bound.
const BOTTOMLESS: f64 = 1e30;

/// A method that minimises any differentiable objective.
pub trait Minimise {
    /// Minimises `objective` from `start`, telling `run` of every iteration.
    fn minimise(&self, objective: &mut dyn Objective, start: &[f64], run: &Run) -> Result<Outcome>;
}

/// A point with its value and gradient.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) x: Vec<f64>,
    pub(crate) value: f64,
    pub(crate) gradient: Vec<f64>,
}

impl Point {
    pub(crate) fn new(x: &[f64]) -> Self {
        Point {
            x: x.to_vec(),
            value: f64::INFINITY,
            gradient: vec![0.0; x.len()],
        }
    }
}

/// When a search ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) max_iter: usize,
    pub(crate) gradient: f64,
    pub(crate) objective: f64,
    pub(crate) step: f64,
}

/// Where to go next.
pub(crate) trait Direction<O: Objective + ?Sized> {
    /// Writes a direction that leads downhill and returns the first step to try along it.
    fn choose(
        &mut self,
        objective: &mut O,
        point: &Point,
        log: &mut Log<'_>,
        direction: &mut [f64],
    ) -> Result<f64>;

    /// Takes note of a step that was made.
    fn learn(&mut self, _from: &Point, _to: &Point) {}

    /// Forgets what was learned; false where there was nothing to forget.
    fn reset(&mut self) -> bool {
        false
    }
}

/// Descends from `start` until a test is met.
pub(crate) fn descend<O: Objective + ?Sized>(
    objective: &mut O,
    start: &[f64],
    rule: &mut dyn Direction<O>,
    line_search: &LineSearch,
    limits: &Limits,
    run: &Run,
) -> Result<Outcome> {
    check_point(start)?;
    line_search.check()?;
    let mut log = Log::new(run, limits.max_iter);
    let mut point = Point::new(start);
    point.value = log.evaluate(objective, &point.x, &mut point.gradient)?;
    check_start(point.value, &point.gradient)?;
    let is_fixed = matches!(line_search, LineSearch::Fixed { .. });
    let mut best = is_fixed.then(|| point.clone());
    let floor = -BOTTOMLESS * point.value.abs().max(1.0);
    let mut next = point.clone();
    let mut direction = vec![0.0; start.len()];
    let (mut rises, mut level, mut kink) = (0, 0, false);
    let stop = loop {
        if largest_magnitude(&point.gradient) <= limits.gradient {
            break Stop::Gradient;
        }
        if log.trace.n_iter() == limits.max_iter {
            break Stop::IterationLimit;
        }
        let first_step = rule.choose(objective, &point, &mut log, &mut direction)?;
        let found = line_search.find(
            objective, &mut log, &point, &direction, first_step, &mut next,
        )?;
        kink |= found.kink;
        level = if is_lower(&point, &next) {
            0
        } else {
            level + 1
        };
        let is_sound = next.value == f64::NEG_INFINITY
            || (next.value.is_finite() && largest_magnitude(&next.gradient).is_finite());
        if is_fixed && !is_sound {
            break Stop::Diverged;
        }
        if found.trial.is_none() || !is_sound || (level > LEVEL && !is_fixed) {
            // What was learned may describe a curvature that is gone.
            if level <= LEVEL && rule.reset() {
                continue;
            }
            break Stop::Stalled;
        }
        rule.learn(&point, &next);
        std::mem::swap(&mut point, &mut next);
        log.trace.record(point.value)?;
        rises = if point.value > next.value {
            rises + 1
        } else {
            0
        };
        if let Some(best) = best.as_mut().filter(|best| point.value < best.value) {
            best.clone_from(&point);
        }
        if rises == RISES || point.value < floor {
            break Stop::Diverged;
        }
        if has_settled(next.value, point.value, limits.objective) && rises == 0 {
            break Stop::Objective;
        }
        if is_short(&next.x, &point.x, limits.step) {
            break Stop::Step;
        }
    };
    if kink && stop == Stop::Stalled {
        log.warnings.push(KINK.to_owned());
    }
    // Where a fixed step runs away, the best point on the way is worth more than the last.
    let end = match best {
        Some(best) if stop == Stop::Diverged => best,
        _ => point,
    };
    let gradient_norm = largest_magnitude(&end.gradient);
    Ok(log.finish(end.x, end.value, gradient_norm, stop))
}

const KINK: &str = "the slope of the objective jumps where the search ended: it is not smooth \
                    there, and the point need not be a minimum";

/// Whether the value falls or, at the bottom where rounding hides that, the gradient shrinks.
fn is_lower(from: &Point, to: &Point) -> bool {
    to.value < from.value || dot(&to.gradient, &to.gradient) < dot(&from.gradient, &from.gradient)
}

/// Whether the step is within the tolerance relative to the point; never for a zero tolerance.
fn is_short(from: &[f64], to: &[f64], tolerance: f64) -> bool {
    let length = from
        .iter()
        .zip(to)
        .fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
    tolerance > 0.0 && length <= tolerance * largest_magnitude(to).max(1.0)
}
