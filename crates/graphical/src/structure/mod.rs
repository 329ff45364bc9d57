//! Which graph suits the data: the BIC score of families, and searches for the best graph.

mod chow_liu;
mod exact;
mod hill_climb;
mod ranked;
mod score;
mod walk;

pub use chow_liu::chow_liu_tree;
pub use exact::best_graph;
pub use hill_climb::HillClimb;
pub use ranked::{RankedGraph, ranked_graphs};
pub use score::FamilyScores;
