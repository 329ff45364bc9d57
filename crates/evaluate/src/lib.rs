//! Judging models: splits, figures of merit, cross-validation, the baseline.

mod baseline;
mod catalogue;
mod cross_validate;
mod growth;
pub mod metrics;
mod score;
mod split;
mod subset;
mod validation;

pub use baseline::{Baseline, BaselineClassifier, BaselineRegressor};
pub use catalogue::catalogue;
pub use cross_validate::{CrossValidation, Fold, Summary, cross_validate, cross_validate_both};
pub use growth::growth_exponent;
pub use metrics::*;
pub use score::{Figure, score};
pub use split::{
    Keep, Split, TRAIN_SHARE, ThreeWaySplit, k_fold, shifted_columns, split, three_way_split,
};
pub use subset::{Subset, folds_for, has_targets, n_units, split_for};
pub use validation::*;
