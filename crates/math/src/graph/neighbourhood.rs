//! Which rows are joined by an edge, and how strongly.

use crate::distance::Metric;
use crate::linalg::{sparse_combine, sparse_transpose};
use crate::neighbors::{Index, SearchAlgorithm};
use didact_core::{Csr, CsrView, Error, Result, Rows, Run, parameters};
use ndarray::{Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which pairs of rows have an edge. A row never has one to itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Neighbourhood {
    /// From each row to its k nearest, one way only.
    Directed {
        /// How many neighbours.
        #[schemars(range(min = 1))]
        k: usize,
    },
    /// Where either row is among the k nearest of the other.
    Nearest {
        /// How many neighbours.
        #[schemars(range(min = 1))]
        k: usize,
    },
    /// Where each row is among the k nearest of the other.
    Mutual {
        /// How many neighbours.
        #[schemars(range(min = 1))]
        k: usize,
    },
    /// Where the distance is at most a radius.
    Radius {
        /// The radius.
        #[schemars(range(min = 0))]
        radius: f64,
    },
    /// Between all pairs.
    Full,
}

/// The weight of an edge between rows at distance r.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeWeight {
    /// One.
    #[default]
    Connectivity,
    /// The distance itself; edges of length zero are stored as such.
    Distance,
    /// exp(−γr²), the Gaussian similarity where the metric is Euclidean.
    Gaussian {
        /// The rate γ, 1/(2σ²).
        #[schemars(extend("exclusiveMinimum" = 0))]
        gamma: f64,
    },
}

/// Joins rows that are near each other to a graph, with a diagonal of zeros.
///
/// Neighbours are found by trees or matrix products, whichever is faster, and equally near ones
/// by the lowest index; all but [`Neighbourhood::Directed`] give a symmetric matrix.
///
/// ```
/// use didact_core::{Rows, Run};
/// use didact_math::distance::Metric;
/// use didact_math::graph::{AffinityGraph, EdgeWeight, Neighbourhood};
/// use ndarray::array;
/// let x = array![[0.0], [1.0], [5.0]];
/// let graph = AffinityGraph {
///     neighbourhood: Neighbourhood::Nearest { k: 1 },
///     weight: EdgeWeight::Distance,
///     metric: Metric::Euclidean,
/// };
/// let weights = graph.of_rows(Rows::Dense(x.view()), &Run::new())?;
/// let expected = array![[0.0, 1.0, 0.0], [1.0, 0.0, 4.0], [0.0, 4.0, 0.0]];
/// assert_eq!(weights.view().to_dense(), expected);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AffinityGraph {
    /// Which pairs of rows have an edge.
    pub neighbourhood: Neighbourhood,
    /// How much an edge weighs.
    pub weight: EdgeWeight,
    /// How distance is measured.
    pub metric: Metric,
}

impl Default for AffinityGraph {
    fn default() -> Self {
        AffinityGraph {
            neighbourhood: Neighbourhood::Nearest { k: 10 },
            weight: EdgeWeight::Connectivity,
            metric: Metric::Euclidean,
        }
    }
}

/// For each row its neighbours and their distances.
type Lists = Vec<Vec<(usize, f64)>>;

