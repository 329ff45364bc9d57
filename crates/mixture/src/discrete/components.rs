//! What a mixture of counts is, and what a pass over the rows finds out.

use super::DiscreteLaw;
use didact_core::{Result, Run, Samples, parallel};
use didact_math::numeric::log_sum_exp;
use didact_probability::special::log_gamma_one_plus;
use ndarray::{Array1, Array2, ArrayView1};
use serde::{Deserialize, Serialize};

/// Weights and parameters, and the scores that are linear in the counts: all three laws are
/// p(x; θ) = h(x)·exp(offset + Σⱼ xⱼ·wⱼ).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Components {
    pub(super) law: DiscreteLaw,
    pub(super) weights: Vec<f64>,
    /// Means, probabilities or shares, a row per component.
    pub(super) parameters: Array2<f64>,
    /// wⱼ; minus infinity for a count that a component never has.
    factors: Array2<f64>,
    offsets: Vec<f64>,
}

impl Components {
    /// Puts parameters together; those of the multinomial law are scaled to sum to one.
    pub(super) fn new(law: DiscreteLaw, weights: Vec<f64>, mut parameters: Array2<f64>) -> Self {
        match law {
            DiscreteLaw::Poisson => {}
            DiscreteLaw::Bernoulli => parameters.mapv_inplace(|share| share.clamp(0.0, 1.0)),
            DiscreteLaw::Multinomial => {
                for mut shares in parameters.rows_mut() {
                    let total = shares.sum();
                    if total > 0.0 {
                        shares /= total;
                    }
                }
            }
        }
        let factors = match law {
            DiscreteLaw::Bernoulli => parameters.mapv(|share| share.ln() - (-share).ln_1p()),
            _ => parameters.mapv(f64::ln),
        };
        let offset = |row: ArrayView1<'_, f64>| match law {
            DiscreteLaw::Poisson => -row.sum(),
            // A column that is always on says so by its factor alone.
            DiscreteLaw::Bernoulli => row
                .iter()
                .filter(|share| **share < 1.0)
                .map(|share| (-share).ln_1p())
                .sum(),
            DiscreteLaw::Multinomial => 0.0,
        };
        let offsets = parameters.rows().into_iter().map(offset).collect();
        Components {
            law,
            weights,
            parameters,
            factors,
            offsets,
        }
    }

    pub(super) fn n_components(&self) -> usize {
        self.weights.len()
    }

    /// offset + Σⱼ xⱼ·wⱼ, where counts of zero are passed over: 0·(−∞) would be NaN.
    fn log_kernel(&self, component: usize, x: ArrayView1<'_, f64>) -> f64 {
        let factors = self.factors.row(component);
        let always = self.law == DiscreteLaw::Bernoulli;
        let mut sum = self.offsets[component];
        for (&count, &factor) in x.iter().zip(factors) {
            match (count == 0.0, factor == f64::INFINITY) {
                // Always on: a row that is off cannot be, one that is on is no surprise.
                (true, true) if always => return f64::NEG_INFINITY,
                (_, true) | (true, _) => {}
                (false, false) => sum += count * factor,
            }
        }
        sum
    }

    /// The kernels of one row in all components, added up; for the pretended rows.
    pub(super) fn log_kernel_of_all(&self, x: &Array1<f64>) -> f64 {
        let one = |component: usize| {
            let factors = self.factors.row(component);
            let pairs = x.iter().zip(factors);
            // Where a column never varies every component knows it exactly.
            let finite = pairs.filter(|(_, factor)| factor.is_finite());
            self.offsets[component] + finite.map(|(x, factor)| x * factor).sum::<f64>()
        };
        (0..self.n_components()).map(one).sum()
    }

    /// ln h(x), the part of the density that no component changes.
    fn log_base(&self, x: ArrayView1<'_, f64>) -> f64 {
        let factorials = || {
            x.iter()
                .map(|&count| log_gamma_one_plus(count))
                .sum::<f64>()
        };
        match self.law {
            DiscreteLaw::Poisson => -factorials(),
            DiscreteLaw::Bernoulli => 0.0,
            DiscreteLaw::Multinomial => log_gamma_one_plus(x.sum()) - factorials(),
        }
    }

    /// ln πₖ p(x; θₖ) for every component.
    pub(super) fn joint_log_densities(&self, x: ArrayView1<'_, f64>, output: &mut [f64]) {
        let base = self.log_base(x);
        for (component, output) in output.iter_mut().enumerate() {
            *output = self.weights[component].ln() + self.log_kernel(component, x) + base;
        }
    }

    /// Whether the parts belong together, which those of a damaged file may not.
    pub(super) fn is_consistent(&self) -> bool {
        let (k, d) = self.parameters.dim();
        let share = |value: &f64| (0.0..=1.0 + 1e-9).contains(value);
        k > 0
            && d > 0
            && self.weights.len() == k
            && self.weights.iter().all(share)
            && self.factors.dim() == (k, d)
            && self.offsets.len() == k
            && self
                .parameters
                .iter()
                .all(|value| *value >= 0.0 && value.is_finite())
            && self.factors.iter().all(|factor| !factor.is_nan())
            && self.offsets.iter().all(|offset| *offset <= 0.0)
            && (self.law == DiscreteLaw::Poisson || self.parameters.iter().all(share))
    }
}

/// What a pass over the rows finds out.
pub(super) struct Totals {
    pub(super) weight: f64,
    pub(super) log_likelihood: f64,
    /// Nₖ, the weight of the rows that answer to each component.
    pub(super) shares: Array1<f64>,
    /// Σᵢ rᵢₖ·xᵢ, a row per component.
    pub(super) sums: Array2<f64>,
}

impl Totals {
    pub(super) fn of(components: &Components, data: &Samples<'_>, run: &Run) -> Result<Totals> {
        let rows = data.dense()?;
        let (k, d) = components.parameters.dim();
        let empty = || Totals {
            weight: 0.0,
            log_likelihood: 0.0,
            shares: Array1::zeros(k),
            sums: Array2::zeros((k, d)),
        };
        let chunk = ((1 << 17) / (k * d)).clamp(32, 512);
        let totals = parallel::reduce(
            rows.nrows(),
            chunk,
            run,
            &|range| {
                let mut totals = empty();
                let mut scores = vec![0.0; k];
                for row in range.filter(|&row| data.weight(row) > 0.0) {
                    components.joint_log_densities(rows.row(row), &mut scores);
                    totals.add(rows.row(row), data.weight(row), &scores);
                }
                Ok(totals)
            },
            &Totals::join,
        )?;
        Ok(totals.unwrap_or_else(empty))
    }

    fn add(&mut self, x: ArrayView1<'_, f64>, weight: f64, scores: &[f64]) {
        let total = log_sum_exp(scores);
        self.weight += weight;
        self.log_likelihood += weight * total;
        for (component, score) in scores.iter().enumerate() {
            let responsibility = weight * (score - total).exp();
            if responsibility > 0.0 {
                self.shares[component] += responsibility;
                self.sums.row_mut(component).scaled_add(responsibility, &x);
            }
        }
    }

    fn join(mut self, other: Totals) -> Totals {
        self.weight += other.weight;
        self.log_likelihood += other.log_likelihood;
        self.shares += &other.shares;
        self.sums += &other.sums;
        self
    }
}
