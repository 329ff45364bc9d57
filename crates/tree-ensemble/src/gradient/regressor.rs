//! Boosted trees that predict numbers.

use super::GradientBoostingRegressor;
use super::losses::Loss;
use super::rounds::{Boosted, Material};
use crate::teaching::centred;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Fit, Measured, Model, Regress, Result, Rows, Run,
    Trace, Value,
};
use ndarray::Array2;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Sums of trees that are predictions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BoostedRegressor {
    boosted: Boosted,
}

impl Fit<Measured<'_>> for GradientBoostingRegressor {
    type Model = BoostedRegressor;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MISSING);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<BoostedRegressor> {
        let original: Vec<f64> = data.targets.column(0).to_vec();
        let n_rows = original.len();
        let (targets, centers, scale) = centred(&original, 1);
        let weights: Vec<f64> = (0..n_rows).map(|row| data.samples.weight(row)).collect();
        let (mut train, held_back): (Vec<u32>, Vec<u32>) = match self.early_stopping.applies(n_rows)
        {
            true => self.hold_back(n_rows),
            false => ((0..n_rows as u32).collect(), Vec::new()),
        };
        train.retain(|&row| weights[row as usize] > 0.0);
        let total: f64 = train.iter().map(|&row| weights[row as usize]).sum();
        let share = |row: u32| weights[row as usize] / total * targets[row as usize];
        let start = train.iter().map(|&row| share(row)).sum();
        let material = Material {
            rows: data.samples.dense()?,
            loss: Loss::Squared { targets },
            weights,
            start: vec![start],
            train,
            held_back,
        };
        let mut boosted = Boosted::learn(&material, &self.rounds(), run)?;
        boosted.rescale(scale, centers[0]);
        let unit = scale * scale;
        boosted.validation.iter_mut().for_each(|loss| *loss *= unit);
        boosted
            .trace
            .objectives
            .iter_mut()
            .for_each(|loss| *loss *= unit);
        Ok(BoostedRegressor { boosted })
    }
}

impl GradientBoostingRegressor {
    /// A share of the rows held back; one row at least teaches.
    fn hold_back(&self, n_rows: usize) -> (Vec<u32>, Vec<u32>) {
        let mut random = generator(self.random_state, u64::MAX);
        let mut rows: Vec<u32> = (0..n_rows as u32).collect();
        let count = (n_rows as f64 * self.validation_fraction).round() as usize;
        let count = count.min(n_rows.saturating_sub(1));
        for place in 0..count {
            let other = random.random_range(place..n_rows);
            rows.swap(place, other);
        }
        let mut train = rows.split_off(count);
        rows.sort_unstable();
        train.sort_unstable();
        (train, rows)
    }
}

impl Features for BoostedRegressor {
    fn n_features(&self) -> usize {
        self.boosted.n_features
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

impl Regress for BoostedRegressor {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        self.boosted.sums(rows.dense()?)
    }
}

impl Model for BoostedRegressor {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_iter",
            meaning: "Number of rounds.",
            get: |model| Value::from(model.boosted.n_iter()),
        },
        Attribute {
            name: "baseline",
            meaning: "The answer before the first round.",
            get: |model| Value::from(model.boosted.start.as_slice()),
        },
        Attribute {
            name: "validation_loss",
            meaning: "Half the squared error of the rows held back, before the first round and after each.",
            get: |model| Value::from(model.boosted.validation.as_slice()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.boosted.trace)
    }

    fn validate(&self) -> Result<()> {
        self.boosted.validate(1)
    }
}
