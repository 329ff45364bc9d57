//! Boosted shapes.

use super::shape::{Space, Weak};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Classes, Classify, Features, Model, Probabilities, Result, Rows, Run,
    Scores, Trace, Value, parallel,
};
use didact_math::numeric::{argmax, sigmoid};
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};

/// The sum that tells one class from the rest.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Ensemble {
    pub(super) members: Vec<Weak>,
    /// What each round cost.
    pub(super) errors: Vec<f64>,
    pub(super) voices: Vec<f64>,
    pub(super) trace: Trace,
}

/// Sums of shapes whose signs are classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WeakBoostingModel {
    pub(super) classes: Classes,
    pub(super) space: Space,
    /// One for two classes, else one per class; none for a single class.
    pub(super) ensembles: Vec<Ensemble>,
}

impl WeakBoostingModel {
    /// What each round cost: the weighted error ε of discrete boosting. For the second of two
    /// classes, or for the given one.
    pub fn errors(&self, class: usize) -> &[f64] {
        self.ensemble(class)
            .map_or(&[], |ensemble| &ensemble.errors)
    }

    /// The size of the answer of each shape: the voice a of discrete boosting.
    pub fn voices(&self, class: usize) -> &[f64] {
        self.ensemble(class)
            .map_or(&[], |ensemble| &ensemble.voices)
    }

    /// The training error after each round.
    pub fn staged_errors(&self, class: usize) -> &[f64] {
        self.ensemble(class)
            .map_or(&[], |ensemble| &ensemble.trace.objectives)
    }

    fn ensemble(&self, class: usize) -> Option<&Ensemble> {
        match self.ensembles.len() {
            1 => self.ensembles.first(),
            _ => self.ensembles.get(class),
        }
    }

    /// The sum of each ensemble for each row.
    fn sums(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let scaled = self.space.scaled(rows.dense()?);
        let width = self.ensembles.len().max(1);
        let mut sums: Array2<f64> = Array2::zeros((scaled.nrows(), width));
        let output = sums.as_slice_mut().expect("sums are contiguous");
        parallel::fill(output, width, 1024, &Run::new(), |range, sums| {
            for (row, sums) in range.zip(sums.chunks_mut(width)) {
                let row = scaled.row(row);
                let row = row.to_slice().expect("rows are contiguous");
                for (sum, ensemble) in sums.iter_mut().zip(&self.ensembles) {
                    *sum = ensemble.members.iter().map(|weak| weak.answer(row)).sum();
                }
            }
            Ok(())
        })?;
        Ok(sums)
    }
}

impl Features for WeakBoostingModel {
    fn n_features(&self) -> usize {
        self.space.centers.len()
    }
}

impl Classify for WeakBoostingModel {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let sums = self.sums(rows)?;
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

impl Probabilities for WeakBoostingModel {
    /// 1/(1 + exp(−2F)) of each class, normalised where there are more than two.
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let sums = self.sums(rows)?;
        if self.classes.len() == 2 {
            return Ok(Array2::from_shape_fn((sums.nrows(), 2), |(row, class)| {
                let sum = sums[[row, 0]];
                sigmoid(if class == 1 { 2.0 * sum } else { -2.0 * sum })
            }));
        }
        let mut shares = sums.mapv(|sum| sigmoid(2.0 * sum));
        let even = 1.0 / shares.ncols() as f64;
        for mut row in shares.rows_mut() {
            let total = row.sum();
            match total > 0.0 {
                true => row /= total,
                false => row.fill(even),
            }
        }
        Ok(shares)
    }
}

impl Scores for WeakBoostingModel {
    fn scores(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.sums(rows)
    }
}

impl Model for WeakBoostingModel {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities().scores();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "n_shapes",
            meaning: "Number of shapes, over all classes.",
            get: |model| {
                let counts = model
                    .ensembles
                    .iter()
                    .map(|ensemble| ensemble.members.len());
                Value::from(counts.sum::<usize>())
            },
        },
        Attribute {
            name: "estimator_weights",
            meaning: "The size of the answer of each shape, class after class.",
            get: |model| {
                let voices = model
                    .ensembles
                    .iter()
                    .flat_map(|ensemble| ensemble.voices.clone());
                Value::from(Array1::from_iter(voices))
            },
        },
        Attribute {
            name: "estimator_errors",
            meaning: "What each round cost, class after class: its weighted error where boosting is discrete.",
            get: |model| {
                let errors = model
                    .ensembles
                    .iter()
                    .flat_map(|ensemble| ensemble.errors.clone());
                Value::from(Array1::from_iter(errors))
            },
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        self.ensembles.first().map(|ensemble| &ensemble.trace)
    }

    fn validate(&self) -> Result<()> {
        let expected = match self.classes.len() {
            0 | 1 => 0,
            2 => 1,
            many => many,
        };
        let width = self.space.centers.len();
        let sound = |ensemble: &Ensemble| ensemble.members.iter().all(|weak| weak.is_sound(width));
        ensure_consistent(
            width > 0
                && !self.classes.is_empty()
                && self.space.unit > 0.0
                && self.ensembles.len() == expected
                && self.ensembles.iter().all(sound),
        )
    }
}
