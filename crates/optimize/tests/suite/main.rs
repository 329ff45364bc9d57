//! What the tests of this crate claim, one module per subject.

mod evaluation_counts;
mod programs;
