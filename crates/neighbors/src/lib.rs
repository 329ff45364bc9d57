//! Methods that learn by remembering: a row is judged by the training rows nearest to it.

mod catalogue;
mod k_neighbors;

pub use catalogue::catalogue;
pub use didact_math::distance::Metric;
pub use didact_math::neighbors::{Neighbors, SearchAlgorithm};
pub use k_neighbors::{KNeighbors, KNeighborsClassifier, KNeighborsRegressor, Voting};
