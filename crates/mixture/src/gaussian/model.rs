//! A Gaussian mixture, fitted or put together.

use super::GaussianMixture;
use super::components::{Components, Covariances, Whitening};
use super::gaps::{View, by_gaps};
use crate::joint::{Joint, joint_model, pick};
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Accepts, Attribute, Drawn, Error, Features, Figure, LogDensity, Model, Result, Rows,
    Run, Sample, Samples, Shape, StopReason, Trace, Value, parallel,
};
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, s};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

/// The density p(x) = Σₖ πₖ N(x; μₖ, Σₖ).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaussianMixtureModel {
    components: Components,
    /// Components that only the floor of the variances keeps from collapsing.
    collapsed: Vec<usize>,
    fixed_weights: bool,
    trace: Option<Trace>,
    /// How often the best start began a component anew.
    #[serde(default)]
    n_reseeds: usize,
}

impl GaussianMixtureModel {
    /// A mixture with the given parameters; the weights are scaled to sum to one.
    ///
    /// ```
    /// use didact_core::LogDensity;
    /// use didact_mixture::{Covariances, GaussianMixtureModel};
    /// use ndarray::array;
    /// let variances = Covariances::Spherical(vec![1.0, 1.0]);
    /// let model = GaussianMixtureModel::new(vec![1.0, 3.0], array![[0.0], [5.0]], variances)?;
    /// assert!(model.score_samples(&array![[5.0]])?[0] > model.score_samples(&array![[0.0]])?[0]);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn new(weights: Vec<f64>, means: Array2<f64>, covariances: Covariances) -> Result<Self> {
        let total: f64 = weights.iter().sum();
        let legal = weights.iter().all(|&weight| weight >= 0.0) && total > 0.0 && total.is_finite();
        if !legal || weights.len() != means.nrows() || means.ncols() == 0 {
            return Err(Error::parameter(
                "weights",
                format!("{weights:?}"),
                "give one weight per mean, none negative and not all zero",
            ));
        }
        if !covariances.fits(means.nrows(), means.ncols()) {
            return Err(Error::parameter(
                "covariances",
                "of another shape",
                "give a covariance with a row for every column to every component",
            ));
        }
        let weights = weights.iter().map(|weight| weight / total).collect();
        let means = means.as_standard_layout().into_owned();
        let components = Components::new(weights, means, covariances, 0.0)?;
        Ok(GaussianMixtureModel::of_components(components))
    }

    pub(super) fn into_components(self) -> Components {
        self.components
    }

    pub(super) fn fitted(
        components: Components,
        trace: Trace,
        n_reseeds: usize,
        parameters: &GaussianMixture,
    ) -> Self {
        GaussianMixtureModel {
            collapsed: components.collapsed(parameters.reg_covar),
            components,
            fixed_weights: parameters.fixed_weights,
            trace: Some(trace),
            n_reseeds,
        }
    }

    /// The weights πₖ.
    pub fn weights(&self) -> &[f64] {
        &self.components.weights
    }

    /// The means μₖ, one per row.
    pub fn means(&self) -> ArrayView2<'_, f64> {
        self.components.means.view()
    }

    /// The covariances Σₖ.
    pub fn covariances(&self) -> &Covariances {
        &self.components.covariances
    }

    /// The components that only the floor of the variances keeps from collapsing.
    pub fn collapsed(&self) -> &[usize] {
        &self.collapsed
    }

    /// How often the best start began a component anew that collapsed or lost its rows.
    pub fn n_reseeds(&self) -> usize {
        self.n_reseeds
    }

    pub(crate) fn of_components(components: Components) -> Self {
        GaussianMixtureModel {
            components,
            collapsed: Vec::new(),
            fixed_weights: false,
            trace: None,
            n_reseeds: 0,
        }
    }

    pub(crate) fn components(&self) -> &Components {
        &self.components
    }

    /// The mean log-likelihood of a training row; absent for a model that was put together.
    pub fn lower_bound(&self) -> Option<f64> {
        self.trace.as_ref()?.objectives.last().copied()
    }

    /// The log-likelihood of the training rows at the start and after each iteration.
    pub fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    /// Number of free parameters: means, covariances, and all weights but one unless they are
    /// fixed.
    pub fn n_parameters(&self) -> usize {
        let (k, d) = self.components.means.dim();
        let weights = if self.fixed_weights { 0 } else { k - 1 };
        k * d + self.components.covariances.n_parameters(k, d) + weights
    }

    /// Bayesian information criterion −2 ln L + p ln n, lower is better.
    pub fn bic<'a>(&self, data: impl Into<Samples<'a>>) -> Result<f64> {
        let data = data.into();
        let penalty = self.n_parameters() as f64 * data.total_weight().ln();
        Ok(-2.0 * self.log_likelihood(&data)? + penalty)
    }

    /// The same on the scale of the log-likelihood, ln L − ½ p ln n, larger is better.
    pub fn bic_score<'a>(&self, data: impl Into<Samples<'a>>) -> Result<f64> {
        Ok(-0.5 * self.bic(data)?)
    }

    /// Akaike information criterion −2 ln L + 2p, lower is better.
    pub fn aic<'a>(&self, data: impl Into<Samples<'a>>) -> Result<f64> {
        Ok(-2.0 * self.log_likelihood(&data.into())? + 2.0 * self.n_parameters() as f64)
    }

    /// Σ w·ln p(x).
    fn log_likelihood(&self, data: &Samples<'_>) -> Result<f64> {
        let densities = self.score_samples(data.rows())?;
        Ok((0..data.n_rows())
            .map(|row| data.weight(row) * densities[row])
            .sum())
    }
}

