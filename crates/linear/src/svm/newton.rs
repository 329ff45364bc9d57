//! Newton's method for squared losses and few columns.
//!
//! The objective is quadratic wherever no row enters or leaves the set that costs something, so a
//! few steps with an exact line search end at the minimum. The multipliers 2C·excess are feasible
//! for the dual and give the certificate.

use super::problem::{Found, Problem};
use crate::separators::overflow;
use didact_core::{Result, Rows, Run, StopReason, TraceWriter};
use didact_math::linalg::{Cholesky, gram, transposed_rows_times};
use didact_math::numeric::dot;
use ndarray::{Array1, Array2, Axis, s};

/// Solves the problem until the gap is below `tol` times the objective.
pub(super) fn solve(problem: &Problem<'_>, tol: f64, max_iter: usize, run: &Run) -> Result<Found> {
    // Overflow of squares shows here, before any matrix.
    problem.squared_lengths(run)?;
    let mut trace = TraceWriter::new(run, "regularised risk", Some(max_iter));
    let mut weights = vec![0.0; problem.n_weights()];
    let mut scores = vec![0.0; problem.n_rows()];
    let mut objective = problem.objective(&weights, &scores);
    let mut best = (f64::INFINITY, f64::INFINITY, weights.clone());
    let stop = loop {
        let point = Point::new(problem, &weights, &scores, run)?;
        if point.gap < best.1 {
            best = (objective, point.gap, weights.clone());
        }
        if point.gap <= tol * objective.abs().max(f64::MIN_POSITIVE) {
            break StopReason::Converged;
        }
        if trace.n_iter() == max_iter {
            break StopReason::IterationLimit;
        }
        let step = point.step(problem, run)?;
        let ahead = problem.scores(&step, run)?;
        let length = line_search(problem, [&weights, &step], [&scores, &ahead]);
        for (w, change) in weights.iter_mut().zip(&step) {
            *w += length * change;
        }
        for (score, change) in scores.iter_mut().zip(&ahead) {
            *score += length * change;
        }
        let next = problem.objective(&weights, &scores);
        trace.record(next)?;
        // Rounding is all that is left to fight; the sums are taken anew once before giving up.
        if next >= objective || next.is_nan() {
            let point = Point::new(problem, &weights, &problem.scores(&weights, run)?, run)?;
            if point.gap < best.1 {
                best = (next, point.gap, weights.clone());
            }
            break match best.1 <= tol * best.0.abs() {
                true => StopReason::Converged,
                false => StopReason::Stalled,
            };
        }
        objective = next;
    };
    let (objective, gap, weights) = best;
    Ok(Found {
        weights,
        objective,
        gap,
        objectives: trace.finish(stop).objectives,
        stop,
    })
}

/// What is known at given weights.
struct Point {
    gradient: Vec<f64>,
    /// 2C for every row that costs something.
    bends: Array1<f64>,
    gap: f64,
}

impl Point {
    fn new(problem: &Problem<'_>, weights: &[f64], scores: &[f64], run: &Run) -> Result<Self> {
        let mut multipliers = vec![0.0; problem.n_rows()];
        let mut bends = Array1::zeros(problem.n_rows());
        for (row, score) in scores.iter().enumerate() {
            let excess = problem.excess(row, problem.targets[row] - score);
            if excess != 0.0 {
                bends[row] = 2.0 * problem.prices[row];
                multipliers[row] = bends[row] * excess;
            }
        }
        // w − Σβx: the dual at these multipliers, whose own weights are Σβx.
        let made = combination(problem, &multipliers, run)?;
        let gradient: Vec<f64> = weights.iter().zip(&made).map(|(w, m)| w - m).collect();
        let dual = problem.dual_objective(&made, &multipliers);
        Ok(Point {
            gap: Problem::gap(problem.objective(weights, scores), dual)?,
            gradient,
            bends,
        })
    }

    /// The step −(I + Σ 2C·x·xᵀ)⁻¹·gradient.
    fn step(&self, problem: &Problem<'_>, run: &Run) -> Result<Vec<f64>> {
        let d = problem.rows.n_columns();
        let mut matrix = Array2::eye(d + 1);
        let products = gram(problem.rows, Some(self.bends.view()), run)?;
        let mut block = matrix.slice_mut(s![..d, ..d]);
        block += &products;
        let sums = weighted_sums(problem.rows, &self.bends, run)? * problem.constant;
        matrix.slice_mut(s![..d, d]).assign(&sums);
        matrix.slice_mut(s![d, ..d]).assign(&sums);
        matrix[[d, d]] += self.bends.sum() * problem.constant * problem.constant;
        let factor = Cholesky::new(matrix.view()).map_err(|_| overflow())?;
        let gradient = Array1::from(self.gradient.clone());
        Ok((-factor.solve_vector(gradient.view())).to_vec())
    }
}

/// Σ βx, the constant feature included.
fn combination(problem: &Problem<'_>, multipliers: &[f64], run: &Run) -> Result<Vec<f64>> {
    let factors = Array1::from(multipliers.to_vec());
    let mut sums = weighted_sums(problem.rows, &factors, run)?.to_vec();
    sums.push(problem.constant * factors.sum());
    Ok(sums)
}

fn weighted_sums(rows: Rows<'_>, factors: &Array1<f64>, run: &Run) -> Result<Array1<f64>> {
    let column = factors.view().insert_axis(Axis(1));
    Ok(transposed_rows_times(rows, column, run)?.remove_axis(Axis(1)))
}

/// The length of the step with the least objective: the slope is piecewise linear and rises, so
/// Newton's method on it ends after few rounds, kept within an interval that brackets the zero.
fn line_search(
    problem: &Problem<'_>,
    [w, step]: [&Vec<f64>; 2],
    [s, ahead]: [&Vec<f64>; 2],
) -> f64 {
    let (linear, square) = (dot(w, step), dot(step, step));
    let slope_and_bend = |t: f64| {
        let (mut slope, mut bend) = (linear + t * square, square);
        for (row, (score, change)) in s.iter().zip(ahead).enumerate() {
            let excess = problem.excess(row, problem.targets[row] - (score + t * change));
            // Which rows cost something cannot be guessed, so nothing branches on it.
            let factor = 2.0 * problem.prices[row] * change;
            slope -= factor * excess;
            bend += if excess != 0.0 { factor * change } else { 0.0 };
        }
        (slope, bend)
    };
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut t = 1.0;
    for _ in 0..50 {
        let (slope, bend) = slope_and_bend(t);
        match slope > 0.0 {
            true => high = t,
            false => low = t,
        }
        let mut next = t - slope / bend;
        // Asked first: where the step is lost in rounding, `next` is an end of the interval.
        if (next - t).abs() <= 1e-12 * t {
            return next;
        }
        if !(next > low && next < high) {
            next = if high.is_finite() {
                0.5 * (low + high)
            } else {
                2.0 * t
            };
        }
        t = next;
    }
    t
}
