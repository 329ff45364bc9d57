//! Mini-batch k-means: centres that follow small samples of the rows.

use crate::k_means::{ClusterSums, Fitted, KMeans, KMeansInit, KMeansModel, assess};
use crate::too_far::centers_too_far;
use didact_core::random::{Generator, generator};
use didact_core::{Accepts, Fit, Result, Run, Samples, StopReason, Trace, TraceWriter};
use didact_math::distance::nearest_center;
use ndarray::Array2;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many batches pass between looks for centres that hardly any row uses.
const LOOK_EVERY: usize = 10;

/// Runs k-means on small random samples of the rows, for data too many to be seen every time.
///
/// Each step draws `batch_size` rows, assigns them and moves every centre to the running mean of
/// all rows that it was ever given. The inertia of a batch is noisy, so the method stops when its
/// moving average has not improved for `max_no_improvement` steps. A centre that was given far
/// fewer rows than the others starts anew at a row of the batch. The result is a little worse
/// than that of k-means and costs a fraction of the time.
///
/// ```
/// use didact_cluster::MiniBatchKMeans;
/// use didact_core::Fit;
/// let iris = didact_datasets::iris();
/// let model = MiniBatchKMeans { n_clusters: 3, ..MiniBatchKMeans::default() }.fit(iris.samples())?;
/// assert!(model.inertia() < 90.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MiniBatchKMeans {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// How the first centres are chosen.
    pub init: KMeansInit,
    /// The first centres themselves, one list per cluster; replaces `init` and `n_init`.
    pub init_centers: Option<Vec<Vec<f64>>>,
    /// How many starts to try; the one that suits a first batch best is used.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Rows of a batch.
    #[schemars(range(min = 1))]
    pub batch_size: usize,
    /// Most passes over as many rows as there are.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when a step moves the centres by no more than this times the mean variance of the
    /// columns, squared and averaged; zero never does.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Stop after this many steps in which the average inertia did not improve; null never does.
    #[schemars(range(min = 1))]
    pub max_no_improvement: Option<usize>,
    /// Centres with fewer rows than this share of the most popular one's start anew.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub reassignment_ratio: f64,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for MiniBatchKMeans {
    fn default() -> Self {
        MiniBatchKMeans {
            n_clusters: 8,
            init: KMeansInit::PlusPlus,
            init_centers: None,
            n_init: 1,
            batch_size: 1024,
            max_iter: 100,
            tol: 0.0,
            max_no_improvement: Some(10),
            reassignment_ratio: 0.01,
            random_state: 0,
        }
    }
}

/// The centres so far.
struct State {
    centers: Array2<f64>,
    /// The weight of all rows that each centre was ever given.
    weights: Vec<f64>,
    n_reseeded: usize,
}

/// Watches the average inertia of the batches.
#[derive(Default)]
struct Watch {
    average: Option<f64>,
    least: Option<f64>,
    since_least: usize,
}

impl Watch {
    /// Adds the inertia of a batch, which counts with `share`; gives the average.
    fn add(&mut self, inertia: f64, share: f64) -> f64 {
        let average = match self.average {
            None => inertia,
            Some(average) => average + (inertia - average) * share,
        };
        self.average = Some(average);
        if self.least.is_none_or(|least| average < least) {
            (self.least, self.since_least) = (Some(average), 0);
        } else {
            self.since_least += 1;
        }
        average
    }
}

impl Fit<Samples<'_>> for MiniBatchKMeans {
    type Model = KMeansModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<KMeansModel> {
        let counting: Vec<usize> = (0..data.n_rows())
            .filter(|&row| data.weight(row) > 0.0)
            .collect();
        let mut generator = generator(self.random_state, u64::MAX);
        let start = self.start(&data, &counting, &mut generator, run)?;
        let mut state = State {
            weights: vec![0.0; start.nrows()],
            centers: start,
            n_reseeded: 0,
        };
        let trace = self.iterate(&data, &counting, &mut state, &mut generator, run)?;
        // Of a million rows this is as large as the labels.
        drop(counting);
        let (labels, inertia) = assess(&data, &state.centers, run)?;
        Ok(KMeansModel::new(Fitted {
            centers: state.centers,
            labels: Some(labels),
            inertia,
            n_reseeded: state.n_reseeded,
            trace,
        }))
    }
}

