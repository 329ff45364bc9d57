//! k-means under other distances.

mod center;

use crate::k_means::{KMeans, KMeansInit};
use crate::metric_centers::{MetricCenters, nearest_by};
use didact_core::{Accepts, Fit, Result, Run, Samples, StopReason, TraceWriter};
use didact_math::distance::Metric;
use ndarray::{Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Runs k-means under any distance, with the centre that fits the distance.
///
/// Rows go to the nearest centre by the `metric`, then each centre moves. The mean minimises only
/// the sum of squared Euclidean distances; with any other distance it keeps no promise. The
/// matching centre does: the median of each column for Manhattan (k-medians), the geometric
/// median for Euclidean, the renormalised mean direction for cosine (spherical k-means), the most
/// frequent value for Hamming, a descent for Minkowski and Chebyshev, the better of mean and
/// medians for the others. With it the sum of the distances never rises.
///
/// ```
/// use didact_cluster::MetricKMeans;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// // The median is not moved by the outlier.
/// let x = array![[0.0], [1.0], [2.0], [50.0], [51.0], [152.0]];
/// let start = Some(vec![vec![0.0], vec![50.0]]);
/// let model = MetricKMeans { n_clusters: 2, init_centers: start, ..MetricKMeans::default() }.fit(Samples::from(&x))?;
/// assert_eq!(model.cluster_centers(), array![[1.0], [51.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MetricKMeans {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// How far a row is from a centre.
    pub metric: Metric,
    /// How the centres move.
    pub update: CenterUpdate,
    /// How the first centres are chosen.
    pub init: KMeansInit,
    /// The first centres themselves, one list per cluster; replaces `init` and `n_init`.
    pub init_centers: Option<Vec<Vec<f64>>>,
    /// How many starts to try; the one with the smallest sum of distances wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Most iterations of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

/// How the centre of a cluster follows from its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CenterUpdate {
    /// The point with the least sum of distances to the rows.
    #[default]
    Matching,
    /// The mean, whatever the distance; the sum of distances may rise.
    Mean,
}

impl Default for MetricKMeans {
    fn default() -> Self {
        MetricKMeans {
            n_clusters: 8,
            metric: Metric::Manhattan,
            update: CenterUpdate::Matching,
            init: KMeansInit::PlusPlus,
            init_centers: None,
            n_init: 1,
            max_iter: 300,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for MetricKMeans {
    type Model = MetricCenters;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<MetricCenters> {
        self.metric.check()?;
        self.metric.check_rows(data.rows())?;
        let starts = KMeans {
            n_clusters: self.n_clusters,
            init: self.init,
            init_centers: self.init_centers.clone(),
            n_init: self.n_init,
            random_state: self.random_state,
            ..KMeans::default()
        };
        let mut best: Option<MetricCenters> = None;
        for centers in starts.first_centers(&data, run)? {
            let found = self.improve(&data, centers, run)?;
            if best
                .as_ref()
                .is_none_or(|best| found.inertia < best.inertia)
            {
                best = Some(found);
            }
        }
        Ok(best.expect("there is at least one start"))
    }
}

impl MetricKMeans {
    fn improve(
        &self,
        data: &Samples<'_>,
        mut centers: Array2<f64>,
        run: &Run,
    ) -> Result<MetricCenters> {
        let rows = data.dense()?;
        let mut trace = TraceWriter::new(run, "sum of distances", Some(self.max_iter));
        let mut stop = StopReason::IterationLimit;
        let mut found = nearest_by(self.metric, rows, &centers, run)?;
        for _ in 0..self.max_iter {
            let moved = self.move_centers(rows, data, &found, &centers, run)?;
            let next = nearest_by(self.metric, rows, &moved, run)?;
            let is_same = moved == centers || next.iter().zip(&found).all(|(a, b)| a.0 == b.0);
            (centers, found) = (moved, next);
            trace.record(total(data, &found))?;
            if is_same {
                stop = StopReason::Converged;
                break;
            }
        }
        Ok(MetricCenters {
            metric: self.metric,
            cluster_centers: centers,
            medoid_indices: None,
            inertia: total(data, &found),
            labels: found.into_iter().map(|(label, _)| label).collect(),
            trace: trace.finish(stop),
        })
    }

    /// New centres; one without rows goes to the row farthest from its own.
    fn move_centers(
        &self,
        rows: ArrayView2<'_, f64>,
        data: &Samples<'_>,
        found: &[(usize, f64)],
        centers: &Array2<f64>,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let mut members = vec![Vec::new(); centers.nrows()];
        for (row, &(label, _)) in found.iter().enumerate() {
            if data.weight(row) > 0.0 {
                members[label].push(row);
            }
        }
        let n_vacant = members.iter().filter(|members| members.is_empty()).count();
        let mut farthest = farthest_rows(data, found, n_vacant).into_iter();
        let mut moved = centers.clone();
        for (cluster, members) in members.iter().enumerate() {
            run.check()?;
            let mut center = moved.row_mut(cluster);
            if !members.is_empty() {
                let cluster = center::Members {
                    rows: rows.reborrow(),
                    members,
                    data,
                    metric: self.metric,
                };
                let current = center.to_vec();
                let cost = |&row: &usize| data.weight(row) * found[row].1;
                let place = match self.update {
                    CenterUpdate::Mean => cluster.mean(),
                    CenterUpdate::Matching => {
                        cluster.matching(current, members.iter().map(cost).sum(), run)?
                    }
                };
                center.assign(&ndarray::Array1::from(place));
            } else if let Some(row) = farthest.next() {
                center.assign(&rows.row(row));
            }
        }
        Ok(moved)
    }
}

/// As many of the rows farthest from their centres, the farthest first.
fn farthest_rows(data: &Samples<'_>, found: &[(usize, f64)], wanted: usize) -> Vec<usize> {
    if wanted == 0 {
        return Vec::new();
    }
    let mut rows: Vec<usize> = (0..found.len())
        .filter(|&row| data.weight(row) > 0.0 && found[row].1 > 0.0)
        .collect();
    rows.sort_by(|&a, &b| found[b].1.total_cmp(&found[a].1).then(a.cmp(&b)));
    rows.truncate(wanted);
    rows
}

fn total(data: &Samples<'_>, found: &[(usize, f64)]) -> f64 {
    let terms = found.iter().enumerate();
    terms
        .map(|(row, (_, distance))| data.weight(row) * distance)
        .sum()
}
