//! The rule of Bayes over finitely many hypotheses and over a grid.

use crate::special::log_shares_in_place;
use didact_core::{Error, Result};
use didact_math::numeric::{argmax, log_sum_exp};

/// What is believed about each hypothesis after data.
#[derive(Clone, Debug, PartialEq)]
pub struct Posterior {
    /// ln p(hypothesis | data).
    pub log_probabilities: Vec<f64>,
    /// ln p(data).
    pub log_evidence: f64,
}

impl Posterior {
    /// p(hypothesis | data).
    pub fn probabilities(&self) -> Vec<f64> {
        self.log_probabilities.iter().map(|log| log.exp()).collect()
    }

    /// The most believed hypothesis, the lowest where several are equal.
    pub fn most_believed(&self) -> usize {
        argmax(self.log_probabilities.iter().copied()).unwrap_or(0)
    }
}

/// p(y|x) = p(y)·p(x|y)/Σ p(y′)·p(x|y′), from logarithms, so that nothing underflows.
///
/// The prior need not be normalised, and the likelihoods may be densities.
///
/// ```
/// use didact_probability::tables::bayes;
/// let posterior = bayes(&[0.01_f64.ln(), 0.99_f64.ln()], &[0.9_f64.ln(), 0.05_f64.ln()])?;
/// assert!((posterior.probabilities()[0] - 0.009 / 0.0585).abs() < 1e-14);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn bayes(log_prior: &[f64], log_likelihood: &[f64]) -> Result<Posterior> {
    if log_prior.len() != log_likelihood.len() || log_prior.is_empty() {
        return Err(Error::data(format!(
            "there are {} priors and {} likelihoods; each hypothesis needs one of both",
            log_prior.len(),
            log_likelihood.len()
        )));
    }
    let mut logs: Vec<f64> = log_prior
        .iter()
        .zip(log_likelihood)
        .map(|(a, b)| a + b)
        .collect();
    if let Some(index) = logs
        .iter()
        .position(|log| log.is_nan() || *log == f64::INFINITY)
    {
        return Err(Error::data(format!(
            "prior times likelihood of hypothesis {index} is not a finite number"
        )));
    }
    let scale = log_sum_exp(log_prior);
    let total = log_shares_in_place(&mut logs);
    match total == f64::NEG_INFINITY {
        true => Err(Error::data(
            "no hypothesis allows the data; all products of prior and likelihood are 0",
        )),
        false => Ok(Posterior {
            log_probabilities: logs,
            log_evidence: total - scale,
        }),
    }
}

/// The posterior density of a parameter on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct GridPosterior {
    /// The density at each point; by the trapezoidal rule it integrates to one.
    pub density: Vec<f64>,
    /// ln ∫ prior·likelihood, ln p(data) where the prior is normalised.
    pub log_evidence: f64,
    /// The point of highest density.
    pub most_believed: f64,
}

/// P(θ|D) = P(D|θ)·P(θ)/P(D) on the points of a rising grid.
///
/// ```
/// use didact_probability::tables::posterior_on_grid;
/// let grid: Vec<f64> = (0..=1000).map(|i| f64::from(i) / 1000.0).collect();
/// // Seven heads and three tails under a flat prior.
/// let found = posterior_on_grid(&grid, |_| 0.0, |t| 7.0 * t.ln() + 3.0 * (1.0 - t).ln())?;
/// assert_eq!(found.most_believed, 0.7);
/// # Ok::<(), didact_core::Error>(())
/// ```
pub fn posterior_on_grid(
    grid: &[f64],
    log_prior: impl Fn(f64) -> f64,
    log_likelihood: impl Fn(f64) -> f64,
) -> Result<GridPosterior> {
    let rising = grid.windows(2).all(|pair| pair[0] < pair[1]);
    if grid.len() < 2 || !rising || grid.iter().any(|point| !point.is_finite()) {
        return Err(Error::parameter(
            "grid",
            format!("{} points", grid.len()),
            "it must have at least two finite points in rising order",
        ));
    }
    let logs: Vec<f64> = grid
        .iter()
        .map(|&point| log_prior(point) + log_likelihood(point))
        .collect();
    if let Some(index) = logs
        .iter()
        .position(|log| log.is_nan() || *log == f64::INFINITY)
    {
        return Err(Error::data(format!(
            "prior times likelihood is not a finite number at {}",
            grid[index]
        )));
    }
    let last = grid.len() - 1;
    // The width that each point stands for under the trapezoidal rule.
    let width = |i: usize| 0.5 * (grid[(i + 1).min(last)] - grid[i.saturating_sub(1)]);
    let weighted: Vec<f64> = logs
        .iter()
        .enumerate()
        .map(|(i, log)| log + width(i).ln())
        .collect();
    let log_evidence = log_sum_exp(&weighted);
    if log_evidence == f64::NEG_INFINITY {
        return Err(Error::data(
            "no point of the grid allows the data; prior times likelihood is 0 everywhere",
        ));
    }
    Ok(GridPosterior {
        density: logs.iter().map(|log| (log - log_evidence).exp()).collect(),
        log_evidence,
        most_believed: grid[argmax(logs.iter().copied()).unwrap_or(0)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Density;
    use crate::conjugate::{Conjugate, Trials};
    use crate::laws::Beta;
    use crate::testing::assert_relative;

    // 003:P12: likelihoods of e⁻¹⁰⁰⁰⁰ are zero as numbers and fine as logarithms.
    #[test]
    fn bayes_survives_underflow() {
        let posterior = bayes(&[0.5_f64.ln(); 2], &[-10_000.0, -10_001.0]).unwrap();
        let p = posterior.probabilities();
        assert_relative(p[0], 1.0 / (1.0 + (-1.0_f64).exp()), 1e-13);
        assert_relative(p.iter().sum::<f64>(), 1.0, 1e-14);
        assert_eq!(posterior.most_believed(), 0);
        assert!(bayes(&[0.0, 0.0], &[f64::NEG_INFINITY; 2]).is_err());
        assert!(bayes(&[0.0], &[0.0, 0.0]).is_err() && bayes(&[], &[]).is_err());
        assert!(bayes(&[f64::NAN], &[0.0]).is_err());
    }

    // 004:M15, 000b:P09: the grid agrees with the closed form.
    #[test]
    fn the_grid_posterior_is_the_conjugate_posterior() {
        let prior = Beta::new(2.0, 3.0).unwrap();
        let data = Trials::new(7.0, 3.0).unwrap();
        let grid: Vec<f64> = (0..=2000).map(|i| f64::from(i) / 2000.0).collect();
        let likelihood = |t: f64| 7.0 * t.ln() + 3.0 * (-t).ln_1p();
        let found = posterior_on_grid(&grid, |t| prior.log_density(t), likelihood).unwrap();
        let closed = prior.posterior(&data).unwrap();
        for (&point, &density) in grid.iter().zip(&found.density) {
            assert!((density - closed.density(point)).abs() < 1e-9);
        }
        let area: f64 = (1..grid.len())
            .map(|i| 0.5 * (found.density[i] + found.density[i - 1]) * (grid[i] - grid[i - 1]))
            .sum();
        assert_relative(area, 1.0, 1e-12);
        assert!((found.log_evidence - prior.log_evidence(&data).unwrap()).abs() < 1e-9);
        assert!((found.most_believed - 8.0 / 13.0).abs() <= 0.0005);
        assert!(posterior_on_grid(&[1.0, 0.0], |_| 0.0, |_| 0.0).is_err());
        assert!(posterior_on_grid(&[0.0, 1.0], |_| f64::NEG_INFINITY, |_| 0.0).is_err());
    }
}
