//! The algorithms of this family, one line each.

use crate::{Autoencoder, Cnn, DeepFeatures, Lstm, Mlp, Rnn};
use didact_core::{Entry, Modelling};

/// The networks.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<Mlp>("mlp")
            .family("neural-deep")
            .serves(&["mlp", "backpropagation", "activations", "network-losses"])
            .card(
                Modelling::Discriminative,
                "cross-entropy or squared error plus the price of the weights",
                "O(n·p) per pass over n rows, p parameters",
            )
            .classifier()
            .labelled_warm_start()
            .regressor()
            .measured_warm_start()
            .into(),
        Entry::of::<Autoencoder>("autoencoder")
            .family("neural-deep")
            .serves(&[
                "autoencoder",
                "denoising-autoencoder",
                "sparse-autoencoder",
                "ddae-feedback",
            ])
            .card(
                Modelling::Descriptive,
                "squared distance or cross-entropy of rows and reconstructions",
                "O(n·p) per pass over n rows, p parameters",
            )
            .transformer()
            .into(),
        Entry::of::<DeepFeatures>("deep-features")
            .family("neural-deep")
            .serves(&["deep-features"])
            .card(
                Modelling::Descriptive,
                "contrastive divergence of each layer from the one below",
                "O(n·p) per pass over n rows, p parameters",
            )
            .transformer()
            .into(),
        Entry::of::<Cnn>("cnn")
            .family("neural-deep")
            .serves(&["cnn", "conv-layer"])
            .card(
                Modelling::Discriminative,
                "cross-entropy plus the price of the weights",
                "O(n·p·q) per pass over n images, p parameters of filters at q places",
            )
            .classifier()
            .into(),
        Entry::of::<Rnn>("rnn")
            .family("neural-deep")
            .serves(&["rnn", "rnn-gradient-diagnostics"])
            .card(
                Modelling::Discriminative,
                "cross-entropy of the labels plus the price of the weights",
                "O(n·p) per pass over n items, p parameters",
            )
            .sequence_labeller()
            .into(),
        Entry::of::<Lstm>("lstm")
            .family("neural-deep")
            .serves(&["lstm", "lstm-original"])
            .card(
                Modelling::Discriminative,
                "cross-entropy of the labels plus the price of the weights",
                "O(n·p) per pass over n items, p parameters",
            )
            .sequence_labeller()
            .into(),
    ]
}
