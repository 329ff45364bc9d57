//! Decision trees that tell classes apart.

use super::{RULES_DEPTH, answers, asked, leaves};
use crate::sizes::Sizes;
use crate::teaching::Teaching;
use crate::tree::{Impurity, Splitter, Tree, prune};
use crate::{Amount, MaxFeatures};
use didact_core::abilities::check_rows;
use didact_core::model::ensure_consistent;
use didact_core::random::generator;
use didact_core::{
    Abilities, Accepts, Attribute, ClassWeight, Classes, Classify, Features, Figure, Fit, Labelled,
    Model, Probabilities, Result, Rows, Run, Samples, Value,
};
use didact_math::numeric::argmax;
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How mixed the classes of a node are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClassCriterion {
    /// 1 − Σ p²: how often two rows drawn at random differ.
    #[default]
    Gini,
    /// −Σ p·log₂ p: the bits that a row's class is worth.
    Entropy,
    /// The same as the entropy.
    LogLoss,
}

impl ClassCriterion {
    pub(crate) fn impurity(self) -> Impurity {
        match self {
            ClassCriterion::Gini => Impurity::Gini,
            ClassCriterion::Entropy | ClassCriterion::LogLoss => Impurity::Entropy,
        }
    }
}

/// Tells classes apart by asking one column after the other.
///
/// A node compares one column with a threshold and sends a row to the left where the value is less,
/// else to the right; with `max_children` above two it cuts the column into several half-open
/// ranges at once. The column and the cuts are those that leave the children least impure:
/// Σ (N_child / N)·H(child), where H is Gini's index or the entropy. Leaves answer with the shares of
/// the classes of their training rows.
///
/// All cuts are looked at: every column is sorted once and the order is handed down, O(d·n) for each
/// level of the tree. Of equally good cuts that of the lowest column and value is taken. Rows without
/// a value go where they fit best; weights, classes without rows and constant columns are fine.
/// A branch whose leaves lower the impurity by less than `ccp_alpha` each is cut off again.
///
/// ```
/// use didact_core::{Classify, Fit};
/// use didact_tree_ensemble::DecisionTreeClassifier;
/// let iris = didact_datasets::iris();
/// let tree = DecisionTreeClassifier { max_depth: Some(2), ..Default::default() };
/// let model = tree.fit(iris.labelled()?)?;
/// let labels = Classify::predict(&model, iris.samples())?;
/// let right = labels.iter().zip(&iris.labels()?.indices).filter(|(a, b)| a == b).count();
/// assert_eq!(right, 144);
/// println!("{}", model.rules(&["sepal length", "sepal width", "petal length", "petal width"]));
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DecisionTreeClassifier {
    /// How mixed the classes of a node are.
    pub criterion: ClassCriterion,
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
    /// How much a split must lower the impurity, by the share of the weight that it concerns.
    #[schemars(range(min = 0.0))]
    pub min_impurity_decrease: f64,
    /// How much the rows of each class count.
    pub class_weight: ClassWeight,
    /// What a leaf costs: branches that are worth less are cut off again.
    #[schemars(range(min = 0.0))]
    pub ccp_alpha: f64,
    /// How many children a node has at most; it has more than two only where that leaves them purer.
    #[schemars(range(min = 2, max = 16))]
    pub max_children: usize,
}

impl Default for DecisionTreeClassifier {
    fn default() -> Self {
        DecisionTreeClassifier {
            criterion: ClassCriterion::Gini,
            splitter: Splitter::Best,
            max_depth: None,
            min_samples_split: Amount::Count(2),
            min_samples_leaf: Amount::Count(1),
            min_weight_fraction_leaf: 0.0,
            max_features: None,
            random_state: 0,
            max_leaf_nodes: None,
            min_impurity_decrease: 0.0,
            class_weight: ClassWeight::None,
            ccp_alpha: 0.0,
            max_children: 2,
        }
    }
}

impl DecisionTreeClassifier {
    fn sizes(&self) -> Sizes {
        Sizes {
            splitter: self.splitter,
            max_depth: self.max_depth,
            min_samples_split: self.min_samples_split,
            min_samples_leaf: self.min_samples_leaf,
            min_weight_fraction_leaf: self.min_weight_fraction_leaf,
            max_features: self.max_features,
            max_leaf_nodes: self.max_leaf_nodes,
            min_impurity_decrease: self.min_impurity_decrease,
            max_children: self.max_children,
            draws_order: false,
        }
    }

