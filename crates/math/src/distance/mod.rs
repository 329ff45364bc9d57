//! Distances between rows, and the nearest of some centres.

mod metric;
mod nearest;
mod squared;

pub use metric::Metric;
pub use nearest::{NearestCenters, nearest_center};
pub(crate) use squared::rounding_bound;
pub use squared::{squared_euclidean, squared_euclidean_matrix, squared_norms};
