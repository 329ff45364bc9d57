//! The trees and ensembles that users can choose from.

use crate::{
    DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreesClassifier, ExtraTreesRegressor,
    GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier,
    RandomForestRegressor, WeakBoosting,
};
use didact_core::{Entry, Modelling};

/// Every algorithm of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<DecisionTreeClassifier>("decision-tree-classifier")
            .family("tree-ensemble")
            .serves(&["decision-tree"])
            .card(
                Modelling::Discriminative,
                "impurity of the children, split by split",
                "O(n·d·log n) to sort, O(n·d) per level",
            )
            .classifier()
            .into(),
        Entry::of::<DecisionTreeRegressor>("decision-tree-regressor")
            .family("tree-ensemble")
            .serves(&["decision-tree"])
            .card(
                Modelling::Discriminative,
                "squared or absolute error of the children, split by split",
                "O(n·d·log n) to sort, O(n·d) per level",
            )
            .regressor()
            .into(),
        Entry::of::<RandomForestClassifier>("random-forest-classifier")
            .family("tree-ensemble")
            .serves(&["bagging"])
            .card(
                Modelling::Discriminative,
                "impurity of the children, tree by tree on rows and columns drawn anew",
                "O(trees·n·√d·log n) per level",
            )
            .classifier()
            .into(),
        Entry::of::<RandomForestRegressor>("random-forest-regressor")
            .family("tree-ensemble")
            .serves(&["bagging"])
            .card(
                Modelling::Discriminative,
                "error of the children, tree by tree on rows drawn anew",
                "O(trees·n·d) per level",
            )
            .regressor()
            .into(),
        Entry::of::<ExtraTreesClassifier>("extra-trees-classifier")
            .family("tree-ensemble")
            .serves(&["bagging"])
            .card(
                Modelling::Discriminative,
                "impurity of the children, over cuts drawn at random",
                "O(trees·n·√d) per level",
            )
            .classifier()
            .into(),
        Entry::of::<ExtraTreesRegressor>("extra-trees-regressor")
            .family("tree-ensemble")
            .serves(&["bagging"])
            .card(
                Modelling::Discriminative,
                "error of the children, over cuts drawn at random",
                "O(trees·n·d) per level",
            )
            .regressor()
            .into(),
        Entry::of::<GradientBoostingClassifier>("gradient-boosting-classifier")
            .family("tree-ensemble")
            .serves(&["boosting-variants"])
            .card(
                Modelling::Discriminative,
                "log-loss of the sum of trees, round by round",
                "O(n·d) per level and round",
            )
            .classifier()
            .into(),
        Entry::of::<GradientBoostingRegressor>("gradient-boosting-regressor")
            .family("tree-ensemble")
            .serves(&["boosting-variants"])
            .card(
                Modelling::Discriminative,
                "squared error of the sum of trees, round by round",
                "O(n·d) per level and round",
            )
            .regressor()
            .into(),
        Entry::of::<WeakBoosting>("weak-boosting")
            .family("tree-ensemble")
            .serves(&["boosting-variants"])
            .card(
                Modelling::Discriminative,
                "exponential or logistic loss of a sum of shapes, round by round",
                "O(n·(d + log n)) per shape and round",
            )
            .classifier()
            .into(),
    ]
}
