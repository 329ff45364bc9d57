//! What the tests of this crate claim, one module per subject.

mod cross_validation;
mod selection;
