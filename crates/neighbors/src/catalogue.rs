//! The neighbour methods that users can choose from.

use crate::KNeighbors;
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
