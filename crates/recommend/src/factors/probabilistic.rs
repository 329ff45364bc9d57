//! Probabilistic matrix factorisation.

use super::FactorModel;
use super::alternate::Task;
use crate::{Centering, RatingMatrix};
use didact_core::{Fit, Ratings, Result, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Completes ratings by the most probable factors under normal noise and normal priors.
///
/// R_ij ~ N(U_i·V_j, σ²) for the observed ratings, U_i ~ N(0, σ_U²I) and V_j ~ N(0, σ_V²I). The most
/// probable factors minimise ½Σ(R_ij − U_i·V_j)² + (λ_U/2)Σ‖U_i‖² + (λ_V/2)Σ‖V_j‖² with
/// λ_U = σ²/σ_U² and λ_V = σ²/σ_V². Given one side the other is a set of ridge regressions, so
/// that users and items take turns from normal random factors.
///
/// ```
/// use didact_core::Fit;
/// use didact_recommend::{ProbabilisticFactorization, Recommender, rating_errors};
/// let films = didact_datasets::ratings();
/// let model = ProbabilisticFactorization::default().fit(films.ratings()?)?;
/// assert!(rating_errors(&model, &films.ratings()?)?.rmse < 0.6);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProbabilisticFactorization {
    /// How many factors a user and an item have.
    #[schemars(range(min = 1, max = 10_000))]
    pub n_factors: usize,
    /// Variance σ² of the ratings around the products of their factors.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub noise_variance: f64,
    /// Variance σ_U² of the users' factors before any rating is seen.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub user_variance: f64,
    /// Variance σ_V² of the items' factors before any rating is seen.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub item_variance: f64,
    /// What is taken off the ratings before and put back after.
    pub centering: Centering,
    /// Most rounds of one start.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// Stop when a round lowers the objective by less than this share of it.
    #[schemars(range(min = 0))]
    pub tol: f64,
    /// How many random starts to try; the one with the smallest objective wins.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Seed of everything random.
    pub random_state: u64,
    /// Whether predictions stay within the range of the training ratings.
    pub clip: bool,
}

impl Default for ProbabilisticFactorization {
    fn default() -> Self {
        ProbabilisticFactorization {
            n_factors: 5,
            noise_variance: 1.0,
            user_variance: 0.5,
            item_variance: 0.5,
            centering: Centering::None,
            max_iter: 100,
            tol: 1e-5,
            n_init: 1,
            random_state: 0,
            clip: false,
        }
    }
}

impl Fit<Ratings<'_>> for ProbabilisticFactorization {
    type Model = FactorModel;

    fn learn(&self, data: Ratings<'_>, run: &Run) -> Result<FactorModel> {
        let task = Task {
            n_factors: self.n_factors,
            user_alpha: self.noise_variance / self.user_variance,
            item_alpha: self.noise_variance / self.item_variance,
            weighted: false,
            centering: self.centering,
            max_iter: self.max_iter,
            tol: self.tol,
            n_init: self.n_init,
            random_state: self.random_state,
            clip: self.clip,
        };
        task.solve(RatingMatrix::new(&data)?, None, run)
    }
}
