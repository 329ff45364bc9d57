//! A node with a Gaussian law.

use super::NodeLaw;
use didact_core::{Error, Result};
use didact_math::gaussian::log_densities;
use didact_math::linalg::Cholesky;
use ndarray::{Array2, ArrayView1, ArrayView2};

/// A Gaussian law with a full covariance.
#[derive(Clone, Debug)]
pub struct GaussianNode {
    mean: Vec<f64>,
    covariance: Array2<f64>,
    factor: Cholesky,
    floor: f64,
}

impl PartialEq for GaussianNode {
    fn eq(&self, other: &Self) -> bool {
        self.mean == other.mean && self.covariance == other.covariance && self.floor == other.floor
    }
}

impl GaussianNode {
    /// A law with that mean and covariance; what it learns has at least the variance `floor` in
    /// every direction.
    pub fn new(mean: Vec<f64>, covariance: Array2<f64>, floor: f64) -> Result<Self> {
        if covariance.dim() != (mean.len(), mean.len()) || mean.is_empty() {
            return Err(Error::data(format!(
                "the covariance is {}×{} for a mean of {} values; give a row and a column per \
                 value",
                covariance.nrows(),
                covariance.ncols(),
                mean.len()
            )));
        }
        Ok(GaussianNode {
            factor: Cholesky::new(covariance.view())?,
            mean,
            covariance,
            floor,
        })
    }

    /// The mean.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The covariance.
    pub fn covariance(&self) -> &Array2<f64> {
        &self.covariance
    }
}

impl NodeLaw for GaussianNode {
    fn log_density(&self, row: &[f64]) -> f64 {
        let row = ArrayView2::from_shape((1, row.len()), row).expect("one row");
        log_densities(row, ArrayView1::from(&self.mean), &self.factor)[0]
    }

    /// m += step·(x − m) and Σ += step·[(x − m)(x − m)ᵀ + floor·I − Σ] with the mean from before:
    /// the gradient in coordinates in which steps have the size of the data.
    fn climb(&mut self, row: &[f64], step: f64) -> Result<()> {
        let away: Vec<f64> = row.iter().zip(&self.mean).map(|(x, m)| x - m).collect();
        for ((i, j), value) in self.covariance.indexed_iter_mut() {
            let floor = if i == j { self.floor } else { 0.0 };
            *value += step * (away[i] * away[j] + floor - *value);
        }
        for (mean, away) in self.mean.iter_mut().zip(&away) {
            *mean += step * away;
        }
        self.factor = Cholesky::new(self.covariance.view())?;
        Ok(())
    }
}
