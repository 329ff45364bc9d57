//! The belief about the weights of the components.

use didact_probability::special::{digamma, log_beta, log_beta_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The prior of the weights of a variational mixture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WeightPrior {
    /// A Dirichlet process, cut off at the number of components: each breaks its share from what
    /// those before it have left of a stick.
    #[default]
    DirichletProcess,
    /// A Dirichlet law with the same concentration for every component.
    DirichletDistribution,
}

/// The posterior of the weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Sticks {
    /// Beta(aₖ, bₖ) of each stick.
    Process(Vec<(f64, f64)>),
    /// The concentration of each component.
    Dirichlet(Vec<f64>),
}

impl Sticks {
    /// After Nₖ rows each: aₖ = 1 + Nₖ and bₖ = γ + Σ_{j>k} Nⱼ, or γ + Nₖ.
    pub(super) fn new(kind: WeightPrior, concentration: f64, counts: &[f64]) -> Self {
        match kind {
            WeightPrior::DirichletDistribution => {
                Sticks::Dirichlet(counts.iter().map(|count| concentration + count).collect())
            }
            WeightPrior::DirichletProcess => {
                let mut after = 0.0;
                let mut sticks: Vec<(f64, f64)> = counts
                    .iter()
                    .rev()
                    .map(|count| {
                        let stick = (1.0 + count, concentration + after);
                        after += count;
                        stick
                    })
                    .collect();
                sticks.reverse();
                Sticks::Process(sticks)
            }
        }
    }

    /// E ln πₖ.
    pub(super) fn expected_logs(&self) -> Vec<f64> {
        match self {
            Sticks::Dirichlet(concentrations) => {
                let total = digamma(concentrations.iter().sum());
                let each = concentrations.iter();
                each.map(|&concentration| digamma(concentration) - total)
                    .collect()
            }
            Sticks::Process(sticks) => {
                let mut left = 0.0;
                let each = sticks.iter().map(|&(a, b)| {
                    let total = digamma(a + b);
                    let log = digamma(a) - total + left;
                    left += digamma(b) - total;
                    log
                });
                each.collect()
            }
        }
    }

    /// E πₖ, scaled to sum to one where the stick is cut off.
    pub(super) fn weights(&self) -> Vec<f64> {
        let mut weights: Vec<f64> = match self {
            Sticks::Dirichlet(concentrations) => concentrations.clone(),
            Sticks::Process(sticks) => {
                let mut left = 1.0;
                let each = sticks.iter().map(|&(a, b)| {
                    let weight = a / (a + b) * left;
                    left *= b / (a + b);
                    weight
                });
                each.collect()
            }
        };
        let total: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= total);
        weights
    }

    /// Their part of the lower bound, the logarithm of the posterior's normaliser.
    pub(super) fn bound(&self) -> f64 {
        match self {
            Sticks::Dirichlet(concentrations) => log_beta_of(concentrations.iter().copied()),
            Sticks::Process(sticks) => sticks.iter().map(|&(a, b)| log_beta(a, b)).sum(),
        }
    }

    /// Whether there is a legal law for each component, which a damaged file may not have.
    pub(super) fn is_consistent(&self, n_components: usize) -> bool {
        let legal = |value: f64| value > 0.0 && value.is_finite();
        match self {
            Sticks::Dirichlet(list) => {
                list.len() == n_components && list.iter().all(|&value| legal(value))
            }
            Sticks::Process(list) => {
                list.len() == n_components && list.iter().all(|&(a, b)| legal(a) && legal(b))
            }
        }
    }
}
