//! Boosted trees that tell classes apart.

use super::GradientBoostingClassifier;
use super::losses::Loss;
use super::rounds::{Boosted, Material};
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Classes, Classify, Features, Fit, Labelled, Model,
    Probabilities, Result, Rows, Run, Scores, Trace, Value,
};
use didact_math::numeric::{argmax, log_softmax_in_place, sigmoid};
use ndarray::Array2;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Sums of trees that are scores of classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoostedClassifier {
    boosted: Boosted,
    classes: Classes,
}

impl Fit<Labelled<'_>> for GradientBoostingClassifier {
    type Model = BoostedClassifier;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MISSING);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<BoostedClassifier> {
        let factors = self
            .class_weight
            .factors(data.classes, &data.class_weights())?;
        let labels: Vec<u32> = data.labels.iter().map(|&label| label as u32).collect();
        let weights: Vec<f64> = (0..labels.len())
            .map(|row| data.samples.weight(row) * factors[data.labels[row]])
            .collect();
        let n_classes = data.classes.len();
        let (train, held_back) = match self.early_stopping.applies(labels.len()) {
            true => hold_back(
                data.labels,
                n_classes,
                self.validation_fraction,
                self.random_state,
            ),
            false => ((0..labels.len() as u32).collect(), Vec::new()),
        };
        let mut totals = vec![0.0; n_classes];
        for &row in &train {
            totals[data.labels[row as usize]] += weights[row as usize];
        }
        let weight: f64 = totals.iter().sum();
        // A class without rows is unlikely, not impossible: its logarithm must be finite.
        let share = |class: usize| (totals[class] / weight).max(1e-12);
        let (loss, start) = match n_classes {
            2 => (Loss::Logistic { labels }, vec![(share(1) / share(0)).ln()]),
            _ => (
                Loss::Softmax { labels, n_classes },
                (0..n_classes).map(|class| share(class).ln()).collect(),
            ),
        };
        let material = Material {
            rows: data.samples.dense()?,
            loss,
            weights,
            start,
            train: positive(train, &data),
            held_back,
        };
        Ok(BoostedClassifier {
            boosted: Boosted::learn(&material, &self.rounds(), run)?,
            classes: data.classes.clone(),
        })
    }
}

/// The rows that have a weight.
fn positive(mut rows: Vec<u32>, data: &Labelled<'_>) -> Vec<u32> {
    rows.retain(|&row| data.samples.weight(row as usize) > 0.0);
    rows
}

/// A share of the rows of each class, held back; a class keeps one row at least.
fn hold_back(labels: &[usize], n_classes: usize, share: f64, seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut random = generator(seed, u64::MAX);
    let mut is_held = vec![false; labels.len()];
    for class in 0..n_classes {
        let mut rows: Vec<usize> = (0..labels.len())
            .filter(|&row| labels[row] == class)
            .collect();
        let count =
            ((rows.len() as f64 * share).round() as usize).min(rows.len().saturating_sub(1));
        for place in 0..count {
            let other = random.random_range(place..rows.len());
            rows.swap(place, other);
            is_held[rows[place]] = true;
        }
    }
    (0..labels.len() as u32).partition(|&row| !is_held[row as usize])
}

impl Features for BoostedClassifier {
    fn n_features(&self) -> usize {
        self.boosted.n_features
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

impl Classify for BoostedClassifier {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let sums = self.boosted.sums(rows.dense()?)?;
        let two = self.classes.len() == 2;
        Ok(sums
            .rows()
            .into_iter()
            .map(|row| match two {
                true => usize::from(row[0] >= 0.0),
                false => argmax(row.iter().copied()).unwrap_or(0),
            })
            .collect())
    }
}

impl Probabilities for BoostedClassifier {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let mut sums = self.boosted.sums(rows.dense()?)?;
        if self.classes.len() == 2 {
            return Ok(Array2::from_shape_fn((sums.nrows(), 2), |(row, class)| {
                sigmoid(if class == 1 {
                    sums[[row, 0]]
                } else {
                    -sums[[row, 0]]
                })
            }));
        }
        for mut row in sums.rows_mut() {
            let row = row.as_slice_mut().expect("sums are contiguous");
            log_softmax_in_place(row);
            row.iter_mut().for_each(|value| *value = value.exp());
        }
        Ok(sums)
    }
}

impl Scores for BoostedClassifier {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.boosted.sums(rows.dense()?)
    }
}

impl Model for BoostedClassifier {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities().scores();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "n_iter",
            meaning: "Number of rounds.",
            get: |model| Value::from(model.boosted.n_iter()),
        },
        Attribute {
            name: "baseline",
            meaning: "The scores before the first round.",
            get: |model| Value::from(model.boosted.start.as_slice()),
        },
        Attribute {
            name: "validation_loss",
            meaning: "The log-loss of the rows held back, before the first round and after each.",
            get: |model| Value::from(model.boosted.validation.as_slice()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.boosted.trace)
    }

    fn validate(&self) -> Result<()> {
        self.boosted.validate(match self.classes.len() {
            2 => 1,
            many => many,
        })
    }
}
