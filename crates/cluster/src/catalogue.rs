//! The methods of this family, one entry each.

use crate::KMeans;
use didact_core::{Entry, Modelling};

/// The clustering methods.
pub fn catalogue() -> Vec<Entry> {
    vec![
        Entry::of::<KMeans>("k-means")
            .family("cluster")
            .serves(&["kmeans", "kmeans-initialisation"])
            .card(
                Modelling::Descriptive,
                "squared distance to the nearest centre, Σᵢ minⱼ‖xᵢ − μⱼ‖²",
                "O(n·d·k) per iteration, less where bounds spare distances",
            )
            .properties(&[
                (
                    "many columns",
                    "cost grows linearly, but distances tell groups apart less and less",
                ),
                (
                    "irregular shapes",
                    "no: groups are convex and of similar spread",
                ),
                (
                    "outliers",
                    "no protection: a far point pulls its centre or takes one for itself",
                ),
                (
                    "order dependence",
                    "none within a pass, where all rows move the centres together; the seeds drawn do depend on it",
                ),
            ])
            .clusterer()
            .samples_in_pieces()
            .into(),
    ]
}
