//! Naive Bayes with a law of its own for each column.

mod attribute;
mod kinds;
mod model;
mod summary;

pub use kinds::AttributeKinds;
pub use model::MixedNBModel;
pub use summary::MixedTotals;

use crate::Estimate;
use crate::categorical_nb::Shares;
use crate::gaussian_nb::GaussianNB;
use crate::pieces::learns_from_totals;
use crate::priors::ClassPrior;
use attribute::AttributeModel;
use didact_core::{Accepts, Error, Labelled, Result, Run};
use ndarray::Array1;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Classifies by a law for each class and column, as if columns were independent.
///
/// Every column is Gaussian, Poisson (counts), Bernoulli (0 or 1) or categorical (0, 1, 2, …), as
/// `kinds` says. Its parameters are those of highest likelihood, or of highest posterior density
/// under a conjugate prior, or the prior and the rows together give a predictive law: a Student t,
/// a negative binomial, and shares with the pseudo-counts added.
///
/// ```
/// use didact_core::{Classify, Fit, Labelled, Labels};
/// use didact_discriminant::{AttributeKind, MixedNB};
/// let x = ndarray::array![[1.1, 3.0], [0.9, 2.0], [5.2, 2.0], [4.8, 9.0]];
/// let labels = Labels::from_names(["a", "a", "b", "b"]);
/// let kinds = vec![AttributeKind::Gaussian, AttributeKind::Poisson];
/// let model = MixedNB { kinds: kinds.into(), ..MixedNB::default() }.fit(Labelled::new(&x, &labels)?)?;
/// assert_eq!(model.predict(&ndarray::array![[1.0, 2.0], [5.0, 7.0]])?, [0, 1]);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MixedNB {
    /// The law of each column, or one for all of them.
    pub kinds: AttributeKinds,
    /// How the parameters of a column in a class are estimated.
    pub estimate: Estimate,
    /// The probability of each class in label order; learned from the rows where absent.
    pub priors: Option<Vec<f64>>,
    /// Rows to pretend to have seen of every class when the class probabilities are learned.
    #[schemars(range(min = 0.0))]
    pub class_smoothing: f64,
    /// Added to the variances of maximum likelihood, as a share of the largest variance.
    #[schemars(range(min = 0.0))]
    pub var_smoothing: f64,
    /// The parameter α of the Beta and Dirichlet priors of Bernoulli and categorical columns.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: f64,
    /// The shape a of the gamma prior of the rate of Poisson columns.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rate_shape: f64,
    /// How many rows the gamma prior of the rate counts for, b: its mean is a/b.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub rate_strength: f64,
    /// The mean m of the prior of the mean of Gaussian columns.
    pub prior_mean: f64,
    /// How many rows the prior of the mean counts for, s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_strength: f64,
    /// The shape of the inverse gamma prior of the variance of Gaussian columns.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_shape: f64,
    /// The scale of the inverse gamma prior of the variance of Gaussian columns.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_scale: f64,
}

/// The law of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttributeKind {
    /// Real numbers.
    #[default]
    Gaussian,
    /// Counts 0, 1, 2, …
    Poisson,
    /// 0 or 1.
    Bernoulli,
    /// One of a few values, coded 0, 1, 2, …
    Categorical,
}

impl AttributeKind {
    fn word(self) -> &'static str {
        match self {
            AttributeKind::Gaussian => "gaussian",
            AttributeKind::Poisson => "poisson",
            AttributeKind::Bernoulli => "bernoulli",
            AttributeKind::Categorical => "categorical",
        }
    }

    /// Fails where a column of this kind cannot have the value.
    fn check(self, row: usize, column: usize, value: f64) -> Result<()> {
        let requirement = match self {
            AttributeKind::Gaussian => return Ok(()),
            AttributeKind::Categorical => {
                return crate::categories::category(row, column, value).map(|_| ());
            }
            AttributeKind::Poisson if value >= 0.0 && value.fract() == 0.0 => return Ok(()),
            AttributeKind::Poisson => "a Poisson column holds whole numbers from 0 on",
            AttributeKind::Bernoulli if value == 0.0 || value == 1.0 => return Ok(()),
            AttributeKind::Bernoulli => "a Bernoulli column holds 0 and 1 only",
        };
        Err(Error::data(format!(
            "row {row}, column {column} is {value}; {requirement}, so give it another of kinds"
        )))
    }
}

impl Default for MixedNB {
    fn default() -> Self {
        MixedNB {
            kinds: AttributeKinds::All(AttributeKind::Gaussian),
            estimate: Estimate::MaximumLikelihood,
            priors: None,
            class_smoothing: 0.0,
            var_smoothing: 1e-9,
            alpha: 1.0,
            rate_shape: 1.0,
            rate_strength: 1.0,
            prior_mean: 0.0,
            prior_strength: 1.0,
            prior_shape: 1.0,
            prior_scale: 1.0,
        }
    }
}

impl MixedNB {
    /// The method of Gaussian columns.
    fn gaussian(&self) -> GaussianNB {
        GaussianNB {
            priors: None,
            class_smoothing: 0.0,
            var_smoothing: self.var_smoothing,
            estimate: self.estimate,
            prior_mean: self.prior_mean,
            prior_strength: self.prior_strength,
            prior_shape: self.prior_shape,
            prior_scale: self.prior_scale,
        }
    }

    /// What is added to each count of a Bernoulli or categorical column.
    fn pseudo_count(&self) -> f64 {
        match self.estimate {
            Estimate::MaximumLikelihood => 0.0,
            Estimate::MaximumAPosteriori => self.alpha - 1.0,
            Estimate::PosteriorPredictive => self.alpha,
        }
    }

