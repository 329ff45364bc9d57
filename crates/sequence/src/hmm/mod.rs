//! Hidden Markov models: a chain of hidden states of which each emits an item.
//!
//! [`Hmm`] holds the hyper-parameters and learns; [`HmmModel`] scores, decodes and draws;
//! [`Lattice`] shows the forward and backward variables of one sequence.

mod chain;
mod classifier;
mod decode;
mod emission;
mod enumerate;
mod expect;
mod forecast;
mod gaussian;
mod groups;
mod initial;
mod lattice;
mod learn;
mod log_space;
mod model;
mod moments;
mod parameters;
mod sampling;
mod scaled;
mod seeds;
mod segmental;
mod statistics;
mod supervised;

pub(crate) use chain::Chain;
pub(crate) use decode::viterbi;
pub(crate) use emission::Evaluated;
pub(crate) use expect::Expectation;
pub(crate) use groups::{Group, LEAST_ROWS, group_ranges, groups, over_groups};
pub(crate) use scaled::ITEMS_PER_CHECK;

pub use classifier::{HmmClassifier, HmmClassifierModel, HmmRejection};
pub use enumerate::Enumeration;
pub use forecast::HmmForecast;
pub use initial::StartSample;
pub use lattice::Lattice;
pub use learn::{HmmState, HmmSummary};
pub use model::HmmModel;
pub use parameters::{
    ChainStart, CovarianceType, Hmm, HmmEmission, HmmStart, HmmTraining, Topology, UnknownSymbols,
};
pub use statistics::Statistics;
