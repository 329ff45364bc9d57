//! Rows that are near each other: the graph of the training rows, and the way back from new rows.

use crate::magnitude::check_magnitude;
use didact_core::model::ensure_consistent;
use didact_core::{Csr, Error, OwnedRows, Result, Rows, Run, parallel};
use didact_math::distance::Metric;
use didact_math::graph::{AffinityGraph, EdgeWeight, Neighbourhood};
use didact_math::kernel::{Kernel, kernel_matrix_self};
use didact_math::neighbors::{Index, SearchAlgorithm};
use ndarray::{Array2, ArrayView2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// With more rows the weights of all pairs would take more than five gigabytes.
const MOST_PAIRED: usize = 25_000;

/// Which rows are joined in the graph that carries labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GraphKernel {
    /// Rows of which one is among the nearest of the other.
    #[default]
    Knn,
    /// All rows, which takes memory quadratic in their number.
    Rbf,
}

/// How rows are joined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Joining {
    pub(crate) kernel: GraphKernel,
    pub(crate) n_neighbors: usize,
    pub(crate) gamma: Option<f64>,
}

impl Joining {
    /// The same with at most half of the other rows as neighbours, for among all of them none is
    /// near, and with the rate that these rows ask for, where all of them are joined and none is
    /// given.
    pub(crate) fn resolved(self, rows: Rows<'_>, run: &Run) -> Result<Joining> {
        check_magnitude(rows)?;
        let half = rows.n_rows().saturating_sub(1) / 2;
        let bounded = Joining {
            n_neighbors: self.n_neighbors.min(half.max(1)),
            ..self
        };
        Ok(match (self.kernel, self.gamma) {
            (GraphKernel::Rbf, None) => Joining {
                gamma: Some(bounded.usual_rate(rows, run)?),
                ..bounded
            },
            _ => bounded,
        })
    }

    /// The symmetric weights between the rows, without loops.
    pub(crate) fn graph(&self, rows: Rows<'_>, run: &Run) -> Result<OwnedRows> {
        let n = rows.n_rows();
        match self.kernel {
            _ if n == 1 => Ok(OwnedRows::Sparse(Csr::new(vec![0, 0], vec![], vec![], 1)?)),
            GraphKernel::Knn => {
                let graph = AffinityGraph {
                    neighbourhood: Neighbourhood::Nearest {
                        k: self.n_neighbors.min(n - 1),
                    },
                    weight: match self.gamma {
                        Some(gamma) => EdgeWeight::Gaussian { gamma },
                        None => EdgeWeight::Connectivity,
                    },
                    metric: Metric::Euclidean,
                };
                graph.of_rows(rows, run).map(OwnedRows::Sparse)
            }
            GraphKernel::Rbf if n > MOST_PAIRED => Err(Error::parameter(
                "kernel",
                "rbf",
                format!(
                    "the weights of all pairs of {n} rows do not fit into memory; choose knn, or \
                     give at most {MOST_PAIRED} rows"
                ),
            )),
            GraphKernel::Rbf => {
                let gamma = self.gamma.expect("the joining is resolved");
                let mut weights = kernel_matrix_self(rows, &Kernel::Rbf { gamma }, run)?;
                weights.diag_mut().fill(0.0);
                Ok(OwnedRows::Dense(weights))
            }
        }
    }

    /// 1/(2·m²) of the median distance m to the farthest of the nearest rows: a width that joins
    /// neighbours.
    fn usual_rate(&self, rows: Rows<'_>, run: &Run) -> Result<f64> {
        let n = rows.n_rows();
        let index = Index::build(rows, Metric::Euclidean, SearchAlgorithm::Auto, 30, run)?;
        // One more, because each row is its own neighbour.
        let k = (self.n_neighbors + 1).min(n);
        let found = index.nearest(rows, k, run)?;
        let mut farthest = found.distances.column(k - 1).to_vec();
        farthest.sort_by(f64::total_cmp);
        let median = farthest[n / 2];
        let rate = 0.5 / (median * median);
        // All neighbours equal or too close to square: any rate joins them.
        Ok(match rate.is_finite() && rate > 0.0 {
            true => rate,
            false => 1.0,
        })
    }

    /// What is needed to compare new rows with these.
    pub(crate) fn memory(&self, rows: Rows<'_>, run: &Run) -> Result<Memory> {
        Ok(Memory {
            index: Index::build(rows, Metric::Euclidean, SearchAlgorithm::Auto, 30, run)?
                .into_owned(),
            n_neighbors: match self.kernel {
                GraphKernel::Knn => Some(self.n_neighbors.min(rows.n_rows())),
                GraphKernel::Rbf => None,
            },
            gamma: self.gamma,
        })
    }
}

/// The training rows, and how much each counts for a new row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Memory {
    index: Index<'static>,
    /// How many of them count; all where absent.
    n_neighbors: Option<usize>,
    /// The rate of exp(−γr²); all count the same where absent.
    gamma: Option<f64>,
}

