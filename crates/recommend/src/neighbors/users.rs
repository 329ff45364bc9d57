//! Ratings predicted from those of similar users.

use super::common::Agreement;
use crate::recommender::predict_rows;
use crate::{RatingMatrix, Recommender};
use didact_core::model::ensure_consistent;
use didact_core::{
    Abilities, Attribute, Features, Fit, Model, Ratings, Regress, Result, Rows, Run, Value,
};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Predicts ratings from those of the users whose taste is most alike, or most opposed.
///
/// sim(a, b) is Pearson's correlation of the ratings of users a and b over the items that both
/// have rated, centred on these items. Among the users who rated item i the k with the largest
/// |sim(a, b)| speak: Ŷ_ai = Ȳ_a + Σ sim(a, b)·(Y_bi − Ȳ_b) / Σ |sim(a, b)|, where Ȳ is the mean
/// of all ratings of a user. Users of opposite taste count with the opposite sign; without
/// anybody similar the prediction is Ȳ_a. There is no training beyond keeping the ratings.
///
/// The prediction does not change when a constant is added to all ratings of another user.
///
/// ```
/// use didact_core::{Fit, Ratings};
/// use didact_recommend::{Recommender, UserNeighbors};
/// // User 1 rates like user 0, two stars lower, and gave item 2 one star above its mean.
/// let ratings = Ratings::new(&[0, 0, 1, 1, 1], &[0, 1, 0, 1, 2], &[5.0, 3.0, 3.0, 1.0, 3.0])?;
/// let model = UserNeighbors::default().fit(ratings)?;
/// assert!((model.predict(0, 2) - (4.0 + 3.0 - 7.0 / 3.0)).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserNeighbors {
    /// How many users speak.
    #[schemars(range(min = 1))]
    pub n_neighbors: usize,
    /// How many items two users must both have rated to be comparable; with two, every
    /// similarity over two items is 1, −1 or undefined.
    #[schemars(range(min = 2))]
    pub min_common: usize,
    /// Whether only users of like taste speak, as in other libraries.
    pub positive_only: bool,
    /// Whether predictions stay within the range of the training ratings.
    pub clip: bool,
}

impl Default for UserNeighbors {
    fn default() -> Self {
        UserNeighbors {
            n_neighbors: 20,
            min_common: 2,
            positive_only: false,
            clip: false,
        }
    }
}

impl Fit<Ratings<'_>> for UserNeighbors {
    type Model = UserNeighborsModel;

    fn learn(&self, data: Ratings<'_>, _run: &Run) -> Result<UserNeighborsModel> {
        Ok(UserNeighborsModel {
            parameters: self.clone(),
            ratings: RatingMatrix::new(&data)?,
        })
    }
}

/// The ratings, and how neighbours are asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UserNeighborsModel {
    parameters: UserNeighbors,
    ratings: RatingMatrix,
}

/// A user who may speak: how similar, and how much above the own mean the item was rated.
struct Voice {
    user: u32,
    similarity: f64,
    deviation: f64,
}

impl UserNeighborsModel {
    /// The similarity of two users, zero where it is undefined: fewer than `min_common` items
    /// rated by both, or ratings of these that are all equal.
    pub fn similarity(&self, a: usize, b: usize) -> f64 {
        let agreement = Agreement::of_users(self.ratings.of_user(a), self.ratings.of_user(b));
        self.judge(&agreement)
    }

    /// The similarity of a user to every user.
    pub fn similarities(&self, user: usize) -> Vec<f64> {
        let mut agreements = vec![Agreement::default(); self.ratings.n_users()];
        let (items, values) = self.ratings.of_user(user);
        for (&item, &mine) in items.iter().zip(values) {
            let (raters, theirs) = self.ratings.of_item(item as usize);
            for (&rater, &their) in raters.iter().zip(theirs) {
                agreements[rater as usize].push(mine, their);
            }
        }
        agreements
            .iter()
            .map(|agreement| self.judge(agreement))
            .collect()
    }

    fn judge(&self, agreement: &Agreement) -> f64 {
        let similarity = match agreement.n_common() >= self.parameters.min_common {
            true => agreement.correlation(),
            false => 0.0,
        };
        match self.parameters.positive_only {
            true => similarity.max(0.0),
            false => similarity,
        }
    }

    /// The estimate for an item given how similar each rater is to the user.
    fn weigh(&self, user: usize, item: usize, similarity: impl Fn(usize) -> f64) -> f64 {
        let (raters, values) = self.ratings.of_item(item);
        let mut voices: Vec<Voice> = raters
            .iter()
            .zip(values)
            .filter(|(rater, _)| **rater as usize != user)
            .map(|(&rater, value)| Voice {
                user: rater,
                similarity: similarity(rater as usize),
                deviation: value - self.ratings.user_mean(rater as usize),
            })
            .filter(|voice| voice.similarity != 0.0)
            .collect();
        let order = |a: &Voice, b: &Voice| {
            let nearer = b.similarity.abs().total_cmp(&a.similarity.abs());
            nearer.then(a.user.cmp(&b.user))
        };
        let k = self.parameters.n_neighbors;
        if k < voices.len() {
            voices.select_nth_unstable_by(k, order);
            voices.truncate(k);
        }
        // In one order, so that the sums are the same whoever computes them.
        voices.sort_unstable_by(order);
        let total: f64 = voices.iter().map(|voice| voice.similarity.abs()).sum();
        let mean = self.ratings.user_mean(user);
        match total > 0.0 {
            true => {
                let shares = voices
                    .iter()
                    .map(|voice| voice.similarity * voice.deviation);
                mean + shares.sum::<f64>() / total
            }
            false => mean,
        }
    }
}

impl Recommender for UserNeighborsModel {
    fn ratings(&self) -> &RatingMatrix {
        &self.ratings
    }

    fn clips(&self) -> bool {
        self.parameters.clip
    }

    fn estimate(&self, user: usize, item: usize) -> f64 {
        self.weigh(user, item, |rater| self.similarity(user, rater))
    }

    fn estimate_all(&self, user: usize) -> Vec<f64> {
        let similarities = self.similarities(user);
        (0..self.ratings.n_items())
            .map(|item| self.weigh(user, item, |rater| similarities[rater]))
            .collect()
    }
}

impl Features for UserNeighborsModel {
    fn n_features(&self) -> usize {
        2
    }
}

impl Regress for UserNeighborsModel {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        predict_rows(self, rows)
    }
}

impl Model for UserNeighborsModel {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "n_neighbors",
            meaning: "How many users speak.",
            get: |model| Value::from(model.parameters.n_neighbors),
        },
        Attribute {
            name: "n_ratings",
            meaning: "Number of training ratings.",
            get: |model| Value::from(model.ratings.n_ratings()),
        },
        Attribute {
            name: "mean",
            meaning: "Mean of all ratings.",
            get: |model| Value::from(model.ratings.mean()),
        },
    ];

    fn validate(&self) -> Result<()> {
        ensure_consistent(self.parameters.n_neighbors >= 1 && self.parameters.min_common >= 2)
    }
}
