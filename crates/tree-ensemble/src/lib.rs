//! Decision trees and what is built of many of them: forests and boosting.
//!
//! A tree asks one column after the other; see [`DecisionTreeClassifier`]. Forests
//! ([`RandomForestClassifier`], [`ExtraTreesClassifier`]) average trees that were grown apart;
//! boosting ([`GradientBoostingClassifier`], [`WeakBoosting`]) adds small ones that mend each
//! other's mistakes. Bagging and AdaBoost of any learner are wrappers of the crate `didact`.

mod amounts;
mod catalogue;
mod columns;
mod decision_tree;
mod forest;
mod gradient;
mod sizes;
mod teaching;
mod tree;
mod weak;

pub use amounts::{Amount, MaxFeatures};
pub use catalogue::catalogue;
pub use decision_tree::{
    ClassCriterion, ClassificationTree, DecisionTreeClassifier, DecisionTreeRegressor,
    NumberCriterion, PruningPath, RegressionTree,
};
pub use forest::{
    ClassificationForest, ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier,
    RandomForestRegressor, RegressionForest,
};
pub use gradient::{
    BoostedClassifier, BoostedRegressor, EarlyStopping, GradientBoostingClassifier,
    GradientBoostingRegressor,
};
pub use tree::Splitter;
pub use weak::{BoostingVariant, WeakBoosting, WeakBoostingModel, WeakLearner};
