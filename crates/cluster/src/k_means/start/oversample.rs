//! k-means‖: many candidates in a few rounds, then the best of them.

use super::{distances_to, first_left, pick, plus_plus};
use didact_core::random::Generator;
use didact_core::{Result, Rows, Run};
use rand::RngExt;

/// After so many rounds more candidates hardly help.
const ROUNDS: usize = 5;

/// Candidates of a round by the number of clusters.
const OVERSAMPLING: f64 = 2.0;

/// In each round every row becomes a candidate with probability ℓ·w·d²/Σ w·d², where d is its
/// distance to the nearest candidate so far and ℓ = 2k. The candidates, each with the weight of the
/// rows nearest to it, are then thinned out by k-means++.
pub(super) fn oversampled(
    rows: Rows<'_>,
    weights: &[f64],
    n_clusters: usize,
    generator: &mut Generator,
    run: &Run,
) -> Result<Vec<usize>> {
    let n = rows.n_rows();
    let mut candidates = Candidates::new(rows, weights, generator, run)?;
    for _ in 0..ROUNDS {
        let total = candidates.potential(weights);
        if total <= 0.0 {
            break;
        }
        let factor = OVERSAMPLING * n_clusters as f64 / total;
        let drawn: Vec<usize> = (0..n)
            .filter(|&row| {
                let probability = factor * weights[row] * candidates.distances[row];
                generator.random::<f64>() < probability
            })
            .collect();
        for row in drawn {
            candidates.add(rows, row, run)?;
        }
    }
    // Distances too small to square, or too few draws: any rows that are left will do.
    while candidates.chosen.len() < n_clusters {
        let row = first_left(&candidates.chosen, n);
        candidates.add(rows, row, run)?;
    }
    let masses = candidates.masses(weights);
    let thinned = rows.select(&candidates.chosen);
    let kept = plus_plus(thinned.view(), &masses, n_clusters, generator, run)?;
    Ok(kept
        .into_iter()
        .map(|kept| candidates.chosen[kept])
        .collect())
}

/// Rows that were drawn, and for each row which of them is nearest.
struct Candidates {
    chosen: Vec<usize>,
    distances: Vec<f64>,
    owners: Vec<usize>,
}

impl Candidates {
    fn new(rows: Rows<'_>, weights: &[f64], generator: &mut Generator, run: &Run) -> Result<Self> {
        let first = pick(weights, weights.iter().sum(), generator);
        Ok(Candidates {
            chosen: vec![first],
            distances: distances_to(rows, first, None, run)?,
            owners: vec![0; rows.n_rows()],
        })
    }

    fn add(&mut self, rows: Rows<'_>, row: usize, run: &Run) -> Result<()> {
        let distances = distances_to(rows, row, Some(&self.distances), run)?;
        for (other, owner) in self.owners.iter_mut().enumerate() {
            if distances[other] < self.distances[other] || other == row {
                *owner = self.chosen.len();
            }
        }
        self.distances = distances;
        self.chosen.push(row);
        Ok(())
    }

    /// Σ w·d².
    fn potential(&self, weights: &[f64]) -> f64 {
        let pairs = self.distances.iter().zip(weights);
        pairs.map(|(distance, weight)| distance * weight).sum()
    }

    /// The weight of the rows nearest to each candidate.
    fn masses(&self, weights: &[f64]) -> Vec<f64> {
        let mut masses = vec![0.0; self.chosen.len()];
        for (&owner, weight) in self.owners.iter().zip(weights) {
            masses[owner] += weight;
        }
        masses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::random::generator;
    use ndarray::Array2;

    #[test]
    fn candidates_own_all_rows_and_are_drawn_once() {
        let x = Array2::from_shape_fn((300, 2), |(row, column)| {
            ((row * 31 + column * 17) as f64 * 0.7).sin() + (row % 6) as f64 * 10.0
        });
        let rows = Rows::Dense(x.view());
        let weights = vec![2.0; 300];
        for seed in 0..10 {
            let mut generator = generator(seed, 0);
            let chosen = oversampled(rows, &weights, 6, &mut generator, &Run::new()).unwrap();
            let mut groups: Vec<usize> = chosen.iter().map(|row| row % 6).collect();
            groups.sort_unstable();
            assert_eq!(groups, [0, 1, 2, 3, 4, 5]);
            let mut candidates =
                Candidates::new(rows, &weights, &mut generator, &Run::new()).unwrap();
            for row in [5, 17, 200] {
                candidates.add(rows, row, &Run::new()).unwrap();
            }
            assert_eq!(candidates.masses(&weights).iter().sum::<f64>(), 600.0);
            assert!(candidates.masses(&weights).iter().all(|&mass| mass >= 2.0));
        }
    }
}
