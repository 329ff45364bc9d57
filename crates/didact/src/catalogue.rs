//! The catalogue: every algorithm, listed by its family.

use didact_core::parameters::nearest;
use didact_core::{Entry, Error, Result};
use std::sync::OnceLock;

/// Every algorithm, in order of family and id.
///
/// ```
/// let names: Vec<&str> = didact::catalogue().iter().map(|entry| entry.id).collect();
/// assert!(names.contains(&"ridge"));
/// ```
pub fn catalogue() -> &'static [Entry] {
    static CATALOGUE: OnceLock<Vec<Entry>> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        [
            didact_preprocess::catalogue(),
            didact_projection::catalogue(),
            didact_linear::catalogue(),
            didact_discriminant::catalogue(),
            didact_svm::catalogue(),
            didact_kernel::catalogue(),
            didact_gaussian_process::catalogue(),
            didact_neighbors::catalogue(),
            didact_tree_ensemble::catalogue(),
            didact_cluster::catalogue(),
            didact_mixture::catalogue(),
            didact_sequence::catalogue(),
            didact_graphical::catalogue(),
            didact_semi_supervised::catalogue(),
            didact_neural::catalogue(),
            didact_neural_classic::catalogue(),
            crate::wrappers::catalogue(),
            didact_evaluate::catalogue(),
        ]
        .into_iter()
        .flatten()
        .collect()
    })
}

/// The algorithm with this id, or an error that suggests one.
pub fn find(id: &str) -> Result<&'static Entry> {
    catalogue()
        .iter()
        .find(|entry| entry.id == id)
        .ok_or_else(|| {
            let hint = match nearest(id, catalogue().iter().map(|entry| entry.id)) {
                Some(close) => format!("did you mean {close}? "),
                None => String::new(),
            };
            Error::Specification(format!(
                "there is no algorithm {id}; {hint}`didact list` shows them all"
            ))
        })
}
