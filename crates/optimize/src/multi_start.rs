//! Several starts, and the points where the slope is zero.

use crate::least_squares::Residuals;
use crate::{Curved, Minimise, NewtonEquations, Objective, Outcome};
use didact_core::parallel::fill;
use didact_core::random::{Generator, generator};
use didact_core::{Error, Result, Run, parameters};
use didact_math::linalg::symmetric_eigen;
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Work from several random starts, of which the best is kept.
///
/// Start number i draws from stream i of the seed, so that starts can be repeated alone and their
/// number, order and threads change nothing. A strictly convex objective needs only one.
///
/// ```
/// use didact_optimize::{Lbfgs, MultiStart};
/// use didact_core::Run;
/// use rand::RngExt;
/// // A double well with the lower minimum near −1.
/// let mut wells = |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = 4.0 * x[0] * (x[0] * x[0] - 1.0) + 0.2;
///     (x[0] * x[0] - 1.0).powi(2) + 0.2 * x[0]
/// };
/// let runs = MultiStart { n_starts: 8, random_state: 1 }.minimise(
///     &mut wells,
///     &Lbfgs::default(),
///     |generator| vec![generator.random_range(-2.0..2.0)],
///     &Run::new(),
/// )?;
/// assert_eq!(runs.values.len(), 8);
/// assert!(runs.best.x[0] < -1.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MultiStart {
    /// Number of starts.
    #[schemars(range(min = 1))]
    pub n_starts: usize,
    /// Governs the random starts.
    pub random_state: u64,
}

impl Default for MultiStart {
    fn default() -> Self {
        MultiStart {
            n_starts: 10,
            random_state: 0,
        }
    }
}

/// The best of several starts, and how all of them ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Starts<T> {
    /// What the best start found.
    pub best: T,
    /// The number of the best start; the first of those that tie.
    pub index: usize,
    /// The objective that each start reached; NaN where one failed.
    pub values: Vec<f64>,
    /// All that the starts found; none where one failed.
    pub all: Vec<Option<T>>,
}

impl MultiStart {
    /// Does `work` for each start, in parallel, and keeps the result of least objective. The work
    /// is given the number of the start and its generator. A start that fails with a numerical
    /// error counts as infinitely bad, unless all do.
    pub fn best_of<T: Clone + Send>(
        &self,
        run: &Run,
        work: impl Fn(usize, Generator, &Run) -> Result<(f64, T)> + Sync + Send,
    ) -> Result<Starts<T>> {
        parameters::check(self)?;
        let quiet = run.quietly();
        let mut results: Vec<Option<Result<(f64, T)>>> = (0..self.n_starts).map(|_| None).collect();
        fill(&mut results, 1, 1, run, |starts, slots| {
            for (start, slot) in starts.zip(slots) {
                let result = work(start, generator(self.random_state, start as u64), &quiet);
                if let Err(Error::Cancelled) = result {
                    return Err(Error::Cancelled);
                }
                *slot = Some(result);
            }
            Ok(())
        })?;
        choose(results.into_iter().flatten().collect())
    }

    /// Minimises an objective from starts that `draw` makes, one after the other.
    pub fn minimise(
        &self,
        objective: &mut dyn Objective,
        method: &dyn Minimise,
        mut draw: impl FnMut(&mut Generator) -> Vec<f64>,
        run: &Run,
    ) -> Result<Starts<Outcome>> {
        parameters::check(self)?;
        let mut results = Vec::with_capacity(self.n_starts);
        for start in 0..self.n_starts {
            let point = draw(&mut generator(self.random_state, start as u64));
            let result = method.minimise(objective, &point, run);
            if let Err(Error::Cancelled) = result {
                return Err(Error::Cancelled);
            }
            results.push(result.map(|outcome| (outcome.value, outcome)));
        }
        choose(results)
    }
}

fn choose<T: Clone>(results: Vec<Result<(f64, T)>>) -> Result<Starts<T>> {
    let value = |result: &Result<(f64, T)>| result.as_ref().map_or(f64::NAN, |(value, _)| *value);
    let values: Vec<f64> = results.iter().map(value).collect();
    let index = (0..values.len())
        .filter(|&i| !values[i].is_nan())
        .reduce(|best, i| if values[i] < values[best] { i } else { best });
    let Some(index) = index else {
        let first = results.into_iter().find_map(Result::err);
        return Err(first
            .unwrap_or_else(|| Error::numerical("the objective is NaN where every start ended")));
    };
    let all: Vec<Option<T>> = results
        .into_iter()
        .map(|result| result.ok().map(|(_, t)| t))
        .collect();
    let best = all[index]
        .clone()
        .ok_or_else(|| Error::numerical("the best start has no result"))?;
    Ok(Starts {
        best,
        index,
        values,
        all,
    })
}

