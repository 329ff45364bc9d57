//! Numbers as the mean over the nearest training rows.

use super::memory::Memory;
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Model, Regress, Result, Rows, Samples, Value,
};
use didact_math::neighbors::Neighbors;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Training rows whose targets are averaged around a row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KNeighborsRegressor {
    pub(super) memory: Memory,
    pub(super) targets: Array2<f64>,
}

impl KNeighborsRegressor {
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
}

impl Features for KNeighborsRegressor {
    fn n_features(&self) -> usize {
        self.memory.n_columns()
    }

    fn accepts(&self) -> Accepts {
        Accepts::SPARSE
    }
}

impl Regress for KNeighborsRegressor {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let width = self.targets.ncols();
        self.memory
            .numbers(rows, width, |neighbors, voices, answer| {
                let total: f64 = voices.iter().sum();
                for (&neighbor, &voice) in neighbors.iter().zip(voices) {
                    // Shares sum to one, so that huge targets do not overflow on the way.
                    let share = voice / total;
                    for (answer, target) in answer.iter_mut().zip(self.targets.row(neighbor)) {
                        *answer += share * target;
                    }
                }
            })
    }
}

impl Model for KNeighborsRegressor {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

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
            name: "effective_metric",
            meaning: "How distance is measured.",
            get: |model| Value::from(model.memory.metric_name()),
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(
            self.targets.nrows() == self.memory.n_rows()
                && self.targets.ncols() >= 1
                && self.targets.iter().all(|target| target.is_finite()),
        )?;
        self.memory.validate()
    }
}
