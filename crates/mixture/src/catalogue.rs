//! The methods of this family, one entry each.

use crate::{
    BayesianGaussianMixture, DirichletProcessMixture, DiscreteMixture, GaussianMixture,
    GaussianMixtureRegression, MarginDirichletMixture,
};
use didact_core::{Entry, Modelling, Values};

/// The mixture methods.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<GaussianMixture>("gaussian-mixture")
            .family("mixture")
            .serves(&["gmm-model", "gmm-em", "gmm-initialisation", "gmm-collapse-guard"])
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
        Entry::of::<GaussianMixtureRegression>("gaussian-mixture-regression")
            .family("mixture")
            .serves(&["gmr"])
            .card(
                Modelling::Discriminative,
                "maximum likelihood of features and targets, then the mean of p(y | x)",
                "O(n·k·d²) per iteration",
            )
            .regressor()
            .into(),
        Entry::of::<DiscreteMixture>("discrete-mixture")
            .family("mixture")
            .serves(&["mixture-poisson"])
            .card(
                Modelling::Generative,
                "maximum likelihood, Σᵢ ln Σₖ πₖ Πⱼ p(xᵢⱼ; θₖⱼ), smoothed by α",
                "O(n·k·d) per iteration",
            )
            .properties(&[
                ("many columns", "well: one number per component and column"),
                ("irregular shapes", "no: columns are independent within a group"),
                (
                    "outliers",
                    "no protection: a far row takes a component or shifts its means",
                ),
                (
                    "order dependence",
                    "none within a pass, where all rows move the components together; the start drawn does depend on it",
                ),
            ])
            .clusterer()
            .values(Values::Categories)
            .into(),
        Entry::of::<DirichletProcessMixture>("dirichlet-process-mixture")
            .family("mixture")
            .serves(&["dpm-gibbs", "dp-concentration-ars"])
            .card(
                Modelling::Generative,
                "draws from p(partition | rows), of which the most probable is kept",
                "O(n·k·d²) per sweep",
            )
            .properties(&[
                ("many columns", "covariances need d² numbers each and many rows"),
                ("irregular shapes", "no: groups are ellipsoids, but several may share a shape"),
                (
                    "outliers",
                    "a far row may have a cluster of its own",
                ),
                (
                    "order dependence",
                    "the rows choose one after the other, so a single run depends on their order",
                ),
            ])
            .clusterer()
            .into(),
        Entry::of::<BayesianGaussianMixture>("bayesian-gaussian-mixture")
            .family("mixture")
            .serves(&["dp-variational"])
            .card(
                Modelling::Generative,
                "a lower bound of the log-evidence ln ∫ p(rows | θ) p(θ) dθ",
                "O(n·k·d²) per iteration, O(n·k·d) for diagonal and spherical covariances",
            )
            .properties(&[
                (
                    "many columns",
                    "full covariances need d² numbers each; diagonal and spherical ones scale",
                ),
                ("irregular shapes", "no: groups are ellipsoids, but several may share a shape"),
                (
                    "outliers",
                    "the priors soften them: a far row alone hardly forms a component",
                ),
                (
                    "order dependence",
                    "none within a pass, where all rows move the components together; the start drawn does depend on it",
                ),
            ])
            .clusterer()
            .into(),
        Entry::of::<MarginDirichletMixture>("margin-dirichlet-mixture")
            .family("mixture")
            .serves(&["mmdpm"])
            .card(
                Modelling::Discriminative,
                "draws of ∝ p(partition)·Πᵢ exp(xᵢ·θ − λ‖θ‖²), with θ learned for large margins",
                "O(n·k²·d) per sweep",
            )
            .properties(&[
                ("many columns", "well: one vector per cluster and no covariance"),
                (
                    "irregular shapes",
                    "no: groups differ in their direction from the mean",
                ),
                ("outliers", "a far row may have a cluster of its own"),
                (
                    "order dependence",
                    "the rows choose one after the other in a random order",
                ),
            ])
            .clusterer()
            .into(),
    ]
}