impl Memory {
    pub(crate) fn rows(&self) -> Rows<'_> {
        self.index.rows()
    }

    pub(crate) fn gamma(&self) -> Option<f64> {
        self.gamma
    }

    /// The mean of what the training rows have, weighted by the kernel: a row per new row.
    ///
    /// Weights are relative to that of the nearest row, so that a row far from all of them still
    /// has a mean.
    pub(crate) fn means(&self, rows: Rows<'_>, values: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        check_magnitude(rows)?;
        match self.n_neighbors {
            Some(k) => self.means_of_nearest(rows, k, values),
            None => self.means_of_all(rows, values),
        }
    }

    fn means_of_nearest(
        &self,
        rows: Rows<'_>,
        k: usize,
        values: ArrayView2<'_, f64>,
    ) -> Result<Array2<f64>> {
        let found = self.index.nearest(rows, k, &Run::new())?;
        let mut means = Array2::zeros((rows.n_rows(), values.ncols()));
        let neighbours = found.indices.rows().into_iter().zip(found.distances.rows());
        for (mut mean, (indices, distances)) in means.rows_mut().into_iter().zip(neighbours) {
            let mean = mean.as_slice_mut().expect("rows are contiguous");
            let squares = distances.iter().map(|distance| distance * distance);
            self.write_mean(indices.iter().copied().zip(squares), values, mean);
        }
        Ok(means)
    }

    fn means_of_all(&self, rows: Rows<'_>, values: ArrayView2<'_, f64>) -> Result<Array2<f64>> {
        let training = self.index.rows();
        let converted = match (rows, training) {
            (Rows::Dense(x), Rows::Sparse(_)) => Some(OwnedRows::Sparse(Csr::from_dense(x))),
            (Rows::Sparse(x), Rows::Dense(_)) => Some(OwnedRows::Dense(x.to_dense())),
            _ => None,
        };
        let rows = converted.as_ref().map_or(rows.reborrow(), OwnedRows::view);
        let (n, width) = (training.n_rows(), values.ncols());
        let mut means = Array2::zeros((rows.n_rows(), width));
        let output = means.as_slice_mut().expect("a new array is contiguous");
        let chunk = ((1 << 18) / (n * training.n_columns())).clamp(1, 64);
        parallel::fill(output, width, chunk, &Run::new(), |range, piece| {
            let mut squares = vec![0.0; n];
            for (row, mean) in range.zip(piece.chunks_exact_mut(width)) {
                for (other, square) in squares.iter_mut().enumerate() {
                    *square = squared_distance(rows, row, training, other);
                }
                self.write_mean(squares.iter().copied().enumerate(), values, mean);
            }
            Ok(())
        })?;
        Ok(means)
    }

    fn write_mean(
        &self,
        squares: impl Iterator<Item = (usize, f64)> + Clone,
        values: ArrayView2<'_, f64>,
        mean: &mut [f64],
    ) {
        let nearest = squares
            .clone()
            .fold(f64::INFINITY, |least, (_, square)| least.min(square));
        let mut total = 0.0;
        for (other, square) in squares {
            let weight = match self.gamma {
                Some(gamma) => (-gamma * (square - nearest)).exp(),
                None => 1.0,
            };
            if weight > 0.0 {
                total += weight;
                for (mean, value) in mean.iter_mut().zip(values.row(other)) {
                    *mean += weight * value;
                }
            }
        }
        mean.iter_mut().for_each(|mean| *mean /= total);
    }

    pub(crate) fn validate(&self) -> Result<()> {
        let n = self.index.n_rows();
        ensure_consistent(self.n_neighbors.is_none_or(|k| (1..=n).contains(&k)))?;
        ensure_consistent(
            self.gamma
                .is_none_or(|gamma| gamma > 0.0 && gamma.is_finite()),
        )?;
        ensure_consistent(self.n_neighbors.is_some() || self.gamma.is_some())?;
        let is_finite = match self.index.rows() {
            Rows::Dense(dense) => dense.iter().all(|value| value.is_finite()),
            Rows::Sparse(sparse) => (0..sparse.n_rows())
                .all(|row| sparse.row(row).1.iter().all(|value| value.is_finite())),
        };
        ensure_consistent(is_finite)
    }
}

/// ‖a − b‖² of rows that are both dense or both sparse.
fn squared_distance(a: Rows<'_>, row: usize, b: Rows<'_>, other: usize) -> f64 {
    let metric = Metric::SquaredEuclidean;
    match (a, b) {
        (Rows::Dense(a), Rows::Dense(b)) => {
            let (a, b) = (a.row(row), b.row(other));
            metric.between(
                a.as_slice().expect("checked rows are contiguous"),
                b.as_slice().expect("training rows are contiguous"),
            )
        }
        (Rows::Sparse(a), Rows::Sparse(b)) => metric.between_sparse(a.row(row), b.row(other)),
        _ => unreachable!("the rows were converted"),
    }
}
