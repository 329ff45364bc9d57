//! Minimum spanning trees of rows: all that single linkage needs.

use super::Join;
use super::condensed::too_large;
use didact_core::{Result, Rows, Run, parallel};
use didact_math::distance::Metric;
use ndarray::ArrayView2;

/// Rows of which one thread looks at a time.
const CHUNK: usize = 8192;

/// The n − 1 edges of a minimum spanning tree of the rows, grown from the first row by Prim's
/// rule: always the nearest row outside. Takes quadratic time and linear memory.
pub(super) fn of_rows(rows: Rows<'_>, metric: Metric, run: &Run) -> Result<Vec<Join>> {
    match rows {
        Rows::Dense(dense) => {
            let d = dense.ncols();
            let values = dense.as_standard_layout();
            let values = values.as_slice().expect("standard layout is contiguous");
            let row = |index: usize| &values[index * d..(index + 1) * d];
            prim(dense.nrows(), run, |a, b| metric.between(row(a), row(b)))
        }
        Rows::Sparse(sparse) => prim(sparse.n_rows(), run, |a, b| {
            metric.between_sparse(sparse.row(a), sparse.row(b))
        }),
    }
}

/// The same of a matrix of distances.
pub(super) fn of_matrix(distances: ArrayView2<'_, f64>, run: &Run) -> Result<Vec<Join>> {
    prim(distances.nrows(), run, |a, b| {
        distances[[a.min(b), a.max(b)]]
    })
}

/// A row that is not in the tree yet, and the nearest row that is.
#[derive(Clone, Copy)]
struct Outside {
    row: usize,
    anchor: usize,
    distance: f64,
}

fn prim(
    n: usize,
    run: &Run,
    between: impl Fn(usize, usize) -> f64 + Sync + Send,
) -> Result<Vec<Join>> {
    let mut outside: Vec<Outside> = (1..n)
        .map(|row| Outside {
            row,
            anchor: 0,
            distance: f64::INFINITY,
        })
        .collect();
    let mut joins = Vec::with_capacity(n.saturating_sub(1));
    let mut newest = 0;
    while !outside.is_empty() {
        parallel::fill(&mut outside, 1, CHUNK, run, |_, piece| {
            for other in piece {
                let distance = between(newest, other.row);
                if distance < other.distance {
                    (other.anchor, other.distance) = (newest, distance);
                }
            }
            Ok(())
        })?;
        // Of equally near rows the lowest.
        let nearer = |a: &Outside, b: &Outside| {
            let by_distance = a.distance.total_cmp(&b.distance);
            by_distance.then(a.row.cmp(&b.row))
        };
        let place = (0..outside.len()).min_by(|&a, &b| nearer(&outside[a], &outside[b]));
        let nearest = outside.swap_remove(place.expect("a row is outside"));
        if !nearest.distance.is_finite() {
            return Err(too_large());
        }
        newest = nearest.row;
        joins.push(Join {
            a: nearest.anchor,
            b: nearest.row,
            height: nearest.distance,
        });
    }
    Ok(joins)
}
