//! The nodes of a map, and which of them wins a row.

use super::{Grid, Neighbourhood, Winner};
use didact_math::distance::squared_euclidean;
use didact_math::numeric::{dot, length};
use ndarray::{Array2, ArrayBase, DataMut, Ix2};
use serde::{Deserialize, Serialize};

/// A map in the making: the nodes, and how they follow rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Map {
    pub(super) grid: Grid,
    /// One row per node.
    pub(super) weights: Array2<f64>,
    pub(super) neighbourhood: Neighbourhood,
    pub(super) winner: Winner,
    pub(super) normalise: bool,
}

impl Map {
    pub(super) fn node(&self, node: usize) -> &[f64] {
        let d = self.weights.ncols();
        let weights = self.weights.as_slice().expect("weights are contiguous");
        &weights[node * d..(node + 1) * d]
    }

    /// What the winner has least of: squared distance, or the product with its sign changed.
    pub(super) fn score(&self, row: &[f64], node: usize) -> f64 {
        match self.winner {
            Winner::Distance => squared_euclidean(row, self.node(node)),
            Winner::DotProduct => -dot(row, self.node(node)),
        }
    }

    /// The node with the least score, the lowest where several have it.
    pub(super) fn winner_of(&self, row: &[f64]) -> usize {
        let mut best = (0, f64::INFINITY);
        for node in 0..self.grid.len() {
            let score = self.score(row, node);
            if score < best.1 {
                best = (node, score);
            }
        }
        best.0
    }
}

/// Brings each row to length one; rows of zeros have no direction and stay.
pub(super) fn bring_to_length_one(rows: &mut ArrayBase<impl DataMut<Elem = f64>, Ix2>) {
    for mut row in rows.rows_mut() {
        let norm = length(row.as_slice().expect("rows are contiguous"));
        if norm > 0.0 {
            row.mapv_inplace(|value| value / norm);
        }
    }
}
