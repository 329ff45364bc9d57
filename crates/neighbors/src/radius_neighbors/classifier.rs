//! Classes by the vote of all training rows within a radius.

use super::memory::Memory;
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Model, Probabilities, Result, Rows,
    Samples, Value,
};
use didact_math::numeric::argmax;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// Training rows that vote on the class of a row near them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RadiusNeighborsClassifier {
    pub(super) memory: Memory,
    pub(super) labels: Vec<usize>,
    pub(super) classes: Classes,
    /// The share of each class among the training rows.
    pub(super) shares: Array1<f64>,
}

impl RadiusNeighborsClassifier {
    /// The training rows within the radius of each row, nearest first, with their distances.
    pub fn radius_neighbors<'a>(
        &self,
        rows: impl Into<Samples<'a>>,
    ) -> Result<Vec<Vec<(usize, f64)>>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        self.memory.within(samples.rows())
    }

    /// How many training rows of each class are in the ball: one row of counts per row, all zero
    /// where the ball is empty.
    pub fn vote_counts<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Array2<usize>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        let width = self.classes.len();
        let counts = self
            .memory
            .judge(samples.rows(), width, |neighbors, _, counts| {
                for &(neighbor, _) in neighbors {
                    counts[self.labels[neighbor]] += 1.0;
                }
            })?;
        Ok(counts.mapv(|count| count as usize))
    }

    /// The voices for each class, all zero where the ball is empty.
    fn votes(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let width = self.classes.len();
        self.memory.judge(rows, width, |neighbors, voices, answer| {
            for (&(neighbor, _), &voice) in neighbors.iter().zip(voices) {
                answer[self.labels[neighbor]] += voice;
            }
        })
    }
}

impl Features for RadiusNeighborsClassifier {
    fn n_features(&self) -> usize {
        self.memory.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Classify for RadiusNeighborsClassifier {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The class with most voices; the most frequent one where the ball is empty, which
    /// [`decide`](Classify::decide) tells apart.
    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let usual = argmax(self.shares.iter().copied()).unwrap_or(0);
        let decided = self.decide(rows)?.into_iter();
        Ok(decided.map(|class| class.unwrap_or(usual)).collect())
    }

    /// The class with most voices, or nothing where no training row is in the ball.
    fn decide(&self, rows: Rows<'_>) -> Result<Vec<Option<usize>>> {
        let votes = self.votes(rows)?;
        let best = votes.rows().into_iter().map(|row| {
            let best = argmax(row.iter().copied());
            best.filter(|&class| row[class] > 0.0)
        });
        Ok(best.collect())
    }
}

impl Probabilities for RadiusNeighborsClassifier {
    /// The shares of the voices; those of all training rows where the ball is empty.
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut votes = self.votes(rows)?;
        for mut row in votes.rows_mut() {
            match row.sum() {
                total if total > 0.0 => row /= total,
                _ => row.assign(&self.shares),
            }
        }
        Ok(votes)
    }
}

impl Model for RadiusNeighborsClassifier {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_samples_fit",
            meaning: "Number of training rows.",
            get: |model| Value::from(model.memory.n_rows()),
        },
        Attribute {
            name: "radius",
            meaning: "How far away a row may be and still decide.",
            get: |model| Value::from(model.memory.radius()),
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
                && self.labels.iter().all(|&label| label < self.classes.len())
                && self.shares.len() == self.classes.len()
                && self
                    .shares
                    .iter()
                    .all(|&share| (0.0..=1.0).contains(&share)),
        )?;
        self.memory.validate()
    }
}