/// What a point of zero slope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StationaryKind {
    /// Every curvature is positive.
    Minimum,
    /// Every curvature is negative.
    Maximum,
    /// Curvatures of both signs.
    Saddle,
    /// A curvature is zero: the second derivatives do not decide.
    Undecided,
}

/// A point where the gradient vanishes.
#[derive(Clone, Debug, PartialEq)]
pub struct StationaryPoint {
    /// The point.
    pub x: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// What it is, by the signs of the Hessian's eigenvalues.
    pub kind: StationaryKind,
}

/// Solves ∇f = 0 from each start by Newton's method and returns the distinct solutions, the
/// lowest first: a point of zero slope may be a maximum or a saddle, so values are compared.
///
/// ```
/// use didact_optimize::{StationaryKind, WithHessian, stationary_points};
/// use didact_core::Run;
/// use ndarray::Array2;
/// let mut cubic = WithHessian::new(
///     |x: &[f64], gradient: &mut [f64]| {
///         gradient[0] = 3.0 * x[0] * x[0] - 3.0;
///         x[0].powi(3) - 3.0 * x[0]
///     },
///     |x: &[f64], hessian: &mut Array2<f64>| hessian[[0, 0]] = 6.0 * x[0],
/// );
/// let points = stationary_points(&mut cubic, &[vec![3.0], vec![-3.0]], &Run::new())?;
/// assert_eq!(points[0].kind, StationaryKind::Minimum);
/// assert_eq!(points[1].kind, StationaryKind::Maximum);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn stationary_points(
    objective: &mut dyn Curved,
    starts: &[Vec<f64>],
    run: &Run,
) -> Result<Vec<StationaryPoint>> {
    let mut points: Vec<StationaryPoint> = Vec::new();
    for start in starts {
        let mut slope = Slope {
            objective,
            n: start.len(),
        };
        let outcome = NewtonEquations::default().solve(&mut slope, start, &run.quietly())?;
        let size = outcome.x.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        let is_known = points.iter().any(|point| {
            point
                .x
                .iter()
                .zip(&outcome.x)
                .all(|(a, b)| (a - b).abs() <= 1e-6 * size)
        });
        if outcome.gradient_norm > 1e-8 || is_known {
            continue;
        }
        let kind = kind_of(objective, &outcome.x)?;
        let value = objective.value(&outcome.x)?;
        points.push(StationaryPoint {
            x: outcome.x,
            value,
            kind,
        });
    }
    points.sort_by(|a, b| a.value.total_cmp(&b.value));
    Ok(points)
}

fn kind_of(objective: &mut dyn Curved, x: &[f64]) -> Result<StationaryKind> {
    let mut hessian = Array2::zeros((x.len(), x.len()));
    objective.hessian(x, &mut hessian)?;
    let values = symmetric_eigen(hessian.view())?.values;
    let least = 1e-10
        * values
            .iter()
            .fold(0.0_f64, |most, value| most.max(value.abs()));
    let (up, down) = (
        values.iter().any(|&v| v > least),
        values.iter().any(|&v| v < -least),
    );
    Ok(match (up, down) {
        (true, true) => StationaryKind::Saddle,
        _ if values.iter().any(|v| v.abs() <= least) => StationaryKind::Undecided,
        (true, false) => StationaryKind::Minimum,
        (false, _) => StationaryKind::Maximum,
    })
}

/// The gradient as a system of equations.
struct Slope<'a> {
    objective: &'a mut dyn Curved,
    n: usize,
}

