//! Gaussian mixtures by expectation–maximisation.
//!
//! `components` holds what a mixture is, `statistics` what a pass over the rows finds out
//! (responsibilities and weighted moments in one go), `block` the arithmetic of a few rows, `gaps`
//! that of rows with missing values, `start` where the iterations begin, `reseed` where a lost
//! component begins anew, and `pieces` the same alternation over rows that come in pieces.

mod block;
mod components;
mod conditional;
mod gaps;
mod impute;
mod model;
mod observed;
mod pieces;
mod reseed;
mod start;
mod statistics;

pub use components::Covariances;
pub use conditional::ConditionalMixture;
pub use model::GaussianMixtureModel;
pub use pieces::{GaussianMixtureState, GaussianMixtureSummary};
pub use start::PrecisionsInit;

pub(crate) use components::Components;
pub(crate) use model::{covariance_value, factor_value};
pub(crate) use reseed::Proposal;
pub(crate) use start::ordered_by_size;
pub(crate) use statistics::Statistics;

use didact_cluster::RowSketch;
use didact_core::{Accepts, Error, Fit, Progress, Result, Run, Samples, StopReason, Trace};
use ndarray::Array1;
use observed::ObservedColumns;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many distinct rows the start is found from.
const SKETCH: usize = 8192;

/// Describes the rows as draws from a few normal distributions.
///
/// Maximises the log-likelihood Σᵢ ln Σₖ πₖ N(xᵢ; μₖ, Σₖ) by expectation–maximisation. The E-step
/// finds the responsibilities rᵢₖ = πₖ N(xᵢ; μₖ, Σₖ) / Σⱼ πⱼ N(xᵢ; μⱼ, Σⱼ); the M-step sets
/// μₖ = Σᵢ rᵢₖ xᵢ / Nₖ, Σₖ = Σᵢ rᵢₖ (xᵢ−μₖ)(xᵢ−μₖ)ᵀ / Nₖ around the new mean, and πₖ = Nₖ / n with
/// Nₖ = Σᵢ rᵢₖ. The likelihood never falls. It has no upper bound: a component that sits on one
/// row with no variance makes it infinite, so `reg_covar` is added to every variance; with zero
/// the maximum is exact, and a component that collapses is an error. With `max_reseeds` above zero
/// such a component begins anew elsewhere; only there may the likelihood fall.
///
/// Values may be missing (NaN): a row then counts by the values that it has, and the moments of its
/// gaps are those that each component expects from them, so the likelihood of what was observed
/// never falls. That is right where a value's being missing does not depend on the value.
///
/// ```
/// use didact_core::{Assign, Fit, LogDensity};
/// use didact_mixture::GaussianMixture;
/// let iris = didact_datasets::iris();
/// let model = GaussianMixture { n_components: 3, ..GaussianMixture::default() }.fit(iris.samples())?;
/// let labels = model.predict(iris.samples())?;
/// assert!(labels[..50].iter().all(|label| *label == labels[0]));
/// assert!(model.score_samples(iris.samples())?.sum() > -190.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianMixture {
    /// How many components the mixture has.
    #[schemars(range(min = 1))]
    pub n_components: usize,
    /// What the covariances of the components look like.
    pub covariance_type: CovarianceType,
    /// Stop when the mean log-likelihood of a row changes by less than this.
    #[schemars(range(min = 0.0))]
    pub tol: f64,
    /// Added to every variance, so that no component can collapse onto a few rows.
    #[schemars(range(min = 0.0))]
    pub reg_covar: f64,
    /// Most iterations of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// How many starts to try; the one with the highest likelihood wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// How the first components are chosen.
    pub init_params: MixtureInit,
    /// The first weights, one per component; they are scaled to sum to one.
    pub weights_init: Option<Vec<f64>>,
    /// The first means, one list per component. Where weights and covariances are not given too, the
    /// first ones are those of all rows or of the rows nearest to each mean, whichever leads higher.
    pub means_init: Option<Vec<Vec<f64>>>,
    /// The first inverse covariances, in the shape that `covariance_type` has.
    pub precisions_init: Option<PrecisionsInit>,
    /// Whether the weights stay as they are at the start, equal unless they are given.
    pub fixed_weights: bool,
    /// How often a start may begin a component anew that collapsed or lost its rows: at the row
    /// that is explained worst, with the variances of all rows.
    pub max_reseeds: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

