//! Networks learned from rows of category codes.

mod classifier;
mod learned;
mod model;
mod tables;

pub use classifier::BayesianNetworkClassifierModel;
pub use model::BayesianNetworkModel;
pub use tables::{EstimatedTables, estimate_tables};

use crate::{CategoryTable, Dag, FamilyScores, HillClimb, best_graph, chow_liu_tree};
use didact_core::{Accepts, Error, Fit, Labelled, Result, Run, Samples, Trace};
use learned::LearnedNetwork;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Learns which columns depend on which, and how: a graph and conditional tables.
///
/// Columns hold category codes 0, 1, 2, … The graph has a high BIC score (log-likelihood less half
/// the logarithm of the number of rows for every free parameter), is a tree, or is given; the
/// tables are smoothed shares (N_v + α)/(N + α·r) of each value for each combination of the
/// parents' values. From labelled rows the class is one more node, numbered after the last column,
/// and is predicted by exact inference from all columns together.
///
/// A value that was never seen counts as one seen zero times, and where a combination of the
/// parents' values was never seen all values are equally probable.
///
/// ```
/// use didact_core::{Fit, LogDensity, Samples};
/// use didact_graphical::BayesianNetwork;
/// // The second column copies the first; the third is on its own.
/// let x = ndarray::Array2::from_shape_fn((40, 3), |(row, column)| match column {
///     2 => f64::from(row % 3 == 0),
///     _ => f64::from(row % 2 == 0),
/// });
/// let model = BayesianNetwork::default().fit(Samples::from(&x))?;
/// assert_eq!(model.network().graph().edges().len(), 1);
/// let densities = model.score_samples(&ndarray::array![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])?;
/// assert!(densities[0] > densities[1] + 2.0);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BayesianNetwork {
    /// How the graph is found where no edges are given.
    pub structure: Structure,
    /// The graph, where it is known: pairs of the numbers of a parent and of its child. The class
    /// has the number after the last column.
    pub edges: Option<Vec<[usize; 2]>>,
    /// Most parents of a node that a search may give; none for no limit but the score.
    pub max_parents: Option<usize>,
    /// How often every value is pretended to have been seen for every combination of the parents'
    /// values; zero does not smooth.
    #[schemars(range(min = 0.0))]
    pub alpha: f64,
    /// How many values each column has, seen or not; else one more than its largest code.
    pub n_categories: Option<Vec<usize>>,
    /// Most steps of the hill climbing.
    #[schemars(range(min = 1))]
    pub max_iter: usize,
    /// How many steps without a better graph the hill climbing makes before it gives up.
    pub tabu_length: usize,
    /// How often the hill climbing starts again from the best graph after random changes.
    pub n_restarts: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

/// How the graph of a network is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Structure {
    /// By adding, deleting and turning arrows as long as the BIC score rises.
    #[default]
    HillClimb,
    /// As the one with the highest BIC score of all graphs, for at most fifteen nodes, the class
    /// included.
    Exhaustive,
    /// As the tree of largest mutual information between neighbours, with the class or else the
    /// first column as its root.
    ChowLiu,
    /// With arrows from the class to all columns, and without any where there is no class.
    Naive,
}

impl Default for BayesianNetwork {
    fn default() -> Self {
        let climb = HillClimb::default();
        BayesianNetwork {
            structure: Structure::HillClimb,
            edges: None,
            max_parents: climb.max_parents,
            alpha: 1.0,
            n_categories: None,
            max_iter: climb.max_iter,
            tabu_length: climb.tabu_length,
            n_restarts: climb.n_restarts,
            random_state: climb.random_state,
        }
    }
}

impl Fit<Samples<'_>> for BayesianNetwork {
    type Model = BayesianNetworkModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<BayesianNetworkModel> {
        let table = CategoryTable::new(&data, self.n_categories.as_deref(), run)?;
        let learned = self.learned(&table, None, run)?;
        Ok(BayesianNetworkModel::new(learned))
    }
}

impl Fit<Labelled<'_>> for BayesianNetwork {
    type Model = BayesianNetworkClassifierModel;
    const ACCEPTS: Accepts = Accepts::WEIGHTS;

    fn learn(&self, data: Labelled<'_>, run: &Run) -> Result<BayesianNetworkClassifierModel> {
        let table = CategoryTable::new(&data.samples, self.n_categories.as_deref(), run)?;
        let class = table.n_columns();
        let table = table.with_column(&data.samples, data.labels, data.classes.len());
        let learned = self.learned(&table, Some(class), run)?;
        let weights = data.class_weights();
        Ok(BayesianNetworkClassifierModel::new(
            learned,
            data.classes.clone(),
            tables::shares(&weights, self.alpha).0,
        ))
    }
}

impl BayesianNetwork {
    fn learned(
        &self,
        table: &CategoryTable,
        class: Option<usize>,
        run: &Run,
    ) -> Result<LearnedNetwork> {
        let scores = FamilyScores::new(table);
        let (parents, trace) = self.parents(table, &scores, class, run)?;
        let name = |column: usize| match Some(column) == class {
            true => "class".to_owned(),
            false => format!("x{column}"),
        };
        let graph = Dag::new((0..table.n_columns()).map(name).collect(), parents)?;
        let tables = estimate_tables(table, &graph, self.alpha, run)?;
        let parents: Vec<Vec<usize>> = (0..graph.n_nodes())
            .map(|node| graph.parents(node).to_vec())
            .collect();
        Ok(LearnedNetwork {
            score: scores.graph(&parents, run)?,
            log_likelihood: tables.log_likelihood,
            network: tables.network,
            unseen: tables.unseen,
            trace,
        })
    }

    /// The parents of each node in ascending order, and the history of the search for them.
    fn parents(
        &self,
        table: &CategoryTable,
        scores: &FamilyScores<'_>,
        class: Option<usize>,
        run: &Run,
    ) -> Result<(Vec<Vec<usize>>, Option<Trace>)> {
        if let Some(edges) = &self.edges {
            return Ok((parents_of_edges(edges, table.n_columns())?, None));
        }
        match self.structure {
            Structure::HillClimb => {
                let (parents, trace) = self.climb().search(scores, run)?;
                Ok((parents, Some(trace)))
            }
            Structure::Exhaustive => Ok((best_graph(scores, self.max_parents, run)?, None)),
            Structure::ChowLiu => Ok((chow_liu_tree(table, class.unwrap_or(0), run)?, None)),
            Structure::Naive => {
                let parents =
                    |node: usize| class.filter(|&class| class != node).into_iter().collect();
                Ok(((0..table.n_columns()).map(parents).collect(), None))
            }
        }
    }

    fn climb(&self) -> HillClimb {
        HillClimb {
            max_parents: self.max_parents,
            max_iter: self.max_iter,
            tabu_length: self.tabu_length,
            n_restarts: self.n_restarts,
            random_state: self.random_state,
        }
    }
}

fn parents_of_edges(edges: &[[usize; 2]], nodes: usize) -> Result<Vec<Vec<usize>>> {
    let mut parents = vec![Vec::new(); nodes];
    for (place, &[parent, child]) in edges.iter().enumerate() {
        if parent >= nodes || child >= nodes {
            return Err(Error::parameter(
                format!("edges[{place}]"),
                format!("{:?}", [parent, child]),
                format!("both numbers must be less than {nodes}, the number of columns and class"),
            ));
        }
        parents[child].push(parent);
    }
    parents
        .iter_mut()
        .for_each(|parents| parents.sort_unstable());
    Ok(parents)
}
