//! Clusters represented by points: no pair of rows needs to be stored.

use super::condensed::too_large;
use super::{Linkage, Proximity};
use didact_core::Result;
use didact_math::distance::squared_euclidean;
use ndarray::ArrayView2;

/// Where the cluster in each slot lies and how many rows it has.
pub(super) struct Centers {
    n_columns: usize,
    points: Vec<f64>,
    sizes: Vec<f64>,
    linkage: Linkage,
}

impl Centers {
    /// Every row a cluster of its own.
    pub(super) fn new(rows: ArrayView2<'_, f64>, linkage: Linkage) -> Result<Self> {
        let (low, high) = rows.iter().fold((0.0_f64, 0.0_f64), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
        // The diagonal of a box around all rows bounds every distance, twice over for Ward's factor.
        let width = high - low;
        if !(width * width * (2 * rows.ncols() * rows.nrows()) as f64).is_finite() {
            return Err(too_large());
        }
        Ok(Centers {
            n_columns: rows.ncols(),
            points: rows.iter().copied().collect(),
            sizes: vec![1.0; rows.nrows()],
            linkage,
        })
    }

    fn point(&self, slot: usize) -> &[f64] {
        &self.points[slot * self.n_columns..(slot + 1) * self.n_columns]
    }
}

/// Σ(aᵢ−bᵢ)²; for few columns without the lanes that only pay for many.
fn squared(a: &[f64], b: &[f64]) -> f64 {
    match a.len() {
        0..8 => a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum(),
        _ => squared_euclidean(a, b),
    }
}

impl Proximity for Centers {
    fn between(&self, a: usize, b: usize) -> f64 {
        let squared = squared(self.point(a), self.point(b));
        match self.linkage {
            Linkage::Ward => {
                let (a, b) = (self.sizes[a], self.sizes[b]);
                squared * (2.0 * a * b / (a + b))
            }
            _ => squared,
        }
    }

    fn merge(&mut self, a: usize, b: usize, _: &[usize]) {
        let total = self.sizes[a] + self.sizes[b];
        let share = match self.linkage {
            Linkage::Median => 0.5,
            _ => self.sizes[a] / total,
        };
        for column in 0..self.n_columns {
            let from = self.points[a * self.n_columns + column];
            let into = &mut self.points[b * self.n_columns + column];
            *into += (from - *into) * share;
        }
        self.sizes[b] = total;
    }

    fn height(&self, distance: f64) -> f64 {
        distance.sqrt()
    }
}
