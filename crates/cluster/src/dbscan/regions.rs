//! Which rows are dense, and which of these hang together.

use super::Dbscan;
use didact_core::{Result, Run, Samples};
use didact_math::neighbors::Index;

/// Rows whose neighbours are held at one time: enough to share the work, little to remember.
const BATCH: usize = 4096;

/// The cluster of each row, and which rows are core rows.
pub(super) struct Regions {
    pub(super) labels: Vec<Option<usize>>,
    pub(super) is_core: Vec<bool>,
    pub(super) n_clusters: usize,
}

/// Looks at the neighbours of each row once, and at those of rows that are not dense again.
pub(super) fn find(
    parameters: &Dbscan,
    data: &Samples<'_>,
    index: &Index,
    run: &Run,
) -> Result<Regions> {
    let n = data.n_rows();
    let mut is_core = vec![false; n];
    let mut parents: Vec<usize> = (0..n).collect();
    for first in (0..n).step_by(BATCH) {
        let batch = first..(first + BATCH).min(n);
        let near = index.rows_within(data.rows().slice(batch.clone()), parameters.eps, run)?;
        for (row, near) in batch.clone().zip(&near) {
            let weight: f64 = match data.weights() {
                None => near.len() as f64,
                Some(weights) => near.iter().map(|&other| weights[other]).sum(),
            };
            // A row of weight zero is not there for the others.
            is_core[row] = data.weight(row) > 0.0 && weight >= parameters.min_samples as f64;
        }
        // Rows of later batches look back at these, so every pair is seen.
        for (row, near) in batch.zip(near) {
            run.check()?;
            let earlier = near.into_iter().filter(|&other| other < row);
            for other in earlier.filter(|&other| is_core[row] && is_core[other]) {
                join(&mut parents, row, other);
            }
        }
    }
    let (mut labels, n_clusters) = number(&mut parents, &is_core);
    let rest: Vec<usize> = (0..n).filter(|&row| !is_core[row]).collect();
    for batch in rest.chunks(BATCH) {
        let rows = data.rows().select(batch);
        let near = index.rows_within(rows.view(), parameters.eps, run)?;
        for (&row, near) in batch.iter().zip(near) {
            let cores = near.into_iter().filter(|&other| is_core[other]);
            labels[row] = cores.filter_map(|other| labels[other]).min();
        }
    }
    Ok(Regions {
        labels,
        is_core,
        n_clusters,
    })
}

fn join(parents: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parents, a), root(parents, b));
    parents[a.max(b)] = a.min(b);
}

/// The lowest row that is reached, with every second step of the way cut short.
fn root(parents: &mut [usize], mut row: usize) -> usize {
    while parents[row] != row {
        parents[row] = parents[parents[row]];
        row = parents[row];
    }
    row
}

/// Labels of the core rows, by the lowest row that each hangs together with.
fn number(parents: &mut [usize], is_core: &[bool]) -> (Vec<Option<usize>>, usize) {
    let mut labels = vec![None; parents.len()];
    let mut count = 0;
    for row in 0..parents.len() {
        if !is_core[row] {
            continue;
        }
        let lowest = root(parents, row);
        labels[row] = match lowest == row {
            true => {
                count += 1;
                Some(count - 1)
            }
            false => labels[lowest],
        };
    }
    (labels, count)
}