    fn model(&self, totals: MixedTotals) -> Result<MixedNBModel> {
        let class_count = totals.class_count();
        let classes = totals.variances.classes.clone();
        let prior = ClassPrior {
            parameter: "priors",
            given: self.priors.as_deref(),
            uniform: false,
            smoothing: self.class_smoothing,
            needs_rows: self.estimate == Estimate::MaximumLikelihood,
        };
        let class_prior = prior.probabilities(&class_count, &classes)?;
        let kinds = self.kinds.of(totals.n_columns())?;
        let epsilon = self.epsilon(&totals, &kinds);
        let mut categorical = totals.categories.counts.iter();
        let mut attributes = Vec::with_capacity(kinds.len());
        for (column, kind) in kinds.iter().enumerate() {
            attributes.push(match kind {
                AttributeKind::Gaussian => self.gaussian_column(&totals, column, epsilon)?,
                AttributeKind::Poisson => self.poisson_column(&totals, column),
                AttributeKind::Bernoulli => self.bernoulli_column(&totals, column),
                AttributeKind::Categorical => {
                    let counts = categorical.next().expect("one table per such column");
                    AttributeModel::Categorical(Shares::new(counts, 1, self.pseudo_count()))
                }
            });
        }
        Ok(MixedNBModel {
            totals,
            class_prior,
            attributes,
        })
    }

    fn epsilon(&self, totals: &MixedTotals, kinds: &[AttributeKind]) -> f64 {
        let variance = totals.overall().variance();
        let gaussian = variance.iter().zip(kinds);
        let gaussian = gaussian.filter(|(_, kind)| **kind == AttributeKind::Gaussian);
        let largest = gaussian.map(|(variance, _)| *variance).fold(0.0, f64::max);
        match self.estimate {
            Estimate::MaximumLikelihood if largest > 0.0 => self.var_smoothing * largest,
            // Where nothing varies there is no scale to take a share of.
            Estimate::MaximumLikelihood => self.var_smoothing,
            _ => 0.0,
        }
    }

    fn gaussian_column(
        &self,
        totals: &MixedTotals,
        column: usize,
        epsilon: f64,
    ) -> Result<AttributeModel> {
        let classes = &totals.variances.variances;
        let (mut mean, mut spread) = (Vec::new(), Vec::new());
        for (class, found) in classes.iter().enumerate() {
            if found.weight == 0.0 && self.estimate == Estimate::MaximumLikelihood {
                mean.push(0.0);
                spread.push(1.0);
                continue;
            }
            let (average, squares) = (found.mean[column], found.sum_squares[column]);
            let cell = self
                .gaussian()
                .cell(found.weight, average, squares, epsilon);
            if !(cell.spread > 0.0 && cell.spread.is_finite()) {
                let name = totals.variances.classes.names()[class].to_string();
                return Err(self.gaussian().no_spread(column, &name));
            }
            mean.push(cell.mean);
            spread.push(cell.spread);
        }
        let degrees = (self.estimate == Estimate::PosteriorPredictive).then(|| {
            let degrees = classes
                .iter()
                .map(|class| 2.0 * self.prior_shape + class.weight);
            degrees.collect::<Array1<f64>>()
        });
        Ok(AttributeModel::gaussian(
            mean.into(),
            spread.into(),
            degrees,
        ))
    }

    fn poisson_column(&self, totals: &MixedTotals, column: usize) -> AttributeModel {
        let (a, b) = (self.rate_shape, self.rate_strength);
        let classes = totals.variances.variances.iter();
        let counted = classes.map(|class| (class.weight, class.weight * class.mean[column]));
        match self.estimate {
            Estimate::MaximumLikelihood => {
                // A class without rows cannot be, whatever its rate.
                let rates = counted.map(|(weight, sum)| sum / weight.max(f64::MIN_POSITIVE));
                AttributeModel::Poisson {
                    rate: rates.collect(),
                }
            }
            Estimate::MaximumAPosteriori => {
                let rates = counted.map(|(weight, sum)| (a - 1.0 + sum).max(0.0) / (b + weight));
                AttributeModel::Poisson {
                    rate: rates.collect(),
                }
            }
            Estimate::PosteriorPredictive => {
                let (size, strength) = counted.map(|(weight, sum)| (a + sum, b + weight)).unzip();
                AttributeModel::negative_binomial(Array1::from_vec(size), strength)
            }
        }
    }

    fn bernoulli_column(&self, totals: &MixedTotals, column: usize) -> AttributeModel {
        let pseudo = self.pseudo_count();
        let share = |class: &didact_math::linalg::Variances| {
            let on = (class.weight * class.mean[column] + pseudo).max(0.0);
            let off = (class.weight * (1.0 - class.mean[column]) + pseudo).max(0.0);
            match on + off > 0.0 {
                true => on / (on + off),
                false => 0.5,
            }
        };
        let classes = totals.variances.variances.iter();
        AttributeModel::Bernoulli {
            probability: classes.map(share).collect(),
        }
    }

    fn totals(&self, data: &Labelled<'_>, run: &Run) -> Result<MixedTotals> {
        let kinds = self.kinds.of(data.samples.n_columns())?;
        MixedTotals::new(data, &kinds, run)
    }
}

learns_from_totals!(MixedNB, MixedTotals => MixedNBModel {
    accepts: Accepts::WEIGHTS,
    check: |method, totals| totals.check(&method.kinds.of(totals.n_columns())?),
    recall: |_, model| Some(model.totals.clone()),
});
