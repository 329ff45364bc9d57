//! Core distances: how far away the k-th nearest row is.

use super::cells::Cells;
use crate::lanes::{LANES, least};
use didact_core::{Result, Run, parallel};
use didact_math::vectorised::vectorised;

/// The squared distance of each row to its k-th nearest, itself counted.
pub(super) fn squared_core_distances(cells: &Cells, k: usize, run: &Run) -> Result<Vec<f64>> {
    let mut by_place = vec![0.0; cells.order.len()];
    parallel::fill(&mut by_place, 1, LANES, run, |places, cores| {
        vectorised(
            #[inline(always)]
            || search(cells, places.start / LANES, k, cores),
        );
        Ok(())
    })?;
    let mut cores = vec![0.0; by_place.len()];
    for (&row, core) in cells.order.iter().zip(by_place) {
        cores[row] = core;
    }
    Ok(cores)
}

/// The core distances of the rows of one cell: cells are looked at from the nearest on, until
/// the next is farther than all that is still sought.
#[inline(always)]
fn search(cells: &Cells, own: usize, k: usize, cores: &mut [f64]) {
    let places = own * LANES..own * LANES + cores.len();
    let points: Vec<Vec<f64>> = places
        .map(|place| cells.points.point(cells.order[place]).collect())
        .collect();
    let mut others: Vec<(f64, usize)> = (0..cells.count())
        .map(|cell| (cells.bound(own, cell), cell))
        .collect();
    others.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // The k least distances of each row, in rising order.
    let mut nearest = vec![f64::INFINITY; k * points.len()];
    for (bound, cell) in others {
        let mut farthest = 0.0;
        for (point, nearest) in points.iter().zip(nearest.chunks_exact_mut(k)) {
            if bound < nearest[k - 1] && cells.bound_to(cell, point) < nearest[k - 1] {
                offer(cells.points.squared_distances(cell, point), nearest);
            }
            if nearest[k - 1] > farthest {
                farthest = nearest[k - 1];
            }
        }
        if bound >= farthest {
            break;
        }
    }
    for (core, nearest) in cores.iter_mut().zip(nearest.chunks_exact(k)) {
        *core = nearest[k - 1];
    }
}

/// Puts the distances that are less than the last one in their places.
#[inline(always)]
fn offer(distances: [f64; LANES], nearest: &mut [f64]) {
    let last = nearest.len() - 1;
    if least(&distances) >= nearest[last] {
        return;
    }
    for distance in distances {
        if distance < nearest[last] {
            let place = nearest.partition_point(|&other| other <= distance);
            nearest.copy_within(place..last, place + 1);
            nearest[place] = distance;
        }
    }
}
