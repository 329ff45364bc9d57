//! The algorithms of this family, one line each.

use crate::{Crf, DeepCrf, Hmm, ItemClassifier, Memm, StructuredPerceptron};
use didact_core::{Entry, Modelling};

/// The sequence models.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<Hmm>("hmm")
            .family("sequence")
            .serves(&[
                "hmm-discrete",
                "hmm-forward-backward",
                "hmm-decoding",
                "hmm-baum-welch",
                "hmm-supervised",
            ])
            .card(
                Modelling::Generative,
                "log-likelihood of the sequences",
                "O(n·K²) per pass over n items, K states",
            )
            .sequence_model()
            .sequences_in_pieces()
            .sequence_labeller()
            .into(),
        Entry::of::<Crf>("crf")
            .family("sequence")
            .serves(&["crf-linear-chain"])
            .card(
                Modelling::Discriminative,
                "conditional log-likelihood of the labels minus the price of the weights",
                "O(n·K·(K + d)) per iteration over n items, K labels, d columns",
            )
            .sequence_labeller()
            .into(),
        Entry::of::<DeepCrf>("deep-crf")
            .family("sequence")
            .serves(&["deep-crf"])
            .card(
                Modelling::Discriminative,
                "conditional log-likelihood of the labels minus the price of the weights",
                "O(n·(p + K²)) per pass over n items, p weights, K labels",
            )
            .sequence_labeller()
            .into(),
        Entry::of::<StructuredPerceptron>("structured-perceptron")
            .family("sequence")
            .serves(&["structured-perceptron"])
            .card(
                Modelling::Discriminative,
                "score of the true labels against that of the best ones",
                "O(n·K·(K + d)) per pass over n items, K labels, d columns",
            )
            .sequence_labeller()
            .into(),
        Entry::of::<Memm>("memm")
            .family("sequence")
            .serves(&["memm"])
            .card(
                Modelling::Discriminative,
                "log-likelihood of each label given the one before minus the price of the weights",
                "O(n·K·(K + d)) per iteration over n items, K labels, d columns",
            )
            .sequence_labeller()
            .into(),
        Entry::of::<ItemClassifier>("item-classifier")
            .family("sequence")
            .serves(&["sequence-item-baseline"])
            .card(
                Modelling::Discriminative,
                "conditional log-likelihood of the labels minus the price of the weights",
                "O(n·K·(K + d)) per iteration over n items, K labels, d columns",
            )
            .sequence_labeller()
            .into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::DataKind;

    #[test]
    fn the_entry_lists_both_ways_of_learning() {
        let entry = catalogue().remove(0);
        assert_eq!(
            (entry.id, entry.name.as_str(), entry.family),
            ("hmm", "HMM", "sequence")
        );
        let unsupervised = entry.route(DataKind::Sequences).unwrap();
        assert!(unsupervised.in_pieces);
        assert_eq!(
            unsupervised.abilities,
            ["sample", "decode", "sequence-likelihood"]
        );
        assert!(entry.route(DataKind::LabelledSequences).is_some());
    }
}
