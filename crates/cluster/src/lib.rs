//! Methods that find groups in rows without labels.
//!
//! | groups are | method |
//! |---|---|
//! | around centres | [`KMeans`], [`MiniBatchKMeans`], [`MetricKMeans`] for other distances |
//! | around rows | [`KMedoids`], [`AffinityPropagation`] |
//! | around peaks of the density | [`MeanShift`] |
//! | around centres in the space of a kernel | [`KernelKMeans`] |
//! | shared among centres | [`SoftKMeans`], [`FuzzyCMeans`], [`KHarmonicMeans`] |
//! | parts of a graph of similar rows | [`SpectralClustering`] |
//! | nested, from all rows downwards | [`Divisive`] |
//! | nested, from single rows upwards | [`Agglomerative`], whose tree is a [`Dendrogram`] |
//! | regions dense with rows | [`Dbscan`], [`Hdbscan`], [`Optics`] |
//! | parts or cliques of a graph of near rows | [`ThresholdGraph`] |
//!
//! [`quantise`] writes rows in a code book that k-means finds. [`RowSketch`] is the sample of
//! distinct rows that methods start from: it does not depend on how the rows are cut or ordered.

mod affinity_propagation;
mod agglomerative;
mod catalogue;
mod centers;
mod dbscan;
mod divisive;
mod hdbscan;
mod hierarchy;
mod k_means;
mod k_medoids;
mod kernel_k_means;
mod lanes;
mod mean_shift;
mod metric_centers;
mod metric_k_means;
mod mini_batch;
mod nearest_row;
mod optics;
mod quantise;
mod reach;
mod sketch;
mod soft;
mod spectral;
mod threshold;
mod too_far;

pub use affinity_propagation::AffinityPropagation;
pub use agglomerative::{Agglomerative, AgglomerativeModel};
pub use catalogue::catalogue;
pub use dbscan::{Dbscan, DbscanModel};
pub use divisive::{Divisive, DivisiveMethod};
pub use hdbscan::{ClusterSelection, Hdbscan, HdbscanModel};
pub use hierarchy::{Dendrogram, Linkage, Merge};
pub use k_means::{KMeans, KMeansAlgorithm, KMeansInit, KMeansModel, KMeansState, KMeansSummary};
pub use k_medoids::{KMedoids, KMedoidsInit};
pub use kernel_k_means::{KernelKMeans, KernelKMeansModel};
pub use mean_shift::MeanShift;
pub use metric_centers::MetricCenters;
pub use metric_k_means::{CenterUpdate, MetricKMeans};
pub use mini_batch::MiniBatchKMeans;
pub use optics::{Optics, OpticsMethod, OpticsModel, RowCount};
pub use quantise::{Quantised, quantise, quantise_with};
pub use sketch::RowSketch;
pub use soft::{FuzzyCMeans, KHarmonicMeans, SoftClusters, SoftDistance, SoftKMeans};
pub use spectral::{
    SpectralAffinity, SpectralClustering, SpectralClusteringModel, SpectralLaplacian,
};
pub use threshold::{
    ThresholdGraph, ThresholdGraphModel, ThresholdGroups, clique_partition, maximal_cliques,
};
