//! The parameters of gradient boosting.

use didact_core::ClassWeight;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether boosting stops when rows held back are predicted no better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EarlyStopping {
    /// With more than ten thousand rows.
    #[default]
    Auto,
    /// Always or never.
    #[serde(untagged)]
    Flag(bool),
}

impl EarlyStopping {
    pub(super) fn applies(self, n_rows: usize) -> bool {
        match self {
            EarlyStopping::Auto => n_rows > 10_000,
            EarlyStopping::Flag(flag) => flag,
        }
    }
}

/// What both kinds of boosting have in common.
pub(super) struct Rounds {
    pub(super) learning_rate: f64,
    pub(super) max_iter: usize,
    pub(super) max_leaf_nodes: Option<usize>,
    pub(super) max_depth: Option<usize>,
    pub(super) min_samples_leaf: usize,
    pub(super) l2_regularization: f64,
    pub(super) max_bins: usize,
    pub(super) n_iter_no_change: usize,
    pub(super) tol: f64,
    pub(super) seed: u64,
}

/// Declares the parameters of boosting: what both kinds have in common is written once.
macro_rules! boosting {
    (
        $(#[$documentation:meta])*
        $name:ident($title:literal) { $($(#[$about:meta])* $field:ident: $type:ty = $value:expr,)* }
    ) => {
        $(#[$documentation])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        #[schemars(rename = $title)]
        pub struct $name {
            /// What the answer of every tree is multiplied with.
            #[schemars(extend("exclusiveMinimum" = 0))]
            pub learning_rate: f64,
            /// How many rounds there are at most.
            #[schemars(range(min = 1))]
            pub max_iter: usize,
            /// How many leaves a tree has at most; no limit where nothing is said.
            #[schemars(range(min = 2))]
            pub max_leaf_nodes: Option<usize>,
            /// How many questions a tree asks at most; no limit where nothing is said.
            #[schemars(range(min = 1))]
            pub max_depth: Option<usize>,
            /// How many rows a leaf must have.
            #[schemars(range(min = 1))]
            pub min_samples_leaf: usize,
            /// Price of large leaf values.
            #[schemars(range(min = 0.0))]
            pub l2_regularization: f64,
            /// How many bins the values of a column fall into, missing ones apart.
            #[schemars(range(min = 2, max = 255))]
            pub max_bins: usize,
            /// Whether to stop when rows held back are predicted no better.
            pub early_stopping: EarlyStopping,
            /// The share of the rows that is held back to decide when to stop.
            #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
            pub validation_fraction: f64,
            /// How many rounds without improvement end it.
            #[schemars(range(min = 1))]
            pub n_iter_no_change: usize,
            /// How much lower the loss must be to count as an improvement.
            #[schemars(range(min = 0.0))]
            pub tol: f64,
            /// Seed of what is drawn at random.
            pub random_state: u64,
            $($(#[$about])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name {
                    learning_rate: 0.1,
                    max_iter: 100,
                    max_leaf_nodes: Some(31),
                    max_depth: None,
                    min_samples_leaf: 20,
                    l2_regularization: 0.0,
                    max_bins: 255,
                    early_stopping: EarlyStopping::Auto,
                    validation_fraction: 0.1,
                    n_iter_no_change: 10,
                    tol: 1e-7,
                    random_state: 0,
                    $($field: $value,)*
                }
            }
        }

        impl $name {
            pub(super) fn rounds(&self) -> Rounds {
                Rounds {
                    learning_rate: self.learning_rate,
                    max_iter: self.max_iter,
                    max_leaf_nodes: self.max_leaf_nodes,
                    max_depth: self.max_depth,
                    min_samples_leaf: self.min_samples_leaf,
                    l2_regularization: self.l2_regularization,
                    max_bins: self.max_bins,
                    n_iter_no_change: self.n_iter_no_change,
                    tol: self.tol,
                    seed: self.random_state,
                }
            }
        }
    };
}

boosting! {
    /// Adds up small trees, each a step down the slope of the log-loss.
    ///
    /// With F the sum of the trees so far and P = softmax(F), every round fits a tree per class (one
    /// in all for two classes) to the slopes gᵢ = P(xᵢ) − yᵢ and curvatures hᵢ = P(1 − P): a split is
    /// worth G²/(H + λ) of its sides minus that of the whole, and a leaf answers −η·G/(H + λ). Values
    /// are sorted into at most 255 bins once, so that a split costs a look at 255 sums per column;
    /// the sums of the larger child are those of its parent minus those of its sibling. The leaf that
    /// gains most is split next. Missing values go where they fit best.
    ///
    /// ```
    /// use didact_core::{Classify, Fit};
    /// use didact_tree_ensemble::GradientBoostingClassifier;
    /// let cancer = didact_datasets::breast_cancer();
    /// let model = GradientBoostingClassifier::default().fit(cancer.labelled()?)?;
    /// let labels = Classify::predict(&model, cancer.samples())?;
    /// let right = labels.iter().zip(&cancer.labels()?.indices).filter(|(a, b)| a == b).count();
    /// assert_eq!(right, 569);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    GradientBoostingClassifier("HistGradientBoostingClassifier") {
        /// How much the rows of each class count.
        class_weight: ClassWeight = ClassWeight::None,
    }
}

boosting! {
    /// Adds up small trees, each fitted to what those before it leave over.
    ///
    /// Squared loss: every round fits a tree to the residuals and adds η times its leaf means. Values
    /// are sorted into at most 255 bins once, the sums of the larger child are those of its parent
    /// minus those of its sibling, and the leaf that gains most is split next. Missing values go
    /// where they fit best.
    ///
    /// ```
    /// use didact_core::{Fit, Regress};
    /// use didact_tree_ensemble::GradientBoostingRegressor;
    /// let diabetes = didact_datasets::diabetes();
    /// let model = GradientBoostingRegressor::default().fit(diabetes.measured()?)?;
    /// assert_eq!(model.predict(diabetes.samples())?.nrows(), 442);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    GradientBoostingRegressor("HistGradientBoostingRegressor") {}
}
