//! Steepest descent of the error of a straight line: every step sees every point.
//!
//! The catalogue's own descent takes the rows one at a time, so its error may rise on the way.
//! Here the gradient is that of the whole error L(w, b) = 1/(2n)·Σ(w·x + b − y)², a convex
//! quadratic whose Hessian is that of the points alone. A fixed step η lowers L from step to step
//! exactly when η < 2/λ, λ the largest eigenvalue of the Hessian.

use crate::Shared;
use crate::events::stream;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use didact::core::Run;
use didact::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Most steps that are sent to the page.
const MOST_STEPS: usize = 5_000;

/// Rises of the error in a row that prove the step too long.
const RISES: usize = 12;

/// Points, a start and a step.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    x: Vec<f64>,
    y: Vec<f64>,
    /// Slope and offset of the first line.
    start: [f64; 2],
    /// The length η of every step, in units of 1/λ.
    step: f64,
    /// At most this many steps.
    max_iter: usize,
    /// Converged when neither entry of the gradient is larger in magnitude.
    gradient_tolerance: f64,
    /// Converged when a step lowers the error by at most this share of it.
    #[serde(default)]
    objective_tolerance: f64,
}

/// Which test ended the descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Stop {
    Gradient,
    Objective,
    IterationLimit,
    Diverged,
}

impl Stop {
    fn words(self) -> &'static str {
        match self {
            Stop::Gradient => "the gradient is small enough",
            Stop::Objective => "the error has settled",
            Stop::IterationLimit => "the limit of steps was reached first",
            Stop::Diverged => "the steps are too long and the error grows",
        }
    }
}

/// Descends and tells every step.
pub(crate) async fn descend(State(shared): State<Shared>, Json(wanted): Json<Wanted>) -> Response {
    stream(shared, move |run| Ok(wanted.answer(run)?)).into_response()
}

/// The error as a bowl, from means about the middle of the points so that nothing cancels.
struct Bowl {
    middle: [f64; 2],
    /// The mean square of the places about their middle.
    spread: f64,
    /// The slope of the line of least squares, and its error.
    slope: f64,
    least: f64,
}

impl Bowl {
    fn new(x: &[f64], y: &[f64]) -> Result<Bowl> {
        if x.len() != y.len() || x.len() < 2 {
            let message = "a line needs at least two points, each with a place and a value";
            return Err(Error::data(message));
        }
        let n = x.len() as f64;
        let middle = [x, y].map(|values| values.iter().sum::<f64>() / n);
        let about = || x.iter().zip(y).map(|(x, y)| (x - middle[0], y - middle[1]));
        let spread = about().map(|(x, _)| x * x).sum::<f64>() / n;
        let slope = about().map(|(x, y)| x * y).sum::<f64>() / n / spread;
        let least = about().map(|(x, y)| (slope * x - y).powi(2)).sum::<f64>() / n / 2.0;
        match (spread + least).is_finite() && spread > 0.0 {
            true => Ok(Bowl {
                middle,
                spread,
                slope,
                least,
            }),
            false => Err(Error::data(
                "all points lie above each other or too far out; a line needs places that differ",
            )),
        }
    }

    /// The error ½·mean(w·x + b − y)² and its gradient.
    ///
    /// With off = w − the best slope and r the residual in the middle of the points, the error is
    /// the least one plus ½·(spread·off² + r²).
    fn error(&self, [w, b]: [f64; 2]) -> (f64, [f64; 2]) {
        let (off, r) = (w - self.slope, w * self.middle[0] + b - self.middle[1]);
        let value = self.least + 0.5 * (self.spread * off * off + r * r);
        (value, [self.spread * off + r * self.middle[0], r])
    }

    /// The entries ww, wb, bb of the Hessian.
    fn hessian(&self) -> [f64; 3] {
        let x = self.middle[0];
        [self.spread + x * x, x, 1.0]
    }

    /// The largest eigenvalue of the Hessian.
    fn steepest(&self) -> f64 {
        let [a, b, c] = self.hessian();
        0.5 * (a + c) + (0.5 * (a - c)).hypot(b)
    }

    /// Where the error is least: the line of least squares.
    fn bottom(&self) -> [f64; 2] {
        [self.slope, self.middle[1] - self.slope * self.middle[0]]
    }
}

impl Wanted {
    fn answer(&self, run: &Run) -> Result<Value> {
        let bowl = Bowl::new(&self.x, &self.y)?;
        self.check()?;
        let eta = self.step / bowl.steepest();
        let (path, errors, stop) = self.path(&bowl, eta, run)?;
        let bottom = bowl.bottom();
        Ok(json!({
            "path": path,
            "errors": errors,
            "stop": stop,
            "reason": stop.words(),
            "eta": eta,
            "longest": 2.0 / bowl.steepest(),
            "hessian": bowl.hessian(),
            "bottom": bottom,
            "least": bowl.error(bottom).0,
        }))
    }

