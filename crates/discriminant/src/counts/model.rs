//! The fitted naive Bayes classifier of counts.

use super::{ClassTotals, LinearScores, Reading};
use crate::posterior::joint_model;
use didact_core::model::ensure_consistent;
use didact_core::{Accepts, Attribute, Classes, Error, Features, Result, Rows, Value};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// Which law the counts of a class follow.
pub trait CountLaw: Send + Sync + 'static {
    /// The logarithms that scikit-learn calls `feature_log_prob_`, a row per class.
    fn feature_log_prob(weights: &Array2<f64>) -> Array2<f64>;
}

/// Totals of each class and the scores that follow from them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountModel<L> {
    pub(crate) classes: Classes,
    pub(crate) class_count: Array1<f64>,
    pub(crate) class_prior: Array1<f64>,
    pub(crate) feature_count: Array2<f64>,
    pub(crate) scores: LinearScores,
    pub(crate) reading: Reading,
    pub(crate) law: PhantomData<L>,
}

impl<L: CountLaw> CountModel<L> {
    pub(crate) fn new(
        totals: ClassTotals,
        class_prior: Array1<f64>,
        scores: LinearScores,
        reading: Reading,
    ) -> Self {
        CountModel {
            classes: totals.classes,
            class_count: totals.class_count,
            class_prior,
            feature_count: totals.feature_count,
            scores,
            reading,
            law: PhantomData,
        }
    }

    /// What the model remembers of its rows, which is all that it ever knew.
    pub(crate) fn totals(&self) -> ClassTotals {
        ClassTotals {
            classes: self.classes.clone(),
            class_count: self.class_count.clone(),
            feature_count: self.feature_count.clone(),
        }
    }

    /// The weight of the training rows of each class.
    pub fn class_count(&self) -> &Array1<f64> {
        &self.class_count
    }

    /// The probability of each class before a row is seen.
    pub fn class_prior(&self) -> &Array1<f64> {
        &self.class_prior
    }

    /// The weighted counts of each column in each class.
    pub fn feature_count(&self) -> &Array2<f64> {
        &self.feature_count
    }

    /// The logarithms that scikit-learn calls `feature_log_prob_`, a row per class.
    pub fn feature_log_prob(&self) -> Array2<f64> {
        L::feature_log_prob(&self.scores.weights)
    }

    /// The score of each row in each class; minus infinity for a class that cannot be.
    pub fn joint_log_densities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.scores.of(rows, self.reading)
    }

    /// For two classes, by how much the logarithm of the second class exceeds that of the first:
    /// plus or minus infinity where one of them cannot be, nothing where neither can.
    pub fn log_odds(&self, rows: Rows<'_>) -> Result<Vec<Option<f64>>> {
        if self.classes.len() != 2 {
            return Err(Error::unsupported(format!(
                "log-odds compare two classes but there are {}; ask for probabilities",
                self.classes.len()
            )));
        }
        let joint = self.joint_log_densities(rows)?;
        let odds = joint.rows().into_iter().map(|row| {
            let difference = row[1] - row[0];
            (!difference.is_nan()).then_some(difference)
        });
        Ok(odds.collect())
    }

    /// Fails when a model from a file contradicts itself.
    pub(crate) fn check(&self) -> Result<()> {
        let (k, d) = self.feature_count.dim();
        ensure_consistent(k > 0 && d > 0 && k == self.classes.len())?;
        ensure_consistent(self.class_count.len() == k && self.class_prior.len() == k)?;
        ensure_consistent(self.scores.weights.dim() == (d, k))?;
        ensure_consistent(self.scores.weights.is_standard_layout())?;
        ensure_consistent(self.scores.offsets.len() == k)?;
        let certain = self.scores.certain.as_ref();
        ensure_consistent(certain.is_none_or(|certain| certain.len() == k))?;
        let numbers = self.scores.weights.iter().chain(&self.scores.offsets);
        ensure_consistent(
            numbers
                .chain(&self.class_prior)
                .all(|value| !value.is_nan()),
        )
    }
}

impl<L: CountLaw> Features for CountModel<L> {
    fn n_features(&self) -> usize {
        self.feature_count.ncols()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

joint_model!(CountModel<L>, classes, L: CountLaw);

/// What every model of counts knows.
pub(crate) const fn common_attributes<L: CountLaw>() -> [Attribute<CountModel<L>>; 6] {
    [
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "class_count",
            meaning: "The weight of the training rows of each class.",
            get: |model| Value::from(&model.class_count),
        },
        Attribute {
            name: "class_prior",
            meaning: "The probability of each class before a row is seen.",
            get: |model| Value::from(&model.class_prior),
        },
        Attribute {
            name: "class_log_prior",
            meaning: "The logarithm of the probability of each class before a row is seen.",
            get: |model| Value::from(model.class_prior.mapv(f64::ln)),
        },
        Attribute {
            name: "feature_count",
            meaning: "The weighted counts of each column, a row per class.",
            get: |model| Value::from(&model.feature_count),
        },
        Attribute {
            name: "feature_log_prob",
            meaning: "The logarithm of the probability (or the weight) of each column, a row per class.",
            get: |model| Value::from(model.feature_log_prob()),
        },
    ]
}
