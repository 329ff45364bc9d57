//! Clusters that lost all their rows.

use super::prepare::Prepared;
use super::sums::{ClusterSums, squared_distance, weight_of, written_out};
use didact_core::{Result, Rows, Run, parallel};
use ndarray::Array2;
use std::cmp::Ordering;

/// Gives every cluster without rows the row that is farthest from its centre, where rows equal to
/// one already given away are passed over; returns the rows that moved.
///
/// The inertia falls: the row now costs nothing and no other row costs more.
pub(crate) fn reseed(
    prepared: &Prepared<'_>,
    centers: &Array2<f64>,
    labels: &mut [usize],
    sums: &mut ClusterSums,
    run: &Run,
) -> Result<Vec<usize>> {
    let empty: Vec<usize> = (0..centers.nrows())
        .filter(|&cluster| sums.is_empty(cluster))
        .collect();
    if empty.is_empty() {
        return Ok(Vec::new());
    }
    let rows = prepared.rows();
    let distances = own_distances(rows, centers, labels, run)?;
    let mut moved: Vec<usize> = Vec::new();
    for cluster in empty {
        let farthest = (0..rows.n_rows())
            .filter(|&row| distances[row] > 0.0)
            .filter(|&row| !moved.iter().any(|&other| compare(rows, row, other).is_eq()))
            .max_by(|&a, &b| {
                let by_distance = distances[a].total_cmp(&distances[b]);
                by_distance
                    .then_with(|| compare(rows, b, a))
                    .then(b.cmp(&a))
            });
        let Some(row) = farthest else { break };
        let weight = weight_of(prepared.weights.as_deref(), row);
        sums.add_row(rows, row, labels[row], -weight);
        sums.add_row(rows, row, cluster, weight);
        sums.clear_empty();
        labels[row] = cluster;
        moved.push(row);
    }
    Ok(moved)
}

fn own_distances(
    rows: Rows<'_>,
    centers: &Array2<f64>,
    labels: &[usize],
    run: &Run,
) -> Result<Vec<f64>> {
    let squares: Vec<f64> = centers.rows().into_iter().map(|c| c.dot(&c)).collect();
    let mut distances = vec![0.0; rows.n_rows()];
    parallel::fill(&mut distances, 1, 1024, run, |range, piece| {
        for (row, distance) in range.zip(piece) {
            let center = centers.row(labels[row]);
            let center = center.to_slice().expect("centres are contiguous");
            *distance = squared_distance(rows, row, center, squares[labels[row]]);
        }
        Ok(())
    })?;
    Ok(distances)
}

/// Orders rows by their values, so that which of several equally far rows is taken does not
/// depend on where it stands.
fn compare(rows: Rows<'_>, a: usize, b: usize) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    compare_values(&written_out(rows, a), &written_out(rows, b))
}

/// Orders rows by their first value that differs.
pub(crate) fn compare_values(a: &[f64], b: &[f64]) -> Ordering {
    let different = a.iter().zip(b).find(|(a, b)| a != b);
    different.map_or(Ordering::Equal, |(a, b)| a.total_cmp(b))
}
