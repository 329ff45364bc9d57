//! Decision trees that predict numbers.

use super::{RULES_DEPTH, answers, asked, leaves};
use crate::sizes::Sizes;
use crate::teaching::Teaching;
use crate::tree::{Impurity, Splitter, Tree, prune};
use crate::{Amount, MaxFeatures};
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, Features, Figure, Fit, Measured, Model, Regress, Result, Rows,
    Run, Samples, Value,
};
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far the numbers of a node are from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NumberCriterion {
    /// The mean squared distance from the mean, which leaves answer with.
    #[default]
    SquaredError,
    /// The mean distance from the median, which leaves answer with.
    AbsoluteError,
}

impl NumberCriterion {
    pub(crate) fn impurity(self) -> Impurity {
        match self {
            NumberCriterion::SquaredError => Impurity::Squared,
            NumberCriterion::AbsoluteError => Impurity::Absolute,
        }
    }
}

/// Predicts numbers by asking one column after the other.
///
/// A node sends a row to the left where the value of its column is less than its threshold, else to
/// the right; both are chosen so that Σ (N_child / N)·error(child) is least. Leaves answer with the
/// mean of their training rows, or with the median where distances are not squared.
///
/// All cuts are looked at, by one pass over each sorted column: O(d·n) for each level of the tree,
/// and O(d·n·log n) with medians. Several targets share one tree. Rows without a value go where they
/// fit best.
///
/// ```
/// use didact_core::{Fit, Regress};
/// use didact_tree_ensemble::DecisionTreeRegressor;
/// let diabetes = didact_datasets::diabetes();
/// let tree = DecisionTreeRegressor { max_depth: Some(3), ..Default::default() };
/// let model = tree.fit(diabetes.measured()?)?;
/// assert_eq!(model.predict(diabetes.samples())?.nrows(), 442);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionTreeRegressor {
    /// How far the numbers of a node are from each other.
    pub criterion: NumberCriterion,
    /// How the cut of a column is chosen.
    pub splitter: Splitter,
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
    /// Seed of what is drawn at random.
    pub random_state: u64,
    /// How many leaves there are at most; the splits that gain most come first.
    #[schemars(range(min = 2))]
    pub max_leaf_nodes: Option<usize>,
    /// How much a split must lower the error, by the share of the weight that it concerns.
    #[schemars(range(min = 0.0))]
    pub min_impurity_decrease: f64,
    /// What a leaf costs: branches that are worth less are cut off again.
    #[schemars(range(min = 0.0))]
    pub ccp_alpha: f64,
}

impl Default for DecisionTreeRegressor {
    fn default() -> Self {
        DecisionTreeRegressor {
            criterion: NumberCriterion::SquaredError,
            splitter: Splitter::Best,
            max_depth: None,
            min_samples_split: Amount::Count(2),
            min_samples_leaf: Amount::Count(1),
            min_weight_fraction_leaf: 0.0,
            max_features: None,
            random_state: 0,
            max_leaf_nodes: None,
            min_impurity_decrease: 0.0,
            ccp_alpha: 0.0,
        }
    }
}

impl DecisionTreeRegressor {
    /// The whole tree, before branches are cut off.
    pub(super) fn grown(&self, data: &Measured<'_>, run: &Run) -> Result<(Tree, Vec<(f64, f64)>)> {
        let teaching = Teaching::of_numbers(data, self.criterion.impurity(), self.splitter, run)?;
        let columns = &teaching.columns;
        let sizes = Sizes {
            splitter: self.splitter,
            max_depth: self.max_depth,
            min_samples_split: self.min_samples_split,
            min_samples_leaf: self.min_samples_leaf,
            min_weight_fraction_leaf: self.min_weight_fraction_leaf,
            max_features: self.max_features,
            max_leaf_nodes: self.max_leaf_nodes,
            min_impurity_decrease: self.min_impurity_decrease,
            max_children: 2,
            draws_order: false,
        };
        let (n_rows, unit) = (teaching.n_rows(), teaching.unit);
        let growth = sizes.growth(n_rows, columns.len(), teaching.weight(), unit)?;
        let generator = generator(self.random_state, 0);
        let tree = teaching.tree(&teaching.weights, &growth, generator, run)?;
        Ok((tree, columns.bounds().to_vec()))
    }
}

impl Fit<Measured<'_>> for DecisionTreeRegressor {
    type Model = RegressionTree;
    const ACCEPTS: Accepts = Accepts::WEIGHTS
        .union(Accepts::MISSING)
        .union(Accepts::MULTI_OUTPUT);

    fn learn(&self, data: Measured<'_>, run: &Run) -> Result<RegressionTree> {
        let (tree, bounds) = self.grown(&data, run)?;
        Ok(RegressionTree {
            tree: match self.ccp_alpha > 0.0 {
                true => prune(&tree, self.ccp_alpha),
                false => tree,
            },
            low: bounds.iter().map(|bound| bound.0).collect(),
            high: bounds.iter().map(|bound| bound.1).collect(),
        })
    }
}

