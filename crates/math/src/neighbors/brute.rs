//! Search by looking at every training row, through matrix products where the metric allows.

use super::best::{Candidate, Collect};
use super::packed;
use super::single::{self, Estimates};
use crate::distance::{Metric, rounding_bound, squared_norms};
use crate::linalg::{Accumulate, matmul_into};
use didact_core::{CsrView, Result, Rows, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayViewMut2, s};

/// Queries and training rows that share one matrix product.
pub(super) const QUERIES: usize = 256;
const TRAINING: usize = 128;

/// Training rows that are passed over at a time.
const GROUP: usize = 8;

/// Offers every training row to the collector of each query, except rows that are certainly
/// beyond its limit.
///
/// `norms` are the lengths of the training rows. Queries and training rows must both be dense and
/// contiguous, or both be sparse.
pub(super) fn search<C: Collect>(
    training: Rows<'_>,
    norms: &Array1<f64>,
    metric: Metric,
    queries: Rows<'_>,
    collectors: &mut [C],
    run: &Run,
) -> Result<()> {
    if let (Rows::Dense(training), Rows::Dense(queries)) = (training, queries)
        && matches!(metric, Metric::Euclidean | Metric::SquaredEuclidean)
        && packed::is_worthwhile(norms, queries)
    {
        return packed::search(training, norms, metric, queries, collectors, run);
    }
    let n_queries = queries.n_rows();
    let mut products = Array2::zeros((0, 0));
    let middle = middle(training, metric);
    for (block, collectors) in collectors.chunks_mut(QUERIES).enumerate() {
        let first = block * QUERIES;
        let queries = queries.slice(first..first + collectors.len());
        let query_norms = squared_norms(queries).mapv(f64::sqrt);
        let mut estimates = match (queries, &middle) {
            (Rows::Dense(queries), Some(middle)) => Estimates::new(queries, middle),
            _ => None,
        };
        let (mut start, mut ranked) = (0, 0);
        while start < training.n_rows() {
            run.check()?;
            let range = start..(start + TRAINING).min(training.n_rows());
            let block = Block {
                training: training.slice(range.clone()),
                norms: norms.slice(s![range.clone()]),
                first: start,
                metric,
            };
            start = range.end;
            if let Some(known) = &mut estimates {
                let newly = block.offer_likely(known, queries, collectors);
                ranked += newly.unwrap_or(0);
                // Where most rows are about equally near, single precision cannot tell them apart.
                let in_vain = start >= 4 * TRAINING && ranked > start * collectors.len() / 8;
                if newly.is_none() || in_vain {
                    estimates = None;
                }
                if newly.is_some() {
                    continue;
                }
            }
            if products.is_empty() {
                let width = TRAINING.min(training.n_rows());
                products = Array2::zeros((QUERIES.min(n_queries), width));
            }
            let products = products.slice_mut(s![..collectors.len(), ..range.len()]);
            block.offer_all(queries, &query_norms, collectors, products);
        }
    }
    Ok(())
}

/// A point in the middle of the training rows, where distances can be estimated from it.
fn middle(training: Rows<'_>, metric: Metric) -> Option<Vec<f64>> {
    match (training, metric) {
        (Rows::Dense(training), Metric::Euclidean | Metric::SquaredEuclidean) => {
            Some(single::middle(training))
        }
        _ => None,
    }
}

/// Some consecutive training rows.
struct Block<'a, 'b> {
    training: Rows<'a>,
    norms: ArrayView1<'b, f64>,
    first: usize,
    metric: Metric,
}

impl Block<'_, '_> {
    /// Offers the rows that estimates in single precision do not rule out, and returns how many had
    /// to be ranked; nothing is done where the estimates would be of no use.
    fn offer_likely<C: Collect>(
        &self,
        estimates: &mut Estimates,
        queries: Rows<'_>,
        collectors: &mut [C],
    ) -> Option<usize> {
        let Rows::Dense(training) = self.training else {
            return None;
        };
        if !estimates.multiply(training) {
            return None;
        }
        let mut ranked = 0;
        let mut likely = Vec::new();
        for (query, collector) in collectors.iter_mut().enumerate() {
            let doubt = estimates.doubt(query);
            estimates.within(query, collector.limit() + doubt, &mut likely);
            for &(row, estimate) in &likely {
                // The limit may have come nearer since.
                if estimate > collector.limit() + doubt {
                    continue;
                }
                ranked += 1;
                let rank = self.rank(queries, query, row);
                // False for a rank of NaN, which is kept as the worst so that k rows are found
                // always.
                let is_beyond = rank > collector.limit();
                if !is_beyond {
                    let row = self.first + row;
                    collector.offer(Candidate { rank, row });
                }
            }
        }
        Some(ranked)
    }

