//! A pass in which all rows draw the nodes at once.

use super::{Map, Som, Winner, bring_to_length_one};
use didact_core::{Result, Rows, Run, parallel};
use didact_math::distance::{nearest_center, squared_euclidean};
use didact_math::linalg::matmul;
use ndarray::{Array2, ArrayView2, s};

/// Nodes whose neighbourhoods are written out at a time.
const BLOCK: usize = 64;

/// Below this sum of neighbourhoods a node has no rows around it and stays.
const NOBODY: f64 = 1e-200;

/// Moves every node to the mean of the rows around it; gives the mean distance of the rows to
/// their winners before.
pub(super) fn pass(
    som: &Som,
    map: &mut Map,
    rows: ArrayView2<'_, f64>,
    epoch: usize,
    run: &Run,
) -> Result<f64> {
    let progress = match som.epochs {
        1 => 0.0,
        epochs => epoch as f64 / (epochs - 1) as f64,
    };
    let sigma = som.sigma_at(&map.grid, progress);
    let (winners, error) = winners(map, rows, run)?;
    let sums = node_sums(map, rows, &winners, run)?;
    let mut weights = smoothed(map, &sums, sigma, run)?;
    if map.normalise {
        bring_to_length_one(&mut weights);
    }
    map.weights = weights;
    Ok(error)
}

/// The winner of every row, and the mean distance to it.
fn winners(map: &Map, rows: ArrayView2<'_, f64>, run: &Run) -> Result<(Vec<usize>, f64)> {
    if map.winner == Winner::Distance {
        let found = nearest_center(Rows::Dense(rows), map.weights.view(), run)?;
        let error = found.squared_distances.mapv(f64::sqrt).mean();
        return Ok((found.labels, error.unwrap_or(0.0)));
    }
    let mut found = vec![(0, 0.0); rows.nrows()];
    let chunk = ((1 << 18) / map.weights.len()).clamp(16, 4096);
    parallel::fill(&mut found, 1, chunk, run, |range, piece| {
        for (row, found) in range.zip(piece) {
            let row = rows.row(row);
            let row = row.as_slice().expect("rows are contiguous");
            let winner = map.winner_of(row);
            *found = (winner, squared_euclidean(row, map.node(winner)).sqrt());
        }
        Ok(())
    })?;
    let total: f64 = found.iter().map(|(_, distance)| distance).sum();
    let error = total / rows.nrows() as f64;
    Ok((found.into_iter().map(|(winner, _)| winner).collect(), error))
}

/// The sum of the rows that each node won, one node per row, with their number at the end.
fn node_sums(
    map: &Map,
    rows: ArrayView2<'_, f64>,
    winners: &[usize],
    run: &Run,
) -> Result<Array2<f64>> {
    let (k, d) = map.weights.dim();
    let summarise = |range: std::ops::Range<usize>| {
        let mut sums = Array2::zeros((k, d + 1));
        for row in range {
            let mut sum = sums.row_mut(winners[row]);
            sum.slice_mut(s![..d]).scaled_add(1.0, &rows.row(row));
            sum[d] += 1.0;
        }
        Ok(sums)
    };
    let sums = parallel::reduce(rows.nrows(), k.max(4096), run, &summarise, &|a, b| a + b)?;
    Ok(sums.unwrap_or_else(|| Array2::zeros((k, d + 1))))
}

/// Σᵢ h(k, i)·sumᵢ / Σᵢ h(k, i)·countᵢ for every node k.
fn smoothed(map: &Map, sums: &Array2<f64>, sigma: f64, run: &Run) -> Result<Array2<f64>> {
    let (k, d) = map.weights.dim();
    let mut weights = map.weights.clone();
    let values = weights.as_slice_mut().expect("weights are contiguous");
    parallel::fill(values, d, BLOCK, run, |nodes, piece| {
        let shares = Array2::from_shape_fn((nodes.len(), k), |(node, other)| {
            let distance = map.grid.distance(nodes.start + node, other);
            map.neighbourhood.of(distance, sigma)
        });
        let drawn = matmul(shares.view(), sums.view());
        for (drawn, weights) in drawn.rows().into_iter().zip(piece.chunks_exact_mut(d)) {
            let count = drawn[d];
            if count > NOBODY {
                for (weight, sum) in weights.iter_mut().zip(drawn) {
                    *weight = sum / count;
                }
            }
        }
        Ok(())
    })?;
    Ok(weights)
}
