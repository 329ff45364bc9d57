//! Trees, forests and boosting against hand computations, exhaustive search and invariants.

mod boosting;
mod forests;
mod splits;
mod stops;
mod trees;
mod weak;
