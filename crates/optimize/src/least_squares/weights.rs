//! How much each residual counts.

use didact_core::{Error, Result};
use didact_math::linalg::Cholesky;
use ndarray::{Array2, ArrayViewMut2};

/// How much the residuals r count in rᵀΣ⁻¹r.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Weights {
    /// All the same.
    #[default]
    Equal,
    /// Each with its own standard deviation: r is divided by it.
    Deviations(Vec<f64>),
    /// With a covariance Σ between them: r is whitened by its Cholesky factor.
    Covariance(Array2<f64>),
}

/// Weights ready to be applied to m residuals.
#[derive(Clone, Debug)]
pub(super) enum Whitening {
    None,
    Divide(Vec<f64>),
    Solve(Cholesky),
}

impl Weights {
    /// Checks the weights against the number of residuals and factors the covariance.
    pub(super) fn prepare(&self, m: usize) -> Result<Whitening> {
        let length = |name: &str, found: usize| {
            Error::parameter(
                name,
                format!("of size {found}"),
                format!("it must have a place for each of the {m} residuals"),
            )
        };
        match self {
            Weights::Equal => Ok(Whitening::None),
            Weights::Deviations(deviations) if deviations.len() != m => {
                Err(length("deviations", deviations.len()))
            }
            Weights::Deviations(deviations) => {
                match deviations
                    .iter()
                    .find(|value| !(**value > 0.0 && value.is_finite()))
                {
                    Some(value) => Err(Error::parameter(
                        "deviations",
                        value,
                        "each must be a positive number",
                    )),
                    None => Ok(Whitening::Divide(deviations.clone())),
                }
            }
            Weights::Covariance(covariance) if covariance.dim() != (m, m) => {
                Err(length("covariance", covariance.nrows()))
            }
            Weights::Covariance(covariance) => {
                crate::objective::check_symmetric("covariance", covariance.view())?;
                Cholesky::new(covariance.view())
                    .map(Whitening::Solve)
                    .map_err(|_| {
                        Error::parameter("covariance", "not positive definite", "it must be")
                    })
            }
        }
    }
}

impl Whitening {
    /// Replaces each column c of the matrix by L⁻¹c, Σ = L·Lᵀ.
    pub(super) fn apply(&self, mut columns: ArrayViewMut2<'_, f64>) {
        match self {
            Whitening::None => {}
            Whitening::Divide(deviations) => {
                for (mut row, deviation) in columns.rows_mut().into_iter().zip(deviations) {
                    row /= *deviation;
                }
            }
            Whitening::Solve(factor) => factor.half_solve_in_place(columns),
        }
    }
}
