//! Gaussian mixtures by variational inference: a belief about every parameter, and as many
//! components as the rows ask for.
//!
//! `prior` is what is believed before the rows, `posterior` after them, `sticks` the part of both
//! that concerns the weights; the pass over the rows is that of expectation–maximisation.

mod model;
mod posterior;
mod prior;
mod sticks;

pub use model::BayesianGaussianMixtureModel;
pub use prior::CovariancePrior;
pub use sticks::WeightPrior;

use crate::gaussian::{Components, Statistics, ordered_by_size};
use crate::{CovarianceType, GaussianMixture};
use didact_cluster::{KMeans, RowSketch};
use didact_core::random::generator;
use didact_core::{Accepts, Error, Fit, Progress, Result, Run, Samples, StopReason, Trace};
use didact_math::distance::nearest_center;
use ndarray::{Array2, Axis};
use posterior::Posterior;
use prior::Prior;
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many distinct rows the start is found from.
const SKETCH: usize = 8192;

/// Groups the rows into at most so many Gaussian components, of which it keeps those that they ask for.
///
/// Every parameter has a prior and a posterior of the same kind: the weights a Dirichlet law, or the
/// sticks vₖ ~ Beta(1, γ) of a truncated Dirichlet process; means and precisions a normal-Wishart
/// law. Variational inference alternates between the responsibilities
/// ln rᵢₖ = E ln πₖ + E ln N(xᵢ; μₖ, Λₖ⁻¹) + constant and the posteriors that they give, and each
/// step raises a lower bound of the log-evidence. Components that the rows do not need keep their
/// prior and a weight near zero, so `n_components` is only an upper bound. Means are pulled towards
/// that of all rows, covariances towards theirs.
///
/// ```
/// use didact_core::Fit;
/// use didact_mixture::BayesianGaussianMixture;
/// let iris = didact_datasets::iris();
/// let mixture = BayesianGaussianMixture { n_components: 6, max_iter: 500, ..Default::default() };
/// let model = mixture.fit(iris.samples())?;
/// let used = model.weights().iter().filter(|weight| **weight > 0.05).count();
/// assert!((2..=5).contains(&used));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BayesianGaussianMixture {
    /// How many components the mixture has at most.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// What the covariances of the components look like.
    pub covariance_type: CovarianceType,
    /// Stop when the lower bound changes by less than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Added to the variances that the rows give.
    #[schemars(range(min = 0.0))]
    pub reg_covar: f64,
    /// Most iterations of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// How many starts to try; the one with the highest bound wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Where the components start: each has the rows nearest to one mean.
    pub init_params: VariationalInit,
    /// The means to start from, one list per component.
    pub means_init: Option<Vec<Vec<f64>>>,
    /// The prior of the weights.
    pub weight_concentration_prior_type: WeightPrior,
    /// The concentration γ of that prior: small leaves many components empty; null is one by the
    /// number of components.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight_concentration_prior: Option<f64>,
    /// How many rows the prior of a mean counts for, β.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mean_precision_prior: f64,
    /// The mean of the prior; null is the mean of the rows.
    pub mean_prior: Option<Vec<f64>>,
    /// Degrees of freedom ν of the prior of the precisions, more than the number of columns less
    /// one; null is the number of columns.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub degrees_of_freedom_prior: Option<f64>,
    /// The prior of the covariances, in the shape of their type; null is the covariance of the rows.
    pub covariance_prior: Option<CovariancePrior>,
    /// Seed of everything random.
    pub random_state: u64,
}

/// Where the components of a variational mixture start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VariationalInit {
    /// The centres of k-means, the largest cluster first.
    #[default]
    KMeans,
    /// Distinct rows.
    Random,
}

impl Default for BayesianGaussianMixture {
    fn default() -> Self {
        BayesianGaussianMixture {
            n_components: 1,
            covariance_type: CovarianceType::Full,
            tol: 1e-3,
            reg_covar: 1e-6,
            max_iter: 100,
            n_init: 1,
            init_params: VariationalInit::KMeans,
            means_init: None,
            weight_concentration_prior_type: WeightPrior::DirichletProcess,
            weight_concentration_prior: None,
            mean_precision_prior: 1.0,
            mean_prior: None,
            degrees_of_freedom_prior: None,
            covariance_prior: None,
            random_state: 0,
        }
    }
}

/// One start on its way up.
struct Ascent {
    posterior: Posterior,
    components: Components,
    bounds: Vec<f64>,
    stop: StopReason,
}

