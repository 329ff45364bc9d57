//! A step length that satisfies the strong Wolfe conditions.

use didact_core::Result;

/// The value must fall by this share of what the slope promises.
const ARMIJO: f64 = 1e-4;
/// The slope must shrink to this share.
const CURVATURE: f64 = 0.9;
/// Evaluations after which the search gives up.
const LIMIT: usize = 40;

/// A point along the search direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// Searches from `start` (at step zero) for a step at which the value has fallen enough and the
/// slope has flattened enough: Nocedal and Wright's bracketing and zooming, with cubic
/// interpolation. `evaluate` leaves the caller's point at the step it was asked for last.
///
/// Where the conditions cannot be met in floating point, the best step that lowers the value is
/// returned; none where no step does. Values that are not finite count as infinitely bad.
pub(super) fn search(
    start: Trial,
    first_step: f64,
    mut evaluate: impl FnMut(f64) -> Result<Trial>,
) -> Result<Option<Trial>> {
    let is_low = |trial: &Trial| {
        trial.value <= start.value + ARMIJO * trial.step * start.slope && trial.slope.is_finite()
    };
    let is_flat = |trial: &Trial| trial.slope.abs() <= -CURVATURE * start.slope;
    let (mut low, mut high): (Trial, Option<Trial>) = (start, None);
    let mut step = first_step;
    for _ in 0..LIMIT {
        let trial = evaluate(step)?;
        if !is_low(&trial) || trial.value > low.value {
            high = Some(trial);
        } else if is_flat(&trial) {
            return Ok(Some(trial));
        } else {
            // The minimum lies on the side to which the slope points down.
            let beyond = high.map_or(1.0, |high| high.step - low.step);
            if trial.slope * beyond >= 0.0 {
                high = Some(low);
            }
            low = trial;
        }
        step = match high {
            Some(high) => inside(&low, &high),
            None => 2.0 * step,
        };
        let width = high.map_or(f64::INFINITY, |high| (high.step - low.step).abs());
        if width <= 1e-15 * low.step.max(step) || !step.is_finite() {
            break;
        }
    }
    if low.step == 0.0 {
        return Ok(None);
    }
    // The last evaluation may have been elsewhere.
    evaluate(low.step).map(Some)
}

/// A step between two trials: the minimum of the cubic through their values and slopes, kept a
/// tenth of the width away from both so that the interval shrinks.
fn inside(low: &Trial, high: &Trial) -> f64 {
    let width = high.step - low.step;
    let middle = low.step + 0.5 * width;
    if !(high.value.is_finite() && high.slope.is_finite()) {
        // The function may be sensible only near the start: retreat faster.
        return low.step + 0.1 * width;
    }
    let secant = low.slope + high.slope - 3.0 * (high.value - low.value) / width;
    let discriminant = secant * secant - low.slope * high.slope;
    if discriminant < 0.0 {
        return middle;
    }
    let root = discriminant.sqrt().copysign(width);
    let cubic =
        high.step - width * (high.slope + root - secant) / (high.slope - low.slope + 2.0 * root);
    let (nearest, farthest) = (low.step + 0.1 * width, high.step - 0.1 * width);
    match cubic.is_finite() {
        true => cubic.clamp(nearest.min(farthest), nearest.max(farthest)),
        false => middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(function: impl Fn(f64) -> (f64, f64), first_step: f64) -> Option<Trial> {
        let trial = |step| {
            let (value, slope) = function(step);
            Trial { step, value, slope }
        };
        search(trial(0.0), first_step, |step| Ok(trial(step))).unwrap()
    }

    fn assert_wolfe(function: impl Fn(f64) -> (f64, f64) + Copy, first_step: f64) {
        let (value, slope) = function(0.0);
        let found = run(function, first_step).unwrap();
        assert!(
            found.value <= value + ARMIJO * found.step * slope,
            "{found:?}"
        );
        assert!(found.slope.abs() <= CURVATURE * slope.abs(), "{found:?}");
    }

    #[test]
    fn the_conditions_hold_from_steps_far_too_short_and_far_too_long() {
        for first_step in [1e-3, 0.1, 1.0, 10.0, 1e3] {
            assert_wolfe(|x| ((x - 2.0) * (x - 2.0), 2.0 * (x - 2.0)), first_step);
            assert_wolfe(
                |x| (-x / (x * x + 2.0), (x * x - 2.0) / (x * x + 2.0).powi(2)),
                first_step,
            );
            assert_wolfe(|x| (x.exp() - 3.0 * x, x.exp() - 3.0), first_step);
        }
    }

    #[test]
    fn the_search_retreats_from_where_the_function_has_no_value() {
        // −ln(1−x) − 2x: NaN beyond one, least at one half.
        assert_wolfe(
            |x| (-(1.0 - x).ln() - 2.0 * x, 1.0 / (1.0 - x) - 2.0),
            100.0,
        );
    }

    #[test]
    fn where_no_step_descends_none_is_returned() {
        // The slope lies: the function rises.
        assert!(run(|x| (x, -1.0), 1.0).is_none());
        assert!(run(|x| (if x == 0.0 { 0.0 } else { f64::NAN }, -1.0), 1.0).is_none());
    }
}
