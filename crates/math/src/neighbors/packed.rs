//! Search by looking at every training row, with the products of queries and rows in registers
//! until a row may be near enough.

use super::best::{Candidate, Collect};
use crate::distance::{Metric, rounding_bound};
use crate::numeric::dot;
use crate::panels::{Panel, Scored, TILE, WIDE_TILE, lanes, tile, widest};
use didact_core::{Result, Run};
use ndarray::{Array1, ArrayView2, Axis};
use pulp::{Arch, Simd, WithSimd};

/// Queries that share packed training rows.
const QUERIES: usize = 256;

/// For fewer queries packing is not worthwhile.
const LEAST_QUERIES: usize = 24;

/// With more columns a tile of queries and a panel no longer share the fastest cache.
const MOST_COLUMNS: usize = 256;

/// Values of the training rows that are packed at a time; they stay in the second cache.
const PACKED: usize = 1 << 14;

/// Whether this search pays for these queries, and no product can overflow.
pub(super) fn is_worthwhile(norms: &Array1<f64>, queries: ArrayView2<'_, f64>) -> bool {
    let small = |norm: f64| norm < 1e150;
    queries.nrows() >= LEAST_QUERIES
        && (1..=MOST_COLUMNS).contains(&queries.ncols())
        && norms.iter().all(|&norm| small(norm))
        && queries.rows().into_iter().all(|query| {
            let query = query.to_slice().expect("queries are contiguous");
            small(dot(query, query).sqrt())
        })
}

/// Offers every training row to the collector of each query, except rows that are certainly
/// beyond its limit.
pub(super) fn search<C: Collect>(
    training: ArrayView2<'_, f64>,
    norms: &Array1<f64>,
    metric: Metric,
    queries: ArrayView2<'_, f64>,
    collectors: &mut [C],
    run: &Run,
) -> Result<()> {
    let d = training.ncols();
    let training = contiguous(training);
    let squares: Vec<f64> = training.iter().map(|row| dot(row, row)).collect();
    let size = (PACKED / d).max(widest()).next_multiple_of(widest());
    for (queries, collectors) in queries
        .axis_chunks_iter(Axis(0), QUERIES)
        .zip(collectors.chunks_mut(QUERIES))
    {
        let queries = contiguous(queries);
        let mut limits: Vec<Limit> = queries.iter().map(|query| Limit::new(query)).collect();
        for first in (0..training.len()).step_by(size) {
            run.check()?;
            let rows = first..(first + size).min(training.len());
            let longest = norms.slice(ndarray::s![rows.clone()]);
            let longest = longest.iter().copied().fold(0.0, f64::max);
            for (limit, collector) in limits.iter_mut().zip(&*collectors) {
                limit.doubt = 2.0 * rounding_bound(d, limit.norm, longest);
                limit.renew(collector.limit());
            }
            let panels: Vec<Panel> = rows
                .clone()
                .step_by(widest())
                .map(|first| {
                    let rows = first..(first + widest()).min(rows.end);
                    Panel::pack(first, &training[rows.clone()], &squares[rows])
                })
                .collect();
            Arch::new().dispatch(Block {
                panels: &panels,
                training: &training,
                metric,
                queries: &queries,
                limits: &mut limits,
                collectors: &mut *collectors,
            });
        }
    }
    Ok(())
}

fn contiguous<'a>(rows: ArrayView2<'a, f64>) -> Vec<&'a [f64]> {
    let values = rows
        .to_slice()
        .expect("dense rows of an index are contiguous");
    values.chunks_exact(rows.ncols()).collect()
}

/// Which scores ‖y‖²/2 − x·y of a query x are certainly beyond the limit of its collector.
struct Limit {
    norm: f64,
    square: f64,
    doubt: f64,
    score: f64,
}

impl Limit {
    fn new(query: &[f64]) -> Self {
        let square = dot(query, query);
        Limit {
            norm: square.sqrt(),
            square,
            doubt: 0.0,
            score: f64::INFINITY,
        }
    }

    /// Takes over a limit of squared distances.
    #[inline(always)]
    fn renew(&mut self, limit: f64) {
        self.score = 0.5 * (limit + self.doubt - self.square);
    }
}

/// Queries that are to be compared with some training rows.
struct Block<'a, C> {
    panels: &'a [Panel],
    training: &'a [&'a [f64]],
    metric: Metric,
    queries: &'a [&'a [f64]],
    limits: &'a mut [Limit],
    collectors: &'a mut [C],
}

impl<C: Collect> WithSimd for Block<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 => self.search::<S, WIDE_TILE>(simd),
            _ => self.search::<S, TILE>(simd),
        }
    }
}

impl<C: Collect> Block<'_, C> {
    #[inline(always)]
    fn search<S: Simd, const T: usize>(mut self, simd: S) {
        let mut near = Near {
            limits: [0.0; T],
            found: Vec::new(),
        };
        for panel in self.panels {
            for first in (0..self.queries.len()).step_by(T) {
                let end = (first + T).min(self.queries.len());
                // Nothing is near enough to the rows that only fill the tile up.
                near.limits = [f64::NEG_INFINITY; T];
                for (limit, known) in near.limits.iter_mut().zip(&self.limits[first..end]) {
                    *limit = known.score;
                }
                panel.score(simd, tile::<T>(&self.queries[first..end]), &mut near);
                if !near.found.is_empty() {
                    self.offer(first, &mut near.found);
                }
            }
        }
    }

    /// Measures what was found near the queries of a tile.
    #[inline(never)]
    fn offer(&mut self, first: usize, found: &mut Vec<(usize, usize)>) {
        for (query, row) in found.drain(..) {
            let query = first + query;
            let Some(values) = self.training.get(row) else {
                continue;
            };
            let rank = self.metric.ranking(self.queries[query], values);
            let collector = &mut self.collectors[query];
            if rank <= collector.limit() {
                collector.offer(Candidate { rank, row });
                self.limits[query].renew(collector.limit());
            }
        }
    }
}

/// The pairs of a tile whose scores are within the limits.
struct Near<const T: usize> {
    limits: [f64; T],
    found: Vec<(usize, usize)>,
}

impl<S: Simd, const T: usize> Scored<S, T> for Near<T> {
    #[inline(always)]
    fn take<const V: usize>(&mut self, simd: S, panel: &Panel, scores: &[[S::f64s; V]; T]) {
        for query in 0..T {
            let mut least = scores[query][0];
            for place in 1..V {
                least = simd.min_f64s(least, scores[query][place]);
            }
            if simd.reduce_min_f64s(least) > self.limits[query] {
                continue;
            }
            for place in 0..V {
                let values = lanes::<S>(scores[query][place]);
                for lane in 0..S::F64_LANES {
                    if values[lane] <= self.limits[query] {
                        let row = panel.first + place * S::F64_LANES + lane;
                        self.found.push((query, row));
                    }
                }
            }
        }
    }
}
