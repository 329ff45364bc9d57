//! Gaussian naive Bayes.

mod model;
mod summary;

pub use model::GaussianNBModel;
pub(crate) use model::log_beta_half;
pub use summary::ClassVariances;

use crate::pieces::learns_from_totals;
use crate::priors::ClassPrior;
use didact_core::{Accepts, Error, Labelled, Result, Run};
use didact_math::linalg::Variances;
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies by a Gaussian for each class and attribute, as if attributes were independent.
///
/// Predicts argmax P(c)·Πⱼ p(xⱼ | c) with p(xⱼ | c) = N(xⱼ; μ_cj, σ²_cj + ε). The mean and
/// variance are those of the rows of the class, or are estimated with a normal-inverse-gamma
/// prior: σ² ~ InvGamma(a, b) and μ ~ N(m, σ²/s). The posterior predictive of an attribute is
/// then a Student t instead of a Gaussian.
///
/// ```
/// use didact_core::{Classify, Fit, Sample};
/// use didact_discriminant::GaussianNB;
/// let iris = didact_datasets::iris();
/// let model = GaussianNB::default().fit(iris.labelled()?)?;
/// let predicted = model.predict(iris.samples())?;
/// let right = predicted.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert_eq!(right, 144);
/// assert_eq!(model.sample(10, 1)?.rows.dim(), (10, 4));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GaussianNB {
    /// The probability of each class in label order; learned from the rows where absent.
    pub priors: Option<Vec<f64>>,
    /// Rows to pretend to have seen of every class when the class probabilities are learned.
    #[schemars(range(min = 0.0))]
    pub class_smoothing: f64,
    /// Added to every variance, as a share of the largest variance of a column.
    #[schemars(range(min = 0.0))]
    pub var_smoothing: f64,
    /// How the mean and variance of an attribute in a class are estimated.
    pub estimate: Estimate,
    /// The mean m of the prior of an attribute's mean.
    pub prior_mean: f64,
    /// How many rows the prior of the mean counts for, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_strength: f64,
    /// The shape a of the inverse gamma prior of an attribute's variance.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_shape: f64,
    /// The scale b of the inverse gamma prior of an attribute's variance.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_scale: f64,
}

/// How the model of an attribute is estimated from its values in a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Estimate {
    /// The mean and variance of the values, without a prior.
    #[default]
    MaximumLikelihood,
    /// The most probable mean and variance under the prior.
    MaximumAPosteriori,
    /// All means and variances as the posterior weighs them: a Student t.
    PosteriorPredictive,
}

impl Default for GaussianNB {
    fn default() -> Self {
        GaussianNB {
            priors: None,
            class_smoothing: 0.0,
            var_smoothing: 1e-9,
            estimate: Estimate::MaximumLikelihood,
            prior_mean: 0.0,
            prior_strength: 1.0,
            prior_shape: 1.0,
            prior_scale: 1.0,
        }
    }
}

/// The model of one attribute in one class.
pub(crate) struct Cell {
    pub(crate) mean: f64,
    /// The variance of a Gaussian or the squared scale of a Student t.
    pub(crate) spread: f64,
}

impl GaussianNB {
    /// The model of an attribute whose values have this weight, mean and centred squares.
    pub(crate) fn cell(&self, weight: f64, mean: f64, squares: f64, epsilon: f64) -> Cell {
        if self.estimate == Estimate::MaximumLikelihood {
            return Cell {
                mean,
                spread: squares / weight + epsilon,
            };
        }
        let strength = self.prior_strength + weight;
        let shift = mean - self.prior_mean;
        let shape = self.prior_shape + 0.5 * weight;
        // b + ½Σ(x−x̄)² + ½·s·n/(s+n)·(x̄−m)²: centred, so that nothing cancels.
        let between = self.prior_strength * (weight / strength) * shift * shift;
        let scale = self.prior_scale + 0.5 * (squares + between);
        let spread = match self.estimate {
            Estimate::PosteriorPredictive => scale * (strength + 1.0) / (shape * strength),
            _ => scale / (shape + 1.5),
        };
        Cell {
            mean: self.prior_mean + shift * (weight / strength),
            spread,
        }
    }

    fn model(&self, summary: ClassVariances) -> Result<GaussianNBModel> {
        let ClassVariances { classes, variances } = summary;
        let d = variances.first().map_or(0, |class| class.mean.len());
        let all = variances
            .iter()
            .cloned()
            .fold(Variances::empty(d), Variances::merge);
        let largest = all.variance().iter().copied().fold(0.0, f64::max);
        // Where nothing varies there is no scale to take a share of.
        let epsilon = match self.estimate {
            Estimate::MaximumLikelihood if largest > 0.0 => self.var_smoothing * largest,
            Estimate::MaximumLikelihood => self.var_smoothing,
            _ => 0.0,
        };
        let class_count: Array1<f64> = variances.iter().map(|class| class.weight).collect();
        let class_prior = self.class_prior().probabilities(&class_count, &classes)?;
        let mut theta = Array2::zeros((classes.len(), d));
        let mut var = Array2::ones((classes.len(), d));
        for (class, found) in variances.iter().enumerate() {
            let unknown = found.weight == 0.0 && self.estimate == Estimate::MaximumLikelihood;
            for j in (0..d).filter(|_| !unknown) {
                let cell = self.cell(found.weight, found.mean[j], found.sum_squares[j], epsilon);
                if !(cell.spread > 0.0 && cell.spread.is_finite()) {
                    return Err(self.no_spread(j, &classes.names()[class].to_string()));
                }
                theta[[class, j]] = cell.mean;
                var[[class, j]] = cell.spread;
            }
        }
        let degrees_of_freedom = (self.estimate == Estimate::PosteriorPredictive)
            .then(|| class_count.mapv(|weight| 2.0 * self.prior_shape + weight));
        Ok(GaussianNBModel {
            classes,
            class_count,
            class_prior,
            theta,
            var,
            epsilon,
            degrees_of_freedom,
        })
    }

    pub(crate) fn no_spread(&self, column: usize, class: &str) -> Error {
        Error::data(format!(
            "column {column} has no finite positive variance in class {class}; \
             set var_smoothing above {} or leave the column out",
            self.var_smoothing
        ))
    }

    fn class_prior(&self) -> ClassPrior<'_> {
        ClassPrior {
            parameter: "priors",
            given: self.priors.as_deref(),
            uniform: false,
            smoothing: self.class_smoothing,
            needs_rows: self.estimate == Estimate::MaximumLikelihood,
        }
    }

    fn totals(&self, data: &Labelled<'_>, run: &Run) -> Result<ClassVariances> {
        ClassVariances::new(data, run)
    }

    /// What a model remembers of its rows.
    fn recall(&self, model: &GaussianNBModel) -> Option<ClassVariances> {
        // With a prior, mean and variance are no longer those of the rows alone.
        if self.estimate != Estimate::MaximumLikelihood {
            return None;
        }
        let class = |class: usize| {
            let weight = model.class_count[class];
            let squares = |var: &f64| weight * (var - model.epsilon).max(0.0);
            Variances {
                weight,
                mean: model.theta.row(class).to_owned(),
                sum_squares: model.var.row(class).iter().map(squares).collect(),
            }
        };
        Some(ClassVariances {
            classes: model.classes.clone(),
            variances: (0..model.classes.len()).map(class).collect(),
        })
    }
}

learns_from_totals!(GaussianNB, ClassVariances => GaussianNBModel {
    accepts: Accepts::WEIGHTS,
    check: |_, totals| totals.check(),
    recall: GaussianNB::recall,
});
