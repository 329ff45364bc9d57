//! What is taken off ratings before they are compared, and put back afterwards.

use crate::RatingMatrix;
use didact_core::Csr;
use didact_core::model::ensure_consistent;
use didact_core::{CsrView, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is subtracted from ratings before learning and added to predictions after it.
///
/// The means are those of the training ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Centering {
    /// Nothing.
    None,
    /// The mean of all ratings.
    Mean,
    /// The mean of each user's ratings: users who always give the same are predicted at it.
    Users,
    /// The mean of each user's ratings, and then the mean that is left to each item.
    UsersAndItems,
}

/// A number for every user and every item, whose sum is an offset of the rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Offsets {
    pub(crate) users: Vec<f64>,
    pub(crate) items: Vec<f64>,
}

impl Offsets {
    pub(crate) fn new(ratings: &RatingMatrix, centering: Centering) -> Self {
        let users: Vec<f64> = (0..ratings.n_users())
            .map(|user| match centering {
                Centering::None => 0.0,
                Centering::Mean => ratings.mean(),
                Centering::Users | Centering::UsersAndItems => ratings.user_mean(user),
            })
            .collect();
        let items = (0..ratings.n_items())
            .map(|item| match (centering, ratings.of_item(item)) {
                (Centering::UsersAndItems, (raters, values)) if !raters.is_empty() => {
                    let pairs = raters.iter().zip(values);
                    let rest = pairs.map(|(&user, value)| value - users[user as usize]);
                    rest.sum::<f64>() / values.len() as f64
                }
                _ => 0.0,
            })
            .collect();
        Offsets { users, items }
    }

    pub(crate) fn of(&self, user: usize, item: usize) -> f64 {
        self.users[user] + self.items[item]
    }

    /// The ratings by user without their offsets.
    pub(crate) fn remove(&self, by_user: CsrView<'_>) -> Result<Csr> {
        let (starts, columns, mut values, n_columns) = by_user.to_owned().into_parts();
        for user in 0..self.users.len() {
            for place in starts[user]..starts[user + 1] {
                values[place] -= self.of(user, columns[place] as usize);
            }
        }
        Csr::new(starts, columns, values, n_columns)
    }

    pub(crate) fn validate(&self, ratings: &RatingMatrix) -> Result<()> {
        ensure_consistent(
            self.users.len() == ratings.n_users() && self.items.len() == ratings.n_items(),
        )?;
        let mut numbers = self.users.iter().chain(&self.items);
        ensure_consistent(numbers.all(|number| number.is_finite()))
    }
}
