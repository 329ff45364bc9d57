//! Bayesian logistic regression: a belief about the weights, and predictions that average over it.

use crate::online::Examples;
use crate::rows::RowReader;
use crate::separators::{self, Separators, overflow};
use crate::{ClassWeight, LogisticRegression, Solver};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Error, Features, Figure, Fit, Labelled,
    Model, Probabilities, Result, Rows, Run, Samples, Scores, Trace, Value, parallel,
};
use didact_math::linalg::{Cholesky, Moments};
use didact_math::numeric::{argmax, dot, sigmoid};
use didact_probability::special::erfc;
use ndarray::{Array1, Array2, Axis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A covariance of more columns takes more memory than it is worth.
const MOST_COLUMNS: usize = 4000;

/// Predicts how probable each class is by averaging over all weights that the rows leave possible.
///
/// The weights have the prior N(0, σ²I) and the intercept a flat one, so that the mode of the
/// posterior is logistic regression with C = σ². Around the mode the posterior is taken to be
/// normal, with the inverse of the second derivatives of its logarithm as its covariance (Laplace).
/// A score then has a mean m and a variance v, and the probability is ∫σ(a)N(a | m, v)da: far from
/// the rows it tends to one half, however large the score. More than two classes are told apart
/// one against the rest, and the probabilities are made to sum to one.
///
/// ```
/// use didact_core::{Fit, Labelled, Labels, Probabilities};
/// use didact_linear::BayesianLogisticRegression;
/// let x = ndarray::array![[-2.0, 0.0], [-1.0, 0.3], [1.0, -0.2], [2.0, 0.1]];
/// let labels = Labels::from_indices(vec![0, 0, 1, 1]);
/// let model = BayesianLogisticRegression::default().fit(Labelled::new(&x, &labels)?)?;
/// let far = model.predict_proba(&ndarray::array![[2.0, 0.0], [2.0, 50.0]])?;
/// assert!(far[[0, 1]] > 0.75 && far[[1, 1]] < 0.6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BayesianLogisticRegression {
    /// The variance σ² of each weight before any row is seen.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub prior_variance: f64,
    /// Whether to fit an intercept.
    pub fit_intercept: bool,
    /// How predictions average over the weights.
    pub predictive: Averaging,
    /// How much the rows of each class count.
    pub class_weight: ClassWeight,
    /// At most this many Newton steps are made for each score.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// The search ends when no gradient of the mean objective is larger, in units of the features.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tol: f64,
}

/// How predictions average over the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Averaging {
    /// By a sum over the scores that are possible, exact up to rounding.
    #[default]
    Quadrature,
    /// By σ(m/√(1 + πv/8)), as if the sigmoid were the integral of a normal law.
    Probit,
    /// Not at all: by the most probable weights alone.
    Mode,
}

impl Averaging {
    /// The probability of the second class for a score of this mean and variance.
    pub fn probability(self, mean: f64, variance: f64) -> f64 {
        let deviation = variance.max(0.0).sqrt();
        match self {
            Averaging::Mode => sigmoid(mean),
            Averaging::Probit => sigmoid(mean / (1.0 + PI * variance.max(0.0) / 8.0).sqrt()),
            Averaging::Quadrature if deviation == 0.0 => sigmoid(mean),
            // So wide that the sigmoid is a step smeared by its own variance π²/3.
            Averaging::Quadrature if deviation > 32.0 => {
                0.5 * erfc(-mean / (2.0 * (variance + PI * PI / 3.0)).sqrt())
            }
            Averaging::Quadrature => {
                // The trapezoidal rule converges exponentially for functions like these, once
                // its steps are short in comparison with the sigmoid.
                let step = deviation.recip().min(0.25);
                let count = (9.0 / step).ceil() as i32;
                let (mut sum, mut total) = (0.0, 0.0);
                for place in -count..=count {
                    let z = f64::from(place) * step;
                    let weight = (-0.5 * z * z).exp();
                    sum += weight * sigmoid(mean + deviation * z);
                    total += weight;
                }
                sum / total
            }
        }
    }
}

impl Default for BayesianLogisticRegression {
    fn default() -> Self {
        BayesianLogisticRegression {
            prior_variance: 1.0,
            fit_intercept: true,
            predictive: Averaging::Quadrature,
            class_weight: ClassWeight::None,
            max_iter: 1000,
            tol: 1e-10,
        }
    }
}

/// The belief about the weights of each score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesianLogisticModel {
    separators: Separators,
    /// Where the score of each output is known best.
    centers: Array2<f64>,
    /// The covariance of the weights of each output.
    covariances: Vec<Array2<f64>>,
    /// The variance of the score at the centre, beyond what the weights add.
    offset_variances: Array1<f64>,
    predictive: Averaging,
    trace: Trace,
}

