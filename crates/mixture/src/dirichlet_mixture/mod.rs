//! Gaussian mixtures with as many components as the rows ask for.

mod cluster;
mod gibbs;
mod model;

pub use cluster::ClusterPredictive;
pub use model::DirichletProcessMixtureModel;

use crate::ConcentrationPosterior;
use cluster::Cluster;
use didact_core::random::generator;
use didact_core::{Error, Fit, Result, Run, Samples, StopReason, TraceWriter};
use didact_math::linalg::{Cholesky, Moments};
use gibbs::Sampler;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// After so many sweeps the clusters are computed anew, so that rounding does not add up.
const FRESH: usize = 16;

/// Groups the rows into Gaussian clusters without being told how many there are.
///
/// The number of clusters follows a Dirichlet process with concentration α; their means and
/// covariances have a normal-inverse-Wishart prior and are integrated out (collapsed Gibbs
/// sampling). In a sweep every row leaves its cluster and joins cluster k with probability
/// ∝ n_k·p(x | its rows), or a new one ∝ α·p(x), where p is a Student t. The most probable partition
/// that was visited is the model; its predictive law is a mixture of Student t.
///
/// ```
/// use didact_core::{Assign, Fit};
/// use didact_mixture::DirichletProcessMixture;
/// let iris = didact_datasets::iris();
/// let model = DirichletProcessMixture::default().fit(iris.samples())?;
/// let groups = model.predict(iris.samples())?;
/// let setosa = groups[..50].iter().filter(|group| **group == groups[0]).count();
/// assert!(setosa >= 48);
/// assert!(model.n_components() >= 2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DirichletProcessMixture {
    /// The concentration α, or where it starts if it is drawn too: larger gives more clusters.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight_concentration_prior: f64,
    /// Whether α is drawn anew after every sweep, given the number of clusters.
    pub resample_concentration: bool,
    /// How many rows the prior of a cluster's mean counts for, κ.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mean_precision_prior: f64,
    /// Degrees of freedom ν of the prior of a cluster's covariance, more than the number of
    /// columns plus one; two more than columns where absent.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub degrees_of_freedom_prior: Option<f64>,
    /// How large a cluster's covariance is expected to be, as a share of that of all rows.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub covariance_share: f64,
    /// The law of a new row of a cluster.
    pub predictive: ClusterPredictive,
    /// How many sweeps over the rows.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Sweeps at the beginning that do not count for how often rows are together.
    pub burn_in: usize,
    /// Whether to count how often each pair of rows is together, which takes n² numbers.
    pub co_clustering: bool,
    /// Seed of everything random.
    pub random_state: u64,
}

impl Default for DirichletProcessMixture {
    fn default() -> Self {
        DirichletProcessMixture {
            weight_concentration_prior: 1.0,
            resample_concentration: true,
            mean_precision_prior: 0.05,
            degrees_of_freedom_prior: None,
            covariance_share: 0.2,
            predictive: ClusterPredictive::StudentT,
            max_iter: 60,
            burn_in: 20,
            co_clustering: false,
            random_state: 0,
        }
    }
}

/// What the sweeps found.
pub(crate) struct Visits {
    /// The number of clusters after each sweep.
    pub(crate) n_components: Vec<usize>,
    /// The concentration after each sweep.
    pub(crate) concentrations: Vec<f64>,
    /// How often each pair of rows was together, as a share of the sweeps that count.
    pub(crate) together: Option<ndarray::Array2<f64>>,
}

impl DirichletProcessMixture {
    /// The prior belief of a cluster, in units of all rows.
    fn prior(&self, data: &Samples<'_>, run: &Run) -> Result<Cluster> {
        let moments = Moments::summarise(data.rows(), None, run)?;
        let d = moments.mean.len() as f64;
        let freedom = self.degrees_of_freedom_prior.unwrap_or(d + 2.0);
        if freedom <= d + 1.0 {
            return Err(Error::parameter(
                "degrees_of_freedom_prior",
                freedom,
                format!("for {d} columns it must be more than {}", d + 1.0),
            ));
        }
        // E Σ = Λ/(ν − d − 1) is the asked share of the covariance of all rows.
        let covariance = moments.scatter / moments.weight;
        let (_, jitter) = Cholesky::with_jitter(covariance.view())?;
        let mut scale = covariance;
        scale.diag_mut().mapv_inplace(|variance| variance + jitter);
        scale *= self.covariance_share * (freedom - d - 1.0);
        Cluster::prior(
            self.mean_precision_prior,
            freedom,
            moments.mean,
            &scale,
            self.predictive,
        )
    }

