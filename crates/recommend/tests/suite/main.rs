//! What the tests of this crate claim, one module per subject.

mod contract;
mod factors;
mod item_neighbors;
mod memory;
mod rules;
mod shared;
mod user_neighbors;
mod validation;