impl Joint for GaussianMixtureModel {
    fn n_components(&self) -> usize {
        self.components.n_components()
    }

    /// Hands ln πₖ N(x; μₖ, Σₖ) of every row to `finish`, which leaves `width` values. A row with
    /// gaps has the densities of the values that are there.
    fn per_row(
        &self,
        rows: Rows<'_>,
        width: usize,
        finish: impl Fn(&mut [f64], &mut [f64]) + Sync + Send,
    ) -> Result<Vec<f64>> {
        let rows = rows.dense()?;
        let (k, d) = self.components.means.dim();
        let mut output = vec![0.0; rows.nrows() * width];
        let chunk = ((1 << 19) / (k * d * d)).clamp(16, 2048);
        parallel::fill(&mut output, width, chunk, &Run::new(), |range, piece| {
            let mut scores = vec![0.0; k];
            let rows = rows.slice(s![range, ..]);
            let mut gapped = Vec::new();
            for (row, output) in piece.chunks_exact_mut(width).enumerate() {
                if rows.row(row).iter().any(|value| value.is_nan()) {
                    gapped.push(row);
                    continue;
                }
                self.components
                    .joint_log_densities(rows.row(row), &mut scores);
                finish(&mut scores, output);
            }
            for members in by_gaps(rows, &gapped) {
                let view = View::of(&self.components, rows.row(members[0]))?;
                for row in members {
                    view.joint_log_densities(rows.row(row), &mut scores);
                    finish(&mut scores, &mut piece[row * width..(row + 1) * width]);
                }
            }
            Ok(())
        })?;
        Ok(output)
    }
}

impl Features for GaussianMixtureModel {
    fn n_features(&self) -> usize {
        self.components.n_features()
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

joint_model!(GaussianMixtureModel, density);

impl Sample for GaussianMixtureModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let (k, d) = self.components.means.dim();
        let covariances = &self.components.covariances;
        let factors = (0..k).map(|component| {
            let matrix = covariances.matrix(component, d);
            Ok(Cholesky::with_jitter(matrix.view())?.0.lower().to_owned())
        });
        let factors: Vec<Array2<f64>> = factors.collect::<Result<_>>()?;
        let mut rows = Array2::zeros((n_rows, d));
        let mut labels = Vec::with_capacity(n_rows);
        for mut row in rows.rows_mut() {
            let label = pick(&self.components.weights, generator.random());
            let noise: Array1<f64> = (0..d).map(|_| StandardNormal.sample(generator)).collect();
            row.assign(&self.components.means.row(label));
            row += &factors[label].dot(&noise);
            labels.push(label);
        }
        Ok(Drawn { rows, labels })
    }
}

