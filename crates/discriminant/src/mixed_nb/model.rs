//! The fitted naive Bayes classifier of mixed columns.

use super::attribute::AttributeModel;
use super::{AttributeKind, MixedTotals};
use crate::categorical_nb::tensor;
use crate::posterior;
use crate::priors::draw_class;
use didact_core::model::ensure_consistent;
use didact_core::random::Generator;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Drawn, Features, LogDensity, Model, Probabilities,
    Result, Rows, Run, Sample, Value, parallel,
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
        let x = rows.dense()?;
        let k = self.class_prior.len();
        let offsets = self.class_prior.mapv(f64::ln).to_vec();
        let kinds = self.kinds();
        let mut joint = Array2::zeros((x.nrows(), k));
        let output = joint.as_slice_mut().expect("a new array is contiguous");
        let chunk = ((1 << 16) / (k * x.ncols())).clamp(16, 4096);
        parallel::fill(output, k, chunk, &Run::new(), |range, piece| {
            for (row, scores) in range.zip(piece.chunks_exact_mut(k)) {
                scores.copy_from_slice(&offsets);
                for (column, (&value, attribute)) in
                    x.row(row).iter().zip(&self.attributes).enumerate()
                {
                    kinds[column].check(row, column, value)?;
                    attribute.add(value, scores);
                }
            }
            Ok(())
        })?;
        Ok(joint)
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

impl Classify for MixedNBModel {
    fn classes(&self) -> &Classes {
        &self.totals.variances.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let joint = self.joint_log_densities(rows)?;
        Ok(posterior::labels(&joint, &self.class_prior))
    }
}

impl Probabilities for MixedNBModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let joint = self.joint_log_densities(rows)?;
        Ok(posterior::probabilities(joint, &self.class_prior))
    }
}

impl LogDensity for MixedNBModel {
    fn log_density(&self, rows: Rows<'_>) -> Result<Array1<f64>> {
        Ok(posterior::log_densities(&self.joint_log_densities(rows)?))
    }
}

impl Sample for MixedNBModel {
    fn draw(&self, n_rows: usize, generator: &mut Generator) -> Result<Drawn> {
        let mut rows = Array2::zeros((n_rows, self.n_features()));
        let mut labels = Vec::with_capacity(n_rows);
        for mut row in rows.rows_mut() {
            let class = draw_class(&self.class_prior, generator);
            for (value, attribute) in row.iter_mut().zip(&self.attributes) {
                *value = attribute.draw(class, generator)?;
            }
            labels.push(class);
        }
        Ok(Drawn { rows, labels })
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
