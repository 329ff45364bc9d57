//! k-medoids: centres that are rows.

mod start;
mod swap;

use crate::hierarchy::check_pairs_fit;
use crate::metric_centers::{MetricCenters, nearest_by};
use crate::too_far::rows_too_far;
use didact_core::random::generator;
use didact_core::{Accepts, Error, Fit, Result, Run, Samples};
use didact_math::distance::{Metric, pairwise_self};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use swap::Swapped;

/// Partitions the rows around some of them, each row with its nearest.
///
/// Minimises the sum of the distances, of any kind, to the nearest of `n_clusters` exemplars
/// (medoids). A medoid is exchanged for another row as soon as that lowers the sum (FasterPAM,
/// Schubert and Rousseeuw 2021); at the end no single exchange does. Holds the distances of all
/// pairs; a pass over all exchanges takes time quadratic in the rows, whatever the number of
/// clusters.
///
/// ```
/// use didact_cluster::KMedoids;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [10.0], [11.0], [100.0]];
/// let model = KMedoids { n_clusters: 3, ..KMedoids::default() }.fit(Samples::from(&x))?;
/// assert_eq!(model.inertia(), 3.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KMedoids {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// How far apart two rows are.
    pub metric: Metric,
    /// How the first medoids are chosen.
    pub init: KMedoidsInit,
    /// How many starts to try; the one with the smallest sum wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Most passes over all rows.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

/// How k-medoids chooses its first medoids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KMedoidsInit {
    /// Rows drawn one after the other with probability proportional to the distance to those
    /// drawn before.
    #[default]
    #[serde(rename = "k-medoids++")]
    #[schemars(rename = "k-medoids++")]
    PlusPlus,
    /// One after the other the row that lowers the sum most.
    Build,
    /// Distinct rows drawn at random.
    Random,
}

impl Default for KMedoids {
    fn default() -> Self {
        KMedoids {
            n_clusters: 8,
            metric: Metric::Euclidean,
            init: KMedoidsInit::PlusPlus,
            n_init: 1,
            max_iter: 100,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for KMedoids {
    type Model = MetricCenters;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<MetricCenters> {
        self.metric.check()?;
        // Rows of weight zero cost nothing and cannot be exemplars.
        let counting: Vec<usize> = (0..data.n_rows())
            .filter(|&row| data.weight(row) > 0.0)
            .collect();
        let n = counting.len();
        if self.n_clusters > n {
            return Err(Error::parameter(
                "n_clusters",
                self.n_clusters,
                format!("there are only {n} rows; ask for at most that many"),
            ));
        }
        check_pairs_fit(n)?;
        let taught = data.select(&counting);
        let distances = pairwise_self(taught.rows(), self.metric, run)?;
        if distances.iter().any(|distance| !distance.is_finite()) {
            return Err(rows_too_far());
        }
        let weights: Vec<f64> = counting.iter().map(|&row| data.weight(row)).collect();
        let mut best: Option<Swapped> = None;
        for restart in 0..self.n_init {
            let mut generator = generator(self.random_state, restart as u64);
            let medoids = start::choose(self, &distances, &weights, &mut generator, run)?;
            let found = swap::improve(&distances, &weights, medoids, self.max_iter, run)?;
            if best.as_ref().is_none_or(|best| found.cost < best.cost) {
                best = Some(found);
            }
        }
        let mut best = best.expect("there is at least one start");
        best.medoids.sort_unstable();
        let medoids: Vec<usize> = best.medoids.iter().map(|&row| counting[row]).collect();
        let centers = data.rows().select(&medoids).into_dense();
        let found = nearest_by(self.metric, data.dense()?, &centers, run)?;
        let terms = found.iter().enumerate();
        let inertia = terms
            .map(|(row, (_, distance))| data.weight(row) * distance)
            .sum();
        Ok(MetricCenters {
            metric: self.metric,
            cluster_centers: centers,
            medoid_indices: Some(medoids),
            labels: found.into_iter().map(|(label, _)| label).collect(),
            inertia,
            trace: best.trace,
        })
    }
}
