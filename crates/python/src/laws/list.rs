//! The list of laws.

use super::conjugate::{from_rows, from_values};
use super::kinds::{
    Categories, CountVectors, Counts, Flags, Matrices, Numbers, Prior, Vectors, as_rows,
};
use super::{Entry, unreadable};
use didact::{Error, Result};
use didact_probability::conjugate::{
    CovarianceWithKnownMean, MultivariateNormalMean, NormalInverseGamma, NormalInverseWishart,
    NormalMean,
};
use didact_probability::laws::*;
use didact_probability::{Entropy, FitLikelihood};
use ndarray::ArrayViewD;

/// Data of a fit as a list of numbers that must be there and finite.
fn numbers(points: ArrayViewD<'_, f64>) -> Vec<f64> {
    points.iter().copied().collect()
}

/// Data of a fit as whole numbers.
fn counts(points: ArrayViewD<'_, f64>) -> Result<Vec<u64>> {
    let read = |(place, &x): (usize, &f64)| match x >= 0.0 && x.fract() == 0.0 {
        true => Ok(x as u64),
        false => Err(Error::data(format!(
            "value {place} is {x}; it must be a whole number not below 0"
        ))),
    };
    points.iter().enumerate().map(read).collect()
}

macro_rules! laws {
    (@axes Numbers) => { 0 };
    (@axes Counts) => { 0 };
    (@axes Flags) => { 0 };
    (@axes Categories) => { 0 };
    (@axes Vectors) => { 1 };
    (@axes CountVectors) => { 1 };
    (@axes Matrices) => { 2 };
    (@axes Prior) => { 0 };
    (@abilities Numbers) => { &["density", "cumulative", "moments", "median", "mode", "draw"] };
    (@abilities Counts) => { &["density", "cumulative", "moments", "median", "mode", "draw"] };
    (@abilities Flags) => { &["density", "moments", "mode", "draw"] };
    (@abilities Categories) => { &["density", "mode", "draw"] };
    (@abilities Vectors) => { &["density", "moments", "mode", "draw"] };
    (@abilities CountVectors) => { &["density", "moments", "draw"] };
    (@abilities Matrices) => { &["density", "moments", "mode", "draw"] };
    (@abilities Prior) => { &[] };
    (@entropy $law:ident yes) => { Some(|law: &$law| law.entropy()) };
    (@entropy $law:ident no) => { None };
    (@has yes) => { true };
    (@has no) => { false };
    (@default) => { None };
    (@default $default:literal) => { Some($default) };
    (@fit $kind:ident $law:ident $entropy:ident no) => { None };
    (@fit $kind:ident $law:ident $entropy:ident numbers) => {
        Some(|points, weights| {
            let law = $law::fit_weighted(numbers(points).as_slice(), weights)?;
            Ok(Box::new($kind::new(law, laws!(@entropy $law $entropy))))
        })
    };
    (@fit $kind:ident $law:ident $entropy:ident counts) => {
        Some(|points, weights| {
            let law = $law::fit_weighted(counts(points)?.as_slice(), weights)?;
            Ok(Box::new($kind::new(law, laws!(@entropy $law $entropy))))
        })
    };
    (@fit $kind:ident $law:ident $entropy:ident categories) => {
        Some(|points, weights| {
            let data: Vec<usize> = counts(points)?.into_iter().map(|x| x as usize).collect();
            let law = $law::fit_weighted(data.as_slice(), weights)?;
            Ok(Box::new($kind::new(law, laws!(@entropy $law $entropy))))
        })
    };
    (@fit $kind:ident $law:ident $entropy:ident flags) => {
        Some(|points, weights| {
            let data: Vec<bool> = counts(points)?.into_iter().map(|x| x > 0).collect();
            let law = $law::fit_weighted(data.as_slice(), weights)?;
            Ok(Box::new($kind::new(law, laws!(@entropy $law $entropy))))
        })
    };
    (@fit $kind:ident $law:ident $entropy:ident rows) => {
        Some(|points, weights| {
            let law = $law::fit_weighted(&as_rows(&points)?, weights)?;
            Ok(Box::new($kind::new(law, laws!(@entropy $law $entropy))))
        })
    };
    ($(
        $(#[doc = $document:literal])*
        $law:ident: $kind:ident(entropy $entropy:ident, fit $fit:ident)
            { $($parameter:ident: $form:ident $(= $default:literal)?),* }
            $(learns $conjugacy:expr)?;
    )*) => {
        pub(super) const LAWS: &[Entry] = &[$(Entry {
            name: stringify!($law),
            document: &[$($document),*],
            parameters: &[$((stringify!($parameter), stringify!($form), laws!(@default $($default)?))),*],
            axes: laws!(@axes $kind),
            abilities: || {
                let mut abilities: Vec<&'static str> = Vec::new();
                abilities.extend_from_slice(laws!(@abilities $kind));
                if laws!(@has $entropy) {
                    abilities.push("entropy");
                }
                abilities
            },
            make: |parameters| {
                let law: $law = serde_json::from_value(parameters).map_err(unreadable)?;
                Ok(Box::new($kind::new(law, laws!(@entropy $law $entropy))))
            },
            fit: laws!(@fit $kind $law $entropy $fit),
            conjugate: laws!(@conjugate $($conjugacy)?),
        }),*];
    };
    (@conjugate) => { None };
    (@conjugate $conjugacy:expr) => { Some($conjugacy) };
}

laws! {
    /// The normal law with mean μ and standard deviation σ.
    Normal: Numbers(entropy yes, fit numbers) { mean: number = "0.0", deviation: number = "1.0" };
    /// Every value between `low` and `high` alike.
    Uniform: Numbers(entropy yes, fit numbers) { low: number = "0.0", high: number = "1.0" };
    /// The time to an event that does not age, with rate λ.
    Exponential: Numbers(entropy yes, fit numbers) { rate: number = "1.0" };
    /// The gamma law with shape α and *rate* β; data about counts update it.
    Gamma: Numbers(entropy yes, fit numbers) { shape: number = "1.0", rate: number = "1.0" } learns from_values::<Gamma, u64>();
    /// The law of the reciprocal of a gamma variable.
    InverseGamma: Numbers(entropy yes, fit numbers) { shape: number = "1.0", scale: number = "1.0" };
    /// The beta law of a probability; trials with 0 or 1 update it.
    Beta: Numbers(entropy yes, fit numbers) { a: number = "1.0", b: number = "1.0" } learns from_values::<Beta, bool>();
    /// The Cauchy law with median and half width at half height.
    Cauchy: Numbers(entropy yes, fit numbers) { location: number = "0.0", scale: number = "1.0" };
    /// The sum of squares of ν standard normal variables.
    ChiSquared: Numbers(entropy yes, fit numbers) { freedom: number = "1.0" };
    /// The ratio of two chi-square variables, each over its degrees of freedom.
    FisherF: Numbers(entropy yes, fit no) { numerator: number = "1.0", denominator: number = "1.0" };
    /// The Laplace law with median and scale.
    Laplace: Numbers(entropy yes, fit numbers) { location: number = "0.0", scale: number = "1.0" };
    /// The exponential of a normal variable.
    LogNormal: Numbers(entropy yes, fit numbers) { log_mean: number = "0.0", log_deviation: number = "1.0" };
    /// The Pareto law P(X > x) = (s/x)ᵏ for x ≥ s.
    Pareto: Numbers(entropy yes, fit numbers) { shape: number = "1.0", scale: number = "1.0" };
    /// Student's t law with ν degrees of freedom, location and scale.
    StudentT: Numbers(entropy yes, fit numbers) { freedom: number = "1.0", location: number = "0.0", scale: number = "1.0" };
    /// The Weibull law P(X > x) = exp(−(x/s)ᵏ).
    Weibull: Numbers(entropy yes, fit numbers) { shape: number = "1.0", scale: number = "1.0" };
    /// One trial that succeeds with a given probability: 0 or 1.
    Bernoulli: Flags(entropy yes, fit flags) { probability: number = "0.5" };
    /// The number of successes in n independent trials.
    Binomial: Counts(entropy yes, fit no) { trials: whole, probability: number = "0.5" };
    /// The number of events where λ are expected.
    Poisson: Counts(entropy yes, fit counts) { rate: number = "1.0" };
    /// The number of failures before the first success.
    Geometric: Counts(entropy yes, fit counts) { probability: number = "0.5" };
    /// The number of failures before the r-th success.
    NegativeBinomial: Counts(entropy no, fit counts) { successes: number = "1.0", probability: number = "0.5" };
    /// One of K categories, counted from 0.
    Categorical: Categories(entropy yes, fit categories) { probabilities: list };
    /// The counts of K categories in n independent trials.
    Multinomial: CountVectors(entropy no, fit no) { trials: whole, probabilities: list };
    /// The Dirichlet law of K probabilities; categories update it.
    Dirichlet: Vectors(entropy yes, fit rows) { concentration: array } learns from_values::<Dirichlet, usize>();
    /// The multivariate normal law.
    MultivariateNormal: Vectors(entropy yes, fit rows) { mean: array, covariance: array };
    /// The multivariate t law with ν degrees of freedom; the scale matrix is not the covariance.
    MultivariateStudentT: Vectors(entropy no, fit no) { freedom: number, location: array, scale: array };
    /// The Wishart law of positive definite matrices.
    Wishart: Matrices(entropy yes, fit no) { scale: array, freedom: number };
    /// The inverse Wishart law of positive definite matrices.
    InverseWishart: Matrices(entropy no, fit no) { scale: array, freedom: number };
    /// What is believed about the mean of normal numbers of known deviation: `belief` is a Normal.
    NormalMean: Prior(entropy no, fit no) { belief: law, noise_deviation: number = "1.0" } learns from_values::<NormalMean, f64>();
    /// What is believed about mean and variance of normal numbers.
    NormalInverseGamma: Prior(entropy no, fit no) { alpha: number = "1.0", beta: number = "1.0", gamma: number = "1.0", delta: number = "0.0" } learns from_values::<NormalInverseGamma, f64>();
    /// What is believed about the mean of normal vectors of known covariance: `belief` is a
    /// MultivariateNormal.
    MultivariateNormalMean: Prior(entropy no, fit no) { belief: law, noise_covariance: array } learns from_rows::<MultivariateNormalMean>();
    /// What is believed about the covariance of normal vectors of known mean: `belief` is an
    /// InverseWishart.
    CovarianceWithKnownMean: Prior(entropy no, fit no) { mean: array, belief: law } learns from_rows::<CovarianceWithKnownMean>();
    /// What is believed about mean and covariance of normal vectors.
    NormalInverseWishart: Prior(entropy no, fit no) { mean: array, pseudo_count: number, scale: array, freedom: number } learns from_rows::<NormalInverseWishart>();
}
