//! Spectral clustering: k-means on the smoothest functions of a graph.

mod model;

pub use model::SpectralClusteringModel;

use crate::KMeans;
use didact_core::{Accepts, Csr, Error, Fit, Result, Run, Samples};
use didact_math::distance::Metric;
use didact_math::graph::{
    AffinityGraph, EdgeWeight, LaplacianKind, Neighbourhood, connected_components, graph_spectrum,
};
use didact_math::numeric::length;
use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Clusters that hang together in a graph of similar rows, whatever their shape.
///
/// The rows become the nodes of a graph with weights S. The eigenvectors of its Laplacian for the
/// `n_clusters` *smallest* eigenvalues (the text says largest, which is wrong for D − S) are the
/// functions that vary least along edges; k-means on their rows gives the clusters. A graph of k
/// parts has k eigenvalues of zero, whose vectors tell the parts apart exactly. The gap after
/// the k-th eigenvalue says how clear k clusters are.
///
/// The graph is sparse unless `affinity` is `rbf`, and only the eigenvectors that are needed are
/// found. The method says nothing about new rows: `predict` gives a row the cluster of the
/// nearest row that the model was fitted on.
///
/// ```
/// use didact_cluster::SpectralClustering;
/// use didact_core::{Fit, Samples};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]];
/// let model = SpectralClustering { n_clusters: 2, n_neighbors: 2, ..SpectralClustering::default() }
///     .fit(Samples::from(&x))?;
/// assert_eq!(model.labels(), [0, 0, 0, 1, 1, 1]);
/// assert!(model.eigenvalues()[1] < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpectralClustering {
    /// How many clusters to find.
    #[schemars(range(min = 1))]
    pub n_clusters: usize,
    /// Which rows are joined and how strongly.
    pub affinity: SpectralAffinity,
    /// How many nearest rows each is joined to.
    #[schemars(range(min = 1))]
    pub n_neighbors: usize,
    /// The rate γ of the similarity exp(−γ‖x−y‖²); null gives neighbours a weight of one, and
    /// `rbf` the inverse of twice the median squared distance to the nearest rows.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub gamma: Option<f64>,
    /// Which Laplacian of the graph.
    pub laplacian: SpectralLaplacian,
    /// Whether the rows of the eigenvectors are scaled to length one (Ng, Jordan and Weiss).
    pub row_normalise: bool,
    /// Starts of k-means on the eigenvectors.
    #[schemars(range(min = 1))]
    pub n_init: usize,
    /// Seed of everything random.
    pub random_state: u64,
}

/// Which rows are joined in the graph of spectral clustering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpectralAffinity {
    /// Rows of which one is among the nearest of the other.
    #[default]
    NearestNeighbors,
    /// Rows of which each is among the nearest of the other.
    MutualNeighbors,
    /// All rows, which takes memory quadratic in their number.
    Rbf,
}

/// Which Laplacian spectral clustering decomposes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpectralLaplacian {
    /// I − D^−½·S·D^−½.
    Symmetric,
    /// I − D⁻¹·S, whose eigenvectors are constant on separate parts.
    #[default]
    RandomWalk,
    /// D − S.
    Unnormalised,
}

impl Default for SpectralClustering {
    fn default() -> Self {
        SpectralClustering {
            n_clusters: 8,
            affinity: SpectralAffinity::NearestNeighbors,
            n_neighbors: 10,
            gamma: None,
            laplacian: SpectralLaplacian::RandomWalk,
            row_normalise: false,
            n_init: 10,
            random_state: 0,
        }
    }
}