/// A grown tree whose leaves hold numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegressionTree {
    pub(super) tree: Tree,
    /// The least and the greatest training value of each column.
    low: Vec<f64>,
    high: Vec<f64>,
}

impl RegressionTree {
    /// The leaf that each row ends in, as the number of the node.
    pub fn apply<'a>(&self, rows: impl Into<Samples<'a>>) -> Result<Vec<usize>> {
        let samples = rows.into();
        check_rows(self, samples.rows())?;
        leaves(&self.tree, samples.rows())
    }

    /// The nodes that a row passes, from the root to its leaf.
    pub fn decision_path(&self, row: &[f64]) -> Result<Vec<usize>> {
        let rows = ndarray::ArrayView1::from(row).insert_axis(ndarray::Axis(0));
        check_rows(self, Rows::Dense(rows))?;
        Ok(self.tree.path(row))
    }

    /// The whole tree as text: a line for each range and leaf, with the names of the columns.
    pub fn rules(&self, names: &[&str]) -> String {
        self.written(names, usize::MAX)
    }

    fn written(&self, names: &[&str], max_depth: usize) -> String {
        let name = |column: usize| match names.get(column) {
            Some(name) => (*name).to_owned(),
            None => format!("x{column}"),
        };
        let answer = |node: usize| {
            let values = self.tree.value(node).iter();
            let numbers: Vec<String> = values.map(|value| format!("{value:.6}")).collect();
            let rows = self
                .tree
                .statistics
                .as_ref()
                .map_or(0.0, |s| s.n_rows[node]);
            format!("{} ({rows} rows)", numbers.join(", "))
        };
        self.tree.rules(&name, &answer, max_depth)
    }
}

impl Features for RegressionTree {
    fn n_features(&self) -> usize {
        self.low.len()
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

impl Regress for RegressionTree {
    fn regress(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        answers(&self.tree, rows)
    }
}

impl Model for RegressionTree {
    const ABILITIES: Abilities<Self> = Abilities::none().regress();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "feature_importances",
            meaning: "By how much the splits of each column lower the error, in all one.",
            get: |model| {
                Value::from(ndarray::Array1::from(
                    model.tree.importances(model.low.len()),
                ))
            },
        },
        Attribute {
            name: "depth",
            meaning: "How many questions the deepest leaf takes.",
            get: |model| Value::from(model.tree.depth()),
        },
        Attribute {
            name: "n_leaves",
            meaning: "Number of leaves.",
            get: |model| Value::from(model.tree.n_leaves()),
        },
        Attribute {
            name: "node_count",
            meaning: "Number of nodes.",
            get: |model| Value::from(model.tree.nodes.len()),
        },
        Attribute {
            name: "node_features",
            meaning: "The column that each node asks, −1 for leaves.",
            get: |model| Value::Integers(asked(&model.tree)),
        },
        Attribute {
            name: "node_thresholds",
            meaning: "The threshold of each node, 0 for leaves.",
            get: |model| {
                let nodes = model.tree.nodes.iter();
                Value::from(ndarray::Array1::from_iter(nodes.map(|node| node.threshold)))
            },
        },
        Attribute {
            name: "node_children",
            meaning: "The left child of each node, 0 for leaves; the right one follows it.",
            get: |model| {
                let nodes = model.tree.nodes.iter();
                Value::Integers(nodes.map(|node| i64::from(node.first_child)).collect())
            },
        },
        Attribute {
            name: "node_impurities",
            meaning: "The error of each node on its training rows.",
            get: |model| {
                let statistics = model.tree.statistics.as_ref();
                Value::from(statistics.map(|statistics| statistics.impurities.as_slice()))
            },
        },
        Attribute {
            name: "rules",
            meaning: "The tree as text, ten questions deep.",
            get: |model| Value::from(model.written(&[], RULES_DEPTH)),
        },
    ];

    const FIGURES: &'static [Figure<Self>] = &[Figure {
        name: "splits",
        meaning: "Where the nodes cut the plane.",
        get: |model| {
            let bounds: Vec<(f64, f64)> = model
                .low
                .iter()
                .copied()
                .zip(model.high.iter().copied())
                .collect();
            model.tree.borders(&bounds)
        },
    }];

    fn validate(&self) -> Result<()> {
        ensure_consistent(self.low.len() == self.high.len() && !self.low.is_empty())?;
        self.tree.validate(self.low.len(), self.tree.width)
    }
}