    /// The whole tree, before branches are cut off.
    pub(super) fn grown(&self, data: &Labelled<'_>, run: &Run) -> Result<(Tree, Vec<(f64, f64)>)> {
        let impurity = self.criterion.impurity();
        let teaching =
            Teaching::of_classes(data, &self.class_weight, impurity, self.splitter, run)?;
        let columns = &teaching.columns;
        let growth =
            self.sizes()
                .growth(teaching.n_rows(), columns.len(), teaching.weight(), 1.0)?;
        let generator = generator(self.random_state, 0);
        let tree = teaching.tree(&teaching.weights, &growth, generator, run)?;
        Ok((tree, columns.bounds().to_vec()))
    }
}

impl Fit<Labelled<'_>> for DecisionTreeClassifier {
    type Model = ClassificationTree;
    const ACCEPTS: Accepts = Accepts::WEIGHTS.union(Accepts::MISSING);

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<ClassificationTree> {
        let (tree, bounds) = self.grown(&data, run)?;
        Ok(ClassificationTree {
            tree: match self.ccp_alpha > 0.0 {
                true => prune(&tree, self.ccp_alpha),
                false => tree,
            },
            low: bounds.iter().map(|bound| bound.0).collect(),
            high: bounds.iter().map(|bound| bound.1).collect(),
            classes: data.classes.clone(),
        })
    }
}

/// A grown tree whose leaves hold shares of classes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClassificationTree {
    pub(super) tree: Tree,
    /// The least and the greatest training value of each column.
    low: Vec<f64>,
    high: Vec<f64>,
    classes: Classes,
}

impl ClassificationTree {
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
            let shares = self.tree.value(node);
            let best = argmax(shares.iter().copied()).unwrap_or(0);
            let rows = self
                .tree
                .statistics
                .as_ref()
                .map_or(0.0, |s| s.n_rows[node]);
            format!(
                "{} ({:.3} of {rows} rows)",
                self.classes.names()[best],
                shares[best]
            )
        };
        self.tree.rules(&name, &answer, max_depth)
    }
}

impl Features for ClassificationTree {
    fn n_features(&self) -> usize {
        self.low.len()
    }

    fn accepts(&self) -> Accepts {
        Accepts::MISSING
    }
}

impl Classify for ClassificationTree {
    fn classes(&self) -> &Classes {
        &self.classes
    }

    fn classify(&self, rows: Rows<'_>) -> Result<Vec<usize>> {
        let best: Vec<usize> = (0..self.tree.nodes.len())
            .map(|node| argmax(self.tree.value(node).iter().copied()).unwrap_or(0))
            .collect();
        let leaves = leaves(&self.tree, rows)?;
        Ok(leaves.into_iter().map(|leaf| best[leaf]).collect())
    }
}

impl Probabilities for ClassificationTree {
    fn probabilities(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        answers(&self.tree, rows)
    }
}

impl Model for ClassificationTree {
    const ABILITIES: Abilities<Self> = Abilities::none().classify().probabilities();

    const ATTRIBUTES: &'static [Attribute<Self>] = &[
        Attribute {
            name: "classes",
            meaning: "The classes in label order.",
            get: |model| Value::from(&model.classes),
        },
        Attribute {
            name: "feature_importances",
            meaning: "By how much the splits of each column lower the impurity, in all one.",
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
            meaning: "The first threshold of each node, 0 for leaves.",
            get: |model| {
                let nodes = model.tree.nodes.iter();
                Value::from(ndarray::Array1::from_iter(nodes.map(|node| node.threshold)))
            },
        },
        Attribute {
            name: "node_children",
            meaning: "The first child of each node, 0 for leaves; further children follow it.",
            get: |model| {
                let nodes = model.tree.nodes.iter();
                Value::Integers(nodes.map(|node| i64::from(node.first_child)).collect())
            },
        },
        Attribute {
            name: "node_impurities",
            meaning: "How mixed the training rows of each node are.",
            get: |model| {
                let statistics = model.tree.statistics.as_ref();
                Value::from(statistics.map(|statistics| statistics.impurities.as_slice()))
            },
        },
        Attribute {
            name: "node_rows",
            meaning: "Number of training rows of each node.",
            get: |model| {
                let statistics = model.tree.statistics.as_ref();
                Value::from(statistics.map(|statistics| statistics.n_rows.as_slice()))
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
        self.tree.validate(self.low.len(), self.classes.len())
    }
}
