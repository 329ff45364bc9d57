//! Linear metrics: Euclidean distance after a linear map.

use super::{Metric, pairwise, pairwise_self};
use crate::linalg::{Moments, a_times_bt, rows_times, symmetric_eigen};
use crate::numeric::length;
use didact_core::{Error, Result, Rows, Run};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

/// The distance √((a−b)ᵀ·M·(a−b)) for a positive semidefinite matrix M: the inverse covariance
/// of the data (Mahalanobis), or a matrix that was learned.
///
/// With M = W·Wᵀ it is the Euclidean distance of the rows times W, so
/// [`whitened`](Mahalanobis::whitened) rows can be given to everything that is Euclidean:
/// neighbours, trees, clusters. Where a covariance is singular, M is its pseudo-inverse, and
/// directions in which the data do not vary count nothing; shrinkage makes them count.
///
/// ```
/// use didact_math::distance::Mahalanobis;
/// use ndarray::array;
/// let metric = Mahalanobis::from_covariance(array![[4.0, 0.0], [0.0, 1.0]].view())?;
/// assert!((metric.between(&[0.0, 0.0], &[2.0, 0.0])? - 1.0).abs() < 1e-15);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mahalanobis {
    /// W, a row for each column of the data.
    root: Array2<f64>,
    /// Subtracted from rows before they are mapped: it changes no distance, but keeps digits.
    origin: Array1<f64>,
}

impl Mahalanobis {
    /// The metric of a symmetric positive semidefinite matrix M itself.
    pub fn from_matrix(matrix: ArrayView2<'_, f64>) -> Result<Self> {
        let rooted = |value: f64| value.sqrt();
        Mahalanobis::from_eigen("the matrix of the metric", matrix, rooted)
    }

    /// The metric of the inverse, or pseudo-inverse, of a covariance matrix.
    pub fn from_covariance(covariance: ArrayView2<'_, f64>) -> Result<Self> {
        Mahalanobis::from_eigen("the covariance", covariance, |value| value.sqrt().recip())
    }

    /// The metric of a covariance that is shrunk towards a sphere first,
    /// (1−s)·Σ + s·(tr Σ/d)·I, which is regular for every s in (0, 1] unless Σ is zero.
    pub fn from_shrunk_covariance(covariance: ArrayView2<'_, f64>, shrinkage: f64) -> Result<Self> {
        if !(0.0..=1.0).contains(&shrinkage) {
            let requirement = "it must be at least 0 and at most 1";
            return Err(Error::parameter("shrinkage", shrinkage, requirement));
        }
        check_square("the covariance", covariance)?;
        let mut shrunk = &covariance * (1.0 - shrinkage);
        let mean = covariance.diag().mean().unwrap_or(0.0);
        shrunk
            .diag_mut()
            .mapv_inplace(|value| value + shrinkage * mean);
        Mahalanobis::from_covariance(shrunk.view())
    }

    /// The metric of the covariance of the rows themselves, with divisor n.
    pub fn from_rows(rows: Rows<'_>, run: &Run) -> Result<Self> {
        Metric::Euclidean.check_rows(rows)?;
        let moments = Moments::summarise(rows, None, run)?;
        let covariance = &moments.scatter / moments.weight.max(1.0);
        let mut metric = Mahalanobis::from_covariance(covariance.view())?;
        metric.origin = moments.mean;
        Ok(metric)
    }

