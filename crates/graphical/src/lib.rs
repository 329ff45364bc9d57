//! Networks of probability: discrete Bayesian networks, their questions and their learning.
//!
//! - [`Dag`]: directed acyclic graphs of named nodes; what they say about independence by Bayes'
//!   ball ([`Dag::open_path`]), [`Gate`]s and Markov blankets.
//! - [`Network`]: such a graph with a conditional table at every node. Exact answers by variable
//!   elimination ([`Network::query`], [`Network::infer`]), the most probable explanation
//!   ([`Network::most_probable`]), independence by number, draws ([`Network::sample`],
//!   [`Network::weighted_sample`], [`Gibbs`]).
//! - [`CategoryTable`]: rows of category codes, counted by family; tables by counts
//!   ([`estimate_tables`]), the BIC score of a structure ([`FamilyScores`]) and the search for a
//!   good one ([`HillClimb`], [`best_graph`], [`ranked_graphs`], [`chow_liu_tree`]).
//! - [`BayesianNetwork`]: structure and tables from data, as a density or as a classifier.
//!
//! ```
//! use didact_graphical::{Network, Variable};
//! let network = Network::new(vec![
//!     Variable::root("rain", &[0.8, 0.2]),
//!     Variable::new("wet", &["rain"], &[&[0.9, 0.1], &[0.05, 0.95]]),
//! ])?;
//! let rain = network.query(&["rain"], &[("wet", 1)])?;
//! assert!((rain.probability(&[1])? - 0.19 / 0.27).abs() < 1e-12);
//! # Ok::<(), didact_core::Error>(())
//! ```

mod catalogue;
mod counts;
mod graph;
mod inference;
mod learn;
mod network;
mod sampling;
mod structure;

pub use catalogue::catalogue;
pub use counts::CategoryTable;
pub use graph::{Dag, Gate, OpenPath};
pub use inference::{EliminationOrder, Explanation, Inferred};
pub use learn::{
    BayesianNetwork, BayesianNetworkClassifierModel, BayesianNetworkModel, EstimatedTables,
    Structure, estimate_tables,
};
pub use network::{ConditionalTable, Network, Variable};
pub use sampling::{Gibbs, GibbsDraws, WeightedRows};
pub use structure::{
    FamilyScores, HillClimb, RankedGraph, best_graph, chow_liu_tree, ranked_graphs,
};
