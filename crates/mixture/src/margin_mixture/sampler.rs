//! Sweeps over the rows: draw a cluster, then teach the vectors.

use super::directions::Basis;
use super::model::Sample;
use super::{MarginDirichletMixture, MarginUpdate};
use crate::ChineseRestaurant;
use didact_core::random::Generator;
use didact_core::{Error, Result, Run};
use didact_math::numeric::{argmax, dot, log_softmax_in_place};
use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

/// The deviation of the values of the first vectors.
const START_SPREAD: f64 = 0.1;

/// Rows, the clusters they sit in, and the vector of each cluster.
pub(super) struct Sampler<'a> {
    parameters: &'a MarginDirichletMixture,
    rows: ArrayView2<'a, f64>,
    labels: Vec<usize>,
    pub(super) sizes: Vec<usize>,
    vectors: Vec<Vec<f64>>,
    /// The basis of the vectors, as long as none of them has moved: once the clusters have formed,
    /// few rows move any, and a row costs O(K·d) instead of O(K²·d).
    basis: Option<Basis>,
    pub(super) concentration: f64,
}

impl<'a> Sampler<'a> {
    /// Rows spread at random over the first clusters, none of which is empty.
    pub(super) fn new(
        parameters: &'a MarginDirichletMixture,
        rows: ArrayView2<'a, f64>,
        random: &mut Generator,
    ) -> Self {
        let (n, d) = rows.dim();
        let mut sampler = Sampler {
            parameters,
            rows,
            labels: Vec::with_capacity(n),
            sizes: Vec::new(),
            vectors: Vec::new(),
            basis: None,
            concentration: parameters.weight_concentration_prior,
        };
        let mut names: Vec<Option<usize>> = vec![None; parameters.n_start.min(n)];
        for _ in 0..n {
            let draw = random.random_range(0..names.len());
            let label = *names[draw].get_or_insert_with(|| {
                sampler.sizes.push(0);
                sampler.sizes.len() - 1
            });
            sampler.sizes[label] += 1;
            sampler.labels.push(label);
        }
        for _ in 0..sampler.sizes.len() {
            let noise = (0..d).map(|_| {
                let normal: f64 = StandardNormal.sample(random);
                START_SPREAD * normal
            });
            let vector = noise.collect();
            sampler.vectors.push(vector);
        }
        sampler
    }

