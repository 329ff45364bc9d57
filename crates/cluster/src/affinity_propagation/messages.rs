//! Responsibilities and availabilities.

use didact_core::{Result, Run, parallel};
use didact_math::numeric::argmax;
use ndarray::Array2;

/// Rows whose messages one thread renews.
const CHUNK: usize = 32;

/// The messages between all pairs, row by row.
pub(super) struct Messages {
    n: usize,
    similarities: Vec<f64>,
    responsibilities: Vec<f64>,
    availabilities: Vec<f64>,
}

impl Messages {
    pub(super) fn new(similarities: Array2<f64>) -> Self {
        let n = similarities.nrows();
        let similarities = similarities.into_raw_vec_and_offset().0;
        Messages {
            n,
            responsibilities: vec![0.0; n * n],
            availabilities: vec![0.0; n * n],
            similarities,
        }
    }

    /// One exchange: r(i,k) = s(i,k) − max over others of a + s, then
    /// a(i,k) = min(0, r(k,k) + Σ of the positive r(j,k) of others), a(k,k) = that sum alone.
    pub(super) fn exchange(&mut self, damping: f64, run: &Run) -> Result<()> {
        let n = self.n;
        let (similarities, availabilities) = (&self.similarities, &self.availabilities);
        parallel::fill(&mut self.responsibilities, n, CHUNK, run, |range, piece| {
            for (row, output) in range.zip(piece.chunks_exact_mut(n)) {
                let similar = &similarities[row * n..(row + 1) * n];
                let available = &availabilities[row * n..(row + 1) * n];
                let (best, first, second) = two_greatest(similar, available);
                for (column, output) in output.iter_mut().enumerate() {
                    let rival = if column == best { second } else { first };
                    // A single row has no rival.
                    let rival = if rival.is_finite() { rival } else { 0.0 };
                    *output = damping * *output + (1.0 - damping) * (similar[column] - rival);
                }
            }
            Ok(())
        })?;
        let support = self.support(run)?;
        let responsibilities = &self.responsibilities;
        parallel::fill(&mut self.availabilities, n, CHUNK, run, |range, piece| {
            for (row, output) in range.zip(piece.chunks_exact_mut(n)) {
                let own = &responsibilities[row * n..(row + 1) * n];
                for (column, output) in output.iter_mut().enumerate() {
                    let message = match row == column {
                        true => support[column],
                        false => {
                            let willing = responsibilities[column * n + column];
                            (willing + support[column] - own[column].max(0.0)).min(0.0)
                        }
                    };
                    *output = damping * *output + (1.0 - damping) * message;
                }
            }
            Ok(())
        })
    }

    /// The positive responsibilities that each column receives from the other rows.
    fn support(&self, run: &Run) -> Result<Vec<f64>> {
        let n = self.n;
        let summarise = |range: std::ops::Range<usize>| {
            let mut sums = vec![0.0; n];
            for row in range {
                let values = &self.responsibilities[row * n..(row + 1) * n];
                for (column, (sum, value)) in sums.iter_mut().zip(values).enumerate() {
                    if column != row {
                        *sum += value.max(0.0);
                    }
                }
            }
            Ok(sums)
        };
        let merge = |mut left: Vec<f64>, right: Vec<f64>| {
            left.iter_mut()
                .zip(right)
                .for_each(|(left, right)| *left += right);
            left
        };
        let sums = parallel::reduce(n, 8 * CHUNK, run, &summarise, &merge)?;
        Ok(sums.unwrap_or_default())
    }

    fn evidence(&self, row: usize) -> f64 {
        let place = row * self.n + row;
        self.responsibilities[place] + self.availabilities[place]
    }

    /// The rows that choose themselves.
    pub(super) fn exemplars(&self) -> Vec<usize> {
        (0..self.n)
            .filter(|&row| self.evidence(row) > 0.0)
            .collect()
    }

    pub(super) fn most_willing(&self) -> usize {
        argmax((0..self.n).map(|row| self.evidence(row))).unwrap_or(0)
    }

    /// In every cluster the row that is most similar to all others, in rising order.
    pub(super) fn refined(&self, exemplars: Vec<usize>) -> Vec<usize> {
        let similar = |row: usize, other: usize| self.similarities[row * self.n + other];
        let mut members = vec![Vec::new(); exemplars.len()];
        for row in 0..self.n {
            let cluster = match exemplars.binary_search(&row) {
                Ok(own) => own,
                Err(_) => argmax(exemplars.iter().map(|&other| similar(row, other))).unwrap_or(0),
            };
            members[cluster].push(row);
        }
        let best = |members: &Vec<usize>| {
            let total = |&candidate: &usize| -> f64 {
                members.iter().map(|&row| similar(row, candidate)).sum()
            };
            argmax(members.iter().map(total)).map(|place| members[place])
        };
        let mut refined: Vec<usize> = members.iter().filter_map(best).collect();
        refined.sort_unstable();
        refined
    }
}

/// Where a + s is greatest, how great, and the second greatest.
fn two_greatest(similar: &[f64], available: &[f64]) -> (usize, f64, f64) {
    let (mut best, mut first, mut second) = (0, f64::NEG_INFINITY, f64::NEG_INFINITY);
    for (column, (s, a)) in similar.iter().zip(available).enumerate() {
        let value = s + a;
        if value > first {
            (best, first, second) = (column, value, first);
        } else if value > second {
            second = value;
        }
    }
    (best, first, second)
}
