//! The entries of this family in the catalogue.

use crate::GaussianNB;
use didact_core::{Entry, Modelling};

/// The algorithms of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<GaussianNB>("gaussian-nb")
            .family("discriminant")
            .serves(&["naive-bayes-attributes"])
            .card(
                Modelling::Generative,
                "likelihood of Σⱼ ln N(xⱼ; μ, σ²) in each class",
                "O(n·d)",
            )
            .classifier()
            .labelled_in_pieces()
            .into(),
    ]
}
