//! Components that collapsed or lost their rows begin anew.

use super::GaussianMixture;
use super::components::{Components, Covariances};
use didact_core::Result;
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A variance below this part of the variance of all rows is none.
const NEGLIGIBLE: f64 = 1e-10;

/// The row without gaps that a mixture explains worst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct WorstRow {
    pub(super) log_density: f64,
    pub(super) values: Vec<f64>,
}

impl WorstRow {
    /// The worse of two; the order in which they are met does not matter.
    pub(super) fn worse(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (one, other) = match (one, other) {
            (Some(one), Some(other)) => (one, other),
            (one, other) => return one.or(other),
        };
        let order = one.log_density.total_cmp(&other.log_density);
        let order = order.then_with(|| {
            let by_values = one.values.partial_cmp(&other.values);
            by_values.unwrap_or(Ordering::Equal)
        });
        Some(if order.is_le() { one } else { other })
    }
}

/// The next components, before the floor of the variances is added.
pub(crate) struct Proposal {
    pub(super) weights: Vec<f64>,
    pub(crate) means: Array2<f64>,
    pub(crate) covariances: Covariances,
    /// The weight of the rows of each component, Nₖ.
    pub(crate) counts: Vec<f64>,
    /// Which components have rows.
    pub(super) alive: Vec<bool>,
    pub(super) worst: Option<WorstRow>,
}

impl Proposal {
    /// Adds the floor; without one a component that collapsed is an error.
    pub(super) fn complete(self, floor: f64) -> Result<Components> {
        Components::new(self.weights, self.means, self.covariances, floor)
    }

    /// The first component that has no rows, or no variance in a direction in which the rows
    /// themselves have some.
    pub(super) fn lost(&self, floor: f64, common: &Array1<f64>) -> Option<usize> {
        let narrow = |column: usize, variance: f64| {
            let limit = (2.0 * floor).max(NEGLIGIBLE * common[column]);
            common[column] > limit && variance <= limit
        };
        let any_narrow = |variances: ArrayView1<'_, f64>| {
            let mut pairs = variances.iter().enumerate();
            pairs.any(|(column, variance)| narrow(column, variance + floor))
        };
        (0..self.weights.len()).find(|&component| {
            !self.alive[component]
                || match &self.covariances {
                    Covariances::Full(matrices) => {
                        pivots(&matrices[component], floor).is_none_or(|pivots| {
                            let mut pairs = pivots.iter().enumerate();
                            pairs.any(|(column, &pivot)| narrow(column, pivot))
                        })
                    }
                    // A covariance that all share says nothing of one component.
                    Covariances::Tied(_) => false,
                    Covariances::Diag(variances) => any_narrow(variances.row(component)),
                    Covariances::Spherical(variances) => {
                        any_narrow(Array1::from_elem(common.len(), variances[component]).view())
                    }
                }
        })
    }

    /// Puts a component onto a row, with the variances of all rows and an equal share.
    pub(super) fn reseed(
        &mut self,
        component: usize,
        row: &[f64],
        common: &Array1<f64>,
        fixed_weights: bool,
    ) {
        self.means.row_mut(component).assign(&ArrayView1::from(row));
        match &mut self.covariances {
            Covariances::Full(matrices) => matrices[component] = Array2::from_diag(common),
            Covariances::Tied(_) => {}
            Covariances::Diag(variances) => variances.row_mut(component).assign(common),
            Covariances::Spherical(variances) => {
                variances[component] = common.mean().unwrap_or(0.0);
            }
        }
        if fixed_weights {
            return;
        }
        let share = (self.weights.len() as f64).recip();
        let others = 1.0 - self.weights[component];
        for (other, weight) in self.weights.iter_mut().enumerate() {
            *weight = match other == component {
                true => share,
                false if others > 0.0 => *weight / others * (1.0 - share),
                false => share,
            };
        }
    }
}

/// The variance of each column given those before it, floor included.
fn pivots(covariance: &Array2<f64>, floor: f64) -> Option<Vec<f64>> {
    let mut matrix = covariance.clone();
    matrix.diag_mut().mapv_inplace(|variance| variance + floor);
    let factor = Cholesky::new(matrix.view()).ok()?;
    Some(factor.lower().diag().mapv(|pivot| pivot * pivot).to_vec())
}

impl GaussianMixture {
    /// Begins a lost component anew, if there is one and it may; whether it did.
    pub(super) fn reseed(&self, proposal: &mut Proposal, common: &Array1<f64>) -> bool {
        let Some(component) = proposal.lost(self.reg_covar, common) else {
            return false;
        };
        let Some(worst) = proposal.worst.take() else {
            return false;
        };
        proposal.reseed(component, &worst.values, common, self.fixed_weights);
        true
    }
}
