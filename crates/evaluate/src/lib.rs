//! Judging models: figures of merit, splits, cross-validation, search, decisions, the baseline.

mod baseline;
mod catalogue;
mod cross_validate;
mod decisions;
mod growth;
mod importance;
mod intervals;
mod metric;
pub mod metrics;
mod outcome;
mod score;
mod select;
mod split;
mod subset;
mod validation;

pub use baseline::{Baseline, BaselineClassifier, BaselineRegressor, BaselineStrategy};
pub use catalogue::catalogue;
pub use cross_validate::{
    CrossValidation, Fold, Scoring, Summary, cross_validate, cross_validate_both, cross_validate_by,
};
pub use decisions::*;
pub use growth::growth_exponent;
pub use importance::{Importance, PartialDependence, partial_dependence, permutation_importance};
pub use intervals::{JudgedFigure, score_with_intervals};
pub use metric::Metric;
pub use metrics::*;
pub use score::{Figure, score, score_by};
pub use select::*;
pub use split::{
    Keep, Split, TRAIN_SHARE, ThreeWaySplit, k_fold, shifted_columns, split, three_way_split,
};
pub use subset::{Subset, folds_for, has_targets, n_units, split_for};
pub use validation::*;
