//! Likelihood against the number of parameters.

use didact_core::{Error, Result};
use ndarray::ArrayView2;
use serde::Serialize;
use std::collections::HashMap;

/// The criteria of one model; for each of them lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Criteria {
    /// −2 ln L + 2p.
    pub aic: f64,
    /// AIC + 2p(p+1)/(n−p−1); nothing where n ≤ p+1.
    pub aicc: Option<f64>,
    /// −2 ln L + p ln n.
    pub bic: f64,
}

impl Criteria {
    /// From the log-likelihood, the number of free parameters and the number of rows.
    ///
    /// ```
    /// let criteria = didact_evaluate::Criteria::new(-100.0, 3.0, 50)?;
    /// assert_eq!(criteria.aic, 206.0);
    /// assert!((criteria.bic - (200.0 + 3.0 * 50.0_f64.ln())).abs() < 1e-12);
    /// # Ok::<(), didact_core::Error>(())
    /// ```
    pub fn new(log_likelihood: f64, parameters: f64, n_rows: usize) -> Result<Self> {
        if log_likelihood.is_nan() {
            return Err(Error::numerical(
                "the log-likelihood is NaN; no criterion follows from it",
            ));
        }
        if !(parameters >= 0.0 && parameters.is_finite()) {
            return Err(Error::parameter(
                "parameters",
                parameters,
                "it must be a number of at least 0",
            ));
        }
        if n_rows == 0 {
            return Err(Error::parameter("n_rows", n_rows, "it must be at least 1"));
        }
        Ok(Criteria {
            aic: aic(log_likelihood, parameters),
            aicc: aicc(log_likelihood, parameters, n_rows),
            bic: bic(log_likelihood, parameters, n_rows),
        })
    }
}

/// −2 ln L + 2p; lower is better.
pub fn aic(log_likelihood: f64, parameters: f64) -> f64 {
    -2.0 * log_likelihood + 2.0 * parameters
}

/// [`aic`] corrected for few rows, + 2p(p+1)/(n−p−1); nothing where n ≤ p + 1.
pub fn aicc(log_likelihood: f64, parameters: f64, n_rows: usize) -> Option<f64> {
    let room = n_rows as f64 - parameters - 1.0;
    let correction = 2.0 * parameters * (parameters + 1.0) / room;
    (room > 0.0).then(|| aic(log_likelihood, parameters) + correction)
}

/// −2 ln L + p ln n; lower is better. p counts free parameters, n observations (time steps).
pub fn bic(log_likelihood: f64, parameters: f64, n_rows: usize) -> f64 {
    -2.0 * log_likelihood + parameters * (n_rows as f64).ln()
}

/// ln L − (p/2) ln n = −½·[`bic`]: larger is better; approximates the log-evidence.
pub fn bic_score(log_likelihood: f64, parameters: f64, n_rows: usize) -> f64 {
    -0.5 * bic(log_likelihood, parameters, n_rows)
}

/// Free parameters of a mixture: k means in d dimensions, k−1 weights, and the covariances, of
/// which `covariance_each` gives the number per component (1 spherical, d diagonal, d(d+1)/2 full).
pub fn mixture_parameters(components: usize, columns: usize, covariance_each: usize) -> f64 {
    (components * columns + components - 1 + components * covariance_each) as f64
}

/// Free parameters of a hidden Markov model: (N−1) initial, N(N−1) transitions, and those of the
/// emissions, not the number of states.
pub fn hmm_parameters(states: usize, emission_parameters: usize) -> f64 {
    (states.saturating_sub(1) * (states + 1) + emission_parameters) as f64
}

/// The deviance information criterion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Dic {
    /// E(D) + p_D = D(θ̄) + 2p_D; lower is better.
    pub dic: f64,
    /// E(D), the mean deviance over the posterior.
    pub mean_deviance: f64,
    /// p_D = E(D) − D(E(θ)), the effective number of parameters.
    pub effective_parameters: f64,
}

