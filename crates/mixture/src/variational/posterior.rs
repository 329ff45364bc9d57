//! What is believed of the components after a pass over the rows.

use super::prior::Prior;
use super::sticks::Sticks;
use crate::CovarianceType;
use crate::gaussian::{Components, Covariances, Proposal};
use didact_core::Result;
use didact_probability::special::{digamma, log_gamma};
use ndarray::{Array1, Array2, Axis};
use serde::{Deserialize, Serialize};
use std::f64::consts::{LN_2, TAU};

/// The laws of weights, means and precisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Posterior {
    pub(super) sticks: Sticks,
    /// βₖ, how many rows each mean counts for.
    pub(super) mean_precisions: Vec<f64>,
    pub(super) means: Array2<f64>,
    /// νₖ.
    pub(super) degrees_of_freedom: Vec<f64>,
    /// The inverse scale of each Wishart law divided by νₖ: the inverse of the expected precision.
    pub(super) covariances: Covariances,
}

impl Posterior {
    /// From the sizes Nₖ, means x̄ₖ and covariances Sₖ that the responsibilities give:
    /// βₖ = β + Nₖ, mₖ = (β·m + Nₖ·x̄ₖ)/βₖ, νₖ = ν + Nₖ and
    /// νₖ·Σₖ = W + Nₖ·Sₖ + (β·Nₖ/βₖ)·(x̄ₖ−m)(x̄ₖ−m)ᵀ; tied covariances share the mean of these.
    pub(super) fn new(prior: &Prior, found: &Proposal, floor: f64) -> Self {
        let counts = &found.counts;
        let beta = prior.mean_precision;
        let mean_precisions: Vec<f64> = counts.iter().map(|count| beta + count).collect();
        let mut means = found.means.clone();
        for ((mut mean, &count), &precision) in means
            .rows_mut()
            .into_iter()
            .zip(counts)
            .zip(&mean_precisions)
        {
            mean.zip_mut_with(&prior.mean, |mean, &prior| {
                *mean = (beta * prior + count * *mean) / precision;
            });
        }
        let (degrees_of_freedom, covariances) = scales(prior, found, &mean_precisions, floor);
        Posterior {
            sticks: Sticks::new(prior.weights, prior.concentration, counts),
            mean_precisions,
            means,
            degrees_of_freedom,
            covariances,
        }
    }

    /// Components whose scores are E ln πₖ + E ln N(x; μₖ, Λₖ⁻¹), as the responsibilities need them.
    pub(super) fn components(&self) -> Result<Components> {
        let d = self.means.ncols();
        let mut components = Components::new(
            self.sticks.weights(),
            self.means.clone(),
            self.covariances.clone(),
            0.0,
        )?;
        let logs = self.sticks.expected_logs();
        for component in 0..logs.len() {
            let freedom = self.degrees_of_freedom[component];
            let halves = (0..d).map(|column| digamma(0.5 * (freedom - column as f64)));
            // E ln|Λ|, of which ν·Σ is the inverse scale.
            let precision = components.log_precision(component)
                + d as f64 * (LN_2 - freedom.ln())
                + halves.sum::<f64>();
            let spread = d as f64 * (TAU.ln() + self.mean_precisions[component].recip());
            components.constants[component] = logs[component] + 0.5 * (precision - spread);
        }
        Ok(components)
    }

    /// The lower bound less the entropy of the responsibilities, up to what the prior alone decides.
    pub(super) fn bound(&self, components: &Components) -> f64 {
        let (k, d) = self.means.dim();
        let means: f64 = self.mean_precisions.iter().map(|beta| beta.ln()).sum();
        let precisions: f64 = (0..k)
            .map(|component| {
                let freedom = self.degrees_of_freedom[component];
                let gammas = (0..d).map(|column| log_gamma(0.5 * (freedom - column as f64)));
                let scale = components.log_precision(component) - d as f64 * freedom.ln();
                0.5 * freedom * (scale + d as f64 * LN_2) + gammas.sum::<f64>()
            })
            .sum();
        precisions + self.sticks.bound() - 0.5 * d as f64 * means
    }

    /// Whether the parts belong together, which those of a damaged file may not.
    pub(super) fn is_consistent(&self, shape: (usize, usize)) -> bool {
        let positive = |list: &[f64]| {
            list.len() == shape.0 && list.iter().all(|&value| value > 0.0 && value.is_finite())
        };
        self.means.dim() == shape
            && self.sticks.is_consistent(shape.0)
            && positive(&self.mean_precisions)
            && positive(&self.degrees_of_freedom)
            && self.covariances.fits(shape.0, shape.1)
    }
}

/// νₖ and Σₖ.
fn scales(
    prior: &Prior,
    found: &Proposal,
    mean_precisions: &[f64],
    floor: f64,
) -> (Vec<f64>, Covariances) {
    let (k, d) = found.means.dim();
    let counts = &found.counts;
    let total: f64 = counts.iter().sum();
    let freedoms: Vec<f64> = match prior.covariance_type {
        CovarianceType::Tied => vec![prior.degrees_of_freedom + total / k as f64; k],
        _ => counts
            .iter()
            .map(|count| prior.degrees_of_freedom + count)
            .collect(),
    };
    // β·Nₖ/βₖ, the weight of how far the mean is from that of the prior.
    let pulls: Vec<f64> = counts
        .iter()
        .zip(mean_precisions)
        .map(|(count, precision)| prior.mean_precision * count / precision)
        .collect();
    let shift = |component: usize| &found.means.row(component) - &prior.mean;
    let covariances = match &found.covariances {
        Covariances::Full(matrices) => {
            let each = matrices.iter().enumerate().map(|(component, matrix)| {
                let mut scale = matrix.clone();
                scale.diag_mut().mapv_inplace(|variance| variance + floor);
                scale *= counts[component];
                scale += &prior.covariance;
                add_outer(&mut scale, &shift(component), pulls[component]);
                scale / freedoms[component]
            });
            Covariances::Full(each.collect())
        }
        Covariances::Tied(matrix) => {
            let mut scale = matrix.clone();
            scale.diag_mut().mapv_inplace(|variance| variance + floor);
            scale *= total / k as f64;
            scale += &prior.covariance;
            for (component, pull) in pulls.iter().enumerate() {
                add_outer(&mut scale, &shift(component), pull / k as f64);
            }
            Covariances::Tied(scale / freedoms[0])
        }
        Covariances::Diag(variances) => {
            let mut scales = (variances + floor).as_standard_layout().into_owned();
            for (component, mut row) in scales.rows_mut().into_iter().enumerate() {
                row *= counts[component];
                row += &prior.covariance.row(0);
                row.scaled_add(
                    pulls[component],
                    &shift(component).mapv(|value| value * value),
                );
                row /= freedoms[component];
            }
            Covariances::Diag(scales)
        }
        Covariances::Spherical(variances) => {
            let each = variances.iter().enumerate().map(|(component, variance)| {
                let square = shift(component).mapv(|value| value * value).sum() / d as f64;
                let scale = prior.covariance[[0, 0]]
                    + counts[component] * (variance + floor)
                    + pulls[component] * square;
                scale / freedoms[component]
            });
            Covariances::Spherical(each.collect())
        }
    };
    (freedoms, covariances)
}

fn add_outer(matrix: &mut Array2<f64>, vector: &Array1<f64>, weight: f64) {
    let column = vector.view().insert_axis(Axis(1));
    for ((row, other), value) in matrix.indexed_iter_mut() {
        *value += weight * (column[[row, 0]] * column[[other, 0]]);
    }
}
