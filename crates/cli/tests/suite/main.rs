//! What the tests of this crate claim, one module per subject.

mod command;
mod judging;
mod linear;
mod pictures;
mod shared;
mod streaming;