impl AffinityGraph {
    /// The graph of some rows.
    pub fn of_rows(&self, rows: Rows<'_>, run: &Run) -> Result<Csr> {
        parameters::check(self)?;
        self.metric.check()?;
        self.metric.check_rows(rows)?;
        let n = rows.n_rows();
        self.check_count(n)?;
        let index = || Index::build(rows, self.metric, SearchAlgorithm::Auto, 30, run);
        let lists = match self.neighbourhood {
            Neighbourhood::Directed { k }
            | Neighbourhood::Nearest { k }
            | Neighbourhood::Mutual { k } => {
                // One more, because each row is its own neighbour; among many equal rows it may
                // not be among them, then the last one goes instead.
                let found = index()?.nearest(rows, k + 1, run)?;
                let pairs = found.indices.rows().into_iter().zip(found.distances.rows());
                pairs
                    .map(|(indices, distances)| {
                        indices
                            .iter()
                            .copied()
                            .zip(distances.iter().copied())
                            .collect()
                    })
                    .enumerate()
                    .map(|(row, list): (usize, Vec<(usize, f64)>)| without_self(row, list, k))
                    .collect()
            }
            Neighbourhood::Radius { radius } => {
                let lists = index()?.within(rows, radius, run)?.into_iter().enumerate();
                lists
                    .map(|(row, list)| without_self(row, list, n))
                    .collect()
            }
            Neighbourhood::Full => {
                let distances = crate::distance::pairwise_self(rows, self.metric, run)?;
                return self.of_distances(distances.view(), run);
            }
        };
        self.assemble(lists)
    }

    /// The graph of rows of which only the distances are known; the metric plays no part. It is
    /// symmetric where the distances are.
    pub fn of_distances(&self, distances: ArrayView2<'_, f64>, run: &Run) -> Result<Csr> {
        parameters::check(self)?;
        crate::distance::check_square(distances)?;
        let n = distances.nrows();
        self.check_count(n)?;
        let list_of = |row: usize| {
            run.check()?;
            let mut list: Vec<(usize, f64)> = (0..n)
                .filter(|&other| other != row)
                .map(|other| (other, distances[[row, other]]))
                .collect();
            match self.neighbourhood {
                Neighbourhood::Directed { k }
                | Neighbourhood::Nearest { k }
                | Neighbourhood::Mutual { k } => {
                    list.sort_by(|a, b| a.1.total_cmp(&b.1));
                    list.truncate(k);
                }
                Neighbourhood::Radius { radius } => {
                    list.retain(|&(_, distance)| distance <= radius)
                }
                Neighbourhood::Full => (),
            }
            Ok(list)
        };
        let lists: Result<Lists> = (0..n).map(list_of).collect();
        self.assemble(lists?)
    }

    fn check_count(&self, n: usize) -> Result<()> {
        match self.neighbourhood {
            Neighbourhood::Directed { k }
            | Neighbourhood::Nearest { k }
            | Neighbourhood::Mutual { k }
                if k >= n =>
            {
                let most = n.saturating_sub(1);
                let requirement =
                    format!("each of {n} rows has only {most} others; ask for at most that many");
                Err(Error::parameter("k", k, requirement))
            }
            _ => Ok(()),
        }
    }

    fn assemble(&self, lists: Lists) -> Result<Csr> {
        let n = lists.len();
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for mut list in lists {
            list.sort_unstable_by_key(|&(other, _)| other);
            for (other, distance) in list {
                columns.push(other as u32);
                values.push(self.weight_of(distance));
            }
            starts.push(columns.len());
        }
        let directed = Csr::new(starts, columns, values, n)?;
        let either = |a: Option<f64>, b: Option<f64>| a.or(b);
        let both = |a: Option<f64>, b: Option<f64>| a.and(b);
        let reversed = || sparse_transpose(directed.view());
        match self.neighbourhood {
            Neighbourhood::Nearest { .. } => {
                sparse_combine(directed.view(), reversed()?.view(), either)
            }
            Neighbourhood::Mutual { .. } => {
                sparse_combine(directed.view(), reversed()?.view(), both)
            }
            _ => Ok(directed),
        }
    }

    fn weight_of(&self, distance: f64) -> f64 {
        match self.weight {
            EdgeWeight::Connectivity => 1.0,
            EdgeWeight::Distance => distance,
            EdgeWeight::Gaussian { gamma } => (-gamma * distance * distance).exp(),
        }
    }
}

fn without_self(row: usize, mut list: Vec<(usize, f64)>, k: usize) -> Vec<(usize, f64)> {
    list.retain(|&(other, _)| other != row);
    list.truncate(k);
    list
}

