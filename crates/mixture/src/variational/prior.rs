//! What is believed of the components before the rows are seen.

use super::BayesianGaussianMixture;
use super::sticks::WeightPrior;
use crate::CovarianceType;
use didact_core::{Error, Result, Run, Samples};
use didact_math::linalg::{Cholesky, Moments, Variances};
use ndarray::{Array1, Array2};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The prior of the covariances in the shape of their type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CovariancePrior {
    /// One variance, for spherical covariances.
    Spherical(f64),
    /// One variance per column, for diagonal covariances.
    Diagonal(Vec<f64>),
    /// A matrix, for full and tied covariances.
    Matrix(Vec<Vec<f64>>),
}

/// The prior with everything settled.
pub(super) struct Prior {
    pub(super) covariance_type: CovarianceType,
    pub(super) weights: WeightPrior,
    pub(super) concentration: f64,
    pub(super) mean_precision: f64,
    pub(super) mean: Array1<f64>,
    pub(super) degrees_of_freedom: f64,
    /// A d×d matrix; one row of variances for diagonal covariances; one number for spherical ones.
    pub(super) covariance: Array2<f64>,
}

impl Prior {
    pub(super) fn new(
        parameters: &BayesianGaussianMixture,
        data: &Samples<'_>,
        run: &Run,
    ) -> Result<Self> {
        let d = data.n_columns();
        let k = parameters.n_components as f64;
        let degrees_of_freedom = parameters.degrees_of_freedom_prior.unwrap_or(d as f64);
        if degrees_of_freedom <= d as f64 - 1.0 {
            return Err(Error::parameter(
                "degrees_of_freedom_prior",
                degrees_of_freedom,
                format!("for {d} columns it must be more than {}", d - 1),
            ));
        }
        let (mean, covariance) = moments(parameters, data, run)?;
        Ok(Prior {
            covariance_type: parameters.covariance_type,
            weights: parameters.weight_concentration_prior_type,
            concentration: parameters.weight_concentration_prior.unwrap_or(1.0 / k),
            mean_precision: parameters.mean_precision_prior,
            mean: match &parameters.mean_prior {
                Some(given) => given_mean(given, d)?,
                None => mean,
            },
            degrees_of_freedom,
            covariance: match &parameters.covariance_prior {
                Some(given) => given_covariance(given, parameters.covariance_type, d)?,
                None => covariance,
            },
        })
    }
}

/// Mean and covariance of the rows, the latter with the divisor n − 1 and in the shape of its type.
fn moments(
    parameters: &BayesianGaussianMixture,
    data: &Samples<'_>,
    run: &Run,
) -> Result<(Array1<f64>, Array2<f64>)> {
    let divisor = |weight: f64| if weight > 1.0 { weight - 1.0 } else { weight };
    // Where the rows do not vary, the floor is all there is.
    let floor = |variance: f64| match variance > 0.0 {
        true => variance,
        false => variance + parameters.reg_covar,
    };
    let (mean, covariance) = match parameters.covariance_type {
        CovarianceType::Full | CovarianceType::Tied => {
            let moments = Moments::summarise(data.rows(), data.weights(), run)?;
            let mut covariance = moments.scatter / divisor(moments.weight);
            if Cholesky::new(covariance.view()).is_err() {
                let floor = parameters.reg_covar;
                covariance.diag_mut().mapv_inplace(|value| value + floor);
            }
            (moments.mean, covariance)
        }
        CovarianceType::Diag => {
            let found = Variances::summarise(data.rows(), data.weights(), run)?;
            let variances = (found.sum_squares / divisor(found.weight)).mapv(floor);
            (found.mean, variances.insert_axis(ndarray::Axis(0)))
        }
        CovarianceType::Spherical => {
            let found = Variances::summarise(data.rows(), data.weights(), run)?;
            let variance = found.sum_squares.mean().unwrap_or(0.0) / divisor(found.weight);
            (found.mean, Array2::from_elem((1, 1), floor(variance)))
        }
    };
    Ok((mean, covariance))
}

fn given_mean(given: &[f64], d: usize) -> Result<Array1<f64>> {
    match given.len() == d && given.iter().all(|value| value.is_finite()) {
        true => Ok(Array1::from(given.to_vec())),
        false => Err(Error::parameter(
            "mean_prior",
            format!("{given:?}"),
            format!("give {d} numbers, one for each column"),
        )),
    }
}

fn given_covariance(
    given: &CovariancePrior,
    covariance_type: CovarianceType,
    d: usize,
) -> Result<Array2<f64>> {
    let positive = |value: &f64| *value > 0.0 && value.is_finite();
    let wrong = |requirement: String| {
        Err(Error::parameter(
            "covariance_prior",
            "not fitting",
            requirement,
        ))
    };
    match (covariance_type, given) {
        (CovarianceType::Spherical, CovariancePrior::Spherical(value)) if positive(value) => {
            Ok(Array2::from_elem((1, 1), *value))
        }
        (CovarianceType::Spherical, _) => {
            wrong("spherical covariances need a number above 0".to_owned())
        }
        (CovarianceType::Diag, CovariancePrior::Diagonal(values))
            if values.len() == d && values.iter().all(positive) =>
        {
            Ok(Array1::from(values.clone()).insert_axis(ndarray::Axis(0)))
        }
        (CovarianceType::Diag, _) => {
            wrong(format!("diagonal covariances need {d} numbers above 0"))
        }
        (_, CovariancePrior::Matrix(rows))
            if rows.len() == d && rows.iter().all(|row| row.len() == d) =>
        {
            let matrix = Array2::from_shape_fn((d, d), |(row, column)| rows[row][column]);
            match matrix == matrix.t() && Cholesky::new(matrix.view()).is_ok() {
                true => Ok(matrix),
                false => wrong("the matrix must be symmetric and positive definite".to_owned()),
            }
        }
        _ => wrong(format!("this covariance_type needs a {d}×{d} matrix")),
    }
}