    fn row(&self, row: usize) -> &'a [f64] {
        let rows = self.rows.to_slice().expect("rows are contiguous");
        &rows[row * self.rows.ncols()..(row + 1) * self.rows.ncols()]
    }

    /// Visits all rows in a random order.
    pub(super) fn sweep(&mut self, random: &mut Generator, run: &Run) -> Result<()> {
        let n = self.labels.len();
        let mut order: Vec<usize> = (0..n).collect();
        for place in (1..n).rev() {
            order.swap(place, random.random_range(0..=place));
        }
        for row in order {
            run.check()?;
            self.remove(row);
            let label = self.draw(row, random)?;
            self.labels[row] = label;
            self.sizes[label] += 1;
            self.teach(row, label);
        }
        Ok(())
    }

    /// Takes a row out of its cluster, and the cluster away if it is empty then.
    fn remove(&mut self, row: usize) {
        let label = self.labels[row];
        self.sizes[label] -= 1;
        if self.sizes[label] > 0 {
            return;
        }
        self.sizes.swap_remove(label);
        self.vectors.swap_remove(label);
        self.basis = None;
        let moved = self.sizes.len();
        for other in &mut self.labels {
            if *other == moved {
                *other = label;
            }
        }
    }

    /// A cluster for a row that has none; a new one where the candidate is drawn.
    fn draw(&mut self, row: usize, random: &mut Generator) -> Result<usize> {
        let x = self.row(row);
        let noise: Vec<f64> = (0..x.len())
            .map(|_| StandardNormal.sample(random))
            .collect();
        let known = self.vectors.iter().map(Vec::as_slice);
        let basis = self.basis.get_or_insert_with(|| Basis::of(known));
        let candidate = basis.orthogonal_direction(&noise);
        let vectors = self.vectors.iter().chain([&candidate]).map(Vec::as_slice);
        let sizes = self.sizes.iter().map(|&size| size as f64);
        let masses = sizes.chain([self.concentration]);
        let probabilities =
            seats(x, vectors, masses, self.parameters.norm_penalty).ok_or_else(too_large)?;
        let mut left = random.random::<f64>();
        let label = probabilities.iter().position(|probability| {
            left -= probability;
            left < 0.0
        });
        // Rounding may leave a rest; it belongs to the last that has any probability.
        let last = probabilities
            .iter()
            .rposition(|&probability| probability > 0.0);
        let label = label.or(last).expect("probabilities sum to one");
        if label == self.sizes.len() {
            self.sizes.push(0);
            basis.extend(&candidate);
            self.vectors.push(candidate);
        }
        Ok(label)
    }

    /// One passive-aggressive step with the drawn cluster as the truth.
    fn teach(&mut self, row: usize, label: usize) {
        let x = self.row(row);
        if step(x, label, &mut self.vectors, self.parameters) {
            self.basis = None;
        }
    }

    /// ln p(partition) + Σᵢ(xᵢ·θ − λ‖θ‖²).
    pub(super) fn log_score(&self) -> Result<f64> {
        let restaurant = ChineseRestaurant::new(self.concentration)?;
        let fits = self.labels.iter().enumerate().map(|(row, &label)| {
            score(
                self.row(row),
                &self.vectors[label],
                self.parameters.norm_penalty,
            )
        });
        Ok(restaurant.log_probability(&self.sizes)? + fits.sum::<f64>())
    }

    /// The present state, with clusters in the order of their first rows.
    pub(super) fn sample(&self) -> Sample {
        let mut order: Vec<usize> = Vec::new();
        let labels = self.labels.iter().map(|label| {
            order
                .iter()
                .position(|known| known == label)
                .unwrap_or_else(|| {
                    order.push(*label);
                    order.len() - 1
                })
        });
        let labels = labels.collect();
        let shape = (order.len(), self.rows.ncols());
        Sample {
            labels,
            vectors: Array2::from_shape_fn(shape, |(k, column)| self.vectors[order[k]][column]),
            concentration: self.concentration,
        }
    }
}

fn too_large() -> Error {
    Error::numerical("the scores of a row are too large for numbers; standardise the columns")
}

/// x·θ − λ‖θ‖².
fn score(x: &[f64], vector: &[f64], penalty: f64) -> f64 {
    dot(x, vector) - penalty * dot(vector, vector)
}

/// The probability of each cluster: its mass, n_k or α, times exp(x·θ − λ‖θ‖²).
fn seats<'a>(
    x: &[f64],
    vectors: impl Iterator<Item = &'a [f64]>,
    masses: impl Iterator<Item = f64>,
    penalty: f64,
) -> Option<Vec<f64>> {
    let mut logs: Vec<f64> = vectors
        .zip(masses)
        .map(|(vector, mass)| mass.ln() + score(x, vector, penalty))
        .collect();
    if logs.iter().any(|log| !log.is_finite()) {
        return None;
    }
    log_softmax_in_place(&mut logs);
    Some(logs.into_iter().map(f64::exp).collect())
}