    fn from_eigen(
        what: &str,
        matrix: ArrayView2<'_, f64>,
        root: impl Fn(f64) -> f64,
    ) -> Result<Self> {
        check_square(what, matrix)?;
        let size = matrix.iter().fold(0.0_f64, |m, value| m.max(value.abs()));
        for ((i, j), &value) in matrix.indexed_iter() {
            let is_symmetric = (value - matrix[[j, i]]).abs() <= 1e-9 * size || value.is_nan();
            if !is_symmetric {
                return Err(Error::data(format!(
                    "{what} must be symmetric, but has {value} in row {i}, column {j} \
                     and {} in row {j}, column {i}",
                    matrix[[j, i]]
                )));
            }
        }
        let eigen = symmetric_eigen(matrix)?;
        let largest = eigen
            .values
            .iter()
            .fold(0.0_f64, |m, value| m.max(value.abs()));
        let negligible = matrix.nrows() as f64 * f64::EPSILON * largest;
        if let Some(negative) = eigen.values.iter().find(|&&value| value < -1e-10 * largest) {
            return Err(Error::data(format!(
                "{what} has the eigenvalue {negative:e}; it must be positive semidefinite"
            )));
        }
        let kept: Vec<usize> = (0..eigen.values.len())
            .filter(|&i| eigen.values[i] > negligible)
            .collect();
        let roots = eigen.values.select(Axis(0), &kept).mapv(root);
        Ok(Mahalanobis {
            root: eigen.vectors.select(Axis(1), &kept) * &roots,
            origin: Array1::zeros(matrix.nrows()),
        })
    }

    /// The matrix M.
    pub fn matrix(&self) -> Array2<f64> {
        a_times_bt(self.root.view(), self.root.view())
    }

    /// The rank of M: how many independent directions count.
    pub fn rank(&self) -> usize {
        self.root.ncols()
    }

    /// The distance of two rows, rooted.
    pub fn between(&self, a: &[f64], b: &[f64]) -> Result<f64> {
        for row in [a, b] {
            self.check_columns(row.len())?;
        }
        let difference: Array1<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        let mapped = difference.dot(&self.root).to_vec();
        Ok(length(&mapped))
    }

    /// The squared distance of two rows.
    pub fn squared_between(&self, a: &[f64], b: &[f64]) -> Result<f64> {
        Ok(self.between(a, b)?.powi(2))
    }

    /// The rows in coordinates in which this metric is Euclidean, (x − origin)·W.
    pub fn whitened(&self, rows: Rows<'_>, run: &Run) -> Result<Array2<f64>> {
        self.check_columns(rows.n_columns())?;
        let moved = &rows.to_dense() - &self.origin;
        rows_times(Rows::Dense(moved.view()), self.root.view(), run)
    }

    /// The distances of every row of x and every row of y, or of all pairs of x where there is
    /// no y.
    pub fn pairwise(&self, x: Rows<'_>, y: Option<Rows<'_>>, run: &Run) -> Result<Array2<f64>> {
        let x = self.whitened(x, run)?;
        let x = Rows::Dense(x.view());
        match y {
            None => pairwise_self(x, Metric::Euclidean, run),
            Some(y) => {
                let y = self.whitened(y, run)?;
                pairwise(x, Rows::Dense(y.view()), Metric::Euclidean, run)
            }
        }
    }

    /// The origin that whitened rows are measured from.
    pub fn origin(&self) -> ArrayView1<'_, f64> {
        self.origin.view()
    }

    fn check_columns(&self, found: usize) -> Result<()> {
        match self.origin.len() {
            expected if expected == found => Ok(()),
            expected => Err(Error::data(format!(
                "a row has {found} columns but the metric is for {expected}"
            ))),
        }
    }
}

