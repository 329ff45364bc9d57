//! A Gaussian belief about a hyperplane.

use crate::planes::{Planes, hyperplane_model};
use didact_core::{Deviations, Result, Rows, Run, Trace, Value};
use didact_math::linalg::{matmul, rows_times};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};

/// The covariance of more weights than this is not listed among the attributes.
const MOST_LISTED_WEIGHTS: usize = 200;

/// A hyperplane whose weights are known up to a Gaussian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BayesianLinearModel {
    pub(crate) planes: Planes,
    /// Where the hyperplane is known best.
    pub(crate) center: Array1<f64>,
    /// The variance of the hyperplane there.
    pub(crate) offset_variance: f64,
    /// Directions in which the variance of the weights is known, a row each.
    pub(crate) directions: Array2<f64>,
    /// The variance of the weights in each of them.
    pub(crate) variances: Array1<f64>,
    /// The variance of the weights in all other directions.
    pub(crate) rest_variance: f64,
    pub(crate) noise_variance: f64,
    pub(crate) log_evidence: Option<f64>,
    pub(crate) trace: Option<Trace>,
}

/// What is believed about the targets of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictive {
    /// The mean of each target.
    pub mean: Array1<f64>,
    /// The variance of the hyperplane at each row.
    pub variance_of_mean: Array1<f64>,
    /// The variance of a new target at each row: that of the hyperplane plus that of the noise.
    pub variance: Array1<f64>,
}

impl BayesianLinearModel {
    /// Means and variances of the targets of rows.
    ///
    /// # Panics
    /// When the rows have another number of columns than the model.
    pub fn predictive(&self, rows: Rows<'_>) -> Result<Predictive> {
        let run = Run::new();
        let mean = self.planes.regress(rows)?.remove_axis(Axis(1));
        let x = rows.to_dense();
        let centred = &x - &self.center;
        let along = rows_times(Rows::Dense(centred.view()), self.directions.t(), &run)?;
        let each = centred.rows().into_iter().zip(along.rows());
        let variance_of_mean: Array1<f64> = each
            .map(|(z, along)| {
                let known: f64 = along.iter().map(|a| a * a).sum();
                let rest = (z.dot(&z) - known).max(0.0);
                let spread = along.iter().zip(&self.variances);
                self.offset_variance
                    + self.rest_variance * rest
                    + spread.map(|(a, variance)| a * a * variance).sum::<f64>()
            })
            .collect();
        Ok(Predictive {
            mean,
            variance: &variance_of_mean + self.noise_variance,
            variance_of_mean,
        })
    }

    /// The covariance Σ of the weights after the data.
    pub fn covariance(&self) -> Array2<f64> {
        let mut covariance = Array2::from_diag_elem(self.planes.n_features(), self.rest_variance);
        let mut scaled = self.directions.clone();
        for (mut row, variance) in scaled.rows_mut().into_iter().zip(&self.variances) {
            row *= variance - self.rest_variance;
        }
        covariance += &matmul(self.directions.t(), scaled.view());
        covariance
    }

    /// The variance σ² of the noise.
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    /// The variance of a weight in a direction about which the data say nothing.
    pub fn prior_variance(&self) -> f64 {
        self.rest_variance
    }

    /// The logarithm of the density of the training targets with the weights averaged out.
    pub fn log_evidence(&self) -> Option<f64> {
        self.log_evidence
    }

    fn is_sound(&self) -> bool {
        let (targets, d) = self.planes.coef.dim();
        let (count, width) = self.directions.dim();
        let variances = self.variances.iter();
        let variances = variances.chain([
            &self.offset_variance,
            &self.rest_variance,
            &self.noise_variance,
        ]);
        targets == 1
            && width == d
            && self.center.len() == d
            && self.variances.len() == count
            && variances.into_iter().all(|v| *v >= 0.0 && v.is_finite())
    }
}

impl Deviations for BayesianLinearModel {
    fn deviations(&self, rows: Rows<'_>) -> Result<Array2<f64>> {
        let variance = self.predictive(rows)?.variance;
        Ok(variance.mapv(f64::sqrt).insert_axis(Axis(1)))
    }
}

hyperplane_model!(BayesianLinearModel, deviations {
    "covariance", "The covariance of the weights after the data, for up to 200 weights.",
        |model| match model.planes.n_features() <= MOST_LISTED_WEIGHTS {
            true => Value::from(model.covariance()),
            false => Value::Absent,
        };
    "noise_variance", "The variance of the noise.",
        |model| Value::from(model.noise_variance);
    "prior_variance", "The variance of each weight before the data.",
        |model| Value::from(model.rest_variance);
    "log_evidence", "The logarithm of the density of the training targets, weights averaged out.",
        |model| Value::from(model.log_evidence);
});