    fn offer_all<C: Collect>(
        &self,
        queries: Rows<'_>,
        query_norms: &Array1<f64>,
        collectors: &mut [C],
        mut products: ArrayViewMut2<'_, f64>,
    ) {
        let uses_products = matches!(
            self.metric,
            Metric::Euclidean | Metric::SquaredEuclidean | Metric::Cosine
        );
        if uses_products {
            dot_products(queries, self.training, products.view_mut());
        }
        let longest = self.norms.iter().copied().fold(0.0, f64::max);
        for (query, collector) in collectors.iter_mut().enumerate() {
            let norm = query_norms[query];
            let mut limit = self.certain_limit(collector.limit(), norm, longest);
            for first in (0..self.norms.len()).step_by(GROUP) {
                let mut estimates = [f64::NEG_INFINITY; GROUP];
                let rows = first..(first + GROUP).min(self.norms.len());
                if uses_products {
                    for (estimate, row) in estimates.iter_mut().zip(rows.clone()) {
                        *estimate = self.estimate(products[[query, row]], norm, self.norms[row]);
                    }
                }
                // An estimate of NaN, from overflow or a row of zeros, decides nothing.
                let is_beyond = |estimate: &f64| *estimate > limit;
                if estimates[..rows.len()].iter().all(is_beyond) {
                    continue;
                }
                for (row, estimate) in rows.zip(estimates) {
                    if estimate > limit {
                        continue;
                    }
                    let rank = self.rank(queries, query, row);
                    // False for a rank of NaN, which is kept as the worst so that k rows are
                    // found always.
                    let is_beyond = rank > collector.limit();
                    if !is_beyond {
                        collector.offer(Candidate {
                            rank,
                            row: self.first + row,
                        });
                        limit = self.certain_limit(collector.limit(), norm, longest);
                    }
                }
            }
        }
    }

    /// The rank by the dot product, up to rounding.
    fn estimate(&self, product: f64, query_norm: f64, norm: f64) -> f64 {
        match self.metric {
            Metric::Cosine => 1.0 - product / (query_norm * norm),
            _ => query_norm * query_norm - 2.0 * product + norm * norm,
        }
    }

    /// What an estimate must exceed so that its row is beyond the limit whatever the rounding.
    fn certain_limit(&self, limit: f64, query_norm: f64, longest: f64) -> f64 {
        let d = self.training.n_columns();
        limit
            + match self.metric {
                Metric::Cosine => rounding_bound(d, 1.0, 1.0),
                // The lengths went through a square root, which costs another rounding.
                _ => 2.0 * rounding_bound(d, query_norm, longest),
            }
    }

    fn rank(&self, queries: Rows<'_>, query: usize, row: usize) -> f64 {
        match (queries, self.training) {
            (Rows::Dense(queries), Rows::Dense(training)) => {
                let (query, row) = (queries.row(query), training.row(row));
                let contiguous = "dense rows of an index are contiguous";
                self.metric.ranking(
                    query.as_slice().expect(contiguous),
                    row.as_slice().expect(contiguous),
                )
            }
            (Rows::Sparse(queries), Rows::Sparse(training)) => self
                .metric
                .ranking_sparse(queries.row(query), training.row(row)),
            _ => unreachable!("queries are brought into the form of the training rows"),
        }
    }
}

/// Writes the dot product of every query and every training row.
fn dot_products(queries: Rows<'_>, training: Rows<'_>, output: ArrayViewMut2<'_, f64>) {
    match (queries, training) {
        (Rows::Dense(queries), Rows::Dense(training)) => {
            matmul_into(output, queries, training.t(), 1.0, Accumulate::Replace);
        }
        (Rows::Sparse(queries), Rows::Sparse(training)) => {
            sparse_dot_products(queries, training, output);
        }
        _ => unreachable!("queries are brought into the form of the training rows"),
    }
}

/// Writes one query out at a time, so that a training row costs what it stores.
fn sparse_dot_products(
    queries: CsrView<'_>,
    training: CsrView<'_>,
    mut output: ArrayViewMut2<'_, f64>,
) {
    let mut written = vec![0.0; queries.n_columns()];
    for (query, mut output) in output.rows_mut().into_iter().enumerate() {
        let (columns, values) = queries.row(query);
        for (&column, &value) in columns.iter().zip(values) {
            written[column as usize] = value;
        }
        for (row, output) in output.iter_mut().enumerate() {
            let (columns, values) = training.row(row);
            *output = columns
                .iter()
                .zip(values)
                .map(|(&j, value)| value * written[j as usize])
                .sum();
        }
        for &column in columns {
            written[column as usize] = 0.0;
        }
    }
}
