//! The neighbour methods that users can choose from.

use crate::{KNeighbors, KNeighborsDensity, KernelDensity, ParzenClassifier, RadiusNeighbors};
use didact_core::{Entry, Modelling};

/// Every algorithm of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<KNeighbors>("k-neighbors")
            .family("neighbors")
            .serves(&["knn-classifier"])
            .card(
                Modelling::Discriminative,
                "none: the training rows are kept",
                "O(n·d·log n) to index, O(d·log n) to O(n·d) per predicted row",
            )
            .classifier()
            .regressor()
            .into(),
        Entry::of::<RadiusNeighbors>("radius-neighbors")
            .family("neighbors")
            .serves(&["radius-neighbours"])
            .card(
                Modelling::Discriminative,
                "none: the training rows are kept",
                "O(n·d·log n) to index, O(d·log n) to O(n·d) per predicted row",
            )
            .classifier()
            .regressor()
            .into(),
        Entry::of::<KernelDensity>("kernel-density")
            .family("neighbors")
            .serves(&["parzen-density"])
            .card(
                Modelling::Generative,
                "none, or the log-likelihood of unseen rows over the bandwidth",
                "O(n·d·log n) to index, O(d·log n) to O(n·d) per row",
            )
            .density()
            .into(),
        Entry::of::<KNeighborsDensity>("k-neighbors-density")
            .family("neighbors")
            .serves(&["knn-density"])
            .card(
                Modelling::Descriptive,
                "none: the training rows are kept",
                "O(n·d·log n) to index, O(d·log n) to O(n·d) per row",
            )
            .density()
            .into(),
        Entry::of::<ParzenClassifier>("parzen-classifier")
            .family("neighbors")
            .serves(&["parzen-classifier"])
            .card(
                Modelling::Generative,
                "none, or the log-likelihood of unseen rows of each class over the bandwidth",
                "O(n·d·log n) to index, O(d·log n) to O(n·d) per predicted row",
            )
            .classifier()
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::{DataKind, Task};

    #[test]
    fn one_entry_classifies_and_predicts_numbers() {
        let entry = catalogue().remove(0);
        assert!(entry.is_for(Task::Classification) && entry.is_for(Task::Regression));
        let labelled = entry.route(DataKind::Labelled).unwrap();
        assert_eq!(labelled.abilities, ["classify", "probabilities"]);
        assert_eq!(
            entry.route(DataKind::Measured).unwrap().abilities,
            ["regress"]
        );
    }
}