    /// Calls `visit` with the sampler after every sweep.
    fn sample(
        &self,
        data: &Samples<'_>,
        run: &Run,
        mut visit: impl FnMut(usize, &Sampler<'_>) -> Result<()>,
    ) -> Result<()> {
        let rows = data.dense()?;
        let prior = self.prior(data, run)?;
        let mut random = generator(self.random_state, 0);
        let mut sampler = Sampler::new(rows, prior, self.weight_concentration_prior, run)?;
        for sweep in 0..self.max_iter {
            sampler.sweep(&mut random, run)?;
            if sweep % FRESH == FRESH - 1 {
                sampler.rebuild(run)?;
            }
            if self.resample_concentration {
                let posterior = ConcentrationPosterior::new(sampler.clusters.len(), rows.nrows())?;
                sampler.concentration = posterior.draw(&mut random)?;
            }
            visit(sweep, &sampler)?;
        }
        Ok(())
    }

    /// How often each partition was visited after the burn-in, by its labels in order of first
    /// appearance; for few rows, whose partitions can be enumerated.
    pub fn partition_frequencies(
        &self,
        data: &Samples<'_>,
        run: &Run,
    ) -> Result<std::collections::BTreeMap<Vec<usize>, usize>> {
        let mut visits = std::collections::BTreeMap::new();
        self.sample(data, run, |sweep, sampler| {
            if sweep >= self.burn_in {
                *visits.entry(in_order(&sampler.labels)).or_default() += 1;
            }
            Ok(())
        })?;
        Ok(visits)
    }
}

/// The same partition with labels in order of first appearance.
fn in_order(labels: &[usize]) -> Vec<usize> {
    let mut names: Vec<Option<usize>> = Vec::new();
    let mut known = 0;
    labels
        .iter()
        .map(|&label| {
            if label >= names.len() {
                names.resize(label + 1, None);
            }
            *names[label].get_or_insert_with(|| {
                known += 1;
                known - 1
            })
        })
        .collect()
}

impl Fit<Samples<'_>> for DirichletProcessMixture {
    type Model = DirichletProcessMixtureModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<DirichletProcessMixtureModel> {
        let n = data.n_rows();
        let mut trace = TraceWriter::new(run, "log-score", Some(self.max_iter));
        let mut visits = Visits {
            n_components: Vec::new(),
            concentrations: Vec::new(),
            together: self.co_clustering.then(|| ndarray::Array2::zeros((n, n))),
        };
        let mut best: Option<(f64, Vec<usize>, f64)> = None;
        let mut counted = 0_usize;
        self.sample(&data, run, |sweep, sampler| {
            let score = sampler.log_score()?;
            if !score.is_finite() {
                return Err(Error::numerical(format!(
                    "the log-score is {score}; the columns differ too much in scale, \
                     standardise them first"
                )));
            }
            trace.record(score)?;
            visits.n_components.push(sampler.clusters.len());
            visits.concentrations.push(sampler.concentration);
            if best.as_ref().is_none_or(|(highest, ..)| score > *highest) {
                best = Some((score, in_order(&sampler.labels), sampler.concentration));
            }
            if let Some(together) = visits.together.as_mut().filter(|_| sweep >= self.burn_in) {
                counted += 1;
                for (mut row, own) in together.rows_mut().into_iter().zip(&sampler.labels) {
                    for (value, other) in row.iter_mut().zip(&sampler.labels) {
                        *value += f64::from(u8::from(own == other));
                    }
                }
            }
            Ok(())
        })?;
        if let Some(together) = &mut visits.together {
            *together /= counted.max(1) as f64;
        }
        let (_, labels, concentration) = best.expect("there is at least one sweep");
        let prior = self.prior(&data, run)?;
        // Sampling ends by its number of sweeps; there is no convergence to test.
        let trace = trace.finish(StopReason::IterationLimit);
        DirichletProcessMixtureModel::new(&data, prior, labels, concentration, visits, trace)
    }
}
