//! What every pair of prior and likelihood must satisfy, walked over all pairs.
//!
//! - Batch, one by one and merged pieces give the same posterior (seen through its density).
//! - p(D ∪ x)/p(D) = p(x|D): the evidence is the product of the one-step predictions.
//! - p(x|λ)·p(λ|D)/p(λ|D, x) is the same for every λ and equals the predictive density.
//! - posterior ∝ likelihood × prior: the difference of logarithms does not depend on λ.
//! - The predictive is the average of the likelihood over draws from the posterior.

use super::*;
use crate::laws::{Beta, Dirichlet, Gamma, InverseWishart, MultivariateNormal};
use crate::{Draw, testing::assert_relative};
use didact_core::random::generator;
use ndarray::{Array2, array};

fn check<X: Copy, P: Conjugate<X>>(prior: &P, values: &[X], parameters: &[P::Parameter]) {
    let batch = prior.update(values.iter().copied()).unwrap();
    let mut sequential = prior.clone();
    let mut chain = 0.0;
    for &value in values {
        chain += sequential.predictive().unwrap().log_density(value);
        sequential = sequential.update([value]).unwrap();
    }
    let (left, right) = values.split_at(values.len() / 3);
    let pieces = prior
        .summarise(right.iter().copied())
        .merge(prior.summarise(left.iter().copied()));
    let merged = prior.posterior(&pieces).unwrap();
    for parameter in parameters {
        let expected = batch.log_belief(parameter);
        assert!(expected.is_finite());
        assert!((sequential.log_belief(parameter) - expected).abs() < 1e-10);
        assert!((merged.log_belief(parameter) - expected).abs() < 1e-10);
    }
    let data = prior.summarise(values.iter().copied());
    assert_relative(prior.log_evidence(&data).unwrap(), chain, 1e-11);
    assert!(prior.log_evidence(&prior.no_data()).unwrap().abs() < 1e-14);

    // Bayes: ln p(λ|D) − ln p(λ) − ln p(D|λ) = −ln p(D).
    for parameter in parameters {
        let law = prior.likelihood(parameter).unwrap();
        let likelihood: f64 = values.iter().map(|&value| law.log_density(value)).sum();
        let constant = batch.log_belief(parameter) - prior.log_belief(parameter) - likelihood;
        assert_relative(-constant, chain, 1e-10);
    }

    let next = values[0];
    let predictive = batch.predictive().unwrap().log_density(next);
    for parameter in parameters {
        let ratio = batch.log_predictive_by_ratio(next, parameter).unwrap();
        assert_relative(ratio, predictive, 1e-10);
    }
}

// 000b:P09, 003:P22, 003:P26, 003:P29, 003:P30: the numbers of section 3 of 003 say 0.6 at
// θ = 0.2, 0.5, 0.9.
#[test]
fn beta_and_trials_are_conjugate() {
    let prior = Beta::new(2.0, 3.0).unwrap();
    let tosses = [
        true, true, false, true, true, true, false, true, false, true,
    ];
    check(&prior, &tosses, &[0.2, 0.5, 0.9]);
    let posterior = prior.update(tosses).unwrap();
    for theta in [0.2, 0.5, 0.9] {
        let chance = posterior
            .log_predictive_by_ratio(true, &theta)
            .unwrap()
            .exp();
        assert_relative(chance, 0.6, 1e-12);
    }
}

// 000b:P15, 003:P27, 003:P28, 003:P30
#[test]
fn dirichlet_and_categories_are_conjugate() {
    let prior = Dirichlet::new(array![0.7, 2.0, 1.3]).unwrap();
    let parameters = [array![0.2, 0.3, 0.5], array![0.6, 0.3, 0.1]];
    check(&prior, &[0, 2, 2, 1, 0, 2, 2], &parameters);
}

#[test]
fn gamma_and_counts_are_conjugate() {
    let prior = Gamma::new(1.7, 0.6).unwrap();
    check(&prior, &[3_u64, 0, 5, 2, 2], &[0.4, 2.0, 5.0]);
}

