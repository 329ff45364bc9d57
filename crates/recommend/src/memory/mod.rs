//! Memory-based matrix factorisation: an item is rated like the items that are similar to it.

mod encoder;
mod groups;
mod model;
mod objective;
#[cfg(test)]
mod tests;

pub use model::MemoryModel;

use crate::neighbors::{Cosines, ItemLists};
use crate::offsets::Offsets;
use crate::{Centering, RatingMatrix};
use didact_core::random::generator;
use didact_core::{Fit, Ratings, Result, Run};
use didact_optimize::{Lbfgs, Minimise};
use encoder::Encoder;
use groups::Groups;
use objective::{MemoryObjective, Prices};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Completes ratings by factors of users and of groups of similar items.
///
/// R̂_ij = Σ_{t∈G_j} S_jt·U_i·V_t, where the group G_j holds item j and the `n_neighbors` items whose
/// columns of ratings have the largest cosines with its own. Minimises ½Σ(R_ij − R̂_ij)² over the
/// observed ratings plus (λ/2) times the squares of U, V and S, each with its own λ. U and V start
/// at normal random values and S at the cosines, 1 for an item with itself; then all of them are
/// learned by a quasi-Newton descent, while the groups stay as they are.
///
/// With `n_neighbors` 0 and `learn_similarities` off this is probabilistic matrix factorisation.
/// With `hidden_layers` the factors of a user or item are not free but the output of a network
/// with tanh layers that reads its one-of-n code.
///
/// ```
/// use didact_core::Fit;
/// use didact_recommend::{MemoryFactorization, rating_errors};
/// let films = didact_datasets::ratings();
/// let model = MemoryFactorization::default().fit(films.ratings()?)?;
/// assert!(rating_errors(&model, &films.ratings()?)?.rmse < 0.6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryFactorization {
    /// How many factors a user and an item have.
    #[schemars(range(min = 1, max = 10_000))]
    pub n_factors: usize,
    /// How many similar items are in the group of an item, besides itself.
    pub n_neighbors: usize,
    /// Whether an item belongs to its own group.
    pub include_self: bool,
    /// Whether similarities are learned, or stay cosines without a price.
    pub learn_similarities: bool,
    /// Price λ_U of the users' factors.
    #[schemars(range(min = 0))]
    pub user_alpha: f64,
    /// Price λ_V of the items' factors.
    #[schemars(range(min = 0))]
    pub item_alpha: f64,
    /// Price λ_S of the similarities, where they are learned.
    #[schemars(range(min = 0))]
    pub similarity_alpha: f64,
    /// Widths of the tanh layers between the codes of users and items and their factors.
    #[schemars(inner(range(min = 1, max = 10_000)))]
    pub hidden_layers: Vec<usize>,
    /// What is taken off the ratings before and put back after.
    pub centering: Centering,
    /// Most iterations.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when an iteration lowers the objective by at most this share of it.
    #[schemars(range(min = 0))]
    pub tol: f64,
    /// Seed of everything random.
    pub random_state: u64,
    /// Whether predictions stay within the range of the training ratings.
    pub clip: bool,
}

impl Default for MemoryFactorization {
    fn default() -> Self {
        MemoryFactorization {
            n_factors: 5,
            n_neighbors: 5,
            include_self: true,
            learn_similarities: true,
            user_alpha: 3.0,
            item_alpha: 3.0,
            similarity_alpha: 3.0,
            hidden_layers: Vec::new(),
            centering: Centering::None,
            max_iter: 200,
            tol: 1e-5,
            random_state: 0,
            clip: false,
        }
    }
}

impl Fit<Ratings<'_>> for MemoryFactorization {
    type Model = MemoryModel;

    fn learn(&self, data: Ratings<'_>, run: &Run) -> Result<MemoryModel> {
        let ratings = RatingMatrix::new(&data)?;
        let offsets = Offsets::new(&ratings, self.centering);
        let cosines = Cosines::new(&ratings, self.centering)?;
        let lists = ItemLists::new(&cosines, self.n_neighbors, run)?;
        let groups = Groups::new(&lists, ratings.n_items(), self.include_self);
        let encoder = |n: usize| Encoder::new(n, &self.hidden_layers, self.n_factors);
        let mut objective = MemoryObjective::new(
            offsets.remove(ratings.by_user())?,
            groups,
            [encoder(ratings.n_users()), encoder(ratings.n_items())],
            self.prices(),
            self.learn_similarities,
            run,
        )?;
        let start = objective.start(&mut generator(self.random_state, 0));
        let descent = Lbfgs {
            max_iter: self.max_iter,
            gradient_tolerance: 1e-10,
            objective_tolerance: self.tol,
            ..Default::default()
        };
        let outcome = descent.minimise(&mut objective, &start, run)?;
        let [users, items] = objective.factors(&outcome.x);
        Ok(MemoryModel::new(
            users,
            items,
            objective.into_groups(&outcome.x),
            offsets,
            ratings,
            self.clip,
            outcome.trace,
        ))
    }
}

impl MemoryFactorization {
    fn prices(&self) -> Prices {
        Prices {
            users: self.user_alpha,
            items: self.item_alpha,
            similarities: self.similarity_alpha,
        }
    }
}
