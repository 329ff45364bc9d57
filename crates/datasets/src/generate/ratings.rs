//! Ratings that follow a low-rank model.

use super::Generate;
use super::points::{check_size, made, normal, normals};
use crate::dataset::{Dataset, Info, Roles, Task};
use didact_core::random::Generator;
use didact_core::{Column, Result, Table};
use rand::RngExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stars from one to five that users give to items.
///
/// The rating of item i by user u is 3.2 + a_u + b_i + p_u·q_i + noise, rounded and kept
/// between 1 and 5, where a, b and the tastes p and q of length `rank` are normal. Which pairs
/// are rated is random, but every user rates something and every item is rated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LowRankRatings {
    /// How many users.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub n_users: usize,
    /// How many items.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub n_items: usize,
    /// How many directions of taste.
    #[schemars(range(min = 0, max = 100))]
    pub rank: usize,
    /// Share of the pairs that are rated.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Standard deviation of the noise before rounding.
    #[schemars(range(min = 0))]
    pub noise: f64,
}

impl Default for LowRankRatings {
    fn default() -> Self {
        LowRankRatings {
            n_users: 200,
            n_items: 100,
            rank: 2,
            share: 0.25,
            noise: 0.3,
        }
    }
}

impl Generate for LowRankRatings {
    const INFO: Info = made(
        "low-rank-ratings",
        "Synthetic ratings",
        "Stars from one to five that made-up users give to made-up items, from a low-rank model.",
        Task::Recommendation,
    );

    fn draw(&self, random: &mut Generator) -> Result<Dataset> {
        check_size(self.n_users, self.n_items)?;
        check_size(self.n_users.max(self.n_items), self.rank)?;
        let user_bias = normals(self.n_users, 1, random) * 0.4;
        let item_bias = normals(self.n_items, 1, random) * 0.4;
        // Tastes are scaled so that their product varies as much for every rank.
        let scale = (1.0 / self.rank.max(1) as f64).powf(0.25);
        let user_tastes = normals(self.n_users, self.rank, random) * scale;
        let item_tastes = normals(self.n_items, self.rank, random) * scale;
        let (mut users, mut items, mut stars) = (Vec::new(), Vec::new(), Vec::new());
        for (user, item) in self.pairs(random) {
            let liking = user_tastes.row(user).dot(&item_tastes.row(item));
            let exact = 3.2 + user_bias[[user, 0]] + item_bias[[item, 0]] + liking;
            let noisy = exact + self.noise * normal(random);
            users.push(user as f64);
            items.push(item as f64);
            stars.push(noisy.round().clamp(1.0, 5.0));
        }
        let mut table = Table::new();
        table.push("user", Column::Numbers(users))?;
        table.push("item", Column::Numbers(items))?;
        table.push("rating", Column::Numbers(stars))?;
        let roles = Roles {
            target: Some("rating"),
            ..Roles::default()
        };
        Ok(Dataset::new(Self::INFO, table, roles)?
            .with_truth("user_tastes", user_tastes)
            .with_truth("item_tastes", item_tastes))
    }
}

impl LowRankRatings {
    /// The pairs that are rated, ordered by user and item.
    fn pairs(&self, random: &mut Generator) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let mut rated = vec![false; self.n_items];
        for user in 0..self.n_users {
            let before = pairs.len();
            pairs.extend(
                (0..self.n_items)
                    .filter(|_| random.random::<f64>() < self.share)
                    .map(|item| (user, item)),
            );
            if pairs.len() == before {
                pairs.push((user, random.random_range(0..self.n_items)));
            }
            for &(_, item) in &pairs[before..] {
                rated[item] = true;
            }
        }
        for item in (0..self.n_items).filter(|&item| !rated[item]) {
            pairs.push((random.random_range(0..self.n_users), item));
        }
        pairs.sort_unstable();
        pairs
    }
}