    fn check(&self) -> Result<()> {
        if !(self.step > 0.0 && self.step.is_finite()) {
            return Err(Error::parameter("step", self.step, "it must be positive"));
        }
        if !(1..=MOST_STEPS).contains(&self.max_iter) {
            let requirement = format!("it must be between 1 and {MOST_STEPS}");
            return Err(Error::parameter("max_iter", self.max_iter, requirement));
        }
        match self.start.iter().all(|value| value.is_finite()) {
            true => Ok(()),
            false => Err(Error::data("the line to start from must be finite")),
        }
    }

    /// Every line on the way with its error, the first one included, and what ended it.
    fn path(&self, bowl: &Bowl, eta: f64, run: &Run) -> Result<(Vec<[f64; 2]>, Vec<f64>, Stop)> {
        let mut at = self.start;
        let (mut value, mut gradient) = bowl.error(at);
        let (mut path, mut errors, mut rises) = (vec![at], vec![value], 0);
        let stop = loop {
            run.check()?;
            if gradient.iter().all(|g| g.abs() <= self.gradient_tolerance) {
                break Stop::Gradient;
            }
            if path.len() > self.max_iter {
                break Stop::IterationLimit;
            }
            let next = [at[0] - eta * gradient[0], at[1] - eta * gradient[1]];
            let (after, slope) = bowl.error(next);
            if !after.is_finite() {
                break Stop::Diverged;
            }
            path.push(next);
            errors.push(after);
            rises = if after > value { rises + 1 } else { 0 };
            if rises == RISES {
                break Stop::Diverged;
            }
            let fall = value - after;
            let settled = self.objective_tolerance > 0.0
                && (0.0..=self.objective_tolerance * value).contains(&fall);
            (at, value, gradient) = (next, after, slope);
            if settled {
                break Stop::Objective;
            }
        };
        Ok((path, errors, stop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(step: f64, max_iter: usize) -> Wanted {
        let x: Vec<f64> = (0..20).map(|i| 0.3 * f64::from(i) - 1.0).collect();
        let y = x.iter().map(|x| 1.5 - 0.7 * x + 0.2 * (5.0 * x).sin());
        Wanted {
            y: y.collect(),
            x,
            start: [2.0, -3.0],
            step,
            max_iter,
            gradient_tolerance: 1e-10,
            objective_tolerance: 0.0,
        }
    }

    fn descended(wanted: &Wanted) -> (Bowl, Vec<[f64; 2]>, Vec<f64>, Stop) {
        let bowl = Bowl::new(&wanted.x, &wanted.y).unwrap();
        let eta = wanted.step / bowl.steepest();
        let (path, errors, stop) = wanted.path(&bowl, eta, &Run::new()).unwrap();
        (bowl, path, errors, stop)
    }

    // 001:REG-09
    #[test]
    fn below_the_longest_step_the_error_falls_to_the_closed_form() {
        for step in [0.3, 1.0, 1.9, 1.99] {
            let (bowl, path, errors, stop) = descended(&wanted(step, 5_000));
            assert_eq!(stop, Stop::Gradient, "{step}");
            // At the bottom the last digits of the error may rise.
            let falls = |pair: &[f64]| pair[1] <= pair[0] * (1.0 + 1e-14);
            assert!(errors.windows(2).all(falls), "{step}");
            let (end, bottom) = (path[path.len() - 1], bowl.bottom());
            assert!((0..2).all(|i| (end[i] - bottom[i]).abs() < 1e-8), "{step}");
        }
    }

    // 001:REG-09
    #[test]
    fn above_it_the_descent_runs_away_and_says_so() {
        let (bowl, path, errors, stop) = descended(&wanted(2.02, 5_000));
        assert_eq!(stop, Stop::Diverged);
        assert!(errors[errors.len() - 1] > errors[errors.len() - 2]);
        let (end, bottom) = (path[path.len() - 1], bowl.bottom());
        assert!((end[0] - bottom[0]).abs() > 0.1);
    }

    // 001:REG-09
    #[test]
    fn the_test_that_fired_is_told() {
        assert_eq!(descended(&wanted(0.1, 3)).3, Stop::IterationLimit);
        let mut settling = wanted(1.0, 5_000);
        settling.objective_tolerance = 1e-3;
        assert_eq!(descended(&settling).3, Stop::Objective);
    }

    #[test]
    fn the_error_and_its_gradient_are_those_of_the_points() {
        let wanted = wanted(1.0, 1);
        let bowl = Bowl::new(&wanted.x, &wanted.y).unwrap();
        let by_hand = |w: f64, b: f64| {
            let residuals = wanted.x.iter().zip(&wanted.y).map(|(x, y)| w * x + b - y);
            residuals.map(|r| r * r).sum::<f64>() / 2.0 / wanted.x.len() as f64
        };
        let (value, gradient) = bowl.error([0.4, -1.2]);
        assert!((value - by_hand(0.4, -1.2)).abs() < 1e-12);
        let h = 1e-5;
        let slopes = [
            (by_hand(0.4 + h, -1.2) - by_hand(0.4 - h, -1.2)) / (2.0 * h),
            (by_hand(0.4, -1.2 + h) - by_hand(0.4, -1.2 - h)) / (2.0 * h),
        ];
        assert!((0..2).all(|i| (gradient[i] - slopes[i]).abs() < 1e-8));
    }
}