impl Fit<Labelled<'_>> for BayesianLogisticRegression {
    type Model = BayesianLogisticModel;
    const ACCEPTS: Accepts = Accepts::SPARSE.union(Accepts::WEIGHTS);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<BayesianLogisticModel> {
        let d = data.samples.n_columns();
        if d > MOST_COLUMNS {
            return Err(Error::data(format!(
                "there are {d} columns; the covariance of the weights is kept for at most \
                 {MOST_COLUMNS}"
            )));
        }
        let examples = Examples::new(data, &self.class_weight)?;
        let outputs = examples.n_outputs();
        let mut found = Vec::with_capacity(outputs);
        for output in 0..outputs {
            let positive = if outputs == 1 { 1 } else { output };
            let run = if output == 0 {
                run.clone()
            } else {
                run.quietly()
            };
            found.push(self.posterior(&examples, positive, &run)?);
        }
        let mut coef = Array2::zeros((outputs, d));
        let mut centers = Array2::zeros((outputs, d));
        for (output, each) in found.iter().enumerate() {
            coef.row_mut(output).assign(&each.weights);
            centers.row_mut(output).assign(&each.center);
        }
        let intercept = found.iter().map(|each| each.intercept).collect();
        let offset_variances = found.iter().map(|each| each.offset_variance).collect();
        let trace = found[0].trace.clone();
        let covariances = found.into_iter().map(|each| each.covariance).collect();
        Ok(BayesianLogisticModel {
            separators: Separators::new(examples.classes, examples.present, coef, intercept)?,
            centers,
            covariances,
            offset_variances,
            predictive: self.predictive,
            trace,
        })
    }
}

/// The belief about the weights of one score.
struct Posterior {
    weights: Array1<f64>,
    intercept: f64,
    center: Array1<f64>,
    covariance: Array2<f64>,
    offset_variance: f64,
    trace: Trace,
}

impl BayesianLogisticRegression {
    fn posterior(&self, examples: &Examples<'_>, positive: usize, run: &Run) -> Result<Posterior> {
        let sides: Vec<usize> = examples
            .places
            .iter()
            .map(|&place| usize::from(place == positive))
            .collect();
        let classes = Classes::new([0, 1]);
        let rows = examples.rows();
        let samples = Samples::from(rows).weighted(&examples.counts)?;
        let mode = LogisticRegression {
            c: self.prior_variance,
            fit_intercept: self.fit_intercept,
            solver: Solver::Auto,
            max_iter: self.max_iter,
            tol: self.tol,
            ..LogisticRegression::default()
        };
        let mode = mode.learn(Labelled::from_parts(samples, &sides, &classes)?, run)?;
        let (weights, intercept) = (mode.coef().row(0).to_owned(), mode.intercept()[0]);
        let reader = RowReader::new(rows);
        let w = weights.to_vec();
        let bends: Array1<f64> = (0..examples.n_rows())
            .map(|row| {
                let score = reader.row(row).dot(&w) + intercept;
                examples.counts[row] * sigmoid(score) * sigmoid(-score)
            })
            .collect();
        let moments = Moments::summarise(rows, Some(bends.view()), run)?;
        // About the mean under these weights, slopes and offset know nothing of each other.
        let mut precision = moments.scatter;
        let (center, offset_variance) = match self.fit_intercept {
            true => (moments.mean, moments.weight.recip()),
            false => {
                let column = moments.mean.view().insert_axis(Axis(1));
                let row = moments.mean.view().insert_axis(Axis(0));
                precision = precision + column.dot(&row) * moments.weight;
                (Array1::zeros(w.len()), 0.0)
            }
        };
        for value in precision.diag_mut() {
            *value += self.prior_variance.recip();
        }
        let factor = Cholesky::new(precision.view()).map_err(|_| overflow())?;
        let covariance = factor.solve(Array2::eye(w.len()).view());
        let is_finite = covariance.iter().all(|number| number.is_finite());
        if !(is_finite && offset_variance.is_finite()) {
            return Err(overflow());
        }
        Ok(Posterior {
            weights,
            intercept,
            center,
            covariance,
            offset_variance,
            trace: mode.history().clone(),
        })
    }
}

impl BayesianLogisticModel {
    /// The most probable weights: one row for two classes, else one for each class that had rows.
    pub fn coef(&self) -> &Array2<f64> {
        &self.separators.coef
    }

