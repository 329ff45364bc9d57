//! Distances of rows, neighbours and graphs.

use super::answers::{List, results};
use super::arguments::{Json, Labels, Matrix, Maybe, RowMatrix, Vector};
use super::functions;
use didact::core::{Csr, Rows, Run};
use didact::{Error, Result};
use didact_math::distance::{self, Mahalanobis, Metric, OnZero};
use didact_math::graph::{self, AffinityGraph, EdgeWeight, LaplacianKind, Neighbourhood};
use didact_math::neighbors::{Index, SearchAlgorithm};
use ndarray::{Array1, Array2, ArrayView1};
use pyo3::prelude::*;
use std::collections::BTreeSet;

results! {
    /// The nearest rows of each query, nearest first.
    Neighbors {
        /// How far they are.
        distances: Array2<f64>,
        /// Which they are.
        indices: Array2<usize>,
    }
    /// The rows within a radius of each query, nearest first.
    RadiusNeighbors {
        /// How far they are, one array per query.
        distances: List<Vec<f64>>,
        /// Which they are, one array per query.
        indices: List<Vec<usize>>,
    }
    /// The nearest centre of each row.
    NearestCenters {
        /// Which it is.
        labels: Vec<usize>,
        /// How far, squared.
        squared_distances: Array1<f64>,
    }
    /// Which axioms of a metric a matrix of distances breaks, each with the rows that break it
    /// worst, or None.
    AxiomReport {
        /// Rows with a negative distance.
        non_negativity: Option<Vec<usize>>,
        /// Different rows at distance zero, or a row apart from itself.
        identity: Option<Vec<usize>>,
        /// Rows whose distance depends on the direction.
        symmetry: Option<Vec<usize>>,
        /// Rows for which the detour is shorter.
        triangle: Option<Vec<usize>>,
        /// Whether every axiom holds.
        is_metric: bool,
    }
    /// Which part of a graph each node belongs to.
    Components {
        /// How many parts there are.
        n_components: usize,
        /// The part of each node.
        labels: Vec<usize>,
    }
    /// Eigenvalues and eigenvectors of a graph.
    Spectrum {
        /// The eigenvalues, the smallest first.
        values: Array1<f64>,
        /// The eigenvectors as columns.
        vectors: Array2<f64>,
    }
}

fn all_pairs(x: Rows<'_>, y: Option<Rows<'_>>, metric: Metric, run: &Run) -> Result<Array2<f64>> {
    match y {
        Some(y) => distance::pairwise(x, y, metric, run),
        None => distance::pairwise_self(x, metric, run),
    }
}

/// The graph; a matrix that is written out loses its zeros.
fn graph_of(rows: Rows<'_>) -> Csr {
    match rows {
        Rows::Dense(dense) => Csr::from_dense(dense),
        Rows::Sparse(sparse) => sparse.to_owned(),
    }
}

