//! The distances of all pairs, each stored once.

use super::{Linkage, Proximity};
use crate::too_far::rows_too_far;
use didact_core::{Error, Result, Rows, Run};
use didact_math::distance::{Metric, pairwise};
use ndarray::ArrayView2;

/// Rows whose distances are computed by one matrix product.
const BLOCK: usize = 256;

/// The triangle above the diagonal, row by row, and the sizes of the clusters in the slots.
pub(super) struct Condensed {
    n: usize,
    distances: Vec<f64>,
    sizes: Vec<f64>,
    linkage: Linkage,
}

impl Condensed {
    /// The distances of some rows.
    pub(super) fn of_rows(
        rows: Rows<'_>,
        metric: Metric,
        linkage: Linkage,
        run: &Run,
    ) -> Result<Self> {
        let n = rows.n_rows();
        let mut distances = reserve(n)?;
        for first in (0..n).step_by(BLOCK) {
            run.check()?;
            let block = first..(first + BLOCK).min(n);
            let part = pairwise(rows.slice(block), rows.slice(first..n), metric, run)?;
            for (row, values) in part.rows().into_iter().enumerate() {
                distances.extend(values.iter().skip(row + 1));
            }
        }
        Condensed::prepare(n, distances, linkage)
    }

    /// The distances of a square matrix, of which the upper triangle is read.
    pub(super) fn of_matrix(matrix: ArrayView2<'_, f64>, linkage: Linkage) -> Result<Self> {
        let n = matrix.nrows();
        let mut distances = reserve(n)?;
        for (row, values) in matrix.rows().into_iter().enumerate() {
            distances.extend(values.iter().skip(row + 1));
        }
        Condensed::prepare(n, distances, linkage)
    }

    fn prepare(n: usize, mut distances: Vec<f64>, linkage: Linkage) -> Result<Self> {
        if linkage.has_centers() {
            for distance in &mut distances {
                *distance *= *distance;
            }
        }
        // The sum of x·0 is NaN exactly when some x is not finite, and it vectorises.
        let probe: f64 = distances.iter().map(|distance| distance * 0.0).sum();
        if probe != 0.0 {
            return Err(rows_too_far());
        }
        Ok(Condensed {
            n,
            distances,
            sizes: vec![1.0; n],
            linkage,
        })
    }

    fn place(&self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        self.n * low - low * (low + 1) / 2 + high - low - 1
    }
}

/// Fails when the values of all pairs of n rows cannot be held in memory.
pub(crate) fn check_pairs_fit(n: usize) -> Result<()> {
    let mut all: Vec<f64> = Vec::new();
    let fits = n
        .checked_mul(n)
        .is_some_and(|pairs| all.try_reserve_exact(pairs).is_ok());
    match fits {
        true => Ok(()),
        false => Err(Error::data(format!(
            "the values of all pairs of {n} rows do not fit in memory; use fewer rows"
        ))),
    }
}

fn reserve(n: usize) -> Result<Vec<f64>> {
    let pairs = n * (n - 1) / 2;
    let mut distances = Vec::new();
    distances.try_reserve_exact(pairs).map_err(|_| {
        Error::data(format!(
            "the distances of all pairs of {n} rows do not fit in memory; use single or ward \
             linkage, a connectivity or fewer rows"
        ))
    })?;
    Ok(distances)
}

impl Proximity for Condensed {
    fn between(&self, a: usize, b: usize) -> f64 {
        self.distances[self.place(a, b)]
    }

    fn nearest(&self, of: usize, candidates: &[usize]) -> Option<(usize, f64)> {
        let mut best: Option<(usize, f64)> = None;
        let mut offer = |candidate: usize, distance: f64| {
            if best.is_none_or(|(_, least)| distance < least) {
                best = Some((candidate, distance));
            }
        };
        let split = candidates.partition_point(|&candidate| candidate < of);
        for &candidate in &candidates[..split] {
            offer(candidate, self.between(candidate, of));
        }
        if of + 1 < self.n {
            // Above the diagonal the distances of one row lie side by side.
            let start = self.place(of, of + 1);
            let row = &self.distances[start..start + self.n - of - 1];
            let own = usize::from(candidates.get(split) == Some(&of));
            for &candidate in &candidates[split + own..] {
                offer(candidate, row[candidate - of - 1]);
            }
        }
        best
    }

    fn merge(&mut self, a: usize, b: usize, others: &[usize]) {
        let between = self.between(a, b);
        for &other in others.iter().filter(|&&other| other != b) {
            let sizes = [self.sizes[a], self.sizes[b], self.sizes[other]];
            let (to_a, to_b) = (self.between(a, other), self.between(b, other));
            let place = self.place(b, other);
            self.distances[place] = self.linkage.update(to_a, to_b, between, sizes);
        }
        self.sizes[b] += self.sizes[a];
    }

    fn height(&self, distance: f64) -> f64 {
        match self.linkage.has_centers() {
            true => distance.sqrt(),
            false => distance,
        }
    }
}
