//! The projections that users can choose from.

use crate::{Cca, Pca};
use didact_core::{Entry, Modelling};

/// Every algorithm of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<Pca>("pca")
            .family("projection")
            .serves(&["pca", "pca-reconstruction", "pca-diagnostics", "whitening"])
            .card(
                Modelling::Generative,
                "least squared distance between the rows and their images on p axes",
                "O(n·d·min(n, d)), or O(n·d·p) by random projection",
            )
            .transformer()
            .samples_in_pieces()
            .into(),
        Entry::of::<Cca>("cca")
            .family("projection")
            .serves(&["cca"])
            .card(
                Modelling::Discriminative,
                "largest correlation of a weighted sum of columns with one of targets",
                "O(n·d²)",
            )
            .regressor()
            .measured_in_pieces()
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_python_class_has_scikit_learns_name() {
        let entries = catalogue();
        assert_eq!(entries[0].name, "PCA");
        assert!(entries[0].routes[0].in_pieces);
    }
}
