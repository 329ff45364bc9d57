//! Recommendations: ratings completed, neighbours of users and items, rules of association.
//!
//! A model of ratings is a [`Recommender`], whether it remembers ([`UserNeighbors`],
//! [`ItemNeighbors`]) or has learned a function of user and item ([`AlternatingLeastSquares`],
//! [`ProbabilisticFactorization`], [`MemoryFactorization`], [`RatingBaseline`]).

mod baseline;
mod correlations;
mod factors;
mod matrix;
mod memory;
mod neighbors;
mod offsets;
mod recommender;
mod rules;
mod validation;

pub use baseline::{BaselineModel, RatingBaseline};
pub use correlations::column_correlations;
pub use factors::{AlternatingLeastSquares, FactorModel, ProbabilisticFactorization};
pub use matrix::RatingMatrix;
pub use memory::{MemoryFactorization, MemoryModel};
pub use neighbors::{
    ItemLists, ItemNeighbors, ItemNeighborsModel, UserNeighbors, UserNeighborsModel,
    item_similarities,
};
pub use offsets::Centering;
pub use recommender::{Recommendation, Recommender};
pub use rules::{AssociationModel, AssociationRules, ItemSet, Rule, RuleOrder};
pub use validation::{
    RatingChoice, RatingErrors, RatingList, RatingSplit, choose_by_validation,
    cross_validate_ratings, rating_errors, rating_folds, split_ratings,
};
