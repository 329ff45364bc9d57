//! Classes by the vote of the nearest training rows.

use super::memory::Memory;
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Model, Probabilities, Result, Rows,
    Samples, Value,
};
use didact_math::neighbors::Neighbors;
use didact_math::numeric::argmax;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Training rows that vote on the class of a row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KNeighborsClassifier {
    pub(super) memory: Memory,
    pub(super) labels: Vec<usize>,
    pub(super) classes: Classes,
}

impl KNeighborsClassifier {
    /// The `k` nearest training rows of each row, nearest first; equally near ones by index.
    pub fn kneighbors<'a>(&self, rows: impl Into<Samples<'a>>, k: usize) -> Result<Neighbors> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        self.memory.nearest(samples.rows(), k)
    }

    /// The training rows at most `radius` away from each row, with their distances.
    pub fn radius_neighbors<'a>(
        &self,
        rows: impl Into<Samples<'a>>,
        radius: f64,
    ) -> Result<Vec<Vec<(usize, f64)>>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        self.memory.within(samples.rows(), radius)
    }

    /// How many of the nearest training rows belong to each class: one row of counts per row.
    pub fn vote_counts<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<usize>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        let classes = self.classes.len();
        let counts = self
            .memory
            .numbers(samples.rows(), classes, |neighbors, _, counts| {
                for &neighbor in neighbors {
                    counts[self.labels[neighbor]] += 1.0;
                }
            })?;
        Ok(counts.mapv(|count| count as usize))
    }

    /// Adds the share of the voices for each class to zeros.
    fn vote(&self, neighbors: &[usize], voices: &[f64], shares: &mut [f64]) {
        for (&neighbor, &voice) in neighbors.iter().zip(voices) {
            shares[self.labels[neighbor]] += voice;
        }
        let total: f64 = shares.iter().sum();
        for share in shares {
            *share /= total;
        }
    }
}

impl Features for KNeighborsClassifier {
    fn n_features(&self) -> usize {
        self.memory.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for KNeighborsClassifier {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let mut labels = vec![0; rows.n_rows()];
        // Probabilities of many rows and classes would take far more memory than the labels.
        self.memory
            .judge(rows, &mut labels, 1, |neighbors, voices, label| {
                let mut shares = vec![0.0; self.classes.len()];
                self.vote(neighbors, voices, &mut shares);
                label[0] = argmax(shares).unwrap_or(0);
            })?;
        Ok(labels)
    }
}

impl Probabilities for KNeighborsClassifier {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let classes = self.classes.len();
        let vote = |neighbors: &[usize], voices: &[f64], shares: &mut [f64]| {
            self.vote(neighbors, voices, shares);
        };
        self.memory.numbers(rows, classes, vote)
    }
}

impl Model for KNeighborsClassifier {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_samples_fit",
            meaning: "Number of training rows.",
            get: |model| Value::from(model.memory.n_rows()),
        },
        Attribute {
            name: "n_neighbors",
            meaning: "How many neighbours decide.",
            get: |model| Value::from(model.memory.n_neighbors()),
        },
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "effective_metric",
            meaning: "How distance is measured.",
            get: |model| Value::from(model.memory.metric_name()),
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            self.labels.len() == self.memory.n_rows()
                && self.labels.iter().all(|&label| label < self.classes.len()),
        )?;
        self.memory.validate()
    }
}
