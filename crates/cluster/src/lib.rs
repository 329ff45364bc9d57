//! Methods that find groups in rows without labels.
//!
//! [`KMeans`] partitions the rows around centres. [`RowSketch`] is the sample of distinct rows
//! that methods start from: it does not depend on how the rows are cut or ordered.

mod catalogue;
mod k_means;
mod sketch;

pub use catalogue::catalogue;
pub use k_means::{KMeans, KMeansAlgorithm, KMeansInit, KMeansModel, KMeansState, KMeansSummary};
pub use sketch::RowSketch;
