//! A variational Gaussian mixture, fitted.

use super::posterior::Posterior;
use super::sticks::Sticks;
use crate::Covariances;
use crate::gaussian::{Components, GaussianMixtureModel, covariance_value, factor_value};
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Assign, Attribute, Drawn, Features, Figure, LogDensity, Model, Probabilities,
    Result, Rows, Sample, Shape, StopReason, Trace, Value,
};
use ndarray::{Array1, Array2, ArrayView2};
use serde::{Deserialize, Serialize};

/// The posterior of a Gaussian mixture.
///
/// Responsibilities are those of the iterations. `score_samples` gives
/// ln Σₖ exp(E ln πₖ + E ln N(x; μₖ, Λₖ⁻¹)), a lower bound of the log-density of a new row; rows are
/// drawn from the mixture of the expected weights, means and precisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesianGaussianMixtureModel {
    /// The mixture of the expected parameters, with the constants of the iterations.
    mixture: GaussianMixtureModel,
    posterior: Posterior,
    trace: Trace,
}

impl BayesianGaussianMixtureModel {
    pub(super) fn new(components: Components, posterior: Posterior, trace: Trace) -> Self {
        BayesianGaussianMixtureModel {
            mixture: GaussianMixtureModel::of_components(components),
            posterior,
            trace,
        }
    }

    /// The expected weights.
    pub fn weights(&self) -> &[f64] {
        self.mixture.weights()
    }

    /// The expected means, one per row.
    pub fn means(&self) -> ArrayView2<'_, f64> {
        self.mixture.means()
    }

    /// The inverses of the expected precisions.
    pub fn covariances(&self) -> &Covariances {
        self.mixture.covariances()
    }

    /// How many rows each mean counts for, βₖ.
    pub fn mean_precisions(&self) -> &[f64] {
        &self.posterior.mean_precisions
    }

    /// The degrees of freedom of each precision, νₖ.
    pub fn degrees_of_freedom(&self) -> &[f64] {
        &self.posterior.degrees_of_freedom
    }

    /// The lower bound of the log-evidence, up to what the prior alone decides.
    pub fn lower_bound(&self) -> f64 {
        self.trace.objectives.last().copied().unwrap_or(f64::NAN)
    }

    /// The lower bound after each iteration.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

impl Features for BayesianGaussianMixtureModel {
    fn n_features(&self) -> usize {
        self.mixture.n_features()
    }
}

impl Assign for BayesianGaussianMixtureModel {
    fn assign(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        self.mixture.assign(rows)
    }
}

impl Probabilities for BayesianGaussianMixtureModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.mixture.probabilities(rows)
    }
}

impl LogDensity for BayesianGaussianMixtureModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        self.mixture.log_density(rows)
    }
}

impl Sample for BayesianGaussianMixtureModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        self.mixture.draw(n_rows, generator)
    }
}

impl Model for BayesianGaussianMixtureModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .assign()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "weights",
            meaning: "The expected share of each component.",
            get: |model| Value::from(model.weights()),
        },
        Attribute {
            name: "means",
            meaning: "The expected mean of each component, one per row.",
            get: |model| Value::from(model.means().to_owned()),
        },
        Attribute {
            name: "covariances",
            meaning: "The inverses of the expected precisions, in the shape of their type.",
            get: |model| covariance_value(model.covariances()),
        },
        Attribute {
            name: "precisions_cholesky",
            meaning: "Factors U of the expected precisions U·Uᵀ, in the shape of their type.",
            get: |model| factor_value(model.mixture.components()),
        },
        Attribute {
            name: "weight_concentration",
            meaning: "The law of the weights: of each component its concentration, or the two \
                      parameters of its stick.",
            get: |model| match &model.posterior.sticks {
                Sticks::Dirichlet(list) => Value::from(list.as_slice()),
                Sticks::Process(list) => Value::from(Array2::from_shape_fn(
                    (2, list.len()),
                    |(row, k)| match row {
                        0 => list[k].0,
                        _ => list[k].1,
                    },
                )),
            },
        },
        Attribute {
            name: "mean_precision",
            meaning: "How many rows each mean counts for.",
            get: |model| Value::from(model.mean_precisions()),
        },
        Attribute {
            name: "degrees_of_freedom",
            meaning: "The degrees of freedom of the law of each precision.",
            get: |model| Value::from(model.degrees_of_freedom()),
        },
        Attribute {
            name: "converged",
            meaning: "Whether the best start converged before the iteration limit.",
            get: |model| Value::from(model.trace.stop == StopReason::Converged),
        },
        Attribute {
            name: "n_iter",
            meaning: "Iterations of the best start.",
            get: |model| Value::from(model.trace.n_iter()),
        },
        Attribute {
            name: "lower_bound",
            meaning: "The lower bound of the log-evidence, up to what the prior alone decides.",
            get: |model| Value::from(model.lower_bound()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "components",
        meaning: "The ellipsoids of the components that have a share of the rows.",
        get: |model| {
            let (k, d) = model.means().dim();
            // Empty components would hide the others behind the ellipsoid of their prior.
            let used: Vec<usize> = (0..k).filter(|&c| model.weights()[c] >= 0.01).collect();
            let matrix = |&component: &usize| model.covariances().matrix(component, d);
            Some(Shape::Ellipsoids {
                centers: model.means().select(ndarray::Axis(0), &used),
                covariances: used.iter().map(matrix).collect(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.mixture.validate()?;
        ensure_consistent(
            self.posterior.is_consistent(self.means().dim()) && self.trace.n_iter() > 0,
        )
    }
}
