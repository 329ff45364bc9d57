//! Rows that draw the nodes one by one.

use super::{Map, PresentationOrder, Som};
use didact_core::random::generator;
use didact_core::{Result, Run};
use didact_math::distance::squared_euclidean;
use didact_math::numeric::length;
use ndarray::ArrayView2;
use rand::seq::SliceRandom;

/// About so many numbers are moved between two looks at the switch that stops the run.
const BREATH: usize = 1 << 20;

/// Lets every row draw the nodes once; gives the mean distance of the rows to their winners, each
/// just before it draws.
pub(super) fn pass(
    som: &Som,
    map: &mut Map,
    rows: ArrayView2<'_, f64>,
    epoch: usize,
    run: &Run,
) -> Result<f64> {
    let n = rows.nrows();
    let order = order(som, n, epoch);
    let breath = (BREATH / map.weights.len()).max(1);
    let mut total = 0.0;
    for (place, &row) in order.iter().enumerate() {
        if place % breath == 0 {
            run.check()?;
        }
        let progress = (epoch as f64 * n as f64 + place as f64) / (som.epochs as f64 * n as f64);
        let sigma = som.sigma_at(&map.grid, progress);
        let row = rows.row(row);
        let row = row.as_slice().expect("rows are contiguous");
        let winner = map.winner_of(row);
        total += squared_euclidean(row, map.node(winner)).sqrt();
        map.draw(row, winner, som.rate_at(progress), sigma);
    }
    Ok(total / n as f64)
}

/// The order in which a pass shows the rows. The random numbers of a pass do not depend on how
/// many passes there are.
fn order(som: &Som, n: usize, epoch: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    let mut generator = generator(som.random_state, 1 + epoch as u64);
    match som.order {
        PresentationOrder::Random => order.shuffle(&mut generator),
        PresentationOrder::Sequential => {}
        PresentationOrder::Buffered => {
            for block in order.chunks_mut(som.buffer) {
                block.shuffle(&mut generator);
            }
        }
    }
    order
}

impl Map {
    /// wᵏ ← wᵏ + η·h(k, winner)·(x − wᵏ) for every node k.
    pub(super) fn draw(&mut self, row: &[f64], winner: usize, rate: f64, sigma: f64) {
        let d = self.weights.ncols();
        for node in 0..self.grid.len() {
            let distance = self.grid.distance(node, winner);
            let step = rate * self.neighbourhood.of(distance, sigma);
            if step == 0.0 {
                continue;
            }
            let values = self.weights.as_slice_mut().expect("weights are contiguous");
            let weights = &mut values[node * d..(node + 1) * d];
            for (weight, value) in weights.iter_mut().zip(row) {
                *weight += step * (value - *weight);
            }
            if self.normalise {
                let norm = length(weights);
                // A row opposite to the weights may cancel them; any direction is as good then.
                if norm > 0.0 {
                    weights.iter_mut().for_each(|weight| *weight /= norm);
                }
            }
        }
    }
}
