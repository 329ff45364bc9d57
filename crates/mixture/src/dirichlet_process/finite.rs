//! Mixtures with K components and symmetric Dirichlet weights, whose limit is the restaurant.

use super::check_concentration;
use didact_core::random::Generator;
use didact_core::{Error, Result};
use didact_probability::special::{log_gamma, log_gamma_ratio};
use rand::RngExt;
use rand_distr::{Distribution, Gamma};

/// Labels of a mixture whose K weights follow Dir(α/K, …, α/K).
///
/// With the weights integrated out, p(z_i = k | z₋ᵢ) = (n₋ᵢ,ₖ + α/K)/(n − 1 + α). As K grows the mass of
/// all empty labels together tends to α/(n − 1 + α): the Chinese restaurant.
///
/// ```
/// use didact_mixture::FiniteMixturePrior;
/// let prior = FiniteMixturePrior::new(1.0, 2)?;
/// assert!((prior.log_probability(&[0, 0])?.exp() - 0.375).abs() < 1e-12);
/// assert!((prior.log_probability(&[0, 1])?.exp() - 0.125).abs() < 1e-12);
/// # Ok::<(), didact_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiniteMixturePrior {
    concentration: f64,
    n_components: usize,
}

/// Labelled rows drawn from a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedMixture<P, X> {
    /// The weights of the components.
    pub weights: Vec<f64>,
    /// The parameters of the components.
    pub parameters: Vec<P>,
    /// The component of each draw.
    pub labels: Vec<usize>,
    /// The draws.
    pub draws: Vec<X>,
}

impl FiniteMixturePrior {
    /// K components with total concentration α.
    pub fn new(concentration: f64, n_components: usize) -> Result<Self> {
        check_concentration(concentration)?;
        match n_components {
            0 => Err(Error::parameter("n_components", 0, "it must be at least 1")),
            _ => Ok(FiniteMixturePrior {
                concentration,
                n_components,
            }),
        }
    }

    fn share(&self) -> f64 {
        self.concentration / self.n_components as f64
    }

    /// The probability of each label for the next row, given how many rows have each already.
    pub fn conditional(&self, counts: &[usize]) -> Result<Vec<f64>> {
        if counts.len() != self.n_components {
            return Err(Error::parameter(
                "counts",
                format!("a list of {}", counts.len()),
                format!(
                    "give one count for each of the {} labels",
                    self.n_components
                ),
            ));
        }
        let total = counts.iter().sum::<usize>() as f64 + self.concentration;
        let one = |&count: &usize| (count as f64 + self.share()) / total;
        Ok(counts.iter().map(one).collect())
    }

    /// The logarithm of Γ(α)·ΠΓ(n_k + α/K)/(Γ(n + α)·Γ(α/K)^K), the probability of these labels.
    pub fn log_probability(&self, labels: &[usize]) -> Result<f64> {
        let mut counts = vec![0_usize; self.n_components];
        for &label in labels {
            let Some(count) = counts.get_mut(label) else {
                return Err(Error::parameter(
                    "labels",
                    label,
                    format!("labels go from 0 to {}", self.n_components - 1),
                ));
            };
            *count += 1;
        }
        let share = self.share();
        let occupied = counts.iter().filter(|&&count| count > 0);
        let blocks: f64 = occupied
            .map(|&count| log_gamma_ratio(share, count as f64))
            .sum();
        Ok(blocks - log_gamma_ratio(self.concentration, labels.len() as f64))
    }

    /// The probability of the partition that the labels make, whatever the labels are called.
    pub fn log_partition_probability(&self, sizes: &[usize]) -> Result<f64> {
        if sizes.len() > self.n_components {
            return Ok(f64::NEG_INFINITY);
        }
        let labels: Vec<usize> = sizes
            .iter()
            .enumerate()
            .flat_map(|(label, &size)| std::iter::repeat_n(label, size))
            .collect();
        // K·(K − 1)⋯ ways to name the blocks.
        let k = self.n_components as f64;
        let names = log_gamma(k + 1.0) - log_gamma(k - sizes.len() as f64 + 1.0);
        Ok(self.log_probability(&labels)? + names)
    }

    /// Draws π ~ Dir(α/K, …), a parameter θ_k from `base` for each component, then labels and rows.
    pub fn simulate<P, X>(
        &self,
        draws: usize,
        generator: &mut Generator,
        mut base: impl FnMut(&mut Generator) -> P,
        mut emit: impl FnMut(&P, &mut Generator) -> X,
    ) -> Result<SimulatedMixture<P, X>> {
        let weights = self.draw_weights(generator)?;
        let parameters: Vec<P> = weights.iter().map(|_| base(generator)).collect();
        let mut cumulated = 0.0;
        let bounds: Vec<f64> = weights
            .iter()
            .map(|weight| {
                cumulated += weight;
                cumulated
            })
            .collect();
        let labels: Vec<usize> = (0..draws)
            .map(|_| {
                let place = generator.random::<f64>() * cumulated;
                let label = bounds.partition_point(|&bound| bound <= place);
                label.min(self.n_components - 1)
            })
            .collect();
        let rows = labels
            .iter()
            .map(|&label| emit(&parameters[label], generator));
        Ok(SimulatedMixture {
            draws: rows.collect(),
            weights,
            parameters,
            labels,
        })
    }

    /// Weights from Dir(α/K, …, α/K), by gamma draws in logarithms: shapes near zero underflow.
    fn draw_weights(&self, generator: &mut Generator) -> Result<Vec<f64>> {
        let share = self.share();
        let gamma = Gamma::new(share + 1.0, 1.0).map_err(|error| {
            Error::parameter("concentration", self.concentration, error.to_string())
        })?;
        let logs: Vec<f64> = (0..self.n_components)
            .map(|_| {
                let boosted: f64 = gamma.sample(generator);
                // Gamma(a) = Gamma(a + 1)·U^{1/a}.
                boosted.ln() + (1.0 - generator.random::<f64>()).ln() / share
            })
            .collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sizes: Vec<f64> = logs.iter().map(|log| (log - largest).exp()).collect();
        let total: f64 = sizes.iter().sum();
        Ok(sizes.into_iter().map(|size| size / total).collect())
    }
}
