//! Claims about networks, their answers and their learning.

mod models;
mod sampling;
mod separation;
mod structure;
mod support;
mod tables;
