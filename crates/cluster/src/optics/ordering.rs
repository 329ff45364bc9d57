//! The order in which density reaches the rows.

use didact_core::{Result, Rows, Run, parallel};
use didact_math::distance::Metric;
use didact_math::neighbors::{Index, SearchAlgorithm};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rows of which one thread looks at a time.
const CHUNK: usize = 4096;

/// The order of the rows, and for each row how and from where it was reached.
pub(super) struct Ordering {
    /// The rows in the order in which they were reached.
    pub(super) order: Vec<usize>,
    /// Infinite where a row was not reached from another.
    pub(super) reachability: Vec<f64>,
    pub(super) core_distances: Vec<f64>,
    pub(super) predecessors: Vec<Option<usize>>,
}

/// A row that is not in the order yet.
#[derive(Clone, Copy)]
struct Waiting {
    row: usize,
    reachability: f64,
    predecessor: Option<usize>,
}

/// Rows that were reached, the most easily reached first and the lowest of equals. What was pushed
/// before a row became easier to reach stays in the heap until it is met or there is too much of it.
struct Queue {
    is_done: Vec<bool>,
    heap: BinaryHeap<Reverse<Reached>>,
}

#[derive(Clone, Copy, PartialEq)]
struct Reached {
    reachability: f64,
    row: usize,
}

impl Eq for Reached {}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_reach = self.reachability.total_cmp(&other.reachability);
        by_reach.then(self.row.cmp(&other.row))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Queue {
    fn new(n: usize) -> Self {
        Queue {
            is_done: vec![false; n],
            heap: BinaryHeap::new(),
        }
    }

    fn push(&mut self, row: usize, reachability: f64, present: &[f64]) {
        // So that memory stays linear in the rows.
        if self.heap.len() > 2 * present.len() + 1024 {
            let is_done = &self.is_done;
            self.heap.retain(|Reverse(entry)| {
                !is_done[entry.row] && entry.reachability == present[entry.row]
            });
        }
        self.heap.push(Reverse(Reached { reachability, row }));
    }

    fn pop(&mut self, present: &[f64]) -> Option<usize> {
        while let Some(Reverse(entry)) = self.heap.pop() {
            if !self.is_done[entry.row] && entry.reachability == present[entry.row] {
                return Some(entry.row);
            }
        }
        None
    }
}

impl Ordering {
    pub(super) fn of(
        rows: Rows<'_>,
        metric: Metric,
        min_samples: usize,
        max_eps: f64,
        run: &Run,
    ) -> Result<Self> {
        let n = rows.n_rows();
        let index = Index::build(rows, metric, SearchAlgorithm::Auto, 30, run)?;
        let core_distances = match min_samples <= n {
            true => {
                let near = index.nearest(rows, min_samples, run)?;
                near.distances.column(min_samples - 1).to_vec()
            }
            // Too few rows for any of them to be dense.
            false => vec![f64::INFINITY; n],
        };
        let reach = |core: f64| if core <= max_eps { core } else { f64::INFINITY };
        let mut found = Ordering {
            order: Vec::with_capacity(n),
            reachability: vec![f64::INFINITY; n],
            core_distances: core_distances.into_iter().map(reach).collect(),
            predecessors: vec![None; n],
        };
        if max_eps.is_finite() {
            found.walk_near(rows, &index, max_eps, run)?;
            return Ok(found);
        }
        let between = |a: usize, b: usize| match rows {
            Rows::Dense(dense) => {
                let row = |row| dense.row(row).to_slice().expect("rows are contiguous");
                metric.between(row(a), row(b))
            }
            Rows::Sparse(sparse) => metric.between_sparse(sparse.row(a), sparse.row(b)),
        };
        found.walk_all(between, run)?;
        Ok(found)
    }

    /// With a limit only the rows within it are looked at, which an index finds.
    fn walk_near(&mut self, rows: Rows<'_>, index: &Index, max_eps: f64, run: &Run) -> Result<()> {
        let n = self.reachability.len();
        let mut queue = Queue::new(n);
        for first in 0..n {
            let mut next = (!queue.is_done[first]).then_some(first);
            while let Some(row) = next {
                queue.is_done[row] = true;
                self.order.push(row);
                let core = self.core_distances[row];
                if core.is_finite() {
                    let near = index.within(rows.slice(row..row + 1), max_eps, run)?;
                    for &(other, distance) in near.iter().flatten() {
                        let cost = distance.max(core);
                        if !queue.is_done[other] && cost < self.reachability[other] {
                            self.reachability[other] = cost;
                            self.predecessors[other] = Some(row);
                            queue.push(other, cost, &self.reachability);
                        }
                    }
                }
                next = queue.pop(&self.reachability);
            }
        }
        Ok(())
    }

    /// Without a limit every row may reach every other: quadratic time, linear memory.
    fn walk_all(&mut self, between: impl Fn(usize, usize) -> f64 + Sync, run: &Run) -> Result<()> {
        let mut waiting: Vec<Waiting> = (0..self.reachability.len())
            .map(|row| Waiting {
                row,
                reachability: f64::INFINITY,
                predecessor: None,
            })
            .collect();
        while !waiting.is_empty() {
            run.check()?;
            // Of equally reachable rows the lowest.
            let easier = |a: &Waiting, b: &Waiting| {
                let by_reach = a.reachability.total_cmp(&b.reachability);
                by_reach.then(a.row.cmp(&b.row))
            };
            let place = (0..waiting.len()).min_by(|&a, &b| easier(&waiting[a], &waiting[b]));
            let next = waiting.swap_remove(place.expect("a row is waiting"));
            self.order.push(next.row);
            self.reachability[next.row] = next.reachability;
            self.predecessors[next.row] = next.predecessor;
            let core = self.core_distances[next.row];
            if core.is_infinite() {
                continue;
            }
            parallel::fill(&mut waiting, 1, CHUNK, run, |_, piece| {
                for other in piece {
                    let cost = between(next.row, other.row).max(core);
                    if cost < other.reachability {
                        other.reachability = cost;
                        other.predecessor = Some(next.row);
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The clusters at one height: a row that is hard to reach begins one where it is dense
    /// itself, else it is noise.
    pub(super) fn cut(&self, eps: f64) -> Vec<Option<usize>> {
        let mut labels = vec![None; self.order.len()];
        let mut count = 0;
        for &row in &self.order {
            let is_far = self.reachability[row] > eps;
            let is_core = self.core_distances[row] <= eps && self.core_distances[row].is_finite();
            if is_far && is_core {
                count += 1;
            }
            if !is_far || is_core {
                labels[row] = Some(usize::max(count, 1) - 1);
            }
        }
        labels
    }
}
