//! The nearest candidates seen so far.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A training row and its rank; nearer is less, and the lower row is less among equally near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) rank: f64,
    pub(super) row: usize,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank
            .total_cmp(&other.rank)
            .then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Where a search puts the rows that it meets.
pub(super) trait Collect {
    /// Rows of a greater rank cannot be wanted any more.
    fn limit(&self) -> f64;

    /// Keeps the candidate if it is wanted.
    fn offer(&mut self, candidate: Candidate);
}

/// Keeps the k least candidates.
pub(super) struct Best {
    k: usize,
    kept: Kept,
    /// The worst rank of k candidates: a search asks for it at every row.
    limit: f64,
}

enum Kept {
    /// In rising order.
    Few(Vec<Candidate>),
    Many(BinaryHeap<Candidate>),
}

/// So many candidates are moved up one by one faster than a heap is mended.
const FEW: usize = 32;

impl Best {
    pub(super) fn new(k: usize) -> Self {
        Best {
            k,
            kept: match k {
                ..=FEW => Kept::Few(Vec::with_capacity(k)),
                _ => Kept::Many(BinaryHeap::with_capacity(k)),
            },
            limit: f64::INFINITY,
        }
    }

    /// The candidates in rising order.
    pub(super) fn into_sorted(self) -> Vec<Candidate> {
        match self.kept {
            Kept::Few(sorted) => sorted,
            Kept::Many(heap) => heap.into_sorted_vec(),
        }
    }
}

impl Collect for Best {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.limit
    }

    fn offer(&mut self, candidate: Candidate) {
        match &mut self.kept {
            Kept::Few(sorted) => {
                if sorted.len() < self.k {
                    sorted.push(candidate);
                } else if sorted[self.k - 1] < candidate {
                    return;
                }
                let mut place = sorted.len() - 1;
                while place > 0 && candidate < sorted[place - 1] {
                    sorted[place] = sorted[place - 1];
                    place -= 1;
                }
                sorted[place] = candidate;
                if sorted.len() == self.k {
                    self.limit = sorted[self.k - 1].rank;
                }
            }
            Kept::Many(heap) => {
                if heap.len() < self.k {
                    heap.push(candidate);
                } else if let Some(mut worst) = heap.peek_mut()
                    && candidate < *worst
                {
                    *worst = candidate;
                }
                if heap.len() == self.k
                    && let Some(worst) = heap.peek()
                {
                    self.limit = worst.rank;
                }
            }
        }
    }
}

/// Keeps every candidate that `is_wanted`, up to a rank that is safely beyond all of those.
pub(super) struct Within<F> {
    pub(super) limit: f64,
    pub(super) is_wanted: F,
    pub(super) found: Vec<Candidate>,
}

impl<F: Fn(f64) -> bool> Collect for Within<F> {
    fn limit(&self) -> f64 {
        self.limit
    }

    fn offer(&mut self, candidate: Candidate) {
        if (self.is_wanted)(candidate.rank) {
            self.found.push(candidate);
        }
    }
}

/// The same without the ranks.
pub(super) struct RowsWithin<F> {
    pub(super) limit: f64,
    pub(super) is_wanted: F,
    pub(super) found: Vec<usize>,
}

impl<F: Fn(f64) -> bool> Collect for RowsWithin<F> {
    fn limit(&self) -> f64 {
        self.limit
    }

    fn offer(&mut self, candidate: Candidate) {
        if (self.is_wanted)(candidate.rank) {
            self.found.push(candidate.row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_k_least_stay_in_order_with_ties_to_the_lowest_row() {
        let mut best = Best::new(3);
        let offers = [(2.0, 5), (1.0, 9), (2.0, 4), (3.0, 0), (2.0, 3), (1.0, 8)];
        for (rank, row) in offers {
            best.offer(Candidate { rank, row });
        }
        let sorted = best.into_sorted().into_iter();
        assert!(sorted.map(|candidate| candidate.row).eq([8, 9, 3]));
    }
}
