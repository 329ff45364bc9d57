//! The fitted logistic regression.

use super::{LogisticInference, SoftmaxInference};
use crate::decision::Hyperplane;
use crate::rows::linear_scores;
use crate::separators::{boundaries, check_start, choose_all, spread, validate};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Figure, Model, Probabilities,
    Result, Rows, Scores, Trace, Value,
};
use didact_math::numeric::{log_softmax_in_place, sigmoid};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Linear scores of the classes: one for two classes, else one each.
///
/// A class that had no rows has probability zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogisticModel {
    pub(super) classes: Classes,
    /// The classes that had rows.
    pub(super) present: Vec<usize>,
    pub(super) coef: Array2<f64>,
    pub(super) intercept: Array1<f64>,
    pub(super) trace: Trace,
    /// Absent in files of earlier releases.
    #[serde(default)]
    pub(super) dual_gap: Option<f64>,
    /// Absent in files of earlier releases.
    #[serde(default)]
    pub(super) inference: Option<LogisticInference>,
    /// Absent in files of earlier releases.
    #[serde(default)]
    pub(super) contrasts: Option<SoftmaxInference>,
}

impl LogisticModel {
    /// The weights: one row for two classes, else one for each class that had rows.
    pub fn coef(&self) -> &Array2<f64> {
        &self.coef
    }

    /// The intercepts, one for each row of the weights.
    pub fn intercept(&self) -> &Array1<f64> {
        &self.intercept
    }

    /// The history of the fit.
    pub fn history(&self) -> &Trace {
        &self.trace
    }

    /// The log-likelihood with the weights and without them.
    fn likelihoods(&self) -> Option<(f64, f64)> {
        let several = self.contrasts.as_ref();
        let several = several.map(|found| (found.log_likelihood(), found.null_log_likelihood()));
        let two = self.inference.as_ref();
        several.or(two.map(|found| (found.log_likelihood(), found.null_log_likelihood())))
    }

    /// The likelihood ratio and its p value.
    fn likelihood_ratio(&self) -> Option<(f64, f64)> {
        let several = self.contrasts.as_ref();
        let several = several.map(SoftmaxInference::likelihood_ratio);
        let two = self.inference.as_ref();
        several.or(two.map(LogisticInference::likelihood_ratio))
    }

    /// Fails unless a fit to rows of these classes and columns may start from here.
    pub(super) fn check_start(
        &self,
        classes: &Classes,
        present: &[usize],
        columns: usize,
    ) -> Result<()> {
        check_start(
            (&self.classes, &self.present, self.coef.ncols()),
            (classes, present, columns),
        )
    }

    /// By how much the objective is above the least one at most, where absolute values have a
    /// price or the solver was SAGA and the weights have one.
    pub fn duality_gap(&self) -> Option<f64> {
        self.dual_gap
    }

    /// Errors and tests of the weights of each class against the first one, for more than two
    /// classes and no penalty, unless columns follow from others or the fit was in pieces.
    pub fn contrasts(&self) -> Option<&SoftmaxInference> {
        self.contrasts.as_ref()
    }

    /// Errors and tests of the weights, for two classes and no penalty, unless columns follow from
    /// others or the fit was in pieces.
    pub fn inference(&self) -> Option<&LogisticInference> {
        self.inference.as_ref()
    }

    /// The boundary between two classes, where there are just two: the log-odds w·x + b are
    /// zero on it.
    pub fn boundary(&self) -> Option<Result<Hyperplane>> {
        let two = self.coef.nrows() == 1;
        two.then(|| Hyperplane::new(self.coef.row(0).to_vec(), self.intercept[0]))
    }

    fn linear(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        linear_scores(rows, self.coef.view(), &self.intercept.to_vec())
    }
}

impl Features for LogisticModel {
    fn n_features(&self) -> usize {
        self.coef.ncols()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for LogisticModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let scores = self.linear(rows)?;
        Ok(choose_all(&scores, &self.present))
    }
}

impl Scores for LogisticModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        Ok(spread(
            self.linear(rows)?,
            self.classes.len(),
            &self.present,
        ))
    }
}

