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
            .clusterer()
            .samples_in_pieces()
            .into(),
    ]
}