impl MiniBatchKMeans {
    /// The start with the least inertia on a first batch.
    fn start(
        &self,
        data: &Samples<'_>,
        counting: &[usize],
        generator: &mut Generator,
        run: &Run,
    ) -> Result<Array2<f64>> {
        let starts = KMeans {
            n_clusters: self.n_clusters,
            init: self.init,
            init_centers: self.init_centers.clone(),
            n_init: self.n_init,
            random_state: self.random_state,
            ..KMeans::default()
        };
        let mut starts = starts.first_centers(data, run)?;
        if starts.len() == 1 {
            return Ok(starts.swap_remove(0));
        }
        let batch = data.select(&self.draw(counting, generator));
        let mut best: Option<(f64, Array2<f64>)> = None;
        for centers in starts {
            let (_, inertia) = assess(&batch, &centers, run)?;
            if best.as_ref().is_none_or(|best| inertia < best.0) {
                best = Some((inertia, centers));
            }
        }
        Ok(best.expect("there is at least one start").1)
    }

    fn draw(&self, counting: &[usize], generator: &mut Generator) -> Vec<usize> {
        (0..self.batch_size)
            .map(|_| counting[generator.random_range(0..counting.len())])
            .collect()
    }

    fn iterate(
        &self,
        data: &Samples<'_>,
        counting: &[usize],
        state: &mut State,
        generator: &mut Generator,
        run: &Run,
    ) -> Result<Trace> {
        let steps = self
            .max_iter
            .saturating_mul(counting.len())
            .div_ceil(self.batch_size);
        // As in scikit-learn: the average forgets after about a pass over half the rows.
        let share = (2.0 * self.batch_size as f64 / (counting.len() + 1) as f64).min(1.0);
        let mut trace = TraceWriter::new(run, "average inertia of a batch", Some(steps));
        let mut watch = Watch::default();
        for step in 0..steps {
            let batch = data.select(&self.draw(counting, generator));
            let found = nearest_center(batch.rows(), state.centers.view(), run)?;
            let terms = found.squared_distances.iter().enumerate();
            let inertia: f64 = terms.map(|(row, d)| batch.weight(row) * d).sum();
            if !inertia.is_finite() {
                return Err(centers_too_far());
            }
            trace.record(watch.add(inertia / batch.total_weight(), share))?;
            let moved = move_centers(state, &batch, &found.labels, run)?;
            if step % LOOK_EVERY == LOOK_EVERY - 1 {
                self.reseed(state, &batch, generator);
            }
            let stands = self.tol > 0.0 && moved <= self.tol;
            let stale = self
                .max_no_improvement
                .is_some_and(|most| watch.since_least >= most);
            if stands || stale {
                return Ok(trace.finish(StopReason::Converged));
            }
        }
        Ok(trace.finish(StopReason::IterationLimit))
    }

    /// Moves centres that hardly any row uses to rows of the batch.
    fn reseed(&self, state: &mut State, batch: &Samples<'_>, generator: &mut Generator) {
        let most = state.weights.iter().copied().fold(0.0, f64::max);
        let is_idle = |weight: f64| weight < self.reassignment_ratio * most;
        let kept = state
            .weights
            .iter()
            .copied()
            .filter(|&weight| !is_idle(weight));
        let least = kept.fold(f64::INFINITY, f64::min);
        for cluster in 0..state.weights.len() {
            if is_idle(state.weights[cluster]) {
                let row = generator.random_range(0..batch.n_rows());
                let place = batch.rows().select(&[row]).into_dense();
                state.centers.row_mut(cluster).assign(&place.row(0));
                // With the weight of the least popular of the others it can move but not jump.
                state.weights[cluster] = least;
                state.n_reseeded += 1;
            }
        }
    }
}

/// Moves every centre to the mean of all rows that it was ever given; how far relative to the
/// spread of the batch.
fn move_centers(
    state: &mut State,
    batch: &Samples<'_>,
    labels: &[usize],
    run: &Run,
) -> Result<f64> {
    let weights = batch.weights().map(|weights| weights.to_vec());
    let k = state.centers.nrows();
    let sums = ClusterSums::of_labels(batch.rows(), weights.as_deref(), labels, k, run)?;
    let mut movement = 0.0;
    for (cluster, &weight) in sums.weights.iter().enumerate() {
        if weight > 0.0 {
            state.weights[cluster] += weight;
            let share = weight / state.weights[cluster];
            let mut center = state.centers.row_mut(cluster);
            center.zip_mut_with(&sums.sums.row(cluster), |center, &sum| {
                let step = (sum / weight - *center) * share;
                movement += step * step;
                *center += step;
            });
        }
    }
    Ok(movement / state.centers.len() as f64)
}
