//! What a Gaussian mixture is: weights, means, covariances, and the factors to measure with.

use super::CovarianceType;
use didact_core::{Error, Result};
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2, ArrayView1, Axis};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Covariances in the shape of their type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariances {
    /// One matrix per component.
    Full(Vec<Array2<f64>>),
    /// One matrix for all.
    Tied(Array2<f64>),
    /// One row of variances per component.
    Diag(Array2<f64>),
    /// One variance per component.
    Spherical(Vec<f64>),
}

/// The parameters of a mixture and what makes its densities fast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Components {
    pub(crate) weights: Vec<f64>,
    pub(crate) means: Array2<f64>,
    pub(crate) covariances: Covariances,
    pub(crate) whitening: Whitening,
    /// ln πₖ − ½(d·ln 2π + ln|Σₖ|), what all rows share.
    pub(crate) constants: Vec<f64>,
}

/// Takes centred rows to a space where the covariance is the identity: with Σ = LLᵀ it is L⁻¹.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Whitening {
    /// L⁻¹ of each component, or the one of all.
    Dense(Vec<Array2<f64>>),
    /// The reciprocal standard deviations, one row per component.
    Diagonal(Array2<f64>),
}

impl Whitening {
    /// L⁻¹ of a component, if it is a matrix.
    pub(crate) fn matrix(&self, component: usize) -> Option<&Array2<f64>> {
        match self {
            Whitening::Dense(matrices) => Some(&matrices[component.min(matrices.len() - 1)]),
            Whitening::Diagonal(_) => None,
        }
    }
}

impl Covariances {
    /// The type whose shape this is.
    pub fn covariance_type(&self) -> CovarianceType {
        match self {
            Covariances::Full(_) => CovarianceType::Full,
            Covariances::Tied(_) => CovarianceType::Tied,
            Covariances::Diag(_) => CovarianceType::Diag,
            Covariances::Spherical(_) => CovarianceType::Spherical,
        }
    }

    /// The covariance of a component as a matrix.
    pub fn matrix(&self, component: usize, n_features: usize) -> Array2<f64> {
        match self {
            Covariances::Full(matrices) => matrices[component].clone(),
            Covariances::Tied(matrix) => matrix.clone(),
            Covariances::Diag(variances) => Array2::from_diag(&variances.row(component)),
            Covariances::Spherical(variances) => Array2::eye(n_features) * variances[component],
        }
    }

    /// Number of free parameters.
    pub(crate) fn n_parameters(&self, n_components: usize, n_features: usize) -> usize {
        let triangle = n_features * (n_features + 1) / 2;
        match self {
            Covariances::Full(_) => n_components * triangle,
            Covariances::Tied(_) => triangle,
            Covariances::Diag(_) => n_components * n_features,
            Covariances::Spherical(_) => n_components,
        }
    }

    /// Whether there is a covariance of the right shape for every component.
    pub(crate) fn fits(&self, n_components: usize, n_features: usize) -> bool {
        let square = (n_features, n_features);
        match self {
            Covariances::Full(matrices) => {
                matrices.len() == n_components && matrices.iter().all(|m| m.dim() == square)
            }
            Covariances::Tied(matrix) => matrix.dim() == square,
            Covariances::Diag(variances) => variances.dim() == (n_components, n_features),
            Covariances::Spherical(variances) => variances.len() == n_components,
        }
    }
}

impl Components {
    /// Puts parameters together; `reg_covar` is added to every variance, and where it is above
    /// zero a covariance that rounding made indefinite is mended too.
    pub(crate) fn new(
        weights: Vec<f64>,
        means: Array2<f64>,
        mut covariances: Covariances,
        reg_covar: f64,
    ) -> Result<Self> {
        let (k, d) = means.dim();
        let guarded = reg_covar > 0.0;
        let (whitening, log_determinants) = match &mut covariances {
            Covariances::Full(matrices) => {
                let mut factors = Vec::with_capacity(k);
                let mut determinants = Vec::with_capacity(k);
                for (component, matrix) in matrices.iter_mut().enumerate() {
                    let factor =
                        factor(matrix, reg_covar, guarded).ok_or_else(|| collapse(component))?;
                    determinants.push(factor.log_determinant());
                    factors.push(inverse_lower(&factor));
                }
                (Whitening::Dense(factors), determinants)
            }
            Covariances::Tied(matrix) => {
                let factor = factor(matrix, reg_covar, guarded).ok_or_else(|| collapse(0))?;
                let determinants = vec![factor.log_determinant(); k];
                (Whitening::Dense(vec![inverse_lower(&factor)]), determinants)
            }
            Covariances::Diag(variances) => {
                *variances += reg_covar;
                diagonal(variances.clone())?
            }
            Covariances::Spherical(variances) => {
                variances
                    .iter_mut()
                    .for_each(|variance| *variance += reg_covar);
                diagonal(Array2::from_shape_fn((k, d), |(component, _)| {
                    variances[component]
                }))?
            }
        };
        let constant = d as f64 * TAU.ln();
        let constants = weights
            .iter()
            .zip(&log_determinants)
            .map(|(weight, determinant)| weight.ln() - 0.5 * (constant + determinant))
            .collect();
        Ok(Components {
            weights,
            means,
            covariances,
            whitening,
            constants,
        })
    }

    pub(crate) fn n_components(&self) -> usize {
        self.weights.len()
    }

    pub(crate) fn n_features(&self) -> usize {
        self.means.ncols()
    }

