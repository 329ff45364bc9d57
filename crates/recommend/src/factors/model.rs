//! Factors of users and items.

use super::ridge::row;
use crate::offsets::Offsets;
use crate::recommender::predict_rows;
use crate::{RatingMatrix, Recommender};
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Features, Model, Regress, Result, Rows, Trace, Value};
use didact_math::numeric::dot;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Factors of taste for every user and of content for every item, whose products are ratings.
///
/// Ŷ_ai = o_ai + U_a·V_i with the offset o that was taken off before. Only the products mean
/// something: U·A and V·A⁻ᵀ give the same ratings for every invertible A.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorModel {
    users: Array2<f64>,
    items: Array2<f64>,
    offsets: Offsets,
    ratings: RatingMatrix,
    clip: bool,
    trace: Trace,
}

impl FactorModel {
    pub(super) fn new(
        users: Array2<f64>,
        items: Array2<f64>,
        offsets: Offsets,
        ratings: RatingMatrix,
        clip: bool,
        trace: Trace,
    ) -> Self {
        FactorModel {
            users,
            items,
            offsets,
            ratings,
            clip,
            trace,
        }
    }

    /// The factors U of the users, one row each; zeros for one without ratings.
    pub fn user_factors(&self) -> &Array2<f64> {
        &self.users
    }

    /// The factors V of the items, one row each; zeros for one without ratings.
    pub fn item_factors(&self) -> &Array2<f64> {
        &self.items
    }

    /// The objective that was reached.
    pub fn objective(&self) -> f64 {
        self.trace.objectives.last().copied().unwrap_or(f64::NAN)
    }

    /// √(mean squared error) on the training ratings.
    pub fn training_rmse(&self) -> f64 {
        let errors = self.ratings.ratings().map(|(user, item, value)| {
            let error = value - Recommender::predict(self, user, item);
            error * error
        });
        (errors.sum::<f64>() / self.ratings.n_ratings() as f64).sqrt()
    }
}

impl Recommender for FactorModel {
    fn ratings(&self) -> &RatingMatrix {
        &self.ratings
    }

    fn clips(&self) -> bool {
        self.clip
    }

    fn estimate(&self, user: usize, item: usize) -> f64 {
        self.offsets.of(user, item) + dot(row(&self.users, user), row(&self.items, item))
    }
}

impl Features for FactorModel {
    fn n_features(&self) -> usize {
        2
    }
}

impl Regress for FactorModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        predict_rows(self, rows)
    }
}

impl Model for FactorModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "user_factors",
            meaning: "Taste of each user, one row each.",
            get: |model| Value::from(&model.users),
        },
        Attribute {
            name: "item_factors",
            meaning: "Content of each item, one row each.",
            get: |model| Value::from(&model.items),
        },
        Attribute {
            name: "training_rmse",
            meaning: "Root of the mean squared error on the training ratings.",
            get: |model| Value::from(model.training_rmse()),
        },
        Attribute {
            name: "n_iter",
            meaning: "Number of rounds made.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.offsets.validate(&self.ratings)?;
        let are_factors = |factors: &Array2<f64>, n: usize| {
            factors.nrows() == n
                && factors.is_standard_layout()
                && factors.iter().all(|factor| factor.is_finite())
        };
        ensure_consistent(
            are_factors(&self.users, self.ratings.n_users())
                && are_factors(&self.items, self.ratings.n_items())
                && self.users.ncols() == self.items.ncols(),
        )
    }
}
