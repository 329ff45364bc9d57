//! The fitted logistic regression.

use crate::decision::Hyperplane;
use crate::rows::linear_scores;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Figure, Model, Probabilities,
    Result, Rows, Scores, Shape, Trace, Value,
};
use didact_math::numeric::{argmax, log_softmax_in_place, sigmoid};
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
        let choose = |scores: ndarray::ArrayView1<'_, f64>| match scores.len() {
            // A score of zero belongs to the second class.
            1 => usize::from(scores[0] >= 0.0),
            _ => argmax(scores.iter().copied()).unwrap_or(0),
        };
        Ok(scores
            .rows()
            .into_iter()
            .map(|scores| self.present[choose(scores)])
            .collect())
    }
}

impl Scores for LogisticModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let scores = self.linear(rows)?;
        if self.classes.len() == 2 {
            return Ok(scores);
        }
        // A class that had no rows scores less than any other.
        let mut all = Array2::from_elem((scores.nrows(), self.classes.len()), f64::MIN);
        for (mut row, scores) in all.rows_mut().into_iter().zip(scores.rows()) {
            match scores.len() {
                1 => {
                    row[self.present[0]] = -0.5 * scores[0];
                    row[self.present[1]] = 0.5 * scores[0];
                }
                _ => {
                    for (&class, &score) in self.present.iter().zip(scores) {
                        row[class] = score;
                    }
                }
            }
        }
        Ok(all)
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
    ];
    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "boundaries",
        meaning: "Where the score of two classes is zero, or where two of several scores are equal.",
        get: |model| {
            let outputs = model.coef.nrows();
            if outputs == 1 {
                return Some(Shape::Hyperplanes {
                    normals: model.coef.clone(),
                    offsets: model.intercept.to_vec(),
                });
            }
            let pairs: Vec<(usize, usize)> = (0..outputs)
                .flat_map(|a| (0..a).map(move |b| (b, a)))
                .collect();
            let normals = Array2::from_shape_fn((pairs.len(), model.coef.ncols()), |(pair, j)| {
                model.coef[[pairs[pair].1, j]] - model.coef[[pairs[pair].0, j]]
            });
            let offsets = pairs
                .iter()
                .map(|&(a, b)| model.intercept[b] - model.intercept[a]);
            Some(Shape::Hyperplanes {
                normals,
                offsets: offsets.collect(),
            })
        },
    }];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        let outputs = if self.present.len() == 2 {
            1
        } else {
            self.present.len()
        };
        ensure_consistent(self.present.len() >= 2 && self.coef.ncols() > 0)?;
        ensure_consistent(self.present.windows(2).all(|pair| pair[0] < pair[1]))?;
        ensure_consistent(self.present.iter().all(|&class| class < self.classes.len()))?;
        ensure_consistent(self.coef.nrows() == outputs && self.intercept.len() == outputs)?;
        let mut numbers = self.coef.iter().chain(&self.intercept);
        ensure_consistent(numbers.all(|number| number.is_finite()))
    }
}
