//! Factors of users and items, and the groups through which items speak for each other.

use super::groups::Groups;
use crate::factors::row;
use crate::offsets::Offsets;
use crate::recommender::predict_rows;
use crate::{RatingMatrix, Recommender};
use didact_core::model::ensure_consistent;
use didact_core::{Abilities, Attribute, Features, Model, Regress, Result, Rows, Trace, Value};
use didact_math::numeric::dot;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Factors of users and items, whose products are summed over groups of similar items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryModel {
    users: Array2<f64>,
    items: Array2<f64>,
    groups: Groups,
    /// W_j = Σ_{t∈G_j} S_jt·V_t, so that a prediction is one product.
    combined: Array2<f64>,
    offsets: Offsets,
    ratings: RatingMatrix,
    clip: bool,
    trace: Trace,
}

impl MemoryModel {
    pub(super) fn new(
        users: Array2<f64>,
        items: Array2<f64>,
        groups: Groups,
        offsets: Offsets,
        ratings: RatingMatrix,
        clip: bool,
        trace: Trace,
    ) -> Self {
        MemoryModel {
            combined: groups.combine(&groups.similarities, &items),
            users,
            items,
            groups,
            offsets,
            ratings,
            clip,
            trace,
        }
    }

    /// The factors U of the users, one row each.
    pub fn user_factors(&self) -> &Array2<f64> {
        &self.users
    }

    /// The factors V of the items, one row each.
    pub fn item_factors(&self) -> &Array2<f64> {
        &self.items
    }

    /// The members of the group of an item with their similarities S, itself first where it is
    /// included.
    ///
    /// # Panics
    /// When there is no such item.
    pub fn group(&self, item: usize) -> Vec<(usize, f64)> {
        let members = self.groups.of(item);
        members
            .map(|(place, member)| (member, self.groups.similarities[place]))
            .collect()
    }

    /// The objective that was reached.
    pub fn objective(&self) -> f64 {
        self.trace.objectives.last().copied().unwrap_or(f64::NAN)
    }
}

impl Recommender for MemoryModel {
    fn ratings(&self) -> &RatingMatrix {
        &self.ratings
    }

    fn clips(&self) -> bool {
        self.clip
    }

    fn estimate(&self, user: usize, item: usize) -> f64 {
        self.offsets.of(user, item) + dot(row(&self.users, user), row(&self.combined, item))
    }
}

impl Features for MemoryModel {
    fn n_features(&self) -> usize {
        2
    }
}

impl Regress for MemoryModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        predict_rows(self, rows)
    }
}

impl Model for MemoryModel {
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
            name: "n_iter",
            meaning: "Number of iterations made.",
            get: |model| Value::from(model.trace.n_iter()),
        },
    ];

    fn trace(&self) -> Option<&Trace> {
        Some(&self.trace)
    }

    fn validate(&self) -> Result<()> {
        self.offsets.validate(&self.ratings)?;
        self.groups.validate(self.ratings.n_items())?;
        let are_factors = |factors: &Array2<f64>, n: usize| {
            factors.dim() == (n, self.users.ncols())
                && factors.is_standard_layout()
                && factors.iter().all(|factor| factor.is_finite())
        };
        let n_items = self.ratings.n_items();
        ensure_consistent(
            are_factors(&self.users, self.ratings.n_users())
                && are_factors(&self.items, n_items)
                && are_factors(&self.combined, n_items),
        )
    }
}