impl Residuals for Slope<'_> {
    fn len(&self) -> usize {
        self.n
    }

    fn residuals(&mut self, x: &[f64], values: &mut [f64]) -> Result<()> {
        self.objective.evaluate(x, values).map(|_| ())
    }

    fn jacobian(&mut self, x: &[f64], jacobian: &mut Array2<f64>) -> Result<()> {
        self.objective.hessian(x, jacobian)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GradientDescent, Lbfgs, Quadratic, WithHessian};
    use ndarray::array;
    use rand::RngExt;

    /// (x² − 1)² + 0.2x: minima near ±1, the lower near −1.
    fn wells(x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient[0] = 4.0 * x[0] * (x[0] * x[0] - 1.0) + 0.2;
        (x[0] * x[0] - 1.0).powi(2) + 0.2 * x[0]
    }

    fn draw(generator: &mut Generator) -> Vec<f64> {
        vec![generator.random_range(-2.0..2.0)]
    }

    // 001:REG-10
    #[test]
    fn the_best_of_many_finds_the_lower_of_two_wells() {
        let runs = MultiStart {
            n_starts: 12,
            random_state: 3,
        }
        .minimise(&mut wells, &Lbfgs::default(), draw, &Run::new())
        .unwrap();
        assert!(runs.best.x[0] < 0.0);
        assert!(
            runs.values
                .iter()
                .any(|value| *value > runs.best.value + 0.1),
            "{:?}",
            runs.values
        );
        assert!(runs.values.iter().all(|value| *value >= runs.best.value));
    }

    // 001:REG-10
    #[test]
    fn all_starts_agree_where_the_objective_is_convex() {
        let mut bowl = Quadratic::new(array![[2.0]], array![3.0]).unwrap();
        let runs = MultiStart::default()
            .minimise(&mut bowl, &Lbfgs::default(), draw, &Run::new())
            .unwrap();
        assert!(
            runs.all
                .iter()
                .flatten()
                .all(|outcome| (outcome.x[0] - 1.5).abs() < 1e-6)
        );
    }

    // 001:REG-10
    #[test]
    fn seeds_are_derived_and_threads_change_nothing() {
        let starts = |threads: usize, n_starts: usize| {
            let run = Run::new().threads(threads);
            let method = MultiStart {
                n_starts,
                random_state: 7,
            };
            let work = |_: usize, mut generator: Generator, run: &Run| {
                let outcome = Lbfgs::default().minimise(&mut wells, &draw(&mut generator), run)?;
                Ok((outcome.value, outcome.x))
            };
            run.install(|| method.best_of(&run, work)).unwrap()
        };
        assert_eq!(starts(1, 6), starts(2, 6));
        // A start does not depend on how many there are.
        assert_eq!(starts(1, 3).values[..3], starts(1, 6).values[..3]);
    }

    #[test]
    fn a_failing_start_is_passed_over_unless_all_fail() {
        let method = MultiStart {
            n_starts: 3,
            random_state: 0,
        };
        let some = method
            .best_of(&Run::new(), |i, _, _| match i {
                1 => Err(Error::numerical("no")),
                _ => Ok((1.0, i)),
            })
            .unwrap();
        assert_eq!((some.best, some.index), (0, 0));
        assert!(some.values[1].is_nan() && some.all[1].is_none());
        let none = method.best_of(&Run::new(), |_, _, _| {
            Err::<(f64, ()), _>(Error::numerical("no"))
        });
        assert!(none.is_err());
    }

    // 001:REG-08
    #[test]
    fn the_lowest_stationary_point_is_where_descent_ends() {
        let mut problem = WithHessian::new(wells, |x: &[f64], hessian: &mut Array2<f64>| {
            hessian[[0, 0]] = 12.0 * x[0] * x[0] - 4.0;
        });
        let starts: Vec<Vec<f64>> = (-4..=4).map(|i| vec![f64::from(i) * 0.5]).collect();
        let points = stationary_points(&mut problem, &starts, &Run::new()).unwrap();
        let kinds: Vec<StationaryKind> = points.iter().map(|point| point.kind).collect();
        assert_eq!(
            kinds,
            [
                StationaryKind::Minimum,
                StationaryKind::Minimum,
                StationaryKind::Maximum
            ]
        );
        // A stationary point is not enough: the highest of the three is a maximum.
        let descent = GradientDescent::default()
            .minimise(&mut wells, &[-0.5], &Run::new())
            .unwrap();
        assert!((descent.x[0] - points[0].x[0]).abs() < 1e-6);
        let mut saddle = Quadratic::new(array![[1.0, 0.0], [0.0, -1.0]], array![0.0, 0.0]).unwrap();
        let points = stationary_points(&mut saddle, &[vec![1.0, 1.0]], &Run::new()).unwrap();
        assert_eq!(points[0].kind, StationaryKind::Saddle);
    }
}
