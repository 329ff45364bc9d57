//! Elliptical slice sampling: exact draws of the latent function, given time.

use super::laplace::Signs;
use crate::factor::Factored;
use didact_core::random::{Generator, generator};
use didact_core::{Result, Run};
use didact_math::linalg::Cholesky;
use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;

/// Draws latent values at the training rows from their law after the data, a column per draw,
/// from a start onwards. The first `burn_in` draws are not kept.
///
/// A step draws ν from the prior and moves on the ellipse f·cos θ + ν·sin θ, which leaves the
/// prior as it is, to the first angle whose likelihood exceeds a random share of the present
/// one; angles that do not narrow the bracket, so every step ends.
pub(crate) fn draw_latent(
    data: &Signs,
    prior: &Factored,
    start: &Array1<f64>,
    [burn_in, n_samples]: [usize; 2],
    seed: u64,
    run: &Run,
) -> Result<Array2<f64>> {
    let mut generator = generator(seed, 0);
    let mut latent = start.clone();
    let mut density = data.log_likelihood(&latent);
    let mut draws = Array2::zeros((latent.len(), n_samples));
    for step in 0..burn_in + n_samples {
        run.check()?;
        let other = from_prior(&prior.factor, &mut generator);
        let level = density + generator.random::<f64>().max(f64::MIN_POSITIVE).ln();
        let mut angle = TAU * generator.random::<f64>();
        let mut bracket = [angle - TAU, angle];
        loop {
            let proposal = &latent * angle.cos() + &other * angle.sin();
            let proposed = data.log_likelihood(&proposal);
            // The bracket closes on the present point, where the likelihood is above the level.
            if proposed > level || bracket[1] - bracket[0] < 1e-14 {
                (latent, density) = (proposal, proposed);
                break;
            }
            bracket[usize::from(angle > 0.0)] = angle;
            angle = bracket[0] + (bracket[1] - bracket[0]) * generator.random::<f64>();
        }
        if step >= burn_in {
            draws.column_mut(step - burn_in).assign(&latent);
        }
    }
    Ok(draws)
}

fn from_prior(factor: &Cholesky, generator: &mut Generator) -> Array1<f64> {
    let standard: Array1<f64> = (0..factor.dimension())
        .map(|_| StandardNormal.sample(generator))
        .collect();
    factor.lower().dot(&standard)
}
