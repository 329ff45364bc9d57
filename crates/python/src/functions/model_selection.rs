//! Choosing among models: criteria, evidence, tests.

use super::answers::results;
use super::arguments::{Groups, Matrix, Maybe, Vector, words};
use super::functions;
use didact::Error;
use didact::evaluate::{self, BiasVariance, PartitionLikelihood};
use ndarray::ArrayView1;
use pyo3::prelude::*;

words! {
    /// What stands in for the likelihood of a hard grouping.
    LikelihoodWord: PartitionLikelihood {
        "gaussian-diagonal" => PartitionLikelihood::GaussianDiagonal,
        "gaussian-spherical" => PartitionLikelihood::GaussianSpherical,
        "rss" => PartitionLikelihood::Rss,
        "tool" => PartitionLikelihood::Tool,
    }
}

results! {
    /// Information criteria of one model; lower is better.
    Criteria {
        /// −2 ln L + 2p.
        aic: f64,
        /// The same corrected for few rows; None where there are too few.
        aicc: Option<f64>,
        /// −2 ln L + p ln n.
        bic: f64,
    }
    /// The deviance information criterion.
    Deviance {
        /// The criterion; lower is better.
        dic: f64,
        /// The mean deviance.
        mean_deviance: f64,
        /// The effective number of parameters.
        effective_parameters: f64,
    }
    /// A paired comparison of two methods on the same splits.
    PairedTest {
        /// Mean difference, first minus second.
        mean: f64,
        /// Median difference.
        median: f64,
        /// Standard error, corrected for training parts that overlap.
        standard_error: f64,
        /// Student's t.
        statistic: f64,
        /// How probable such a difference is between equal methods.
        p_value: f64,
        /// The confidence interval of the difference.
        interval: (f64, f64),
        /// How often the first wins, they draw, and the second wins.
        wins: (usize, usize, usize),
    }
    /// Noise, squared bias and variance of a method.
    ErrorParts {
        /// The noise of the data.
        noise: f64,
        /// The squared bias.
        squared_bias: f64,
        /// The variance.
        variance: f64,
    }
}

functions! {
    /// AIC, AICc and BIC from a log-likelihood, the number of free parameters and of rows.
    ///
    /// Examples
    /// --------
    /// >>> from didact.model_selection import information_criteria
    /// >>> information_criteria(-100.0, 3, 50).aic
    /// 206.0
    quick information_criteria(log_likelihood: f64, n_parameters: f64, n_rows: usize) -> Criteria {
        let found = evaluate::Criteria::new(log_likelihood, n_parameters, n_rows)?;
        Ok(Criteria { aic: found.aic, aicc: found.aicc, bic: found.bic })
    }

    /// −2 ln L + 2p; lower is better.
    quick aic(log_likelihood: f64, n_parameters: f64) -> f64 {
        Ok(evaluate::aic(log_likelihood, n_parameters))
    }

    /// AIC corrected for few rows; None where n ≤ p + 1.
    quick aicc(log_likelihood: f64, n_parameters: f64, n_rows: usize) -> Option<f64> {
        Ok(evaluate::aicc(log_likelihood, n_parameters, n_rows))
    }

    /// −2 ln L + p ln n; lower is better.
    quick bic(log_likelihood: f64, n_parameters: f64, n_rows: usize) -> f64 {
        Ok(evaluate::bic(log_likelihood, n_parameters, n_rows))
    }

    /// The deviance information criterion, from the log-likelihood at each draw from the
    /// posterior and at the mean of the draws.
    quick dic(log_likelihoods: Vector, at_mean: f64) -> Deviance {
        let found = evaluate::dic(log_likelihoods, at_mean)?;
        Ok(Deviance {
            dic: found.dic,
            mean_deviance: found.mean_deviance,
            effective_parameters: found.effective_parameters,
        })
    }

    /// Criteria of a grouping of rows; -1 is in no group.
    quick partition_criteria(X: Matrix, labels: Groups; likelihood: LikelihoodWord = "'gaussian-diagonal'") -> Criteria {
        let found = evaluate::partition_criteria(X, &labels, likelihood)?;
        Ok(Criteria { aic: found.aic, aicc: found.aicc, bic: found.bic })
    }

    /// Free parameters of a mixture of k components in d columns.
    quick mixture_parameters(components: usize, columns: usize, covariance_each: usize) -> f64 {
        Ok(evaluate::mixture_parameters(components, columns, covariance_each))
    }

    /// Free parameters of a hidden Markov model.
    quick hmm_parameters(states: usize, emission_parameters: usize) -> f64 {
        Ok(evaluate::hmm_parameters(states, emission_parameters))
    }

    /// The log of the Bayes factor of two models from their log-evidences.
    quick log_bayes_factor(log_evidence_1: f64, log_evidence_0: f64) -> f64 {
        Ok(evaluate::log_bayes_factor(log_evidence_1, log_evidence_0))
    }

    /// The probability of each model after the data; beforehand all are alike unless told.
    quick model_posterior(log_evidences: Vector; prior: Maybe<Vector> = "None") -> Vec<f64> {
        evaluate::model_posterior(log_evidences, prior)
    }

    /// The log-evidence of Bayesian linear regression with weights drawn from N(0, Σ).
    quick regression_log_evidence(X: Matrix, y: Vector, prior_covariance: Matrix, noise_variance: f64) -> f64 {
        evaluate::regression_log_evidence(X, ArrayView1::from(y), prior_covariance, noise_variance)
    }

    /// The place where a falling curve bends most; None where it does not.
    quick elbow(x: Vector, y: Vector) -> Option<usize> {
        match x.len() == y.len() {
            true => Ok(evaluate::elbow(x, y)),
            false => Err(Error::data(format!("there are {} places for {} values", x.len(), y.len()))),
        }
    }

    /// Student's t test on the scores of two methods on the same splits, corrected for training
    /// parts that overlap; `test_to_train` is the ratio of the sizes of test and training part.
    quick compare_paired(first: Vector, second: Vector, test_to_train: f64; confidence: f64 = "0.95") -> PairedTest {
        let found = evaluate::compare_paired(first, second, test_to_train, confidence)?;
        Ok(PairedTest {
            mean: found.mean,
            median: found.median,
            standard_error: found.standard_error,
            statistic: found.statistic,
            p_value: found.p_value,
            interval: found.interval,
            wins: found.wins,
        })
    }

    /// Splits the error of predictions, one row per training set and one column per test point.
    quick bias_variance(predictions: Matrix, expected: Vector; noise: f64 = "0.0") -> ErrorParts {
        let found = BiasVariance::of(predictions, expected, noise)?;
        Ok(ErrorParts { noise: found.noise, squared_bias: found.squared_bias, variance: found.variance })
    }
}