impl Fit<Samples<'_>> for BayesianGaussianMixture {
    type Model = BayesianGaussianMixtureModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<BayesianGaussianMixtureModel> {
        let prior = Prior::new(self, &data, run)?;
        let sketch = RowSketch::of(&data, SKETCH, self.random_state, run)?;
        // Given means leave nothing to chance, so one start is all there is.
        let n_starts = if self.means_init.is_some() {
            1
        } else {
            self.n_init
        };
        let mut best: Option<Ascent> = None;
        for restart in 0..n_starts {
            let means = self.first_means(&sketch, restart as u64, run)?;
            let ascent = self.ascend(&data, &prior, means, run)?;
            if best
                .as_ref()
                .is_none_or(|best| ascent.bounds.last() > best.bounds.last())
            {
                best = Some(ascent);
            }
        }
        let best = best.expect("there is at least one start");
        let trace = Trace {
            objective_name: "lower bound".to_owned(),
            objectives: best.bounds,
            stop: best.stop,
        };
        Ok(BayesianGaussianMixtureModel::new(
            best.components,
            best.posterior,
            trace,
        ))
    }
}

impl BayesianGaussianMixture {
    /// Climbs from the clusters around some means.
    fn ascend(
        &self,
        data: &Samples<'_>,
        prior: &Prior,
        means: Array2<f64>,
        run: &Run,
    ) -> Result<Ascent> {
        let rows = data.dense()?;
        let labels = nearest_center(data.rows(), means.view(), run)?.labels;
        let mixture = self.plain();
        let start = mixture.around(means)?;
        let statistics = Statistics::of_labels(&start, rows, data.weights(), &labels, run)?;
        let proposal = statistics.maximise(&start, &mixture);
        let mut posterior = Posterior::new(prior, &proposal, self.reg_covar);
        let mut components = posterior.components()?;
        let mut bounds: Vec<f64> = Vec::new();
        loop {
            let statistics = Statistics::of(&components, rows, data.weights(), run)?;
            let entropy = statistics.entropy(&components);
            let proposal = statistics.maximise(&components, &mixture);
            posterior = Posterior::new(prior, &proposal, self.reg_covar);
            components = posterior.components()?;
            let bound = entropy + posterior.bound(&components);
            if !bound.is_finite() {
                return Err(Error::numerical(format!(
                    "the lower bound is {bound}; the columns differ too much in scale, \
                     standardise them first"
                )));
            }
            let change = bounds.last().map(|last| (bound - last).abs());
            bounds.push(bound);
            run.report(&Progress {
                iteration: bounds.len(),
                limit: Some(self.max_iter),
                objective_name: "lower bound",
                objective: bound,
            })?;
            let stop = match change {
                Some(change) if change < self.tol => StopReason::Converged,
                _ if bounds.len() >= self.max_iter => StopReason::IterationLimit,
                _ => continue,
            };
            return Ok(Ascent {
                posterior,
                components,
                bounds,
                stop,
            });
        }
    }

    /// The mixture whose moments a pass keeps.
    fn plain(&self) -> GaussianMixture {
        GaussianMixture {
            n_components: self.n_components,
            covariance_type: self.covariance_type,
            reg_covar: 0.0,
            ..GaussianMixture::default()
        }
    }

    /// The means whose nearest rows each component starts with.
    fn first_means(&self, sketch: &RowSketch, restart: u64, run: &Run) -> Result<Array2<f64>> {
        let (k, d) = (self.n_components, sketch.n_columns());
        if let Some(means) = &self.means_init {
            if means.len() != k || means.iter().any(|mean| mean.len() != d) {
                return Err(Error::parameter(
                    "means_init",
                    format!("a list of {}", means.len()),
                    format!("give {k} means of {d} values, one for each column"),
                ));
            }
            return Ok(Array2::from_shape_fn((k, d), |(row, column)| {
                means[row][column]
            }));
        }
        if sketch.len() < k {
            let distinct = sketch.len();
            return Err(Error::parameter(
                "n_components",
                k,
                format!("there are only {distinct} distinct rows; ask for at most {distinct}"),
            ));
        }
        let rows = sketch.rows()?.into_dense();
        if self.init_params == VariationalInit::Random {
            let mut order: Vec<usize> = (0..rows.nrows()).collect();
            let mut generator = generator(self.random_state, restart);
            for place in 0..k {
                let other = generator.random_range(place..order.len());
                order.swap(place, other);
            }
            return Ok(rows.select(Axis(0), &order[..k]));
        }
        let weights = sketch.weights();
        let samples = Samples::from(&rows).weighted(&weights)?;
        let clusters = KMeans {
            n_clusters: k,
            random_state: self.random_state.wrapping_add(restart),
            ..KMeans::default()
        };
        let clusters = clusters.fit_with(samples.view(), &run.quietly())?;
        // Sticks are broken from the first component on, so the largest should come first.
        ordered_by_size(&samples, clusters.cluster_centers(), run)
    }
}