/// What the covariances of the components look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CovarianceType {
    /// Every component has an ellipsoid of its own.
    #[default]
    Full,
    /// All components share one ellipsoid.
    Tied,
    /// Every component has an ellipsoid whose axes are those of the columns.
    Diag,
    /// Every component has a sphere.
    Spherical,
}

/// How the first components are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MixtureInit {
    /// Means from k-means, equal weights, and the variances of all rows for every component.
    #[default]
    KMeans,
    /// Means, sizes and covariances of the clusters that k-means finds.
    KMeansClusters,
    /// Distinct rows as means, equal weights, and the variances of all rows.
    Random,
}

impl Default for GaussianMixture {
    fn default() -> Self {
        GaussianMixture {
            n_components: 1,
            covariance_type: CovarianceType::Full,
            tol: 1e-3,
            reg_covar: 1e-6,
            max_iter: 100,
            n_init: 1,
            init_params: MixtureInit::KMeans,
            weights_init: None,
            means_init: None,
            precisions_init: None,
            fixed_weights: false,
            max_reseeds: 0,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for GaussianMixture {
    type Model = GaussianMixtureModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MISSING);

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<GaussianMixtureModel> {
        let rows = data.dense()?;
        let sketch = RowSketch::of(&data, SKETCH, self.random_state, run)?;
        let columns = ObservedColumns::summarise(&data, run)?;
        let mut climbs: Vec<Climb> = Vec::new();
        for mut climb in self.starts(&sketch, &columns, run)? {
            while climb.stop.is_none() {
                let statistics = Statistics::of(&climb.components, rows, data.weights(), run)?;
                self.advance(&mut climb, statistics, run)?;
            }
            climbs.push(climb);
        }
        Ok(self.finish(pieces::highest(climbs)))
    }
}

/// One start on its way up.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Climb {
    components: Components,
    /// The mean log-likelihood of the start and after each iteration.
    objectives: Vec<f64>,
    stop: Option<StopReason>,
    /// The variances of all rows.
    common: Array1<f64>,
    /// How often a component began anew.
    n_reseeds: usize,
}

impl Climb {
    fn new(components: Components, common: Array1<f64>) -> Self {
        Climb {
            components,
            objectives: Vec::new(),
            stop: None,
            common,
            n_reseeds: 0,
        }
    }

    fn objective(&self) -> f64 {
        self.objectives.last().copied().unwrap_or(f64::NEG_INFINITY)
    }
}

impl GaussianMixture {
    /// Uses what a pass found out: ends the climb, or makes the next components.
    fn advance(&self, climb: &mut Climb, statistics: Statistics, run: &Run) -> Result<()> {
        let objective = statistics.mean_log_likelihood();
        if !objective.is_finite() {
            return Err(Error::numerical(format!(
                "the log-likelihood is {objective}; the columns differ too much in scale, \
                 standardise them first"
            )));
        }
        let change = objective - climb.objective();
        climb.objectives.push(objective);
        let n_iter = climb.objectives.len() - 1;
        run.report(&Progress {
            iteration: n_iter,
            limit: Some(self.max_iter),
            objective_name: "mean log-likelihood",
            objective,
        })?;
        if n_iter > 0 && change.abs() <= self.tol {
            climb.stop = Some(StopReason::Converged);
        } else if n_iter >= self.max_iter {
            climb.stop = Some(StopReason::IterationLimit);
        } else {
            let mut proposal = statistics.maximise(&climb.components, self);
            if climb.n_reseeds < self.max_reseeds && self.reseed(&mut proposal, &climb.common) {
                climb.n_reseeds += 1;
            }
            climb.components = proposal.complete(self.reg_covar)?;
        }
        Ok(())
    }

    fn finish(&self, climb: Climb) -> GaussianMixtureModel {
        let trace = Trace {
            objective_name: "mean log-likelihood".to_owned(),
            objectives: climb.objectives,
            stop: climb.stop.unwrap_or(StopReason::IterationLimit),
        };
        GaussianMixtureModel::fitted(climb.components, trace, climb.n_reseeds, self)
    }
}
