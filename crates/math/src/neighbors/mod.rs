//! Exact nearest neighbours.
//!
//! One [`Index`] hides three ways to search. They return the same neighbours to the last bit:
//! each measures candidates with the same function and orders them by distance, then by the
//! lowest training row.

mod best;
mod brute;
mod curve;
mod flat;
mod index;
mod packed;
mod single;
mod spanning;
#[cfg(test)]
mod tests;
mod tree;

pub use index::{Index, Neighbors, SearchAlgorithm};