impl Probabilities for LogisticModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut scores = self.linear(rows)?;
        let mut probabilities = Array2::zeros((scores.nrows(), self.classes.len()));
        for (mut row, mut scores) in probabilities.rows_mut().into_iter().zip(scores.rows_mut()) {
            if scores.len() == 1 {
                row[self.present[0]] = sigmoid(-scores[0]);
                row[self.present[1]] = sigmoid(scores[0]);
                continue;
            }
            log_softmax_in_place(
                scores
                    .as_slice_mut()
                    .expect("rows of a new array are contiguous"),
            );
            for (&class, score) in self.present.iter().zip(&scores) {
                row[class] = score.exp();
            }
        }
        Ok(probabilities)
    }
}

impl Model for LogisticModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities().scores();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "coef",
            meaning: "The weight of each feature: one row for two classes, else one per class.",
            get: |model| Value::from(&model.coef),
        },
        Attribute {
            name: "intercept",
            meaning: "The scores where all features are zero.",
            get: |model| Value::from(&model.intercept),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of iterations made.",
            get: |model| Value::from(model.trace.n_iter()),
        },
        Attribute {
            name: "dual_gap",
            meaning: "By how much the objective is above the least one at most, where absolute values have a price or the solver was saga.",
            get: |model| Value::from(model.dual_gap),
        },
        Attribute {
            name: "standard_errors",
            meaning: "The standard error of each weight where there is no penalty; with several classes of its difference to that of the first, a row for each other class.",
            get: |model| match model.contrasts() {
                Some(found) => Value::from(found.standard_errors()),
                None => Value::from(model.inference().map(|found| found.standard_errors())),
            },
        },
        Attribute {
            name: "z_values",
            meaning: "The weights, or their differences, in units of their standard errors.",
            get: |model| match model.contrasts() {
                Some(found) => Value::from(found.z_values()),
                None => Value::from(model.inference().map(|found| found.z_values())),
            },
        },
        Attribute {
            name: "p_values",
            meaning: "How probable a weight so far from zero is where it is zero in truth.",
            get: |model| match model.contrasts() {
                Some(found) => Value::from(found.p_values()),
                None => Value::from(model.inference().map(|found| found.p_values())),
            },
        },
        Attribute {
            name: "intercept_standard_error",
            meaning: "The standard error of the intercept.",
            get: |model| match model.contrasts() {
                Some(found) => Value::from(found.intercept_standard_errors()),
                None => {
                    let inference = model.inference();
                    Value::from(inference.and_then(|found| found.intercept_standard_error()))
                }
            },
        },
        Attribute {
            name: "intercept_p_value",
            meaning: "How probable an intercept so far from zero is where it is zero in truth.",
            get: |model| match model.contrasts() {
                Some(found) => Value::from(found.intercept_p_values()),
                None => {
                    let inference = model.inference();
                    Value::from(inference.and_then(|found| found.intercept_p_value()))
                }
            },
        },
        Attribute {
            name: "log_likelihood",
            meaning: "The logarithm of the likelihood of the training labels.",
            get: |model| Value::from(model.likelihoods().map(|found| found.0)),
        },
        Attribute {
            name: "null_log_likelihood",
            meaning: "The same with all weights zero.",
            get: |model| Value::from(model.likelihoods().map(|found| found.1)),
        },
        Attribute {
            name: "likelihood_ratio",
            meaning: "Twice the gain of the log-likelihood by all weights together.",
            get: |model| Value::from(model.likelihood_ratio().map(|found| found.0)),
        },
        Attribute {
            name: "likelihood_ratio_p_value",
            meaning: "How probable so large a gain is where all weights are zero in truth.",
            get: |model| Value::from(model.likelihood_ratio().map(|found| found.1)),
        },
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "boundaries",
        meaning: "Where the score of two classes is zero, or where two of several scores are equal.",
        get: |model| Some(boundaries(&model.coef, &model.intercept)),
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let inference = self.inference.as_ref();
        ensure_consistent(inference.is_none_or(|found| found.is_sound(self.coef.ncols())))?;
        let (outputs, columns) = self.coef.dim();
        let contrasts = self.contrasts.as_ref();
        ensure_consistent(contrasts.is_none_or(|found| found.is_sound(outputs, columns)))?;
        validate(&self.classes, &self.present, &self.coef, &self.intercept)
    }
}
