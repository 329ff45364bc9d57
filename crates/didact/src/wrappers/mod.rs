//! Algorithms that take another algorithm.

mod one_vs_rest;

pub use one_vs_rest::{OneVsRest, OneVsRestModel};

use didact_core::{Entry, Modelling};

/// The entries of this module.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<OneVsRest>("one-vs-rest")
            .family("linear")
            .serves(&["multiclass-wrappers"])
            .card(
                Modelling::Discriminative,
                "that of the wrapped classifier, once per class",
                "k fits",
            )
            .classifier()
            .into(),
    ]
}
