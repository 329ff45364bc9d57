//! Ratings predicted from those that the user gave to similar items.

use super::item_lists::{Cosines, ItemLists};
use crate::offsets::Offsets;
use crate::recommender::predict_rows;
use crate::{Centering, RatingMatrix, Recommender};
use didact_core::{
    Abilities, Attribute, Features, Fit, Model, Ratings, Regress, Result, Rows, Run, Value,
};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Predicts ratings from those that the same user gave to similar items.
///
/// The similarity S of two items is the cosine of their columns of ratings, missing ones counting
/// as zero. Every item j keeps the list G_j of the `n_neighbors` most similar others; the rating
/// by user i is o_ij + Σ S_jt·(R_it − o_it) / Σ |S_jt| over those t in G_j that the user rated,
/// with the offsets o that `centering` takes off before. Without any of them it is the user's
/// mean.
///
/// ```
/// use didact_core::{Fit, Ratings};
/// use didact_recommend::{Centering, ItemNeighbors, Recommender};
/// let ratings = Ratings::new(&[0, 0, 1, 1, 2], &[0, 1, 0, 1, 0], &[5.0, 4.0, 2.0, 1.0, 3.0])?;
/// let raw = ItemNeighbors { centering: Centering::None, ..Default::default() };
/// let model = raw.fit(ratings)?;
/// assert_eq!(model.lists().of(1).0, [0]);
/// assert!((model.predict(2, 1) - 3.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ItemNeighbors {
    /// How many similar items each item remembers.
    pub n_neighbors: usize,
    /// What is taken off the ratings before they are compared.
    pub centering: Centering,
    /// Whether predictions stay within the range of the training ratings.
    pub clip: bool,
}

impl Default for ItemNeighbors {
    fn default() -> Self {
        ItemNeighbors {
            n_neighbors: 20,
            centering: Centering::Users,
            clip: false,
        }
    }
}

impl Fit<Ratings<'_>> for ItemNeighbors {
    type Model = ItemNeighborsModel;

    fn learn(&self, data: Ratings<'_>, run: &Run) -> Result<ItemNeighborsModel> {
        let ratings = RatingMatrix::new(&data)?;
        let cosines = Cosines::new(&ratings, self.centering)?;
        Ok(ItemNeighborsModel {
            lists: ItemLists::new(&cosines, self.n_neighbors, run)?,
            offsets: Offsets::new(&ratings, self.centering),
            clip: self.clip,
            ratings,
        })
    }
}

/// The lists of similar items, and the ratings to look up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemNeighborsModel {
    lists: ItemLists,
    offsets: Offsets,
    clip: bool,
    ratings: RatingMatrix,
}

impl ItemNeighborsModel {
    /// The most similar items of each item.
    pub fn lists(&self) -> &ItemLists {
        &self.lists
    }
}

impl Recommender for ItemNeighborsModel {
    fn ratings(&self) -> &RatingMatrix {
        &self.ratings
    }

    fn clips(&self) -> bool {
        self.clip
    }

    fn estimate(&self, user: usize, item: usize) -> f64 {
        let (rated, values) = self.ratings.of_user(user);
        let (neighbors, similarities) = self.lists.of(item);
        let (mut sum, mut total) = (0.0, 0.0);
        for (&neighbor, &similarity) in neighbors.iter().zip(similarities) {
            if let Ok(place) = rated.binary_search(&neighbor) {
                sum += similarity * (values[place] - self.offsets.of(user, neighbor as usize));
                total += similarity.abs();
            }
        }
        match total > 0.0 {
            true => self.offsets.of(user, item) + sum / total,
            false => self.ratings.user_mean(user),
        }
    }
}

impl Features for ItemNeighborsModel {
    fn n_features(&self) -> usize {
        2
    }
}

impl Regress for ItemNeighborsModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        predict_rows(self, rows)
    }
}

impl Model for ItemNeighborsModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_neighbors",
            meaning: "How many similar items each item remembers.",
            get: |model| Value::from(model.lists.width()),
        },
        Attribute {
            name: "n_ratings",
            meaning: "Number of training ratings.",
            get: |model| Value::from(model.ratings.n_ratings()),
        },
    ];

    fn validate(&self) -> Result<()> {
        self.offsets.validate(&self.ratings)?;
        self.lists.validate(self.ratings.n_items())
    }
}
