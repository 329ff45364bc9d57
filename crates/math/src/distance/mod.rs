//! Distances and similarities of rows, sets and words, and the nearest of some centres.
//!
//! [`Metric`] measures how far apart two rows are (small means alike),
//! [`Kernel`](crate::kernel::Kernel) how similar they are (large means alike); [`Measure`] is
//! either and says which. [`pairwise`] and [`paired`] measure many rows at once.

mod angle;
mod axioms;
mod columns;
mod correlation;
mod formulas;
mod hamming;
mod jaccard;
mod mahalanobis;
mod measure;
mod metric;
mod min_hash;
mod mutual_neighbours;
mod nearest;
mod packed_centers;
mod pairwise;
mod products;
mod squared;

pub use angle::{OnZero, angle, cosine_similarity, inner_product};
pub use axioms::{AxiomReport, Witness, check_axioms, check_axioms_of_matrix};
pub(crate) use correlation::without_mean;
pub use correlation::{Correlation, pearson_correlation};
pub use hamming::{hamming, hamming_bits, hamming_text};
pub use jaccard::{encode_sets, jaccard_similarity, weighted_jaccard};
pub use mahalanobis::Mahalanobis;
pub use measure::{Measure, Orientation};
pub use metric::Metric;
pub use min_hash::{MinHash, Signature};
pub(crate) use mutual_neighbours::check_square;
pub use mutual_neighbours::mutual_neighbour_distances;
pub use nearest::{NearestCenters, nearest_center};
pub use packed_centers::{BestTwo, PackedCenters};
pub(crate) use pairwise::{check_output, directions, squared_pairs};
pub use pairwise::{paired, pairwise, pairwise_into, pairwise_self};
pub(crate) use products::Prepared;
pub(crate) use squared::rounding_bound;
pub use squared::{squared_euclidean, squared_euclidean_matrix, squared_norms};
