//! Exchanges of a medoid for another row, as soon as one pays (FasterPAM).

use didact_core::{Result, Run, StopReason, Trace, TraceWriter};
use didact_math::numeric::argmin;
use ndarray::Array2;

/// Medoids of which no single exchange lowers the cost, unless the passes ran out.
pub(super) struct Swapped {
    pub(super) medoids: Vec<usize>,
    pub(super) cost: f64,
    pub(super) trace: Trace,
}

/// The two nearest medoids of a row, as places in the list of medoids.
#[derive(Clone, Copy)]
struct Two {
    first: usize,
    near: f64,
    far: f64,
}

/// Exchanges until no exchange pays.
pub(super) fn improve(
    distances: &Array2<f64>,
    weights: &[f64],
    mut medoids: Vec<usize>,
    max_iter: usize,
    run: &Run,
) -> Result<Swapped> {
    let n = weights.len();
    let mut trace = TraceWriter::new(run, "sum of distances", Some(max_iter));
    let mut stop = StopReason::IterationLimit;
    let mut two: Vec<Two> = (0..n)
        .map(|row| nearest_two(distances, row, &medoids))
        .collect();
    let mut losses = removal_losses(&two, weights, medoids.len());
    let mut changes = vec![0.0; medoids.len()];
    let mut since_last = 0;
    'passes: for _ in 0..max_iter {
        for candidate in 0..n {
            run.check()?;
            if since_last == n {
                stop = StopReason::Converged;
                break 'passes;
            }
            since_last += 1;
            if medoids.contains(&candidate) {
                continue;
            }
            let gain = assess(distances, weights, &two, candidate, (&losses, &mut changes));
            let place = argmin(changes.iter().copied()).unwrap_or(0);
            let total = cost(&two, weights);
            // Less than rounding is no gain, and could be made for ever.
            if changes[place] + gain < -1e-12 * total {
                medoids[place] = candidate;
                for (row, two) in two.iter_mut().enumerate() {
                    *two = nearest_two(distances, row, &medoids);
                }
                losses = removal_losses(&two, weights, medoids.len());
                since_last = 0;
            }
        }
        trace.record(cost(&two, weights))?;
    }
    if stop == StopReason::Converged || since_last == n {
        stop = StopReason::Converged;
        trace.record(cost(&two, weights))?;
    }
    Ok(Swapped {
        cost: cost(&two, weights),
        medoids,
        trace: trace.finish(stop),
    })
}

fn cost(two: &[Two], weights: &[f64]) -> f64 {
    two.iter()
        .zip(weights)
        .map(|(two, weight)| two.near * weight)
        .sum()
}

fn nearest_two(distances: &Array2<f64>, row: usize, medoids: &[usize]) -> Two {
    let mut two = Two {
        first: 0,
        near: f64::INFINITY,
        far: f64::INFINITY,
    };
    for (place, &medoid) in medoids.iter().enumerate() {
        let distance = distances[[row, medoid]];
        if distance < two.near {
            two = Two {
                first: place,
                near: distance,
                far: two.near,
            };
        } else if distance < two.far {
            two.far = distance;
        }
    }
    two
}

/// What taking each medoid away would cost; infinite where it is the only one.
fn removal_losses(two: &[Two], weights: &[f64], k: usize) -> Vec<f64> {
    let mut losses = vec![0.0; k];
    for (two, weight) in two.iter().zip(weights) {
        losses[two.first] += weight * (two.far - two.near);
    }
    losses
}

/// How the cost changes when the candidate comes in, shared by all exchanges, and in `changes`
/// what is special to each medoid that goes out for it.
fn assess(
    distances: &Array2<f64>,
    weights: &[f64],
    two: &[Two],
    candidate: usize,
    (losses, changes): (&[f64], &mut [f64]),
) -> f64 {
    if losses.len() == 1 {
        // The only medoid is replaced whole: its removal has no finite price.
        let row = distances.row(candidate);
        let terms = row.iter().zip(two).zip(weights);
        changes[0] = terms
            .map(|((d, two), weight)| weight * (d - two.near))
            .sum();
        return 0.0;
    }
    changes.copy_from_slice(losses);
    let mut gain = 0.0;
    for ((&distance, two), weight) in distances.row(candidate).iter().zip(two).zip(weights) {
        if distance < two.near {
            gain += weight * (distance - two.near);
            changes[two.first] += weight * (two.near - two.far);
        } else if distance < two.far {
            changes[two.first] += weight * (distance - two.far);
        }
    }
    gain
}