impl Model for GaussianMixtureModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .assign()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "weights",
            meaning: "The share of each component.",
            get: |model| Value::from(model.weights()),
        },
        Attribute {
            name: "means",
            meaning: "The mean of each component, one per row.",
            get: |model| Value::from(&model.components.means),
        },
        Attribute {
            name: "covariances",
            meaning: "The covariances, in the shape of their type.",
            get: |model| covariance_value(&model.components.covariances),
        },
        Attribute {
            name: "precisions_cholesky",
            meaning: "Factors U of the inverse covariances U·Uᵀ, in the shape of their type.",
            get: |model| factor_value(&model.components),
        },
        Attribute {
            name: "converged",
            meaning: "Whether the best start converged before the iteration limit.",
            get: |model| {
                let converged = |trace: &Trace| trace.stop == StopReason::Converged;
                Value::from(model.trace.as_ref().map(converged))
            },
        },
        Attribute {
            name: "n_iter",
            meaning: "Iterations of the best start.",
            get: |model| Value::from(model.trace.as_ref().map(|trace| trace.n_iter() - 1)),
        },
        Attribute {
            name: "lower_bound",
            meaning: "The mean log-likelihood of a training row.",
            get: |model| Value::from(model.lower_bound()),
        },
        Attribute {
            name: "n_parameters",
            meaning: "Number of free parameters, as information criteria count them.",
            get: |model| Value::from(model.n_parameters()),
        },
        Attribute {
            name: "collapsed",
            meaning: "The components that only the floor reg_covar keeps from collapsing.",
            get: |model| Value::from(model.collapsed()),
        },
        Attribute {
            name: "n_reseeds",
            meaning: "How often the best start began a component anew.",
            get: |model| Value::from(model.n_reseeds),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "components",
        meaning: "The ellipsoids of the components.",
        get: |model| {
            let (k, d) = model.components.means.dim();
            let covariances = &model.components.covariances;
            Some(Shape::Ellipsoids {
                centers: model.components.means.clone(),
                covariances: (0..k)
                    .map(|component| covariances.matrix(component, d))
                    .collect(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            self.components.is_consistent()
                && self
                    .collapsed
                    .iter()
                    .all(|&component| component < self.components.n_components())
                && self.trace.as_ref().is_none_or(|trace| trace.n_iter() > 0),
        )
    }
}

pub(crate) fn covariance_value(covariances: &Covariances) -> Value<'_> {
    match covariances {
        Covariances::Full(matrices) => Value::from(stacked(matrices.iter())),
        Covariances::Tied(matrix) => Value::from(matrix),
        Covariances::Diag(variances) => Value::from(variances),
        Covariances::Spherical(variances) => Value::from(variances.as_slice()),
    }
}

pub(crate) fn factor_value(components: &Components) -> Value<'_> {
    match (&components.whitening, &components.covariances) {
        (Whitening::Dense(factors), Covariances::Tied(_)) => Value::from(factors[0].t().to_owned()),
        (Whitening::Dense(factors), _) => {
            let transposed: Vec<_> = factors.iter().map(|factor| factor.t().to_owned()).collect();
            Value::from(stacked(transposed.iter()))
        }
        (Whitening::Diagonal(scales), Covariances::Spherical(_)) => {
            Value::from(scales.index_axis(Axis(1), 0).to_owned())
        }
        (Whitening::Diagonal(scales), _) => Value::from(scales),
    }
}

fn stacked<'a>(matrices: impl ExactSizeIterator<Item = &'a Array2<f64>> + Clone) -> Array3<f64> {
    let (d, k) = (
        matrices.clone().next().map_or(0, Array2::nrows),
        matrices.len(),
    );
    let mut all = Array3::zeros((k, d, d));
    for (mut place, matrix) in all.outer_iter_mut().zip(matrices) {
        place.assign(matrix);
    }
    all
}
