//! Sums of the rows of each cluster, and single rows of dense or sparse data.

use didact_core::{Result, Rows, Run, parallel};
use didact_math::distance::squared_euclidean;
use didact_math::linalg::Variances;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// Number, weight and weighted sum of the rows of each cluster.
///
/// The number decides whether a cluster is empty: weights that came and went may leave a rest of
/// rounding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ClusterSums {
    counts: Vec<i64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) sums: Array2<f64>,
}

impl ClusterSums {
    pub(crate) fn zeros(n_clusters: usize, n_columns: usize) -> Self {
        ClusterSums {
            counts: vec![0; n_clusters],
            weights: vec![0.0; n_clusters],
            sums: Array2::zeros((n_clusters, n_columns)),
        }
    }

    /// The sums of all rows by label.
    pub(crate) fn of_labels(
        rows: Rows<'_>,
        weights: Option<&[f64]>,
        labels: &[usize],
        n_clusters: usize,
        run: &Run,
    ) -> Result<Self> {
        summed(rows, n_clusters, run, |sums, row| {
            sums.add_row(rows, row, labels[row], weight_of(weights, row));
        })
    }

    /// What the rows add that changed their label: plus where they came, minus where they left.
    pub(crate) fn of_changes(
        rows: Rows<'_>,
        weights: Option<&[f64]>,
        (before, after): (&[usize], &[usize]),
        n_clusters: usize,
        run: &Run,
    ) -> Result<Self> {
        summed(rows, n_clusters, run, |sums, row| {
            if before[row] != after[row] {
                let weight = weight_of(weights, row);
                sums.add_row(rows, row, after[row], weight);
                sums.add_row(rows, row, before[row], -weight);
            }
        })
    }

    /// Adds `weight` times a row to a cluster.
    pub(crate) fn add_row(&mut self, rows: Rows<'_>, row: usize, cluster: usize, weight: f64) {
        self.counts[cluster] += if weight > 0.0 { 1 } else { -1 };
        self.weights[cluster] += weight;
        let mut sum = self.sums.row_mut(cluster);
        let sum = sum.as_slice_mut().expect("sums are contiguous");
        match rows {
            Rows::Dense(dense) => {
                let row = dense.row(row);
                let row = row.to_slice().expect("rows are contiguous");
                for (sum, value) in sum.iter_mut().zip(row) {
                    *sum += weight * value;
                }
            }
            Rows::Sparse(sparse) => {
                let (columns, values) = sparse.row(row);
                for (&column, value) in columns.iter().zip(values) {
                    sum[column as usize] += weight * value;
                }
            }
        }
    }

    pub(crate) fn is_empty(&self, cluster: usize) -> bool {
        self.counts[cluster] == 0
    }

    /// Forgets the rest of rounding that rows left behind in clusters without rows.
    pub(crate) fn clear_empty(&mut self) {
        for cluster in 0..self.counts.len() {
            if self.is_empty(cluster) {
                self.weights[cluster] = 0.0;
                self.sums.row_mut(cluster).fill(0.0);
            }
        }
    }

    /// Whether these are the sums of so many clusters and columns.
    pub(crate) fn has_shape(&self, (n_clusters, n_columns): (usize, usize)) -> bool {
        self.counts.len() == n_clusters
            && self.weights.len() == n_clusters
            && self.sums.dim() == (n_clusters, n_columns)
            && self.sums.is_standard_layout()
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        for (weight, more) in self.weights.iter_mut().zip(other.weights) {
            *weight += more;
        }
        self.sums += &other.sums;
        self
    }

    /// The means of the clusters; one without rows keeps its place.
    pub(crate) fn means(&self, centers: &Array2<f64>) -> Array2<f64> {
        let mut means = centers.clone();
        for (cluster, mut mean) in means.rows_mut().into_iter().enumerate() {
            if !self.is_empty(cluster) {
                mean.assign(&self.sums.row(cluster));
                mean /= self.weights[cluster];
            }
        }
        means
    }

    /// Σ‖x − c‖² over all rows and the centres of their clusters, from the sums alone: with the
    /// total scatter T about the mean μ and the cluster means mⱼ it is
    /// T − Σ Wⱼ‖mⱼ − μ‖² + Σ Wⱼ‖mⱼ − cⱼ‖², correct to about ε·T.
    pub(crate) fn loss(&self, variances: &Variances, centers: &Array2<f64>) -> f64 {
        let mean = variances.mean.as_slice().expect("one mean per column");
        let means = self.means(centers);
        let mut loss = variances.sum_squares.sum();
        for (cluster, &weight) in self.weights.iter().enumerate() {
            if !self.is_empty(cluster) {
                let cluster_mean = means.row(cluster);
                let cluster_mean = cluster_mean.to_slice().expect("means are contiguous");
                let center = centers.row(cluster);
                let center = center.to_slice().expect("centres are contiguous");
                loss -= weight * squared_euclidean(cluster_mean, mean);
                loss += weight * squared_euclidean(cluster_mean, center);
            }
        }
        loss.max(0.0)
    }
}