fn check_square(what: &str, matrix: ArrayView2<'_, f64>) -> Result<()> {
    match matrix.is_square() {
        true => Ok(()),
        false => Err(Error::data(format!(
            "{what} has {} rows and {} columns; it must be square",
            matrix.nrows(),
            matrix.ncols()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_testing::{assert_close, random_matrix};
    use ndarray::array;

    #[test]
    fn the_identity_is_euclidean_and_the_matrix_comes_back() {
        // 000a:SIM-18.
        let metric = Mahalanobis::from_matrix(Array2::eye(2).view()).unwrap();
        let found = metric.between(&[1.0, 1.0], &[3.0, 2.0]).unwrap();
        assert!((found - 5.0_f64.sqrt()).abs() < 1e-15);
        let squared = metric.squared_between(&[1.0, 1.0], &[3.0, 2.0]).unwrap();
        assert!((squared - 5.0).abs() < 1e-14);
        let learned = array![[2.0, 1.0], [1.0, 3.0]];
        let metric = Mahalanobis::from_matrix(learned.view()).unwrap();
        assert_close(&metric.matrix(), &learned, 1e-12);
        // (1, −1)·M·(1, −1)ᵀ = 2 − 2 + 3 = 3.
        let found = metric.squared_between(&[1.0, 0.0], &[0.0, 1.0]).unwrap();
        assert!((found - 3.0).abs() < 1e-12);
    }

    #[test]
    fn it_is_rooted_and_uses_the_inverse_covariance() {
        // 001:CLU-10: the text prints the covariance itself and forgets the root;
        // scipy.spatial.distance.mahalanobis([2,0],[0,1],inv([[4,1],[1,2]])) = 1.5118578920369088.
        let metric = Mahalanobis::from_covariance(array![[4.0, 1.0], [1.0, 2.0]].view()).unwrap();
        let found = metric.between(&[2.0, 0.0], &[0.0, 1.0]).unwrap();
        assert!((found - 1.511_857_892_036_908_8).abs() < 1e-12);
    }

    #[test]
    fn invertible_maps_of_the_data_change_nothing() {
        // 001:CLU-10.
        let x = random_matrix(60, 3, 1);
        let map = array![[2.0, 0.3, 0.0], [0.0, 1.0, -0.5], [1.0, 0.0, 3.0]];
        let mapped = x.dot(&map) + 1e4;
        let run = Run::new();
        let distances = |x: &Array2<f64>| {
            let rows = Rows::Dense(x.view());
            Mahalanobis::from_rows(rows, &run)
                .unwrap()
                .pairwise(rows, None, &run)
                .unwrap()
        };
        assert_close(&distances(&mapped), &distances(&x), 1e-9);
    }

    #[test]
    fn a_singular_covariance_is_pseudo_inverted_or_shrunk() {
        let x = random_matrix(40, 2, 2);
        let copies = ndarray::concatenate![Axis(1), x, x];
        let run = Run::new();
        let metric = Mahalanobis::from_rows(Rows::Dense(copies.view()), &run).unwrap();
        assert_eq!(metric.rank(), 2);
        let single = Mahalanobis::from_rows(Rows::Dense(x.view()), &run).unwrap();
        let found = metric
            .pairwise(Rows::Dense(copies.view()), None, &run)
            .unwrap();
        let expected = single.pairwise(Rows::Dense(x.view()), None, &run).unwrap();
        assert_close(&found, &expected, 1e-9);
        let constant = Mahalanobis::from_rows(Rows::Dense(Array2::ones((5, 2)).view()), &run);
        assert_eq!(
            constant.unwrap().between(&[0.0, 0.0], &[9.0, 9.0]).unwrap(),
            0.0
        );
        let covariance = array![[1.0, 1.0], [1.0, 1.0]];
        let shrunk = Mahalanobis::from_shrunk_covariance(covariance.view(), 0.5).unwrap();
        // ½Σ + ½I = [[1, ½], [½, 1]] has the inverse [[4, −2], [−2, 4]]/3.
        assert_close(
            &shrunk.matrix(),
            &(array![[4.0, -2.0], [-2.0, 4.0]] / 3.0),
            1e-12,
        );
        assert!(Mahalanobis::from_shrunk_covariance(covariance.view(), 1.5).is_err());
    }

    #[test]
    fn matrices_that_are_no_metric_are_refused_with_the_reason() {
        let complain = |matrix: Array2<f64>| {
            Mahalanobis::from_matrix(matrix.view())
                .unwrap_err()
                .to_string()
        };
        assert!(complain(array![[1.0, 2.0], [2.0, 1.0]]).contains("positive semidefinite"));
        assert!(complain(array![[1.0, 2.0], [0.0, 1.0]]).contains("must be symmetric"));
        assert!(complain(array![[1.0, 2.0]]).contains("must be square"));
        assert!(complain(array![[f64::NAN]]).contains("NaN"));
        let metric = Mahalanobis::from_matrix(Array2::eye(2).view()).unwrap();
        assert!(metric.between(&[1.0], &[1.0]).is_err());
    }
}
