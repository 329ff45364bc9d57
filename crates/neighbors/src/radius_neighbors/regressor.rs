//! Numbers as the mean over all training rows within a radius.

use super::memory::Memory;
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Model, Regress, Result, Rows, Samples, Value,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Training rows whose targets are averaged around a row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RadiusNeighborsRegressor {
    pub(super) memory: Memory,
    pub(super) targets: Array2<f64>,
    /// What is predicted where the ball is empty; nothing, which is NaN, where absent.
    pub(super) fallback: Option<Vec<f64>>,
}

impl RadiusNeighborsRegressor {
    /// The training rows within the radius of each row, nearest first, with their distances.
    pub fn radius_neighbors<'a>(
        &self,
        rows: impl Into<Samples<'a>>,
    ) -> Result<Vec<Vec<(usize, f64)>>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        self.memory.within(samples.rows())
    }
}

impl Features for RadiusNeighborsRegressor {
    fn n_features(&self) -> usize {
        self.memory.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Regress for RadiusNeighborsRegressor {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let width = self.targets.ncols();
        self.memory.judge(rows, width, |neighbors, voices, answer| {
            if neighbors.is_empty() {
                match &self.fallback {
                    Some(fallback) => answer.copy_from_slice(fallback),
                    None => answer.fill(f64::NAN),
                }
                return;
            }
            let total: f64 = voices.iter().sum();
            for (&(neighbor, _), &voice) in neighbors.iter().zip(voices) {
                // Shares sum to one, so that huge targets do not overflow on the way.
                let share = voice / total;
                for (answer, target) in answer.iter_mut().zip(self.targets.row(neighbor)) {
                    *answer += share * target;
                }
            }
        })
    }
}

impl Model for RadiusNeighborsRegressor {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

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
            name: "effective_metric",
            meaning: "How distance is measured.",
            get: |model| Value::from(model.memory.metric_name()),
        },
    ];

    fn validate(&self) -> Result<()> {
        let width = self.targets.ncols();
        let fallback = self.fallback.as_ref();
        ensure_consistent(
            self.targets.nrows() == self.memory.n_rows()
                && width > 0
                && self.targets.iter().all(|value| value.is_finite())
                && fallback.is_none_or(|means| means.len() == width),
        )?;
        self.memory.validate()
    }
}