/// Moves the vectors along x, away from the rival and towards the truth; says whether any moved.
fn step(
    x: &[f64],
    truth: usize,
    vectors: &mut [Vec<f64>],
    parameters: &MarginDirichletMixture,
) -> bool {
    let square = dot(x, x);
    let scores: Vec<f64> = vectors.iter().map(|vector| dot(vector, x)).collect();
    let (rival, denominator) = match parameters.update {
        MarginUpdate::Decisive => (argmax(scores.iter().copied()), square),
        MarginUpdate::Exact => {
            let others = scores.iter().enumerate().map(|(cluster, &score)| {
                if cluster == truth {
                    f64::NEG_INFINITY
                } else {
                    score
                }
            });
            (argmax(others), 2.0 * square)
        }
    };
    let Some(rival) = rival.filter(|&rival| rival != truth) else {
        return false;
    };
    let loss = 1.0 - (scores[truth] - scores[rival]);
    if square == 0.0 || loss <= 0.0 {
        return false;
    }
    let length = (loss / denominator).min(parameters.c);
    for (value, x) in vectors[truth].iter_mut().zip(x) {
        *value += length * x;
    }
    for (value, x) in vectors[rival].iter_mut().zip(x) {
        *value -= length * x;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use didact_core::random::generator;
    use ndarray::Array2;

    #[test]
    fn clusters_are_drawn_with_the_computed_probabilities() {
        // 000a:UNS-32, 000a:UNS-33, 000a:fx-D17.
        let vectors: [&[f64]; 3] = [&[1.0, 0.0], &[-1.0, 0.0], &[0.0, 1.0]];
        let masses = [3.0, 2.0, 1.0];
        let found = seats(&[1.0, 0.0], vectors.into_iter(), masses.into_iter(), 0.5).unwrap();
        for (found, expected) in found.iter().zip([0.82450427, 0.074389679, 0.10110606]) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
        // With λ = ½ they are those of unit normal laws at the vectors.
        let normal =
            |vector: &[f64]| (-0.5 * ((1.0 - vector[0]).powi(2) + vector[1].powi(2))).exp();
        let weights: Vec<f64> = vectors
            .iter()
            .zip(masses)
            .map(|(v, m)| m * normal(v))
            .collect();
        for (found, weight) in found.iter().zip(&weights) {
            assert!((found - weight / weights.iter().sum::<f64>()).abs() < 1e-12);
        }
    }

    #[test]
    fn a_decisive_step_overshoots_and_an_exact_one_gives_a_margin_of_one() {
        // 000a:UNS-35, 000a:SUP-27: margin γ becomes 2 − γ by the printed step, 1 by the exact one.
        let x = [3.0, 4.0];
        let start = vec![vec![0.1, 0.0], vec![0.2, 0.1], vec![0.0, 0.0]];
        let margin = |vectors: &[Vec<f64>]| dot(&vectors[0], &x) - dot(&vectors[1], &x);
        let before = margin(&start);
        for (update, expected) in [
            (MarginUpdate::Decisive, 2.0 - before),
            (MarginUpdate::Exact, 1.0),
        ] {
            let mut vectors = start.clone();
            let parameters = MarginDirichletMixture {
                update,
                ..MarginDirichletMixture::default()
            };
            step(&x, 0, &mut vectors, &parameters);
            assert!((margin(&vectors) - expected).abs() < 1e-12);
            assert_eq!(vectors[2], start[2]);
        }
        // The cap holds the step, a row at the mean has no direction, and a winner is left alone.
        let parameters = MarginDirichletMixture {
            c: 1e-3,
            ..MarginDirichletMixture::default()
        };
        let mut vectors = start.clone();
        step(&x, 0, &mut vectors, &parameters);
        assert!((vectors[0][0] - 0.103).abs() < 1e-12);
        let mut vectors = start.clone();
        step(&[0.0, 0.0], 0, &mut vectors, &parameters);
        step(&x, 1, &mut vectors, &parameters);
        assert_eq!(vectors, start);
    }

    #[test]
    fn every_row_sits_somewhere_and_no_cluster_is_empty() {
        // 000a:UNS-36: Σn_k = n after every sweep, and each cluster has the rows it counts.
        let rows = Array2::from_shape_fn((30, 3), |(row, column)| {
            ((row * 7 + column * 3) as f64 * 1.3).sin() * 3.0
        });
        let parameters = MarginDirichletMixture {
            n_start: 5,
            ..MarginDirichletMixture::default()
        };
        let mut random = generator(3, 0);
        let mut sampler = Sampler::new(&parameters, rows.view(), &mut random);
        for _ in 0..40 {
            sampler.sweep(&mut random, &Run::new()).unwrap();
            let mut counted = vec![0; sampler.sizes.len()];
            sampler.labels.iter().for_each(|&label| counted[label] += 1);
            assert_eq!(counted, sampler.sizes);
            assert!(counted.iter().all(|&size| size > 0));
            assert_eq!(counted.iter().sum::<usize>(), 30);
            assert_eq!(sampler.vectors.len(), counted.len());
        }
    }
}