/// From the log-likelihood at each draw from the posterior and at the mean of the draws.
///
/// D(θ) = −2 ln p(X|θ).
pub fn dic(log_likelihoods: &[f64], at_mean: f64) -> Result<Dic> {
    let finite = log_likelihoods.iter().all(|value| value.is_finite()) && at_mean.is_finite();
    if log_likelihoods.is_empty() || !finite {
        return Err(Error::data(
            "DIC needs at least one draw from the posterior, each with a finite log-likelihood",
        ));
    }
    let count = log_likelihoods.len() as f64;
    let mean_deviance = -2.0 * log_likelihoods.iter().sum::<f64>() / count;
    let effective_parameters = mean_deviance + 2.0 * at_mean;
    Ok(Dic {
        dic: mean_deviance + effective_parameters,
        mean_deviance,
        effective_parameters,
    })
}

/// The BIC score of a network of categorical variables, larger is better:
/// Σᵢ (Σₜ ln θ̂(xᵢ|pa) − (ln m/2)(rᵢ−1)·Π r_pa), with θ̂ the observed shares.
///
/// `rows` holds values 0…r−1, one column per variable; `parents` lists the parents of each.
pub fn network_bic_score(
    rows: ArrayView2<'_, usize>,
    sizes: &[usize],
    parents: &[Vec<usize>],
) -> Result<f64> {
    let variables = rows.ncols();
    if sizes.len() != variables || parents.len() != variables || rows.nrows() == 0 {
        return Err(Error::data(format!(
            "there are {variables} columns, {} sizes and {} lists of parents; give one of each per column, and at least one row",
            sizes.len(),
            parents.len()
        )));
    }
    for ((row, column), &value) in rows.indexed_iter() {
        if value >= sizes[column] {
            return Err(Error::data(format!(
                "row {row}, column {column} is {value}; it must be below {}",
                sizes[column]
            )));
        }
    }
    let mut score = 0.0;
    for (child, parents) in parents.iter().enumerate() {
        if parents
            .iter()
            .any(|&parent| parent >= variables || parent == child)
        {
            return Err(Error::data(format!(
                "the parents of column {child} are {parents:?}; they must be other columns"
            )));
        }
        let mut joint: HashMap<Vec<usize>, Vec<f64>> = HashMap::new();
        for row in rows.rows() {
            let key = parents.iter().map(|&parent| row[parent]).collect();
            joint.entry(key).or_insert_with(|| vec![0.0; sizes[child]])[row[child]] += 1.0;
        }
        let mut counts: Vec<(Vec<usize>, Vec<f64>)> = joint.into_iter().collect();
        // The order of a hash map is not fixed, that of a sum must be.
        counts.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (_, counts) in &counts {
            let total: f64 = counts.iter().sum();
            let term = |&count: &f64| {
                if count > 0.0 {
                    count * (count / total).ln()
                } else {
                    0.0
                }
            };
            score += counts.iter().map(term).sum::<f64>();
        }
        let tables: f64 = parents.iter().map(|&parent| sizes[parent] as f64).product();
        score -= (rows.nrows() as f64).ln() / 2.0 * (sizes[child] as f64 - 1.0) * tables;
    }
    Ok(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    // 001:T-16 (001:EM-09, 001:EM-06, 003:P49): {−1, 0, 4, 5}; two spherical components reach
    // L = −5.6757541 with BIC −9.1414900, one has L = −9.4193585 with BIC −10.8056528.
    #[test]
    fn the_score_form_prefers_two_components() {
        let two = bic_score(-5.675_754_1, mixture_parameters(2, 1, 1), 4);
        let one = bic_score(-9.419_358_5, mixture_parameters(1, 1, 1), 4);
        assert!((two + 9.141_490_0).abs() < 1e-6, "{two}");
        assert!((one + 10.805_652_8).abs() < 1e-6, "{one}");
        assert!(two > one);
        // The exact value at the limit: σ² = ¼, equal weights; neighbours at distance 5 are
        // e⁻⁵⁰ away, so L = 4·(ln ½ − ½ ln(2π/4) − ½).
        let limit = 4.0 * (0.5_f64.ln() - 0.5 * (std::f64::consts::TAU / 4.0).ln() - 0.5);
        assert!((limit + 5.675_754_1).abs() < 1e-6);
        assert_eq!(bic_score(-1.0, 3.0, 10), -0.5 * bic(-1.0, 3.0, 10));
    }

    // 002a:CM02, 002a:CM04, 002b:MM-13: lower is better; AICc undefined for n ≤ p + 1.
    #[test]
    fn the_correction_for_few_rows_ends_where_it_is_undefined() {
        let criteria = Criteria::new(-10.0, 2.0, 10).unwrap();
        assert_eq!(criteria.aic, 24.0);
        // 2·2·3/(10−3) = 12/7.
        assert!((criteria.aicc.unwrap() - (24.0 + 12.0 / 7.0)).abs() < 1e-12);
        assert_eq!(aicc(-10.0, 9.0, 10), None);
        assert_eq!(aicc(-10.0, 12.0, 10), None);
        assert!(Criteria::new(f64::NAN, 1.0, 1).is_err());
        assert!(Criteria::new(0.0, 1.0, 0).is_err());
    }

    // 002b:MM-12: free parameters, not states: 3 states with 2 symbols have 2 + 6 + 3 = 11.
    #[test]
    fn parameters_are_counted_and_not_states() {
        assert_eq!(hmm_parameters(3, 3), 11.0);
        // scikit-learn counts 11 for two full components in two dimensions.
        assert_eq!(mixture_parameters(2, 2, 3), 11.0);
        assert_eq!(mixture_parameters(2, 1, 1), 2.0 * (1.0 + 2.0) - 1.0);
    }

    // 002b:MM-14, 002a:CM03: one mean with known variance has one effective parameter. Rows with
    // mean m and n of them: the posterior is N(m, 1/n), D(θ) = D(m) + n(θ−m)², so E[D] − D(m) = 1.
    #[test]
    fn a_mean_of_known_variance_is_one_effective_parameter() {
        let n = 25.0_f64;
        let log_likelihood = |theta: f64| -0.5 * n * theta * theta - 40.0;
        // Quantiles of the posterior stand for draws: 20000 of N(0, 1/n), by their midpoints.
        let draws: Vec<f64> = (0..20_000)
            .map(|i| {
                let p = (f64::from(i) + 0.5) / 20_000.0;
                didact_probability::special::normal_quantile(p) / n.sqrt()
            })
            .collect();
        let values: Vec<f64> = draws.iter().map(|&theta| log_likelihood(theta)).collect();
        let found = dic(&values, log_likelihood(0.0)).unwrap();
        // Midpoints cut the last 1/20000 of each tail: E[z²] is short by less than 1e-3.
        assert!((found.effective_parameters - 1.0).abs() < 1e-3);
        assert!((found.dic - (80.0 + 2.0)).abs() < 2e-3);
        assert!(dic(&[], 0.0).is_err());
    }

    // 001:T-23, 001:BN-19: empty graph −11.5066236, either edge −12.3813532.
    #[test]
    fn the_score_of_a_network_is_the_same_for_equivalent_graphs() {
        let values = [0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0];
        let rows = Array2::from_shape_vec((7, 2), values.to_vec()).unwrap();
        let score =
            |parents: [Vec<usize>; 2]| network_bic_score(rows.view(), &[2, 2], &parents).unwrap();
        assert!((score([vec![], vec![]]) + 11.506_623_6).abs() < 1e-6);
        assert!((score([vec![], vec![0]]) + 12.381_353_2).abs() < 1e-6);
        assert!((score([vec![1], vec![]]) - score([vec![], vec![0]])).abs() < 1e-12);
        assert!(network_bic_score(rows.view(), &[2, 1], &[vec![], vec![]]).is_err());
        assert!(network_bic_score(rows.view(), &[2, 2], &[vec![0], vec![]]).is_err());
    }
}
