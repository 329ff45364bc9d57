//! The methods of this family, one entry each.

use crate::{
    AffinityPropagation, Agglomerative, Dbscan, Divisive, FuzzyCMeans, Hdbscan, KHarmonicMeans,
    KMeans, KMedoids, KernelKMeans, MeanShift, MetricKMeans, MiniBatchKMeans, Optics, SoftKMeans,
    SpectralClustering, ThresholdGraph,
};
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
        Entry::of::<MiniBatchKMeans>("mini-batch-k-means")
            .family("cluster")
            .serves(&["kmeans"])
            .card(
                Modelling::Descriptive,
                "squared distance to the nearest centre, Σᵢ minⱼ‖xᵢ − μⱼ‖², on samples",
                "O(b·d·k) per batch of b rows",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "no: groups are convex and of similar spread"),
                ("outliers", "no protection: a far point pulls its centre"),
                ("order dependence", "none: the batches are drawn at random"),
            ])
            .clusterer()
            .into(),
        Entry::of::<MetricKMeans>("metric-k-means")
            .family("cluster")
            .serves(&["kmeans-variants"])
            .card(
                Modelling::Descriptive,
                "distance to the nearest centre, Σᵢ minⱼ d(xᵢ, μⱼ)",
                "O(n·d·k) per iteration, and sorting for medians",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "no: groups are those of nearest centres, bounded as the distance says"),
                ("outliers", "medians resist them, means do not"),
                ("order dependence", "only through the seeds drawn"),
            ])
            .clusterer()
            .into(),
        Entry::of::<KMedoids>("k-medoids")
            .family("cluster")
            .serves(&["kmeans-variants"])
            .card(
                Modelling::Descriptive,
                "distance to the nearest exemplar, Σᵢ minⱼ d(xᵢ, mⱼ)",
                "O(n²) per pass of exchanges; memory O(n²)",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "no: groups are those of nearest exemplars"),
                ("outliers", "an exemplar is a row in the middle, which outliers hardly move"),
                ("order dependence", "only through the seeds drawn"),
            ])
            .clusterer()
            .into(),
        Entry::of::<SoftKMeans>("soft-k-means")
            .family("cluster")
            .serves(&["soft-kmeans"])
            .card(
                Modelling::Descriptive,
                "free energy, −1/β·Σᵢ ln Σₖ exp(−β·d(xᵢ, μₖ))",
                "O(n·d·k) per iteration",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "no: groups are round and of one width"),
                ("outliers", "no protection: a far point pulls the nearest centre"),
                ("order dependence", "only through the seeds drawn"),
            ])
            .clusterer()
            .into(),
        Entry::of::<FuzzyCMeans>("fuzzy-c-means")
            .family("cluster")
            .serves(&["clustering-vocabulary"])
            .card(
                Modelling::Descriptive,
                "fuzzy squared distance, Σᵢₖ uᵢₖᵐ‖xᵢ − μₖ‖²",
                "O(n·d·k) per iteration",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "no: groups are round"),
                ("outliers", "far points belong to all clusters alike and still pull"),
                ("order dependence", "only through the seeds drawn"),
            ])
            .clusterer()
            .into(),
        Entry::of::<KHarmonicMeans>("k-harmonic-means")
            .family("cluster")
            .serves(&["kmeans-variants"])
            .card(
                Modelling::Descriptive,
                "harmonic mean of distances, Σᵢ k/Σⱼ‖xᵢ − μⱼ‖⁻ᵖ",
                "O(n·d·k) per iteration",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "no: groups are round"),
                ("outliers", "far points pull more than near ones"),
                ("order dependence", "hardly: the result depends little on the seeds"),
            ])
            .clusterer()
            .into(),
        Entry::of::<KernelKMeans>("kernel-k-means")
            .family("cluster")
            .serves(&["kernel-kmeans"])
            .card(
                Modelling::Descriptive,
                "squared distance to the nearest mean in the space of the kernel",
                "O(n²) per iteration; memory O(n²)",
            )
            .properties(&[
                ("many columns", "a kernel sees columns only through its values"),
                ("irregular shapes", "as the kernel allows: groups may interlock"),
                ("outliers", "little protection: a far point may take a cluster for itself"),
                ("order dependence", "only through the seeds drawn"),
            ])
            .clusterer()
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
        Entry::of::<Divisive>("divisive")
            .family("cluster")
            .serves(&["divisive-clustering"])
            .card(
                Modelling::Descriptive,
                "none: always splits the cluster of greatest diameter or sum of squares",
                "O(n·log n·d) for bisecting k-means on balanced trees, O(n²·d) and more for the others",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "the longest edge follows any shape; the other splits prefer round groups"),
                ("outliers", "a far row is split off early"),
                ("order dependence", "none, except between equally far pairs"),
            ])
            .clusterer()
            .into(),
        Entry::of::<SpectralClustering>("spectral-clustering")
            .family("cluster")
            .serves(&["spectral-clustering"])
            .card(
                Modelling::Descriptive,
                "relaxed normalised cut of a graph of similar rows",
                "O(n·log n) for the graph with few columns, then products with its edges",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "yes: a cluster is whatever hangs together in the graph"),
                ("outliers", "a lonely row may become a part of its own"),
                ("order dependence", "only through the seeds drawn for k-means"),
            ])
            .clusterer()
            .into(),
        Entry::of::<Hdbscan>("hdbscan")
            .family("cluster")
            .serves(&["dbscan"])
            .card(
                Modelling::Descriptive,
                "excess of mass, Σ(λ − λ at birth), over clusters that do not overlap",
                "O(n·log n) with few columns, O(n²·d) at worst",
            )
            .properties(&[
                ("many columns", "density means less and less, and search trees stop helping"),
                ("irregular shapes", "yes: a cluster is any region that is denser than its surroundings"),
                ("outliers", "left out as noise"),
                ("order dependence", "none, except between equally long edges"),
            ])
            .clusterer()
            .into(),
        Entry::of::<MeanShift>("mean-shift")
            .family("cluster")
            .serves(&["clustering-vocabulary"])
            .card(
                Modelling::Descriptive,
                "density of rows within a bandwidth, climbed from every seed",
                "O(n) neighbourhoods per step",
            )
            .properties(&[
                ("many columns", "density means less and less, and search trees stop helping"),
                ("irregular shapes", "no: every row joins its nearest peak"),
                ("outliers", "they become peaks of their own"),
                ("order dependence", "none"),
            ])
            .clusterer()
            .into(),
        Entry::of::<AffinityPropagation>("affinity-propagation")
            .family("cluster")
            .serves(&["clustering-vocabulary"])
            .card(
                Modelling::Descriptive,
                "similarity of the rows to their exemplars, plus the preferences of these",
                "O(n²) per iteration; memory O(n²)",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "no: groups are those of nearest exemplars"),
                ("outliers", "an outlier may become an exemplar for itself"),
                ("order dependence", "none, but for the noise that breaks ties"),
            ])
            .clusterer()
            .into(),
        Entry::of::<ThresholdGraph>("threshold-graph")
            .family("cluster")
            .serves(&["clique-clustering"])
            .card(
                Modelling::Descriptive,
                "none: parts or largest cliques of a graph of near rows",
                "O(n·log n) and the edges for parts; cliques may take exponential time, which is limited",
            )
            .properties(&[
                ("many columns", "cost grows linearly, but distances tell groups apart less and less"),
                ("irregular shapes", "parts follow any shape; cliques are compact"),
                ("outliers", "a lonely row is a cluster of its own"),
                ("order dependence", "none for parts; equally large cliques are taken by their lowest rows"),
            ])
            .clusterer()
            .into(),
        Entry::of::<Optics>("optics")
            .family("cluster")
            .serves(&["dbscan"])
            .card(
                Modelling::Descriptive,
                "none: orders rows by how easily density reaches them",
                "O(n²·d); memory O(n)",
            )
            .properties(&[
                (
                    "many columns",
                    "cost grows linearly, but density means less and less",
                ),
                (
                    "irregular shapes",
                    "yes: a cluster is any valley of the reachabilities",
                ),
                ("outliers", "left out as noise"),
                (
                    "order dependence",
                    "only between rows that are equally easy to reach",
                ),
            ])
            .clusterer()
            .into(),
    ]
}
