//! How distances become shares.

use serde::{Deserialize, Serialize};

/// How the shares of a row follow from its squared distances to the centres.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Rule {
    /// rₖ ∝ exp(−β·dₖ) with d = factor·(squared distance)^power.
    Soft { beta: f64, factor: f64, power: f64 },
    /// uₖ ∝ dₖ^(−2/(m−1)).
    Fuzzy { m: f64 },
    /// The pull of a centre on a row in k-harmonic means.
    Harmonic { p: f64 },
}

impl Rule {
    /// Replaces squared distances by how strongly the row pulls each centre; gives what the row
    /// adds to the objective.
    pub(super) fn pulls(&self, squared: &mut [f64]) -> f64 {
        match *self {
            Rule::Soft { beta, .. } => {
                let least = self.memberships(squared);
                // −1/β·ln Σexp(−βd), where the membership of the nearest tells the sum.
                let nearest = squared.iter().copied().fold(0.0, f64::max);
                least + nearest.ln() / beta
            }
            Rule::Fuzzy { m } => {
                // With uₖ = dₖ^(−2/(m−1))/S the cost Σuₖᵐdₖ² is S^(1−m), and in units of the
                // nearest distance nothing overflows.
                let least = least_of(squared);
                let sum = relative(squared, least, 1.0 / (m - 1.0));
                for share in squared.iter_mut() {
                    *share = (*share / sum).powf(m);
                }
                least * sum.powf(1.0 - m)
            }
            Rule::Harmonic { p } => {
                // dₖ^(−p−2)/(Σdⱼ^(−p))² in units of the nearest distance.
                let least = least_of(squared);
                let count = squared.len() as f64;
                let sum: f64 = squared.iter().map(|&d| ratio(least, d).powf(p / 2.0)).sum();
                let scale = least.powf(p / 2.0 - 1.0) / (sum * sum);
                for value in squared.iter_mut() {
                    *value = ratio(least, *value).powf(p / 2.0 + 1.0) * scale;
                }
                count * least.powf(p / 2.0) / sum
            }
        }
    }

    /// Replaces squared distances by shares that sum to one; gives the least distance, in the
    /// measure of the rule.
    pub(super) fn memberships(&self, squared: &mut [f64]) -> f64 {
        let least = least_of(squared);
        match *self {
            Rule::Soft {
                beta,
                factor,
                power,
            } => {
                let distance = |squared: f64| factor * squared.powf(power);
                let least = distance(least);
                let mut sum = 0.0;
                for value in squared.iter_mut() {
                    *value = (-beta * (distance(*value) - least)).exp();
                    sum += *value;
                }
                squared.iter_mut().for_each(|share| *share /= sum);
                least
            }
            Rule::Fuzzy { m } => {
                let sum = relative(squared, least, 1.0 / (m - 1.0));
                squared.iter_mut().for_each(|share| *share /= sum);
                least
            }
            Rule::Harmonic { p } => {
                let sum = relative(squared, least, p / 2.0 + 1.0);
                squared.iter_mut().for_each(|share| *share /= sum);
                least
            }
        }
    }
}

fn least_of(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// least/value, one where both are zero.
fn ratio(least: f64, value: f64) -> f64 {
    match value == least {
        true => 1.0,
        false => least / value,
    }
}

/// Replaces each value by (least/value)^power and gives the sum.
fn relative(values: &mut [f64], least: f64, power: f64) -> f64 {
    let mut sum = 0.0;
    for value in values {
        *value = ratio(least, *value).powf(power);
        sum += *value;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pulls_and_costs_are_those_of_the_formulas() {
        let squared = [1.0_f64, 4.0, 9.0];
        let beta = 0.7;
        let mut shares = squared;
        let cost = Rule::Soft {
            beta,
            factor: 0.5,
            power: 1.0,
        }
        .pulls(&mut shares);
        let sum: f64 = squared.iter().map(|d| (-beta * d / 2.0).exp()).sum();
        assert!((cost + sum.ln() / beta).abs() < 1e-14);
        assert!((shares[1] - (-2.0 * beta).exp() / sum).abs() < 1e-14);
        let mut shares = squared;
        let cost = Rule::Fuzzy { m: 1.5 }.pulls(&mut shares);
        // uₖ = 1/Σⱼ(dₖ²/dⱼ²)^(1/(m−1)), cost Σuᵐd².
        let u = |k: usize| {
            1.0 / squared
                .iter()
                .map(|d| (squared[k] / d).powi(2))
                .sum::<f64>()
        };
        let direct: f64 = (0..3).map(|k| u(k).powf(1.5) * squared[k]).sum();
        assert!((cost - direct).abs() < 1e-14 && (shares[2] - u(2).powf(1.5)).abs() < 1e-14);
        let mut pulls = squared;
        let cost = Rule::Harmonic { p: 3.0 }.pulls(&mut pulls);
        let sum: f64 = squared.iter().map(|d| d.powf(-1.5)).sum();
        assert!((cost - 3.0 / sum).abs() < 1e-14);
        assert!((pulls[1] - 4.0_f64.powf(-2.5) / (sum * sum)).abs() < 1e-14);
    }

    #[test]
    fn a_row_on_a_centre_belongs_to_it() {
        for rule in [Rule::Fuzzy { m: 2.0 }, Rule::Harmonic { p: 3.5 }] {
            let mut shares = [0.0, 4.0];
            rule.memberships(&mut shares);
            assert_eq!(shares, [1.0, 0.0]);
            let mut pulls = [0.0, 4.0];
            assert_eq!(rule.pulls(&mut pulls), 0.0);
            assert!(pulls.iter().all(|pull| pull.is_finite()));
        }
    }
}