/// The binary similarity matrix of a threshold: one where the distance is at most it, and on
/// the diagonal.
///
/// ```
/// use ndarray::array;
/// let distances = array![[0.0, 2.0], [2.0, 0.0]];
/// let similar = didact_math::graph::threshold_similarity(distances.view(), 1.0)?;
/// assert_eq!(similar, array![[1.0, 0.0], [0.0, 1.0]]);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn threshold_similarity(distances: ArrayView2<'_, f64>, threshold: f64) -> Result<Array2<f64>> {
    crate::distance::check_square(distances)?;
    let mut similar = distances.mapv(|distance| f64::from(u8::from(distance <= threshold)));
    similar.diag_mut().fill(1.0);
    Ok(similar)
}

/// The edges of a symmetric graph as (i, j, weight) with i < j, in rising order.
pub fn edges(graph: CsrView<'_>) -> Vec<(usize, usize, f64)> {
    let row_edges = |i: usize| {
        let (columns, values) = graph.row(i);
        let entries = columns.iter().zip(values);
        entries.map(move |(&j, &weight)| (i, j as usize, weight))
    };
    (0..graph.n_rows())
        .flat_map(row_edges)
        .filter(|&(i, j, _)| i < j)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::pairwise_self;
    use didact_core::Cancel;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;
    use proptest::prelude::*;

    fn graph(neighbourhood: Neighbourhood, weight: EdgeWeight) -> AffinityGraph {
        AffinityGraph {
            neighbourhood,
            weight,
            metric: Metric::Euclidean,
        }
    }

    #[test]
    fn four_points_on_a_line_have_the_edges_found_by_hand() {
        // 0, 1, 3, 7: the nearest of each are 1, 0, 1 (at 2), 3 (at 4).
        let x = array![[0.0], [1.0], [3.0], [7.0]];
        let found = |neighbourhood| {
            let graph = graph(neighbourhood, EdgeWeight::Distance);
            let weights = graph.of_rows(Rows::Dense(x.view()), &Run::new()).unwrap();
            edges(weights.view())
        };
        assert_eq!(
            found(Neighbourhood::Nearest { k: 1 }),
            [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 4.0)]
        );
        assert_eq!(found(Neighbourhood::Mutual { k: 1 }), [(0, 1, 1.0)]);
        assert_eq!(
            found(Neighbourhood::Radius { radius: 3.0 }),
            [(0, 1, 1.0), (0, 2, 3.0), (1, 2, 2.0)]
        );
        assert_eq!(found(Neighbourhood::Full).len(), 6);
        // Directed edges to a lower index are not among these.
        assert_eq!(found(Neighbourhood::Directed { k: 1 }), [(0, 1, 1.0)]);
    }

    #[test]
    fn the_full_gaussian_graph_is_the_similarity_matrix_without_its_diagonal() {
        // 000a:UNS-09: S_ij = exp(−‖x_i−x_j‖²/2σ²), S_ii = 0, with σ = 2.
        let x = random_matrix(9, 2, 1);
        let gamma = crate::kernel::RbfWidth::from_sigma(2.0).unwrap().gamma();
        let found = graph(Neighbourhood::Full, EdgeWeight::Gaussian { gamma })
            .of_rows(Rows::Dense(x.view()), &Run::new())
            .unwrap();
        let expected = crate::distance::Measure::from(crate::kernel::Kernel::Rbf { gamma })
            .matrix(Rows::Dense(x.view()), Some(0.0), &Run::new())
            .unwrap();
        assert_close(&found.view().to_dense(), &expected, 1e-12);
    }

    #[test]
    fn matrices_of_distances_and_similarities_are_symmetric_with_their_diagonals() {
        // 001:CLU-13 with the points of vector T-06 and the threshold 4.
        let x = array![[0.0], [1.0], [3.0], [7.0], [12.0]];
        let distances =
            pairwise_self(Rows::Dense(x.view()), Metric::Euclidean, &Run::new()).unwrap();
        let similar = threshold_similarity(distances.view(), 4.0).unwrap();
        assert_eq!(similar, similar.t());
        assert_eq!(similar.diag(), array![1.0, 1.0, 1.0, 1.0, 1.0]);
        let radius = graph(
            Neighbourhood::Radius { radius: 4.0 },
            EdgeWeight::Connectivity,
        );
        let list = edges(
            radius
                .of_distances(distances.view(), &Run::new())
                .unwrap()
                .view(),
        );
        let expected = [(0, 1), (0, 2), (1, 2), (2, 3)].map(|(i, j)| (i, j, 1.0));
        assert_eq!(list, expected);
        assert_eq!(similar.sum(), (5 + 2 * list.len()) as f64);
    }

    #[test]
    fn equal_rows_are_neighbours_of_each_other_and_not_of_themselves() {
        let x = Array2::<f64>::ones((40, 2));
        let k_nearest = graph(Neighbourhood::Directed { k: 3 }, EdgeWeight::Distance);
        let found = k_nearest
            .of_rows(Rows::Dense(x.view()), &Run::new())
            .unwrap();
        for row in 0..40 {
            let (columns, values) = found.view().row(row);
            assert_eq!((columns.len(), values), (3, &[0.0; 3][..]));
            assert!(!columns.contains(&(row as u32)));
        }
    }

    #[test]
    fn a_cancelled_run_stops() {
        let cancel = Cancel::new();
        cancel.cancel();
        let run = Run::new().cancelled_by(&cancel);
        let graph = graph(Neighbourhood::Full, EdgeWeight::Distance);
        let stopped = graph.of_distances(Array2::zeros((2, 2)).view(), &run);
        assert!(matches!(stopped, Err(Error::Cancelled)));
    }

    #[test]
    fn parameters_that_make_no_sense_are_named() {
        let x = array![[0.0], [1.0]];
        let complain = |graph: AffinityGraph| {
            graph
                .of_rows(Rows::Dense(x.view()), &Run::new())
                .unwrap_err()
                .to_string()
        };
        let error = complain(graph(Neighbourhood::Nearest { k: 2 }, EdgeWeight::Distance));
        assert_eq!(
            error,
            "k is 2; each of 2 rows has only 1 others; ask for at most that many"
        );
        let error = complain(graph(
            Neighbourhood::Radius { radius: -1.0 },
            EdgeWeight::Distance,
        ));
        assert!(error.contains("radius is -1"), "{error}");
        let error = complain(graph(
            Neighbourhood::Full,
            EdgeWeight::Gaussian { gamma: 0.0 },
        ));
        assert!(error.contains("gamma is 0"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn rows_and_their_distances_give_the_same_graph(n in 3usize..40, k in 1usize..3, seed: u64) {
            let x = random_matrix(n, 2, seed).mapv(|value| (value * 4.0).round());
            let rows = Rows::Dense(x.view());
            // Sums of whole numbers have no rounding in which the two ways could differ.
            let distances = pairwise_self(rows, Metric::Manhattan, &Run::new()).unwrap();
            for neighbourhood in [
                Neighbourhood::Directed { k },
                Neighbourhood::Nearest { k },
                Neighbourhood::Mutual { k },
                Neighbourhood::Radius { radius: 3.0 },
                Neighbourhood::Full,
            ] {
                let graph = AffinityGraph {
                    neighbourhood,
                    weight: EdgeWeight::Distance,
                    metric: Metric::Manhattan,
                };
                let by_rows = graph.of_rows(rows, &Run::new()).unwrap();
                let by_distances = graph.of_distances(distances.view(), &Run::new()).unwrap();
                prop_assert_eq!(&by_rows, &by_distances, "{:?}", neighbourhood);
                if !matches!(neighbourhood, Neighbourhood::Directed { .. }) {
                    prop_assert_eq!(&sparse_transpose(by_rows.view()).unwrap(), &by_rows);
                }
            }
        }
    }
}