    /// ln|Σₖ⁻¹|.
    pub(crate) fn log_precision(&self, component: usize) -> f64 {
        let scales = match &self.whitening {
            Whitening::Diagonal(scales) => scales.row(component),
            Whitening::Dense(matrices) => matrices[component.min(matrices.len() - 1)].diag(),
        };
        2.0 * scales.iter().map(|scale| scale.ln()).sum::<f64>()
    }

    /// ln πₖ N(x; μₖ, Σₖ) of one row for every component.
    ///
    /// The order of every sum is fixed by the number of columns, so a row has the same densities
    /// alone and among others.
    pub(crate) fn joint_log_densities(&self, row: ArrayView1<'_, f64>, output: &mut [f64]) {
        let mut centred = Array1::zeros(row.len());
        for (component, output) in output.iter_mut().enumerate() {
            centred.assign(&row);
            centred -= &self.means.row(component);
            let centred = centred.as_slice().expect("a fresh vector is contiguous");
            let square = self.squared_length(component, centred);
            *output = self.constants[component] - 0.5 * square;
        }
    }

    /// ‖L⁻¹·z‖² for a centred row z.
    fn squared_length(&self, component: usize, centred: &[f64]) -> f64 {
        match &self.whitening {
            Whitening::Dense(_) => {
                let matrix = self
                    .whitening
                    .matrix(component)
                    .expect("the whitening is dense");
                let rows = matrix.rows().into_iter().enumerate();
                rows.map(|(index, row)| {
                    // The rest of the row is above the diagonal.
                    let row = row.to_slice().expect("factors are contiguous");
                    let value = didact_math::numeric::dot(&row[..=index], &centred[..=index]);
                    value * value
                })
                .sum()
            }
            Whitening::Diagonal(scales) => {
                let terms = centred.iter().zip(scales.row(component));
                terms
                    .map(|(value, scale)| (value * scale) * (value * scale))
                    .sum()
            }
        }
    }

    /// Whether the parts belong together, which those of a damaged file may not.
    pub(crate) fn is_consistent(&self) -> bool {
        let (k, d) = self.means.dim();
        let whitening = match (&self.whitening, self.covariances.covariance_type()) {
            (Whitening::Dense(factors), CovarianceType::Full) => factors.len() == k,
            (Whitening::Dense(factors), CovarianceType::Tied) => factors.len() == 1,
            (Whitening::Diagonal(scales), CovarianceType::Diag | CovarianceType::Spherical) => {
                scales.dim() == (k, d)
            }
            _ => false,
        };
        let factors = match &self.whitening {
            Whitening::Dense(factors) => factors.iter().all(|factor| {
                factor.dim() == (d, d) && factor.is_standard_layout() && all_finite(factor)
            }),
            Whitening::Diagonal(scales) => all_finite(scales),
        };
        let is_weight = |weight: &f64| (0.0..=1.0 + 1e-9).contains(weight);
        k > 0
            && d > 0
            && whitening
            && factors
            && all_finite(&self.means)
            && self.weights.len() == k
            && self.weights.iter().all(is_weight)
            && self.constants.len() == k
            && self
                .constants
                .iter()
                .all(|constant| *constant < f64::INFINITY)
            && self.covariances.fits(k, d)
    }

    /// The components whose variance in some direction is no more than twice the floor: without
    /// it they would have collapsed.
    pub(crate) fn collapsed(&self, floor: f64) -> Vec<usize> {
        let narrow = |scale: &f64| (scale * scale).recip() <= 2.0 * floor;
        (0..self.n_components())
            .filter(|&component| match &self.whitening {
                Whitening::Dense(_) => {
                    let matrix = self
                        .whitening
                        .matrix(component)
                        .expect("the whitening is dense");
                    matrix.diag().iter().any(narrow)
                }
                Whitening::Diagonal(scales) => scales.row(component).iter().any(narrow),
            })
            .collect()
    }
}

fn all_finite(values: &Array2<f64>) -> bool {
    values.iter().all(|value| value.is_finite())
}

fn collapse(component: usize) -> Error {
    Error::numerical(format!(
        "component {component} has collapsed: in some direction it has no variance left, so the \
         likelihood has no bound; set reg_covar above 0 or ask for fewer components"
    ))
}

/// Adds the floor to the diagonal and factors the covariance.
fn factor(matrix: &mut Array2<f64>, reg_covar: f64, guarded: bool) -> Option<Cholesky> {
    matrix
        .diag_mut()
        .iter_mut()
        .for_each(|variance| *variance += reg_covar);
    match guarded {
        true => {
            let (factor, jitter) = Cholesky::with_jitter(matrix.view()).ok()?;
            matrix
                .diag_mut()
                .iter_mut()
                .for_each(|variance| *variance += jitter);
            Some(factor)
        }
        false => Cholesky::new(matrix.view()).ok(),
    }
}

fn inverse_lower(factor: &Cholesky) -> Array2<f64> {
    let identity = Array2::eye(factor.dimension());
    factor
        .half_solve(identity.view())
        .as_standard_layout()
        .into_owned()
}

fn diagonal(variances: Array2<f64>) -> Result<(Whitening, Vec<f64>)> {
    let bad = |variance: &f64| !(*variance > 0.0 && variance.is_finite());
    if let Some(component) = variances
        .rows()
        .into_iter()
        .position(|row| row.iter().any(bad))
    {
        return Err(collapse(component));
    }
    let determinants = variances
        .map_axis(Axis(1), |row| row.mapv(f64::ln).sum())
        .to_vec();
    Ok((
        Whitening::Diagonal(variances.mapv_into(|variance| variance.sqrt().recip())),
        determinants,
    ))
}
