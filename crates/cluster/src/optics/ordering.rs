//! The order in which density reaches the rows.

use didact_core::{Result, Rows, Run, parallel};
use didact_math::distance::Metric;
use didact_math::neighbors::{Index, SearchAlgorithm};

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
        let between = |a: usize, b: usize| match rows {
            Rows::Dense(dense) => {
                let row = |row| dense.row(row).to_slice().expect("rows are contiguous");
                metric.between(row(a), row(b))
            }
            Rows::Sparse(sparse) => metric.between_sparse(sparse.row(a), sparse.row(b)),
        };
        found.walk(max_eps, between, run)?;
        Ok(found)
    }

    fn walk(
        &mut self,
        max_eps: f64,
        between: impl Fn(usize, usize) -> f64 + Sync,
        run: &Run,
    ) -> Result<()> {
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
                    let distance = between(next.row, other.row);
                    let cost = distance.max(core);
                    if distance <= max_eps && cost < other.reachability {
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