impl Fit<Samples<'_>> for SpectralClustering {
    type Model = SpectralClusteringModel;
    const ACCEPTS: Accepts = Accepts::SPARSE;

    fn learn(&self, data: Samples<'_>, run: &Run) -> Result<SpectralClusteringModel> {
        let n = data.n_rows();
        if self.n_clusters > n {
            return Err(Error::parameter(
                "n_clusters",
                self.n_clusters,
                format!("there are only {n} rows; ask for at most that many"),
            ));
        }
        let graph = self.graph(&data, run)?;
        let kind = match self.laplacian {
            SpectralLaplacian::Symmetric => LaplacianKind::Symmetric,
            SpectralLaplacian::RandomWalk => LaplacianKind::RandomWalk,
            SpectralLaplacian::Unnormalised => LaplacianKind::Unnormalised,
        };
        // One more than needed shows the gap after the last.
        let count = (self.n_clusters + 1).min(n);
        let spectrum = graph_spectrum(graph.view(), kind, count, &run.quietly())?;
        let mut embedding = spectrum
            .vectors
            .slice(ndarray::s![.., ..self.n_clusters])
            .as_standard_layout()
            .into_owned();
        if self.row_normalise {
            normalise_rows(&mut embedding);
        }
        let labels = self.cluster(&embedding, run)?;
        let parts = connected_components(graph.view())?.count;
        SpectralClusteringModel::new(&data, labels, embedding, spectrum.values, parts, run)
    }
}

impl SpectralClustering {
    fn graph(&self, data: &Samples<'_>, run: &Run) -> Result<Csr> {
        let rows = data.rows();
        let n = rows.n_rows();
        if n == 1 {
            return Csr::new(vec![0, 0], Vec::new(), Vec::new(), 1);
        }
        let k = self.n_neighbors.min(n - 1);
        let neighbourhood = match self.affinity {
            SpectralAffinity::NearestNeighbors => Neighbourhood::Nearest { k },
            SpectralAffinity::MutualNeighbors => Neighbourhood::Mutual { k },
            SpectralAffinity::Rbf => Neighbourhood::Full,
        };
        let weight = match (self.gamma, self.affinity) {
            (Some(gamma), _) => EdgeWeight::Gaussian { gamma },
            (None, SpectralAffinity::Rbf) => EdgeWeight::Gaussian {
                gamma: usual_rate(data, k, run)?,
            },
            (None, _) => EdgeWeight::Connectivity,
        };
        let graph = AffinityGraph {
            neighbourhood,
            weight,
            metric: Metric::Euclidean,
        };
        graph.of_rows(rows, run)
    }

    /// k-means on the rows of the eigenvectors; fewer clusters where fewer rows are distinct.
    fn cluster(&self, embedding: &Array2<f64>, run: &Run) -> Result<Vec<usize>> {
        let method = KMeans {
            n_clusters: self.n_clusters,
            n_init: self.n_init,
            random_state: self.random_state,
            ..KMeans::default()
        };
        let model = method.fit_with(Samples::from(embedding), &run.quietly())?;
        let labels = model.labels().expect("rows in memory have labels");
        Ok(crate::hierarchy::numbered_by_first_row(labels).0)
    }
}

/// Scales rows to length one; rows of zeros stay.
fn normalise_rows(rows: &mut Array2<f64>) {
    for mut row in rows.rows_mut() {
        let norm = length(row.as_slice().expect("rows are contiguous"));
        if norm > 0.0 {
            row.mapv_inplace(|value| value / norm);
        }
    }
}

/// 1/(2·median squared distance to the k-th nearest row): a width that joins neighbours.
fn usual_rate(data: &Samples<'_>, k: usize, run: &Run) -> Result<f64> {
    let graph = AffinityGraph {
        neighbourhood: Neighbourhood::Directed { k },
        weight: EdgeWeight::Distance,
        metric: Metric::Euclidean,
    };
    let graph = graph.of_rows(data.rows(), run)?;
    let farthest = |row: usize| graph.view().row(row).1.iter().copied().fold(0.0, f64::max);
    let mut distances: Vec<f64> = (0..data.n_rows()).map(farthest).collect();
    distances.sort_by(f64::total_cmp);
    let median = distances[distances.len() / 2];
    let rate = 0.5 / (median * median);
    // All neighbours equal or too close to square: any rate joins them.
    Ok(if rate.is_finite() && rate > 0.0 {
        rate
    } else {
        1.0
    })
}
