//! Training rows with the labels that a graph carried to them.

use super::graph::Propagation;
use super::near::Memory;
use crate::known::fits;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Model, Probabilities, Result, Rows,
    Trace, Value,
};
use didact_math::numeric::argmax;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// The labels of the training rows, and the kernel that carries them on to new rows.
///
/// The method itself says only something about the rows that it was given: see
/// [`PropagationModel::transduction`]. A new row gets the mean of their distributions, weighted by
/// the kernel of the graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PropagationModel {
    memory: Memory,
    classes: Classes,
    distributions: Array2<f64>,
    transduction: Vec<usize>,
    n_unreached: usize,
    smoothness: f64,
    trace: Option<Trace>,
}

impl PropagationModel {
    pub(super) fn new(memory: Memory, classes: Classes, found: Propagation) -> Self {
        PropagationModel {
            memory,
            classes,
            transduction: found.labels(),
            n_unreached: found.is_reached.iter().filter(|reached| !**reached).count(),
            smoothness: found.smoothness,
            trace: found.trace,
            distributions: found.distributions,
        }
    }

    /// The class of each training row: the known one where labels may not be doubted, the most
    /// probable one elsewhere.
    pub fn transduction(&self) -> &[usize] {
        &self.transduction
    }

    /// How much each training row belongs to each class.
    pub fn label_distributions(&self) -> &Array2<f64> {
        &self.distributions
    }

    /// How many training rows no label reaches; they have the shares of the classes among the
    /// labels.
    pub fn n_unreached(&self) -> usize {
        self.n_unreached
    }

    /// How much the distributions vary along the edges: fᵀLf, summed over the classes.
    pub fn smoothness(&self) -> f64 {
        self.smoothness
    }
}

impl Features for PropagationModel {
    fn n_features(&self) -> usize {
        self.memory.rows().n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for PropagationModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let probabilities = self.probabilities(rows)?;
        let rows = probabilities.rows().into_iter();
        Ok(rows
            .map(|row| argmax(row.iter().copied()).unwrap_or(0))
            .collect())
    }
}

impl Probabilities for PropagationModel {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut means = self.memory.means(rows, self.distributions.view())?;
        for mut row in means.rows_mut() {
            let total = row.sum();
            row /= total;
        }
        Ok(means)
    }
}

impl Model for PropagationModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();
    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "transduction",
            meaning: "The class of each training row, as its place among the classes.",
            get: |model| Value::from(&model.transduction[..]),
        },
        Attribute {
            name: "label_distributions",
            meaning: "How much each training row belongs to each class.",
            get: |model| Value::from(&model.distributions),
        },
        Attribute {
            name: "n_unreached",
            meaning: "The number of training rows that no label reaches; they have the shares of the classes.",
            get: |model| Value::from(model.n_unreached),
        },
        Attribute {
            name: "smoothness",
            meaning: "How much the distributions vary along the edges of the graph.",
            get: |model| Value::from(model.smoothness),
        },
        Attribute {
            name: "gamma",
            meaning: "The rate of the kernel, absent where all neighbours count the same.",
            get: |model| Value::from(model.memory.gamma()),
        },
        Attribute {
            name: "n_iter",
            meaning: "The number of iterations; zero where the rows were few enough for elimination.",
            get: |model| Value::from(model.trace.as_ref().map_or(0, Trace::n_iter)),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        self.trace.as_ref()
    }

    fn validate(&self) -> Result<()> {
        self.memory.validate()?;
        let n = self.memory.rows().n_rows();
        ensure_consistent(!self.classes.is_empty())?;
        ensure_consistent(fits(&self.transduction, n, &self.classes))?;
        ensure_consistent(self.distributions.dim() == (n, self.classes.len()))?;
        let is_sound = |row: ndarray::ArrayView1<'_, f64>| {
            row.iter().all(|share| (0.0..=1.0).contains(share)) && (row.sum() - 1.0).abs() < 1e-6
        };
        ensure_consistent(self.distributions.rows().into_iter().all(is_sound))?;
        ensure_consistent(self.n_unreached <= n && self.smoothness.is_finite())
    }
}
