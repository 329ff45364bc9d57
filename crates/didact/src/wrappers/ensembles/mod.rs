//! Ensembles of any learner: bagging and boosting.

mod adaboost;
mod adaboost_regressor;
mod bagging;
mod bagging_regressor;
mod drawing;
mod parts;

pub use adaboost::{AdaBoost, AdaBoostModel};
pub use adaboost_regressor::{AdaBoostRegressor, AdaBoostRegressorModel, ErrorShape};
pub use bagging::{Bagging, BaggingModel, BaggingVote};
pub use bagging_regressor::{BaggingRegressor, BaggingRegressorModel};

use didact_core::{Entry, Modelling};

/// The entries of this module.
pub(super) fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<Bagging>("bagging-classifier")
            .family("tree-ensemble")
            .serves(&["bagging"])
            .card(
                Modelling::Discriminative,
                "that of the wrapped classifier, on rows drawn anew for each member",
                "n_estimators fits",
            )
            .classifier()
            .into(),
        Entry::of::<BaggingRegressor>("bagging-regressor")
            .family("tree-ensemble")
            .serves(&["bagging"])
            .card(
                Modelling::Discriminative,
                "that of the wrapped regressor, on rows drawn anew for each member",
                "n_estimators fits",
            )
            .regressor()
            .into(),
        Entry::of::<AdaBoost>("adaboost-classifier")
            .family("tree-ensemble")
            .serves(&["adaboost"])
            .card(
                Modelling::Discriminative,
                "exponential loss of the weighted vote, member by member",
                "n_estimators fits",
            )
            .classifier()
            .into(),
        Entry::of::<AdaBoostRegressor>("adaboost-regressor")
            .family("tree-ensemble")
            .serves(&["adaboost"])
            .card(
                Modelling::Discriminative,
                "relative error of the weighted median, member by member",
                "n_estimators fits",
            )
            .regressor()
            .into(),
    ]
}
