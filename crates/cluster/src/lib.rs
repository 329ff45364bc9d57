//! Methods that find groups in rows without labels.
//!
//! | groups are | method |
//! |---|---|
//! | around centres | [`KMeans`] |
//! | nested, from single rows upwards | [`Agglomerative`], whose tree is a [`Dendrogram`] |
//! | regions dense with rows | [`Dbscan`] |
//!
//! [`RowSketch`] is the sample of distinct rows that methods start from: it does not depend on
//! how the rows are cut or ordered.

mod agglomerative;
mod catalogue;
mod dbscan;
mod hierarchy;
mod k_means;
mod nearest_row;
mod sketch;

pub use agglomerative::{Agglomerative, AgglomerativeModel};
pub use catalogue::catalogue;
pub use dbscan::{Dbscan, DbscanModel};
pub use hierarchy::{Dendrogram, Linkage, Merge};
pub use k_means::{KMeans, KMeansAlgorithm, KMeansInit, KMeansModel, KMeansState, KMeansSummary};
pub use sketch::RowSketch;
