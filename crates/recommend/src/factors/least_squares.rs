//! Low-rank factorisation of ratings by alternating least squares.

use super::FactorModel;
use super::alternate::Task;
use crate::{Centering, RatingMatrix};
use didact_core::{Error, Fit, Ratings, Result, Run, StartFrom};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Completes ratings by a product of few factors per user and per item.
///
/// Minimises Σ½(Y_ai − U_a·V_i)² + (α/2)(‖U‖² + ‖V‖²) over the observed ratings only, with plain
/// α and no mean over the ratings. From random V, U and V are found in turn; each row is a ridge
/// regression, U_a = (ΣV_iV_iᵀ + αI)⁻¹ΣY_ai·V_i over the items that user a rated, and so for the
/// items. The objective never rises; the minimum is a local one, and `n_init` starts give a
/// better one. A user or item without ratings has factors of zero.
///
/// ```
/// use didact_core::Fit;
/// use didact_recommend::{AlternatingLeastSquares, Recommender};
/// let films = didact_datasets::ratings();
/// let model = AlternatingLeastSquares::default().fit(films.ratings()?)?;
/// assert!(model.training_rmse() < 0.6);
/// assert!((1.0..6.0).contains(&model.predict(0, 0)));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AlternatingLeastSquares {
    /// How many factors a user and an item have: the rank of the completed matrix.
    #[schemars(range(min = 1, max = 10_000))]
    pub n_factors: usize,
    /// Price α of the factors.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: f64,
    /// Whether the price of a user's or item's factors is multiplied by the number of its
    /// ratings, as in other libraries.
    pub weighted: bool,
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

impl Default for AlternatingLeastSquares {
    fn default() -> Self {
        AlternatingLeastSquares {
            n_factors: 5,
            alpha: 2.0,
            weighted: false,
            centering: Centering::Mean,
            max_iter: 100,
            tol: 1e-5,
            n_init: 1,
            random_state: 0,
            clip: false,
        }
    }
}

impl AlternatingLeastSquares {
    fn task(&self) -> Task {
        Task {
            n_factors: self.n_factors,
            user_alpha: self.alpha,
            item_alpha: self.alpha,
            weighted: self.weighted,
            centering: self.centering,
            max_iter: self.max_iter,
            tol: self.tol,
            n_init: self.n_init,
            random_state: self.random_state,
            clip: self.clip,
        }
    }
}

impl Fit<Ratings<'_>> for AlternatingLeastSquares {
    type Model = FactorModel;

    fn learn(&self, data: Ratings<'_>, run: &Run) -> Result<FactorModel> {
        self.task().solve(RatingMatrix::new(&data)?, None, run)
    }
}

impl StartFrom<Ratings<'_>> for AlternatingLeastSquares {
    /// Goes on from the factors of the items; items that are new start at random.
    fn learn_from(&self, start: &FactorModel, data: Ratings<'_>, run: &Run) -> Result<FactorModel> {
        let found = start.item_factors().ncols();
        if found != self.n_factors {
            return Err(Error::parameter(
                "n_factors",
                self.n_factors,
                format!("the model to start from has {found}; ask for as many"),
            ));
        }
        let ratings = RatingMatrix::new(&data)?;
        self.task().solve(ratings, Some(start.item_factors()), run)
    }
}