functions! {
    /// The distances of every row of X and every row of Y, or of all pairs of X.
    ///
    /// Examples
    /// --------
    /// >>> from didact.distance import pairwise_distances
    /// >>> pairwise_distances([[0, 0], [3, 4]], metric="manhattan")
    /// array([[0., 7.],
    ///        [7., 0.]])
    /// >>> pairwise_distances([[0, 0]], [[1, 1]], metric={"minkowski": {"p": 3}}).round(4)
    /// array([[1.2599]])
    long pairwise_distances[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None", metric: Json<Metric> = "'euclidean'") -> Array2<f64> {
        all_pairs(X, Y, *metric, run)
    }

    /// The distance of the first row of X to the first of Y, of the second to the second, and so on.
    long paired_distances[run](X: RowMatrix, Y: RowMatrix; metric: Json<Metric> = "'euclidean'") -> Array1<f64> {
        distance::paired(X, Y, *metric, run)
    }

    /// The lengths of the straight lines between rows, or their squares.
    long euclidean_distances[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None"; squared: bool = "False") -> Array2<f64> {
        all_pairs(X, Y, if squared { Metric::SquaredEuclidean } else { Metric::Euclidean }, run)
    }

    /// The ways along the axes between rows.
    long manhattan_distances[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None") -> Array2<f64> {
        all_pairs(X, Y, Metric::Manhattan, run)
    }

    /// One minus the cosine of the angle between rows.
    long cosine_distances[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None") -> Array2<f64> {
        all_pairs(X, Y, Metric::Cosine, run)
    }

    /// Distances √((a−b)ᵀ·M·(a−b)) with M the inverse of a covariance: the given one, or that of
    /// the rows of X.
    long mahalanobis_distances[run](X: RowMatrix, Y: Maybe<RowMatrix> = "None"; covariance: Maybe<Matrix> = "None", shrinkage: f64 = "0.0") -> Array2<f64> {
        let metric = match covariance {
            Some(covariance) if shrinkage > 0.0 => Mahalanobis::from_shrunk_covariance(covariance, shrinkage)?,
            Some(covariance) => Mahalanobis::from_covariance(covariance)?,
            None => Mahalanobis::from_rows(X, run)?,
        };
        metric.pairwise(X, Y, run)
    }

    /// The distance of two vectors.
    quick distance(a: Vector, b: Vector; metric: Json<Metric> = "'euclidean'") -> f64 {
        let (a, b) = (ArrayView1::from(a), ArrayView1::from(b));
        let run = Run::new();
        let (a, b) = (a.insert_axis(ndarray::Axis(0)), b.insert_axis(ndarray::Axis(0)));
        Ok(distance::paired(Rows::Dense(a), Rows::Dense(b), *metric, &run)?[0])
    }

    /// The `n_neighbors` rows of X nearest to each query.
    long nearest_neighbors[run](X: RowMatrix, queries: RowMatrix, n_neighbors: usize = "5"; metric: Json<Metric> = "'euclidean'", algorithm: Json<SearchAlgorithm> = "'auto'", leaf_size: usize = "30") -> Neighbors {
        let found = Index::build(X, *metric, *algorithm, leaf_size, run)?.nearest(queries, n_neighbors, run)?;
        Ok(Neighbors { distances: found.distances, indices: found.indices })
    }

    /// The rows of X at most `radius` away from each query.
    long radius_neighbors[run](X: RowMatrix, queries: RowMatrix, radius: f64 = "1.0"; metric: Json<Metric> = "'euclidean'", algorithm: Json<SearchAlgorithm> = "'auto'", leaf_size: usize = "30") -> RadiusNeighbors {
        let found = Index::build(X, *metric, *algorithm, leaf_size, run)?.within(queries, radius, run)?;
        let (mut distances, mut indices) = (Vec::new(), Vec::new());
        for query in found {
            let (rows, lengths) = query.into_iter().unzip();
            indices.push(rows);
            distances.push(lengths);
        }
        Ok(RadiusNeighbors { distances: List(distances), indices: List(indices) })
    }

    /// The centre nearest to each row.
    long nearest_center[run](X: RowMatrix, centers: Matrix) -> NearestCenters {
        let found = distance::nearest_center(X, centers, run)?;
        Ok(NearestCenters { labels: found.labels, squared_distances: found.squared_distances })
    }

    /// Ranks of two rows among each other's neighbours, added, from a matrix of distances.
    long mutual_neighbour_distances[run](distances: Matrix) -> Array2<f64> {
        distance::mutual_neighbour_distances(distances, run)
    }

    /// Looks for rows that break an axiom of a metric, in a matrix of distances.
    quick check_axioms(distances: Matrix) -> AxiomReport {
        let found = distance::check_axioms_of_matrix(distances)?;
        let is_metric = found.is_metric();
        Ok(AxiomReport {
            non_negativity: found.non_negativity.map(|witness| witness.points),
            identity: found.identity.map(|witness| witness.points),
            symmetry: found.symmetry.map(|witness| witness.points),
            triangle: found.triangle.map(|witness| witness.points),
            is_metric,
        })
    }

    // -- single pairs -----------------------------------------------------------------------

    /// The inner product of two vectors.
    quick inner_product(a: Vector, b: Vector) -> f64 {
        distance::inner_product(a, b)
    }

    /// The cosine of the angle between two vectors.
    quick cosine(a: Vector, b: Vector) -> f64 {
        distance::cosine_similarity(a, b, OnZero::Refuse)
    }

    /// The angle between two vectors, in radians.
    quick angle(a: Vector, b: Vector) -> f64 {
        distance::angle(a, b)
    }

    /// Pearson's correlation of two vectors; None where one is constant.
    quick pearson_correlation(a: Vector, b: Vector) -> Option<f64> {
        let found = distance::pearson_correlation(a, b)?;
        Ok((!found.is_undefined).then_some(found.coefficient))
    }

    /// The number of places in which two sequences differ.
    quick hamming(a: Labels, b: Labels) -> usize {
        distance::hamming(a, b)
    }

    /// The number of letters in which two texts differ.
    quick hamming_text(a: String, b: String) -> usize {
        distance::hamming_text(&a, &b)
    }

    /// The share of the union that two sets have in common.
    quick jaccard_similarity(a: Labels, b: Labels) -> f64 {
        let set = |labels: &[usize]| labels.iter().copied().collect::<BTreeSet<usize>>();
        Ok(distance::jaccard_similarity(&set(a), &set(b)))
    }

    /// Σmin(a, b)/Σmax(a, b) of vectors that are nowhere negative.
    quick weighted_jaccard(a: Vector, b: Vector) -> f64 {
        distance::weighted_jaccard(a, b)
    }

    // -- graphs -----------------------------------------------------------------------------

    /// Joins rows that are near each other to a graph: a sparse matrix of weights.
    long affinity_graph[run](X: RowMatrix; neighbourhood: Json<Neighbourhood> = "{'nearest': {'k': 10}}", weight: Json<EdgeWeight> = "'connectivity'", metric: Json<Metric> = "'euclidean'") -> Csr {
        let graph = AffinityGraph { neighbourhood: *neighbourhood, weight: *weight, metric: *metric };
        graph.of_rows(X, run)
    }

    /// The Laplacian of a symmetric graph.
    quick laplacian(graph: RowMatrix; kind: Json<LaplacianKind> = "'unnormalised'") -> Csr {
        graph::laplacian(graph_of(graph).view(), *kind)
    }

    /// The `count` smallest eigenvalues of a Laplacian of the graph, and their vectors.
    long graph_spectrum[run](graph: RowMatrix, count: usize; kind: Json<LaplacianKind> = "'unnormalised'") -> Spectrum {
        let found = graph::graph_spectrum(graph_of(graph).view(), *kind, count, run)?;
        Ok(Spectrum { values: found.values, vectors: found.vectors })
    }

    /// The connected parts of a graph.
    quick connected_components(graph: RowMatrix) -> Components {
        let found = graph::connected_components(graph_of(graph).view())?;
        Ok(Components { n_components: found.count, labels: found.labels })
    }

    /// How much a function on the nodes varies along the edges of a graph.
    quick quadratic_form(graph: RowMatrix, function: Vector; kind: Json<LaplacianKind> = "'unnormalised'") -> f64 {
        let graph = graph_of(graph);
        if graph.view().n_rows() != function.len() {
            return Err(Error::data(format!(
                "there are {} values for {} nodes", function.len(), graph.view().n_rows()
            )));
        }
        graph::quadratic_form(graph.view(), ArrayView1::from(function), *kind)
    }
}
