//! The first medoids.

use super::{KMedoids, KMedoidsInit};
use didact_core::random::Generator;
use didact_core::{Result, Run};
use didact_math::numeric::argmin;
use ndarray::Array2;
use rand::RngExt;

/// Chooses the first medoids; all different.
pub(super) fn choose(
    parameters: &KMedoids,
    distances: &Array2<f64>,
    weights: &[f64],
    generator: &mut Generator,
    run: &Run,
) -> Result<Vec<usize>> {
    let n = weights.len();
    let mut nearest = vec![f64::INFINITY; n];
    let mut medoids: Vec<usize> = Vec::with_capacity(parameters.n_clusters);
    while medoids.len() < parameters.n_clusters {
        run.check()?;
        let is_left = |row: &usize| !medoids.contains(row);
        let next = match parameters.init {
            KMedoidsInit::Random => None,
            KMedoidsInit::PlusPlus => {
                let mass = |row: usize| match medoids.is_empty() {
                    true => weights[row],
                    false => weights[row] * nearest[row],
                };
                drawn((0..n).map(mass), generator)
            }
            KMedoidsInit::Build => {
                let cost = |candidate: usize| -> f64 {
                    let row = distances.row(candidate);
                    let terms = row.iter().zip(&nearest).zip(weights);
                    terms.map(|((d, near), weight)| weight * d.min(*near)).sum()
                };
                argmin((0..n).map(|row| match is_left(&row) {
                    true => cost(row),
                    false => f64::INFINITY,
                }))
            }
        };
        // Random choice, or nothing but copies of medoids left: any other row.
        let next = next.filter(is_left).unwrap_or_else(|| {
            let left: Vec<usize> = (0..n).filter(is_left).collect();
            left[generator.random_range(0..left.len())]
        });
        for (near, &distance) in nearest.iter_mut().zip(distances.row(next)) {
            *near = near.min(distance);
        }
        medoids.push(next);
    }
    Ok(medoids)
}

fn drawn(masses: impl Iterator<Item = f64> + Clone, generator: &mut Generator) -> Option<usize> {
    let total: f64 = masses.clone().sum();
    let mut left = generator.random::<f64>() * total;
    masses.enumerate().find_map(|(row, mass)| {
        left -= mass;
        (left < 0.0).then_some(row)
    })
}
