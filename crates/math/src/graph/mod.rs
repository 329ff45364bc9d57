//! Graphs over rows: neighbourhoods, affinities, Laplacians and their spectra.
//!
//! A graph is a square sparse matrix of weights: entry (i, j) is the weight of the edge from i
//! to j, and what is not stored is no edge.

mod components;
mod laplacian;
mod neighbourhood;
mod spanning;
mod spectrum;

pub use components::{Components, connected_components};
pub use laplacian::{LaplacianKind, degrees, laplacian, laplacian_matrix, quadratic_form};
pub use neighbourhood::{AffinityGraph, EdgeWeight, Neighbourhood, edges, threshold_similarity};
pub use spanning::minimum_spanning_tree;
pub use spectrum::{graph_spectrum, spectral_coefficients};
