//! The methods of this family, one entry each.

use crate::{Agglomerative, Dbscan, KMeans};
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
        Entry::of::<Agglomerative>("agglomerative")
            .family("cluster")
            .serves(&["agglomerative", "dendrogram-cut"])
            .card(
                Modelling::Descriptive,
                "none: always merges the two nearest clusters",
                "O(n²·d); memory O(n²), or O(n·d) for single and low-dimensional ward linkage",
            )
            .properties(&[
                (
                    "many columns",
                    "cost grows linearly, but distances tell groups apart less and less",
                ),
                (
                    "irregular shapes",
                    "single linkage follows any shape; the other linkages prefer round groups",
                ),
                (
                    "outliers",
                    "they merge last and show as high, thin branches; single linkage chains through them",
                ),
                (
                    "order dependence",
                    "none, except between equally near pairs, of which the lowest rows merge first",
                ),
            ])
            .clusterer()
            .into(),
        Entry::of::<Dbscan>("dbscan")
            .family("cluster")
            .serves(&["dbscan"])
            .card(
                Modelling::Descriptive,
                "none: connects rows whose neighbourhoods are dense",
                "O(n·log n) with few columns and small neighbourhoods, O(n²·d) at worst",
            )
            .properties(&[
                (
                    "many columns",
                    "one radius fits all rows less and less, and search trees stop helping",
                ),
                (
                    "irregular shapes",
                    "yes: a cluster is any region that is dense throughout",
                ),
                ("outliers", "left out as noise"),
                (
                    "order dependence",
                    "only for rows at the border of two clusters, which join the lower number",
                ),
            ])
            .clusterer()
            .into(),
    ]
}
