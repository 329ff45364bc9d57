//! What the tests of this crate claim, one module per subject.

mod classification;
mod ranking;
mod regression;
mod routes;
mod uses;
