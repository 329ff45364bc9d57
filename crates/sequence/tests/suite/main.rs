//! What the tests of this crate claim, one module per subject.

mod laws;
mod oracle;
mod texts;
mod training;
