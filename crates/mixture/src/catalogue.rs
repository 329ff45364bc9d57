//! The methods of this family, one entry each.

use crate::GaussianMixture;
use didact_core::{Entry, Modelling};

/// The mixture methods.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<GaussianMixture>("gaussian-mixture")
            .family("mixture")
            .serves(&["gmm-model", "gmm-em", "gmm-initialisation"])
            .card(
                Modelling::Generative,
                "maximum likelihood, Σᵢ ln Σₖ πₖ N(xᵢ; μₖ, Σₖ)",
                "O(n·k·d²) per iteration, O(n·k·d) for diagonal and spherical covariances",
            )
            .properties(&[
                (
                    "many columns",
                    "full covariances need d² numbers each; diagonal and spherical ones scale",
                ),
                ("irregular shapes", "no: groups are ellipsoids of any size"),
                (
                    "outliers",
                    "no protection: a far point stretches a covariance or takes a component",
                ),
                (
                    "order dependence",
                    "none within a pass, where all rows move the components together; the start drawn does depend on it",
                ),
            ])
            .clusterer()
            .samples_in_pieces()
            .into(),
    ]
}
