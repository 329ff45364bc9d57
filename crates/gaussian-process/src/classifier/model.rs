//! The fitted classifier.

use super::binary::Binary;
use crate::blocks::by_blocks;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Features, Model, Probabilities, Result, Rows, Run,
    Trace, Value,
};
use didact_math::numeric::argmax;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

/// Latent functions behind the odds: one for two classes, else one for each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GaussianProcessClassifierModel {
    pub(super) classes: Classes,
    /// The classes that had rows, as labels.
    pub(super) present: Vec<usize>,
    pub(super) n_features: usize,
    pub(super) functions: Vec<Binary>,
}

impl GaussianProcessClassifierModel {
    /// The approximate log-evidence of each latent function.
    pub fn log_marginal_likelihoods(&self) -> Array1<f64> {
        self.functions.iter().map(|one| one.log_evidence).collect()
    }

    /// The standard errors of the probabilities, a column for each latent function before it is
    /// compared with the others; zero where the law was approximated and not drawn from.
    pub fn standard_errors(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        didact_core::abilities::check_rows(self, rows.reborrow())?;
        Ok(self.odds(rows.dense()?)?.1)
    }

    /// The probability of each function's class against the rest, and its standard error.
    fn odds(&self, rows: ArrayView2<'_, f64>) -> Result<(Array2<f64>, Array2<f64>)> {
        let run = Run::new();
        let mut odds = Array2::zeros((rows.nrows(), self.functions.len()));
        let mut errors = odds.clone();
        for (index, function) in self.functions.iter().enumerate() {
            let found = by_blocks(rows, 2, &run, |block| function.probabilities(block, &run))?;
            odds.column_mut(index).assign(&found.column(0));
            errors.column_mut(index).assign(&found.column(1));
        }
        Ok((odds, errors))
    }

    fn each(&self, read: impl Fn(&Binary) -> f64) -> Value<'_> {
        match &self.functions[..] {
            [only] => Value::from(read(only)),
            several => Value::from(several.iter().map(read).collect::<Array1<f64>>()),
        }
    }
}

impl Features for GaussianProcessClassifierModel {
    fn n_features(&self) -> usize {
        self.n_features
    }
}

impl Probabilities for GaussianProcessClassifierModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let (odds, _) = self.odds(rows.dense()?)?;
        let mut probabilities = Array2::zeros((odds.nrows(), self.classes.len()));
        for (odds, mut row) in odds.rows().into_iter().zip(probabilities.rows_mut()) {
            if let ([first, second], &[positive]) = (&self.present[..], &odds.to_vec()[..]) {
                row[*first] = 1.0 - positive;
                row[*second] = positive;
                continue;
            }
            let total = odds.sum();
            for (&class, &one) in self.present.iter().zip(odds) {
                // Where every function says no for sure, none knows better than the others.
                row[class] = match total > 0.0 {
                    true => one / total,
                    false => 1.0 / self.present.len() as f64,
                };
            }
        }
        Ok(probabilities)
    }
}

impl Classify for GaussianProcessClassifierModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let probabilities = self.probabilities(rows)?;
        let best = |row: ndarray::ArrayView1<'_, f64>| argmax(row.iter().copied()).unwrap_or(0);
        Ok(probabilities.axis_iter(Axis(0)).map(best).collect())
    }
}

impl Model for GaussianProcessClassifierModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "length_scale",
            meaning: "The distance over which each latent function changes; a row per function where every column has its own.",
            get: |model| {
                let lengths = |one: &Binary| one.process.covariance().length_scales().clone();
                let width = lengths(&model.functions[0]).len();
                if width == 1 {
                    return model.each(|one| one.process.covariance().length_scales()[0]);
                }
                let flat: Vec<f64> = model.functions.iter().flat_map(lengths).collect();
                let shape = (model.functions.len(), width);
                Value::from(Array2::from_shape_vec(shape, flat).expect("one width for all"))
            },
        },
        Attribute {
            name: "amplitude",
            meaning: "The variance of each latent function before the data.",
            get: |model| model.each(|one| one.process.covariance().amplitude()),
        },
        Attribute {
            name: "log_marginal_likelihood_value",
            meaning: "The approximate log-density of the training classes, the mean over the latent functions.",
            get: |model| Value::from(model.log_marginal_likelihoods().mean().unwrap_or(0.0)),
        },
        Attribute {
            name: "X_train",
            meaning: "The training rows.",
            get: |model| Value::from(&model.functions[0].rows),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        match &self.functions[..] {
            [only] => only.trace.as_ref(),
            _ => None,
        }
    }

    fn validate(&self) -> Result<()> {
        let expected = if self.present.len() == 2 {
            1
        } else {
            self.present.len()
        };
        ensure_consistent(self.present.len() >= 2 && self.functions.len() == expected)?;
        ensure_consistent(self.present.iter().all(|&class| class < self.classes.len()))?;
        let mut functions = self.functions.iter();
        functions.try_for_each(|one| one.validate(self.n_features))?;
        let width = |one: &Binary| one.process.covariance().length_scales().len();
        let first = width(&self.functions[0]);
        ensure_consistent(self.functions.iter().all(|one| width(one) == first))
    }
}
