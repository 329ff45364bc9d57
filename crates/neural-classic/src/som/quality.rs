//! How well a map represents the rows, and how well it keeps neighbours together.

use super::Map;
use didact_core::{Result, Run, parallel};
use didact_math::distance::squared_euclidean;
use ndarray::ArrayView2;

/// What a map makes of the rows it learned from.
pub(super) struct Quality {
    /// The winner of each row.
    pub(super) labels: Vec<usize>,
    /// The mean distance of the rows to their winners.
    pub(super) quantization_error: f64,
    /// The share of rows whose two nearest nodes do not touch on the grid.
    pub(super) topographic_error: f64,
}

/// What is known of one row.
#[derive(Clone, Copy, Default)]
struct Seen {
    winner: usize,
    distance: f64,
    is_torn: bool,
}

/// Judges a map by the rows.
pub(super) fn judge(map: &Map, rows: ArrayView2<'_, f64>, run: &Run) -> Result<Quality> {
    let mut seen = vec![Seen::default(); rows.nrows()];
    let chunk = ((1 << 18) / map.weights.len()).clamp(16, 4096);
    parallel::fill(&mut seen, 1, chunk, run, |range, piece| {
        for (row, seen) in range.zip(piece) {
            let row = rows.row(row);
            *seen = look(map, row.as_slice().expect("rows are contiguous"));
        }
        Ok(())
    })?;
    let n = rows.nrows() as f64;
    Ok(Quality {
        quantization_error: seen.iter().map(|seen| seen.distance).sum::<f64>() / n,
        topographic_error: seen.iter().filter(|seen| seen.is_torn).count() as f64 / n,
        labels: seen.into_iter().map(|seen| seen.winner).collect(),
    })
}

fn look(map: &Map, row: &[f64]) -> Seen {
    let (mut best, mut next) = ((0, f64::INFINITY), (0, f64::INFINITY));
    for node in 0..map.grid.len() {
        let score = map.score(row, node);
        if score < best.1 {
            (best, next) = ((node, score), best);
        } else if score < next.1 {
            next = (node, score);
        }
    }
    Seen {
        winner: best.0,
        distance: squared_euclidean(row, map.node(best.0)).sqrt(),
        is_torn: map.grid.len() > 1 && !map.grid.touch(best.0, next.0),
    }
}
