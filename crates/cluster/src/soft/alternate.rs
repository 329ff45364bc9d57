//! Shares from centres, centres from shares, until the centres stand still.

use super::Plan;
use super::rule::Rule;
use crate::k_means::{ColumnRanges, shifted_rows};
use crate::too_far::centers_too_far;
use didact_core::{Result, Run, Samples, StopReason, Trace, TraceWriter, parallel};
use didact_math::distance::squared_euclidean;
use didact_math::linalg::Variances;
use ndarray::{Array2, ArrayView2};

/// Steps that are halved more often than this are too short to see.
const MOST_HALVINGS: usize = 40;

/// What one start led to.
pub(super) struct Outcome {
    pub(super) centers: Array2<f64>,
    pub(super) objective: f64,
    pub(super) trace: Trace,
}

/// What a pass over the rows finds.
struct Pass {
    objective: f64,
    pulls: Vec<f64>,
    sums: Array2<f64>,
}

/// Improves one start.
///
/// With squared distances the full step is never worse. The step of harmonic means points downhill
/// but may be too long, then it is halved. Soft k-means under other distances keeps its update, the
/// mean, although that does not minimise them.
pub(super) fn improve(
    plan: &Plan<'_>,
    data: &Samples<'_>,
    start: Array2<f64>,
    run: &Run,
) -> Result<Outcome> {
    let offset = ColumnRanges::of(data.dense()?, data.weights(), run)?.exact_offset();
    let shifted = shifted_rows(data.rows(), &offset);
    let rows = shifted.view().dense()?;
    let tolerance = tolerance(data, plan.tol, run)?;
    let mut centers = start - &offset;
    let mut trace = TraceWriter::new(run, "objective", Some(plan.max_iter));
    let mut stop = StopReason::IterationLimit;
    let mut pass = look(plan.rule, rows, data, &centers, run)?;
    for _ in 0..plan.max_iter {
        let means = means(&pass, &centers);
        let (next, found) = step(plan, rows, data, (&centers, &pass), means, run)?;
        let movement: f64 = next
            .iter()
            .zip(&centers)
            .map(|(a, b)| (a - b).powi(2))
            .sum();
        (centers, pass) = (next, found);
        trace.record(pass.objective)?;
        if movement <= tolerance {
            stop = StopReason::Converged;
            break;
        }
    }
    Ok(Outcome {
        centers: centers + &offset,
        objective: pass.objective,
        trace: trace.finish(stop),
    })
}

fn tolerance(data: &Samples<'_>, tol: f64, run: &Run) -> Result<f64> {
    let variances = Variances::summarise(data.rows(), data.weights(), run)?;
    Ok(tol * tol * variances.variance().sum())
}

/// The full step to the means, or as much of it as does not raise the objective.
fn step(
    plan: &Plan<'_>,
    rows: ArrayView2<'_, f64>,
    data: &Samples<'_>,
    (centers, before): (&Array2<f64>, &Pass),
    means: Array2<f64>,
    run: &Run,
) -> Result<(Array2<f64>, Pass)> {
    let mut next = means;
    for _ in 0..MOST_HALVINGS {
        let pass = look(plan.rule, rows, data, &next, run)?;
        let is_full = !matches!(plan.rule, Rule::Harmonic { .. });
        // Rounding may raise it by a few of its last digits.
        if is_full || pass.objective <= before.objective + 1e-13 * before.objective.abs() {
            return Ok((next, pass));
        }
        next = (&next + centers) / 2.0;
    }
    let pass = look(plan.rule, rows, data, centers, run)?;
    Ok((centers.clone(), pass))
}

/// The centres of gravity of the pulls; a centre that nothing pulls stays.
fn means(pass: &Pass, centers: &Array2<f64>) -> Array2<f64> {
    let mut means = centers.clone();
    for (cluster, mut mean) in means.rows_mut().into_iter().enumerate() {
        if pass.pulls[cluster] > 0.0 {
            mean.assign(&pass.sums.row(cluster));
            mean /= pass.pulls[cluster];
        }
    }
    means
}

fn look(
    rule: Rule,
    rows: ArrayView2<'_, f64>,
    data: &Samples<'_>,
    centers: &Array2<f64>,
    run: &Run,
) -> Result<Pass> {
    let (k, d) = centers.dim();
    let chunk = ((1 << 16) / (k * d).max(1)).clamp(16, 4096);
    let summarise = |range: std::ops::Range<usize>| {
        let mut pass = Pass {
            objective: 0.0,
            pulls: vec![0.0; k],
            sums: Array2::zeros((k, d)),
        };
        let mut pulls = vec![0.0; k];
        for row in range {
            let weight = data.weight(row);
            if weight == 0.0 {
                continue;
            }
            let values = rows.row(row);
            let values = values.to_slice().expect("rows are contiguous");
            squared_distances(values, centers, &mut pulls);
            pass.objective += weight * rule.pulls(&mut pulls);
            for (cluster, &pull) in pulls.iter().enumerate().filter(|(_, pull)| **pull > 0.0) {
                pass.pulls[cluster] += weight * pull;
                let mut sum = pass.sums.row_mut(cluster);
                let sum = sum.as_slice_mut().expect("sums are contiguous");
                for (sum, value) in sum.iter_mut().zip(values) {
                    *sum += weight * pull * value;
                }
            }
        }
        Ok(pass)
    };
    let merge = |mut left: Pass, right: Pass| {
        left.objective += right.objective;
        left.sums += &right.sums;
        for (pull, more) in left.pulls.iter_mut().zip(right.pulls) {
            *pull += more;
        }
        left
    };
    let pass = parallel::reduce(rows.nrows(), chunk, run, &summarise, &merge)?;
    let pass = pass.expect("there is at least one row");
    let sound = pass.objective.is_finite() && pass.sums.iter().all(|sum| sum.is_finite());
    match sound {
        true => Ok(pass),
        false => Err(centers_too_far()),
    }
}

/// The squared distances of a row to all centres.
pub(super) fn squared_distances(row: &[f64], centers: &Array2<f64>, output: &mut [f64]) {
    for (center, output) in centers.rows().into_iter().zip(output) {
        *output = squared_euclidean(row, center.to_slice().expect("centres are contiguous"));
    }
}
