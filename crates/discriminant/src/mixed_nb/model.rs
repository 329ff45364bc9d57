//! The fitted naive Bayes classifier of mixed columns.

use super::attribute::AttributeModel;
use super::{AttributeKind, MixedTotals};
use crate::categorical_nb::tensor;
use crate::posterior::{joint_model, score_rows};
use crate::priors::draw_rows;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Classify, Drawn, Features, Model, Result, Rows, Sample, Value,
};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// A fitted [`crate::MixedNB`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MixedNBModel {
    pub(super) totals: MixedTotals,
    pub(super) class_prior: Array1<f64>,
    pub(super) attributes: Vec<AttributeModel>,
}

impl MixedNBModel {
    /// The probability of each class before a row is seen.
    pub fn class_prior(&self) -> &Array1<f64> {
        &self.class_prior
    }

    /// The law of each column.
    pub fn kinds(&self) -> Vec<AttributeKind> {
        self.attributes.iter().map(AttributeModel::kind).collect()
    }

    /// The joint log-densities ln P(c) + Σⱼ ln p(xⱼ | c), a column per class; minus infinity for
    /// a class that cannot be.
    pub fn joint_log_densities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let offsets = self.class_prior.mapv(f64::ln).to_vec();
        let kinds = self.kinds();
        score_rows(rows, offsets.len(), 1 << 16, |row, values, scores| {
            scores.copy_from_slice(&offsets);
            for (column, (&value, attribute)) in values.iter().zip(&self.attributes).enumerate() {
                kinds[column].check(row, column, value)?;
                attribute.add(value, scores);
            }
            Ok(())
        })
    }

    /// One parameter of the columns of one kind: a row per class, a column per such attribute.
    fn table<'a>(&'a self, read: impl Fn(&'a AttributeModel) -> Option<Array1<f64>>) -> Value<'a> {
        let columns: Vec<Array1<f64>> = self.attributes.iter().filter_map(read).collect();
        if columns.is_empty() {
            return Value::Absent;
        }
        let views: Vec<_> = columns.iter().map(|column| column.view()).collect();
        match ndarray::stack(Axis(1), &views) {
            Ok(table) => Value::from(table),
            Err(_) => Value::Absent,
        }
    }
}

impl Features for MixedNBModel {
    fn n_features(&self) -> usize {
        self.attributes.len()
    }
}

joint_model!(MixedNBModel, totals.variances.classes);

impl Sample for MixedNBModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let (d, prior) = (self.n_features(), &self.class_prior);
        draw_rows(n_rows, d, prior, generator, |class, row, generator| {
            for (value, attribute) in row.into_iter().zip(&self.attributes) {
                *value = attribute.draw(class, generator)?;
            }
            Ok(())
        })
    }
}

impl Model for MixedNBModel {
    const ABILITIES: Abilities<Self> = Abilities::none()
        .classify()
        .probabilities()
        .log_density()
        .sample();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(model.classes()),
        },
        Attribute {
            name: "class_count",
            meaning: "The weight of the training rows of each class.",
            get: |model| Value::from(model.totals.class_count()),
        },
        Attribute {
            name: "class_prior",
            meaning: "The probability of each class before a row is seen.",
            get: |model| Value::from(&model.class_prior),
        },
        Attribute {
            name: "attribute_kinds",
            meaning: "The law of each column.",
            get: |model| {
                let words = model.kinds().into_iter().map(|kind| kind.word().to_owned());
                Value::Names(words.collect())
            },
        },
        Attribute {
            name: "theta",
            meaning: "The means of the Gaussian columns, a row per class.",
            get: |model| {
                model.table(|attribute| match attribute {
                    AttributeModel::Gaussian { mean, .. } => Some(mean.clone()),
                    _ => None,
                })
            },
        },
        Attribute {
            name: "var",
            meaning: "The variances of the Gaussian columns, or the squared scales of their Student t.",
            get: |model| {
                model.table(|attribute| match attribute {
                    AttributeModel::Gaussian { spread, .. } => Some(spread.clone()),
                    _ => None,
                })
            },
        },
        Attribute {
            name: "rate",
            meaning: "The mean counts of the Poisson columns, a row per class.",
            get: |model| {
                model.table(|attribute| match attribute {
                    AttributeModel::Poisson { rate } => Some(rate.clone()),
                    AttributeModel::NegativeBinomial { size, strength } => Some(size / strength),
                    _ => None,
                })
            },
        },
        Attribute {
            name: "probability",
            meaning: "How often the Bernoulli columns are 1, a row per class.",
            get: |model| {
                model.table(|attribute| match attribute {
                    AttributeModel::Bernoulli { probability } => Some(probability.clone()),
                    _ => None,
                })
            },
        },
        Attribute {
            name: "category_log_prob",
            meaning: "The logarithm of the share of each value of the categorical columns: class × column × value.",
            get: |model| {
                let shares: Vec<_> = model
                    .attributes
                    .iter()
                    .filter_map(|attribute| match attribute {
                        AttributeModel::Categorical(shares) => Some(shares),
                        _ => None,
                    })
                    .collect();
                match shares.is_empty() {
                    true => Value::Absent,
                    false => Value::from(tensor(shares.into_iter())),
                }
            },
        },
    ];

    fn validate(&self) -> Result<()> {
        let k = self.class_prior.len();
        self.totals.check(&self.kinds())?;
        ensure_consistent(k == self.totals.variances.classes.len() && !self.attributes.is_empty())?;
        ensure_consistent(self.attributes.len() == self.totals.n_columns())?;
        ensure_consistent(self.attributes.iter().all(|one| one.is_consistent(k)))?;
        ensure_consistent((self.class_prior.sum() - 1.0).abs() < 1e-6)
    }
}
