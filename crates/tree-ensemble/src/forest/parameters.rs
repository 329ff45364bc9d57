//! The parameters of forests, which differ in their defaults.

use super::members::Drawing;
use crate::sizes::Sizes;
use crate::tree::Splitter;
use crate::{Amount, ClassCriterion, MaxFeatures, NumberCriterion};
use didact_core::ClassWeight;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Declares the parameters of a forest: what all have in common is written once.
macro_rules! forest {
    (
        $(#[$documentation:meta])*
        $name:ident($criterion:ident, $splitter:ident, $bootstrap:literal, $features:expr)
        { $($(#[$about:meta])* $field:ident: $type:ty = $value:expr,)* }
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// How many trees are grown.
            #[schemars(range(min = 1, max = 1_000_000))]
            pub n_estimators: usize,
            /// How the rows of a node differ.
            pub criterion: $criterion,
            /// How many questions a row is asked at most; as many as it takes where nothing is said.
            #[schemars(range(min = 1))]
            pub max_depth: Option<usize>,
            /// How many rows a node must have to be split, as a number or a share.
            pub min_samples_split: Amount,
            /// How many rows a leaf must have, as a number or a share.
            pub min_samples_leaf: Amount,
            /// The share of the whole weight that a leaf must have.
            #[schemars(range(min = 0.0, max = 0.5))]
            pub min_weight_fraction_leaf: f64,
            /// How many columns a node looks at, drawn anew for each; all where nothing is said.
            pub max_features: Option<MaxFeatures>,
            /// How many leaves a tree has at most; the splits that gain most come first.
            #[schemars(range(min = 2))]
            pub max_leaf_nodes: Option<usize>,
            /// How much a split must lower the impurity, by the share of the weight that it concerns.
            #[schemars(range(min = 0.0))]
            pub min_impurity_decrease: f64,
            /// Whether each tree draws its rows with replacement; else it sees all.
            pub bootstrap: bool,
            /// Whether the forest is judged by the rows that its trees did not draw.
            pub oob_score: bool,
            /// How many rows each tree draws, as a number or a share; as many as there are where
            /// nothing is said.
            pub max_samples: Option<Amount>,
            /// Seed of what is drawn at random.
            pub random_state: u64,
            $($(#[$about])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name {
                    n_estimators: 100,
                    criterion: $criterion::default(),
                    max_depth: None,
                    min_samples_split: Amount::Count(2),
                    min_samples_leaf: Amount::Count(1),
                    min_weight_fraction_leaf: 0.0,
                    max_features: $features,
                    max_leaf_nodes: None,
                    min_impurity_decrease: 0.0,
                    bootstrap: $bootstrap,
                    oob_score: false,
                    max_samples: None,
                    random_state: 0,
                    $($field: $value,)*
                }
            }
        }

        impl $name {
            pub(super) fn sizes(&self) -> Sizes {
                Sizes {
                    splitter: Splitter::$splitter,
                    max_depth: self.max_depth,
                    min_samples_split: self.min_samples_split,
                    min_samples_leaf: self.min_samples_leaf,
                    min_weight_fraction_leaf: self.min_weight_fraction_leaf,
                    max_features: self.max_features,
                    max_leaf_nodes: self.max_leaf_nodes,
                    min_impurity_decrease: self.min_impurity_decrease,
                    max_children: 2,
                    draws_order: true,
                }
            }

            pub(super) fn drawing(&self) -> Drawing {
                Drawing {
                    n_trees: self.n_estimators,
                    bootstrap: self.bootstrap,
                    max_samples: self.max_samples,
                    seed: self.random_state,
                }
            }
        }
    };
}

forest! {
    /// Averages trees that were grown on rows drawn with replacement and on few columns per node.
    ///
    /// Each tree draws n of the n rows with replacement, and each of its nodes looks at √d columns
    /// only, so that the trees err differently; the mean of their class shares is the answer. A tree
    /// misses about 37 % of the rows, which judge it without a test set (`oob_score`). Trees grow in
    /// parallel, each from a generator of its own: any number of threads gives the same forest.
    ///
    /// ```
    /// use didact_core::{Classify, Fit};
    /// use didact_tree_ensemble::RandomForestClassifier;
    /// let wine = didact_datasets::wine();
    /// let forest = RandomForestClassifier { oob_score: true, ..Default::default() };
    /// let model = forest.fit(wine.labelled()?)?;
    /// assert!(model.oob_score().unwrap() > 0.95);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    RandomForestClassifier(ClassCriterion, Best, true, Some(MaxFeatures::Sqrt)) {
        /// How much the rows of each class count.
        class_weight: ClassWeight = ClassWeight::None,
    }
}

forest! {
    /// Averages trees whose cuts were drawn at random, the best of a few per node.
    ///
    /// Each node draws √d columns and one cut in each, between the least and the greatest value, and
    /// takes the best of them. Without any search a tree is grown in little time, and the mean of
    /// many is smoother than that of a random forest.
    ///
    /// ```
    /// use didact_core::{Classify, Fit};
    /// use didact_tree_ensemble::ExtraTreesClassifier;
    /// let wine = didact_datasets::wine();
    /// let model = ExtraTreesClassifier::default().fit(wine.labelled()?)?;
    /// let labels = Classify::predict(&model, wine.samples())?;
    /// assert_eq!(labels, wine.labels()?.indices);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    ExtraTreesClassifier(ClassCriterion, Random, false, Some(MaxFeatures::Sqrt)) {
        /// How much the rows of each class count.
        class_weight: ClassWeight = ClassWeight::None,
    }
}

forest! {
    /// Predicts numbers by the mean of trees that were grown on rows drawn with replacement.
    ///
    /// Each tree draws n of the n rows with replacement; the mean of their answers varies less than
    /// a single tree. A tree misses about 37 % of the rows, which judge it without a test set
    /// (`oob_score`, by R²).
    ///
    /// ```
    /// use didact_core::Fit;
    /// use didact_tree_ensemble::RandomForestRegressor;
    /// let diabetes = didact_datasets::diabetes();
    /// let forest = RandomForestRegressor { oob_score: true, ..Default::default() };
    /// let model = forest.fit(diabetes.measured()?)?;
    /// assert!(model.oob_score().unwrap() > 0.4);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    RandomForestRegressor(NumberCriterion, Best, true, None) {}
}

forest! {
    /// Predicts numbers by the mean of trees whose cuts were drawn at random.
    ///
    /// Each node draws one cut in each column, between the least and the greatest value, and takes
    /// the best of them; the mean of many trees is a smooth function.
    ///
    /// ```
    /// use didact_core::{Fit, Regress};
    /// use didact_tree_ensemble::ExtraTreesRegressor;
    /// let diabetes = didact_datasets::diabetes();
    /// let model = ExtraTreesRegressor::default().fit(diabetes.measured()?)?;
    /// assert_eq!(model.predict(diabetes.samples())?.nrows(), 442);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    ExtraTreesRegressor(NumberCriterion, Random, false, None) {}
}
