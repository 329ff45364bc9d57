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
    heap: BinaryHeap<Candidate>,
    /// The worst rank of k candidates: a search asks for it at every row.
    limit: f64,
}

impl Best {
    pub(super) fn new(k: usize) -> Self {
        Best {
            k,
            heap: BinaryHeap::with_capacity(k + 1),
            limit: f64::INFINITY,
        }
    }

    /// Empties the collection into a list in rising order.
    pub(super) fn drain_into(&mut self, output: &mut [Candidate]) {
        self.limit = f64::INFINITY;
        for place in output[..self.heap.len()].iter_mut().rev() {
            *place = self.heap.pop().expect("one candidate per place");
        }
    }
}

impl Collect for Best {
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.limit
    }

    fn offer(&mut self, candidate: Candidate) {
        if self.heap.len() < self.k {
            self.heap.push(candidate);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && candidate < *worst
        {
            *worst = candidate;
        }
        if self.heap.len() == self.k
            && let Some(worst) = self.heap.peek()
        {
            self.limit = worst.rank;
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
        let mut output = [Candidate { rank: 0.0, row: 0 }; 3];
        best.drain_into(&mut output);
        assert_eq!(output.map(|candidate| candidate.row), [8, 9, 3]);
        assert_eq!(best.limit(), f64::INFINITY);
    }
}
