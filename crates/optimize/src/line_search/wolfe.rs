//! A step length that satisfies the strong Wolfe conditions.

use didact_core::Result;

/// Evaluations after which the search gives up.
const LIMIT: usize = 60;
/// Without an upper end the next step goes at most this many times the last one further.
const STRETCH: f64 = 4.0;
/// Two rounds must shrink the interval at least to this share.
const SHRINK: f64 = 0.66;

/// A point along the search direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub(crate) step: f64,
    pub(crate) value: f64,
    pub(crate) slope: f64,
}

/// What a step must achieve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// The value must fall by this share of what the slope promises.
    pub(crate) decrease: f64,
    /// The slope must shrink to this share in magnitude.
    pub(crate) curvature: f64,
    /// No step may be longer.
    pub(crate) longest: f64,
}

/// How a search ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// The accepted step; none where no step lowers the value.
    pub(crate) trial: Option<Trial>,
    /// The slope jumped from falling to rising within a distance that is nothing but rounding.
    pub(crate) kink: bool,
}

/// Searches from `start` (at step zero) for a step at which the value has fallen enough and the
/// slope has flattened enough: bracketing and zooming with cubic interpolation. `evaluate` leaves
/// the caller's point at the step it was asked for last.
///
/// Where the conditions cannot be met in floating point, the best step that lowers the value is
/// returned; none where no step does. Values that are not finite count as infinitely bad.
pub(crate) fn search(
    start: Trial,
    first_step: f64,
    conditions: &Conditions,
    evaluate: &mut dyn FnMut(f64) -> Result<Trial>,
) -> Result<Found> {
    let is_low = |trial: &Trial| {
        trial.value <= start.value + conditions.decrease * trial.step * start.slope
            && trial.slope.is_finite()
    };
    // Near the bottom the fall drowns in the rounding of the values; the slopes still tell.
    let is_level = |trial: &Trial| is_level(&start, trial, conditions.decrease);
    let is_flat = |trial: &Trial| trial.slope.abs() <= -conditions.curvature * start.slope;
    let found = |trial| Found {
        trial: Some(trial),
        kink: false,
    };
    let (mut low, mut high): (Trial, Option<Trial>) = (start, None);
    let mut step = first_step.min(conditions.longest);
    // The widths of the last two intervals: one that shrinks too slowly is halved.
    let mut widths = [f64::INFINITY; 2];
    let mut last = 0.0;
    for _ in 0..LIMIT {
        let trial = evaluate(step)?;
        last = step;
        if is_level(&trial) && is_flat(&trial) {
            return Ok(found(trial));
        }
        let is_worse = !is_low(&trial) || trial.value > low.value;
        if !is_worse && (is_flat(&trial) || trial.value == f64::NEG_INFINITY) {
            return Ok(found(trial));
        }
        if !is_worse && high.is_none() && trial.slope < 0.0 && step >= conditions.longest {
            return Ok(found(trial));
        }
        step = next_step(&low, &trial, high.as_ref(), is_worse).min(conditions.longest);
        // The minimum lies on the side to which the slope points down.
        let beyond = high.map_or(1.0, |high| high.step - low.step);
        match is_worse {
            true => high = Some(trial),
            false => {
                if trial.slope * beyond >= 0.0 {
                    high = Some(low);
                }
                low = trial;
            }
        }
        let Some(end) = high else { continue };
        let width = (end.step - low.step).abs();
        if width <= 1e-15 * low.step.max(end.step) {
            break;
        }
        let is_inside = (step - low.step) * (step - end.step) < 0.0;
        if end.value.is_finite() && (width > SHRINK * widths[0] || !is_inside) {
            step = 0.5 * (low.step + end.step);
        }
        widths = [widths[1], width];
    }
    let kink = high.is_some_and(|high| {
        let jump = (high.slope - low.slope) * (high.step - low.step).signum();
        (high.step - low.step).abs() <= 1e-9 * first_step.max(low.step) && jump > -0.1 * start.slope
    });
    if low.step == 0.0 {
        return Ok(Found { trial: None, kink });
    }
    let trial = match last == low.step {
        true => low,
        false => evaluate(low.step)?,
    };
    Ok(Found {
        trial: Some(trial),
        kink,
    })
}

/// Whether the values differ by rounding only and the slopes fulfil the condition of sufficient
/// decrease for the parabola that they define.
pub(crate) fn is_level(start: &Trial, trial: &Trial, decrease: f64) -> bool {
    (trial.value - start.value).abs() <= 8.0 * f64::EPSILON * start.value.abs()
        && trial.slope <= (2.0 * decrease - 1.0) * start.slope
        && trial.slope >= start.slope
}

