//! The maximum-margin Dirichlet process mixture: clusters as directions, learned by a classifier
//! from the clusters that a sampler draws.

mod directions;
mod model;
mod sampler;

pub use model::MarginDirichletMixtureModel;

use crate::ConcentrationPosterior;
use didact_core::random::generator;
use didact_core::{Error, Fit, Result, Run, Samples, StopReason, TraceWriter};
use model::Sample;
use ndarray::Axis;
use sampler::Sampler;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Groups the rows by their direction from the mean, without being told how many groups there are.
///
/// A cluster is a vector θ; a centred row x has the weight exp(x·θ − λ‖θ‖²) in it. In a sweep every
/// row leaves its cluster and joins cluster k with probability ∝ n_k·exp(x·θ_k − λ‖θ_k‖²), or a new
/// one, whose vector is orthogonal to all others, with α in the place of n_k. Then a
/// passive-aggressive step takes the drawn cluster for the truth: where another one has the greater
/// x·θ, the two vectors move along x until the drawn one wins. With λ = ½ the weights are those of
/// unit normal laws at θ, so columns should be scaled to about that within a cluster. Clusters that lie at the mean, or in one direction from it, are not told apart.
/// The best-scoring sample is the model.
///
/// ```
/// use didact_core::{Fit, Samples};
/// use didact_mixture::MarginDirichletMixture;
/// use ndarray::Array2;
/// let x = Array2::from_shape_fn((40, 2), |(row, column)| {
///     let side = if row % 2 == 0 { 5.0 } else { -5.0 };
///     side * [1.0, 0.5][column] + ((row * 2 + column) as f64).sin()
/// });
/// let model = MarginDirichletMixture::default().fit(Samples::from(&x))?;
/// assert_eq!(model.n_components(), 2);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MarginDirichletMixture {
    /// The concentration α, or where it starts if it is drawn too: larger gives more clusters.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub weight_concentration_prior: f64,
    /// Whether α is drawn anew after every sweep, given the number of clusters.
    pub resample_concentration: bool,
    /// The longest passive-aggressive step.
    #[serde(rename = "C")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub c: f64,
    /// The price λ of long vectors; small merges clusters, large splits them.
    #[schemars(range(min = 0.0))]
    pub norm_penalty: f64,
    /// How the vectors follow the drawn clusters.
    pub update: MarginUpdate,
    /// How many clusters the rows are spread over at random at the start.
    #[schemars(range(min = 1))]
    pub n_start: usize,
    /// How many sweeps over the rows.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

/// How the vectors of a margin mixture follow the drawn clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MarginUpdate {
    /// Only where another cluster wins, by (1 − margin)/‖x‖², which goes twice as far as needed.
    /// The scores then part, and clusters form.
    #[default]
    Decisive,
    /// Wherever the margin to the runner-up is below one, by (1 − margin)/(2‖x‖²), to a margin of
    /// exactly one. Scores stay close together, and clusters hardly form.
    Exact,
}

impl Default for MarginDirichletMixture {
    fn default() -> Self {
        MarginDirichletMixture {
            weight_concentration_prior: 1.0,
            resample_concentration: true,
            c: 1.0,
            norm_penalty: 0.5,
            update: MarginUpdate::Decisive,
            n_start: 1,
            max_iter: 100,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for MarginDirichletMixture {
    type Model = MarginDirichletMixtureModel;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<MarginDirichletMixtureModel> {
        let rows = data.dense()?;
        let mean = rows.mean_axis(Axis(0)).expect("there is a row");
        let centred = (&rows - &mean).as_standard_layout().into_owned();
        let mut random = generator(self.random_state, 0);
        let mut trace = TraceWriter::new(run, "log-score", Some(self.max_iter));
        let mut sampler = Sampler::new(self, centred.view(), &mut random);
        let (mut counts, mut concentrations) = (Vec::new(), Vec::new());
        let mut best: Option<(f64, Sample)> = None;
        for _ in 0..self.max_iter {
            sampler.sweep(&mut random, run)?;
            if self.resample_concentration {
                let posterior = ConcentrationPosterior::new(sampler.sizes.len(), rows.nrows())?;
                sampler.concentration = posterior.draw(&mut random)?;
            }
            let score = sampler.log_score()?;
            if !score.is_finite() {
                return Err(Error::numerical(format!(
                    "the log-score is {score}; the values are too large, standardise the columns"
                )));
            }
            trace.record(score)?;
            counts.push(sampler.sizes.len());
            concentrations.push(sampler.concentration);
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, sampler.sample()));
            }
        }
        let (_, best) = best.expect("there is at least one sweep");
        // Sampling ends by its number of sweeps; there is no convergence to test.
        let trace = trace.finish(StopReason::IterationLimit);
        Ok(MarginDirichletMixtureModel::new(
            mean,
            best,
            sampler.sample(),
            counts,
            concentrations,
            trace,
        ))
    }
}
