//! Laws that every algorithm of the catalogue obeys. Nothing here names an algorithm: what is
//! listed is tested.

mod awkward;
mod cancellation;
mod determinism;
mod files;
mod fixtures;
mod golden;
mod parameters;
mod pieces;
mod roles;
mod sequence;
mod warm_start;