    /// The intercepts, one for each row of the weights.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.separators.intercept
    }

    /// The covariance of the weights of each score.
    pub fn covariances(&self) -> &[Array2<f64>] {
        &self.covariances
    }

    /// The variance of each score of each row, from what is not known about the weights.
    pub fn score_variances(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let (outputs, d) = self.separators.coef.dim();
        let reader = RowReader::new(rows);
        let mut values = vec![0.0; rows.n_rows() * outputs];
        let chunk = ((1 << 20) / (outputs * d * d).max(1)).clamp(1, 4096);
        parallel::fill(&mut values, outputs, chunk, &Run::new(), |range, piece| {
            let mut shifted = vec![0.0; d];
            for (row, variances) in range.zip(piece.chunks_exact_mut(outputs)) {
                for (output, variance) in variances.iter_mut().enumerate() {
                    for (z, center) in shifted.iter_mut().zip(self.centers.row(output)) {
                        *z = -center;
                    }
                    reader.row(row).add_to(&mut shifted, 1.0);
                    let covariance = self.covariances[output].rows().into_iter();
                    let products = covariance.zip(&shifted).map(|(row, z)| {
                        let row = row.to_slice().expect("a covariance is contiguous");
                        z * dot(row, &shifted)
                    });
                    *variance = products.sum::<f64>().max(0.0) + self.offset_variances[output];
                }
            }
            Ok(())
        })?;
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(Array2::from_shape_vec((rows.n_rows(), outputs), values)
                .expect("one value per score")),
            false => Err(Error::numerical(
                "the variance of a score overflows; the values of its row are too large",
            )),
        }
    }

    /// The averaged probability of each score: one column for two classes, else one per class that
    /// had rows, before they are made to sum to one.
    fn averaged(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let intercept = self.separators.intercept.to_vec();
        let coef = self.separators.coef.view();
        let mut means = crate::rows::linear_scores(rows, coef, &intercept)?;
        let variances = self.score_variances(rows)?;
        for (mean, &variance) in means.iter_mut().zip(&variances) {
            *mean = self.predictive.probability(*mean, variance);
        }
        Ok(means)
    }
}

impl Features for BayesianLogisticModel {
    fn n_features(&self) -> usize {
        self.separators.coef.ncols()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for BayesianLogisticModel {
    fn classes(&self) -> &Classes {
        &self.separators.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let averaged = self.averaged(rows)?;
        let choose = |row: ndarray::ArrayView1<'_, f64>| match row.len() {
            1 => usize::from(row[0] >= 0.5),
            _ => argmax(row.iter().copied()).unwrap_or(0),
        };
        let rows = averaged.rows().into_iter();
        Ok(rows
            .map(|row| self.separators.present[choose(row)])
            .collect())
    }
}

impl Scores for BayesianLogisticModel {
    /// The logarithm of the odds of the averaged probabilities.
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let odds = self.averaged(rows)?.mapv(|p| {
            let p = p.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
            (p / (1.0 - p)).ln()
        });
        let separators = &self.separators;
        Ok(separators::spread(
            odds,
            separators.classes.len(),
            &separators.present,
        ))
    }
}

impl Probabilities for BayesianLogisticModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let averaged = self.averaged(rows)?;
        let separators = &self.separators;
        let mut all = Array2::zeros((averaged.nrows(), separators.classes.len()));
        for (mut row, averaged) in all.rows_mut().into_iter().zip(averaged.rows()) {
            if averaged.len() == 1 {
                row[separators.present[0]] = 1.0 - averaged[0];
                row[separators.present[1]] = averaged[0];
                continue;
            }
            let total = averaged.sum();
            for (&class, chance) in separators.present.iter().zip(averaged) {
                row[class] = match total > 0.0 {
                    true => chance / total,
                    false => 1.0 / separators.present.len() as f64,
                };
            }
        }
        Ok(all)
    }
}

impl Model for BayesianLogisticModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities().scores();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.separators.classes),
        },
        Attribute {
            name: "coef",
            meaning: "The most probable weights: one row for two classes, else one per class.",
            get: |model| Value::from(&model.separators.coef),
        },
        Attribute {
            name: "intercept",
            meaning: "The scores where all features are zero.",
            get: |model| Value::from(&model.separators.intercept),
        },
        Attribute {
            name: "standard_deviations",
            meaning: "The deviation of each weight in the posterior.",
            get: |model| {
                Value::from(Array2::from_shape_fn(
                    model.separators.coef.dim(),
                    |(output, j)| model.covariances[output][[j, j]].max(0.0).sqrt(),
                ))
            },
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of iterations made.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "boundaries",
        meaning: "Where the score of two classes is zero, or where two of several scores are equal.",
        get: |model| Some(model.separators.shape()),
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.separators.validate()?;
        let (outputs, d) = self.separators.coef.dim();
        ensure_consistent(self.centers.dim() == (outputs, d))?;
        ensure_consistent(self.covariances.len() == outputs)?;
        ensure_consistent(self.offset_variances.len() == outputs)?;
        let square = |matrix: &Array2<f64>| matrix.dim() == (d, d) && matrix.is_standard_layout();
        ensure_consistent(self.covariances.iter().all(square))
    }
}
