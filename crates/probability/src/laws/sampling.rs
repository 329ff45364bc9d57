//! The few generators of random numbers from which the laws are drawn.

use didact_core::random::Generator;
use rand::RngExt;
use rand_distr::{Distribution, Exp1, StandardNormal};

/// A number above zero and below one.
pub(crate) fn uniform(generator: &mut Generator) -> f64 {
    loop {
        let u: f64 = generator.random();
        if u > 0.0 {
            return u;
        }
    }
}

pub(crate) fn standard_normal(generator: &mut Generator) -> f64 {
    StandardNormal.sample(generator)
}

pub(crate) fn standard_exponential(generator: &mut Generator) -> f64 {
    Exp1.sample(generator)
}

/// The logarithm of a gamma variable with the given shape and rate one.
///
/// Shapes far below one draw values that underflow; their logarithms do not.
pub(crate) fn log_gamma(shape: f64, generator: &mut Generator) -> f64 {
    if shape < 1.0 {
        // G(a) = G(a+1)·U^(1/a)
        let boost = uniform(generator).ln() / shape;
        return log_gamma(shape + 1.0, generator) + boost;
    }
    // Marsaglia and Tsang (2000): the cube of a normal variable, accepted nearly always.
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let z = standard_normal(generator);
        let v = (1.0 + c * z).powi(3);
        if v > 0.0 && uniform(generator).ln() < 0.5 * z * z + d * (1.0 - v + v.ln()) {
            return d.ln() + v.ln();
        }
    }
}

/// A gamma variable with the given shape and rate one.
pub(crate) fn gamma(shape: f64, generator: &mut Generator) -> f64 {
    log_gamma(shape, generator).exp()
}
