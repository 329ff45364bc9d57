//! Judging recommendations by ratings that were held out.

mod errors;
mod select;
mod split;

pub use errors::{RatingErrors, rating_errors};
pub use select::{RatingChoice, choose_by_validation, cross_validate_ratings};
pub use split::{RatingList, RatingSplit, rating_folds, split_ratings};
