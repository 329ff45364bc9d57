//! The kernel methods that users can choose from.

use crate::{
    KernelClassMean, KernelPca, KernelPerceptron, KernelRidge, Nystroem, RandomFourierFeatures,
    RbfFeatures,
};
use didact_core::{Entry, Modelling};

/// Every algorithm of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<KernelRidge>("kernel-ridge")
            .family("kernel")
            .serves(&["kernel-perceptron-ridge"])
            .card(
                Modelling::Discriminative,
                "Σ(y − f(x))² + α‖f‖²",
                "O(n³) time and O(n²) memory, O(n·d) per predicted row",
            )
            .regressor()
            .into(),
        Entry::of::<KernelPerceptron>("kernel-perceptron")
            .family("kernel")
            .serves(&["kernel-perceptron-ridge"])
            .card(
                Modelling::Discriminative,
                "no mistake is left",
                "O(n·d) per mistake",
            )
            .classifier()
            .into(),
        Entry::of::<KernelClassMean>("kernel-class-mean")
            .family("kernel")
            .serves(&["kernel-class-mean"])
            .card(
                Modelling::Discriminative,
                "the nearest class mean in the space of the kernel",
                "O(n²·d), O(n·d) per predicted row",
            )
            .classifier()
            .into(),
        Entry::of::<KernelPca>("kernel-pca")
            .family("kernel")
            .serves(&["kernel-pca"])
            .card(
                Modelling::Descriptive,
                "most variance in the space of the kernel",
                "O(n³) time, O(n²·k) for few components, O(n²) memory",
            )
            .transformer()
            .into(),
        Entry::of::<RbfFeatures>("rbf-features")
            .family("kernel")
            .serves(&["explicit-feature-maps"])
            .card(
                Modelling::Descriptive,
                "how near a row is to each centre",
                "k-means, then O(n·d·m) for m centres",
            )
            .transformer()
            .into(),
        Entry::of::<RandomFourierFeatures>("random-fourier-features")
            .family("kernel")
            .serves(&["explicit-feature-maps"])
            .card(
                Modelling::Descriptive,
                "inner products like those of a Gaussian kernel",
                "O(n·d·m) for m waves",
            )
            .transformer()
            .into(),
        Entry::of::<Nystroem>("nystroem")
            .family("kernel")
            .serves(&["explicit-feature-maps"])
            .card(
                Modelling::Descriptive,
                "inner products like those of a kernel",
                "O(m³ + n·m·(d + m)) for m landmarks",
            )
            .transformer()
            .into(),
    ]
}
