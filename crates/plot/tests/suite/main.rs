//! What the tests of this crate claim, one module per subject.

mod gallery;
mod mixture_figures;
mod noise;
mod pictures;
