//! The algorithms that exist to be compared with.

use crate::Baseline;
use didact_core::{Entry, Modelling};

/// The entries of this crate.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<Baseline>("baseline")
            .family("evaluate")
            .serves(&["baseline-comparison"])
            .card(
                Modelling::Descriptive,
                "most frequent class or mean target",
                "O(n)",
            )
            .classifier()
            .regressor()
            .into(),
    ]
}