fn summed(
    rows: Rows<'_>,
    n_clusters: usize,
    run: &Run,
    add: impl Fn(&mut ClusterSums, usize) + Sync,
) -> Result<ClusterSums> {
    let d = rows.n_columns();
    // Long enough that making a summary costs less than filling it.
    let chunk = ((1 << 21) / d.max(1)).clamp(256, 8192).max(4 * n_clusters);
    let sums = parallel::reduce(
        rows.n_rows(),
        chunk,
        run,
        &|range| {
            let mut sums = ClusterSums::zeros(n_clusters, d);
            for row in range {
                add(&mut sums, row);
            }
            Ok(sums)
        },
        &ClusterSums::merge,
    )?;
    Ok(sums.unwrap_or_else(|| ClusterSums::zeros(n_clusters, d)))
}

pub(crate) fn weight_of(weights: Option<&[f64]>, row: usize) -> f64 {
    weights.map_or(1.0, |weights| weights[row])
}

/// Squared movement of all centres together.
pub(crate) fn squared_movement(from: &Array2<f64>, to: &Array2<f64>) -> f64 {
    from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The squared distance of a row to a centre of which ‖c‖² is known; for dense rows the
/// definition, for sparse ones in time linear in what the row stores.
pub(crate) fn squared_distance(rows: Rows<'_>, row: usize, center: &[f64], square: f64) -> f64 {
    match rows {
        Rows::Dense(dense) => {
            let row = dense.row(row);
            squared_euclidean(row.to_slice().expect("rows are contiguous"), center)
        }
        Rows::Sparse(sparse) => {
            let (columns, values) = sparse.row(row);
            let stored: f64 = columns
                .iter()
                .zip(values)
                .map(|(&column, value)| value * (value - 2.0 * center[column as usize]))
                .sum();
            (square + stored).max(0.0)
        }
    }
}

/// One row with all its zeros.
pub(crate) fn written_out(rows: Rows<'_>, row: usize) -> Vec<f64> {
    match rows {
        Rows::Dense(dense) => dense.row(row).to_vec(),
        Rows::Sparse(sparse) => {
            let mut values = vec![0.0; sparse.n_columns()];
            let (columns, stored) = sparse.row(row);
            for (&column, &value) in columns.iter().zip(stored) {
                values[column as usize] = value;
            }
            values
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::Csr;
    use ndarray::array;

    #[test]
    fn changes_added_to_old_sums_give_the_new_sums() {
        let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]];
        let sparse = Csr::from_dense(x.view());
        let weights = [1.0, 2.0, 3.0];
        let (before, after) = ([0, 0, 1], [0, 1, 0]);
        for rows in [Rows::Dense(x.view()), Rows::Sparse(sparse.view())] {
            let of = |labels: &[usize]| {
                ClusterSums::of_labels(rows, Some(&weights), labels, 2, &Run::new()).unwrap()
            };
            let changes =
                ClusterSums::of_changes(rows, Some(&weights), (&before, &after), 2, &Run::new());
            assert_eq!(of(&before).merge(changes.unwrap()), of(&after));
            // By hand: cluster 0 has 1·(1,2) + 3·(5,0), cluster 1 has 2·(3,4).
            assert_eq!(of(&after).sums, array![[16.0, 2.0], [6.0, 8.0]]);
            assert_eq!(of(&after).weights, [4.0, 2.0]);
        }
    }

    #[test]
    fn the_loss_from_sums_is_the_sum_of_squared_distances() {
        let x = array![[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]];
        let centers = array![[1.0, 1.0], [4.0, 2.0]];
        let variances = Variances::summarise(Rows::Dense(x.view()), None, &Run::new()).unwrap();
        let sums = ClusterSums::of_labels(Rows::Dense(x.view()), None, &[0, 1, 1], 2, &Run::new())
            .unwrap();
        // 1 + (1 + 4) + (1 + 4)
        assert!((sums.loss(&variances, &centers) - 11.0).abs() < 1e-12);
    }
}