/// Where to look after `trial`: by the cubic through both values and slopes, held against the
/// parabola through two values or two slopes, after Moré and Thuente.
fn next_step(low: &Trial, trial: &Trial, high: Option<&Trial>, is_worse: bool) -> f64 {
    let width = trial.step - low.step;
    if !(trial.value.is_finite() && trial.slope.is_finite()) {
        // The function may be sensible only near the start: retreat faster.
        return low.step + 0.1 * width;
    }
    let cubic = cubic_minimum(low, trial);
    let secant = trial.step - width * trial.slope / (trial.slope - low.slope);
    let is_nearer =
        |one: f64, other: f64, to: &Trial| (one - to.step).abs() < (other - to.step).abs();
    if is_worse {
        // Higher than the low end: the minimum is in between, and nearer to the low end.
        let fall = (trial.value - low.value) / width;
        let parabola = low.step + 0.5 * width * low.slope / (low.slope - fall);
        return match cubic {
            Some(cubic) if is_nearer(cubic, parabola, low) => cubic,
            Some(cubic) => 0.5 * (cubic + parabola),
            None => parabola,
        };
    }
    if trial.slope * low.slope < 0.0 {
        // Lower, and past a minimum: the farther of both guesses.
        return match cubic {
            Some(cubic) if is_nearer(secant, cubic, trial) => cubic,
            _ => secant,
        };
    }
    let next = match trial.slope.abs() < low.slope.abs() {
        // Lower and flatter: the minimum is ahead, if the guesses see one there.
        true => match cubic.filter(|cubic| (cubic - trial.step) * width > 0.0) {
            Some(cubic) if is_nearer(cubic, secant, trial) == high.is_some() => cubic,
            _ => secant,
        },
        // Lower and steeper: nothing is seen ahead.
        false => match high {
            Some(high) => cubic_minimum(trial, high).unwrap_or(0.5 * (trial.step + high.step)),
            None => trial.step + STRETCH * width,
        },
    };
    match high {
        None => next.clamp(trial.step + 1.1 * width, trial.step + STRETCH * width),
        Some(high) => {
            // Not too close to the other end.
            let limit = trial.step + SHRINK * (high.step - trial.step);
            if high.step > trial.step {
                next.min(limit)
            } else {
                next.max(limit)
            }
        }
    }
}

/// The minimum of the cubic through the values and slopes of two trials, where it has one.
fn cubic_minimum(one: &Trial, other: &Trial) -> Option<f64> {
    let width = other.step - one.step;
    let secant = one.slope + other.slope - 3.0 * (other.value - one.value) / width;
    let discriminant = secant * secant - one.slope * other.slope;
    if discriminant.is_nan() || discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt().copysign(width);
    let step =
        other.step - width * (other.slope + root - secant) / (other.slope - one.slope + 2.0 * root);
    step.is_finite().then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Conditions = Conditions {
        decrease: 1e-4,
        curvature: 0.9,
        longest: f64::INFINITY,
    };

    fn run(function: impl Fn(f64) -> (f64, f64), first_step: f64, conditions: Conditions) -> Found {
        let trial = |step| {
            let (value, slope) = function(step);
            Trial { step, value, slope }
        };
        search(trial(0.0), first_step, &conditions, &mut |step| {
            Ok(trial(step))
        })
        .unwrap()
    }

    fn assert_wolfe(function: impl Fn(f64) -> (f64, f64) + Copy, first_step: f64) {
        let (value, slope) = function(0.0);
        for curvature in [0.9, 0.1, 1e-6] {
            let conditions = Conditions { curvature, ..USUAL };
            let found = run(function, first_step, conditions).trial.unwrap();
            assert!(
                found.value <= value + conditions.decrease * found.step * slope,
                "{found:?}"
            );
            assert!(found.slope.abs() <= curvature * slope.abs(), "{found:?}");
        }
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
        assert!(run(|x| (x, -1.0), 1.0, USUAL).trial.is_none());
        let hole = |x| (if x == 0.0 { 0.0 } else { f64::NAN }, -1.0);
        assert!(run(hole, 1.0, USUAL).trial.is_none());
    }

    #[test]
    fn a_kink_is_noticed_and_a_smooth_bend_is_not() {
        // |x − 1| has no slope between −1 and 1.
        let kinked = run(|x| ((x - 1.0).abs(), (x - 1.0_f64).signum()), 0.3, USUAL);
        assert!(kinked.kink, "{kinked:?}");
        let smooth = run(|x| ((x - 2.0) * (x - 2.0), 2.0 * (x - 2.0)), 100.0, USUAL);
        assert!(!smooth.kink);
    }

    #[test]
    fn the_longest_step_is_respected() {
        let conditions = Conditions {
            longest: 5.0,
            ..USUAL
        };
        let found = run(|x| (-x, -1.0), 1.0, conditions).trial.unwrap();
        assert_eq!(found.step, 5.0);
    }
}
