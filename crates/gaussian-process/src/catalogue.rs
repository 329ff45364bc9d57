//! The methods of this family that users can choose from.

use crate::{GaussianProcessClassifier, GaussianProcessRegressor};
use didact_core::{Entry, Modelling};

/// Every algorithm of this family.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<GaussianProcessRegressor>("gaussian-process-regressor")
            .family("gaussian-process")
            .serves(&[
                "gp-regression",
                "gp-weight-space",
                "gp-hyperparameters",
                "gp-sparse",
            ])
            .card(
                Modelling::Discriminative,
                "log-density of the targets, functions averaged out",
                "O(n³) per iteration, or O(n·m²) with m inducing rows",
            )
            .regressor()
            .into(),
        Entry::of::<GaussianProcessClassifier>("gaussian-process-classifier")
            .family("gaussian-process")
            .serves(&["gp-classifier"])
            .card(
                Modelling::Discriminative,
                "log-density of the classes, latent functions averaged out",
                "O(n³) per iteration",
            )
            .classifier()
            .into(),
    ]
}
