//! Lloyd's alternation from one start.

use super::bounds::Bounds;
use super::empty::reseed;
use super::prepare::Prepared;
use super::sums::{ClusterSums, squared_movement};
use super::{KMeans, KMeansAlgorithm};
use didact_core::{Result, Run, Samples, StopReason, Trace, TraceWriter, parallel};
use didact_math::distance::nearest_center;
use ndarray::Array2;

/// Sums follow the rows that change; after this many iterations they are made anew, so that
/// rounding cannot pile up.
const REFRESH: usize = 8;

/// What one start led to, in the coordinates of the user.
pub(crate) struct Fitted {
    pub(crate) centers: Array2<f64>,
    pub(crate) labels: Option<Vec<usize>>,
    pub(crate) inertia: f64,
    pub(crate) n_reseeded: usize,
    pub(crate) trace: Trace,
}

/// Improves the first centres until no row changes its cluster.
pub(crate) fn improve(
    parameters: &KMeans,
    prepared: &Prepared<'_>,
    data: &Samples<'_>,
    start: Array2<f64>,
    run: &Run,
) -> Result<Fitted> {
    let (rows, weights) = (prepared.rows(), prepared.weights.as_deref());
    let n_clusters = start.nrows();
    let tolerance = prepared.tolerance(parameters.tol);
    let mut centers = start - &prepared.offset;
    let mut search = Search::new(parameters.algorithm, prepared, n_clusters);
    let mut labels = Vec::new();
    let mut sums = ClusterSums::zeros(n_clusters, rows.n_columns());
    let mut n_reseeded = 0;
    let mut trace = TraceWriter::new(run, "inertia", Some(parameters.max_iter));
    let mut stop = StopReason::IterationLimit;
    for iteration in 0..parameters.max_iter {
        let before = std::mem::replace(&mut labels, search.assign(prepared, &centers, run)?);
        sums = match iteration % REFRESH {
            0 => ClusterSums::of_labels(rows, weights, &labels, n_clusters, run)?,
            _ => sums.merge(ClusterSums::of_changes(
                rows,
                weights,
                (&before, &labels),
                n_clusters,
                run,
            )?),
        };
        sums.clear_empty();
        trace.record(sums.loss(&prepared.variances, &centers))?;
        let moved = reseed(prepared, &centers, &mut labels, &mut sums, run)?;
        search.move_rows(&moved, &labels);
        n_reseeded += moved.len();
        let means = sums.means(&centers);
        let movement = squared_movement(&centers, &means);
        let stable = before == labels;
        centers = means;
        if moved.is_empty() && (stable || movement <= tolerance) {
            stop = StopReason::Converged;
            break;
        }
    }
    drop(search);
    // The sums that followed single rows are only almost those of the labels.
    let exact = ClusterSums::of_labels(rows, weights, &labels, n_clusters, run)?;
    let centers = exact.means(&centers) + &prepared.offset;
    drop(labels);
    let (labels, inertia) = assess(data, &centers, run)?;
    Ok(Fitted {
        centers,
        labels: Some(labels),
        inertia,
        n_reseeded,
        trace: trace.finish(stop),
    })
}

/// The labels of all rows and the inertia, as prediction would find them.
pub(crate) fn assess(
    data: &Samples<'_>,
    centers: &Array2<f64>,
    run: &Run,
) -> Result<(Vec<usize>, f64)> {
    let found = nearest_center(data.rows(), centers.view(), run)?;
    let inertia = parallel::reduce(
        data.n_rows(),
        8192,
        run,
        &|range| {
            let terms = range.map(|row| match data.weight(row) {
                // The distance of a row that does not count may be infinite.
                0.0 => 0.0,
                weight => weight * found.squared_distances[row],
            });
            Ok(terms.sum::<f64>())
        },
        &|left, right| left + right,
    )?;
    Ok((found.labels, inertia.unwrap_or(0.0)))
}

/// Finds the nearest centre of every row.
enum Search {
    Products,
    Bounds(Bounds),
}

impl Search {
    fn new(algorithm: KMeansAlgorithm, prepared: &Prepared<'_>, n_clusters: usize) -> Self {
        let rows = prepared.rows();
        let bounds = match algorithm {
            KMeansAlgorithm::Lloyd => false,
            KMeansAlgorithm::Bounds => true,
            // Bounds cost little beside a comparison of a row with all centres.
            KMeansAlgorithm::Auto => n_clusters > 1,
        };
        match bounds && !rows.is_sparse() {
            true => Search::Bounds(Bounds::new(rows.n_rows(), rows.n_columns(), n_clusters)),
            false => Search::Products,
        }
    }

    fn assign(
        &mut self,
        prepared: &Prepared<'_>,
        centers: &Array2<f64>,
        run: &Run,
    ) -> Result<Vec<usize>> {
        match self {
            Search::Products => Ok(nearest_center(prepared.rows(), centers.view(), run)?.labels),
            Search::Bounds(bounds) => bounds.assign(prepared.rows().dense()?, centers, run),
        }
    }

    /// Learns that rows were given to other clusters by hand.
    fn move_rows(&mut self, moved: &[usize], labels: &[usize]) {
        if let Search::Bounds(bounds) = self {
            for &row in moved {
                bounds.move_row(row, labels[row]);
            }
        }
    }
}
