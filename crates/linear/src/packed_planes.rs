//! Scores of many rows with several planes.

use didact_math::numeric::dot;
use didact_math::vectorised::vectorised;
use ndarray::{ArrayView2, Axis};
use std::array::from_fn;

/// Planes that meet rows together.
const GROUP: usize = 4;

/// Planes in groups, column by column, so that four rows and four planes make sixteen sums side by
/// side; each of them is summed from the first column to the last, whatever is beside it. A single
/// plane is summed in the lanes of [`dot`] instead.
pub(crate) struct PackedPlanes<'a> {
    d: usize,
    intercepts: &'a [f64],
    /// The weights of a single plane.
    single: Option<Vec<f64>>,
    groups: Vec<Vec<[f64; GROUP]>>,
}

impl<'a> PackedPlanes<'a> {
    pub(crate) fn new(weights: ArrayView2<'_, f64>, intercepts: &'a [f64]) -> Self {
        let d = weights.ncols();
        let group = |planes: ArrayView2<'_, f64>| {
            let weight = |column: usize, plane: usize| planes.get([plane, column]);
            (0..d)
                .map(|column| from_fn(|plane| weight(column, plane).copied().unwrap_or(0.0)))
                .collect()
        };
        let single = (weights.nrows() == 1).then(|| weights.row(0).to_vec());
        let groups = match single {
            Some(_) => Vec::new(),
            None => weights
                .axis_chunks_iter(Axis(0), GROUP)
                .map(group)
                .collect(),
        };
        PackedPlanes {
            d,
            intercepts,
            single,
            groups,
        }
    }

    /// The scores of rows that lie one after the other.
    pub(crate) fn scores(&self, rows: &[f64], output: &mut [f64]) {
        match &self.single {
            Some(weights) => {
                for (score, x) in output.iter_mut().zip(rows.chunks_exact(self.d)) {
                    *score = dot(x, weights) + self.intercepts[0];
                }
            }
            None => vectorised(
                #[inline(always)]
                || self.scores_in_tiles(rows, output),
            ),
        }
    }

    #[inline(always)]
    fn scores_in_tiles(&self, rows: &[f64], output: &mut [f64]) {
        let width = self.intercepts.len();
        for (rows, output) in rows
            .chunks(GROUP * self.d)
            .zip(output.chunks_mut(GROUP * width))
        {
            // The first row stands in for those that are missing at the end.
            let row = |place: usize| {
                let rest = rows.get(place * self.d..).filter(|rest| !rest.is_empty());
                &rest.unwrap_or(rows)[..self.d]
            };
            let tile = from_fn(row);
            for (group, planes) in self.groups.iter().enumerate() {
                let sums = sums_of_tile(tile, planes);
                let first = group * GROUP;
                for (scores, sums) in output.chunks_exact_mut(width).zip(&sums) {
                    let pairs = scores[first..].iter_mut().zip(&self.intercepts[first..]);
                    for ((score, b), sum) in pairs.zip(sums) {
                        *score = sum + b;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn sums_of_tile(rows: [&[f64]; GROUP], planes: &[[f64; GROUP]]) -> [[f64; GROUP]; GROUP] {
    let rows = rows.map(|row| &row[..planes.len()]);
    let mut sums = [[0.0; GROUP]; GROUP];
    for (column, weights) in planes.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(rows) {
            let value = row[column];
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += value * weight;
            }
        }
    }
    sums
}