// 000b:P10, 000b:P11, 003:P30
#[test]
fn a_normal_mean_is_conjugate() {
    let prior = NormalMean::with_variances(1.0, 4.0, 2.0).unwrap();
    check(&prior, &[2.5, 3.0, 1.5, -0.2], &[-1.0, 0.5, 3.0]);
}

// 003:P30, 003:P34, 003:P48
#[test]
fn a_normal_mean_and_variance_are_conjugate() {
    let prior = NormalInverseGamma::new(2.0, 1.5, 0.5, 1.0).unwrap();
    check(
        &prior,
        &[1.0, 2.0, 4.0, 3.5],
        &[(2.0, 1.0), (0.0, 3.0), (5.0, 0.4)],
    );
}

// 004:M23, 003:P30
#[test]
fn a_mean_vector_is_conjugate() {
    let belief = MultivariateNormal::new(array![0.0, 1.0], array![[1.0, 0.2], [0.2, 4.0]]).unwrap();
    let prior = MultivariateNormalMean::new(belief, array![[2.0, 0.5], [0.5, 1.0]]).unwrap();
    let x = array![[1.0, 2.0], [3.0, 0.0], [2.0, 4.0]];
    let rows: Vec<_> = x.rows().into_iter().collect();
    check(&prior, &rows, &[array![0.0, 0.0], array![1.0, 2.0]]);
}

// 000b:P22, 003:P30
#[test]
fn a_covariance_is_conjugate() {
    let belief = InverseWishart::new(array![[2.0, 0.3], [0.3, 1.0]], 4.5).unwrap();
    let prior = CovarianceWithKnownMean::new(array![0.5, 0.0], belief).unwrap();
    let x = array![[1.0, 2.0], [3.0, 0.0], [2.0, 4.0]];
    let rows: Vec<_> = x.rows().into_iter().collect();
    check(
        &prior,
        &rows,
        &[Array2::eye(2), array![[2.0, -0.5], [-0.5, 1.0]]],
    );
}

// 000b:P24 ("Bayes residual constant in (μ, Σ)"), 000a:UNS-27, 003:P30
#[test]
fn a_mean_vector_and_covariance_are_conjugate() {
    let prior = NormalInverseWishart::new(array![0.0, 0.0], 2.0, Array2::eye(2), 4.0).unwrap();
    let x = array![[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 3.0]];
    let rows: Vec<_> = x.rows().into_iter().collect();
    let parameters = [
        (array![0.0, 0.0], Array2::eye(2)),
        (array![1.0, 2.0], array![[2.0, -0.5], [-0.5, 1.0]]),
    ];
    check(&prior, &rows, &parameters);
}

// 003:P57
#[test]
fn a_mixture_of_priors_is_conjugate() {
    let components = vec![Beta::new(2.0, 3.0).unwrap(), Beta::new(0.5, 4.0).unwrap()];
    let prior = MixturePrior::new(vec![0.3, 0.7], components).unwrap();
    check(&prior, &[true, false, false, true, true], &[0.2, 0.5, 0.9]);
}

// 003:P29: the integral form, by an average over draws from the posterior.
#[test]
fn the_predictive_is_the_average_likelihood_over_the_posterior() {
    let posterior = NormalInverseGamma::new(2.0, 1.5, 0.5, 1.0)
        .unwrap()
        .update([1.0, 2.0, 4.0, 3.5])
        .unwrap();
    let n = 20_000;
    let densities: Vec<f64> = posterior
        .draw_many(n, &mut generator(1, 0))
        .iter()
        .map(|parameter| posterior.likelihood(parameter).unwrap().density(3.0))
        .collect();
    let mean = densities.iter().sum::<f64>() / n as f64;
    let variance = densities.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
    let exact = posterior.predictive().unwrap().density(3.0);
    assert!((mean - exact).abs() < 5.0 * (variance / n as f64).sqrt());
}
