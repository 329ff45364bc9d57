//! Affinity propagation: exemplars by messages between rows.

mod messages;

use crate::hierarchy::check_pairs_fit;
use crate::metric_centers::{MetricCenters, nearest_by};
use crate::too_far::rows_too_far;
use didact_core::random::generator;
use didact_core::{Fit, Result, Run, Samples, StopReason, TraceWriter};
use didact_math::distance::{Metric, pairwise_self};
use messages::Messages;
use ndarray::Array2;
use rand_distr::{Distribution, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets rows choose exemplars by passing messages; the number of clusters follows from the data.
///
/// The similarity of two rows is minus their squared distance; that of a row with itself, its
/// preference, says how willingly it becomes an exemplar. Responsibilities (how well suited an
/// exemplar is, compared with the others) and availabilities (how much support it has) are sent
/// back and forth until the exemplars stand still (Frey and Dueck 2007). Time per iteration and
/// memory are quadratic in the rows.
///
/// ```
/// use didact_cluster::AffinityPropagation;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[1.0, 2.0], [1.0, 4.0], [1.0, 0.0], [4.0, 2.0], [4.0, 4.0], [4.0, 0.0]];
/// let model = AffinityPropagation::default().fit(Samples::from(&x))?;
/// assert_eq!(model.labels(), [0, 0, 0, 1, 1, 1]);
/// assert_eq!(model.cluster_centers(), array![[1.0, 2.0], [4.0, 2.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AffinityPropagation {
    /// The share of the old message that is kept in each update, against swinging.
    #[schemars(range(min = 0.5), extend("exclusiveMaximum" = 1))]
    pub damping: f64,
    /// Most iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when the exemplars have been the same for this many iterations.
    #[schemars(range(min = 1))]
    pub convergence_iter: usize,
    /// The preference of every row; null is the median similarity. Greater gives more clusters.
    pub preference: Option<f64>,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for AffinityPropagation {
    fn default() -> Self {
        AffinityPropagation {
            damping: 0.5,
            max_iter: 200,
            convergence_iter: 15,
            preference: None,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for AffinityPropagation {
    type Model = MetricCenters;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<MetricCenters> {
        check_pairs_fit(3 * data.n_rows())?;
        let similarities = self.similarities(&data, run)?;
        let mut messages = Messages::new(similarities);
        let mut trace = TraceWriter::new(run, "exemplars", Some(self.max_iter));
        let mut stop = StopReason::IterationLimit;
        let mut exemplars: Vec<usize> = Vec::new();
        let mut since_change = 0;
        for _ in 0..self.max_iter {
            messages.exchange(self.damping, run)?;
            let now = messages.exemplars();
            since_change = if now == exemplars {
                since_change + 1
            } else {
                0
            };
            exemplars = now;
            trace.record(exemplars.len() as f64)?;
            if since_change >= self.convergence_iter && !exemplars.is_empty() {
                stop = StopReason::Converged;
                break;
            }
        }
        if exemplars.is_empty() {
            // Nobody volunteered before the iterations ran out.
            exemplars = vec![messages.most_willing()];
        }
        let exemplars = messages.refined(exemplars);
        let centers = data.rows().select(&exemplars).into_dense();
        let found = nearest_by(Metric::Euclidean, data.dense()?, &centers, run)?;
        Ok(MetricCenters {
            metric: Metric::Euclidean,
            cluster_centers: centers,
            medoid_indices: Some(exemplars),
            inertia: found.iter().map(|(_, distance)| distance).sum(),
            labels: found.into_iter().map(|(label, _)| label).collect(),
            trace: trace.finish(stop),
        })
    }
}

impl AffinityPropagation {
    /// Minus the squared distances, with preferences on the diagonal and the last digits stirred:
    /// equal similarities would let the messages swing between equal solutions.
    fn similarities(&self, data: &Samples<'_>, run: &Run) -> Result<Array2<f64>> {
        let mut similarities = pairwise_self(data.rows(), Metric::SquaredEuclidean, run)?;
        similarities.mapv_inplace(|squared| -squared);
        if similarities.iter().any(|value| !value.is_finite()) {
            return Err(rows_too_far());
        }
        let preference = self.preference.unwrap_or_else(|| median(&similarities));
        similarities.diag_mut().fill(preference);
        let mut generator = generator(self.random_state, 0);
        for value in &mut similarities {
            let noise: f64 = StandardNormal.sample(&mut generator);
            *value += (f64::EPSILON * *value + 100.0 * f64::MIN_POSITIVE) * noise;
        }
        Ok(similarities)
    }
}

/// The median of all entries, as scikit-learn takes it: diagonal included.
fn median(matrix: &Array2<f64>) -> f64 {
    let mut values: Vec<f64> = matrix.iter().copied().collect();
    let middle = values.len() / 2;
    let (_, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if values.len() % 2 == 1 {
        return upper;
    }
    let lower = values[..middle]
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    lower + (upper - lower) / 2.0
}
